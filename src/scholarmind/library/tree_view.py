"""The tree of summaries of a library as programs use it: what it holds, building it, and having a model write in it."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scholarmind.blocking import both
from scholarmind.calls import Budget
from scholarmind.errors import QueryError, SettingsError
from scholarmind.events import OnEvent, ignore
from scholarmind.library.model_work import Outlook, Worked
from scholarmind.library.tree_following import TreeFollowing
from scholarmind.library.tree_writing import TreeWriting, WritableTree, levels_of
from scholarmind.library_ports import Store
from scholarmind.llm.models import Models
from scholarmind.model import Evidence
from scholarmind.relations import TreeCounts, TreeNode

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
