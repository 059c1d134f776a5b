"""Give passages a second vector from an embedder that knows more languages: last of all, since everything can be found without."""

from dataclasses import dataclass

from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library.ingest import embed
from scholarmind.library_ports import Multilingual, Store
from scholarmind.ports import Embedder

_AT_ONCE = 64
_UNKNOWN_LIMIT = 0.3  # above this share of unknown tokens not even this embedder can make sense of a text


@dataclass(frozen=True, slots=True, kw_only=True)
class MultilingualFollowing:
    """Follows one store. Stopped anywhere it goes on there; what has its vector is found by it at once."""

    store: Store
    space: Multilingual
    embedder: Embedder

    async def follow(self, on_event: OnEvent = ignore) -> None:
        """Bring the second vectors up to what the library holds now; those that have no other come first."""
        made_by = self.embedder.fingerprint
        if not (await self.space.reach(made_by)).missing:
            return
        async with self.store.writing():
            for_all: bool | None = None
            while (reach := await self.space.reach(made_by)).missing and reach.is_for_all != for_all:
                for_all = reach.is_for_all
                await self._fill(made_by, reach.missing, on_event)

    async def _fill(self, made_by: str, total: int, on_event: OnEvent) -> None:
        after = done = 0
        while waiting := await self.space.waiting(made_by, _AT_ONCE, after):
            vectors = await embed(self.embedder, [item.text for item in waiting], _UNKNOWN_LIMIT)
            await self.space.fill(made_by, {item.number: one for item, one in zip(waiting, vectors, strict=True)})
            after, done = waiting[-1].number, done + len(waiting)
            on_event(Progress(stage="multilingual", done=done, total=max(total, done), unit="passages"))
