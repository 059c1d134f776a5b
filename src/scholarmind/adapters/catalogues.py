"""On-line catalogues of works: OpenAlex, then Crossref, then arXiv. All they see is a title, a DOI or an arXiv id.

Each is asked politely: one question at a time, with pauses, few retries, and no waiting without end. Answers are kept on disk, so that
nothing is asked twice: what was found for 90 days, what was not for 7."""

import asyncio
import html
import importlib
import json
import random
import re
import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import quote, urlencode, urljoin, urlsplit

from scholarmind import identity
from scholarmind.errors import CatalogueError, SettingsError
from scholarmind.model import Document, Fact, Value
from scholarmind.text.likeness import ALIKE, similarity
from scholarmind.text.untrusted import storable

# -- a work as a catalogue describes it, what it is asked, and the facts that follow from its answer

SURE = 0.93  # below a matched bibliography, above what the file says of itself
_LONGEST = 2_000
_MOST_AUTHORS = 5_000
_MOST_WORDS = 25
_TAG = re.compile(r"</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>")
_UNSEEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_POSSESSIVE = re.compile(r"['’]s\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_YEARS = range(1000, 2200)
_IN_BOOKS = frozenset("proceedings-article book-chapter book-section book-part reference-entry conference".split())


class UnusableAnswerError(Exception):
    """The answer is not what a catalogue gives; the reason is the message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkIdentifiers:
    """All that leaves this machine of a document: its DOI, its arXiv id, its title where that is one work's own ('' for none)."""

    doi: str
    arxiv: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A request: the path below the catalogue's address, and its parameters."""

    path: str
    parameters: tuple[tuple[str, str], ...] = ()

    def address(self, *more: tuple[str, str]) -> str:
        """Return path and query, with further parameters."""
        query = urlencode((*self.parameters, *more))
        return f"{self.path}?{query}" if query else self.path


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueWork:
    """What a catalogue says of one work."""

    title: str
    short_title: str = ""  # without the subtitle, if it has one
    authors: tuple[str, ...] = ()
    year: int | None = None
    doi: str = ""
    arxiv: str = ""
    kind: str = ""
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    publisher: str = ""


class Catalogue(Protocol):
    """One catalogue: how it is asked and how its answers are read. `seconds_apart` is what it asks of its users."""

    name: str
    base_url: str
    seconds_apart: float
    courtesy: tuple[tuple[str, str], ...]  # parameters that say who asks

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]: ...
    def works(self, answer: bytes) -> list[CatalogueWork]: ...


def asked_of(document: Document) -> WorkIdentifiers:
    """Return what may be asked about a document."""
    keys = (key.partition(":") for key in identity.keys_of(document))
    found = {kind: value for kind, _, value in keys}
    title = " ".join(document.title.split())[:_LONGEST] if "title" in found else ""
    return WorkIdentifiers(doi=found.get("doi", ""), arxiv=found.get("arxiv", ""), title=title)


def facts_of(work: CatalogueWork, catalogue: str) -> tuple[Fact, ...]:
    """Return what the catalogue says, field by field."""
    fields: dict[str, Value | None] = {
        "title": work.title,
        "authors": work.authors,
        "year": work.year,
        "kind": work.kind,
        "doi": work.doi,
        "arxiv": work.arxiv,
        "booktitle" if work.kind in _IN_BOOKS else "journal": work.venue,
        "volume": work.volume,
        "number": work.number,
        "pages": work.pages,
        "publisher": work.publisher,
    }
    return tuple(
        Fact(field=field, value=value, source=catalogue, sure=SURE, by="catalogue")
        for field, value in fields.items()
        if value
    )


def stored(works: Sequence[CatalogueWork]) -> list[dict[str, Any]]:
    """Return works as they are put into JSON."""
    return [asdict(work) for work in works]


def restored(rows: Any) -> list[CatalogueWork]:
    """Return works from JSON; raises TypeError where it holds something else."""
    return [CatalogueWork(**row | {"authors": tuple(row["authors"])}) for row in rows]


