"""A list of references, taken apart into works: authors, year, title, DOI, arXiv id.

First the list is cut into items: at its labels, at its lines, or where authors and a year follow a full stop. Then each item is read:
the authors in front of it, in whatever order its style writes their names, what dates and identifies it, and its title. Which places of
the running text point at an item is in `reference_pointers`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from scholarmind.model import Reference
from scholarmind.text.section_names import may_name_references

# -- marks of what was set off by markup: slanted, bold, a link

MASK = "\u200b"  # in the place of a sign, so that offsets hold
SET_OFF, SET_BACK = "\u2066", "\u2069"  # begins and ends what a markup sets off
_SET = {ord(MASK): "", ord(SET_OFF): "", ord(SET_BACK): ""}

# -- authors, in whatever order a style writes their names

# Python's patterns know no class of capital letters: these are the Latin, Greek and Cyrillic ones beyond ASCII
UPPER = "A-Z" + "".join(
    letter for letter in map(chr, (*range(0xC0, 0x590), *range(0x1E00, 0x1F00))) if letter.isupper()
)

LETTER = r"[^\W\d_]"
HAN = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
PARTICLES = (
    "af|al|auf|bin|da|dal|das|de|degli|dei|del|della|den|der|des|di|do|dos|du|el|i|ibn|la|las|le|los|op|[’']t|ten|ter|van|vom|von|zu|zum|zur|"
    "Van|Von|De|Del|Della|Di|Du|La|Le|Ten|Ter|Den|Der|VAN|VON|DE|DEN|DER|DI|LA|EL"
)

_BEFORE = rf"(?:(?:{PARTICLES}|v\.)\s|d\.\s){{0,3}}(?:[dDlL][’'])?"
_BIG = rf"(?!AND\b)[{UPPER}](?:{LETTER}|['’ʼ‐-](?={LETTER})|\u0301|\u0308){{0,40}}"
_MORE = rf"\s(?:(?:{PARTICLES})\s){{0,2}}{_BIG}(?<!\s.)"
_FAMILY = rf"{_BEFORE}{_BIG}(?:{_MORE}){{0,2}}?"
_INITIAL = rf"(?:[{UPPER}]|Ch|Kh|Ph|Sh|Th|Ts|Ya|Yu|Zh)\."
_INITIALS = rf"{_INITIAL}(?:\s?[-‐‑–]?\s?{_INITIAL}|\s?[-‐‑][a-z]\.){{0,4}}"
_BARE = rf"[{UPPER}]{{1,3}}(?:[-‐ ][{UPPER}]){{0,3}}(?![{UPPER}\w’'-])"
_SUFFIX = r"(?:,?\s(?:Jr|Sr)\b\.?|,?\s(?:II|III|IV)\b)?"
_GIVEN = rf"(?:{_INITIAL}|{_BIG})(?:(?:(?<=\.)|[\s-])(?:{_INITIAL}|{_BIG})){{0,4}}"
_STOP = r"(?=\s*(?:[,.;:&(“\"‘]|and\b|AND\b|und\b|et\b|$))"  # no name goes on here
_FAMILY_FIRST = re.compile(rf"(?P<family>{_FAMILY}),\s?(?P<given>{_INITIALS}|{_BARE})(?P<suffix>{_SUFFIX})")
_INITIALS_FIRST = re.compile(
    rf"(?P<given>{_INITIALS})\s?(?P<family>{_BEFORE}{_BIG}(?:{_MORE}){{0,2}})(?P<suffix>{_SUFFIX}){_STOP}"
)

_INITIALS_LAST = re.compile(rf"(?P<family>{_FAMILY})\s(?P<given>{_BARE})(?P<suffix>{_SUFFIX})")
_POINTS_LAST = re.compile(rf"(?P<family>{_FAMILY})\s(?P<given>{_INITIALS})(?P<suffix>{_SUFFIX})")
_IN_FULL = re.compile(
    rf"(?P<given>{_GIVEN}?)\s(?P<family>{_BEFORE}(?![A-Z]{{1,3}}(?![\w'’])){_BIG})(?P<suffix>{_SUFFIX}){_STOP}"
)

_TURNED = re.compile(rf"(?P<family>{_FAMILY}),\s(?P<given>{_GIVEN})(?P<suffix>{_SUFFIX}){_STOP}")
_CAPITALS = re.compile(  # BRAUDEL Fernand
    rf"(?P<family>{_BEFORE}[{UPPER}]{{2,}}(?:[- '’][{UPPER}]{{2,}})*),?\s"
    rf"(?P<given>[{UPPER}]{LETTER}*[^\W\dA-Z_]{LETTER}*(?:[ -][{UPPER}]{LETTER}+)*)(?P<suffix>){_STOP}"
)
_NATIVE = re.compile(
    rf"(?P<family>[{HAN}]{{1,8}}[·•][{HAN}·•]{{1,12}}|[{HAN}]{{2,4}}|(?!等人?[.．])[{HAN}]{{1,8}}[.．][{HAN}·•]{{1,12}})(?P<given>)(?P<suffix>)(?![{HAN}])"
)

_LINK = re.compile(
    r"\s*[,;，；、]\s*(?:(?:and|AND|und|et|y)\s|&\s*)?|\s+(?:and|AND|und|et|y)\s+|\s*&\s*|\s*(?:和|与)\s*"
)

_OTHERS = re.compile(
    r"[,，;]?\s*(?:(?:and|AND|&)\s+)?(?:et\s+al\b\.?|ET\s+AL\b\.?|et\s+coll\b\.?|(?:and|&)?\s*others\b\.?|\.\.\.|…|等人?|(?:and|&)\s+\d+\s+(?:more|others))"
)

_LEFT_OUT = re.compile(
    r"[,;]?\s*(?:\.\s?\.\s?\.|…)\s*[,&]?\s*(?:&\s*)?"
)  # the seventh author and the last one, as APA has them

_EDITORS = re.compile(
    r"[,;]?\s*(?:\((?:(?:Eds?|Hrsg|Ed\.? by|Trans)\b\.?[^()]{0,12}|editors?)\)|(?:eds?|editors?)\b\.?)|"
    r"[,，]?\s*(?:主编|编著|编|著|译)(?=[.．。,，])",
    re.IGNORECASE,
)

YEAR = r"(?:1[5-9]\d\d|20\d\d)"
_ENDS: tuple[
    tuple[str, int, re.Pattern[str]], ...
] = (  # what stands behind the last author, and how clearly that ends them
    (
        "year",
        3,
        re.compile(
            rf"\s*[.,，．]?\s*[(（\[]\s*(?:{YEAR}[a-z]?|in press|forthcoming|to appear|n\.\s?d\.|submitted)[^()（）]{{0,24}}[)）\]]",
            re.IGNORECASE,
        ),
    ),
    (
        "year",
        3,
        re.compile(
            rf"\s*[.,，．]?\s*(?:{YEAR}[a-z]?|In press|Forthcoming|To appear|n\.d)(?=[\s.,:，．。]|$)(?!\s*[-–]\s*\d)"
        ),
    ),
    ("quote", 3, re.compile(rf"\s*[,.:，：。]?\s*(?=[“\"«„《{SET_OFF}]|``|‘(?=\w)|'(?=[A-Z]))")),
    ("colon", 3, re.compile(r"\s*[:：]\s*")),
    ("period", 2, re.compile(r"\s*[.。．](?:\s+|(?=[^\s\d]))|\s*[。．]\s*|(?<=\.)\s+(?=[^\s,;&])")),
    ("comma", 1, re.compile(r"\s*[,，]\s+(?=\S)")),
)

_CLEAREST = 3
_MOST = 200
_WINDOW = 6_000
_BODY = re.compile(
    r"(?:.*\s)?(?:academy|administration|agency|archive|association|authority|bank|board|bureau|cent(?:er|re)|collaboration|commission|committee|"
    r"community|company|consortium|corporation|council|department|foundation|group|inc|initiative|institute?|laborator(?:y|ies)|labs?|ministry|"
    r"nations|network|observatory|office|organi[sz]ation|project|service|society|survey|task force|team|union|"
    r"universit\w+)\.?(?:\s(?:of|for|on)\s.*)?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    """The authors of a reference, where they end, and what ends them: a year, a quotation mark, a colon, a period, a comma."""

    authors: tuple[str, ...]
    end: int  # of the authors; the year or the title follows
    kind: str


def _head_of(body: str) -> _Head | None:
    """Return the authors that the reference begins with: read in each order of names, taken where they end most clearly."""
    best: tuple[int, int, _Head] | None = None
    for patterns, allowed in _styles(body):
        if best and patterns[0] is _IN_FULL and _INITIALS_FIRST.match(body):
            continue  # "B. Klaus and P. Horn, Robot Vision. Cambridge": Robot is no author
        found = _scan(body, patterns, allowed)
        if found and (best is None or found[:2] > best[:2]):
            best = found
            if found[0] == _CLEAREST:
                break
    return best[2] if best else None


_Name = re.Pattern[str]


def _styles(body: str) -> Sequence[tuple[tuple[_Name, ...], frozenset[str]]]:
    """Return the orders of names to try: the pattern of the first author and of the others, and the ends that they may have."""
    every = frozenset({"year", "quote", "colon", "period", "comma"})
    clear = every - {"comma"}
    full = clear - {"colon"}
    if re.match(rf"[{HAN}]", body):
        return (((_NATIVE, _NATIVE), every),)
    return (
        ((_FAMILY_FIRST, _FAMILY_FIRST), every),
        ((_INITIALS_FIRST, _INITIALS_FIRST), every),
        ((_FAMILY_FIRST, _INITIALS_FIRST), clear),
        ((_CAPITALS, _CAPITALS), full),
        ((_IN_FULL, _IN_FULL), full),
        ((_INITIALS_LAST, _INITIALS_LAST), clear),
        ((_POINTS_LAST, _POINTS_LAST), clear),
        ((_TURNED, _IN_FULL), full),
        ((_TURNED, _TURNED), full),
    )


def _scan(body: str, patterns: Sequence[_Name], allowed: frozenset[str]) -> tuple[int, int, _Head] | None:
    """Read names for as long as there are any; return how clearly they end, how many they are, and the head."""
    names: list[str] = []
    position, after = 0, 0
    while len(names) < _MOST and position < _WINDOW:
        match = patterns[min(len(names), 1)].match(body, after)
        if match is None:
            break
        names.append(_written(match))
        position = match.end()
        link = _LEFT_OUT.match(body, position) or _LINK.match(body, position)
        if link is None:
            break
        after = link.end()
    if not names:
        return None
    position, more = _behind(body, position)
    if patterns[0] is _POINTS_LAST and len(names) == 1:
        allowed -= {"period"}  # "Alan M. Turing. On ..." begins no title with Turing
    for kind, clearness, end in _ENDS:
        if kind in allowed and end.match(body, position):
            return clearness, len(names), _Head(authors=(*names, *more), end=position, kind=kind)
    return None


def _behind(body: str, position: int) -> tuple[int, tuple[str, ...]]:
    """Step over "et al." and "(Eds.)"."""
    more: tuple[str, ...] = ()
    others = _OTHERS.match(body, position)
    if others:
        position, more = others.end(), ("others",)
    editors = _EDITORS.match(body, position)
    return (editors.end() if editors else position), more


def _is_body(name: str) -> bool:
    """Tell whether these words name an organisation."""
    return _BODY.fullmatch(name) is not None


def _written(match: re.Match[str]) -> str:
    """Return the name with its family first, as references are sorted by; the name of an organisation as it is."""
    family, given = " ".join(match["family"].split()), " ".join(match["given"].split())
    if match.re is _IN_FULL and _is_body(f"{given} {family}"):
        return f"{given} {family}"
    if given and family.isupper() and len(family) > 1:
        family = re.sub(rf"{LETTER}+", lambda word: word[0].capitalize(), family)
    suffix = match["suffix"].strip(" ,")
    return ", ".join(filter(None, (family, given, suffix)))


# -- DOI, arXiv id, year; each also where a line break has put a space into it

_DOI = re.compile(r"10\.\s?\d{4,9}\s?/\s?[^\s\"<>{}，。；“”]+", re.IGNORECASE)
_DOI_MORE = re.compile(r"\s+([\w.()/;:-]*\d[\w.()/;:-]*)(?=[\s.,;)]|$)")
_ARXIV = re.compile(
    r"(?:arxiv\s*[:.]?\s*(?:preprint\s*)?(?:arxiv\s*:\s*)?|abs/\s?|arxiv\.\s?org/\s?(?:abs|pdf)/\s?|10\.48550/arxiv\.\s?)"
    r"(\d{4}\.\s?\d{4,5}|[a-z-]{2,12}(?:\.[a-z]{2})?/\s?\d{7})(?!\d)",
    re.IGNORECASE,
)

ADDRESS = re.compile(r"(?:https?:\s?//|www\.)\S+|10\.\s?\d{4,9}/\s?\S+|\babs/\S+|arxiv\s*:\s*\S+", re.IGNORECASE)
ACCESS = re.compile(
    r"\(?(?:last )?(?:accessed|retrieved|visited|viewed|available)\b.{0,60}|(?:访问|引用|检索)(?:日期|时间).{0,20}|"
    r"[\[［]\d{4}-\d\d?-\d\d?[\]］]",
    re.IGNORECASE,
)

_ANY_YEAR = re.compile(rf"(?<![\d.:/#])(?<![-–—]){YEAR}(?![\d/]|\.\d|\s?[-–—]\s?\d)")
_PAGES = re.compile(r"(?:\bpp?\.?|\bpages?|\bvol(?:ume)?\.?|\bno\.?|[:,]\s*\d+\s*[-–—])\s*$", re.IGNORECASE)
_IN_BRACKETS = re.compile(
    rf"[(（](?:[^()（）]{{0,40}}[\s,.])?({YEAR})[a-z]?(?:-\d\d?){{0,2}}(?:[,\s][^()（）]{{0,20}})?[)）]"
)


def _doi_of(text: str) -> str:
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


def _year_in(text: str) -> int | None:
    """Return the year that the end of a reference gives: in brackets, or else the last one that is no page, volume or day of a visit."""
    kept = ACCESS.sub(" ", ADDRESS.sub(" ", text))
    bracketed = [int(match[1]) for match in _IN_BRACKETS.finditer(kept)]
    if bracketed:
        return bracketed[-1]
    plain = [
        match
        for match in _ANY_YEAR.finditer(kept)
        if not _PAGES.search(kept, max(0, match.start() - 16), match.start())
    ]
    return int(plain[-1][0]) if plain else None


# -- titles: in quotation marks, or up to the end of a sentence

_QUOTES = {"“": "”", '"': '"', "«": "»", "„": "“", "‘": "’", "'": "'", "``": "''", "《": "》", SET_OFF: SET_BACK}
_OPENING = re.compile(rf"[“\"«„《{SET_OFF}]|``|‘(?=\w)|'(?=[A-Z])")
_GOES_ON = re.compile(r"\s*[:：]|\s?[^\W\d_A-Z]")  # behind a quotation that a title only begins with
_TYPE = re.compile(
    r"\s*[\[［](?:[JCMDRNPSAGZ]|EB|DB|CP)(?:\s?/\s?(?:OL|CD|MT))?[\]］]"
)  # as GB/T 7714 marks kinds of works

_VENUE = re.compile(
    rf"[.,]?\s+(?:In:?\s+{SET_OFF}?(?:Proc|Advances|International|Annual|Conference|the\s|\d|[A-Z]{{2,}})|in:\s|In:\s|{SET_OFF}?(?:arXiv(?:\s|:|\.)|CoRR\b)|"
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
    rf"[.。．](?=\s|$|[{HAN}])|[?!？！](?=[\s”\"]+[{UPPER}\d(\[“\"{SET_OFF}]|\s*[{HAN}]|\s*$)|\.(?=[{UPPER}][a-z]+\s)"
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

_LONGEST_TITLE = 400
_CONTAINED = re.compile(
    r"In:?\s|.*(?:,\s+|\s)(?:vol\.\s*)?\d+(?:\s?\(\d[^()]*\))?\s*[,:]\s*\w*\d"
)  # a volume and pages
_PLACE_OF_WORK = re.compile(rf"[{SET_OFF}\s(]*[{UPPER}{HAN}]")  # no volume and no year, as behind the name of a journal
_CONTENT = re.compile(r"[a-zà-ÿ]{4}")  # a word that a name in capitals would not have in small letters
_FEWEST_WORDS = 5
_FEWEST_HAN = 4


def _title_in(rest: str, kind: str) -> tuple[str, int]:
    """Return the title that what follows authors (and year) begins with, and where it ends in `rest`. `kind` is what ended the authors."""
    begin = len(rest) - len(rest.lstrip(" .,:;)，。．：）"))
    opening = _OPENING.match(rest, begin)
    if opening:
        end = _closing(rest, opening)
        if end is not None and not _begins_title(rest, opening[0], end + 1):
            return _tidy(rest[opening.end() : end]), end + 1
    if kind == "comma":
        return _before_comma(rest, begin)
    end = _sentence(rest, begin)
    return _tidy(rest[begin:end]), end


def _begins_title(rest: str, sign: str, end: int) -> bool:
    """Tell whether a title goes on behind a quotation, or a name that is slanted, that it begins with."""
    if sign in {"《", SET_OFF}:
        return _GOES_ON.match(rest, end) is not None and not re.match(r"\s?in\b", rest[end : end + 4])
    return rest.startswith((":", "："), end)


def _quoted(body: str) -> int | None:
    """Return where a quotation long enough to be a title opens."""
    for opening in _OPENING.finditer(body[:600]):
        end = _closing(body, opening)
        if end is not None and end - opening.end() > 12:
            return opening.start()
    return None


def _closing(rest: str, opening: re.Match[str]) -> int | None:
    """Return where the quotation closes: at a mark that no letter follows, so that an apostrophe does not close it."""
    sign = _QUOTES[opening[0]]
    limit = min(len(rest), opening.end() + _LONGEST_TITLE)
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
    limit = begin + _LONGEST_TITLE
    comma = next(filter(None, (venue.search(rest, begin, limit) for venue in _COMMA_VENUES)), None)
    sentence = _sentence(rest, begin)
    end = min(comma.start(), sentence) if comma else sentence
    return _tidy(rest[begin:end]), end


def _sentence(rest: str, begin: int) -> int:
    """Return where the first sentence ends, or the mark of its kind stands, or its venue begins."""
    limit = min(len(rest), begin + _LONGEST_TITLE)
    kind = _TYPE.search(rest, begin, limit)
    if kind:
        return kind.start()
    venue = _VENUE.search(rest, begin + 4, limit)
    limit = venue.start() if venue else limit
    for match in _SENTENCE_END.finditer(rest, begin, limit):
        if match[0] in "?!？！":
            if _subtitle_follows(rest, match.end(), limit):
                continue
            return match.end()
        if match[0] != "." or not _ABBREVIATED.search(rest, max(begin, match.start() - 8), match.start()):
            return match.start()
    return limit


def _subtitle_follows(rest: str, at: int, limit: int) -> bool:
    """Tell whether a title goes on behind its question: words that are no container, and behind them where the work came out."""
    at += len(rest[at:limit]) - len(rest[at:limit].lstrip(' ”"'))
    stop = next(
        (
            end.start()
            for end in _SENTENCE_END.finditer(rest, at, limit)
            if not _ABBREVIATED.search(rest, max(at, end.start() - 8), end.start())
        ),
        limit,
    )
    comma = next(filter(None, (venue.search(rest, at, limit) for venue in _COMMA_VENUES)), None)
    stop = min(stop, comma.start()) if comma else stop
    more, behind = rest[at:stop], rest[stop:].lstrip(' .,。．，?!？！”"')
    if SET_OFF in more[:1] or _CONTAINED.match(more) or not _PLACE_OF_WORK.match(behind):
        return False
    words = more.split()
    han = len(re.findall(rf"[{HAN}]", more))
    return han >= _FEWEST_HAN or len(words) >= _FEWEST_WORDS or any(_CONTENT.match(word) for word in words[1:])


def _tidy(title: str) -> str:
    title = " ".join(title.translate(_SET).split()).strip(" ,;:")
    title = _EDITION.sub("", title.rstrip(". "))
    return title if any(character.isalpha() for character in title) else ""


# -- markup: what Markdown and its kin have around the words of an item

_MARKUP = re.compile(
    r"(?P<rule>^[ \t]*(?:#{1,6}\s[^\n]*|:{3,}[^\n]*|(?:[-*_=][ \t]*){3,})$)"
    r"|(?P<tag>(?<![^\s])\[\[[^\[\]\n]{1,200}\]\]:|</?[a-zA-Z][^<>\n]{0,300}>|\{[#.][^{}\n]{0,200}\})"
    r"|\[\[(?:[^\[\]|\n]{1,200}\|)?(?P<wiki>[^\[\]|\n]{1,200})\]\]"
    r"|!?\[(?P<link>[^\[\]\n]{2,300})\]\((?P<address>[^()\s]{1,500}(?:\([^()\s]*\)[^()\s]*)?)(?:\s\"[^\"\n]*\")?\)"
    r"|<(?P<open>https?://[^<>\s]+)>"
    r"|(?P<strong>\*{1,3})(?=\S)(?P<inner>(?:(?!\n\s*\n)[^*]){1,400}?)(?<=\S)(?P=strong)"
    r"|(?<!\w)(?P<low>_{1,2})(?=[^\W_])(?P<slanted>(?:(?!\n\s*\n)[^_]){1,400}?)(?<=\S)(?P=low)(?!\w)"
    r"|(?P<escape>\\(?=[&_*\[\]#.<>~$%-]))",
    re.MULTILINE,
)
_QUOTED_LINE = re.compile(r"^[ \t]*(?:>[ \t]?)+(?P<rest>\S)?", re.MULTILINE)
_BULLET = re.compile(rf"^(?P<indent>[ \t{MASK}]*)(?P<sign>[-*+•‣◦]|\.\.|1[.)])[ \t]+(?=\S)", re.MULTILINE)
_FEWEST = 2
_SECOND = re.compile(r"^[ \t]*2[.)][ \t]", re.MULTILINE)
_LEADING = re.compile(rf"(?:[ \t]*[{MASK}{SET_OFF}]+)*(?:(?<=[{MASK}{SET_OFF}])[ \t]*)?")
_MASKED = re.compile(rf" ?{MASK}+(?=[ ,.;:)\]]|$)|{MASK}+")
_NOT_TITLES = re.compile(
    rf"{SET_OFF}([^{SET_OFF}{SET_BACK}]*[A-Z]\.[ ,]*|(?:19|20)\d\d[a-z]?[.,]?|\W*\w{{1,12}}\W*){SET_BACK}"
)


def without_markup(text: str) -> tuple[str, list[int]]:
    """Return a text of the same length without its marks, and where its points begin; those of points within points are not told."""
    text = _QUOTED_LINE.sub(
        lambda mark: f"{MASK * (len(mark[0]) - 1)}{mark['rest']}" if mark["rest"] else _blank(mark), text
    )
    found = list(_BULLET.finditer(text))
    if sum(one["sign"][0].isdigit() for one in found) < _FEWEST or _SECOND.search(
        text
    ):  # else whoever prints it counts
        found = [one for one in found if not one["sign"][0].isdigit()]
    depth = min((len(one["indent"].expandtabs(4)) for one in found), default=0)
    starts = [one.end() for one in found if len(one["indent"].expandtabs(4)) < depth + 2]
    letters = list(text)
    for one in found:
        letters[one.start() : one.end()] = " " * len(one[0])
    return _MARKUP.sub(_masked, _MARKUP.sub(_masked, "".join(letters))), starts  # marks stand within marks


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _masked(match: re.Match[str]) -> str:
    """Return as many characters as were matched: what is read, and masks for the rest."""
    if match["rule"] is not None or match["escape"] is not None:
        return _blank(match)
    name = next((name for name in ("wiki", "link", "open", "inner", "slanted") if match[name] is not None), "tag")
    start, end = match.span(name) if name != "tag" else (match.end(), match.end())
    behind = f" {match['address']}" if match["address"] is not None else ""
    if name == "tag":
        return MASK * len(match[0])
    before = MASK * (start - match.start() - 1) + SET_OFF
    return before + match.string[start:end] + SET_BACK + behind.ljust(match.end() - end - 1, MASK)


# -- items: where each of them begins

_LINE = re.compile(r"[^\n]+")
_NUMBERED = (
    re.compile(r"(?:(?<=\s)|(?<=^)|(?<![^\W\d_])(?<=\.))[\[［【]\s?(\d{1,4})\s?[\]］】]:?\s*"),
    re.compile(r"(?:(?<=\s)|^)(\d{1,4})\.(?!\d)\s*(?=[^\s\d])"),
    re.compile(r"(?:(?<=\s)|^)\((\d{1,3})\)\s*"),
    re.compile(r"(?:(?<=\s)|^)(\d{1,3})\)\s*"),
    re.compile(rf"(?:(?<=\n)|^)\s*(\d{{1,3}})\s+(?=[{UPPER}{HAN}])"),
    re.compile(r"(?:(?<=\n)|^)\s*([⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}|[①-⑳])\s*(?=\S)"),
)

_LETTERED = re.compile(
    rf"\[((?:{LETTER}|[+&*’'-]){{1,24}}\s?'?\d{{2,4}}[a-z]?|{LETTER}[^\[\]\n]{{1,60}}?[,\s(]{{1,2}}{YEAR}[a-z]?\)?[^\[\]\n]{{0,40}})\]\s*"
)

_KEYED = re.compile(r"\[([@^][^\[\]\s]{1,100})\]:?\s*|(@[\w:.#$%&+?<>~/-]{1,100}?):\s")  # a key of Pandoc's, a footnote
_ENDED = re.compile(r"(?:[.。．\]）)’”\"\d]|(?:https?:|www\.|doi)\S*)$")
_AGAIN = re.compile(r"\s*[—–_-]{2,}|\s*―")
_HAS_YEAR = re.compile(rf"(?<!\d){YEAR}(?!\d)|in press|n\.d\.|forthcoming|to appear", re.IGNORECASE)
_START_INLINE = re.compile(rf"(?:\bhttps?:\S+|(?<=[.)\]\d/”]))(\s+)(?=(?:[a-z]{{2,3}}\s){{0,3}}[{UPPER}])")
_HEAD_WINDOW = 700  # characters that are looked at for authors and a year
_MOST_MISSING = 3
_LONG = 350  # a line longer than this may hold several items
_LINE_SHARE = 0.6
_MOST_STARTS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """One work of the list: from its label to its end, and where its own words begin."""

    start: int
    body: int
    end: int
    label: str = ""


def _items(text: str, bullets: Sequence[int]) -> list[_Item]:
    """Return the items of a list in order; `bullets` are where its points stand, if it has any."""
    whole = [match.span() for match in _LINE.finditer(text) if match[0].strip()]
    if whole and may_name_references(text[slice(*whole[0])].translate(_SET)):
        whole = whole[1:]
    if not whole:
        return []
    end = len(text)
    lines = [(_LEADING.match(text, begin).end(), stop) for begin, stop in whole]  # type: ignore[union-attr]
    marks = _labels(text, lines) or [(place, place, "") for place in bullets if place >= whole[0][0]]
    if marks:
        found = list(_between(marks, end))
        before = [line for line in lines if line[1] <= marks[0][0] and _HAS_YEAR.search(text, *line)]
        found = [*(_Item(start=a, body=a, end=b) for a, b in before), *found]
    else:
        found = [_Item(start=a, body=a, end=b) for a, b in _unlabelled(text, lines)]
    return [item for item in (_trimmed(text, item) for item in found) if item.body < item.end]


_Mark = tuple[int, int, str]


def _labels(text: str, lines: Sequence[tuple[int, int]]) -> list[_Mark]:
    """Return the labels of a labelled list, as (start, end, label); [] for a list without."""
    starts = {begin + len(text[begin:end]) - len(text[begin:end].lstrip()) for begin, end in lines}
    first, last = lines[0][0], lines[-1][1]
    for pattern in _NUMBERED:
        chain = _chain(list(pattern.finditer(text, first, last)), starts)
        if (
            chain
            and chain[0][0] in starts
            and (len(chain) > 1 or len(lines) == 1)
            and 2 * len(chain) >= _own(text, lines, chain)
        ):
            return chain
    keyed = [match for match in _KEYED.finditer(text, first, last) if match.start() in starts]
    if (
        keyed
        and keyed[0].start() in starts
        and 2 * len(keyed) >= _own(text, lines, [(one.start(), 0, "") for one in keyed])
    ):
        return [(match.start(), match.end(), match[1] or match[2]) for match in keyed]
    lettered = [
        match
        for match in _LETTERED.finditer(text, first, last)
        if match.start() in starts or _after_stop(text, match.start())
    ]
    enough = (
        lettered
        and lettered[0].start() in starts
        and 2 * sum(match.start() in starts for match in lettered) >= min(len(lettered), len(lines))
    )
    return [(match.start(), match.end(), match[1].strip()) for match in lettered] if enough else []


def _own(text: str, lines: Sequence[tuple[int, int]], chain: Sequence[_Mark]) -> int:
    """Count the lines that would be items by themselves if the list had no labels."""
    marked = {mark[0] for mark in chain}
    return sum(
        1
        for begin, end in lines[:400]
        if begin not in marked and _is_whole(text[begin : min(end, begin + _HEAD_WINDOW)])
    )


def _chain(matches: Sequence[re.Match[str]], starts: set[int]) -> list[_Mark]:
    """Follow the numbers up. A number within a line counts only where no line begins with it; a list may begin again at 1."""
    at_starts = {number_of(match[1]) for match in matches if match.start() in starts or match.start(1) in starts}
    chain: list[_Mark] = []
    expected: int | None = None
    for match in matches:
        number = number_of(match[1])
        leads = match.start() in starts or match.start(1) in starts
        if expected is None:
            fits = leads and number <= 1_000
        elif leads:
            fits = expected <= number <= expected + _MOST_MISSING or (number == 1 and expected > 3)
        else:
            fits = number == expected and number not in at_starts
        if fits:
            chain.append((match.start(), match.end(), str(number)))
            expected = number + 1
    return chain


def number_of(sign: str) -> int:
    """Return the number that digits, raised ones or one in a circle stand for."""
    return int("".join(str(int(unicodedata.numeric(digit))) for digit in sign))


def _after_stop(text: str, position: int) -> bool:
    before = text[max(0, position - 3) : position].rstrip()
    return before.endswith((".", "。", "．", ")", "]")) or before[-1:].isdigit()


def _between(marks: Sequence[_Mark], end: int) -> Iterator[_Item]:
    for (start, body, label), following in zip(marks, [*(mark[0] for mark in marks[1:]), end], strict=True):
        yield _Item(start=start, body=body, end=following, label=label)


def _trimmed(text: str, item: _Item) -> _Item:
    words = text[item.body : item.end]
    body = item.body + len(words) - len(words.lstrip())
    end = item.body + len(words.rstrip())
    return _Item(start=item.start if item.label else body, body=body, end=max(end, body), label=item.label)


def _unlabelled(text: str, lines: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the stretches of items: each line, lines put together again, or lines cut where another item begins within."""
    whole = [_is_whole(text[begin : min(end, begin + _HEAD_WINDOW)]) for begin, end in lines]
    one_each = sum(whole) >= _LINE_SHARE * len(lines)
    current: tuple[int, int] | None = None
    previous = 0
    for (begin, end), is_whole in zip(lines, whole, strict=True):
        blank = text.count("\n", previous, begin) > 1
        fresh = is_whole or (
            _may_begin(text[begin : begin + _HEAD_WINDOW].replace("-\n", "-"))
            if not one_each
            else _has_own_year(text, begin, end)
        )
        ended = current is None or blank or _ends(text, *current, one_each=one_each)
        if current is not None and not (fresh and ended):
            current = (current[0], end)
        else:
            if current is not None:
                yield from _run_on(text, *current)
            current = (begin, end)
        previous = end
    if current is not None:
        yield from _run_on(text, *current)


