"""What a file's name and its document properties say of a paper, as far as they say anything: both are often left-overs of a program."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from scholarmind.adapters.readers.front_authors import is_name, names_in
from scholarmind.adapters.readers.front_stamps import dois_in, tidy_doi, year_of_arxiv
from scholarmind.model import CREATION, Fact
from scholarmind.text.names import printable

PROPERTIES = "document properties"
FILE = "file name"
_LONGEST = 500
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|powerpoint)\b.*|powerpoint[- ]presentation|untitled\W*\d*|title|no title|document\d*|"
    r"slide \d+|presentation\d*|paper|main|article|"
    r"manuscript|template|thesis|draft|output|arxiv|print|pii\b.*|doi\s*:.*|10\.\d{4,}/.*|arxiv\s*:.*|\S+ \d+\.\.\d+|[\W\d]+|"
    r".*\.(?:pdf|docx?|tex|dvi|e?ps|qxd|indd|pptx?|rtf|odt|fm|p65|cls|sty|bst|html?)\b.*|.*\b(?:latex|ieeetran|acmart|llncs|elsarticle)\b.*(?:template|"
    r"demo|sample|instructions|class|guide).*|(?:instructions|guidelines|formatting|author'?s? guide).*(?:submission|"
    r"authors|proceedings|papers)\b.*|"
    r"(?:bare|sample|example) (?:demo|paper|document|article)\b.*|.*\btemplate\b.*|insert (?:your )?title.*|"
    r"type (?:the )?title.*|文档\d*|未命名.*|无标题.*|幻灯片 ?\d*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_AUTHOR = re.compile(
    r"administrator|admin|users?|owner|authors?|anonymous|unknown|none|n/?a|root|guest|default|microsoft.*|windows.*|.*\blatex\b.*|.*\btex\b.*|office.*|"
    r"user name|\w+ user|hp|dell|lenovo|acer|asus|ieee|acm|springer|elsevier|.*\b(?:inc|ltd|gmbh|press|publish\w*|"
    r"corporation|university)\b.*|微软.*|用户|作者",
    re.IGNORECASE,
)
_ARXIV_FILE = re.compile(r"(?:arxiv[-_ :.]*)?(\d{4}\.\d{4,5})(?:v\d{1,3})?(?:[-_ .(].*)?", re.IGNORECASE)
_DOI_FILE = re.compile(r"(?:doi[-_ ]*)?(10\.\d{4,9})[-_@%:∕ ](.+)", re.IGNORECASE)
_YEAR = r"(?P<year>(?:19[5-9]|20[0-4])\d)"
_WHO = r"(?P<who>[^\W\d_][^\d_]{1,60}?)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_WHO}\s+-\s+{_YEAR}[a-z]?\s+-\s+(?P<title>.+)",  # Zotero
        rf"{_WHO}\s*[(\[]{_YEAR}[a-z]?[)\]]\s*[-_.,:]*\s*(?P<title>.+)",
        rf"{_WHO}[\s_,]+{_YEAR}[a-z]?(?:\s+[-–]\s+|[\s_,]+)(?P<title>.+)",
        rf"{_YEAR}\s*[-_. ]\s*(?P<who>[^\W\d_][\w'-]{{1,30}}?(?:\s+et\s+al\.?)?)\s*(?:\s-\s|_)\s*(?P<title>.+)",
        rf"[(\[]?{_YEAR}[)\]]?\s*[-_. ]\s*(?P<title>.+)",
        rf"(?P<title>.+?)[\s_-]*[(\[]{_YEAR}[)\]]",
        r"(?P<title>.+)_(?P<who>[\u3400-\u9fff]{2,4})",  # as CNKI names its files
    )
)


def property_facts(properties: Mapping[str, str], path: Path) -> Iterator[Fact]:
    """Yield what the properties of a document say, unless a program filled them in."""
    known = {key.casefold().lstrip("/"): " ".join(value.split())[:_LONGEST] for key, value in properties.items()}
    title = known.get("title", "")
    if sensible_title(title, path):
        yield Fact(field="title", value=title, source=PROPERTIES, sure=0.6)
    if names := property_authors(known.get("author", "")):
        yield Fact(field="authors", value=names, source=PROPERTIES, sure=0.6)
    told = next(
        (
            doi
            for key in ("doi", "wps-articledoi", "subject", "title", "keywords")
            for doi, _ in dois_in(known.get(key, ""))
        ),
        "",
    )
    if told:
        yield Fact(field="doi", value=told, source=PROPERTIES, sure=0.9)
    created = re.match(r"(?:D:)?\s*((?:19[89]|20[0-4])\d)", known.get("creationdate", ""))
    if created:
        yield Fact(field="created", value=int(created[1]), source=PROPERTIES, sure=0.9)
        yield Fact(field="year", value=int(created[1]), source=CREATION, sure=0.15)  # printed anew years later, often


def sensible_title(title: str, path: Path) -> bool:
    """Tell whether these words can be a paper's title rather than a program's, a file's or a template's name."""
    if _NO_TITLE.fullmatch(title) or sum(character.isalpha() for character in title) < 4:
        return False
    stem = re.sub(r"\W|_", "", printable(Path(path.stem))).casefold()
    is_stem = re.sub(r"\W|_", "", title).casefold() == stem and " " not in title
    return not is_stem and (" " in title or not re.search(r"[\d_\\/]", title))


def property_authors(text: str) -> tuple[str, ...]:
    """Return the names in an Author property; () for the name of a program or an account."""
    if not text or _NO_AUTHOR.fullmatch(text) or re.search(r"[@\\_=]", text):
        return ()
    parts = [part.strip() for part in re.split(r"\s*;\s*|\s+and\s+", text) if part.strip()]
    if len(parts) > 1 and all(part.count(",") == 1 for part in parts):
        return tuple(parts)  # family names first
    if (
        len(parts) == 1
        and re.fullmatch(r"[^\W\d_]+(?:[-' ][^\W\d_]+)?, [^\W\d_][^\W\d_.-]*(?: [^\W\d_.]+\.?)*", text)
        and " " not in text.partition(",")[0]
    ):
        return (text,)
    names = [name for part in parts for name in names_in(part)]
    pieces = re.split(r"[;,，、；&]|\s+and\s+", text)
    return tuple(dict.fromkeys(names)) if len(names) >= sum(map(is_name, pieces)) else ()


def file_facts(path: Path) -> list[Fact]:
    """Return what people and programs write into names of files. Surest are identifiers, and they are all the name then says."""
    stem = printable(Path(path.stem)).strip()
    if number := _ARXIV_FILE.fullmatch(stem):
        facts = [Fact(field="arxiv", value=number[1], source=FILE, sure=0.7)]
        year = year_of_arxiv(number[1])
        return [*facts, *([Fact(field="year", value=year, source=FILE, sure=0.3)] if year else [])]
    if doi := _DOI_FILE.fullmatch(stem):
        return [Fact(field="doi", value=f"{doi[1]}/{tidy_doi(doi[2])}", source=FILE, sure=0.5)]
    for form in _FORMS:
        match = form.fullmatch(stem[:_LONGEST])
        if match:
            return list(_told(match.groupdict()))
    title = _spaced(stem)
    return [Fact(field="title", value=title, source=FILE, sure=0.1)] if title else []


def _told(found: Mapping[str, str | None]) -> Iterator[Fact]:
    title = _spaced(found.get("title") or "")
    if title:
        yield Fact(field="title", value=title, source=FILE, sure=0.3)
    if year := found.get("year"):
        yield Fact(field="year", value=int(year), source=FILE, sure=0.3)
    who = re.split(r"\s*,\s*|\s+(?:and|und|&)\s+|\s+et\b|等|\s+-", (found.get("who") or "").strip(" -,."))[0]
    if who and (who[0].isupper() or not who.isascii()) and len(who.split()) <= 4:
        yield Fact(field="authors", value=(who,), source=FILE, sure=0.3)


def _spaced(stem: str) -> str:
    words = stem.replace("_", " ") if " " in stem or "_" in stem else stem.replace("-", " ").replace("+", " ")
    return " ".join(words.split()).strip(" -,.")
