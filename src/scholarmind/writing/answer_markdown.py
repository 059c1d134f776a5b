"""The Markdown of an answer: the writer's own words, foreign words made harmless, and marks around claims and citations.

Words of documents show as they are and do nothing; of what a model wrote headings, bold, lists and tables stay; HTML, links, images and
code do nothing. Where claims and citations stand is marked by private-use characters, which are removed from all words of documents,
questions and models before they come in here; `placed` takes them out once the answer is composed.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from scholarmind.answer import Citation, Claim, Draft
from scholarmind.text.language import HAN, lazy_regex
from scholarmind.text.untrusted import BRACKETS, NO_BRACKETS, disarmed, unlinked

# -- our own words in English and Chinese, and words of documents

_LETTERS = re.compile(r"[A-Za-z]{2,}")
_SPACE = re.compile(r"\s+")
_SPECIAL = re.compile(r"[\\`*_\[\]|~#{}]")
_AT_START = re.compile(r"^(?:([-+=>])|(\d{1,9})([.)]))")
_ENTITY = re.compile(r"&(?=[#A-Za-z])")  # an `&` between spaces is none: Devlin & Chang
_TAGS = str.maketrans({"<": "&lt;", ">": "&gt;"})
# invisible signs that turn the direction of text or hide words in it; the joiners of Indian scripts and of emoji stay
_KEPT_FORMATS = frozenset("\u200c\u200d")

_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "en": {
            "label": "*Quoted from your documents; no model wrote any of it.*",
            "nothing": "Nothing found.",
            "nothing but": "Nothing found: {why}.",
            "nearest": "Nearest to it, which may not answer it:",
            "failed": "This part failed: {error}",
            "see": "See above, under {row}.",
            "yes": "Yes.",
            "no": "No.",
            "table": "From a table:",
            "list": "From a list:",
            "contradict": "**Your documents contradict each other here:**",
            "conflict": "these state different numbers for the same thing: {keys}",
            "otherwise": "**Other documents say otherwise:**",
            "other names": "these name different people: {keys}",
            "absent": "–",
            "same": "By these figures, {first} and {second} are equal: {value}",
            "compared": "By these figures, {first} ({high}) is {word} {second} ({low})",
            "higher": "above",
            "lower": "below",
            "later": "later than",
            "earlier": "earlier than",
            "counted label": "*Counted in your documents by code; no model wrote any of it.*",
            "mixed label": "*Counted in your documents by code, and quoted from them; no model wrote any of it.*",
            "beside label": "**Counted in your documents** (by code, not by the model)",
            "below label": "**Most of the text above could not be confirmed (†). Your documents themselves say:**",
            "sources": "Sources",
            "more": "and {count} more",
            "names": ", ",
            "names and more": "{names} and {count} more",
            "tally note": "Note: {text}",
        },
        "zh": {
            "label": "*以下内容引自您的文档，没有一句由模型撰写。*",
            "nothing": "没有找到。",
            "nothing but": "没有找到：{why}。",
            "nearest": "最接近的一处，未必能回答：",
            "failed": "这一部分未能完成：{error}",
            "see": "见上文第 {row} 部分。",
            "yes": "是。",
            "no": "否。",
            "table": "摘自表格：",
            "list": "摘自列表：",
            "contradict": "**这里的文档互相矛盾：**",
            "conflict": "以下来源对同一事项给出了不同的数字：{keys}",
            "otherwise": "**另有文档说法不同：**",
            "other names": "以下来源说的不是同一些人：{keys}",
            "absent": "–",
            "same": "从这些数字看，{first}与{second}相同：{value}",
            "compared": "从这些数字看，{first}（{high}）{word}{second}（{low}）",
            "higher": "高于",
            "lower": "低于",
            "later": "晚于",
            "earlier": "早于",
            "counted label": "*以下结果由程序统计自您的文档，没有一句由模型撰写。*",
            "mixed label": "*以下内容由程序统计自您的文档或引自其中，没有一句由模型撰写。*",
            "beside label": "**统计自您的文档**（由程序统计，而非模型）",
            "below label": "**上文多数内容未能得到证实（†）。以下是文档中的原句：**",
            "sources": "来源",
            "more": "另有 {count} 项",
            "names": "、",
            "names and more": "{names}等{all}项",
            "tally note": "注：{text}",
        },
    }
)


def words_for(question: str) -> Mapping[str, str]:
    """Return the wording in the language of a question: Chinese if it has any to speak of, else English."""
    han, latin = len(HAN.findall(question[:2_000])), len(_LETTERS.findall(question[:2_000]))
    return _WORDS["zh" if han and 2 * han >= latin else "en"]


def harmless(text: str) -> str:
    """Return words of a document as Markdown that shows them within a line, does nothing else, and looks like no citation of ours."""
    return literal(disarmed(text))


def literal(text: str) -> str:
    """Return text as Markdown that shows it within a line as it is, also citations and marks of ours that stand in it."""
    visible = "".join(
        character
        for character in _SPACE.sub(" ", text)
        if unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co") or character in _KEPT_FORMATS
    )
    flat = _ENTITY.sub("&amp;", visible.strip()).translate(_TAGS)
    plain = _SPECIAL.sub(lambda match: "\\" + match[0], flat)
    return unlinked(plain)


def starting(markdown: str) -> str:
    """Return harmless Markdown that may also begin a line or a list item."""
    return _AT_START.sub(lambda match: f"\\{match[1]}" if match[1] else f"{match[2]}\\{match[3]}", markdown)


def bracketed(key: str) -> str:
    """Return a citation key in its brackets."""
    return f"[{harmless(key.translate(NO_BRACKETS))}]"


# -- Markdown of a model, whole or in pieces that do not end within a word

_SPECIAL_IN_MARKDOWN = re.compile(r"[\\`_\[\]~{}]")
_INDENTED = re.compile(r"^[ \t]{4,}|^\t+", re.MULTILINE)  # would be code
_UNDERLINE = re.compile(r"^( {0,3})(?==)", re.MULTILINE)  # would make a heading of the line above
_MARKERS = re.compile(r"^[ \t]*(?:#{1,6}[ \t]+|[-*+•][ \t]+|\d{1,3}[.)][ \t]+|>[ \t]*)+")
_EMPHASIS = re.compile(r"(?<![\d*])\*{1,3}|\*{1,3}+(?!\d)|(?<!\w)_{1,2}(?=\w)|(?<=\w)_{1,2}(?!\w)|`+|~~")


def safe(markdown: str, *, begins_line: bool = True) -> str:
    """Return Markdown that formats text, and does nothing else."""
    if not begins_line:
        return safe(f"x{markdown}")[1:]
    visible = "".join(
        character
        for character in markdown.replace("\r\n", "\n").replace("\r", "\n")
        if character in "\n\t"
        or character in _KEPT_FORMATS
        or unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co")
    )
    flat = _ENTITY.sub("&amp;", _INDENTED.sub("   ", visible)).translate(_TAGS)
    plain = _UNDERLINE.sub(r"\1\\", _SPECIAL_IN_MARKDOWN.sub(lambda match: "\\" + match[0], flat))
    return unlinked(plain)


def unmarked(markdown: str) -> str:
    """Return the words of a line without what formats them, to be compared with other words."""
    return " ".join(_EMPHASIS.sub("", _MARKERS.sub("", markdown)).split())


# -- marks around claims and citations

_BEGINS, _ENDS, _CITED, _CITED_ENDS = "\ue002", "\ue003", "\ue004", "\ue005"
_DIGITS = {ord("0") + digit: 0xE010 + digit for digit in range(10)}
_NUMBERS = {other: digit for digit, other in _DIGITS.items()}
ANCHOR = lazy_regex(rf"[{_BEGINS}{_ENDS}][\ue010-\ue019]+|[{_CITED}{_CITED_ENDS}]")
RESERVED = dict.fromkeys(
    range(0xE000, 0xE020)
)  # for `str.translate`: nobody else writes these, nor the marks of `answer_stream`

_EDGE = " \t\n"
_ESCAPE = "\\"
_QUOTED = re.compile(rf"\\?{BRACKETS.pattern}")
Place = tuple[int, int]


def claimed(number: int, markdown: str) -> str:
    """Return the words of a claim, by its place among the claims of the draft, in marks that say so."""
    return begun(number, ended(number, markdown))


def begun(number: int, markdown: str) -> str:
    """Return words that a claim begins with."""
    return f"{_BEGINS}{str(number).translate(_DIGITS)}{markdown}"


def ended(number: int, markdown: str) -> str:
    """Return words that a claim ends with."""
    return f"{markdown}{_ENDS}{str(number).translate(_DIGITS)}"


def cite(key: str) -> str:
    """Return a citation in its brackets, in marks that say so."""
    return f"{_CITED}{bracketed(key)}{_CITED_ENDS}"


def unanchored(markdown: str) -> str:
    """Return the text as people see it."""
    return ANCHOR.sub("", markdown)


def renumbered(markdown: str, numbers: Mapping[int, int]) -> str:
    """Return the text with its claims numbered in another way; those that have no new number are none any more."""

    def changed(match: re.Match[str]) -> str:
        if match[0] in (_CITED, _CITED_ENDS):
            return match[0]
        number = numbers.get(_number(match[0]))
        return "" if number is None else match[0][0] + str(number).translate(_DIGITS)

    return ANCHOR.sub(changed, markdown)


def placed(draft: Draft) -> Draft:
    """Return the draft without marks, each claim and citation with its place in the text; what is not shown has none.

    A citation's place is that of its first brackets in or behind a claim that rests on it, before the next claim begins.
    """
    keys = {citation.key: bracketed(citation.key) for citation in _citations(draft)}
    text, claims, marks = _read(_without_keys(draft.text, keys.values()))
    begins = sorted(start for start, _ in claims.values())
    found: dict[Citation, Place] = {}
    for number in sorted(claims, key=lambda number: claims[number]):
        start, end = claims[number]
        following = bisect_left(begins, end)
        stop = begins[following] if following < len(begins) else len(text)
        for citation in draft.claims[number].citations:
            places = marks.get(keys[citation.key], [])
            first = bisect_left(places, (start, start))
            if citation not in found and first < len(places) and places[first][0] < stop:
                found[citation] = places[first]

    def with_place(citation: Citation) -> Citation:
        start, end = found.get(citation, (None, None))
        return replace(citation, start=start, end=end)

    def shown(number: int, claim: Claim) -> Claim:
        start, end = claims.get(number, (None, None))
        return replace(claim, start=start, end=end, citations=tuple(map(with_place, claim.citations)))

    return replace(
        draft,
        text=text,
        claims=tuple(shown(number, claim) for number, claim in enumerate(draft.claims)),
        citations=tuple(map(with_place, draft.citations)),
    )


def moved(draft: Draft, by: int) -> Draft:
    """Return a draft whose text will stand so many characters further behind."""

    def there(place: int | None) -> int | None:
        return None if place is None else place + by

    def cited(citation: Citation) -> Citation:
        return replace(citation, start=there(citation.start), end=there(citation.end))

    claims = tuple(
        replace(claim, start=there(claim.start), end=there(claim.end), citations=tuple(map(cited, claim.citations)))
        for claim in draft.claims
    )
    return replace(draft, claims=claims, citations=tuple(map(cited, draft.citations)))


def _citations(draft: Draft) -> Iterator[Citation]:
    yield from draft.citations
    for claim in draft.claims:
        yield from claim.citations


def _without_keys(markdown: str, keys: Iterable[str]) -> str:
    """Return the text in which no quoted bracket holds just what one of its own citations is called, such as the title of a note."""
    known = {_folded(key[1:-1]) for key in keys}

    def changed(match: re.Match[str]) -> str:
        ours = match[0].startswith("[")
        return match[0] if ours or _folded(match[1]) not in known else f"‹{match[1].strip().removesuffix(_ESCAPE)}›"

    return _QUOTED.sub(changed, markdown)


def _folded(key: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", unanchored(key)).removesuffix(_ESCAPE).casefold().split())


def _read(markdown: str) -> tuple[str, dict[int, Place], dict[str, list[Place]]]:
    """Return the text, the place of each claim by its number, and those of all citations by what stands in the text."""
    pieces: list[str] = []
    length = last = open_citation = 0
    open_claims: dict[int, int] = {}
    claims: dict[int, Place] = {}
    marks: list[Place] = []
    for match in ANCHOR.finditer(markdown):
        pieces.append(markdown[last : match.start()])
        length, last = length + match.start() - last, match.end()
        if match[0] == _CITED:
            open_citation = length
        elif match[0] == _CITED_ENDS:
            marks.append((open_citation, length))
        elif match[0][0] == _BEGINS:
            open_claims[_number(match[0])] = length
        elif (number := _number(match[0])) in open_claims:
            claims.setdefault(number, (open_claims.pop(number), length))
    text = "".join((*pieces, markdown[last:]))
    citations = {end: start for start, end in marks}
    by_key: dict[str, list[Place]] = {}
    for start, end in marks:
        by_key.setdefault(text[start:end], []).append((start, end))
    return (
        text,
        {number: trimmed for number, place in claims.items() if (trimmed := _trimmed(text, place, citations))},
        by_key,
    )


def _trimmed(text: str, place: Place, citations: Mapping[int, int]) -> Place | None:
    """Return the place without white space, and without citations at its end."""
    start, end = place
    while start < end and text[start] in _EDGE:
        start += 1
    while end > start and (text[end - 1] in _EDGE or end in citations):
        end = citations.get(end, end - 1)
    return (start, end) if start < end else None


def _number(anchor: str) -> int:
    return int(anchor[1:].translate(_NUMBERS))
