"""The tree of summaries of a library as programs use it: what it holds, building it, and having a language model write in it.

A model writes the summaries from the passages up, each sentence with the passages that it stands on, and what it writes is kept as far as
these say it. Summaries without a model are in `tree.summarising`; reading the tree for a question is in `overview_retrieval`.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby, zip_longest
from typing import Protocol

from scholarmind.blocking import both
from scholarmind.calls import Budget, Request
from scholarmind.errors import BudgetError, ModelError, QueryError, SettingsError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.judge.claims import rule
from scholarmind.library.followers import TreeFollowing
from scholarmind.library.model_work import ModelWork, Outlook, Worked, outlook, why
from scholarmind.library_ports import Growing, Store, Tree
from scholarmind.llm.language_models import EstimatedCalls, Models
from scholarmind.llm.prompts import Assistant, fenced, within
from scholarmind.model import Evidence
from scholarmind.planning.plan_mending import plain
from scholarmind.relations import Summary, SummarySentence, SummaryTask, SummaryText, TreeCounts, TreeNode
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import is_order
from scholarmind.writing.attribution import is_drawn_from
from scholarmind.writing.sentence_content import covered, words_of

# -- what a model wrote, checked

_MOST_SENTENCES = 6
_MOST_PASSAGES = 5  # that one sentence stands on: with all of them nearly any words would be found somewhere
_LONGEST_SENTENCE = 500  # characters of a sentence
_KEYS = re.compile(r"\s*[\[(【（]P\d+(?:[,，、; ]+P\d+)*[\])】）]")
_LEAST = 0.6  # of its words, where it says in words of its own what several passages say


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSaid:
    """One sentence, and the keys of the passages that it stands on."""

    text: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReply:
    """What a model is asked for."""

    sentences: tuple[SentenceSaid, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _ShownPassage:
    """A passage as it was shown: the store's number for it, and its whole text."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _CheckedSummary:
    """The sentences that their passages say, and those that they do not."""

    kept: tuple[SummarySentence, ...]
    dropped: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        """Tell whether what is left can pass for what was written."""
        return bool(self.kept) and len(self.kept) >= len(self.dropped)


def _checked(reply: SummaryReply, shown: Mapping[str, _ShownPassage], marker: str) -> _CheckedSummary:
    """Hold each sentence of a summary against the passages that it names. One that names none, or others than were shown, says nothing."""
    kept: list[SummarySentence] = []
    dropped: list[str] = []
    for said in reply.sentences[:_MOST_SENTENCES]:
        text = plain(_KEYS.sub("", said.text), marker)
        keys = dict.fromkeys(key.strip(" []") for key in said.passages)
        standing = [shown[key] for key in keys if key in shown][:_MOST_PASSAGES]
        if not text:
            continue
        if len(text) <= _LONGEST_SENTENCE and standing and _is_said(text, [passage.text for passage in standing]):
            kept.append(SummarySentence(text=text, passages=tuple(passage.number for passage in standing)))
        else:
            dropped.append(text[:_LONGEST_SENTENCE])
    return _CheckedSummary(kept=tuple(kept), dropped=tuple(dropped))


def _is_said(sentence: str, texts: Sequence[str]) -> bool:
    """Tell whether passages say this: the judge confirms it, or leaves it open and its names, numbers and most of its words are theirs.

    What gives orders to a machine is said by nobody, wherever it stands.
    """
    if is_order(sentence):
        return False
    ruling = rule(sentence, texts)
    if ruling in ("doubtful", "refused"):
        share = covered(words_of(sentence), words_of("\n\n".join(texts)))
        return ruling == "doubtful" and share >= _LEAST and is_drawn_from(sentence, texts)
    return True


# -- writing with a model

_PURPOSE = "summary"
_MOST_TOKENS = 900  # of a reply
# at level 1, and above, where summaries stand beside the passages
_SHOWN = (24, 40)  # passages

_LONGEST_SHOWN = (1_200, 500)  # characters of each of them
_CHILDREN = 16  # summaries that one above them is made from
_PROMPT_TOKENS = (500, 1_500)  # of a prompt without its passages
_PASSAGE_TOKENS = (300, 150)


class WritableTree(Tree, Growing, Protocol):
    """A tree whose summaries can be written anew."""


