"""Text of others made safe: it can be stored, steers no terminal, is taken for no citation or link of ours, and its orders are known.

Our citations and status marks are `[Author, year]`, `[Title]`, `[P1]` and ✓ ✗ † ~ – before or behind what they judge. Where a document, a
question, a title or a model has such a thing, its brackets become ‹ › and the mark stands in them: `‹Realman, 1901› ‹✓› verified`. What is
no citation stays: [12], [CLS], arr[i]. How a model is kept from obeying what it reads is in `llm`.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

from scholarmind.errors import QueryError
from scholarmind.text.language import lazy_regex

# -- names of files, what people type, and what would steer a terminal

# C0 but for tab and line feed, DEL, C1, what turns or marks the direction of text, other line ends, annotations, half characters
_STEERING = lazy_regex(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb\ud800-\udfff]"
)

_LONGEST_QUESTION = 100_000  # characters; what is longer is a document, and would be kept with every run


def check_question(question: str) -> None:
    """Refuse a question that asks nothing, or that is as long as a book."""
    if not question.strip():
        raise QueryError(
            f"the question {question[:40]!r} is empty; ask something, such as 'How do BERT and GPT-2 differ?'"
        )
    if len(question) > _LONGEST_QUESTION:
        raise QueryError(
            f"the question has {len(question):,} characters, and {_LONGEST_QUESTION:,} at most can be asked; "
            f"add the text to the library as a document, and ask about it: {question[:40]!r} ..."
        )


def printable(path: Path) -> str:
    """Return the path as text that can be stored and shown, even if its name is not valid UTF-8."""
    return bytes(path).decode("utf-8", "backslashreplace")


def storable(text: str) -> str:
    """Return the text without half characters, which come from arguments and names that are not valid UTF-8."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text  # itself: a book need not be in memory twice


def uncontrolled(text: str) -> str:
    """Return the text without anything that moves a cursor, colours a screen, rings a bell, or turns the order of letters around."""
    return _STEERING.sub("\ufffd", text)


def escaped(json: str) -> str:
    r"""Return JSON text in which all of that is written as \uXXXX: it says the same, and can be looked at in a terminal."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", storable(json))


# -- what could be taken for a citation, a status mark or a link of ours

_OPENING = "[［【〔〖〘〚⟦❲﹝⁅⦋⦍⦏⌊⌈⎡⎣"  # what looks like a square bracket
_CLOSING = "]］】〕〗〙〛⟧❳﹞⁆⦌⦎⦐⌋⌉⎤⎦"
NO_BRACKETS = str.maketrans(dict.fromkeys(_OPENING, "(") | dict.fromkeys(_CLOSING, ")"))
_SQUARE = "[［"  # in which titles stand; lenticular ones are headings of Chinese texts
_BRACKET = lazy_regex(f"[{re.escape(_OPENING + _CLOSING)}]")
BRACKETS = lazy_regex(rf"[{re.escape(_OPENING)}]([^{re.escape(_OPENING + _CLOSING)}]{{1,300}})[{re.escape(_CLOSING)}]")
_LONGEST_IN_BRACKETS, _LONGEST_UNCLOSED = 300, 60  # characters in brackets; behind one that is not closed
_UNSEEN = frozenset("\u115f\u1160\u2800\u3164\uffa0*_`\\")  # blank letters, and what Markdown takes away
_PASSAGE = lazy_regex(r"\W*P\s?\d{1,4}(?:\W+(?:P\s?)?\d{1,4})*\W*", re.IGNORECASE)
_LETTER = lazy_regex(r"[^\W\d_]")
_DATED = lazy_regex(r"(?<!\d)\d{4}(?!\d)|\bn\.?\s?d\b|\bet al\b|等[，,]", re.IGNORECASE)
_TITLE = lazy_regex(r"[^\W\d_]{2,}\W+(?:\w+\W+)*?[^\W\d_]{2,}|[\u3400-\u9fff]{2}")
_INDEX = lazy_regex(r"[A-Za-z0-9_)\]]\Z")  # arr[row, column]
_ADDRESS = lazy_regex(r"(?<=[A-Za-z])://")
_HOST = lazy_regex(r"\b(www)\.", re.IGNORECASE)
_MAIL = lazy_regex(r"(?<=[\w.+-])@(?=[\w-]+\.)")
_STATUS_SIGNS = "✓✔☑✅🗸🗹✗✘☒❌❎✕✖🗴🗵🗶🗷†‡✝"
_STATUS = (
    r"(?:verified|answered|partial|paraphrase|conflicting|not in the library|not confirmed|failed|unsupported|conclusion)\b"
    r"|(?:已核实|已验证|已证实|已回答|部分|改写|矛盾|资料库中没有|文档库中没有|未证实|未经证实|失败|结论)(?![\u3400-\u9fff])"
)

_STATUS_ALONE = lazy_regex(rf"\W*(?:{_STATUS})\W*", re.IGNORECASE)
_MARK = lazy_regex(
    rf"‹[{_STATUS_SIGNS}]\ufe0f?›"  # shown so already
    rf"|(?P<sign>[{_STATUS_SIGNS}]\ufe0f?)"
    rf"|(?<![^\s|\]］›)）。.!?！？])(?P<before>[~～∼〜≈≠–−])(?=\s*(?:{_STATUS}))"
    r"|(?<=[.!?。！？\]］›)）])(?P<behind>[~～∼〜])(?=\s|\Z)",
    re.IGNORECASE,
)


def disarmed(text: str) -> str:
    """Return the text of others without anything that looks like a citation or a status mark of ours. Twice is as good as once."""
    return _apply(text, list(_changes(text)), 0, len(text))


def disarmed_pieces(text: str, places: Sequence[int]) -> list[str]:
    """Return the same cut at these places of the text, in their order: what stands across one of them is changed as well."""
    changes = list(_changes(text))
    return [_apply(text, changes, start, end) for start, end in pairwise((0, *places, len(text)))]


def unlinked(markdown: str) -> str:
    """Return Markdown in which no address becomes a link by itself."""
    return _MAIL.sub("&#64;", _HOST.sub(r"\1&#46;", _ADDRESS.sub("&#58;//", markdown)))


def _apply(text: str, changes: Sequence[tuple[int, int, str]], start: int, end: int) -> str:
    pieces: list[str] = []
    for begin, stop, other in changes:
        if start <= begin < end:
            pieces += (text[start:begin], other)
            start = min(stop, end)
    return "".join((*pieces, text[start:end]))


def _changes(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield what has to be replaced, in order."""
    found: list[tuple[int, int, str]] = []
    for start, end in _bracket_pairs(text):
        if _is_like_ours(text, start, end):
            found.append((start, start + 1, "‹"))
            found += [(end, end + 1, "›")] if end < len(text) else []
    marks = ((mark, mark.lastgroup) for mark in _MARK.finditer(text))
    found += [(*mark.span(kind), f"‹{mark[kind]}›") for mark, kind in marks if kind]
    yield from sorted(found)


