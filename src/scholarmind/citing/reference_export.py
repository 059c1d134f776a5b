"""References as files: BibTeX, RIS and CSL-JSON."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from types import MappingProxyType
from typing import Any

from scholarmind.citing.citation_styles import Form, Person, Place, Work, plain, work_of
from scholarmind.model import Document
from scholarmind.text.analysis import STOP_WORDS

# -- BibTeX

_TYPES: Mapping[Form, str] = {
    "journal": "article",
    "conference": "inproceedings",
    "preprint": "misc",
    "book": "book",
    "chapter": "incollection",
    "thesis": "phdthesis",
    "report": "techreport",
    "web": "misc",
    "other": "misc",
}

_VENUES: Mapping[Form, str] = {
    "report": "type",
    "journal": "journal",
    "conference": "booktitle",
    "chapter": "booktitle",
}

_PUBLISHERS: Mapping[Form, str] = {"thesis": "school", "report": "institution"}
# a brace that is only escaped still counts when BibTeX looks for the end of a field
_ESCAPES = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\textbraceleft{}",
        "}": r"\textbraceright{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        **{sign: f"\\{sign}" for sign in "&%$#_"},
    }
)

_LETTERS_WITHOUT_ACCENT = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ı": "i", "ß": "ss", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)

_NATIVE = "\u2e80"  # from here on letters are written without spaces between words
_BEGINNING = 6
_SIGNS = ".,:;!?()\"'“”‘’"
_WORD = re.compile(r"[^\W_]+")
CITABLE = re.compile(r"[^\s,{}()%#~\\\"'=&$^\[\]@;]{1,200}")  # by LaTeX, by BibTeX and by pandoc


def export(documents: Sequence[Document], own: Mapping[Place, str] = MappingProxyType({})) -> str:
    """Return one entry for each work, in the order given, under the user's own key where it has one."""
    works = {(document.collection, document.id): document for document in documents}
    keys = entry_keys(documents, own)
    return "\n".join(_entry(keys[place], work_of(document)) for place, document in works.items())


def export_references(printed: Sequence[tuple[Work, str]]) -> str:
    """Return one entry for each work of lists of references, given with its text, which is noted whole where no title could be read.

    Nothing cites them yet, so that a Chinese work can have a key that people can read: 王2023大模型综述.
    """
    keys: list[str] = []
    for work, text in printed:
        base = _key_of(work) or _key_of(work, _other_words) or _checksum_key(work, text)
        keys.append(next(key for number in count(1) if (key := f"{base}-{number}" if number > 1 else base) not in keys))
    return "\n".join(
        _entry(key, work, note="" if work.title else plain(text))
        for key, (work, text) in zip(keys, printed, strict=True)
    )


def entry_keys(documents: Sequence[Document], own: Mapping[Place, str] = MappingProxyType({})) -> dict[Place, str]:
    """Return the key of each work in files: the user's own where it has one that can be cited, else a made one; no two are the same."""
    works = {(document.collection, document.id): document for document in documents}
    keys: dict[Place, str] = {}
    taken: set[str] = set()
    for place in works:
        key = own.get(place, "")
        if CITABLE.fullmatch(key) and key not in taken:
            keys[place] = key
            taken.add(key)
    for document in sorted(works.values(), key=lambda work: (work.title, work.id, work.collection)):
        if (document.collection, document.id) in keys:
            continue
        # such as devlin2019bert; what has no Latin letters gets the beginning of a checksum, since pdfLaTeX cites no others
        work = work_of(document)
        key = base = _key_of(work) or _checksum_key(work, f"{document.collection}\n{document.id}")
        number = 1
        while key in taken:
            number += 1
            key = f"{base}-{number}"
        taken.add(key)
        keys[document.collection, document.id] = key
    return keys


def _key_of(work: Work, words: Callable[[str], list[str]] | None = None) -> str:
    words = words or _words
    family = "".join(words(work.authors[0].family)) if work.authors else ""
    title = next((word for word in words(work.title) if word not in STOP_WORDS), "")
    return f"{family}{_digits(work.year)}{title}"[:60] if family or title else ""


def _checksum_key(work: Work, text: str) -> str:
    return f"work{_digits(work.year)}-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text.casefold().translate(_LETTERS_WITHOUT_ACCENT))
    return [word for word in _WORD.findall(_unaccented(folded)) if word.isascii()]


