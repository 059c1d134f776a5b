"""Keep the trees of summaries in step with the documents: let them grow, then say anew what the nodes that changed are about."""

from dataclasses import dataclass, field

from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library_ports import Growing, Store
from scholarmind.tree.summarising import Extractive, Summariser

_AT_ONCE = 64  # summaries that are stored together


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeFollowing:
    """Follows one store. Stopped anywhere it goes on there; until a new tree is whole, the one before it serves."""

    store: Store
    tree: Growing
    summariser: Summariser = field(default_factory=Extractive)

    async def follow(self, on_event: OnEvent = ignore) -> None:
        """Bring the trees up to what the library holds now."""
        if not await self.tree.behind():
            return
        async with self.store.writing():
            while await self._grow() or await self._summarise(on_event):
                pass

    async def _grow(self) -> bool:
        """Do every step that needs no summary; tell whether there was one."""
        steps = 0
        while await self.tree.grow():
            steps += 1
        return bool(steps)

    async def _summarise(self, on_event: OnEvent) -> bool:
        """Make the summaries that are to be made, the lowest level first; tell whether there were any."""
        total, done = await self.tree.unsummarised(), 0
        while tasks := await self.tree.tasks(_AT_ONCE):
            summaries = await self.summariser.summarise(tasks)
            numbers = (task.node.number for task in tasks)
            await self.tree.summarise(dict(zip(numbers, summaries, strict=True)))
            done += len(tasks)
            on_event(Progress(stage="tree", done=done, total=max(total, done), unit="summaries"))
        return bool(done)
