"""The REST API of a service that runs: documents, searches, plans and runs, as a program uses them."""

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.service.conftest import CANARY, NOTES, QUESTION, Served, until

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
DOCUMENTS = "/api/v1/collections/default/documents"


def finished(client: httpx2.Client, path: str) -> dict[str, Any]:
    """Wait until a run or a job is over, and return it."""
    return until(lambda: (found := client.get(path).json())["state"] not in {"waiting", "running"} and found)


def events_of(client: httpx2.Client, run: str, after: int = 0) -> list[dict[str, str]]:
    """Follow a run to its end, and return the events as they came."""
    events: list[dict[str, str]] = []
    with client.stream("GET", f"/api/v1/runs/{run}/events", headers={"last-event-id": str(after)}) as reply:
        assert reply.headers["content-type"].startswith("text/event-stream")
        for block in "".join(reply.iter_text()).split("\n\n"):
            fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != ":")
            if "data" in fields:
                events.append(fields)
    return events


def ask(client: httpx2.Client, question: str = QUESTION, **more: Any) -> dict[str, Any]:
    """Begin a run."""
    reply = client.post("/api/v1/runs", json={"question": question, **more})
    assert reply.status_code == 202, reply.text
    assert reply.headers["location"] == f"/api/v1/runs/{reply.json()['id']}"
    return reply.json()


# -- the service itself


def test_what_it_says_of_itself(client: httpx2.Client) -> None:
    assert [client.get(path).status_code for path in ("/healthz", "/readyz", "/")] == [200, 200, 200]
    page = client.get("/")
    assert page.headers["content-security-policy"].startswith("default-src 'none'")
    assert page.headers["x-content-type-options"] == "nosniff"
    metrics = client.get("/metrics").text
    assert 'scholarmind_requests_total{route="/healthz",method="GET",status="2xx"}' in metrics
    assert "scholarmind_workers 1" in metrics


def test_settings_come_without_secrets(client: httpx2.Client) -> None:
    told = client.get("/api/v1/settings").json()
    assert told["embedder"] == "none"
    assert told["llm_api_key"] is False
    assert told["database"] is False  # whether there is one; its address may hold a password


def test_the_description_is_whole(client: httpx2.Client) -> None:
    schema = client.get("/api/v1/openapi.json").json()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            assert operation["summary"], (path, method)
            assert {"401", "404", "429", "500"} <= set(operation["responses"]), (path, method)
            assert operation["security"], (path, method)


# -- documents


def test_collections_are_counted(client: httpx2.Client) -> None:
    listed = {each["name"]: each for each in client.get("/api/v1/collections").json()}
    assert listed["default"]["documents"] == len(NOTES)
    assert client.get("/api/v1/collections/secret").json()["documents"] == 1
    assert client.get("/api/v1/collections/none").status_code == 404


def test_documents_come_page_by_page(client: httpx2.Client) -> None:
    titles, cursor = [], ""
    while cursor is not None:
        page = client.get(DOCUMENTS, params={"limit": 2, "cursor": cursor}).json()
        titles += [each["title"] for each in page["items"]]
        cursor = page["next"]
    assert len(titles) == len(set(titles)) == len(NOTES)
    filtered = client.get(DOCUMENTS, params={"filter": "year >= 2019"}).json()["items"]
    assert filtered
    assert all(each["year"] >= 2019 for each in filtered)


def test_a_document_is_read_and_corrected(client: httpx2.Client) -> None:
    known = client.get(DOCUMENTS).json()["items"][0]
    path = f"{DOCUMENTS}/{known['id']}"
    first = client.get(path)
    assert client.get(path, headers={"if-none-match": first.headers["etag"]}).status_code == 304
    passages = client.get(f"{path}/passages", params={"limit": 2}).json()
    assert [each["position"] for each in passages["items"]] == [0, 1]
    changed = client.patch(path, json={"fields": {"year": 1999}}, headers={"if-match": first.headers["etag"]})
    assert changed.json()["year"] == 1999
    assert (
        client.patch(path, json={"fields": {"year": 2000}}, headers={"if-match": first.headers["etag"]}).status_code
        == 412
    )
    assert client.patch(path, json={"fields": {"year": None}}).json()["year"] == known["year"]
    assert client.patch(path, json={"fields": {"id": "other"}}).status_code == 400


