"""A list that the graph gives, and clauses in short behind it: `which methods improve on BERT, on which datasets, and by whom`."""

import re

from scholarmind.planning.draft import Draft, reference
from scholarmind.planning.structured.recognising import recognise
from scholarmind.planning.words import is_chinese, question
from scholarmind.text.patterns import lazy_regex

_LISTS = frozenset({"method", "paper", "dataset"})
_BREAK = lazy_regex(
    r",\s*(?:and\s+)?|[，；]\s*(?:以及|并且|而且|又)?|\s+and\s+(?=(?:(?:by|on|with)\s+)?(?:whom?|which|what|where|when)\b)"
)
_SHORT: tuple[tuple[str, str], ...] = (
    (
        r"(?:on|with) (?:which|what) (?:data ?sets?|benchmarks?)(?: (?:were|are) they evaluated)?",
        "On which datasets was {} evaluated?",
    ),
    (
        r"by whom(?: (?:were|are) they (?:proposed|introduced))?|who (?:proposed|introduced) (?:them|each)",
        "Who proposed {}?",
    ),
    (r"who wrote (?:them|each)", "Who wrote {}?"),
    (r"by (?:which|what) (?:research )?(?:groups?|institutions?|labs?)", "Which institution proposed {}?"),
    (r"(?:with|to) (?:which|what) (?:results?|scores?|performance|effect)", "What are the results of {}?"),
    (r"(?:where|at which (?:venues?|conferences?))(?: (?:were|are) they published)?", "Where was {} published?"),
    (r"where (?:are|were|do|did) they (?:come )?from", "Which institution proposed {}?"),
    (r"when(?: (?:were|are) they (?:proposed|published))?", "When was {} proposed?"),
    (
        r"(?:分别|各自?|都)?在(?:哪些|什么)(?:数据集|基准)上?(?:做|进行)?[了过]?(?:评测|评估|测试)?[了过]?",
        "{} 在哪些数据集上做了评测？",
    ),
    (r"(?:分别|各自?|都)?(?:是|由|是由)?谁(?:提出|发明|做)?的?", "{} 是谁提出的？"),
    (r"(?:它们的)?(?:作者|提出者)(?:分别|各自?|都)?(?:是|有)(?:谁|哪些人?)", "{} 的作者是谁？"),
    (r"(?:分别|各自?|都)?(?:使用|采用)了?(?:哪些|什么)(?:数据集|基准)", "{} 使用了哪些数据集？"),
    (r"(?:分别|各自?|都)?用了?(?:哪些|什么)(?:数据集|基准)", "{} 用了哪些数据集？"),
    (r"(?:分别|各自?|都)?(?:是|由|是由)?(?:哪些?个?|什么)(?:机构|团队|研究组)(?:提出)?的?", "{} 由哪个机构提出？"),
    (r"(?:分别|各自?)?(?:效果|性能|结果|表现)(?:如何|怎样|怎么样)", "{} 的结果如何？"),
)
_ASKED = tuple((lazy_regex(pattern, re.IGNORECASE), asked) for pattern, asked in _SHORT)


def carried_on(text: str) -> list[Draft]:
    """Return the question for the list and what is asked of each of its items, or nothing."""
    pieces = [piece.strip() for piece in _BREAK.split(text.strip().rstrip("?？。.")) if piece and piece.strip()]
    listed = recognise(pieces[0]) if len(pieces) > 1 else None
    if listed is None or listed.form != "list" or listed.wanted not in _LISTS:
        return []
    asked = [_asked(piece, chinese=is_chinese(pieces[0])) for piece in pieces[1:]]
    if not all(asked):
        return []
    return [Draft(text=question(pieces[0])), *(Draft(text=each, after=(0,), each=True) for each in asked)]


def _asked(piece: str, *, chinese: bool) -> str:
    """Return what is asked of one item, ''  if a clause is not one of these."""
    asked = next((asked for pattern, asked in _ASKED if pattern.fullmatch(piece)), "")
    said = asked.format(reference(0))
    return said.replace(" ", "") if chinese else said
