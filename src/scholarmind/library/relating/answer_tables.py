"""The table of an answer from the graph: its lines, the passages that prove each line, the sentence above it and the notes below it.

A line that nothing proves is left out. Where the lines come from is no matter of this module.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from scholarmind.library.relating import chinese_sentences, english_sentences
from scholarmind.library.relating.paper_sets import Paper, Proofs, Sight, Subject, excepts
from scholarmind.library.relating.sentence_parts import Told, columns_of, span
from scholarmind.model import Evidence
from scholarmind.naming import short_name
from scholarmind.planning.question_words import is_chinese
from scholarmind.relations import Edge, Node, Proof, Query, Tally, TallyRow

# -- notes below a table: what it leaves open, and what it leaves out


def _not_shown(left: int, *, chinese: bool) -> str:
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


def _cut_short(edges: int, *, chinese: bool) -> str:
    """Return that not all of the graph was looked at."""
    if chinese:
        return f"只查看了图谱的前 {edges:,} 条边，可能还有更多"
    return f"only the first {edges:,} edges of the graph were looked at: there may be more"


# -- the sentence above a table, in the language of the question

_NAMED = 12  # names in a sentence
_OF_ONE = 60  # where one document gives them all, so that no table follows: who wrote a paper
_VALUES = 4  # of a method's results


def _sentence_of(
    query: Query,
    items: Sequence[str],
    subjects: Sequence[Subject],
    left_out: Sequence[Subject] = (),
    *,
    best: int = 0,
    by_one: bool = False,
) -> str:
    """Return the sentence. `best` is the largest count of a ranking, or the year; `by_one`: one document proves it all."""
    chinese = is_chinese(query.text)
    most = _OF_ONE if by_one and query.form == "list" else _VALUES if query.form == "results" else _NAMED
    told = Told(query=query, items=items, subjects=subjects, years=span(query, chinese=chinese), best=best, most=most)
    language = chinese_sentences if chinese else english_sentences
    sentence = language.sentence(told)
    if not left_out:
        return sentence
    stop = sentence[-1]
    names = [subject.text if excepts(query) else language.which(told, subject) for subject in left_out]
    return sentence[:-1] + language.left_out(names) + stop


# -- lines, and the passages that prove them

_PROOFS = 4  # of one line, beside the papers that are counted in it
_MOST_ROWS = 200


@dataclass(slots=True, kw_only=True)
class CountedLine:
    """A line of what was counted, before it has its proofs: its first cell, the others, and what they rest on."""

    name: str
    cells: tuple[str, ...] = ()
    edges: list[Edge] = field(default_factory=list[Edge])
    papers: list[Paper] = field(default_factory=list[Paper])
    node: Node | None = None
    depth: int = 0

    @property
    def sure(self) -> float:
        """How sure the surest of what it rests on is."""
        return max((*(edge.confidence for edge in self.edges), *(paper.sure for paper in self.papers)), default=0.7)


@dataclass(slots=True, kw_only=True)
class Counted:
    """What a question came to: its lines, those that are its answer, and what there is to say about them."""

    lines: list[CountedLine]
    items: tuple[str, ...]
    heads: tuple[str, ...]
    subjects: Sequence[Subject] = ()
    left_out: Sequence[Subject] = ()
    notes: list[str] = field(default_factory=list[str])
    best: int = 0  # the largest count, or the year
    told: tuple[str, ...] = ()  # how the items are called in a sentence, if otherwise
    meant: Query | None = None  # the question that was answered, if it was another: what they all go back to

    @property
    def nodes(self) -> list[Node]:
        """The nodes of the answer."""
        return [line.node for line in self.lines if line.node is not None]

    @property
    def edges(self) -> list[Edge]:
        """All that it rests on."""
        of_papers = (edge for line in self.lines for paper in line.papers for edge in paper.edges)
        return [*(edge for line in self.lines for edge in line.edges), *of_papers]


async def tallied(query: Query, counted: Counted, sight: Sight) -> Tally | None:
    """Return the table of what was counted. A line that nothing proves any more is left out, and so is a table without lines."""
    query = counted.meant or query
    lines = counted.lines[:_MOST_ROWS]
    proofs = await sight.proofs(_resting_on(lines))
    rows = [
        TallyRow(cells=(line.name, *line.cells), proofs=found, depth=line.depth)
        for line in lines
        if (found := _proofs(line, proofs))
    ]
    if not rows:
        return None
    chinese = is_chinese(query.text)
    left = len(counted.lines) - len(rows)
    notes = [*counted.notes, *(_cut_short(edges, chinese=chinese) for edges in sight.cut)]
    notes += [_not_shown(left, chinese=chinese)] if left else []
    documents = {
        (proof.evidence.document.collection, proof.evidence.document.id) for row in rows for proof in row.proofs
    }
    items, by_one = counted.told or counted.items, len(documents) == 1
    return Tally(
        row="",
        form=query.form,
        said=_sentence_of(query, items, counted.subjects, counted.left_out, best=counted.best, by_one=by_one),
        columns=columns_of(counted.heads, chinese=chinese),
        rows=tuple(rows),
        items=_for_short(counted.items, rows) if query.wanted == "paper" else counted.items,
        confidence=round(sum(line.sure for line in lines) / len(lines), 3),
        notes=tuple(dict.fromkeys(notes)),
    )


def _for_short(items: Sequence[str], rows: Sequence[TallyRow]) -> tuple[str, ...]:
    """Return what papers are called for short, where that tells them apart: later parts ask about them by these names."""
    works = [proof.evidence.document for row in rows for proof in row.proofs]
    short = {work.title: short_name(work) for work in works}
    alike = Counter(short.values())
    return tuple(short[item] if item in short and alike[short[item]] == 1 else item for item in items)


def evidence_of(tally: Tally) -> list[Evidence]:
    """Return the passages of a table, the first of each line first."""
    in_turn: list[Evidence] = []
    deepest = max((len(row.proofs) for row in tally.rows), default=0)
    for place in range(deepest):
        in_turn += [row.proofs[place].evidence for row in tally.rows if place < len(row.proofs)]
    return in_turn


def best_first(edges: Iterable[Edge]) -> list[Edge]:
    """Return edges that a passage proves before those that metadata do, the surest first."""
    return sorted(edges, key=lambda edge: (edge.position is None, -edge.confidence))


def _resting_on(lines: Iterable[CountedLine]) -> list[Edge]:
    found: list[Edge] = []
    for line in lines:
        found += best_first(line.edges)[:_PROOFS]
        for paper in line.papers:
            found += best_first(paper.edges)[:1]
    return found


def _proofs(line: CountedLine, known: Proofs) -> tuple[Proof, ...]:
    found = [proof for edge in best_first(line.edges)[:_PROOFS] if (proof := known.of(edge))]
    for paper in line.papers:
        best = next((proof for edge in best_first(paper.edges)[:1] if (proof := known.of(edge))), None)
        if best is None and paper.evidence is not None:
            best = Proof(evidence=paper.evidence)
        found += [best] if best else []
    places = {
        (proof.evidence.document.collection, proof.evidence.document.id, proof.evidence.passage.position): proof
        for proof in reversed(found)
    }
    return tuple(reversed(places.values()))