def _bracket_pairs(text: str) -> Iterator[tuple[int, int]]:
    """Yield where brackets open and close; one that is cut off at the end of the text closes there."""
    opened: list[int] = []
    for match in _BRACKET.finditer(text):
        if match[0] in _OPENING:
            opened.append(match.start())
        elif opened and match.start() - (start := opened.pop()) <= _LONGEST_IN_BRACKETS:
            yield start, match.start()
    for start in opened:
        if len(text) - start <= _LONGEST_UNCLOSED and text[start + 1 : start + 2].isalpha():
            yield start, len(text)


def _is_like_ours(text: str, start: int, end: int) -> bool:
    """Tell whether a bracket could be read as a citation, by what is to be seen of it."""
    inside = "".join(
        character
        for character in unicodedata.normalize("NFKC", text[start + 1 : end])
        if character not in _UNSEEN and (character.isspace() or unicodedata.category(character)[0] not in "MC")
    )
    if _PASSAGE.fullmatch(inside) or _STATUS_ALONE.fullmatch(inside):
        return True
    if _LETTER.search(inside) and _DATED.search(inside):
        return True
    is_title = end < len(text) and text[start] in _SQUARE and not _INDEX.search(text[max(0, start - 1) : start])
    return is_title and _TITLE.search(inside) is not None


# -- orders to a machine that reads a document: text like any other, but they tell nothing of a subject. A sentence on such matters
# ("language models ignore instructions in long prompts") is none: an order begins a sentence or a clause, or names the reply that is
# asked for

_ADDRESSEE = r"(?:ai|a\.i\.|assistant|chatbot|(?:large )?language model|llm|gpt\S*|model|agent|summari[sz]er)"
_REPLY = r"(?:summary|answer|response|reply|output)"
_BEGINS_ANEW = r"(?:(?<![^.!?:;\"“])|(?<=[.!?:;\"“] )|(?<=\bplease ))"
_BEGINS = (
    rf"(?:{_BEGINS_ANEW}|(?<=,)|(?<=, )|(?<=\bmust )|(?<=\bshould )|(?<=\bto )|(?<=\bnow )|(?<=\band )|(?<=\bthen ))"
)

