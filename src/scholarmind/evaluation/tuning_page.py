"""The report of a tuned setting as a page: what is recommended and why, the curve, and the check on other questions."""

from collections.abc import Iterator, Mapping
from typing import Any

from scholarmind.evaluation.page import facts, figure, page, paragraph, table, text
from scholarmind.evaluation.plots import Dot, curve


def tuning_page(told: Mapping[str, Any]) -> str:
    """Return the page of what `tune` returned."""
    return page(f"{told['setting']} on {told['dataset']}", _parts(told))


def _parts(told: Mapping[str, Any]) -> Iterator[str]:
    metric, tuning, others = told["metric"], told["tuning"], told["others"]
    yield paragraph(f"Recommended: {told['setting']} = {told['recommended']}: {told['why']}.", "claim")
    dots = [
        Dot(label=row["value"], mean=row["mean"], low=row["low"], high=row["high"], marked=row["value"] == told["best"])
        for row in tuning["values"]
    ]
    caption = (
        f"{metric} on the {tuning['n']} questions for tuning: mean and 95 % interval of each value; filled is the best. The intervals "
        "are of the means themselves and overlap also where a difference is sure: the table has the differences."
    )
    yield figure(curve(dots, f"{metric} by {told['setting']}"), caption)
    yield "<h2>On the questions for tuning</h2>"
    rows = [
        [_marked(row["value"], told), f"{row['mean']:.3f}", *_beside(row["difference"])] for row in tuning["values"]
    ]
    yield table([told["setting"], metric, "to what is set", "95 % interval", "helped / hurt"], rows, numbers=4)
    yield f"<h2>On the {others['n']} other questions</h2>"
    names = list(dict.fromkeys((told["default"], told["best"])))
    changes = {told["best"]: others.get("difference", {})}
    rows = [[_marked(name, told), f"{others[name]:.3f}", *_beside(changes.get(name, {}))] for name in names]
    yield table([told["setting"], metric, "to what is set", "95 % interval", "helped / hurt"], rows, numbers=4)
    yield paragraph(
        "The best value was chosen by the questions for tuning, so its lead on them is partly luck; only the others judge it.",
        "note",
    )
    yield "<h2>Conditions</h2>"
    yield facts(told["conditions"])


def _marked(value: str, told: Mapping[str, Any]) -> str:
    marks = [mark for mark, name in (("set", "default"), ("best", "best")) if told[name] == value]
    return f'{text(value)} <span class="soft">{", ".join(marks)}</span>' if marks else text(value)


def _beside(changed: Mapping[str, Any]) -> list[str]:
    if not changed:
        return ["", "", ""]
    return [
        f"{changed['mean']:+.3f}",
        f"{changed['low']:+.3f} to {changed['high']:+.3f}",
        f"{changed['helped']} / {changed['hurt']}",
    ]