def _other_words(text: str) -> list[str]:
    """Return the words in other than Latin letters; of a run of characters that has no spaces, its beginning."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text.casefold()))
    return [word[:_BEGINNING] if max(word) >= _NATIVE else word for word in words if not word.isascii()]


def _unaccented(text: str) -> str:
    return "".join(character for character in text if not unicodedata.combining(character))


def _entry(key: str, work: Work, note: str = "") -> str:
    publisher = _PUBLISHERS.get(work.form, "publisher")
    venue = _VENUES.get(work.form, "howpublished")
    fields = {
        "author": " and ".join((*map(_author, work.authors), *(["others"] if work.others else []))),
        "title": " ".join(_kept(word, place) for place, word in enumerate(work.title.split())),
        venue: _escaped(work.venue),
        publisher: _escaped(work.publisher or work.institution or (work.venue if work.form == "report" else "")),
        "address": _escaped(work.place),
        "edition": _escaped(work.edition),
        "volume": _escaped(work.volume),
        "number": _escaped(work.number),
        "pages": re.sub(r"[ ]?[-–—]{1,3}[ ]?", "--", _escaped(work.pages)),
        "year": _digits(work.year),
        "doi": work.doi,
        "eprint": work.arxiv,
        "archiveprefix": "arXiv" if work.arxiv else "",
        "url": work.url,
        "note": _escaped(note),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@{_TYPES[work.form]}{{{key},\n{lines}}}\n"


def _digits(year: str) -> str:
    return year.removeprefix("c. ")


def _author(author: Person) -> str:
    if author.native or not author.given:
        return f"{{{_escaped(author.full)}}}"  # braces: not to be taken apart
    return ", ".join(_escaped(name) for name in (author.family, author.suffix, author.given) if name)


def _kept(word: str, place: int) -> str:
    """Put braces around a word with capitals, which many styles would make small."""
    first_only = place == 0 and not any(map(str.isupper, word[1:]))
    if first_only or not any(map(str.isupper, word)):
        return _escaped(word)
    core = word.strip(_SIGNS) or word
    before, _, after = word.partition(core)
    return f"{_escaped(before)}{{{_escaped(core)}}}{_escaped(after)}"


def _escaped(text: str) -> str:
    return text.translate(_ESCAPES)


# -- RIS and CSL-JSON

_RIS_TYPES: Mapping[Form, str] = {
    "journal": "JOUR",
    "conference": "CPAPER",
    "preprint": "UNPB",
    "book": "BOOK",
    "chapter": "CHAP",
    "thesis": "THES",
    "report": "RPRT",
    "web": "ELEC",
    "other": "GEN",
}

_CSL_TYPES: Mapping[Form, str] = {
    "journal": "article-journal",
    "conference": "paper-conference",
    "preprint": "article",
    "book": "book",
    "chapter": "chapter",
    "thesis": "thesis",
    "report": "report",
    "web": "webpage",
    "other": "document",
}

_PAGES = re.compile(r"\s*[-–—]{1,3}\s*")


def ris(documents: Sequence[Document], own: Mapping[Place, str]) -> str:
    """Return one RIS record for each work, in the order given."""
    keys = entry_keys(documents, own)
    works = {(document.collection, document.id): work_of(document) for document in documents}
    return "\r\n".join(_ris_record(keys[place], work) for place, work in works.items())


def _ris_record(key: str, work: Work) -> str:
    first, _, last = _PAGES.sub("–", work.pages).partition("–")
    fields = (
        ("TY", _RIS_TYPES[work.form]),
        ("ID", key),
        *(("AU", _ris_name(author)) for author in work.authors),
        ("TI", work.title),
        ("T2", work.venue),
        ("PY", _year(work)),
        ("VL", work.volume),
        ("IS", work.number),
        ("SP", first),
        ("EP", last),
        ("ET", work.edition),
        ("PB", work.publisher or work.institution),
        ("CY", work.place),
        ("DO", work.doi),
        ("AN", f"arXiv:{work.arxiv}" if work.arxiv else ""),
        ("UR", work.link),
    )
    return "".join(f"{tag}  - {value}\r\n" for tag, value in fields if value) + "ER  - \r\n"


def _ris_name(author: Person) -> str:
    if author.body or not author.given:
        return author.full
    return ", ".join(filter(None, (author.family, author.given, author.suffix)))


def csl(documents: Sequence[Document], own: Mapping[Place, str]) -> list[dict[str, Any]]:
    """Return one CSL-JSON item for each work, in the order given."""
    keys = entry_keys(documents, own)
    works = {(document.collection, document.id): work_of(document) for document in documents}
    return [dict(_csl_fields(keys[place], work)) for place, work in works.items()]


def _csl_fields(key: str, work: Work) -> Iterator[tuple[str, Any]]:
    yield from (("id", key), ("type", _CSL_TYPES[work.form]), ("title", work.title))
    if work.authors:
        others = [{"literal": "others"}] if work.others else []
        yield "author", [*map(_csl_name, work.authors), *others]
    if year := _year(work):
        yield "issued", {"date-parts": [[int(year)]]}
    archived = ("arXiv", work.arxiv) if work.arxiv else ("", "")
    texts = {
        "citation-key": key,
        "container-title": work.venue,
        "publisher": work.publisher or work.institution,
        "publisher-place": work.place,
        "volume": work.volume,
        "issue": work.number,
        "page": _PAGES.sub("-", work.pages),
        "edition": work.edition,
        "DOI": work.doi,
        "archive": archived[0],
        "archive_location": archived[1],
        "URL": work.link,
    }
    yield from ((name, text) for name, text in texts.items() if text)


def _csl_name(author: Person) -> dict[str, str]:
    if author.body or not author.given:
        return {"literal": author.full}
    return {"family": author.family, "given": author.given, **({"suffix": author.suffix} if author.suffix else {})}


def _year(work: Work) -> str:
    return work.year.removeprefix("c. ")
