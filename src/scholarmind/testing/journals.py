"""A journal that keeps nothing on disk."""


class MemoryJournal:
    """A journal that ends with its program. `steps` lists what was put, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, str]] = []  # run and step
        self._values: dict[tuple[str, str], str] = {}

    async def get(self, run: str, address: str) -> str | None:
        """Return what this run noted under the address."""
        return self._values.get((run, address))

    async def put(self, run: str, address: str, step: str, value: str) -> None:
        """Note it."""
        self.steps.append((run, step))
        self._values[run, address] = value
