"""Have a language model read what rules miss: relations that passages state, each proved by code before it enters the graph."""

import asyncio
import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from scholarmind.blocking import both
from scholarmind.calls import Budget
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.graph.document_statements import LONGEST_NAME, number_of, own_name, paper_of, thing
from scholarmind.graph.gazetteer import KnownNames, is_telling, named_in
from scholarmind.graph.name_matching import key_of
from scholarmind.graph.rule_reading import VERSION, extract
from scholarmind.library.model_work import ModelWork, Outlook, Worked, outlook, why
from scholarmind.library_ports import Graph, Store
from scholarmind.llm.language_models import EstimatedCalls, Models, tokens_of
from scholarmind.llm.prompts import fenced
from scholarmind.model import Document, Entry, Evidence, Passage, Scores
from scholarmind.relations import Extracted, NodeKind, Relation, Statement, Thing
from scholarmind.text.language import language_of

# -- replies, believed only as far as code finds them in the passages

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
    # where a quote stands in a text, whatever the white space and the case
    words = said.quote.strip().strip('"“”').split()
    found = re.search(r"\s*".join(map(re.escape, words)), passage.text, re.IGNORECASE) if words else None
    if found is None:
        raise _UnprovenError("a quote that is not in the passage")
    start, end = found.span()
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


# -- the work

_PURPOSE = "statements"
_BATCH_TOKENS = 2_500  # of passages in one call: in more of them models overlook what is stated
_BATCH_PASSAGES = 16
_MOST_TOKENS = 3_000  # of a reply
_PROMPT_TOKENS = 800
_LONGEST = 4_000  # characters of a passage
_SAMPLE = 200  # documents that an estimate looks at
_ALL = 1_000_000_000
_NO_LIMIT = Budget()
_SETTLED_AT_ONCE = 200  # names


