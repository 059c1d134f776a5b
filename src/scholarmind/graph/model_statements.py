"""What a language model says that passages state: believed only as far as code finds it in their words. Pure."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from scholarmind.graph.document_statements import LONGEST_NAME, number_of, own_name, paper_of, thing
from scholarmind.graph.gazetteer import is_telling
from scholarmind.graph.name_matching import key_of
from scholarmind.model import Document, Passage
from scholarmind.relations import Extracted, NodeKind, Relation, Statement, Thing

_SURE = 0.7  # that words which do stand there also mean what the model says
_ITSELF = frozenset(
    "this/we/this paper/the paper/our paper/this work/our work/this document/the document/本文/本论文/本文献/本工作/我们".split(
        "/"
    )
)

_NO_NAMES = _ITSELF | frozenset(
    "it/its/that/these/those/our/they/the/them/model/method/approach/baseline/system/dataset/task/the model/our model/this model/"
    "the method/our method/this method/the approach/our approach/the baseline/the dataset/this dataset/the task/this task/"
    "它/它们/该模型/该方法/本模型/本方法/模型/方法/系统/数据集/任务/该数据集/该任务".split("/")
)

_DENIED = re.compile(
    r"\b(?:not|never|neither|nor|cannot|fail(?:s|ed)? to|unable to|worse than)\b|n['’]t\b|不如|不及|未能|并未|并不|没有(?:超|优|改)|无法",
    re.IGNORECASE,
)

_ENDS: Mapping[Relation, tuple[tuple[NodeKind, ...], tuple[NodeKind, ...]]] = {
    "PROPOSES": (("paper",), ("method", "dataset")),
    "IMPROVES_ON": (("method",), ("method",)),
    "EVALUATED_ON": (("method",), ("dataset",)),
    "REPORTS": (("method",), ("dataset",)),
    "USES": (("method", "paper"), ("method", "dataset")),
    "ADDRESSES": (("method", "paper"), ("task",)),
}

_LATIN = re.compile(r"[0-9A-Za-z]")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatement:
    """One relation as a model says it; nothing of it is believed before it is checked."""

    relation: str
    source: str
    target: str
    passage: str
    quote: str
    source_kind: str = ""
    target_kind: str = ""
    metric: str = ""
    value: str = ""
    setting: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementsReply:
    """What a model is asked for: every relation that the passages state."""

    statements: tuple[ModelStatement, ...]


class _UnprovenError(ValueError):
    """The passages do not prove something that was said; the message tells what."""


def checked(
    reply: StatementsReply, passages: Mapping[str, Passage], document: Document
) -> tuple[list[Statement], Counter[str]]:
    """Return what of a reply the passages prove, and how often something was left out, by the reason."""
    kept: list[Statement] = []
    dropped: Counter[str] = Counter()
    for said in reply.statements:
        try:
            kept.append(_proven(said, passages, document))
        except _UnprovenError as error:
            dropped[str(error)] += 1
    return kept, dropped


def joined(ruled: Extracted, statements: Sequence[Statement], *, version: str) -> Extracted:
    """Return what the rules found with what the model found beside it; what both found stays the rules'."""
    known = set(map(_key, ruled.statements))
    more: list[Statement] = []
    for statement in statements:
        if (key := _key(statement)) not in known:
            known.add(key)
            more.append(statement)
    return replace(ruled, statements=(*ruled.statements, *more), version=version)


def _proven(said: ModelStatement, passages: Mapping[str, Passage], document: Document) -> Statement:
    """Return what is said as a statement, with the words that prove it."""
    relation = cast("Relation", said.relation.strip().upper())
    passage = passages.get(said.passage.strip().strip("[]"))
    if relation not in _ENDS:
        raise _UnprovenError("a relation that there is not")
    if passage is None:
        raise _UnprovenError("a passage that was not shown")
    start, end = _place(said.quote, passage.text)
    quote = passage.text[start:end]
    if relation in {"IMPROVES_ON", "PROPOSES"} and _DENIED.search(quote):
        raise _UnprovenError("a quote that denies it")
    sources, targets = _ENDS[relation]
    statement = Statement(
        relation=relation,
        source=_end(said.source, said.source_kind, sources, passage, document),
        target=_end(said.target, said.target_kind, targets, passage, document),
        confidence=_SURE,
        by="model",
        start=passage.start + start,
        end=passage.start + end,
    )
    if not any(_stands_in(end.name, quote) for end in (statement.source, statement.target)):
        raise _UnprovenError("a quote that names neither side")
    if _key_of(statement.source) == _key_of(statement.target):
        raise _UnprovenError("a thing in relation to itself")
    return _with_value(statement, said, quote, passage) if relation == "REPORTS" else statement


