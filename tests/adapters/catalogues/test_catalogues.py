"""The on-line catalogues, against a server on this machine that speaks as they do."""

import asyncio
import json
import sqlite3
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from server import CatalogueServer, Fault, Record

from scholarmind.adapters.catalogues import (
    Arxiv,
    Catalogues,
    Crossref,
    Manners,
    OpenAlex,
    UnusableAnswerError,
    words_of,
)
from scholarmind.errors import SettingsError
from scholarmind.model import Document

pytestmark = [pytest.mark.anyio, pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]

TITLE = "Sparse attention, revised: why two's complement matters"
WORK = Record(title=TITLE, authors=(("Ada", "Lovelace"), ("Grace Brewster", "Hopper")), doi="10.1000/Sparse.1")
PREPRINT = Record(title=TITLE, doi="10.48550/arXiv.1904.01234", arxiv="1904.01234", where=("arxiv",))
THREE = ("openalex", "crossref", "arxiv")


HASTY = Manners(first_pause=0.01, longest_pause=0.6, seconds_apart=0.0)


class Pauses:
    """Waits for nothing, and knows how long it should have been."""

    def __init__(self) -> None:
        self.asked: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.asked.append(seconds)
        await asyncio.sleep(0)


def catalogues(server: CatalogueServer, folder: Path, names: tuple[str, ...] = THREE, **options: object) -> Catalogues:
    every = {
        "openalex": OpenAlex(server.url("openalex"), email="ada@example.org", key="secret"),
        "crossref": Crossref(server.url("crossref"), email="ada@example.org"),
        "arxiv": Arxiv(server.url("arxiv")),
    }
    chosen = tuple(every[name] for name in names)
    settings = {"cache": folder / "catalogues.db", "email": "ada@example.org", "manners": HASTY, **options}
    return Catalogues(catalogues=chosen, **settings)  # type: ignore[arg-type]


def document(title: str = TITLE, *, year: int | None = 2019, **metadata: str) -> Document:
    return Document(id="secret-id", title=title, year=year, origin="/home/ada/secret.pdf", metadata=metadata)


def told(facts) -> dict[str, object]:
    return {fact.field: fact.value for fact in facts}


async def test_openalex_knows_a_work_by_its_doi(tmp_path: Path) -> None:
    with CatalogueServer(WORK) as server:
        facts = await catalogues(server, tmp_path).look_up(document(doi="https://doi.org/10.1000/sparse.1"))
    assert told(facts) == {
        "title": TITLE,
        "authors": ("Ada Lovelace", "Grace Brewster Hopper"),
        "year": 2019,
        "kind": "journal-article",
        "doi": "10.1000/Sparse.1",
        "journal": "Journal of Tests",
        "volume": "7",
        "number": "2",
        "pages": "11-29",
    }
    assert {(fact.source, fact.sure, fact.by) for fact in facts} == {("OpenAlex", 0.93, "catalogue")}
    assert [seen.path for seen in server.seen] == ["/works/doi:10.1000/sparse.1"]


async def test_openalex_knows_a_preprint_by_the_doi_that_arxiv_gives(tmp_path: Path) -> None:
    with CatalogueServer(Record(title=TITLE, arxiv="1904.01234")) as server:
        facts = await catalogues(server, tmp_path).look_up(document(arxiv="1904.01234v3"))
    assert told(facts)["title"] == TITLE
    assert [seen.path for seen in server.seen] == ["/works/doi:10.48550/arxiv.1904.01234"]


@pytest.mark.parametrize("name", THREE)
async def test_a_title_finds_the_work_whatever_signs_it_has(name: str, tmp_path: Path) -> None:
    other = Record(title="Sparse attention and other matters", arxiv="1.2", doi="10.1000/other")
    with CatalogueServer(other, Record(title=TITLE, doi="10.1000/sparse.1", arxiv="1904.01234")) as server:
        facts = await catalogues(server, tmp_path, (name,)).look_up(document())
    assert told(facts)["doi"] == "10.1000/sparse.1"
    assert len(server.seen) == 1


