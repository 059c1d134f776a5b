"""Tables, drafts, watched questions, reading lists and files of answers, as a program uses them over HTTP."""

import csv
import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
from docx import Document
from tests.service.conftest import CANARY, NOTES, Served, start, stop, until

from scholarmind.service.keys import Keys
from scholarmind.service.service_file import ServiceFile

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
COLUMNS = "task; heads (number) = How many heads does BERT-Large have?; year"
BIBLIOGRAPHY = b"""@article{devlin2019bert, title={BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding},
  author={Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina}, year={2019}}
"""
DRAFT = rb"""\documentclass{article}\begin{document}
BERT-Large has 24 layers and 16 heads \cite{devlin2019bert}. BERT-Large has 99 layers and 16 heads \cite{devlin2019bert}.
A sentence of somebody else says much about many things \cite{devlin2018bert}.
\end{document}
"""


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """A service that knows its callers by their keys."""
    with ServiceFile(folder / "service.db") as file:
        Keys(file).create(["ask"])
    running = start(folder, "--require-key")
    yield running
    stop(running)


@pytest.fixture
def client(served: Served) -> Iterator[httpx2.Client]:
    """A client that may do everything."""
    with served.client(served.key("ask", "search", "ingest", "admin")) as found:
        yield found


def finished(client: httpx2.Client, path: str) -> dict[str, Any]:
    """Wait until a run, a job or a draft is over, and return it."""
    return until(lambda: (found := client.get(path).json())["state"] not in {"waiting", "running"} and found)


def filled(client: httpx2.Client, name: str) -> dict[str, Any]:
    """Wait until a table is filled, and return it."""
    return until(lambda: (found := client.get(f"/api/v1/tables/{name}").json())["job"]["state"] == "done" and found)


def asked(client: httpx2.Client, question: str, **more: Any) -> str:
    """Ask a question, wait for its answer, and return the run."""
    run = client.post("/api/v1/runs", json={"question": question, **more}).json()["id"]
    assert finished(client, f"/api/v1/runs/{run}")["state"] == "done"
    return run


# -- tables


def test_a_table_is_saved_filled_sorted_corrected_and_taken_away(client: httpx2.Client) -> None:
    body = {"columns": COLUMNS, "collections": ["default"], "name": "survey"}
    begun = client.post("/api/v1/tables", json=body)
    assert begun.status_code == 202, begun.text
    assert begun.headers["location"] == "/api/v1/tables/survey"
    table = filled(client, "survey")
    assert (table["papers"], table["waiting"], len(table["rows"])) == (len(NOTES), 0, len(NOTES))
    bert = next(row for row in table["rows"] if row["title"].startswith("BERT"))
    assert bert["cells"]["heads"]["number"] == 16
    assert "16" in bert["cells"]["heads"]["source"]["text"]
    falling = client.get("/api/v1/tables/survey", params={"sort": "-year", "limit": 2, "columns": "year"}).json()
    years = [row["cells"]["year"]["number"] for row in falling["rows"]]
    assert years == sorted(years, reverse=True)
    assert falling["next"] == "2"
    assert client.get("/api/v1/tables/survey", params={"sort": "weight"}).status_code == 400
    cell = {"collection": "default", "document": bert["document"], "column": "heads", "value": "17"}
    corrected = client.put("/api/v1/tables/survey/cells", json=cell).json()
    assert (corrected["cells"]["heads"]["value"], corrected["cells"]["heads"]["by"]) == ("17", "hand")
    assert client.put("/api/v1/tables/survey/cells", json=cell | {"document": "nothing"}).status_code == 400
    wider = client.post("/api/v1/tables/survey/columns", json={"columns": "language"})
    assert [column["name"] for column in wider.json()["columns"]][-1] == "language"
    until(lambda: filled(client, "survey")["waiting"] == 0)
    rows = list(csv.reader(io.StringIO(client.get("/api/v1/tables/survey/file").text)))
    assert "17" in next(row for row in rows if row[2].startswith("BERT"))
    for form, begins in {
        "md": b"# survey",
        "xlsx": b"PK",
        "tex": b"% needs",
        "html": b"<!doctype",
        "json": b"{",
    }.items():
        reply = client.get("/api/v1/tables/survey/file", params={"format": form})
        assert reply.content.startswith(begins)
        assert f"survey.{form}" in reply.headers["content-disposition"]
    assert client.delete("/api/v1/tables/survey").status_code == 204
    assert client.get("/api/v1/tables/survey").status_code == 404


