"""Regular expressions that are compiled when they are first used: there are many hundreds, and a question or a search needs few of them."""

import re
from functools import cached_property
from typing import Any, cast


class _LazyRegex:
    """Stands in for a compiled pattern until something of it is needed, and keeps whatever was."""

    def __init__(self, source: str, flags: int) -> None:
        self.pattern, self._flags = source, flags

    @cached_property
    def _compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self._flags)

    def __getattr__(self, name: str) -> Any:  # only asked for what is not here yet: `search`, `sub` ...
        found = getattr(self._compiled, name)
        setattr(self, name, found)
        return found


def lazy_regex(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what can be used as `re.compile(source, flags)`, except in the functions of `re` itself."""
    return cast("re.Pattern[str]", _LazyRegex(source, flags))
