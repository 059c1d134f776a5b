"""What identifies and dates the work in a reference: DOI, arXiv id, year; each also where a line break has put a space into it."""

import re

from scholarmind.library.references.names import YEAR

_DOI = re.compile(r"10\.\s?\d{4,9}\s?/\s?[^\s\"<>{}，。；“”]+", re.IGNORECASE)
_DOI_MORE = re.compile(r"\s+([\w.()/;:-]*\d[\w.()/;:-]*)(?=[\s.,;)]|$)")
_ARXIV = re.compile(
    r"(?:arxiv\s*[:.]?\s*(?:preprint\s*)?(?:arxiv\s*:\s*)?|abs/\s?|arxiv\.\s?org/\s?(?:abs|pdf)/\s?|10\.48550/arxiv\.\s?)"
    r"(\d{4}\.\s?\d{4,5}|[a-z-]{2,12}(?:\.[a-z]{2})?/\s?\d{7})(?!\d)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?:https?:\s?//|www\.)\S+|10\.\s?\d{4,9}/\s?\S+|\babs/\S+|arxiv\s*:\s*\S+", re.IGNORECASE)
_ACCESS = re.compile(
    r"\(?(?:last )?(?:accessed|retrieved|visited|viewed|available)\b.{0,60}|(?:访问|引用|检索)(?:日期|时间).{0,20}|"
    r"[\[［]\d{4}-\d\d?-\d\d?[\]］]",
    re.IGNORECASE,
)
_ANY_YEAR = re.compile(rf"(?<![\d.:/#])(?<![-–—]){YEAR}(?![\d/]|\.\d|\s?[-–—]\s?\d)")
_PAGES = re.compile(r"(?:\bpp?\.?|\bpages?|\bvol(?:ume)?\.?|\bno\.?|[:,]\s*\d+\s*[-–—])\s*$", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    rf"[(（](?:[^()（）]{{0,40}}[\s,.])?({YEAR})[a-z]?(?:-\d\d?){{0,2}}(?:[,\s][^()（）]{{0,20}})?[)）]"
)


def doi_of(text: str) -> str:
    """Return the DOI that a reference names, in one piece and without what only ends its sentence; '' for an arXiv number."""
    match = _DOI.search(text)
    if not match:
        return ""
    found = re.sub(r"\s", "", match[0])
    more = _DOI_MORE.match(text, match.end()) if found[-1] in "/-_." else None
    if (
        more
        and (found[-1] != "." or more[1][0].islower() or more[1][0].isdigit())
        and not re.fullmatch(rf"{YEAR}\W*", more[1])
    ):
        found += more[1]
    found = found.rstrip(".,;:'’”*")
    while found.endswith((")", "]")) and found.count(found[-1]) > found.count("(" if found[-1] == ")" else "["):
        found = found[:-1].rstrip(".,;:'’”*")
    return "" if found.casefold().startswith("10.48550/arxiv") or found.endswith("/") else found


def arxiv_of(text: str) -> str:
    """Return the arXiv id that a reference names, without its version."""
    match = _ARXIV.search(text)
    return re.sub(r"\s", "", match[1]) if match else ""


def year_in(text: str) -> int | None:
    """Return the year that the end of a reference gives: in brackets, or else the last one that is no page, volume or day of a visit."""
    kept = _ACCESS.sub(" ", _ADDRESS.sub(" ", text))
    bracketed = [int(match[1]) for match in _IN_BRACKETS.finditer(kept)]
    if bracketed:
        return bracketed[-1]
    plain = [
        match
        for match in _ANY_YEAR.finditer(kept)
        if not _PAGES.search(kept, max(0, match.start() - 16), match.start())
    ]
    return int(plain[-1][0]) if plain else None
