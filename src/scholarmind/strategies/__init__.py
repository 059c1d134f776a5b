"""How a question is worked on: each strategy is a team of its own, put together from the same steps and ports.

A module `NAME_team` of this folder is the strategy NAME, and nothing else lists it: `team` changes the team of `plan`, and `CALLS` are the
calls to a model that it makes, for estimates. `plan` also puts together the team that the others change.
"""

import pkgutil
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from scholarmind.components import TeamComposition

_ENDING = "_team"


def strategy_names() -> tuple[str, ...]:
    """Return what `strategy` can be set to."""
    modules = [module.name for module in pkgutil.iter_modules(__path__)]
    names = [name.removesuffix(_ENDING) for name in modules if name.endswith(_ENDING)]
    return tuple(sorted(names, key=lambda name: name != "plan"))


def strategy_module(name: str) -> ModuleType:
    """Return the module of a strategy, whose rules take a while to be read."""
    return import_module(f"{__name__}.{name}{_ENDING}")


def composition() -> "TeamComposition":
    """Return what puts the team of a run together."""
    return cast("TeamComposition", strategy_module("plan"))