def _ends(text: str, start: int, end: int, *, one_each: bool) -> bool:
    """Tell whether an item can be over: it has a year, or is at least no name cut off behind an initial."""
    last = text[max(start, end - 300) : end].rstrip()
    if last.endswith(("-", ",", "&", " and")):
        return False
    stopped = _ENDED.search(last) is not None
    has_year = _HAS_YEAR.search(text, start, end) is not None
    return (has_year and (stopped or one_each)) or (one_each and stopped and not re.search(rf"\b[{UPPER}]\.$", last))


def _has_own_year(text: str, begin: int, end: int) -> bool:
    return (
        end - begin > 40
        and _HAS_YEAR.search(text, begin, end) is not None
        and text[begin].isalnum()
        and not text[begin].islower()
    )


def _is_whole(line: str) -> bool:
    """Tell whether a line begins with authors (or their dash) and has a year."""
    return (_AGAIN.match(line) is not None or _head_of(line) is not None) and _HAS_YEAR.search(line) is not None


def _may_begin(line: str) -> bool:
    if _AGAIN.match(line):
        return True
    head = _head_of(line)
    return head is not None and head.kind != "comma"


def _run_on(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a long stretch where a full stop is followed by authors and their year."""
    if end - start > _LONG:
        dated, seen = False, start
        for match in islice(_START_INLINE.finditer(text, start + 40, end), _MOST_STARTS):
            stop, place = match.span(1)
            dated, seen = dated or _HAS_YEAR.search(text, seen, stop) is not None, stop
            if dated and place - start > 40 and _begins_inside(text[place : min(end, place + _HEAD_WINDOW)]):
                yield start, stop
                dated, start, seen = False, place, place
    yield start, end


def _begins_inside(text: str) -> bool:
    head = _head_of(text)
    return head is not None and head.kind == "year"


# -- works

_HYPHEN = re.compile(r"(?<=[^\W\d_])[-‐]\n\s*(?=[a-zà-ÿ])|\u00ad\s*")
_NO_YEAR = r"in press|forthcoming|to appear|n\.\s?d\.?|submitted"
_YEAR_BEHIND = re.compile(
    rf"\s*[.,，．]?\s*(?:[(（\[]\s*(?:({YEAR})[a-z]?|{_NO_YEAR})[^()（）\[\]]{{0,24}}[)）\]]|(?:({YEAR})[a-z]?|{_NO_YEAR})(?=[.,:，．。\s]|$))",
    re.IGNORECASE,
)

_SAME_AUTHORS = re.compile(r"(?:[—–_-]{2,}|―+)\s*[.,]?\s*")
_DATED_BODY = re.compile(
    rf"((?:[^\s.]|\.(?!\s)|\s){{2,90}}?)\s*[.,]?\s*(?:[(（]\s*({YEAR})[a-z]?[^()（）]{{0,24}}[)）]|(?<=\.)\s({YEAR})[a-z]?\.)"
)

_NATIVE_BODY = re.compile(rf"([{HAN}]{{3,30}})[.．。,，]\s*")
_ORGANISATION = re.compile(r"([A-Z][\w&.’' -]{1,80}?)(?:\s\([^()]{1,80}\))?([.:,])\s+(?=\S)")
_ACRONYM = re.compile(r"[A-Z][A-Za-z]*[A-Z]|[A-Z]{2,8}")
_BEHIND_TITLE = re.compile(r"^[\s.,;:–—-]*(?:by\s+)?")
_SMALL = frozenset("and at de der des do for für im in la of on the und".split())
_LONGEST_ITEM = 4_000


def parse_references(text: str, start: int, end: int) -> list[Reference]:
    """Return the works that the list between `start` and `end` names, in order."""
    start, end = max(0, start), min(len(text), end)
    plain, bullets = without_markup(text[start:end])
    found: list[Reference] = []
    for item in _items(plain, bullets):
        told = _reference(plain, item, found)
        begin, stop = start + item.start, start + item.end
        found.append(replace(told, text=text[begin:stop], start=begin, end=stop))
    return found


def _reference(text: str, item: _Item, before: Sequence[Reference]) -> Reference:
    raw = text[item.body : min(item.end, item.body + _LONGEST_ITEM)]
    body = re.sub(r"\s+", " ", _HYPHEN.sub("", raw).replace("-\n", "-"))
    if SET_OFF in body or MASK in body:
        body = _NOT_TITLES.sub(r"\1", _MASKED.sub("", body))
    plain = body.translate(_SET)
    authors, year, title = _fields(_without_first(body.strip()), before)
    body = plain
    # the arXiv id that a reference names, without its version
    match = _ARXIV.search(body)
    arxiv = re.sub(r"\s", "", match[1]) if match else ""
    if year is None and re.match(r"\d{4}\.", arxiv):
        year = 2000 + int(arxiv[:2])
    return Reference(
        text=raw,
        start=item.start,
        end=item.end,
        label=item.label,
        authors=authors,
        year=year,
        title=title,
        doi=_doi_of(body),
        arxiv=arxiv,
    )


def _without_first(body: str) -> str:
    """Return an item without the marks that set off its authors; those of a title that comes first stay."""
    if not body.startswith(SET_OFF):
        return body
    inner, sign, rest = body[1:].partition(SET_BACK)
    return inner + rest if sign and (_head_of(inner + rest) or not rest.strip()) else body


def _fields(body: str, before: Sequence[Reference]) -> tuple[tuple[str, ...], int | None, str]:
    again = _SAME_AUTHORS.match(body)
    head = _head_of(body)
    if again and before:
        head = _Head(authors=before[-1].authors, end=again.end(), kind="period")
    head = head or _body(body)
    if head is None:
        opening = _quoted(body)
        title, end = _title_in(body[opening or 0 :], "period")
        behind = None if opening else _head_of(_BEHIND_TITLE.sub("", body[end:]))
        authors = behind.authors if behind is not None and behind.kind == "year" else ()
        return authors, _year_in(body[(opening or 0) + end :]) or _year_in(body), title
    return head.authors, *_dated(body, head)


def _dated(body: str, head: _Head) -> tuple[int | None, str]:
    """Return the year and the title behind the authors, in the order that they have there."""
    behind = _YEAR_BEHIND.match(body, head.end)
    if behind:
        title, _ = _title_in(body[behind.end() :], "period")
        year = behind[1] or behind[2]
        return (int(year) if year else None), title
    rest = body[head.end :]
    title, end = _title_in(rest, head.kind)
    return _year_in(rest[end:]) or _year_in(rest), title


def _body(body: str) -> _Head | None:
    """Return an organisation as the author: before a year, or where its name says what it is."""
    match = _DATED_BODY.match(body)
    if match and _may_be_body(match[1]):
        return _Head(authors=(match[1].strip(" .,"),), end=match.end(1), kind="year")
    if native := _NATIVE_BODY.match(body):
        return _Head(authors=(native[1],), end=native.end(1), kind="period")
    named = _ORGANISATION.match(body)
    if named and (_is_body(named[1]) or _ACRONYM.fullmatch(named[1])):
        kind = {":": "colon", ",": "comma"}.get(named[2], "period")
        return _Head(authors=(named[1],), end=named.start(2), kind=kind)
    return None


def _may_be_body(name: str) -> bool:
    words = name.split()
    capital = all(not word[0].islower() or word in _SMALL for word in words)
    return capital and len(words) <= 9 and not re.search(r"[“\"?!]|\.\s", name)
