"""How a question is worked on: each strategy is a team of its own, put together from the same steps and ports.

A module `NAME_team` of this folder is the strategy NAME, and nothing else lists it: `team` changes the team of `plan`, and `CALLS` are the
calls to a model that it makes, for estimates. `plan` itself is in `teams`.
"""

import pkgutil
from importlib import import_module
from types import ModuleType

_ENDING = "_team"


def strategy_names() -> tuple[str, ...]:
    """Return what `strategy` can be set to."""
    modules = [module.name for module in pkgutil.iter_modules(__path__)]
    return ("plan", *(name.removesuffix(_ENDING) for name in modules if name.endswith(_ENDING)))


def strategy_module(name: str) -> ModuleType:
    """Return the module of a strategy other than `plan`: its rules take a while to be read."""
    return import_module(f"{__name__}.{name}{_ENDING}")