@dataclass(slots=True)
class _Count:
    done: int = 0
    kept: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeWriting:
    """Writes the summaries of all trees, or of one collection's."""

    tree: WritableTree
    models: Models
    concurrency: int = 8
    collection: str | None = None

    async def outlook(self) -> Outlook:
        """Return what the summaries that no model has written yet would come to."""
        await self.models.named()
        waiting = [
            [node for node in level if node.by != "model"] for level in await levels_of(self.tree, self.collection)
        ]
        work = [_work(level, index, self.concurrency) for index, level in enumerate(waiting) if level]
        return outlook(sum(map(len, waiting)), work, self.models, self.concurrency)

    async def run(self, *, budget: Budget, on_event: OnEvent = ignore) -> Worked:
        """Write the summaries level by level, small ones first, until all are written or a limit is reached."""
        await self.models.named()
        levels = await levels_of(self.tree, self.collection)
        work = ModelWork(self.models, budget=budget, concurrency=self.concurrency, on_event=on_event)
        count = _Count(total=sum(node.by != "model" for level in levels for node in level))

        async def write(number: int) -> None:
            task = await self.tree.task(number)
            if task is None or task.node.by == "model" or not task.texts:
                count.total -= 1
                return
            try:
                summary = await self._written(task, work)
            except BudgetError:
                return
            if not await self._is_kept(task, summary):
                return
            count.done += summary.by == "model"
            count.kept += summary.by != "model"
            work.notes += [f"{summary.title!r}: {note}" for note in summary.notes]
            on_event(Progress(stage="summarise", done=count.done + count.kept, total=count.total, unit="summaries"))

        for level in levels:
            waiting = sorted((node for node in level if node.by != "model"), key=lambda node: node.passages)
            await work.each([node.number for node in waiting], write)
        return work.worked(done=count.done, kept=count.kept, left=count.total - count.done - count.kept)

    async def _written(self, task: SummaryTask, work: ModelWork) -> Summary:
        """Return the summary by the model, or the one that is there with a note; a BudgetError leaves it for another time."""
        node = task.node
        passages = await self._passages(task)
        shown = {
            f"P{place}": _ShownPassage(number=number, text=item.passage.text)
            for place, (number, item) in enumerate(passages.items(), 1)
        }
        try:
            reply = await work.reply(_request(task, list(passages.values()), shown, work.assistant))
        except BudgetError:
            raise
        except ModelError as error:
            return _as_it_was(node, f"no summary came from the model: {why(error)}")
        found = _checked(reply.value, shown, work.assistant.marker)
        if not found.is_enough:
            told = f"{len(found.dropped)} of {len(found.kept) + len(found.dropped)} sentences are not in their passages"
            return _as_it_was(node, f"the model's summary was not taken: {told}")
        notes = tuple(f"left out, since its passages do not say it: {text}" for text in found.dropped)
        return Summary(title=node.title, sentences=found.kept, by="model", notes=notes)

    async def _is_kept(self, task: SummaryTask, summary: Summary) -> bool:
        """Store a summary, unless what it was made from has changed meanwhile: then it is left for another time."""
        now = await self.tree.task(task.node.number)
        is_same = now is not None and now.texts == task.texts
        if is_same:
            await self.tree.summarise({task.node.number: summary})
        return is_same

    async def _passages(self, task: SummaryTask) -> Mapping[int, Evidence]:
        """Return the passages that are shown: those that the summary stands on first; above level 1 some of each child in turn."""
        if task.node.level == 1:
            standing = (number for sentence in task.node.summary for number in sentence.passages)
            chosen = [*standing, *(number for text in task.texts for number in text.passages)]
        else:
            children = [[number for text in texts for number in text.passages] for texts in _by_child(task)]
            chosen = [number for number in chain.from_iterable(zip_longest(*children)) if number is not None]
        few = list(dict.fromkeys(chosen))[: _SHOWN[task.node.level > 1]]
        found = await self.tree.evidence(few)
        return {number: found[number] for number in few if number in found}


async def levels_of(tree: Tree, collection: str | None = None) -> list[list[TreeNode]]:
    """Return all summaries by level, the lowest first."""
    levels: dict[int, list[TreeNode]] = {}
    waiting = await tree.roots(collection)
    while waiting:
        node = waiting.pop()
        levels.setdefault(node.level, []).append(node)
        if node.level > 1:
            waiting += await tree.children(node.number)
    return [levels[level] for level in sorted(levels)]


def _request(
    task: SummaryTask, passages: Sequence[Evidence], shown: Mapping[str, _ShownPassage], assistant: Assistant
) -> Request:
    keys = {passage.number: key for key, passage in shown.items()}
    above = task.node.level > 1
    summaries = "\n".join(_told(texts, keys) for texts in _by_child(task)[:_CHILDREN]) if above else ""
    return assistant.request(
        ("summary", language_of(" ".join(item.passage.text for item in passages[:8]))),
        purpose=_PURPOSE,
        max_tokens=_MOST_TOKENS,
        shape=SummaryReply,
        values={
            "most": str(_MOST_SENTENCES),
            "summaries": within(summaries, assistant.marker, "summaries") if summaries else "",
            "passages": fenced(passages, assistant.marker, longest=_LONGEST_SHOWN[above]).text,
        },
    )


