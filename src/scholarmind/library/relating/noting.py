"""What stands below a table, in the language of the question: what it leaves open, and what it leaves out."""


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


def cut_short(edges: int, *, chinese: bool) -> str:
    """Return that not all of the graph was looked at."""
    if chinese:
        return f"只查看了图谱的前 {edges:,} 条边，可能还有更多"
    return f"only the first {edges:,} edges of the graph were looked at: there may be more"
