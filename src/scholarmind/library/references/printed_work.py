"""Where a referenced work came out, as its reference prints it: journal, volume, issue, pages; a volume of papers; publisher; address.

Read from what stands behind the title, and only what cannot be anything else: a field that is left out is found again, a wrong one is
copied. Authors, year, title and numbers are those of the `Reference`.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from scholarmind.citing.citation_styles import UNSAFE, Form, Work, is_meeting, people, plain
from scholarmind.library.references.reference_list import (
    ACCESS,
    ADDRESS,
    HAN,
    LETTER,
    MASK,
    SET_BACK,
    SET_OFF,
    UPPER,
    YEAR,
    without_markup,
)
from scholarmind.model import Reference

_UNMARKED = {ord(sign): "" for sign in (MASK, SET_OFF, SET_BACK)}
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐]\n\s*(?=[a-zà-ÿ])|\u00ad\s*")
_URL = re.compile(r"https?://[^\s<>\"“”，。）]+")
_DOI_NAME = re.compile(r"(?:\bdoi\b|DOI)\s*[:：]?\s*(?=[\s.,]|$)|\[?\barXiv\b\]?\.?\s*$", re.IGNORECASE)
_BETWEEN = " .,;:?!，。．；：？！”\"’'》)"

# the letter with which GB/T 7714 marks a kind of work
_KIND = re.compile(r"\s*[\[［]\s*(J|C|M|D|R|G|EB)(?:\s?/\s?(?:OL|CD|MT))?\s*[\]］]\s*[.．。,，]?\s*")
_KINDS: Mapping[str, Form] = {
    "J": "journal",
    "C": "conference",
    "M": "book",
    "D": "thesis",
    "R": "report",
    "G": "chapter",
    "EB": "web",
}

_VOLUME = rf"(?:[vV]ol(?:ume)?\.?\s*)?(?P<volume>(?!{YEAR}(?!\d))\d{{1,4}})(?!\d)"
_NUMBER = (
    rf"(?:\s*[(（]\s*(?:[nN]o\.?\s*)?(?P<number>(?!{YEAR}[)）])[\w/–-]{{1,9}})\s*[)）]|"
    r"\s*,\s*(?:[nN]o\.?|[iI]ssue|[iI]ss\.?)\s*(?P<named>\d{1,5}))?"
)
_DATED = rf"(?:\s*[(（]{YEAR}[)）]|\s*,\s*(?:[A-Z][a-z]{{2,8}}\.?\s)?{YEAR})?"
_PAGES = r"(?:pp?\.?\s*|pages\s*)?(?P<pages>[A-Za-z]?\d{1,7}(?:\s?[-–—]{1,2}\s?[A-Za-z]?\d{1,7})?)(?![\w(（/])"
_VENUE = rf"(?P<venue>(?:{LETTER}|[{HAN}])[^\d“”\"]{{0,120}}?)"
_JOURNAL = (
    # the year first: 昆虫学报, 2006, 49(2): 342-348 and Nature. 2015;521(7553):436-44
    re.compile(
        rf"{_VENUE}\s*[.,，．;]\s*{YEAR}\s*(?:[A-Z][a-z]{{2}}(?:\s\d+)?)?\s*[,;，；]\s*{_VOLUME}{_NUMBER}\s*[:：,]\s*{_PAGES}"
    ),
    re.compile(
        rf"{_VENUE}(?:\s*,?\s+|\s*，\s*){_VOLUME}{_NUMBER}(?:{_DATED}\s*[:：,，]|\s*[(（]{YEAR}[)）])\s*{_PAGES}"
    ),
)
_CONTENT = re.compile(r"\b[a-zà-ÿ]{4}")
_INNER_STOP = re.compile(r"[.。?!]\s")

_WITHIN = re.compile(
    rf"[iI]n:?\s+(?:[^()]{{3,200}}(?:\((?:[Ee]ds?\.?|[Hh]rsg\.?)\)|,\s[Ee]ds?\.),?\s+)?(?P<venue>[{UPPER}{HAN}\d][^“”\"]{{2,200}}?)"
    rf"(?=\s*[,.]?\s*[(]?(?:vol(?:ume)?\b|pp?\.|pages\b|{YEAR}|\d+\s?[-–—])|[.,]\s+[{UPPER}{HAN}]|[.,]?\s*$)"
)
_PAGES_WITHIN = re.compile(r"(?:pp?\.|pages|[\s:：])\s*(\d{1,6}\s?[-–—]{1,2}\s?\d{1,6})")
_THESIS = re.compile(
    rf"\(?[^.,]{{0,40}}\b(?:thesis|dissertation)\b[^.,]{{0,20}}[.,]\s+(?P<school>[{UPPER}][^.,()\d]{{3,80}})",
    re.IGNORECASE,
)
_PLACED = re.compile(
    rf"(?P<place>[{UPPER}][^:：.\d]{{1,40}}|[{HAN}]{{2,8}})\s*[:：]\s*(?P<publisher>[{UPPER}{HAN}][^:：,，.。;\d]{{1,80}})"
    rf"(?:[,，.。]\s*(?:{YEAR})?|\s*[(（]?{YEAR}[)）]?)?\s*(?:[.:：]\s*\d+(?:[-–]\d+)?)?\W*$"
)
_PUBLISHER = re.compile(
    rf"(?P<publisher>[^,.;:\d]{{0,60}}\b(?:Press|Publish\w+|Verlag|Books)\b[^,.;:\d]{{0,30}}|[{HAN}]{{2,20}}出版社)"
)


def work_of_reference(reference: Reference) -> Work:
    """Return a reference as a work, with where it came out as far as that surely stands there."""
    authors, others = people(reference.authors)
    body = _HYPHEN.sub("", without_markup(reference.text)[0].translate(_UNMARKED)).replace("-\n", "-")
    body = " ".join(body.split())
    # the address that is no other way to write a DOI or an arXiv number
    addresses = (match[0].rstrip(".,;:)]") for match in _URL.finditer(body))
    own = (one for one in addresses if "doi.org/" not in one and "arxiv.org/" not in one)
    work = Work(
        title=plain(reference.title),
        form="preprint" if reference.arxiv and not reference.doi else "other",
        authors=authors,
        others=others,
        year=str(reference.year or ""),
        doi=reference.doi.translate(UNSAFE),
        arxiv=reference.arxiv,
        url=next(own, "").translate(UNSAFE),
    )
    if not reference.title or reference.title not in body:
        return work
    return _placed(work, body.partition(reference.title)[2])


def _placed(work: Work, behind: str) -> Work:
    """Return a work with what stands behind its title, by the first of the shapes that fits."""
    kind = _KIND.search(behind[:20])
    stated = _KINDS[kind[1]] if kind else None
    behind = behind[kind.end() :] if kind else behind
    tail = _DOI_NAME.sub("", ACCESS.sub(" ", ADDRESS.sub(" ", behind))).lstrip(_BETWEEN).strip()
    tail = f"In {tail[2:].strip()}" if tail.startswith("//") else tail
    for pattern in _JOURNAL if not tail[:3].casefold().startswith("in ") else ():
        journal = pattern.match(tail)
        if journal and (venue := _journal(journal["venue"])):
            number = journal["number"] or journal["named"] or ""
            form, volume, pages = stated or "journal", journal["volume"], journal["pages"]
            return replace(work, form=form, venue=venue, volume=volume, number=number, pages=pages)
    if within := _WITHIN.match(tail):
        venue = plain(within["venue"]).strip(_BETWEEN)
        pages = _PAGES_WITHIN.search(tail, within.end("venue"))
        form = "conference" if stated == "conference" or is_meeting(venue) else "chapter"
        return replace(work, form=form, venue=venue, pages=pages[1] if pages else "")
    if thesis := _THESIS.match(tail):
        return replace(work, form="thesis", institution=thesis["school"].strip())
    if placed := _PLACED.match(tail):
        form = stated or "book"
        return replace(work, form=form, place=placed["place"].strip(), publisher=placed["publisher"].strip())
    if published := _PUBLISHER.match(tail):
        return replace(work, form=stated or "book", publisher=published["publisher"].strip())
    if work.form == "other" and (stated == "web" or work.url):
        return replace(work, form="web")
    return work


def _journal(venue: str) -> str:
    """Return the name of a journal; '' where it may be the end of a title as well."""
    name = plain(venue).strip(" ,;:，：")
    if _INNER_STOP.search(name) and _CONTENT.search(name):
        return ""
    return name.rstrip(".") if "." not in name[:-1] else name