def in_path(identifier: str, safe: str = "") -> str:
    """Return a DOI as part of a path; no '..' in it leads elsewhere."""
    return quote(identifier, safe=safe).replace("/.", "/%2E")


def words_of(title: str) -> str:
    """Return the bare words of a title: no sign in it is taken for an operator, a wildcard or a second filter."""
    words = _WORD.findall(_POSSESSIVE.sub("", storable(title)).lower())
    return " ".join(words[:_MOST_WORDS])


def text(value: Any) -> str:
    """Return a field as plain text in one line, without tags; the first of several; '' for anything else."""
    if isinstance(value, list):
        return text(cast("list[Any]", value)[0]) if value else ""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return ""
    plain = html.unescape(_TAG.sub("", str(value)[: 2 * _LONGEST]))
    return storable(" ".join(_UNSEEN.sub(" ", plain).split()))[:_LONGEST]


def names(values: Sequence[str]) -> tuple[str, ...]:
    """Return the names that are none, without doubles."""
    return tuple(dict.fromkeys(name for name in values[:_MOST_AUTHORS] if name))


def year(value: Any) -> int | None:
    """Return a year, if it is one."""
    number = int(value[:4]) if isinstance(value, str) and value[:4].isdecimal() else value
    return number if isinstance(number, int) and not isinstance(number, bool) and number in _YEARS else None


def plain_doi(value: Any) -> str:
    """Return a DOI without the address of its resolver."""
    return re.sub(r"^(?:https?://(?:dx\.)?doi\.org/|doi:\s*)", "", text(value), flags=re.IGNORECASE)


def mapping(value: Any) -> Mapping[str, Any]:
    """Return an object of JSON; an empty one for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def objects(value: Any) -> list[Mapping[str, Any]]:
    """Return the objects of a list of JSON."""
    return (
        [mapping(item) for item in cast("list[Any]", value) if isinstance(item, dict)]
        if isinstance(value, list)
        else []
    )


# -- OpenAlex: works by DOI (free), or by title (a paid search; a little of it is free, more with a free key)

_OPENALEX_FIELDS = ("select", "id,doi,display_name,publication_year,type,authorships,primary_location,biblio")
_KINDS = {"article": "journal-article", "conference": "proceedings-article"}


class OpenAlex:
    """See https://developers.openalex.org. A comma cannot be escaped in a filter, so only the words of a title are asked for."""

    name = "OpenAlex"
    seconds_apart = 1 / 3

    def __init__(self, base_url: str = "https://api.openalex.org", *, email: str = "", key: str = "") -> None:
        self.base_url = base_url
        self.courtesy = tuple((name, value) for name, value in (("mailto", email), ("api_key", key)) if value)

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]:
        """Yield the DOI, else that of the preprint, then the title."""
        doi = asked.doi or (f"10.48550/arxiv.{asked.arxiv}" if asked.arxiv else "")
        if doi:
            yield Question(path=f"/works/doi:{in_path(doi, safe='/')}", parameters=(_OPENALEX_FIELDS,))
        if words := words_of(asked.title):
            yield Question(
                path="/works", parameters=(("filter", f"title.search:{words}"), _OPENALEX_FIELDS, ("per_page", "3"))
            )

    def works(self, answer: bytes) -> list[CatalogueWork]:
        """Read one work, or a list of results."""
        body = mapping(json.loads(answer))
        if "results" not in body and "display_name" not in body:
            raise UnusableAnswerError("neither a work nor a list of works")
        found = objects(body["results"]) if "results" in body else [body]
        return [_openalex_work(item) for item in found]