@dataclass(slots=True)
class _ExtractedRelations:
    """What the calls about one document brought."""

    statements: list[Statement] = field(default_factory=list[Statement])
    dropped: Counter[str] = field(default_factory=Counter[str])
    failed: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class _ExtractionCount:
    done: int = 0
    kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter[str])


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphModelling:
    """Adds to the graph what a model finds."""

    store: Store
    graph: Graph
    models: Models
    concurrency: int = 8

    @both
    async def outlook(self) -> Outlook:
        """Return what reading all documents that wait for this model would come to; of many, some are looked at."""
        waiting = await self._waiting()
        looked_at = waiting[:: max(1, len(waiting) // _SAMPLE)]
        batches = tokens = 0
        for collection, id in looked_at:
            if entry := await self.store.entry(collection, id):
                for batch in batches_of(entry.passages):
                    batches += 1
                    tokens += sum(tokens_of(passage.text) for passage in batch)
        share = len(waiting) / max(1, len(looked_at))
        calls, told = round(batches * share), round(tokens / max(1, batches))
        work = EstimatedCalls(prompt="statements", calls=calls, told=told + _PROMPT_TOKENS, reply=_MOST_TOKENS)
        return outlook(len(waiting), [work], self.models, self.concurrency)

    @both
    async def run(self, *, budget: Budget = _NO_LIMIT, on_event: OnEvent = ignore) -> Worked:
        """Read all documents that wait for this model, until all are read or a limit is reached."""
        waiting = await self._waiting()
        # the names that documents may speak of, as the rules know them
        documents = await self.store.documents()
        known = await asyncio.to_thread(lambda: KnownNames.of(named_in(*documents)))
        work = ModelWork(self.models, budget=budget, concurrency=self.concurrency, on_event=on_event)
        count = _ExtractionCount()

        async def read(key: tuple[str, str]) -> None:
            entry = await self.store.entry(*key)
            try:
                found = await self._read(entry, work) if entry else _ExtractedRelations()
            except BudgetError:
                return
            await self._keep(entry, found, known, count)
            work.notes += [f"{key[1]}: {failure}" for failure in found.failed]
            count.dropped += found.dropped
            on_event(Progress(stage="relate", done=count.done + count.kept, total=len(waiting), unit="documents"))

        try:
            await work.each(waiting, read)
        finally:
            while await self.graph.settle(_SETTLED_AT_ONCE):
                pass
        work.notes[:0] = told(count.dropped)
        left = len(waiting) - count.done - count.kept
        return work.worked(done=count.done, kept=count.kept, left=left)

    async def _waiting(self) -> list[tuple[str, str]]:
        await self.models.named()
        return await self.graph.waiting(self._version, _ALL)

    @property
    def _version(self) -> str:
        """What a document is done by: the rules, and on top of them this model with these prompts."""
        versions = self.models.prompts.versions()
        prompts = hashlib.sha256("".join(versions[f"{_PURPOSE}.{code}.md"] for code in ("en", "zh")).encode())
        return f"{VERSION} + {self.models.names.get('extraction', '')} {prompts.hexdigest()[:12]}"

    async def _read(self, entry: Entry, work: ModelWork) -> _ExtractedRelations:
        """Return what a model finds in a document; a BudgetError leaves all of it for another time."""
        found = _ExtractedRelations()
        calls = [self._ask(entry.document, batch, work, found) for batch in batches_of(entry.passages)]
        for error in await asyncio.gather(*calls, return_exceptions=True):
            if isinstance(error, BaseException):
                raise error
        return found

    async def _ask(
        self, document: Document, batch: Sequence[Passage], work: ModelWork, found: _ExtractedRelations
    ) -> None:
        """Have some passages read; those that are too much for the model in two halves."""
        shown = fenced(
            [Evidence(passage=passage, document=document, scores=Scores(fused=0.0)) for passage in batch],
            work.assistant.marker,
            longest=_LONGEST,
        )
        request = work.assistant.request(
            ("statements", language_of(" ".join(passage.text for passage in batch[:3]))),
            purpose=_PURPOSE,
            max_tokens=_MOST_TOKENS,
            shape=StatementsReply,
            values={"passages": shown.text},
        )
        try:
            reply = await work.reply(request)
        except BudgetError:
            raise
        except ContextOverflowError as error:
            if len(batch) == 1:
                found.failed.append(_failure(batch, error))
                return
            half = len(batch) // 2
            for part in (batch[:half], batch[half:]):
                await self._ask(document, part, work, found)
        except ModelError as error:
            found.failed.append(_failure(batch, error))
        else:
            passages = {key: item.passage for key, item in shown.passages.items()}
            statements, dropped = checked(reply.value, passages, document)
            found.statements += statements
            found.dropped += dropped

    async def _keep(
        self, entry: Entry | None, found: _ExtractedRelations, known: KnownNames, count: _ExtractionCount
    ) -> None:
        """Store what was found in a document, unless it has become another one meanwhile."""
        now = entry and await self.store.entry(entry.document.collection, entry.document.id)
        if entry is None or now is None or now.hash != entry.hash:
            count.kept += 1
            return
        ruled = await asyncio.to_thread(extract, entry, known)
        version = ruled.version if found.failed else self._version
        statements = sorted(found.statements, key=lambda statement: (statement.start, statement.end))
        await self.graph.put([joined(ruled, statements, version=version)])
        count.done += not found.failed
        count.kept += bool(found.failed)


def batches_of(passages: Sequence[Passage]) -> Iterator[tuple[Passage, ...]]:
    """Yield the passages of a document in groups that are shown to a model together."""
    batch: list[Passage] = []
    tokens = 0
    for passage in passages:
        size = tokens_of(passage.text[:_LONGEST])
        if batch and (tokens + size > _BATCH_TOKENS or len(batch) == _BATCH_PASSAGES):
            yield tuple(batch)
            batch, tokens = [], 0
        batch.append(passage)
        tokens += size
    if batch:
        yield tuple(batch)


def _failure(batch: Sequence[Passage], error: ModelError) -> str:
    first, last = batch[0].position + 1, batch[-1].position + 1
    places = f"passage {first}" if first == last else f"passages {first} to {last}"
    return f"{places} could not be read by the model, rules alone did: {why(error)}"
