"""What is a sentence that can be quoted: whole prose, not a heading, a list of works, the rest of a table, or a question."""

import re

_HAN = "\u3400-\u9fff"
_LONGEST, _SHORTEST, _SHORTEST_HAN = 700, 20, 8
_FEWEST_LETTERS = 12  # of a quotation that code can verify
_ENDS = re.compile(r"[.!…。！；;:：](?:[\"'”’)\]」』）]|\[\d{1,3}\])*$")
_ENDS_IN_A_LETTER = re.compile(r"(?:^|[\s(])[a-z]\.$")  # "c.": an abbreviation, so the sentence goes on
_ASKS = re.compile(r"[?？][\"'”’)\]」』）]*$")
_MARKUP = re.compile(r"^(?:#{1,6}\s|\|)|\|[^|]{0,200}\||\t[^\t]{0,200}\t|^(?:!\[|<)")
_WORKS = re.compile(
    r"\bet al\.,? ?(?:\(?\d{4}|[A-Z\"“])|\bpp?\. ?\d|\bdoi:|\bdoi\.org|\barXiv(?: preprint|:)|\bProceedings of\b|\b[Vv]ol\. ?\d|\bISBN\b"
)
_NUMBERED = re.compile(r"^\[\d{1,4}\]\s")
_FAMILY_FIRST = re.compile(r"\b[A-Z][a-z]+, [A-Z]\.")
_INITIALS = re.compile(r"\b[A-Z]\. ?(?:[A-Z]\. ?)?[A-Z][a-z]+,")
_CHINESE_WORKS = re.compile(r"\[[JMCDPR](?:/OL)?\]")
_LEANS = re.compile(
    r"(?:It|They|He|She|Its|Their|His|Her|These|Those|This|That|Such|Both|However|Therefore|Thus|Moreover|Furthermore|In addition|"
    r"Consequently|Hence|The (?:former|latter|same))\b(?! (?:paper|work|article|study|report|note|chapter|section|is (?:well )?known|was "
    r"(?:announced|reported))\b)|(?:它|他|她|该|其|这|此|后者|前者|上述|因此|然而|但|同时|另外|此外|所以|不过)(?!篇|文|论文)"
)
_OPENING = re.compile(rf"[A-Z0-9{_HAN}\"'“‘(《「（\[$€£¥\u00c0-\u00de\u0391-\u042f]|[a-z]+[A-Z0-9-]")
_OF_PERSONS = re.compile(
    r"\b(?:by|from|of|at) (?:[A-Z]\w+ ){2}|\b(?:comes from|published|proposed by|written by|joint work|authors?|team)\b|作者|来自|发表"
)
_LETTER = re.compile(r"[^\W\d_]")


def is_prose(sentence: str) -> bool:
    """Tell whether a sentence is whole text and says something by itself."""
    text = sentence.strip()
    if not _is_sized(text) or _ASKS.search(text) or _MARKUP.search(text) or is_work(text):
        return False
    letters = len(_LETTER.findall(text))
    return letters >= 0.45 * len(text.replace(" ", "")) and not _is_heading(text)


def _is_sized(text: str) -> bool:
    shortest = _SHORTEST_HAN if re.search(rf"[{_HAN}]{{4}}", text) else _SHORTEST
    return shortest <= len(text) <= _LONGEST


def _is_heading(text: str) -> bool:
    """Take a short line without a full stop for a heading."""
    return not ends(text) and (len(text) < 60 if text.isascii() else len(text) < 16)


def ends(text: str) -> bool:
    """Tell whether the text ends as a sentence does."""
    return _ENDS.search(text[-12:]) is not None and not _ENDS_IN_A_LETTER.search(text[-4:])


def begins(text: str) -> bool:
    """Tell whether the text begins as a sentence does, not in the middle of one."""
    return _OPENING.match(text) is not None


def is_short(text: str) -> bool:
    """Tell whether the text has too few letters for a quotation that can be checked."""
    return sum(map(str.isalnum, text[:200])) < _FEWEST_LETTERS


def is_work(text: str) -> bool:
    """Tell whether this is a line of a list of works."""
    signs = len(_WORKS.findall(text)) + 2 * bool(_NUMBERED.match(text)) + bool(_INITIALS.search(text))
    signs += min(2, len(_FAMILY_FIRST.findall(text)))
    return signs >= 2 or _CHINESE_WORKS.search(text) is not None


def leans(text: str) -> bool:
    """Tell whether the sentence needs the one before it: it begins with a pronoun or a linking word."""
    return _LEANS.match(text.lstrip("\"'“‘(")) is not None


def tells_of_persons(text: str) -> bool:
    """Tell whether a sentence tells who made something, or where it appeared."""
    return _OF_PERSONS.search(text) is not None
