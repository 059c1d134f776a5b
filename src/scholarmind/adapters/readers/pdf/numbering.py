"""How headings are numbered, and what sections of papers are called."""

import re
from dataclasses import dataclass

REFERENCES = re.compile(
    r"(?:(?:(?:notes|literature|select(?:ed)?|annotated|general|further|bibliographic(?:al)?|cited)\s(?:(?:and|&)\s)?)?"
    r"(?:references?|bibliography)(?:\s(?:(?:and|&)\s(?:\w+\s){0,2}\w+|cited|list))?|"
    r"literature(?:\scited)?|works\scited|literaturverzeichnis|literatur|"
    r"参考文献|參考文獻|引用文献)",
    re.IGNORECASE,
)
CONTENTS = re.compile(
    r"(?:(?:table of )?contents|contents in brief|list of (?:figures|tables|listings|algorithms)|inhaltsverzeichnis|inhalt|"
    r"目\s*[录錄次]|图目录|表目录)",
    re.IGNORECASE,
)
ABSTRACT = re.compile(r"(?:abstract|summary|zusammenfassung|[摘概]\s*要)", re.IGNORECASE)
APPENDIX = re.compile(r"(?:appendi(?:x|ces)|supplement(?:ary|al)\b.*|附\s*[录錄].*)", re.IGNORECASE)
_KNOWN = re.compile(
    r"(?:introduction|background|related works?|methods?|methodology|materials and methods|results?|results and discussion|"
    r"discussion|conclusions?|acknowledge?ments?|acknowledge?ments? and .*|limitations|ethics statement|funding|data availability|"
    r"author contributions|competing interests|引\s*言|绪\s*论|前\s*言|结\s*论|结\s*语|致\s*谢|讨\s*论|方\s*法|结\s*果)",
    re.IGNORECASE,
)
_NAMES = re.compile(
    "|".join(names.pattern for names in (_KNOWN, REFERENCES, ABSTRACT, APPENDIX, CONTENTS)), re.IGNORECASE
)
_HAN_NUMBER = "一二三四五六七八九十百零〇"
_NUMBERED = (
    ("chapter", re.compile(r"(?i:chapter|part)\s+(?P<n>\d+|[IVXLC]+)\b\s*[.:：—–-]?\s*(?P<t>.*)")),
    ("chapter", re.compile(rf"第\s*(?P<n>[{_HAN_NUMBER}\d]+)\s*[章编編部篇]\s*(?P<t>.*)")),
    ("section", re.compile(rf"第\s*(?P<n>[{_HAN_NUMBER}\d]+)\s*[节節]\s*(?P<t>.*)")),
    ("han", re.compile(rf"(?P<n>[{_HAN_NUMBER}]+)\s*[、．.]\s*(?P<t>\S.*)")),
    ("hanbracket", re.compile(rf"[(（](?P<n>[{_HAN_NUMBER}]+)[)）]\s*(?P<t>\S.*)")),
    (
        "decimal",
        re.compile(
            r"§?\s?(?P<n>\d{1,2}(?:\.\d{1,2}){0,4})(?:[.．、]\s*|\s+|(?=[\u3400-\u9fff]))(?P<t>[^\s\d.,;:%)].*)"
        ),
    ),
    ("roman", re.compile(r"(?P<n>[IVX]{1,5})[.．]\s+(?P<t>[^\s\d].*)")),
    ("letter", re.compile(r"(?:Appendix\s+)?(?P<n>[A-Z](?:\.\d{1,2}){1,4})[.:]?\s+(?P<t>[^\s\d].*)")),
    (
        "appendix",
        re.compile(r"(?:Appendix|APPENDIX|Annex|附录)\s*(?P<n>[A-Z]|\d{1,2}|[IVX]{1,4})\b[.:：]?\s*(?P<t>.*)"),
    ),
    ("capital", re.compile(r"(?P<n>[A-Z])[.．]?\s+(?P<t>[A-Z\u3400-\u9fff].*)")),
)
_MAY_BE_NUMBERED = re.compile(
    rf"§|\d|[A-Z]{{1,5}}[.．\s]|[A-Z]\.\d|(?i:chapter|part|appendix|annex)|附录|第|[(（]?[{_HAN_NUMBER}]"
)
_SPACED = re.compile(r"(?:[^\W\d_] ){3,}[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Number:
    """How a heading is numbered: the kind of numbering, its parts, and what stands behind it."""

    kind: str
    parts: tuple[str, ...]
    title: str


def number_of(text: str) -> Number | None:
    """Return the numbering that a line begins with, if it is one that headings have."""
    bare = text.strip()
    if not _MAY_BE_NUMBERED.match(bare):
        return None
    for kind, pattern in _NUMBERED:
        found = pattern.fullmatch(bare)
        if found:
            return Number(kind, tuple(found["n"].split(".")), found["t"])
    return None


def is_known(text: str) -> bool:
    """Tell whether this is what sections of papers are called."""
    return _NAMES.fullmatch(bare_name(text)) is not None


def bare_name(text: str) -> str:
    """Return a heading without its number and signs around it, and not spaced out."""
    if _SPACED.fullmatch(text.strip()):
        text = "".join(text.split())
    number = number_of(text)
    return (number.title if number is not None and number.title else text).strip(" .:：")


def ordinals(number: Number) -> tuple[int, ...]:
    """Return the parts of a number as they count."""
    return tuple(_ordinal(part, number.kind) for part in number.parts)


def _ordinal(part: str, kind: str) -> int:
    if part.isdecimal():
        return int(part)
    if kind == "roman":
        values = [{"I": 1, "V": 5, "X": 10}[letter] for letter in part]
        return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))
    if part and all(character in _HAN_NUMBER for character in part):
        before, ten, behind = part.rpartition("十")
        digits = "零一二三四五六七八九"
        return (max(digits.find(before or "一"), 1) * 10 if ten else 0) + max(digits.find(behind), 0)
    return ord(part[0]) - ord("A") + 1 if part else 0