def _openalex_work(item: Mapping[str, Any]) -> CatalogueWork:
    place, issue = mapping(item.get("primary_location")), mapping(item.get("biblio"))
    source = mapping(place.get("source"))
    kind, where = text(item.get("type")), text(source.get("type"))
    if kind == "article":
        kind = text(place.get("raw_type")) or _KINDS.get(
            where, "preprint" if where == "repository" else "journal-article"
        )
    pages = "-".join(dict.fromkeys(filter(None, (text(issue.get("first_page")), text(issue.get("last_page"))))))
    return CatalogueWork(
        title=text(item.get("display_name")),
        authors=names(
            [text(mapping(one.get("author")).get("display_name")) for one in objects(item.get("authorships"))]
        ),
        year=year(item.get("publication_year")),
        doi=plain_doi(item.get("doi")),
        kind=kind,
        venue="" if where == "repository" else text(source.get("display_name")),
        volume=text(issue.get("volume")),
        number=text(issue.get("issue")),
        pages=pages,
        publisher="" if where == "repository" else text(source.get("host_organization_name")),
    )


# -- Crossref: works by DOI or title; it has no DOIs of arXiv

_CROSSREF_FIELDS = ("select", "DOI,title,subtitle,author,issued,container-title,volume,issue,page,publisher,type")


class Crossref:
    """See https://api.crossref.org."""

    name = "Crossref"
    seconds_apart = 1 / 3

    def __init__(self, base_url: str = "https://api.crossref.org", *, email: str = "") -> None:
        self.base_url = base_url
        self.courtesy = (("mailto", email),) if email else ()

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]:
        """Yield the DOI, then the title."""
        if asked.doi:
            yield Question(path=f"/works/{in_path(asked.doi)}")
        if words := words_of(asked.title):
            yield Question(path="/works", parameters=(("query.bibliographic", words), ("rows", "3"), _CROSSREF_FIELDS))

    def works(self, answer: bytes) -> list[CatalogueWork]:
        """Read one work, or a list of them."""
        message = mapping(mapping(json.loads(answer)).get("message"))
        if "items" not in message and "DOI" not in message:
            raise UnusableAnswerError("neither a work nor a list of works")
        found = objects(message["items"]) if "items" in message else [message]
        return [_crossref_work(item) for item in found]


def _crossref_work(item: Mapping[str, Any]) -> CatalogueWork:
    title, subtitle = text(item.get("title")), text(item.get("subtitle"))
    whole = f"{title}: {subtitle}" if subtitle and subtitle.casefold() not in title.casefold() else title
    return CatalogueWork(
        title=whole,
        short_title=title if whole != title else "",
        authors=names([_crossref_name(author) for author in objects(item.get("author"))]),
        year=_crossref_year(item),
        doi=plain_doi(item.get("DOI")),
        kind=text(item.get("type")),
        venue=text(item.get("container-title")),
        volume=text(item.get("volume")),
        number=text(item.get("issue")),
        pages=text(item.get("page")),
        publisher=text(item.get("publisher")),
    )


def _crossref_name(author: Mapping[str, Any]) -> str:
    parts = (text(author.get(name)) for name in ("given", "family", "suffix"))
    return " ".join(filter(None, parts)) or text(author.get("name"))


def _crossref_year(item: Mapping[str, Any]) -> int | None:
    match mapping(item.get("issued")).get("date-parts"):
        case [[first, *_], *_]:
            return year(first)
        case _:
            return None


# -- arXiv: preprints by id or title. It answers in Atom, and tells errors as entries with status 200

_ATOM = "{http://www.w3.org/2005/Atom}"
_ARXIV = "{http://arxiv.org/schemas/atom}"
_ID = re.compile(r"arxiv\.org/abs/(.+?)(?:v\d+)?$", re.IGNORECASE)


class Arxiv:
    """See https://info.arxiv.org/help/api: one request in three seconds."""

    name = "arXiv"
    seconds_apart = 3.0
    courtesy: tuple[tuple[str, str], ...] = ()

    def __init__(self, base_url: str = "https://export.arxiv.org") -> None:
        self.base_url = base_url

    def questions(self, asked: WorkIdentifiers) -> Iterator[Question]:
        """Yield the id, or the title."""
        if asked.arxiv:
            yield Question(path="/api/query", parameters=(("id_list", asked.arxiv), ("max_results", "1")))
        elif words := words_of(asked.title):
            yield Question(path="/api/query", parameters=(("search_query", f'ti:"{words}"'), ("max_results", "3")))

    def works(self, answer: bytes) -> list[CatalogueWork]:
        """Read the entries of the feed."""
        lxml: Any = importlib.import_module("lxml.etree")
        parser = lxml.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            root = lxml.fromstring(answer, parser)
        except (lxml.XMLSyntaxError, ValueError) as error:
            raise UnusableAnswerError(f"no Atom feed: {answer[:60]!r}") from error
        if root.tag != f"{_ATOM}feed":
            raise UnusableAnswerError(f"no Atom feed: {answer[:60]!r}")
        return [_arxiv_work(entry) for entry in root.iterfind(f"{_ATOM}entry")]


