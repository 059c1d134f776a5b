"""What is printed on a first page to identify a paper: DOI, arXiv stamp, and the year in its stamps, banners and dates."""

import re
from collections.abc import Iterator, Sequence

from scholarmind.model import Fact

PAGE = "first page"
_DOI = re.compile(r"10\.\d{4,9}/[^\s\"<>{}|\\^`，。；]+", re.IGNORECASE)
_DOI_LEAD = re.compile(r"(?:doi\s*(?:\.org/?)?\s*[:：/]?|doi\.org/)\s*$", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(.+)", re.IGNORECASE)
_ARXIV_ID = r"\d{4}\.\d{4,5}|[a-z-]{2,12}(?:\.[A-Z]{2})?/\d{7}"
_STAMP = re.compile(
    rf"arXiv\s*:\s*({_ARXIV_ID})(v\d{{1,3}})?\s*(\[[\w.-]+\])?\s*(\d{{1,2}}\s+[A-Z][a-z]{{2}}\s+((?:19|20)\d\d))?",
    re.IGNORECASE,
)
_YEAR = r"((?:19[5-9]|20[0-4])\d)(?!\d)"
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?"
_YEARS = (  # the surest first; each matches within one line
    (
        0.9,
        re.compile(
            rf"(?:published|publication date)(?:\s+online)?\s*(?:on|:)?\s*(?:\d{{1,2}}\.?\s+)?(?:{_MONTH}\s+)?(?:\d{{1,2}},\s*)?{_YEAR}",
            re.IGNORECASE,
        ),
    ),
    (0.9, re.compile(rf"(?:出版|发布|发表)(?:日期|时间)?\s*[:：]?\s*{_YEAR}")),
    (
        0.85,
        re.compile(
            rf"{_YEAR}\s*年\s*(?:第\s*\d+\s*[卷期]|\d{{1,2}}\s*月)|第\s*\d+\s*[卷期].{{0,12}}?{_YEAR}|{_YEAR}\s*[,，]\s*\d+\s*[(（]\d+[)）]\s*[:：]"
        ),
    ),
    (
        0.85,
        re.compile(
            rf"(?:published as|conference|proceedings|symposium|workshop|transactions|meeting|congress)\b.{{0,120}}?\b{_YEAR}",
            re.IGNORECASE,
        ),
    ),
    (
        0.85,
        re.compile(
            rf"\b(?:NAACL|ACL|EMNLP|EACL|COLING|NeurIPS|NIPS|ICML|ICLR|CVPR|ICCV|ECCV|AAAI|IJCAI|KDD|SIGIR|WWW|CHI|LREC|TACL|VLDB|SIGMOD|INTERSPEECH|ICASSP)\b[-\w]{{0,8}},?\s*[’']?{_YEAR}"
        ),
    ),
    (
        0.85,
        re.compile(
            rf"(?:\bvol(?:ume)?\.?|\bno\.|\bissue|\d\s*[:(]).{{0,40}}?\b{_YEAR}|\b\d{{1,4}}\s*\({_YEAR}\)",
            re.IGNORECASE,
        ),
    ),
    (
        0.8,
        re.compile(
            rf"(?:©|\(c\)|copyright)\s*(?:the authors?\(?s?\)?,?\s*)?(?:\([cC]\)\s*)?.{{0,60}}?{_YEAR}", re.IGNORECASE
        ),
    ),
    (0.75, re.compile(rf"\bto appear\b.{{0,80}}?\b{_YEAR}", re.IGNORECASE)),
    (
        0.75,
        re.compile(
            rf"^(?:\W|\d)*(?:{_MONTH}\s*)(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{_YEAR}\W*$|^\d{{1,2}}\.?\s+{_MONTH}\s+{_YEAR}\W*$"
        ),
    ),
    (0.6, re.compile(rf"(?<![\d./-]){_YEAR}[-/.](?:0[1-9]|1[0-2])[-/.](?:[0-2]\d|3[01])(?!\d)")),
    (0.6, re.compile(rf"accepted\s*(?:on|in|:)?.{{0,30}}?{_YEAR}", re.IGNORECASE)),
    (0.5, re.compile(rf"(?:received|revised|submitted|收稿日期)\s*(?:on|in|:|：)?.{{0,30}}?{_YEAR}", re.IGNORECASE)),
)
_DATE = re.compile(
    rf"\b{_MONTH}(?:\s*\d{{1,2}}(?:st|nd|rd|th)?(?:\s*[-–—]\s*(?:{_MONTH}\s*)?\d{{1,2}})?)?,?\s*((?:1[89]\d|20[0-4])\d)(?!\d)"
)
_SHORT_YEAR = re.compile(
    r"\b(?:[A-Z][A-Za-z]*[A-Z]+[A-Za-z]*|[A-Z][a-z]+[A-Z][a-z]+)\s?(?:['’‘]\s?|-(?=\d\d\b))(\d\d)\b(?!['’-])"
)
_THIS_CENTURY = 50
_MOST_WORDS = 20
_PLAIN_YEAR = re.compile(rf"(?<![\d./:-]){_YEAR}(?![./:-]?\d)")
_BROKEN = re.compile(r"10\.\d{4,9}(?:/?|/\S*[/_-])$")  # at the end of a line
_STOPPED = re.compile(r"10\.\d{4,9}/\S*\.$")  # it may be the end of the sentence


def stamp_facts(texts: Sequence[str], edges: Sequence[str] = (), head: Sequence[str] = ()) -> list[Fact]:
    """Return what the lines of a first page say of DOI, arXiv id and year; those at its edges (head and foot) date it by any year,
    those of its head, above the text, by any date.
    """
    lines = [text[::-1] if "viXra" in text else text for text in texts]  # a stamp turned on its side
    facts = [Fact(field="doi", value=doi, source=PAGE, sure=sure) for doi, sure in _dois(lines)]
    return [*facts, *_arxiv(lines), *_years(lines, edges, head)]


def dois_in(text: str) -> Iterator[tuple[str, bool]]:
    """Yield each DOI of a text without what only ends its sentence, and whether the text says that it is one."""
    for match in _DOI.finditer(text):
        doi = tidy_doi(match[0])
        if len(doi) > len(doi.split("/")[0]) + 1:
            yield doi, _DOI_LEAD.search(text, max(0, match.start() - 24), match.start()) is not None


def tidy_doi(doi: str) -> str:
    """Return the DOI without the punctuation of the sentence around it; a bracket stays if it was opened within."""
    doi = doi.rstrip(".,;:'’”*†")
    while doi.endswith((")", "]")) and doi.count(doi[-1]) > doi.count("(" if doi[-1] == ")" else "["):
        doi = doi[:-1].rstrip(".,;:'’”*†")
    return doi


def _dois(lines: Sequence[str]) -> list[tuple[str, float]]:
    """Return the page's DOI: the first that is called so. One that only stands somewhere may be that of a data set or a cited work."""
    text = ""
    for line in lines:
        goes_on = _BROKEN.search(text) if re.match(r"\s*[\w(]", line) else None
        goes_on = goes_on or (_STOPPED.search(text) if re.match(r"\s*[a-z.]*\d", line) else None)
        text += line.strip() if goes_on else "\n" + line.strip()
    found = [(doi, told) for doi, told in dois_in(text) if not _ARXIV_DOI.fullmatch(doi)]
    if not found:
        return []
    told = [doi for doi, plain in found if plain]
    alone = len({doi.casefold() for doi, _ in found}) == 1
    return [((told or [found[0][0]])[0], 0.95 if alone and told else 0.85 if told or alone else 0.6)]


def _arxiv(lines: Sequence[str]) -> Iterator[Fact]:
    text = "\n".join(lines)
    stamps = list(_STAMP.finditer(text))
    sealed = [stamp for stamp in stamps if stamp[3] or stamp[4]]
    preprint = next((match for doi, _ in dois_in(text) if (match := _ARXIV_DOI.fullmatch(doi))), None)
    best = (sealed or stamps or [None])[0]
    if best is not None:
        sure = 0.95 if sealed else 0.5
        yield Fact(field="arxiv", value=best[1], source=PAGE, sure=sure)
        if best[5]:
            yield Fact(field="year", value=int(best[5]), source=PAGE, sure=0.9)
        if sealed and (year := year_of_arxiv(best[1])):
            yield Fact(field="year", value=year, source=PAGE, sure=0.6)
    elif preprint is not None:
        yield Fact(field="arxiv", value=re.sub(r"v\d+$", "", preprint[1]), source=PAGE, sure=0.9)


def year_of_arxiv(number: str) -> int | None:
    """Return the year in which arXiv gave this number: 1810.04805 in 2018, cs/9901001 in 1999."""
    digits = number.rpartition("/")[2][:2]
    if not digits.isdigit():
        return None
    return (1900 if "/" in number and int(digits) > 90 else 2000) + int(digits)


def _years(lines: Sequence[str], edges: Sequence[str], head: Sequence[str]) -> Iterator[Fact]:
    """Yield the year of each kind of evidence once, as far as it is none of a cited work."""
    seen: set[int] = set()
    for sure, pattern in _YEARS:
        for line in lines:
            match = pattern.search(line[:400])
            year = int(next(filter(None, match.groups()))) if match else 0
            if year and year not in seen:
                seen.add(year)
                yield Fact(field="year", value=year, source=PAGE, sure=sure)
                break
    for line in edges:
        found = {int(match[1]) for match in _PLAIN_YEAR.finditer(line[:400])}
        if len(found) == 1 and not found & seen:
            seen |= found
            yield Fact(field="year", value=found.pop(), source=PAGE, sure=0.7)
    for line in (*head, *edges):
        dated = len(line.split()) <= _MOST_WORDS and not _STAMP.search(line)  # a stamp is read for itself
        date = _DATE.search(line) if dated else None
        if date and int(date[1]) not in seen:
            seen.add(int(date[1]))
            yield Fact(field="year", value=int(date[1]), source=PAGE, sure=0.7)
    for line in (*edges, *head):
        short = _SHORT_YEAR.search(line) if len(line.split()) <= _MOST_WORDS else None
        year = int(short[1]) + (2000 if int(short[1]) < _THIS_CENTURY else 1900) if short else 0
        if year and year not in seen:
            seen.add(year)
            yield Fact(field="year", value=year, source=PAGE, sure=0.65)