async def test_crossref_is_asked_where_openalex_knows_nothing(tmp_path: Path) -> None:
    record = Record(title=TITLE, doi="10.1000/x<y>#1", where=("crossref",))
    with CatalogueServer(record) as server:
        facts = await catalogues(server, tmp_path).look_up(document(doi=record.doi.replace("<y>", "(y)")))
    assert [seen.to for seen in server.seen] == ["openalex", "openalex", "crossref", "crossref"]
    assert told(facts)["booktitle"] == "Proceedings of Tests"
    assert told(facts)["publisher"] == "Test & Sons"
    assert {fact.source for fact in facts} == {"Crossref"}


async def test_arxiv_is_asked_last(tmp_path: Path) -> None:
    with CatalogueServer(PREPRINT) as server:
        facts = await catalogues(server, tmp_path).look_up(document(eprint="1904.01234"))
    assert told(facts) == {
        "title": TITLE,
        "authors": ("Ada Lovelace",),
        "year": 2019,
        "kind": "preprint",
        "doi": "10.48550/arXiv.1904.01234",
        "arxiv": "1904.01234",
    }
    assert [seen.to for seen in server.seen] == ["openalex", "openalex", "crossref", "arxiv"]


async def test_nothing_but_title_and_identifiers_leaves_the_machine(tmp_path: Path) -> None:
    with CatalogueServer() as server:
        await catalogues(server, tmp_path).look_up(document(doi="10.1000/1", note="secret note"))
    own = {
        "select",
        "filter",
        "per_page",
        "mailto",
        "api_key",
        "query.bibliographic",
        "rows",
        "search_query",
        "max_results",
    }
    assert {name for seen in server.seen for name in seen.query} == own
    sent = " ".join(seen.target for seen in server.seen)
    assert "secret" not in sent.replace("api_key=secret", "")
    assert "api_key" not in " ".join(seen.target for seen in server.asked("crossref") + server.asked("arxiv"))
    agents = {seen.headers["User-Agent"].partition("/")[0] for seen in server.seen}
    assert agents == {"ScholarMind"}
    assert all("mailto:ada@example.org" in seen.headers["User-Agent"] for seen in server.seen)


@pytest.mark.parametrize("title", ["", "Untitled", "scan_01"])
async def test_nothing_is_asked_about_what_has_no_name(title: str, tmp_path: Path) -> None:
    with CatalogueServer(WORK) as server:
        assert await catalogues(server, tmp_path).look_up(document(title)) == ()
    assert server.seen == []


async def test_a_doi_whose_work_has_another_title_is_refused(tmp_path: Path) -> None:
    wrong = Record(title="Mining the deep sea for manganese", doi="10.1000/cited")
    with CatalogueServer(wrong, WORK) as server:
        facts = await catalogues(server, tmp_path).look_up(document(doi="10.1000/cited"))
    assert told(facts)["doi"] == "10.1000/Sparse.1"


@pytest.mark.parametrize(("year", "found"), [(2018, True), (2020, True), (2017, False), (2021, False), (None, True)])
async def test_a_work_of_another_year_is_refused(year: int | None, found: bool, tmp_path: Path) -> None:
    with CatalogueServer(WORK) as server:
        facts = await catalogues(server, tmp_path, ("openalex",)).look_up(document(year=year))
    assert bool(facts) == found


@pytest.mark.parametrize(
    "title",
    [
        "Reply to: Sparse attention, revised: why two's complement matters",
        "Sparse attention, revised: why two's complement is useless",
        "Sparse attention, revised: why two's complement matters, part 2",
    ],
)
async def test_a_neighbour_is_refused(title: str, tmp_path: Path) -> None:
    with CatalogueServer(Record(title=title, doi="10.1000/sparse.1")) as server:
        assert await catalogues(server, tmp_path).look_up(document(doi="10.1000/sparse.1")) == ()


