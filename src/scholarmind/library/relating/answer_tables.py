"""The table of an answer from the graph: lines, passages that prove them, the sentence above, notes; and the table of benchmark results."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from scholarmind.graph.name_matching import key_of, letters
from scholarmind.identity import short_name
from scholarmind.library.relating import chinese_sentences, english_sentences
from scholarmind.library.relating.paper_sets import Key, Paper, Proofs, Sight, Subject, excepts, paper_of
from scholarmind.library.relating.sentence_parts import Told, columns_of, span
from scholarmind.model import Evidence
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


# -- benchmark results, and reported numbers that contradict each other

_LOW = 0.5  # an edge that is less sure than this is not told
_MOST_RESULTS = 8  # of one method
_LESS_IS_BETTER = re.compile(
    r"perplexity|\bppl\b|\bbp[cbd]\b|bits per|error|\bwer\b|loss|latency|困惑度|错误率|损失", re.IGNORECASE
)

# what says no more than that it is a number on the data set
_ANY_METRIC = frozenset(
    "result results score scores performance number numbers value values average macro-average mean "
    "数字 数值 数据 取值 指标 值 数 结果 得分 分数 成绩 表现 性能 指标值 平均 平均分".split()
)


async def results(sight: Sight, query: Query, subjects: Sequence[Subject]) -> Counted | None:
    """Return the values that methods have on the data sets of a question, by one metric if it names one."""
    edges = await _reports(sight, subjects)
    if edges is None:
        return None
    edges = _of_metric(edges, query.metric)
    named = any(subject.of("method") for subject in subjects)
    if named and not any(subject.of("dataset") for subject in subjects):
        return await _of_methods(sight, edges, subjects, chinese=is_chinese(query.text))
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((letters(edge.said_as[0] or edge.source.name), letters(edge.value)), []).append(edge)
    ordered = _by_value(groups.values(), query.best)
    chinese = is_chinese(query.text)
    if query.best and not any(one.of("dataset") for one in subjects):
        return None
    if query.best and (best := _best(ordered, chinese=chinese)):
        return best
    lines = [_told(group) for group in ordered]
    items = (line.cells[1] if named else line.name for line in lines)
    asked = [letters(subject.text) for subject in subjects]
    told = tuple(dict.fromkeys(_of_variant(line, asked) for line in lines)) if named else ()
    heads = ("method", "metric", "value", "setting")
    listed = Counted(lines=lines, items=tuple(dict.fromkeys(items)), heads=heads, told=told)
    if not query.best:
        return listed
    return replace(listed, notes=[not_compared(chinese=chinese)], meant=replace(query, best=""))


def _by_value(groups: Iterable[list[Edge]], best: str) -> list[list[Edge]]:
    """Return results metric by metric, that with the most of them first, and the best of each first: where less is better, the least."""
    listed = list(groups)
    metrics = Counter(key_of("metric", group[0].metric) for group in listed)

    def place(group: Sequence[Edge]) -> tuple[int, str, bool, float]:
        first = group[0]
        metric, number = key_of("metric", first.metric), first.number
        upwards = best == "lowest" or (not best and bool(_LESS_IS_BETTER.search(first.metric)))
        return -metrics[metric], metric, number is None, (number or 0.0) * (1 if upwards else -1)

    return sorted(listed, key=place)


def _best(ordered: Sequence[Sequence[Edge]], *, chinese: bool) -> Counted | None:
    """Return the results by the metric that most of them have, the best first; the answer is who has that value."""
    metric = key_of("metric", ordered[0][0].metric) if ordered else ""
    same = [group for group in ordered if key_of("metric", group[0].metric) == metric]
    if not same or same[0][0].number is None or 2 * len(same) <= len(ordered):
        return None  # most results are by other metrics: nobody knows which of them compare
    top = [_told(group) for group in same if group[0].number == same[0][0].number]
    notes = [settings_differ(chinese=chinese)] if len({group[0].setting for group in same}) > 1 else []
    others = dict.fromkeys(
        group[0].metric for group in ordered if group[0].metric and key_of("metric", group[0].metric) != metric
    )
    notes += [other_metrics([*others], chinese=chinese)] if others else []
    value = "{}（{}）" if chinese else "{} ({})"
    return Counted(
        lines=[_told(group) for group in same],
        items=tuple(dict.fromkeys(line.name for line in top)),
        heads=("method", "metric", "value", "setting"),
        notes=notes,
        told=tuple(dict.fromkeys(value.format(line.name, " ".join(filter(None, line.cells[:2]))) for line in top)),
    )


def _of_variant(line: CountedLine, asked: Sequence[str]) -> str:
    """Return a value, with the variant of a method that it holds for, if that has another name than was asked for."""
    return line.cells[1] if letters(line.name) in asked else f"{line.cells[1]} ({line.name})"


async def _of_methods(
    sight: Sight, edges: Sequence[Edge], subjects: Sequence[Subject], *, chinese: bool
) -> Counted | None:
    """Return the most telling results of methods, a first one on each data set before a second on any.

    What the paper that proposes a method says of it comes first, then what is surest, on the data sets that most others report on.
    """
    edges = [edge for edge in edges if edge.confidence >= _LOW]
    # on how many other methods there are results on each data set
    targets = list({edge.target.number: edge.target for edge in edges}.values())
    known = {(edge.target.number, edge.source.number) for edge in await sight.edges(targets, "REPORTS", into=True)}
    others = Counter(target for target, _ in known)
    proposed = await sight.proposers([node for subject in subjects for node in subject.of("method")])
    theirs = {paper_of(edge) for some in proposed.values() for edge in some}
    groups: dict[tuple[str, int, str], list[Edge]] = {}
    for edge in edges:
        groups.setdefault((letters(edge.said_as[0]), edge.target.number, letters(edge.value)), []).append(edge)
    telling = {key: _telling(group, theirs, others) for key, group in groups.items()}
    ordered = sorted(groups, key=lambda key: telling[key])
    chosen = [groups[key] for key in _in_turn(ordered)[:_MOST_RESULTS]]
    lines = [_of_one(group, [letters(subject.text) for subject in subjects]) for group in chosen]
    left = len(groups) - len(chosen)
    said = f"另有 {left} 项结果" if chinese else f"{left} more results are in the library"
    return Counted(
        lines=lines,
        items=tuple(dict.fromkeys(line.cells[1] for line in lines)),
        heads=("data set", "metric", "value", "setting"),
        notes=[said] if left else [],
        told=tuple(_in_short(line, chinese=chinese) for line in lines),
    )


def _telling(group: Sequence[Edge], theirs: Set[Key], others: Mapping[int, int]) -> tuple[bool, float, int]:
    """Return what a result is sorted by, the most telling first."""
    is_their_own = any(paper_of(edge) in theirs for edge in group)
    sure = max(edge.confidence for edge in group)
    return not is_their_own, -round(sure, 1), -others[group[0].target.number]


def _in_turn(ordered: Sequence[tuple[str, int, str]]) -> list[tuple[str, int, str]]:
    """Return the keys of results so that each data set has its first before any has its second."""
    places = Counter[int]()
    turns: dict[tuple[str, int, str], int] = {}
    for key in ordered:
        turns[key] = places[key[1]]
        places[key[1]] += 1
    return sorted(ordered, key=lambda key: turns[key])


def _of_one(edges: Sequence[Edge], asked: Sequence[str]) -> CountedLine:
    """Return a line of a method that is named; the variant that it holds for is told where it is another name."""
    line, first = _told(edges), edges[0]
    metric, value, setting = line.cells
    variant = "" if letters(line.name) in asked else line.name
    target = first.said_as[1] or first.target.name
    setting = "; ".join(filter(None, (variant, setting)))
    return CountedLine(name=target, cells=(metric, value, setting), edges=line.edges, node=first.source)


def _in_short(line: CountedLine, *, chinese: bool) -> str:
    return f"{line.name} {line.cells[1]}" if chinese else f"{line.cells[1]} on {line.name}"


def _told(edges: Sequence[Edge]) -> CountedLine:
    """Return one line for what several edges say: with the metric and the setting that tell the most."""
    first = edges[0]
    metric, setting = (max((getattr(edge, name) for edge in edges), key=len) for name in ("metric", "setting"))
    return CountedLine(
        name=first.said_as[0] or first.source.name,
        cells=(metric, first.value, setting),
        edges=list(edges),
        node=first.source,
    )


async def contradicting(sight: Sight, query: Query, subjects: Sequence[Subject]) -> Counted | None:
    """Return results of one method on one data set by one metric that are told with different numbers.

    Where a question names both, and all numbers that differ hold for different settings, these are told as they are.
    """
    edges = await _reports(sight, subjects)
    if edges is None:
        edges = [] if subjects else await sight.every("REPORTS")
    edges = [edge for edge in _of_metric(edges, query.metric) if edge.number is not None]
    groups = _differing(edges, lambda edge: letters(edge.setting))
    notes: list[str] = []
    both = all(any(subject.of(kind) for subject in subjects) for kind in ("method", "dataset"))
    if both and not any(_is_of_several(group) for group in groups):
        groups = _differing(edges, lambda _: "")
        notes = ["some of these numbers may hold for different settings"]
    groups.sort(key=lambda group: not _is_of_several(group))
    proofs = await sight.proofs(edge for group in groups for edge in group)
    lines = [
        CountedLine(name=proof.evidence.document.title, cells=_cells(edge), edges=[edge])
        for group in groups
        for edge in group
        if (proof := proofs.of(edge))
    ]
    items = tuple(dict.fromkeys(line.name for line in lines))
    heads = ("stated by", "method", "data set", "metric", "value", "setting")
    return Counted(lines=lines, items=items, heads=heads, notes=notes)


async def _reports(sight: Sight, subjects: Sequence[Subject]) -> list[Edge] | None:
    """Return the results that are reported of these methods and data sets; None where one of them is not known."""
    if not subjects or not all(subject.of("method", "dataset") for subject in subjects):
        return None
    datasets = [node for subject in subjects for node in subject.of("dataset")]
    methods = [subject for subject in subjects if subject.of("method") and not subject.of("dataset")]
    if datasets:
        edges = await sight.edges(datasets, "REPORTS", into=True)
    else:
        edges = await sight.edges([node for subject in methods for node in subject.of("method")], "REPORTS", into=False)
    for subject in methods:
        edges = _of_method(edges, subject)
    return edges


def _of_method(edges: Sequence[Edge], subject: Subject) -> list[Edge]:
    """Return the edges of a method; of a variant that is named, where any are said to be of just that."""
    nodes = {node.number: node for node in subject.of("method")}
    asked = letters(subject.text)
    own = [edge for edge in edges if edge.source.number in nodes]
    if not own:  # only its variants have any: BigBird-ETC for BigBird
        return [edge for edge in edges if letters(edge.said_as[0]).startswith(asked)]
    if any(letters(node.name) == asked for node in nodes.values()):
        return own
    return [edge for edge in own if letters(edge.said_as[0]) == asked] or own


def _of_metric(edges: Sequence[Edge], metric: str) -> list[Edge]:
    """Return the edges of a metric and of those it is the last word of (accuracy: top-1 accuracy); all where none is, or none is named."""
    if not metric or metric.casefold() in _ANY_METRIC:
        return list(edges)
    key = key_of("metric", metric)
    said = f" {metric.casefold()}"
    of_it = [
        edge for edge in edges if key_of("metric", edge.metric) == key or f" {edge.metric.casefold()}".endswith(said)
    ]
    return of_it or list(edges)


def _differing(edges: Iterable[Edge], setting: Callable[[Edge], str]) -> list[list[Edge]]:
    """Return the groups of edges that tell the same thing with different numbers."""
    groups: dict[tuple[str, int, str, str], list[Edge]] = {}
    for edge in edges:
        method = letters(edge.said_as[0] or edge.source.name)
        metric = "" if edge.metric.casefold() in _ANY_METRIC else key_of("metric", edge.metric)
        key = (method, edge.target.number, metric, setting(edge))
        groups.setdefault(key, []).append(edge)
    return [group for group in groups.values() if len({edge.number for edge in group}) > 1]


def _is_of_several(group: Sequence[Edge]) -> bool:
    return len({(edge.collection, edge.document) for edge in group}) > 1


def _cells(edge: Edge) -> tuple[str, ...]:
    method, dataset = (name or node.name for name, node in zip(edge.said_as, (edge.source, edge.target), strict=True))
    return method, dataset, edge.metric, edge.value, edge.setting
