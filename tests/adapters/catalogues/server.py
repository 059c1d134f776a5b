"""A real HTTP server on this machine that answers as OpenAlex, Crossref and arXiv do, with faults on request."""

import json
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit


@dataclass(frozen=True, kw_only=True)
class Fault:
    """What one request gets in place of its answer."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0  # before it comes


@dataclass(frozen=True, kw_only=True)
class Record:
    """A work as all three know it; `where` names those that do."""

    title: str
    authors: tuple[tuple[str, str], ...] = (("Ada", "Lovelace"),)
    year: int = 2019
    doi: str = ""
    arxiv: str = ""
    where: tuple[str, ...] = ("openalex", "crossref", "arxiv")


@dataclass(frozen=True, kw_only=True)
class Seen:
    """A request: to whom, its path and query as they were sent, its headers, and when it came."""

    to: str
    target: str
    headers: Mapping[str, str]
    at: float

    @property
    def path(self) -> str:
        return urlsplit(self.target).path

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.target).query).items()}


class CatalogueServer:
    """Use it in a `with` block. Each catalogue has a folder of its own: `url("openalex")`."""

    def __init__(self, *records: Record, faults: Sequence[Fault] = (), always: Fault | None = None) -> None:
        self.records = records
        self.faults = list(faults)
        self.always = always
        self.seen: list[Seen] = []
        self.most_at_once = 0
        self._now: dict[str, int] = {}
        self._guard = threading.Lock()
        self._end = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/{name}"

    def __enter__(self) -> "CatalogueServer":
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def asked(self, name: str = "") -> list[Seen]:
        return [seen for seen in self.seen if not name or seen.to == name]

    def handle(self, target: str, headers: Mapping[str, str]) -> Fault:
        name, _, rest = target.lstrip("/").partition("/")
        with self._guard:
            self.seen.append(Seen(to=name, target=f"/{rest}", headers=headers, at=time.monotonic()))
            self._now[name] = self._now.get(name, 0) + 1
            self.most_at_once = max(self.most_at_once, self._now[name])
            fault = self.faults.pop(0) if self.faults else self.always
        try:
            if fault is None:
                return self._answer(name, self.seen[-1])
            self._end.wait(fault.seconds)
            return fault
        finally:
            with self._guard:
                self._now[name] -= 1

    def _answer(self, name: str, seen: Seen) -> Fault:
        known = [record for record in self.records if name in record.where]
        return getattr(self, f"_{name}")(known, unquote(seen.path), seen.query)

    def _openalex(self, known: list[Record], path: str, query: dict[str, str]) -> Fault:
        if path.startswith("/works/doi:"):
            found = [record for record in known if _dois(record) & {path.removeprefix("/works/doi:").lower()}]
            return _json(_openalex_work(found[0])) if found else Fault(status=404, body=b"<html>Not found</html>")
        told = query["filter"]
        if "," in told or "|" in told or told.count(":") != 1:  # a second filter, and it is none
            return Fault(status=403, body=b'{"error": "Invalid query parameters error."}')
        found = [record for record in known if _has_words(record, told.removeprefix("title.search:"))]
        return _json({"meta": {"count": len(found)}, "results": [_openalex_work(record) for record in found]})

    def _crossref(self, known: list[Record], path: str, query: dict[str, str]) -> Fault:
        if path != "/works":
            found = [record for record in known if record.doi.lower() == path.removeprefix("/works/").lower()]
            return _message(_crossref_work(found[0])) if found else Fault(status=404, body=b"Resource not found.")
        best = sorted(known, key=lambda record: -_shared_words(record, query["query.bibliographic"]))
        return _message({"items": [_crossref_work(record) for record in best[: int(query["rows"])]]})

    def _arxiv(self, known: list[Record], path: str, query: dict[str, str]) -> Fault:
        if "id_list" in query:
            found = [record for record in known if record.arxiv == query["id_list"]]
        else:
            phrase = re.fullmatch(r'ti:"(.*)"', query["search_query"])
            found = [record for record in known if phrase and _has_words(record, phrase[1])]
        entries = "".join(map(_arxiv_entry, found))
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><title>ArXiv Query</title>'
        feed = f"{head}{entries}</feed>"
        return Fault(body=feed.encode(), headers={"Content-Type": "application/atom+xml"})

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                reply = server.handle(self.path, dict(self.headers.items()))
                try:
                    self.send_response(reply.status)
                    for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                        self.send_header(name, value)
                    self.end_headers()
                    self.wfile.write(reply.body)
                except OSError:
                    self.close_connection = True  # nobody waits for it any more

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Keep quiet."""

        return Handler


def _json(value: Any) -> Fault:
    return Fault(body=json.dumps(value).encode(), headers={"Content-Type": "application/json"})


def _message(value: Any) -> Fault:
    return _json({"status": "ok", "message-version": "1.0.0", "message": value})


def _dois(record: Record) -> set[str]:
    return {record.doi.lower(), f"10.48550/arxiv.{record.arxiv}".lower()} - {"", "10.48550/arxiv."}


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def _has_words(record: Record, asked: str) -> bool:
    return _words(asked) <= _words(record.title)


def _shared_words(record: Record, asked: str) -> int:
    return len(_words(asked) & _words(record.title))


def _openalex_work(record: Record) -> dict[str, Any]:
    return {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{record.doi}" if record.doi else None,
        "display_name": record.title,
        "publication_year": record.year,
        "type": "article",
        "authorships": [
            {"author": {"id": None, "display_name": f"{given} {family}"}} for given, family in record.authors
        ],
        "primary_location": {"source": {"display_name": "Journal of Tests", "type": "journal"}},
        "biblio": {"volume": "7", "issue": "2", "first_page": "11", "last_page": "29"},
    }


def _crossref_work(record: Record) -> dict[str, Any]:
    return {
        "DOI": record.doi,
        "title": [record.title],
        "author": [
            {"given": given, "family": family, "sequence": "first", "affiliation": []}
            for given, family in record.authors
        ],
        "issued": {"date-parts": [[record.year, 6]]},
        "container-title": ["Proceedings of Tests"],
        "volume": "1",
        "issue": "3",
        "page": "11-29",
        "publisher": "Test &amp; Sons",
        "type": "proceedings-article",
    }


def _arxiv_entry(record: Record) -> str:
    authors = "".join(
        f"<author><name>{escape(f'{given} {family}')}</name></author>" for given, family in record.authors
    )
    doi = f'<arxiv:doi xmlns:arxiv="http://arxiv.org/schemas/atom">{record.doi}</arxiv:doi>' if record.doi else ""
    title = escape(record.title).replace(" ", "\n  ", 1)  # long titles are wrapped
    return (
        f"<entry><id>http://arxiv.org/abs/{record.arxiv}v2</id><published>{record.year}-10-11T00:50:01Z</published>"
        f"<title>{title}</title><summary>Words.</summary>{authors}{doi}</entry>"
    )