def test_files_are_taken_in_read_and_removed(client: httpx2.Client, served: Served) -> None:
    content = b"# A note on otters\n\nOtters hold hands while they sleep, as Lutra observed in 2021."
    sent = client.post("/api/v1/collections/animals/documents", files=[("files", ("../../../otters.md", content))])
    assert sent.status_code == 202
    job = finished(client, sent.headers["location"])
    assert (job["state"], job["report"]["added"]) == ("done", 1)
    (document,) = client.get("/api/v1/collections/animals/documents").json()["items"]
    assert (document["title"], document["file"]) == ("A note on otters", "otters.md")
    path = f"/api/v1/collections/animals/documents/{document['id']}"
    file = client.get(f"{path}/file")
    assert file.content == content
    assert file.headers["content-disposition"].startswith("attachment")
    found = client.post("/api/v1/search", json={"question": "otters sleep", "collections": ["animals"]}).json()
    assert [each["document"] for each in found["passages"]] == [document["id"]]
    assert client.get(f"{path}/pages/1").status_code == 404
    assert client.delete(path).status_code == 204
    assert client.get(path).status_code == 404
    assert not [each for each in (served.library / "uploads").rglob("*") if each.is_file()]


def test_a_page_is_drawn_with_what_is_quoted(client: httpx2.Client, tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    drawing = Canvas(str(tmp_path / "page.pdf"))
    for line in range(12):
        drawing.drawString(72, 700 - 14 * line, f"Line {line} of a page about the habits of badgers in winter.")
    drawing.save()
    sent = client.post(
        "/api/v1/collections/pages/documents", files=[("files", ("page.pdf", (tmp_path / "page.pdf").read_bytes()))]
    )
    assert finished(client, sent.headers["location"])["report"]["added"] == 1
    (document,) = client.get("/api/v1/collections/pages/documents").json()["items"]
    path = f"/api/v1/collections/pages/documents/{document['id']}"
    (box,) = client.get(f"{path}/boxes", params={"quote": "Line 3 of a page"}).json()
    assert box["page"] == 1
    assert 72 <= box["left"] < box["right"] < 300
    plain, marked = (client.get(f"{path}/pages/1", params=params) for params in ({}, {"quote": "Line 3 of a page"}))
    assert plain.content.startswith(b"\x89PNG")
    assert plain.content != marked.content
    assert client.get(f"{path}/pages/2").status_code == 404
    assert client.get(f"{path}/boxes", params={"quote": "no such words"}).status_code == 404


def test_the_graph_and_the_tree_are_read(client: httpx2.Client) -> None:
    around = client.get("/api/v1/collections/default/graph", params={"name": "BERT"}).json()
    assert "BERT" in {node["name"] for node in around["nodes"]}
    assert client.get("/api/v1/collections/default/graph", params={"name": CANARY}).status_code == 404
    top = client.get("/api/v1/collections/default/tree").json()
    assert {child["collection"] for child in top["children"]} == {"default"}
    node = top["children"][0]["number"]
    assert client.get("/api/v1/collections/default/tree", params={"node": node}).json()["node"]["number"] == node
    assert client.get("/api/v1/collections/secret/tree", params={"node": node}).status_code == 404


# -- questions


def test_a_search_says_where_each_passage_stands(client: httpx2.Client) -> None:
    asked = {"question": "masked language modelling", "limit": 3, "collections": ["default"], "filter": "year >= 2018"}
    found = client.post("/api/v1/search", json=asked).json()["passages"]
    assert len(found) == 3
    first = found[0]
    passages = client.get(f"{DOCUMENTS}/{first['document']}/passages").json()["items"]
    assert passages[first["position"]]["text"] == first["text"]


def test_a_plan_is_made(client: httpx2.Client) -> None:
    plan = client.post("/api/v1/plan", json={"question": QUESTION}).json()
    assert len(plan["parts"]) == 2


def test_a_run_is_followed_to_its_answer(client: httpx2.Client) -> None:
    run = ask(client)["id"]
    events = events_of(client, run)
    assert [event["event"] for event in events][-2:] == ["done", "end"]
    numbers = [int(event["id"]) for event in events[:-1]]
    assert numbers == list(range(1, len(events)))
    found = client.get(f"/api/v1/runs/{run}").json()
    assert (found["state"], found["answer"]["verdict"]) == ("done", "complete")
    assert "Jacob Devlin" in found["answer"]["answer"]


def test_who_comes_back_misses_nothing_and_hears_nothing_twice(client: httpx2.Client) -> None:
    run = ask(client)["id"]
    every = events_of(client, run)
    later = events_of(client, run, after=7)
    assert [event["id"] for event in later] == [event["id"] for event in every[7:]]
    assert [event["data"] for event in later] == [event["data"] for event in every[7:]]


def test_the_same_request_is_carried_out_once(client: httpx2.Client) -> None:
    once = {"idempotency-key": "a-key-of-ours"}
    first, again = (client.post("/api/v1/runs", json={"question": QUESTION}, headers=once).json() for _ in range(2))
    assert first["id"] == again["id"]
    other = client.post("/api/v1/runs", json={"question": "Who proposed GPT-2?"}, headers=once)
    assert other.status_code == 422


def test_a_plan_waits_is_edited_and_carried_out(client: httpx2.Client) -> None:
    run = ask(client, propose=True)["id"]
    waiting = finished(client, f"/api/v1/runs/{run}")
    assert waiting["state"] == "awaiting_plan"
    plan = waiting["plan"]
    plan["parts"] = plan["parts"][:1]
    assert client.post(f"/api/v1/runs/{run}/approve", json={"plan": {"parts": []}}).status_code == 400
    assert client.post(f"/api/v1/runs/{run}/approve", json={"plan": plan}).status_code == 202
    done = finished(client, f"/api/v1/runs/{run}")
    assert done["state"] == "done"
    assert [part["text"] for part in done["answer"]["parts"]] == ["Who proposed BERT?"]
    assert client.post(f"/api/v1/runs/{run}/approve", json={}).status_code == 409
    assert client.post(f"/api/v1/runs/{run}/resume").status_code == 409


def test_a_follow_up_is_understood_in_its_conversation(client: httpx2.Client) -> None:
    finished(client, f"/api/v1/runs/{ask(client, 'Who proposed BERT?', conversation='talk')['id']}")
    later = finished(client, f"/api/v1/runs/{ask(client, 'And GPT-2?', conversation='talk')['id']}")
    assert "proposed GPT-2" in later["answer"]["question"]
    assert later["conversation"] == "talk"


def test_runs_are_listed_rated_compared_and_forgotten(client: httpx2.Client) -> None:
    runs = [ask(client, f"Who proposed {name}?")["id"] for name in ("BERT", "XLNet", "RoBERTa")]
    for run in runs:
        finished(client, f"/api/v1/runs/{run}")
    page = client.get("/api/v1/runs", params={"limit": 2}).json()
    assert [line["id"] for line in page["items"]] == runs[:0:-1]
    assert client.get("/api/v1/runs", params={"limit": 1, "cursor": page["next"]}).json()["items"][0]["id"] == runs[0]
    assert (
        client.put(f"/api/v1/runs/{runs[0]}/rating", json={"good": False, "part": 1, "note": "short"}).status_code
        == 204
    )
    again = client.post(f"/api/v1/runs/{runs[0]}/again").json()["id"]
    assert finished(client, f"/api/v1/runs/{again}")["changes"]["run"] == runs[0]
    assert client.delete(f"/api/v1/runs/{runs[0]}").status_code == 204
    assert client.get(f"/api/v1/runs/{runs[0]}").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        pytest.param("GET", "/api/v1/runs/nothing", None, 404, id="no such run"),
        pytest.param("GET", "/api/v1/nothing", None, 404, id="no such route"),
        pytest.param("PUT", "/api/v1/search", None, 405, id="no such method"),
        pytest.param("POST", "/api/v1/runs", {"question": "?", "colour": "red"}, 422, id="an unknown name"),
        pytest.param("POST", "/api/v1/runs", {"question": "   "}, 400, id="nothing asked"),
        pytest.param(
            "POST", "/api/v1/search", {"question": "x", "filter": "year >> 3"}, 400, id="a filter that is none"
        ),
        pytest.param("GET", DOCUMENTS + "?cursor=x", None, 400, id="a cursor that is none"),
        pytest.param("POST", "/api/v1/collections/x/folders", {"path": "/etc"}, 403, id="a folder that is not allowed"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_way(
    client: httpx2.Client, method: str, path: str, body: Any, status: int
) -> None:
    reply = client.request(method, path, json=body)
    assert (reply.status_code, reply.headers["content-type"]) == (status, "application/problem+json")
    told = json.loads(reply.text)
    assert told["status"] == status
    assert told["title"]
    assert "Traceback" not in reply.text


def test_keys_are_made_listed_and_revoked(served: Served, client: httpx2.Client) -> None:
    served.key("ask")  # of others: while there is no key at all, none is looked at
    made = client.post("/api/v1/keys", json={"scopes": ["search"], "name": "Ada", "rate": "5/min"})
    assert made.status_code == 201
    id, key = made.json()["id"], made.json()["key"]
    (listed,) = [each for each in client.get("/api/v1/keys").json() if each["id"] == id]
    assert (listed["name"], listed["scopes"], listed["rate"], listed["revoked"]) == ("Ada", ["search"], "5/min", None)
    assert key not in client.get("/api/v1/keys").text
    headers = {"authorization": f"Bearer {key}"}
    assert client.get("/api/v1/collections", headers=headers).status_code == 200
    assert client.get("/api/v1/keys", headers=headers).status_code == 403
    assert client.delete(f"/api/v1/keys/{id}").status_code == 204
    assert client.get("/api/v1/collections", headers=headers).status_code == 401
    assert client.delete(f"/api/v1/keys/{id}").status_code == 404


def test_who_administers_some_collections_makes_no_keys(served: Served) -> None:
    with served.client(served.key("admin", "search", "ingest", collections=["default"])) as client:
        for reply in (
            client.get("/api/v1/keys"),
            client.post("/api/v1/keys", json={"scopes": ["admin"]}),
            client.post("/api/v1/model/test"),
            client.get("/api/v1/graph/merges"),
            client.post("/api/v1/graph/merge", json={"names": ["a"], "into": "b"}),
            client.post("/api/v1/graph/split", json={"name": "a"}),
        ):
            assert reply.status_code == 403
            assert "some collections" in reply.json()["detail"]


def test_documents_are_counted_by_what_they_are_narrowed_to(client: httpx2.Client) -> None:
    found = client.get("/api/v1/collections/default/facets").json()
    assert found["documents"] == sum(each["documents"] for each in found["year"])
    some = client.get("/api/v1/collections/default/facets", params={"filter": 'author = "Jacob Devlin"'}).json()
    assert some["documents"] == 1
    assert some["year"] == [{"value": "2019", "documents": 1}]
    assert client.get("/api/v1/collections/default/facets", params={"filter": "nothing ="}).status_code == 400


def test_a_name_is_taken_out_and_put_back(client: httpx2.Client) -> None:
    wanted = {"name": "BERT-Base", "kind": "method"}
    assert any(each["name"] == "BERT-Base" for each in client.get("/api/v1/graph/merges").json())
    assert client.post("/api/v1/graph/split", json=wanted).json()["name"] == "BERT-Base"
    again = client.post("/api/v1/graph/merge", json={"names": ["BERT-Base"], "into": "BERT", "kind": "method"})
    assert "BERT-Base" in again.json()["names"]
    unknown = client.post("/api/v1/graph/merge", json={"names": ["Zzyzx"], "into": "BERT"})
    assert unknown.status_code == 400
    assert "Zzyzx" in unknown.json()["detail"]


def test_of_a_run_that_is_over_no_part_is_stopped(client: httpx2.Client) -> None:
    run = client.post("/api/v1/runs", json={"question": "Who proposed BERT?"}).json()["id"]
    until(lambda: client.get(f"/api/v1/runs/{run}").json()["state"] == "done")
    reply = client.post(f"/api/v1/runs/{run}/parts/1/stop")
    assert reply.status_code == 409
    assert "only of one that runs" in reply.json()["detail"]
    assert client.post(f"/api/v1/runs/{run}/parts/1/burn").status_code == 422
    assert client.get(f"/api/v1/runs/{run}/since").json() == {"documents": [], "removed": 0}