async def test_answers_are_kept(tmp_path: Path) -> None:
    with CatalogueServer(WORK) as server:
        first = await catalogues(server, tmp_path).look_up(document())
        again = await catalogues(server, tmp_path).look_up(document())
        nothing = [await catalogues(server, tmp_path).look_up(document("A title that nobody knows")) for _ in range(2)]
    assert first == again != ()
    assert nothing == [(), ()]
    assert [seen.to for seen in server.seen] == ["openalex", "openalex", "crossref", "arxiv"]


@pytest.mark.parametrize(
    ("title", "days", "asked"),
    [(TITLE, 89, 1), (TITLE, 91, 2), ("Nobody knows this", 6, 1), ("Nobody knows this", 8, 2)],
)
async def test_answers_are_kept_for_their_time(title: str, days: int, asked: int, tmp_path: Path) -> None:
    with CatalogueServer(WORK) as server:
        await catalogues(server, tmp_path, ("openalex",)).look_up(document(title))
        with closing(sqlite3.connect(tmp_path / "catalogues.db")) as connection, connection:
            connection.execute("UPDATE answers SET asked = asked - ?", (days * 86_400,))
        await catalogues(server, tmp_path, ("openalex",)).look_up(document(title))
    assert len(server.seen) == asked


@pytest.mark.parametrize("content", [b"this is no database, however long it may be made" * 99, None])
async def test_a_cache_that_cannot_be_used_is_told_and_not_missed(content: bytes | None, tmp_path: Path) -> None:
    cache = tmp_path / "catalogues.db"
    if content is None:
        cache.mkdir()
    else:
        cache.write_bytes(content)
    with CatalogueServer(WORK) as server:
        online = catalogues(server, tmp_path)
        assert told(await online.look_up(document()))["title"] == TITLE
        await online.look_up(document("Another title that nobody knows"))
    assert len(online.notices) == 1
    assert "are not kept" in online.notices[0]


async def test_answers_of_another_version_are_asked_for_anew(tmp_path: Path) -> None:
    with CatalogueServer(WORK) as server:
        first = await catalogues(server, tmp_path).look_up(document())
        with closing(sqlite3.connect(tmp_path / "catalogues.db")) as connection, connection:
            connection.execute("UPDATE answers SET works = ?", (json.dumps([{"name": "x"}]),))
        assert await catalogues(server, tmp_path).look_up(document()) == first
    assert len(server.seen) == 2


@pytest.mark.parametrize("status", [429, 500, 502, 503])
async def test_passing_faults_are_tried_again(status: int, tmp_path: Path) -> None:
    with CatalogueServer(WORK, faults=[Fault(status=status)] * 2) as server:
        online = catalogues(server, tmp_path)
        assert told(await online.look_up(document()))["title"] == TITLE
    assert [seen.to for seen in server.seen] == ["openalex"] * 3
    assert online.notices == []


async def test_what_stays_broken_is_skipped_for_the_run_and_told_once(tmp_path: Path) -> None:
    record = Record(title=TITLE, doi="10.1000/1", where=("crossref",))
    with CatalogueServer(record, faults=[Fault(status=503)] * 3) as server:
        online = catalogues(server, tmp_path)
        facts = await online.look_up(document())
        await online.look_up(document("Another title that nobody knows"))
    assert {fact.source for fact in facts} == {"Crossref"}
    assert len(server.asked("openalex")) == 3
    [notice] = online.notices
    assert "OpenAlex is not asked any more in this run: status 503" in notice
    with CatalogueServer(WORK) as server:
        assert {fact.source for fact in await catalogues(server, tmp_path).look_up(document())} == {"OpenAlex"}


@pytest.mark.parametrize("told_wait", ["1", None])
async def test_the_server_says_how_long_to_wait(told_wait: str | None, tmp_path: Path) -> None:
    pauses = Pauses()
    manners = replace(HASTY, longest_pause=4_000.0, sleep=pauses)
    wait = told_wait or time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + 3_600))
    with CatalogueServer(WORK, faults=[Fault(status=429, headers={"Retry-After": wait})]) as server:
        facts = await catalogues(server, tmp_path, manners=manners).look_up(document())
    assert facts
    assert len(server.seen) == 2
    assert max(pauses.asked) == 1.0 if told_wait else 3_000 < max(pauses.asked) <= 3_600


