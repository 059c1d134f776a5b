"""What a LaTeX source says of itself before its text: title, authors, date, DOI."""

import re
from collections.abc import Iterator

from scholarmind.adapters.readers.tex.inline import Inline
from scholarmind.model import Fact, Value

_COMMAND = re.compile(
    r"\\(title|Title|icmltitle|author|Author|name|IEEEauthorblockN|icmlauthor|date|doi|acmDOI|acmYear|copyrightyear|journal)\*?\s*(?=[\[{])"
)
_MOST = 500
_MARKS = re.compile(
    r"\\(?:thanks|footnote|footnotemark|inst|textsuperscript|IEEEauthorrefmark|IEEEauthorblockA|affil|affiliation|address|email|orcid\w*|fnmsep|"
    r"corref|fnref|authornote\w*|institute|textsubscript|samethanks|envelope|Letter|quad|qquad|hspace|vspace|url|texttt|href)\*?\s*"
)
_SEPARATOR = re.compile(r"\\(?:and|AND|And|ANDD)\b|\s+\band\b\s+|;|\n\s*\n")
_FORMULA = re.compile(r"\$[^$]*\$")
_BREAK = re.compile(r"\\\\(?:\[[^\]]*\])?|\\(?:newline|linebreak)\b")
_NAME = re.compile(
    r"[^\W\d_][\w.'’‘`-]*(?:\s+[^\W\d_][\w.'’‘`-]*){1,5}|[\u3400-\u9fff·\u30a0-\u30ff\u3040-\u309f\uac00-\ud7af]{2,12}"
)
_PLACE = re.compile(
    r"universit|institut|department|laborator|school|college|faculty|research|google|microsoft|corp|inc\b|academy|center|centre|@|\bIEEE\b|"
    r"member|fellow|\{|大学|学院|研究",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<!\d)(1[89]\d\d|20\d\d)(?!\d)")
_DOI = re.compile(r"10\.\d{4,9}/[^\s{}]+")


def facts_of(inline: Inline) -> Iterator[Fact]:
    """Yield the facts of all commands that give some, wherever in the source they stand."""
    authors: list[str] = []
    title = ""
    for number, found in enumerate(_COMMAND.finditer(inline.text)):
        _, after = inline.options(found.end(), len(inline.text))
        group = inline.argument(after, len(inline.text))
        if group is None or number > _MOST or inline.is_verbatim(found.start()):
            continue
        command, raw = found[1].lower(), inline.text[group[0] : group[1]]
        if command.endswith("title"):
            title = title or _plain(_BREAK.sub(" ", raw))
        elif command in {"author", "icmlauthor", "ieeeauthorblockn", "name"}:
            authors += _names(raw)
        else:
            yield from _dated(command, raw)
    told: list[tuple[str, Value, float]] = [("title", title, 0.9), ("authors", tuple(dict.fromkeys(authors)), 0.85)]
    yield from (Fact(field=name, value=value, source="front matter", sure=sure) for name, value, sure in told if value)


def _dated(command: str, raw: str) -> Iterator[Fact]:
    year, doi = _YEAR.search(raw), _DOI.search(raw)
    value: Value = ""
    if command in {"doi", "acmdoi"}:
        name, value, sure = "doi", doi[0].rstrip(".,") if doi and "XXXX" not in raw.upper() else "", 0.9
    elif command == "journal":
        name, value, sure = "source", _plain(raw), 0.7
    else:
        name, value, sure = "year", int(year[0]) if year else "", 0.7
    if value:
        yield Fact(field=name, value=value, source="front matter", sure=sure)


def _names(raw: str) -> Iterator[str]:
    """Yield what looks like names among authors, who are written with affiliations, marks and addresses in a hundred ways."""
    if r"\IEEEauthorblockN" in raw:  # comes again by itself
        return
    for person in _SEPARATOR.split(_FORMULA.sub(" ", _without_marks(raw))):
        first = next((line for line in _BREAK.split(person) if _plain(line)), "")
        for part in re.split(r"\s*(?:,|\\quad|\\qquad|~~+|&)\s*(?:and\s+)?", first):
            name = re.sub(r"[\d*†‡§¶∗,]+$|^\W+", "", _plain(part)).strip()
            if _NAME.fullmatch(name) and not _PLACE.search(name):
                yield name


def _without_marks(raw: str) -> str:
    """Take notes and addresses out, with all that stands in their braces."""
    inline = Inline(raw)
    kept: list[str] = []
    position = 0
    while found := _MARKS.search(raw, position):
        kept.append(raw[position : found.start()])
        _, after = inline.options(found.end(), len(raw))
        group = inline.argument(after, len(raw))
        kept.append(" , " if "quad" in found[0] else " ")
        position = max(group[2] if group else after, found.end())
    return "".join((*kept, raw[position:]))


def _plain(raw: str) -> str:
    return Inline(raw).plain()