def _by_child(task: SummaryTask) -> list[list[SummaryText]]:
    """Return what a summary above level 1 is made from, one list for each of those below."""
    return [list(texts) for _, texts in groupby(task.texts, key=lambda text: text.child)]


def _told(texts: Iterable[SummaryText], keys: Mapping[int, str]) -> str:
    """Return a summary of a lower level as the prompt for the next one shows it."""
    told = ["-"]
    for text in texts:
        standing = ", ".join(keys[number] for number in text.passages if number in keys)
        told.append(f"{text.text} [{standing}]" if standing else text.text)
    return " ".join(told)


def _as_it_was(node: TreeNode, note: str) -> Summary:
    return Summary(title=node.title, sentences=node.summary, by=node.by, notes=(note,))


def _work(nodes: Sequence[TreeNode], index: int, concurrency: int) -> EstimatedCalls:
    """Return what the summaries of one level come to."""
    above = index > 0
    shown = sum(min(_SHOWN[above], node.passages) for node in nodes) // len(nodes)
    told = _PROMPT_TOKENS[above] + shown * _PASSAGE_TOKENS[above]
    levels = -(-len(nodes) // concurrency)
    return EstimatedCalls(prompt="summary", calls=len(nodes), levels=levels, told=told, reply=_MOST_TOKENS)


# -- the tree

_NO_LIMIT = Budget()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """A summary with the passages that its sentences stand on, by their numbers, and the summaries below it as far as was asked."""

    node: TreeNode
    evidence: Mapping[int, Evidence]
    below: tuple["Outline", ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeState:
    """How far the tree is: its counts, and of the summaries that a model was to write those that it did not, by the reason."""

    counts: TreeCounts
    kept: Mapping[str, int] = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryTree:
    """The trees of one library. Every method can be called or, as `library.tree.counts.aio()`, awaited."""

    store: Store
    tree: WritableTree
    models: Callable[[], Models | None]
    concurrency: int = 8

    @both
    async def counts(self) -> TreeCounts:
        """Return how much the trees hold."""
        return await self.tree.counts()

    @both
    async def state(self) -> TreeState:
        """Return how far the trees are, and why summaries are not a model's that should be."""
        levels = await levels_of(self.tree)
        notes = (note for level in levels for node in level if node.by != "model" for note in node.notes)
        kept = Counter(note.partition(":")[0] for note in notes)
        return TreeState(counts=await self.tree.counts(), kept=dict(kept.most_common()))

    @both
    async def outline(self, node: int | None = None, *, depth: int = 1, collection: str | None = None) -> list[Outline]:
        """Return the summary of this node, or those at the top, with so many levels below."""
        await self._check(collection)
        if node is None:
            return [await self._outline(root, depth) for root in await self.tree.roots(collection)]
        found = await self.tree.node(node)
        if found is None or collection not in {None, found.collection}:
            raise QueryError(f"there is no summary {node}; 'scholarmind tree show' lists those at the top")
        return [await self._outline(found, depth)]

    @both
    async def build(self, *, again: bool = False, on_event: OnEvent = ignore) -> TreeCounts:
        """Bring the trees up to what the library holds, without a model; all of it anew, if `again`."""
        if again:
            await self.tree.renew()
        await TreeFollowing(store=self.store, tree=self.tree).follow(on_event)
        return await self.tree.counts()

    @both
    async def outlook(self, *, collection: str | None = None) -> Outlook:
        """Return what it would come to if the model wrote every summary that it has not written yet."""
        await self._check(collection)
        return await self._writing(collection).outlook()

    @both
    async def write(
        self, *, budget: Budget = _NO_LIMIT, collection: str | None = None, on_event: OnEvent = ignore
    ) -> Worked:
        """Have the model write the summaries within a budget; what it has written already costs nothing again."""
        await self._check(collection)
        return await self._writing(collection).run(budget=budget, on_event=on_event)

    async def _outline(self, node: TreeNode, depth: int) -> Outline:
        children = await self.tree.children(node.number) if depth > 1 and node.level > 1 else []
        numbers = [number for sentence in node.summary for number in sentence.passages]
        return Outline(
            node=node,
            evidence=await self.tree.evidence(numbers),
            below=tuple([await self._outline(child, depth - 1) for child in children]),
        )

    async def _check(self, collection: str | None) -> None:
        """Refuse the name of a collection that there is not."""
        known = {} if collection is None else await self.store.counts()
        if collection is not None and collection not in known:
            raise QueryError(f"there is no collection {collection!r}; there are: {', '.join(sorted(known)) or 'none'}")

    def _writing(self, collection: str | None) -> TreeWriting:
        models = self.models()
        if models is None:
            raise SettingsError("no language model is set; give --llm (such as ollama/qwen3 or openai/gpt-5-mini)")
        return TreeWriting(tree=self.tree, models=models, concurrency=self.concurrency, collection=collection)
