"""What people and programs write into the names of files: who wrote it, when, its title, an identifier."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from scholarmind.model import Fact
from scholarmind.text.untrusted import printable

_FILE = "file name"
_LONGEST = 500
_SURE = 0.3
_ARXIV_FILE = re.compile(r"(?:arxiv[-_ :.]*)?(\d{4}\.\d{4,5})(?:v\d{1,3})?(?:[-_ .(].*)?", re.IGNORECASE)
_DOI_FILE = re.compile(r"(?:doi[-_ ]*)?(10\.\d{4,9})[-_@%:∕ ](.+)", re.IGNORECASE)
_YEAR_IN_NAME = r"(?P<year>(?:19[5-9]|20[0-4])\d)"
_WHO = r"(?P<who>[^\W\d_][^\d_]{1,60}?)"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_WHO}\s+-\s+{_YEAR_IN_NAME}[a-z]?\s+-\s+(?P<title>.+)",  # Zotero
        rf"{_WHO}\s*[(\[]{_YEAR_IN_NAME}[a-z]?[)\]]\s*[-_.,:]*\s*(?P<title>.+)",
        rf"{_WHO}[\s_,]+{_YEAR_IN_NAME}[a-z]?(?:\s+[-–]\s+|[\s_,]+)(?P<title>.+)",
        rf"{_YEAR_IN_NAME}\s*[-_. ]\s*(?P<who>[^\W\d_][\w'-]{{1,30}}?(?:\s+et\s+al\.?)?)\s*(?:\s-\s|_)\s*(?P<title>.+)",
        rf"[(\[]?{_YEAR_IN_NAME}[)\]]?\s*[-_. ]\s*(?P<title>.+)",
        rf"(?P<title>.+?)[\s_-]*[(\[]{_YEAR_IN_NAME}[)\]]",
        rf"(?P<title>.*[^\W\d].*?)(?<!\d{{4}})[\s_-]{_YEAR_IN_NAME}",
        r"(?P<title>.+)_(?P<who>[\u3400-\u9fff]{2,4})",  # as CNKI names its files
    )
)

# a key of a bibliography, as King2011 or vaswani2017attention, or the number of a preprint that begins with its month
_DATED = re.compile(
    r"(?:[^\W\d_]{2,30}(?=\d{4}[a-zA-Z]{0,20}$)|(?:[^\W\d_]+-)?(?=20\d\d(?:0[1-9]|1[0-2])\.\d{5}))"
    rf"{_YEAR_IN_NAME}(?:[a-zA-Z]{{0,20}}|\d\d\.\d{{5}}(?:[vV]\d+)?)"
)


def file_facts(path: Path) -> list[Fact]:
    """Return what people and programs write into names of files. Surest are identifiers, and they are all the name then says."""
    stem = printable(Path(path.stem)).strip()
    if number := _ARXIV_FILE.fullmatch(stem):
        facts = [Fact(field="arxiv", value=number[1], source=_FILE, sure=0.7)]
        year = year_of_arxiv(number[1])
        return [*facts, *([Fact(field="year", value=year, source=_FILE, sure=0.6)] if year else [])]
    if doi := _DOI_FILE.fullmatch(stem):
        return [Fact(field="doi", value=f"{doi[1]}/{tidy_doi(doi[2])}", source=_FILE, sure=0.5)]
    for form in _FORMS:
        match = form.fullmatch(stem[:_LONGEST])
        if match:
            return list(_told(match.groupdict()))
    title = _spaced(stem)
    dated = _DATED.fullmatch(stem)
    year = Fact(field="year", value=int(dated["year"]), source=_FILE, sure=_SURE) if dated else None
    return [*([year] if year else []), *([Fact(field="title", value=title, source=_FILE, sure=0.1)] if title else [])]


def _told(found: Mapping[str, str | None]) -> Iterator[Fact]:
    title = _spaced(found.get("title") or "")
    if title:
        yield Fact(field="title", value=title, source=_FILE, sure=_SURE)
    if year := found.get("year"):
        yield Fact(field="year", value=int(year), source=_FILE, sure=_SURE)
    who = re.split(r"\s*,\s*|\s+(?:and|und|&)\s+|\s+et\b|等|\s+-", (found.get("who") or "").strip(" -,."))[0]
    if who and (who[0].isupper() or not who.isascii()) and len(who.split()) <= 4:
        yield Fact(field="authors", value=(who,), source=_FILE, sure=_SURE)


def _spaced(stem: str) -> str:
    words = stem.replace("_", " ") if " " in stem or "_" in stem else stem.replace("-", " ").replace("+", " ")
    return " ".join(words.split()).strip(" -,.")


def tidy_doi(doi: str) -> str:
    """Return the DOI without the punctuation of the sentence around it; a bracket stays if it was opened within."""
    doi = doi.rstrip(".,;:'’”*†")
    while doi.endswith((")", "]")) and doi.count(doi[-1]) > doi.count("(" if doi[-1] == ")" else "["):
        doi = doi[:-1].rstrip(".,;:'’”*†")
    return doi


def year_of_arxiv(number: str) -> int | None:
    """Return the year in which arXiv gave this number: 1810.04805 in 2018, cs/9901001 in 1999."""
    digits = number.rpartition("/")[2][:2]
    if not digits.isdigit():
        return None
    return (1900 if "/" in number and int(digits) > 90 else 2000) + int(digits)