async def test_a_server_that_wants_a_long_pause_gets_it(tmp_path: Path) -> None:
    with CatalogueServer(WORK, faults=[Fault(status=429, headers={"Retry-After": "3600"})]) as server:
        online = catalogues(server, tmp_path, ("openalex",))
        assert await online.look_up(document()) == ()
        assert await online.look_up(document(doi="10.1000/sparse.1")) == ()
    assert len(server.seen) == 1
    assert "status 429" in online.notices[0]


async def test_a_server_that_hangs_is_given_up(tmp_path: Path) -> None:
    with CatalogueServer(WORK, always=Fault(seconds=30)) as server:
        online = catalogues(server, tmp_path, ("openalex",), seconds=0.4)
        assert await online.look_up(document()) == ()
        assert len(server.seen) <= 3
    assert "no answer within 0.4 seconds" in online.notices[0]


async def test_nobody_at_home(tmp_path: Path) -> None:
    with CatalogueServer() as server:
        gone = catalogues(server, tmp_path)
    assert await gone.look_up(document()) == ()
    assert [notice.split()[0] for notice in gone.notices] == ["OpenAlex", "Crossref", "arXiv"]
    assert "ConnectError" in gone.notices[0]
    assert "secret" not in " ".join(gone.notices)


GARBAGE = [
    b"",
    b"<html><body>Log in to the hotel's network</body></html>",
    b"[]",
    b'"text"',
    b"null",
    b"{}",
    b'{"results": ',
    b"[" * 200_000,
    b"\xff\xfe\x00",
    b"Rate exceeded.",
    b"<feed/>",
]


@pytest.mark.parametrize("name", THREE)
@pytest.mark.parametrize("body", GARBAGE)
async def test_garbage_is_no_answer_and_not_kept(name: str, body: bytes, tmp_path: Path) -> None:
    record = Record(title=TITLE, doi="10.1000/1", arxiv="1904.01234")
    with CatalogueServer(record, faults=[Fault(body=body)]) as server:
        online = catalogues(server, tmp_path, (name,))
        assert await online.look_up(document()) == ()
        assert "gave an unusable answer" in online.notices[0]
        assert told(await online.look_up(document()))["title"] == TITLE


@pytest.mark.parametrize("fault", [Fault(body=b"<html/>"), Fault(status=403, body=b"no")])
async def test_three_unusable_answers_in_a_row_are_enough(fault: Fault, tmp_path: Path) -> None:
    with CatalogueServer(always=fault) as server:
        online = catalogues(server, tmp_path, ("openalex",))
        for number in range(6):
            assert await online.look_up(document(f"Title of the work number {number}")) == ()
    assert len(server.seen) == 3
    assert "check the connection" in online.notices[-1]


@pytest.mark.parametrize(
    "answer",
    [
        {"results": [None, 3, "x", {}]},
        {"results": [{"display_name": 3, "authorships": {"a": 1}, "biblio": [], "primary_location": "x"}]},
        {"results": [{"display_name": TITLE, "publication_year": True, "authorships": [{"author": None}, {}, 7]}]},
        {"message": {"items": [None, {"title": [], "author": [{}], "issued": {"date-parts": [[None]]}}]}},
        {"message": {"items": [{"title": TITLE, "author": "x", "issued": {"date-parts": []}, "container-title": {}}]}},
    ],
)
async def test_holes_in_answers_are_no_error(answer: dict[str, object], tmp_path: Path) -> None:
    name = "crossref" if "message" in answer else "openalex"
    with CatalogueServer(always=Fault(body=json.dumps(answer).encode())) as server:
        online = catalogues(server, tmp_path, (name,))
        facts = await online.look_up(document())
    assert told(facts) in ({}, {"title": TITLE}, {"title": TITLE, "kind": "journal-article"})
    assert online.notices == []


async def test_a_huge_answer_is_not_read_to_its_end(tmp_path: Path) -> None:
    huge = Fault(body=b" " * 3_000_000 + b"{}")
    with CatalogueServer(WORK, faults=[huge]) as server:
        online = catalogues(server, tmp_path, ("openalex",), manners=replace(HASTY, largest=100_000))
        assert await online.look_up(document()) == ()
    assert "more than 100,000 bytes" in online.notices[0]


