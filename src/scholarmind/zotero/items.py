"""What Zotero holds, and what becomes of it here: items of a bibliography, files, and notes as records.

Items, attachments, notes and annotations come as Zotero's own programming interface has them (`itemType`, `parentItem`, `creators` ...),
whether they were read from its database or asked for. They become CSL-JSON, which the readers of bibliographies know, with what that has
no place for under `custom`; and lines of JSON for notes and highlights, which are documents of their own, kept apart from the papers.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from scholarmind.adapters.readers.bibliography.bibliography_text import untagged
from scholarmind.model import Problem
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import storable
from scholarmind.zotero_links import OPEN_PDF, SELECT

OWN_KEY = "zotero_key"  # of the metadata: which object of Zotero a document is
Data = Mapping[str, Any]

_TYPES = {
    "journalArticle": "article-journal",
    "magazineArticle": "article-magazine",
    "newspaperArticle": "article-newspaper",
    "conferencePaper": "paper-conference",
    "presentation": "speech",
    "book": "book",
    "bookSection": "chapter",
    "encyclopediaArticle": "entry-encyclopedia",
    "dictionaryEntry": "entry-dictionary",
    "thesis": "thesis",
    "report": "report",
    "preprint": "article",
    "webpage": "webpage",
    "blogPost": "post-weblog",
    "forumPost": "post",
    "manuscript": "manuscript",
    "dataset": "dataset",
    "computerProgram": "software",
    "patent": "patent",
    "standard": "standard",
    "statute": "legislation",
}

_FIELDS = {  # of CSL, and Zotero's names for it in items of one type and another
    "title": "title caseName nameOfAct subject",
    "title-short": "shortTitle",
    "container-title": "publicationTitle proceedingsTitle bookTitle encyclopediaTitle dictionaryTitle websiteTitle blogTitle forumTitle",
    "collection-title": "series seriesTitle",
    "event-title": "conferenceName meetingName",
    "publisher": "publisher university institution repository company label distributor",
    "publisher-place": "place",
    "volume": "volume",
    "issue": "issue",
    "number": "number reportNumber archiveID patentNumber publicLawNumber",
    "page": "pages",
    "edition": "edition",
    "genre": "thesisType reportType genre",
    "archive": "archive",
    "archive_location": "archiveLocation",
    "DOI": "DOI",
    "ISBN": "ISBN",
    "ISSN": "ISSN",
    "URL": "url",
    "language": "language",
    "abstract": "abstractNote",
}

_AUTHORS = frozenset(
    "author presenter programmer inventor artist cartographer composer director interviewee performer podcaster sponsor".split()
)
_NO_ITEMS = frozenset({"attachment", "note", "annotation"})
_EXTRA_KEY = re.compile(r"^\s*citation[ -]?key\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_EXTRA_DOI = re.compile(r"^\s*DOI\s*:\s*(\S+)\s*$", re.IGNORECASE | re.MULTILINE)
_PAPERS = (".pdf", ".epub")  # go before saved web pages of the same item
_LONGEST_TITLE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroContents:
    """What was found in Zotero: all objects that belong together, and the keys that Better BibTeX has for items.

    An attachment has the path of its file under `file`, '' where none is known.
    """

    name: str  # of the collection, or of the whole library
    collection: str = ""  # its key, '' for the whole library
    home: str = "library"  # or groups/123
    objects: tuple[Data, ...] = ()
    keys: Mapping[str, str] = field(default_factory=dict[str, str])  # by the key of the item


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoteroDocuments:
    """What the library takes in. `titles` names every object that is in it, by its own key."""

    bibliography: tuple[dict[str, Any], ...] = ()
    records: tuple[dict[str, Any], ...] = ()
    files: Mapping[str, str] = field(default_factory=dict[str, str])  # the own key of the object that each is of
    titles: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: frozenset[str] = frozenset()  # files that are named and are not there now
    problems: tuple[Problem, ...] = ()


def documents_of(contents: ZoteroContents, suffixes: Iterable[str]) -> ZoteroDocuments:
    """Return what becomes of the objects; files with other endings than these cannot be read."""
    return _Translation(contents, frozenset(suffixes)).documents()


class _Translation:
    """Objects of Zotero on their way here."""

    def __init__(self, contents: ZoteroContents, suffixes: frozenset[str]) -> None:
        self._contents = contents
        self._suffixes = suffixes
        self._by_key = {str(data["key"]): data for data in contents.objects}
        self._children: dict[str, list[Data]] = {}
        for data in sorted(contents.objects, key=lambda data: str(data["key"])):
            self._children.setdefault(str(data.get("parentItem") or ""), []).append(data)
        self._files: dict[str, str] = {}
        self._problems: list[Problem] = []

    def documents(self) -> ZoteroDocuments:
        items: list[dict[str, Any]] = []
        records: list[dict[str, Any]] = []
        titles: dict[str, str] = {}
        for data in self._children.get("", []):
            kind = data.get("itemType")
            own = self._own_key(data)
            if kind == "attachment":
                if self._take_files(own, [data]):
                    titles[own] = _title(data)
            elif kind not in _NO_ITEMS:
                titles[own] = _title(data)
                items.append(self._item(data))
        for data in self._contents.objects:
            record = self._record(data)
            if record is not None:
                records.append(record)
                titles[self._own_key(data)] = record["title"]
        return ZoteroDocuments(
            bibliography=tuple(items),
            records=tuple(sorted(records, key=lambda record: str(record["id"]))),
            files=self._files,
            titles=titles,
            missing=frozenset(problem.where for problem in self._problems),
            problems=tuple(self._problems),
        )

    def _own_key(self, data: Data) -> str:
        return f"{self._contents.home}/{data['key']}"

    def _select(self, data: Data) -> str:
        return f"zotero://select/{self._contents.home}/items/{data['key']}"

    def _item(self, data: Data) -> dict[str, Any]:
        """Return an item as CSL-JSON, with its files."""
        attachments = [one for one in self._children.get(str(data["key"]), []) if one.get("itemType") == "attachment"]
        files = self._take_files(self._own_key(data), attachments)
        found: dict[str, Any] = {
            "id": self._citation_key(data),
            "type": _TYPES.get(str(data.get("itemType")), "document"),
        }
        for name, theirs in _FIELDS.items():
            if value := next((_text(data, their) for their in theirs.split() if _text(data, their)), ""):
                found[name] = value
        if "DOI" not in found and (doi := _EXTRA_DOI.search(_text(data, "extra"))):
            found["DOI"] = doi[1]
        creators = [cast("Data", one) for one in data.get("creators") or ()]
        for role, wanted in (("author", _AUTHORS), ("editor", {"editor"})):
            if people := [_person(one) for one in creators if one.get("creatorType") in wanted]:
                found[role] = people
        if date := _text(data, "date"):
            found["issued"] = {"raw": date}
        if files:
            found["file"] = [str(self._path(one)) for one in files]
        custom: dict[str, Any] = {SELECT: self._select(data), OWN_KEY: self._own_key(data)}
        if pdf := next((one for one in files if self._path(one).suffix.lower() == ".pdf"), None):
            custom[OPEN_PDF] = f"zotero://open-pdf/{self._contents.home}/items/{pdf['key']}"
        return found | {"custom": custom | _tags(data)}

    def _citation_key(self, data: Data) -> str:
        """Return the key that the user cites the item by: a native field, the line in `extra`, Better BibTeX's own, else Zotero's."""
        extra = _EXTRA_KEY.search(_text(data, "extra"))
        told = (_text(data, "citationKey"), extra[1] if extra else "", self._contents.keys.get(str(data["key"]), ""))
        return next(filter(None, told), str(data["key"]))

    def _take_files(self, own: str, attachments: Iterable[Data]) -> list[Data]:
        """Return the attachments whose files are taken in; of an item with a PDF not the saved web pages too."""
        readable = [one for one in attachments if self._is_readable(one)]
        papers = [one for one in readable if self._path(one).suffix.lower() in _PAPERS]
        taken: list[Data] = []
        for one in papers or readable:
            path = self._path(one)
            if path.is_file():
                self._files.setdefault(str(path), own)
                taken.append(one)
                continue
            reason = f"the file of {_title(self._parent(one) or one)!r} is not there"
            self._problems.append(
                Problem(
                    where=storable(str(path)),
                    reason=reason,
                    advice="let Zotero fetch it, or say with --storage or --attachments where files are",
                    lasting=True,
                )
            )
        return taken

    def _is_readable(self, attachment: Data) -> bool:
        return bool(attachment.get("file")) and self._path(attachment).suffix.lower() in self._suffixes

    def _path(self, attachment: Data) -> Path:
        return Path(str(attachment.get("file") or ""))

    def _parent(self, data: Data) -> Data | None:
        return self._by_key.get(str(data.get("parentItem") or ""))

    def _record(self, data: Data) -> dict[str, Any] | None:
        """Return a note or a highlight as a record, which is a document of the user's own; None for what has no words."""
        parent = self._parent(data)
        if data.get("itemType") == "note":
            text = _plain_text(_text(data, "note"))
            first = next(iter(text.splitlines()), "")[:_LONGEST_TITLE]
            title = _named(parent, "note", "") if parent else first
            link = {SELECT: self._select(data)}
        elif data.get("itemType") == "annotation" and parent is not None:
            item = self._parent(parent) or parent
            said, comment = (untagged(_text(data, name)).strip() for name in ("annotationText", "annotationComment"))
            mark = "批注：" if language_of(comment) == "zh" else "Comment: "
            text = "\n\n".join(filter(None, (said, f"{mark}{comment}" if said and comment else comment)))
            label = _text(data, "annotationPageLabel")
            title = _named(item, "highlight" if said else "note", label)
            page = f"?page={number}&annotation={data['key']}" if (number := _page_number(data)) else ""
            opened = f"zotero://open-pdf/{self._contents.home}/items/{parent['key']}{page}"
            link = {SELECT: self._select(item), OPEN_PDF: opened}
        else:
            return None
        if not text.strip():
            return None
        author = _text(data, "annotationAuthorName")
        fields: dict[str, Any] = {"kind": "note", OWN_KEY: self._own_key(data), **link, **_tags(data)}
        if author:
            fields["authors"] = [author]
        return {"id": f"zotero-{data['key']}", "title": title, "text": text, "meta": fields}