def _with_value(statement: Statement, said: ModelStatement, quote: str, passage: Passage) -> Statement:
    """Return a result with its number, if that stands in the quote, and its metric, if that stands in the passage."""
    value = _SPACE.sub("", said.value)
    number = number_of(value)
    if number is None or not _number_stands_in(value, quote):
        raise _UnprovenError("a number that is not in the quote")
    if not _stands_in(said.metric, passage.text):
        raise _UnprovenError("a metric that is not in the passage")
    setting = said.setting.strip() if _stands_in(said.setting, passage.text) else ""
    metric = " ".join(said.metric.split())
    return replace(statement, metric=metric, value=value, number=number, setting=setting)


def _end(name: str, kind: str, kinds: tuple[NodeKind, ...], passage: Passage, document: Document) -> Thing:
    """Return one side of a relation: the document itself, or a name that stands in the passage."""
    name = " ".join(name.split()).strip(" \"'“”‘’.,;:，。；：")
    said = kind.strip().casefold()
    chosen = kinds[[*kinds, said].index(said) % len(kinds)]  # the first, where it is none of them
    if "paper" in kinds and (chosen == "paper" or name.casefold() in _ITSELF):
        if name.casefold() not in {document.title.casefold(), own_name(document).casefold(), *_ITSELF} - {""}:
            raise _UnprovenError("another paper as its source")
        return paper_of(document)
    if name.casefold() in _NO_NAMES or not is_telling(name) or len(name) > LONGEST_NAME:
        raise _UnprovenError("a word that is no name")
    if not _stands_in(name, passage.text):
        raise _UnprovenError("a name that is not in the passage")
    return thing(chosen, name)


def _place(quote: str, text: str) -> tuple[int, int]:
    """Return where a quote stands in a text, whatever the white space and the case."""
    words = quote.strip().strip('"“”').split()
    found = re.search(r"\s*".join(map(re.escape, words)), text, re.IGNORECASE) if words else None
    if found is None:
        raise _UnprovenError("a quote that is not in the passage")
    return found.span()


def _stands_in(name: str, text: str) -> bool:
    """Tell whether a name stands in a text, and not within a longer word."""
    words = list(map(re.escape, name.split()))
    if not words:
        return False
    before = r"(?<![0-9A-Za-z])" if _LATIN.match(name.strip()[0]) else ""
    after = r"(?![0-9A-Za-z])" if _LATIN.match(name.strip()[-1]) else ""
    return re.search(before + r"\s*".join(words) + after, text, re.IGNORECASE) is not None


def _number_stands_in(value: str, quote: str) -> bool:
    digits = value.strip("%％~≈<>± ")
    return re.search(rf"(?<![\d.,]){re.escape(digits)}(?!\d|[.,]\d)", _SPACE.sub(" ", quote)) is not None


def _key(statement: Statement) -> tuple[object, ...]:
    """Return what two statements have in common that are one edge."""
    value = statement.value if statement.number is None else statement.number
    return (statement.relation, _key_of(statement.source), _key_of(statement.target), value)


def _key_of(end: Thing) -> tuple[str, str, str]:
    return (end.kind, key_of(end.kind, end.name), end.scope)


def told(dropped: Mapping[str, int]) -> Iterator[str]:
    """Yield in words what was left out of replies."""
    for reason, count in sorted(dropped.items(), key=lambda item: (-item[1], item[0])):
        yield f"{count} left out that the model said: {reason}"
