"""Have a language model write the summaries of the tree, from the passages up. What it writes is kept as far as its passages say it.

A summary that cannot be had, or of which too little is kept, stays as it was made without a model, with a note that says why.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, zip_longest
from typing import Protocol

from scholarmind.calls import Budget, Request
from scholarmind.errors import BudgetError, ModelError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library.model_work import ModelWork, Outlook, Worked, outlook, why
from scholarmind.library.tree_reply import MOST_SENTENCES, Shown, SummaryReply, checked
from scholarmind.library_ports import Growing, Tree
from scholarmind.llm.assistant import Assistant
from scholarmind.llm.estimate import Work
from scholarmind.llm.fences import fenced, within
from scholarmind.llm.models import Models
from scholarmind.model import Evidence
from scholarmind.relations import Summary, SummaryTask, SummaryText, TreeNode
from scholarmind.text.language import language_of

_PURPOSE = "summary"
_MOST_TOKENS = 900  # of a reply
# at level 1, and above, where summaries stand beside the passages
_SHOWN = (24, 40)  # passages
_LONGEST = (1_200, 500)  # characters of each of them
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
            f"P{place}": Shown(number=number, text=item.passage.text)
            for place, (number, item) in enumerate(passages.items(), 1)
        }
        try:
            reply = await work.reply(_request(task, list(passages.values()), shown, work.assistant))
        except BudgetError:
            raise
        except ModelError as error:
            return _as_it_was(node, f"no summary came from the model: {why(error)}")
        found = checked(reply.value, shown, work.assistant.marker)
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
    task: SummaryTask, passages: Sequence[Evidence], shown: Mapping[str, Shown], assistant: Assistant
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
            "most": str(MOST_SENTENCES),
            "summaries": within(summaries, assistant.marker, "summaries") if summaries else "",
            "passages": fenced(passages, assistant.marker, longest=_LONGEST[above]).text,
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


def _work(nodes: Sequence[TreeNode], index: int, concurrency: int) -> Work:
    """Return what the summaries of one level come to."""
    above = index > 0
    shown = sum(min(_SHOWN[above], node.passages) for node in nodes) // len(nodes)
    told = _PROMPT_TOKENS[above] + shown * _PASSAGE_TOKENS[above]
    levels = -(-len(nodes) // concurrency)
    return Work(prompt="summary", calls=len(nodes), levels=levels, told=told, reply=_MOST_TOKENS)