async def test_a_redirect_within_the_catalogue_is_followed(tmp_path: Path) -> None:
    with CatalogueServer(
        WORK, faults=[Fault(status=301, headers={"Location": "/openalex/works/doi:10.1000/Sparse.1"})]
    ) as server:
        facts = await catalogues(server, tmp_path).look_up(document(doi="10.1000/merged"))
    assert told(facts)["doi"] == "10.1000/Sparse.1"


@pytest.mark.parametrize(
    "location",
    ["http://elsewhere.example/works", "//elsewhere.example/x", "http://127.0.0.1:1/works", "file:///etc/passwd"],
)
async def test_a_redirect_elsewhere_is_not(location: str, tmp_path: Path) -> None:
    with CatalogueServer(WORK, always=Fault(status=302, headers={"Location": location})) as server:
        online = catalogues(server, tmp_path, ("openalex",))
        assert await online.look_up(document()) == ()
        assert await online.look_up(document("Another title that nobody knows")) == ()
    assert len(server.seen) == 1
    assert "sends us on to" in online.notices[0]


async def test_redirects_in_a_circle_end(tmp_path: Path) -> None:
    with CatalogueServer(WORK, always=Fault(status=302, headers={"Location": "/openalex/works"})) as server:
        online = catalogues(server, tmp_path, ("openalex",))
        assert await online.look_up(document()) == ()
    assert len(server.seen) == 3
    assert "more than 2 times" in online.notices[0]


async def test_each_catalogue_is_asked_one_question_at_a_time_and_not_too_often(tmp_path: Path) -> None:
    pauses = Pauses()
    with CatalogueServer(WORK) as server:
        manners = replace(HASTY, seconds_apart=3_600.0, sleep=pauses)
        online = catalogues(server, tmp_path, ("openalex",), manners=manners)
        titles = [f"A title of number {number} that nobody knows" for number in range(6)]
        await asyncio.gather(*(online.look_up(document(title)) for title in titles))
    assert len(server.asked("openalex")) == 6
    first, *others = pauses.asked
    assert (first < 0, len(others)) == (True, 5)
    assert all(3_000 < pause <= 3_600 for pause in others)
    assert server.most_at_once == 1


def test_no_catalogue_is_asked_more_than_three_times_a_second() -> None:
    assert {one.name: round(1 / one.seconds_apart, 1) for one in (OpenAlex, Crossref, Arxiv)} == {
        "OpenAlex": 3.0,
        "Crossref": 3.0,
        "arXiv": 0.3,
    }


def test_signs_in_a_title_are_no_commands() -> None:
    assert (
        words_of("Learning, NOT | (forgetting): C++ & two's “AND” *?~ 测试 a:b")
        == "learning not forgetting c two and 测试 a b"
    )
    assert len(words_of("word " * 500).split()) == 25


def test_arxiv_tells_its_errors_as_entries() -> None:
    feed = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>http://arxiv.org/api/errors#incorrect_id_format</id>'
        b"<title>Error</title><summary>incorrect id format for 1</summary></entry></feed>"
    )
    with pytest.raises(UnusableAnswerError, match="incorrect id format"):
        Arxiv().works(feed)


def test_xml_that_multiplies_or_reads_files_does_neither(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    doctype = (
        '<!DOCTYPE feed [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
        f'<!ENTITY c SYSTEM "file://{tmp_path}/secret">]>'
    )
    entry = "<entry><id>http://arxiv.org/abs/1904.01234v1</id><title>x &b; &c;</title></entry>"
    feed = f'{doctype}<feed xmlns="http://www.w3.org/2005/Atom">{entry}</feed>'
    [work] = Arxiv().works(feed.encode())
    assert "secret" not in work.title
    assert len(work.title) < 30


def test_an_address_that_is_none_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="online_email"):
        Catalogues(cache=tmp_path / "c.db", email="ada\r\nX-Evil: 1@x")
