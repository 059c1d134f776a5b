"""Have a language model read what rules miss: relations that passages state, each proved by code before it enters the graph.

A document whose calls all succeeded is done for this model and this prompt. One with a call that failed keeps what rules found, and
what the other calls brought; it says so, and is asked for again the next time.
"""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scholarmind.blocking import both
from scholarmind.calls import Budget
from scholarmind.errors import BudgetError, ContextOverflowError, ModelError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.graph.gazetteer import KnownNames, named_in
from scholarmind.graph.model_statements import StatementsReply, checked, joined, told
from scholarmind.graph.rule_reading import VERSION, extract
from scholarmind.library.model_work import ModelWork, Outlook, Worked, outlook, why
from scholarmind.library_ports import Graph, Store
from scholarmind.llm.language_models import EstimatedCalls, Models, tokens_of
from scholarmind.llm.prompts import fenced
from scholarmind.model import Document, Entry, Evidence, Passage, Scores
from scholarmind.relations import Statement
from scholarmind.text.language import language_of

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
        known = await self._known()
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

    async def _known(self) -> KnownNames:
        """Return the names that documents may speak of, as the rules know them."""
        documents = await self.store.documents()
        return await asyncio.to_thread(lambda: KnownNames.of(named_in(*documents)))


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
