"""What a part was looked up in beside its passages, in one line: which levels of the tree, which relations of the graph."""

from collections.abc import Mapping
from typing import Any

_TITLES = 3


def told(record: Mapping[str, Any]) -> str:
    """Return a `consulted` event as a line: "tree: levels 2, 3 · Attention, Scaling · 12 passages"."""
    row = f" ({record['row']})" if record["row"] != str(record["part"]) else ""
    names = list(record["nodes"])
    named = ", ".join(names[:_TITLES]) + (f" and {len(names) - _TITLES} more" if len(names) > _TITLES else "")
    if record["structure"] == "tree":
        levels = list(record["levels"])
        where = [f"level{'s' * (len(levels) != 1)} {', '.join(map(str, levels))}", named]
    else:
        where = [", ".join(record["relations"]) + (f" from {named}" if named else "")]
    passages = f"{record['passages']} passage{'s' * (record['passages'] != 1)}"
    said = " · ".join(filter(None, (*where, passages, record["counted"])))
    return " ".join(f"{record['structure']}{row}: {said}".split())