def test_a_table_that_asks_the_same_is_the_same_and_another_needs_another_name(client: httpx2.Client) -> None:
    body = {"columns": "task", "filter": "year >= 2019", "name": "recent"}
    assert client.post("/api/v1/tables", json=body).status_code == 202
    assert client.post("/api/v1/tables", json=body).status_code == 202
    assert client.post("/api/v1/tables", json=body | {"columns": "year"}).status_code == 409
    assert [each["name"] for each in client.get("/api/v1/tables").json()["items"]].count("recent") == 1
    for wrong in ({"columns": "; ;"}, {"columns": "task", "filter": "yeer > 1"}, {"columns": "task", "name": "a/b"}):
        assert client.post("/api/v1/tables", json=wrong).status_code == 400


def test_a_table_has_whatever_name_people_give_it(client: httpx2.Client) -> None:
    begun = client.post("/api/v1/tables", json={"columns": "层数（数字）= BERT-Large有多少层？", "name": "对比 & 50%"})
    assert begun.headers["location"] == "/api/v1/tables/%E5%AF%B9%E6%AF%94%20%26%2050%25"
    table = until(lambda: (found := client.get(begun.headers["location"]).json())["job"]["state"] == "done" and found)
    assert (table["name"], table["columns"][0]["kind"]) == ("对比 & 50%", "number")
    reply = client.get(f"{begun.headers['location']}/file")
    assert reply.headers["content-disposition"].endswith("%E5%AF%B9%E6%AF%94%20%26%2050%25.csv")


def test_a_key_of_one_collection_has_the_tables_that_keep_to_it(served: Served, client: httpx2.Client) -> None:
    client.post("/api/v1/tables", json={"columns": "task; year", "name": "of-all"})
    client.post("/api/v1/tables", json={"columns": "task; year", "collections": ["secret"], "name": "hidden"})
    with served.client(served.key("ask", "search", "ingest", collections=["default"])) as tenant:
        assert tenant.get("/api/v1/tables/of-all").status_code == 404
        mine = tenant.post("/api/v1/tables", json={"columns": "task; year", "filter": "year > 1", "name": "mine"})
        assert mine.json()["where"] == '((collection = "default") and year > 1)'
        assert {row["collection"] for row in filled(tenant, "mine")["rows"]} == {"default"}
        assert {"of-all", "hidden"}.isdisjoint(each["name"] for each in tenant.get("/api/v1/tables").json()["items"])
        assert tenant.post("/api/v1/tables", json={"columns": "year", "name": "hidden"}).status_code == 409
        wrong = {"columns": "task", "filter": "collection = secret", "name": "x"}
        assert filled(tenant, tenant.post("/api/v1/tables", json=wrong).json()["name"])["rows"] == []


# -- drafts


def test_a_draft_is_checked_against_what_it_cites(client: httpx2.Client, served: Served) -> None:
    files = [("files", ("../paper.tex", DRAFT)), ("files", ("refs.bib", BIBLIOGRAPHY))]
    sent = client.post("/api/v1/drafts", files=files)
    assert sent.status_code == 202, sent.text
    draft = finished(client, sent.headers["location"])
    assert (draft["state"], draft["name"], draft["error"]) == ("done", "paper.tex", "")
    assert draft["forms"] == ["html", "md", "json", "tex", "fixed"]
    claims = {claim["text"]: claim for claim in draft["report"]["claims"]}
    good, bad, strange = claims.values()
    assert (good["verdict"], bad["verdict"], strange["verdict"]) == ("supported", "contradicted", "not in the library")
    assert "24" in bad["citations"][0]["quote"]
    paragraph = draft["report"]["paragraphs"][good["paragraph"]]["text"]
    assert paragraph[good["start"] : good["end"]].startswith("BERT-Large has 24 layers")
    assert str(served.library) not in json.dumps(draft)
    file = f"/api/v1/drafts/{draft['id']}/file"
    assert b"\\todo" in client.get(file, params={"format": "tex"}).content
    assert client.get(file, params={"format": "fixed"}).content.count(b"\\cite{devlin2019bert}") == 3
    assert b"<!DOCTYPE" in client.get(file).content
    assert client.get(file, params={"format": "docx"}).status_code == 409
    with served.client(served.key("ask")) as other:
        assert other.get(f"/api/v1/drafts/{draft['id']}").status_code == 404
        assert other.get("/api/v1/drafts").json()["items"] == []
    assert draft["id"] in [each["id"] for each in client.get("/api/v1/drafts").json()["items"]]
    assert client.delete(f"/api/v1/drafts/{draft['id']}").status_code == 204
    assert client.get(f"/api/v1/drafts/{draft['id']}").status_code == 404
    assert not [path for path in (served.library / "uploads").rglob("*") if path.name == "paper.tex"]


