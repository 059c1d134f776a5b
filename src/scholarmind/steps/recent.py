"""A memory of what was worked out lately, which ends with the process; and one of nothing."""

from collections import OrderedDict

_SIZE = 1_000


class Recent:
    """Keeps values by address, and forgets what was not asked for longest. A ResponseCache."""

    def __init__(self, size: int = _SIZE) -> None:
        self._size = size
        self._values: OrderedDict[str, str] = OrderedDict()

    async def get(self, address: str) -> str | None:
        """Return what is kept there, if anything is."""
        if address in self._values:
            self._values.move_to_end(address)
        return self._values.get(address)

    async def put(self, address: str, value: str) -> None:
        """Keep a value in place of what was there."""
        self._values[address] = value
        self._values.move_to_end(address)
        while len(self._values) > self._size:
            self._values.popitem(last=False)


class Nothing:
    """Keeps nothing. A ResponseCache."""

    async def get(self, address: str) -> str | None:
        """Return None: there is nothing."""
        del address

    async def put(self, address: str, value: str) -> None:
        """Forget it."""
        del address, value
