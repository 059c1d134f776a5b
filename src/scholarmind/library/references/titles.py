"""The title within a reference: in quotation marks, or up to the end of its sentence."""

import re

from scholarmind.library.references.names import HAN, UPPER, YEAR

_QUOTES = {"“": "”", '"': '"', "«": "»", "„": "“", "‘": "’", "'": "'", "``": "''"}
_OPENING = re.compile(r"[“\"«„]|``|‘(?=\w)|'(?=[A-Z])")
_TYPE = re.compile(
    r"\s*[\[［](?:[JCMDRNPSAGZ]|EB|DB|CP)(?:\s?/\s?(?:OL|CD|MT))?[\]］]"
)  # as GB/T 7714 marks kinds of works
_VENUE = re.compile(
    r"[.,]?\s+(?:In:?\s+(?:Proc|Advances|International|Annual|Conference|the\s|\d|[A-Z]{2,})|in:\s|In:\s|arXiv(?:\s|:|\.)|CoRR\b|"
    r"(?:https?:|doi:|DOI:?\s))|\s+//|//|;\s+(?=[^;:.]{3,40}:\s)"
)
_COMMA_VENUES = (  # the surest first
    re.compile(r",\s+[iI]n:\s"),
    re.compile(rf",\s+(?=[^,]{{3,80}}?\s\d+\s*(?:\(\d[^()]{{0,9}}\)\s*)?(?:\({YEAR}\)|,\s*\d))"),
    re.compile(
        r",\s+(?=in\s[A-Z]|In\s|(?:[^,]{2,60}?,\s+)?vol\.|arXiv|Proc\b|Ph\.?D|Tech|Master|(?:\d\w\w|first|second|third|revised) ed)"
    ),
    re.compile(rf",\s+(?=[^,]{{3,60}},\s+(?:[^,]{{2,40}},\s+)?{YEAR}|{YEAR})"),
)
_SENTENCE_END = re.compile(
    rf"[.。．](?=\s|$|[{HAN}])|[?!？！](?=[\s”\"]+[{UPPER}\d(\[“\"]|\s*$)|\.(?=[{UPPER}][a-z]+\s)"
)
_ABBREVIATED = re.compile(
    rf"(?:^|[\s(.-])(?:[{UPPER}]|[a-z]|vs|Dr|St|Mr|Mrs|Ms|No|Nos|Vol|vol|no|e\.g|i\.e|cf|approx|al|Inc|Ltd|Corp|Jr|Sr|viz|etc|ca|Prof|Fig|Eq|ed|eds|Mt|spp?|var|resp)$"
)
_PLAIN_CITE = re.compile(
    rf"[{UPPER}][\w.\s&-]{{2,40}}?\s[A-Z]?\d+(?:\s?\(\d+\))?,\s*\w+(?:[-–]\w+)?\s*\({YEAR}\)"
)  # a journal, and no title
_EDITION = re.compile(
    r"\s*\((?:\d+\w\w|first|second|third|fourth|fifth|revised|rev\.?|international|\d+) ed(?:\.|ition)?(?:,[^()]*)?\)\s*$",
    re.IGNORECASE,
)
_LONGEST = 400


def title_in(rest: str, kind: str) -> tuple[str, int]:
    """Return the title that what follows authors (and year) begins with, and where it ends in `rest`. `kind` is what ended the authors."""
    begin = len(rest) - len(rest.lstrip(" .,:;)，。．：）"))
    opening = _OPENING.match(rest, begin)
    if opening:
        end = _closing(rest, opening)
        if end is not None and not rest.startswith((":", "："), end + 1):  # a quotation may also begin a title
            return _tidy(rest[opening.end() : end]), end + 1
    if kind == "comma":
        return _before_comma(rest, begin)
    end = _sentence(rest, begin)
    return _tidy(rest[begin:end]), end


def quoted(body: str) -> int | None:
    """Return where a quotation long enough to be a title opens."""
    for opening in _OPENING.finditer(body[:600]):
        end = _closing(body, opening)
        if end is not None and end - opening.end() > 12:
            return opening.start()
    return None


def _closing(rest: str, opening: re.Match[str]) -> int | None:
    """Return where the quotation closes: at a mark that no letter follows, so that an apostrophe does not close it."""
    sign = _QUOTES[opening[0]]
    limit = min(len(rest), opening.end() + _LONGEST)
    at = rest.find(sign, opening.end(), limit)
    single = sign in {"’", "'"}
    while (
        single
        and at >= 0
        and not (
            rest[at - 1] in ",.?!"
            or rest[at + 1 : at + 2] in {"", ",", ".", ";"}
            or re.match(r" [(\[]|\s[A-Z]", rest[at + 1 : at + 3])
        )
    ):
        at = rest.find(sign, at + 1, limit)
    nested = rest[opening.end() : at].count("“") if sign == "”" and at >= 0 else 0
    for _ in range(nested):
        following = rest.find(sign, at + 1, limit)
        at = following if following >= 0 else at
    return at if at >= 0 else None


def _before_comma(rest: str, begin: int) -> tuple[str, int]:
    """Return the title of a style that sets it off with commas alone."""
    if _PLAIN_CITE.match(rest, begin):
        return "", begin
    limit = begin + _LONGEST
    comma = next(filter(None, (venue.search(rest, begin, limit) for venue in _COMMA_VENUES)), None)
    sentence = _sentence(rest, begin)
    end = min(comma.start(), sentence) if comma else sentence
    return _tidy(rest[begin:end]), end


def _sentence(rest: str, begin: int) -> int:
    """Return where the first sentence ends, or the mark of its kind stands, or its venue begins."""
    limit = min(len(rest), begin + _LONGEST)
    kind = _TYPE.search(rest, begin, limit)
    if kind:
        return kind.start()
    venue = _VENUE.search(rest, begin + 4, limit)
    limit = venue.start() if venue else limit
    for match in _SENTENCE_END.finditer(rest, begin, limit):
        if match[0] in "?!？！":
            return match.end()
        if match[0] != "." or not _ABBREVIATED.search(rest, max(begin, match.start() - 8), match.start()):
            return match.start()
    return limit


def _tidy(title: str) -> str:
    title = " ".join(title.split()).strip(" ,;:")
    title = _EDITION.sub("", title.rstrip(". "))
    return title if any(character.isalpha() for character in title) else ""