def _arxiv_work(entry: Any) -> CatalogueWork:
    title, found = _atom_text(entry, f"{_ATOM}title"), _ID.search(_atom_text(entry, f"{_ATOM}id"))
    if not found:
        raise UnusableAnswerError(f"an entry that is no preprint: {_atom_text(entry, f'{_ATOM}summary') or title!r}")
    authors = [_atom_text(author, f"{_ATOM}name") for author in entry.iterfind(f"{_ATOM}author")]
    return CatalogueWork(
        title=title,
        authors=names(authors),
        year=year(_atom_text(entry, f"{_ATOM}published")),
        doi=plain_doi(_atom_text(entry, f"{_ARXIV}doi")),
        arxiv=found[1],
        kind="preprint",
    )


def _atom_text(element: Any, tag: str) -> str:
    found = element.find(tag)
    return "" if found is None else text("".join(found.itertext()))


if TYPE_CHECKING:
    import httpx2


# -- the line to one catalogue

_TRIES = 3
_MOST_HOPS = 2
_MOST_UNUSABLE = 3  # answers in a row


@dataclass(frozen=True, slots=True, kw_only=True)
class Manners:
    """How long is waited between questions and before another try, how much is read of an answer, and by what is waited."""

    first_pause: float = 1.0
    longest_pause: float = 20.0  # a catalogue that wants longer ones is left alone
    seconds_apart: float | None = None  # of two questions; None: as each catalogue asks of its users
    largest: int = 4_000_000  # bytes of an answer
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep


class _CatalogueConnection:
    """The line to one catalogue. Once it is `closed` (the reason, or '') nothing is asked any more."""

    def __init__(self, catalogue: Catalogue, *, user_agent: str, seconds: float, manners: Manners) -> None:
        self.closed = ""
        self._catalogue = catalogue
        self._headers = {
            "User-Agent": user_agent,
            "Accept-Encoding": "identity",
        }  # packed, a small answer could be huge
        self._seconds = seconds
        self._manners = manners
        self._apart = catalogue.seconds_apart if manners.seconds_apart is None else manners.seconds_apart
        self._turn = asyncio.Lock()
        self._last = -float("inf")
        self._unusable = 0

    async def ask(self, question: Question) -> bytes | None:
        """Return the answer, None where there is no such work."""
        async with self._turn:
            if self.closed:
                raise CatalogueError(self.closed)
            told = ""
            for attempt in range(_TRIES):
                status, body, wait = await self._answered(question)
                if status == 200:
                    return body
                if status == 404:
                    return None
                told = body.decode("utf-8", "replace")
                if 0 < status < 500 and status != 429:
                    self.judge(told)
                    raise CatalogueError(self.closed or f"{self._catalogue.name} passed over a question: {told}")
                if self.closed or wait > self._manners.longest_pause or attempt + 1 == _TRIES:
                    break
                pause = random.uniform(0, self._manners.first_pause * 2**attempt)  # noqa: S311  (jitter)
                await self._manners.sleep(max(wait, pause))
            self.close(f"{told}; try again later with another 'add'")
            raise CatalogueError(self.closed)

    def close(self, reason: str) -> None:
        """Ask no more, for this reason."""
        self.closed = self.closed or f"{self._catalogue.name} is not asked any more in this run: {reason}"

    def judge(self, unusable: str) -> None:
        """Note whether an answer could be used ('') or why not."""
        self._unusable = self._unusable + 1 if unusable else 0
        if self._unusable >= _MOST_UNUSABLE:
            self.close(f"{_MOST_UNUSABLE} answers in a row were unusable ({unusable}); check the connection")

    async def _answered(self, question: Question) -> tuple[int, bytes, float]:
        """Return the status (0: none came), the answer or what went wrong, and how long to wait."""
        import httpx2  # noqa: PLC0415

        await self._manners.sleep(self._last + self._apart - time.monotonic())
        try:
            async with (
                asyncio.timeout(self._seconds),
                httpx2.AsyncClient(headers=self._headers, timeout=self._seconds) as client,
            ):
                return await self._followed(client, question)
        except TimeoutError:
            return 0, f"no answer within {self._seconds:g} seconds".encode(), 0.0
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            return 0, f"{type(error).__name__}: {error}".encode(), 0.0
        finally:
            self._last = time.monotonic()

    async def _followed(self, client: "httpx2.AsyncClient", question: Question) -> tuple[int, bytes, float]:
        """Ask, and follow where the same catalogue sends us on to: works are merged, and `http` becomes `https`."""
        url = self._catalogue.base_url.rstrip("/") + question.address(*self._catalogue.courtesy)
        for _ in range(_MOST_HOPS + 1):
            async with client.stream("GET", url) as answer:
                if answer.status_code == 200:
                    # the whole answer, if it is not larger than any that a catalogue gives
                    parts: list[bytes] = []
                    size = 0
                    async for part in answer.aiter_bytes():
                        size += len(part)
                        if size > self._manners.largest:
                            return 413, f"its answer has more than {self._manners.largest:,} bytes".encode(), 0.0
                        parts.append(part)
                    return 200, b"".join(parts), 0.0
                if not answer.has_redirect_location:
                    return answer.status_code, f"status {answer.status_code}".encode(), _retry_after(answer)
                further = urljoin(url, answer.headers["location"])
            if not _is_same_place(url, further):
                self.close(f"it sends us on to {urlsplit(further).netloc!r}; check the connection, or whether it moved")
                return 0, self.closed.encode(), 0.0
            url = further
        return 400, f"it sends us on more than {_MOST_HOPS} times".encode(), 0.0


def _is_same_place(url: str, further: str) -> bool:
    here, there = urlsplit(url), urlsplit(further)
    if here.hostname != there.hostname:
        return False
    return (here.scheme, here.netloc) == (there.scheme, there.netloc) or there.scheme == "https"


def _retry_after(answer: "httpx2.Response") -> float:
    told = answer.headers.get("retry-after", "")
    if told.strip().isdecimal():
        return float(told)
    try:
        until = parsedate_to_datetime(told)
    except ValueError:
        return 0.0
    return max(0.0, (until.astimezone(UTC) - datetime.now(UTC)).total_seconds())


# -- answers on disk

_DAY = 86_400
_KEPT = 90 * _DAY
_KEPT_IN_VAIN = 7 * _DAY
_WAIT = 5.0  # seconds for another process
_TABLE = "CREATE TABLE IF NOT EXISTS answers (question TEXT PRIMARY KEY, works TEXT NOT NULL, helped INTEGER NOT NULL, asked REAL NOT NULL)"


class _Cache:
    """A file that can be deleted at any time. Where it cannot be used `problem` says why, and everything is asked anew."""

    def __init__(self, path: Path) -> None:
        self.problem = ""
        self._path = path

    def find(self, question: str) -> list[CatalogueWork] | None:
        """Return what was answered, [] for nothing, None if it was not asked lately."""
        sql = "SELECT works FROM answers WHERE question = ? AND asked > ? - CASE helped WHEN 1 THEN ? ELSE ? END AND asked <= ?"
        now = time.time()
        rows = self._run(sql, (question, now, _KEPT, _KEPT_IN_VAIN, now + _DAY))
        try:
            return restored(json.loads(rows[0][0])) if rows else None
        except (ValueError, TypeError, KeyError):
            return None  # of another version

    def keep(self, question: str, works: list[CatalogueWork], *, helped: bool) -> None:
        """Keep an answer, and whether it was about the work in question."""
        values = (question, json.dumps(stored(works)), int(helped), time.time())
        self._run("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", values)

    def _run(self, sql: str, values: tuple[str | int | float, ...]) -> list[tuple[str]]:
        if self.problem:
            return []
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._path, timeout=_WAIT)) as connection, connection:
                connection.execute(_TABLE)
                return connection.execute(sql, values).fetchall()
        except (sqlite3.Error, OSError) as error:
            self.problem = f"the answers of catalogues are not kept: {self._path} cannot be used ({error}); delete it, or make room"
            return []