_IGNORE = r"(?:ignore|disregard|forget|override|bypass)"
_SAY = r"(?:include|write|add|put|mention|output|reply|respond|answer|say|print|repeat|state|begin|start)"
_ENGLISH_ORDER = lazy_regex(
    rf"\b(?:(?={_IGNORE}\b){_BEGINS}{_IGNORE}\b.{{0,40}}\b(?:instructions?|prompts?|rules|guidelines|everything"
    r"|(?:previous|above|prior)\b.{0,20}(?:text|context)|(?:said|written|told|stated) (?:above|before|earlier|so far))\b"
    rf"|(?={_IGNORE}\b){_BEGINS_ANEW}{_IGNORE} (?:the|this|any|every|all|my|your)\b.{{0,20}}\bquestions?\b"
    rf"|(?={_IGNORE}\b){_BEGINS_ANEW}{_IGNORE} (?:(?:all|everything) )?(?:of )?(?:the |what is )?(?:above|previous|foregoing)[.!,;:]"
    r"|summar(?:y|ies) of this\b.{0,40}\b(?:must|should|shall|has to|have to)\b"
    rf"|(?=when){_BEGINS}when(?:ever)? (?:you are )?asked\b.{{0,80}}\b(?:always|never|recommend|say|reply|answer)\b"
    r"|new (?:task|role|rules?|instructions?):|system prompt|as an ai\b"
    rf"|(?:you are|you're|act as|pretend to be|imagine you are)\b(?: now)?(?: an?| the)?.{{0,20}}\b{_ADDRESSEE}\b"
    rf"|(?:dear|hey|attention|note to|message to|instructions? (?:to|for))\b[ ,:]*(?:the |any |all )?{_ADDRESSEE}\b"
    rf"|{_ADDRESSEE} must (?:only |always )?(?:answer|say|reply|respond|write|state|ignore)\b"
    r"|(?:if|when|while|before) you(?: are|'re)? (?:now )?(?:summari[sz]|read(?:ing)? this as)"
    rf"|{_SAY}\b.{{0,60}}\byour {_REPLY}\b"
    rf"|(?={_SAY}\b){_BEGINS_ANEW}{_SAY}\b.{{0,60}}\b(?:the|this|any) {_REPLY}\b"
    rf"|(?:your|this|the) {_REPLY} (?:must|should|shall|has to|needs to) (?:say|state|begin|start|end|contain|include|mention|recommend)"
    r"|you must (?:answer|say|reply|respond|output|write)\b"
    rf"|(?={_SAY}\b){_BEGINS_ANEW}{_SAY} (?:only|exactly|with|that|the (?:words?|following|sentence))\b)"
    r"|<\|?(?:im_start|im_end|system|assistant|endoftext)\|?>|\[/?inst\]|^\s*(?:system|assistant)\s*:",
    re.DOTALL,
)

_CHINESE_ORDER = lazy_regex(
    r"(?:忽略|无视|忘记|忘掉|不要理会|不要遵循|绕过)(?!了).{0,15}(?:指令|指示|提示|要求|规则|上文|前文|以上内容)"
    r"|(?:^|请|[，。！；：])(?:忽略|无视|忘记|忘掉|不要理会|不要遵循)(?!了).{0,20}(?:问题|内容|以上|之前)"
    r"|(?:总结|概括|摘要|回答)[^，。]{0,10}时[，,]?.{0,4}(?:请|必须|务必|应当)"
    r"|(?:你(?:现在)?(?:是|扮演)|请扮演|假装).{0,12}(?:ai|助手|助理|语言模型|人工智能|机器人)"
    r"|(?:作为|致|亲爱的)(?:一个|一名|一款|所有)?(?:ai|人工智能|大?语言模型|大模型|智能助手)"
    r"|(?:请|务必|必须|应当|一定要).{0,6}在(?:你的|本|该)?(?:总结|摘要|回答|回复|答案|输出)(?:中|里|开头|结尾)"
    r"|(?:你的)(?:总结|摘要|回答|回复|答案|输出)(?:中|里)?(?:必须|应当|务必|请|要)"
    r"|你(?:必须|只能|应该|要)(?:回答|回复|说|输出)|(?:^|[，。！；：])请(?:只|直接)?(?:回答|回复|输出)|系统提示",
)


def is_order(text: str) -> bool:
    """Tell whether a text gives orders to a language model that reads it, or calls on one."""
    small = text.lower()  # the patterns are in small letters: that takes half as long as not to mind
    return bool(_ENGLISH_ORDER.search(small) or (not small.isascii() and _CHINESE_ORDER.search(small)))