def test_a_word_draft_gets_comments_and_broken_ones_say_why(client: httpx2.Client, tmp_path: Path) -> None:
    document = Document()
    document.add_paragraph("BERT-Large has 99 layers and 16 heads (Devlin et al., 2019).")
    document.save(str(tmp_path / "paper.docx"))
    sent = client.post("/api/v1/drafts", files=[("files", ("paper.docx", (tmp_path / "paper.docx").read_bytes()))])
    draft = finished(client, sent.headers["location"])
    assert draft["flagged"] == 1, draft
    copy = client.get(f"{sent.headers['location']}/file", params={"format": "docx"}).content
    assert "word/comments.xml" in zipfile.ZipFile(io.BytesIO(copy)).namelist()
    broken = client.post("/api/v1/drafts", files=[("files", ("paper.docx", b"PK nothing"))])
    failed = finished(client, broken.headers["location"])
    assert failed["state"] == "failed"
    assert "the draft 'paper.docx' cannot be read" in failed["error"]
    for files, status in (
        ([("a.bib", BIBLIOGRAPHY)], 422),
        ([("a.md", b"x"), ("b.md", b"y")], 422),
        ([("a.exe", b"MZ")], 415),
        ([("a.md", b"")], 422),
    ):
        assert client.post("/api/v1/drafts", files=[("files", each) for each in files]).status_code == status


def test_a_draft_is_held_against_what_its_sender_may_see(served: Served, client: httpx2.Client) -> None:
    text = f"# On it\n\n{CANARY} obtains a GLUE score of 99.9 with BERT-Large inside.\n".encode()
    with served.client(served.key("ask", collections=["default"])) as tenant:
        mine = finished(tenant, tenant.post("/api/v1/drafts", files=[("files", ("a.md", text))]).headers["location"])
    every = finished(client, client.post("/api/v1/drafts", files=[("files", ("a.md", text))]).headers["location"])
    assert "Zebulon" in json.dumps(every["report"])
    assert "Zebulon" not in json.dumps(mine["report"])


# -- watched questions


def test_a_watched_question_is_asked_again_when_documents_come(client: httpx2.Client) -> None:
    question = "Who proposed the Ambervole model?"
    watched = client.post("/api/v1/watched", json={"question": question, "name": "vole"})
    assert watched.status_code == 201, watched.text
    assert watched.json()["settings"] == {"effort": "keyless"}
    assert client.post("/api/v1/watched", json={"question": question, "name": "vole"}).status_code == 409
    assert client.get("/api/v1/news", params={"watched": "vole"}).json() == []
    note = b"---\ntitle: Ambervole\nauthors: [Ada Quill]\nyear: 2024\n---\nThe Ambervole model was proposed by Ada Quill.\n"
    sent = client.post("/api/v1/collections/animals/documents", files=[("files", ("ambervole.md", note))])
    assert finished(client, sent.headers["location"])["state"] == "done"
    (remark, *_) = until(lambda: client.get("/api/v1/news", params={"watched": "vole"}).json())
    assert (remark["kind"], remark["question"]) == ("answered", question)
    assert "Ada Quill" in remark["quotes"][0]["quote"]
    known = client.get("/api/v1/watched/vole").json()
    assert "Ada Quill" in known["answer"]
    assert len(known["remarks"]) == 1
    assert not known["waits"]
    feed = client.get("/api/v1/news", params={"format": "atom"})
    assert feed.headers["content-type"].startswith("application/atom+xml")
    assert "Ambervole" in "".join(ElementTree.fromstring(feed.content).itertext())  # noqa: S314  (of our own)
    assert "Ambervole" in client.get("/api/v1/news", params={"format": "text"}).text
    assert b"Message-ID" in client.get("/api/v1/news", params={"format": "mail"}).content
    job = client.post("/api/v1/watched/vole/renew").json()
    assert finished(client, f"/api/v1/jobs/{job['id']}")["report"] == {"asked": 1, "news": 0, "failed": {}}
    assert client.delete(f"/api/v1/watched/{known['id']}").status_code == 204
    assert client.get("/api/v1/watched/vole").status_code == 404