# -- the enricher

_EMAIL = re.compile(r"[^\s@<>()]+@[^\s@<>()]+")
_MANNERS = Manners()
_SECONDS = 10.0


class Catalogues:
    """An `Enricher`. It never fails a document: what could not be asked is told in `notices`, each once."""

    def __init__(
        self,
        *,
        cache: Path,
        email: str = "",
        openalex_key: str = "",
        catalogues: tuple[Catalogue, ...] | None = None,
        seconds: float = _SECONDS,
        manners: Manners = _MANNERS,
    ) -> None:
        if email and not _EMAIL.fullmatch(email):
            raise SettingsError(
                f"online_email = {email!r} is no e-mail address; write it like ada@example.org, or leave it out"
            )
        contact = f" (mailto:{email})" if email else ""
        user_agent = f"ScholarMind/{version('scholarmind')}{contact}"
        self.notices: list[str] = []
        self._catalogues = catalogues or (OpenAlex(email=email, key=openalex_key), Crossref(email=email), Arxiv())
        self._lines = {
            one.name: _CatalogueConnection(one, user_agent=user_agent, seconds=seconds, manners=manners)
            for one in self._catalogues
        }
        self._cache = _Cache(cache)

    async def look_up(self, document: Document) -> tuple[Fact, ...]:
        """Return what the first catalogue that knows the work says of it; () if none does or none can be asked."""
        asked = asked_of(document)
        for catalogue in self._catalogues:
            for question in catalogue.questions(asked):
                try:
                    work = await self._found(catalogue, question, document)
                except CatalogueError as error:
                    self._tell(str(error))
                    break
                if work:
                    return facts_of(work, catalogue.name)
        return ()

    async def _found(self, catalogue: Catalogue, question: Question, document: Document) -> CatalogueWork | None:
        name = f"{catalogue.name} {question.address()}"
        works = await asyncio.to_thread(self._cache.find, name)
        if works is not None:
            return self._accepted(works, document)
        works = await self._asked(catalogue, question)
        found = self._accepted(works, document)
        await asyncio.to_thread(self._cache.keep, name, works, helped=found is not None)
        self._tell(self._cache.problem)
        return found

    async def _asked(self, catalogue: Catalogue, question: Question) -> list[CatalogueWork]:
        line = self._lines[catalogue.name]
        answer = await line.ask(question)
        try:
            works = [] if answer is None else catalogue.works(answer)
        except (UnusableAnswerError, ValueError, RecursionError) as error:
            line.judge(str(error))
            raise CatalogueError(
                line.closed or f"{catalogue.name} gave an unusable answer ({error}); it is passed over"
            ) from error
        line.judge("")
        return works

    def _accepted(self, works: list[CatalogueWork], document: Document) -> CatalogueWork | None:
        """Return the work whose title agrees best, if it agrees; not one of another year."""
        scored = [(self._agreement(work, document), -place) for place, work in enumerate(works)]
        best, place = max(scored, default=(0.0, 0))
        return works[-place] if best >= ALIKE else None

    def _agreement(self, work: CatalogueWork, document: Document) -> float:
        if work.year and document.year and abs(work.year - document.year) > 1:
            return 0.0
        titles = filter(None, (work.title, work.short_title))
        return max((similarity(title, document.title) for title in titles), default=0.0)

    def _tell(self, notice: str) -> None:
        if notice and notice not in self.notices:
            self.notices.append(notice)