def _text(data: Data, name: str) -> str:
    value: Any = data.get(name)
    return storable(str(value)) if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _title(data: Data) -> str:
    names = (*_FIELDS["title"].split(), "filename")
    return next((title for name in names if (title := _unmarked(_text(data, name)))), str(data.get("key", "")))


def _unmarked(text: str) -> str:
    """Return a text without the tags that Zotero has for slanted, bold, raised and small letters."""
    return " ".join(untagged(text).split())


def _person(creator: Data) -> dict[str, str]:
    family, given = _text(creator, "lastName"), _text(creator, "firstName")
    if family and given:
        return {"family": family, "given": given}
    return {"literal": _text(creator, "name") or family or given}


def _tags(data: Data) -> dict[str, list[str]]:
    tags = [_text(cast("Data", tag), "tag") for tag in data.get("tags") or () if isinstance(tag, dict)]
    return {"tags": list(filter(None, tags))} if any(tags) else {}


def _named(parent: Data, kind: str, page: str) -> str:
    """Return what a note or highlight is called: where it is from first, since long titles are cut at their end."""
    title = _title(parent)
    if language_of(title) == "zh":
        where = f"（第 {page} 页）" if page else ""
        return f"{'划线' if kind == 'highlight' else '笔记'}{where}：《{title}》"
    where = f" (p. {page})" if page else ""
    return f"{kind.capitalize()}{where} on “{title}”"


def _page_number(data: Data) -> int | None:
    """Return the number of the page in the file, from 1: what is printed on it may be another."""
    import json  # noqa: PLC0415

    try:
        position: Any = json.loads(_text(data, "annotationPosition") or "{}")
    except ValueError:
        return None
    place: Any = cast("dict[str, Any]", position).get("pageIndex") if isinstance(position, dict) else None
    return place + 1 if isinstance(place, int) and 0 <= place < 100_000 else None


def _plain_text(note: str) -> str:
    """Return the words of a note, which Zotero keeps as HTML."""
    from scholarmind.adapters.readers.html import compose  # noqa: PLC0415
    from scholarmind.adapters.readers.web_pages import parse  # noqa: PLC0415

    return compose(note, parse(f"<html><body>{note}</body></html>")).text.strip() if note.strip() else ""
