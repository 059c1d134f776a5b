"""What stands below a table, in the language of the question: what it leaves open, and what it leaves out."""

from collections.abc import Sequence


def not_shown(left: int, *, chinese: bool) -> str:
    """Return that there are more lines than are shown."""
    return f"另有 {left} 项未列出" if chinese else f"{left} more {'is' if left == 1 else 'are'} not shown"


def by_words(papers: int, *, chinese: bool) -> str:
    """Return that some papers are counted for their words alone."""
    if chinese:
        return f"其中 {papers} 篇仅凭文字判断与主题相关"
    return (
        f"{papers} of these {'is' if papers == 1 else 'are'} on the topic by {'its' if papers == 1 else 'their'} words"
    )


def same_name(authors: int, name: str, *, chinese: bool) -> str:
    """Return that authors of one name may be several persons."""
    if chinese:
        return f"有 {authors} 位作者都叫“{name}”，未能证实是同一人"
    return f"{authors} authors called {name!r} are not proven to be one"


def tied(several: int, papers: int, *, chinese: bool) -> str:
    """Return that several have the same number of papers."""
    return f"有 {several} 项并列，各 {papers} 篇" if chinese else f"{several} are tied with {papers} each"


def same_year(papers: int, *, chinese: bool) -> str:
    """Return that nothing tells which paper of a year came first."""
    if chinese:
        return f"其中 {papers} 篇同年，无从判断先后"
    return f"{papers} are of the same year, and nothing here tells which came first"


def unstated(papers: int, *, chinese: bool) -> str:
    """Return that some documents are counted that state neither authors nor year."""
    if chinese:
        return f"其中 {papers} 篇未注明作者和年份，未列入表中"
    if papers == 1:
        return "1 of these states neither authors nor year, and is not listed"
    return f"{papers} of these state neither authors nor year, and are not listed"


def not_followed(*, chinese: bool) -> str:
    """Return that a tree was not followed to its ends."""
    return "未再继续追溯，之后可能还有更多" if chinese else "it was not followed any further: there may be more"


def named_only(papers: int, *, chinese: bool) -> str:
    """Return that papers name what others cite, without a list of references."""
    if chinese:
        return f"其中 {papers} 篇没有参考文献列表，是其正文提到了它"
    return f"{papers} of these {'names' if papers == 1 else 'name'} it in the text, without a list of references"


def by_names(*, chinese: bool) -> str:
    """Return that papers were counted that name what is asked about, since none has a list of references."""
    if chinese:
        return "库中论文没有参考文献列表，按正文是否提到计数"
    return "counted by who names it in the text: the papers have no lists of references"


def settings_differ(*, chinese: bool) -> str:
    """Return that results are put in one order that hold for different settings."""
    return "这些结果的实验条件不尽相同" if chinese else "these results hold for different settings"


def unknown(papers: int, *, chinese: bool) -> str:
    """Return that some documents are not counted that state neither authors nor year."""
    if chinese:
        return f"另有 {papers} 篇未注明作者和年份，未计入"
    state, are = ("states", "is") if papers == 1 else ("state", "are")
    return f"{papers} more {state} neither authors nor year, and {are} not counted"


def silent(*, chinese: bool) -> str:
    """Return that papers are counted which do not say that something is true of them."""
    return (
        "未提及的论文视为没有" if chinese else "a paper that does not say so is taken for one of which it is not true"
    )


def not_compared(*, chinese: bool) -> str:
    """Return that nothing is called the best."""
    if chinese:
        return "这些结果的指标不同或未写明，无法断定哪个最好"
    return "which is best is not told: these results are by different metrics, or by none that is named"


def other_metrics(metrics: Sequence[str], *, chinese: bool) -> str:
    """Return by what other metrics there are results."""
    if chinese:
        return f"另有按{'、'.join(metrics)}报告的结果，未一并比较"
    return f"results by {', '.join(metrics)} are not compared with these"


def apart(names: Sequence[str], *, chinese: bool) -> str:
    """Return that institutions are counted apart."""
    return f"{'、'.join(names)}单独计算，未计入" if chinese else f"not counted with it: {', '.join(names)}"


def cut_short(edges: int, *, chinese: bool) -> str:
    """Return that not all of the graph was looked at."""
    if chinese:
        return f"只查看了图谱的前 {edges:,} 条边，可能还有更多"
    return f"only the first {edges:,} edges of the graph were looked at: there may be more"
