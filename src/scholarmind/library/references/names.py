"""The authors in front of a reference, in whatever order its style writes their names."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

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
_NATIVE = re.compile(
    rf"(?P<family>[{HAN}]{{2,4}}|[{HAN}]{{1,8}}[·•.．][{HAN}·•]{{1,12}})(?P<given>)(?P<suffix>)(?![{HAN}])"
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
    ("quote", 3, re.compile(r"\s*[,.:]?\s*(?=[“\"«„]|``|‘(?=\w)|'(?=[A-Z]))")),
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
class Head:
    """The authors of a reference, where they end, and what ends them: a year, a quotation mark, a colon, a period, a comma."""

    authors: tuple[str, ...]
    end: int  # of the authors; the year or the title follows
    kind: str


def head_of(body: str) -> Head | None:
    """Return the authors that the reference begins with: read in each order of names, taken where they end most clearly."""
    best: tuple[int, int, Head] | None = None
    for patterns, allowed in _styles(body):
        if best and patterns[0] is _IN_FULL and _INITIALS_FIRST.match(body):
            continue  # "B. Klaus and P. Horn, Robot Vision. Cambridge": Robot is no author
        found = _scan(body, patterns, allowed)
        if found and (best is None or found[:2] > best[:2]):
            best = found
            if found[0] == _CLEAREST:
                break
    return best[2] if best else None


Name = re.Pattern[str]


def _styles(body: str) -> Sequence[tuple[tuple[Name, ...], frozenset[str]]]:
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
        ((_IN_FULL, _IN_FULL), full),
        ((_INITIALS_LAST, _INITIALS_LAST), clear),
        ((_POINTS_LAST, _POINTS_LAST), clear),
        ((_TURNED, _IN_FULL), full),
        ((_TURNED, _TURNED), full),
    )


def _scan(body: str, patterns: Sequence[Name], allowed: frozenset[str]) -> tuple[int, int, Head] | None:
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
            return clearness, len(names), Head(authors=(*names, *more), end=position, kind=kind)
    return None


def _behind(body: str, position: int) -> tuple[int, tuple[str, ...]]:
    """Step over "et al." and "(Eds.)"."""
    more: tuple[str, ...] = ()
    others = _OTHERS.match(body, position)
    if others:
        position, more = others.end(), ("others",)
    editors = _EDITORS.match(body, position)
    return (editors.end() if editors else position), more


def is_body(name: str) -> bool:
    """Tell whether these words name an organisation."""
    return _BODY.fullmatch(name) is not None


def _written(match: re.Match[str]) -> str:
    """Return the name with its family first, as references are sorted by; the name of an organisation as it is."""
    family, given = " ".join(match["family"].split()), " ".join(match["given"].split())
    if match.re is _IN_FULL and is_body(f"{given} {family}"):
        return f"{given} {family}"
    if given and family.isupper() and len(family) > 1:
        family = re.sub(rf"{LETTER}+", lambda word: word[0].capitalize(), family)
    suffix = match["suffix"].strip(" ,")
    return ", ".join(filter(None, (family, given, suffix)))