def test_what_was_asked_is_watched_within_what_it_was_asked_of(served: Served, client: httpx2.Client) -> None:
    with served.client(served.key("ask", "search", collections=["default"])) as tenant:
        run = asked(tenant, "Who proposed BERT?")
        mine = tenant.post("/api/v1/watched", json={"run": run}).json()
        assert mine["question"] == "Who proposed BERT?"
        assert mine["within"] == {"any": [{"field": "collection", "operator": "=", "value": "default"}]}
        again = tenant.post("/api/v1/watched", json={"run": run})
        assert (again.status_code, again.json()["id"]) == (200, mine["id"])
        every = client.post("/api/v1/watched", json={"question": "Who proposed GPT-2?"}).json()
        assert tenant.get(f"/api/v1/watched/{every['id']}").status_code == 404
        assert [each["id"] for each in tenant.get("/api/v1/watched").json()["items"]] == [mine["id"]]
    assert client.post("/api/v1/watched", json={"run": run, "question": "And?"}).status_code == 422
    assert client.post("/api/v1/watched", json={"question": "Hello!"}).status_code == 400


# -- what comes of an answer


def test_an_answer_is_given_out_in_every_form(client: httpx2.Client) -> None:
    run = asked(client, "Who proposed BERT, and how many heads does BERT-Large have?", collections=["default"])
    path = f"/api/v1/runs/{run}/file"
    begins = {"tex": b"", "html": b"<!", "docx": b"PK", "pdf": b"%PDF", "bib": b"@", "ris": b"TY", "csl.json": b"["}
    found = {form: client.get(path, params={"format": form}) for form in (*begins, "pandoc.md", "obsidian.zip")}
    for form, reply in found.items():
        assert reply.status_code == 200, reply.text
        assert reply.content.startswith(begins.get(form, b""))
        assert f"answer-{run}.{form}" in reply.headers["content-disposition"]
    assert "Jacob Devlin" in found["tex"].text
    assert r"\cite" in found["tex"].text
    assert "[@" in found["pandoc.md"].text
    notes = zipfile.ZipFile(io.BytesIO(found["obsidian.zip"].content))
    assert {name.split("/")[0] for name in notes.namelist()} == {"Answers", "Works"}
    assert not any(b"file://" in notes.read(name) for name in notes.namelist())
    assert client.get(path, params={"format": "exe"}).status_code == 422
    assert client.get("/api/v1/runs/nothing/file").status_code == 404


def test_what_to_read_next_is_what_the_library_lacks(client: httpx2.Client) -> None:
    paper = rb"""\documentclass{article}\title{Shore Birds}\author{Mira Stone}\date{2022}\begin{document}\maketitle
\section{Flight}
Terns fly over the shore at dusk \cite{quill}. Gulls stay on land \cite{vale}.
\begin{thebibliography}{9}
\bibitem{quill} A. Quill and N. Hale. The dusk flight of terns. In \emph{Shores}, 2015.
\bibitem{vale} T. Vale. Gulls that stay on land. In \emph{Shores}, 2017.
\end{thebibliography}\end{document}
"""
    sent = client.post("/api/v1/collections/birds/documents", files=[("files", ("birds.tex", paper))])
    assert finished(client, sent.headers["location"])["state"] == "done"
    run = asked(client, "When do terns fly over the shore?", collections=["birds"])
    found = client.get(f"/api/v1/runs/{run}/next").json()
    first = found["missing"][0]
    assert first["reference"]["title"] == "The dusk flight of terns"
    assert first["nearness"] == "quoted"
    assert "Terns fly" in first["citing"][0]["sentence"]
    assert "The dusk flight of terns" in client.get(f"/api/v1/runs/{run}/next", params={"format": "bib"}).text
    assert "cited beside" in client.get(f"/api/v1/runs/{run}/next", params={"format": "txt"}).text
