"""How counted things are called in the two languages: kinds, names in a row, years, the heads of a table, what stands below it."""

from collections.abc import Mapping, Sequence

from scholarmind.relations import NodeKind, Query

_NOUNS: Mapping[NodeKind, tuple[str, str, str]] = {
    "paper": ("paper", "papers", "论文"),
    "author": ("author", "authors", "作者"),
    "institution": ("institution", "institutions", "机构"),
    "method": ("method", "methods", "方法"),
    "dataset": ("data set", "data sets", "数据集"),
    "metric": ("metric", "metrics", "指标"),
    "task": ("task", "tasks", "任务"),
    "venue": ("venue", "venues", "会议或期刊"),
    "year": ("year", "years", "年份"),
}
_HEADS: Mapping[str, str] = {
    "paper": "论文", "year": "年份", "papers": "论文数", "method": "方法", "metric": "指标", "value": "数值",
    "setting": "条件", "builds on": "基于", "also": "另见", "shared by": "共有", "steps": "步数", "stated by": "出处", "which": "哪些",
    "author": "作者", "institution": "机构", "data set": "数据集", "task": "任务", "venue": "会议或期刊", "source": "出处",
}  # fmt: skip
_MOST_NAMED = 12


def columns_of(heads: Sequence[str], *, chinese: bool) -> tuple[str, ...]:
    """Return the heads of a table in the language of the question."""
    return tuple(_HEADS.get(head, head) if chinese else head for head in heads)


def noun(kind: NodeKind, *, chinese: bool, many: bool = False) -> str:
    """Return what a kind of node is called."""
    one, several, in_chinese = _NOUNS[kind]
    return in_chinese if chinese else several if many else one


def listing(names: Sequence[str], *, chinese: bool, most: int = _MOST_NAMED) -> str:
    """Return names as a list in a sentence, the first of them if they are many."""
    shown, more = list(names[:most]), len(names) - most
    if chinese:
        return "、".join(shown) + (f"等{len(names)}项" if more > 0 else "")
    comma = "; " if any(", " in name for name in shown) else ", "
    if more > 0:
        return comma.join(shown) + f" and {more} more"
    return "".join(shown) if len(shown) < 2 else comma.join(shown[:-1]) + f" and {shown[-1]}"


def span(query: Query, *, chinese: bool) -> str:
    """Return the years that a question is restricted to, in words; '' for none."""
    since, until = query.since, query.until
    if since is None and until is None:
        return ""
    if since == until:
        return f"{since}年" if chinese else f" of {since}"
    if since is None:
        return f"{until}年及以前" if chinese else f" until {until}"
    if until is None:
        return f"{since}年以来" if chinese else f" since {since}"
    return f"{since}年至{until}年" if chinese else f" from {since} to {until}"
