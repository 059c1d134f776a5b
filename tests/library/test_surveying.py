"""Passages for a question about the whole: what is read of the tree, how it is spread, and what stands beside what was found."""

from collections.abc import Iterator, Mapping, Sequence

import pytest

from scholarmind import Library, Settings, parse_filter
from scholarmind.events import Consulted, Event
from scholarmind.filters import AllOf, Compare, Filter
from scholarmind.library.overview_retrieval import LibraryOverview, collapsed, periods
from scholarmind.library.retrieval import Retrieval
from scholarmind.library_ports import Standing
from scholarmind.llm.language_models import tokens_of
from scholarmind.model import Document, Evidence, Passage, Scores, Search
from scholarmind.relations import SummarySentence, Surveyed, TreeCounts, TreeNode
from scholarmind.testing import HashEmbedder
from scholarmind.text.overviews import is_of_time

pytestmark = pytest.mark.anyio

OVERVIEW = "Give an overview of the work on herons."


def passage(document: str, position: int, score: float = 0.0, year: int | None = None) -> Evidence:
    """A passage of ten tokens."""
    text = f"{document} {position}".ljust(40, ".")
    return Evidence(
        passage=Passage(text=text, start=0, end=40, position=position),
        document=Document(id=document, title=document, year=year),
        scores=Scores(fused=score),
    )


def node(number: int, level: int, parent: int | None, *passages: int) -> TreeNode:
    """A summary of ten tokens that stands on these passages."""
    summary = (SummarySentence(text=f"summary {number}".ljust(40, "."), passages=passages),)
    return TreeNode(
        number=number,
        collection="default",
        space="vector",
        level=level,
        parent=parent,
        title=f"{number}",
        summary=summary,
    )


def passes(filter: Filter | None, document: Document) -> bool:
    """The few filters that these tests need."""
    match filter:
        case None:
            return True
        case AllOf(parts):
            return all(passes(part, document) for part in parts)
        case Compare("year", ">=", value):
            return document.year is not None and document.year >= float(value)
        case Compare("id", "=", value):
            return document.id == value
        case _:
            raise AssertionError(filter)


class FixedTree:
    """A tree with fixed nearness: passages and nodes by number, and the passages of each node of level 1."""

    def __init__(
        self,
        passages: Mapping[int, tuple[Evidence, float]] | None = None,
        nodes: Sequence[tuple[TreeNode, float]] = (),
        members: Mapping[int, Sequence[int]] | None = None,
        waiting: int = 0,
    ) -> None:
        self.passages, self.nodes, self.members = dict(passages or {}), tuple(nodes), dict(members or {})
        self.waiting = waiting

    async def near(
        self,
        search: Search,
        k: int,
        *,
        levels: Sequence[int] = (),
        best_of_each: bool = False,
        filter: Filter | None = None,
    ) -> list[Standing]:
        found = [Standing(score=score, node=node) for node, score in self.nodes if not levels or node.level in levels]
        if not levels or 0 in levels:
            seen = [one for one in self.passages.values() if passes(filter, one[0].document)]
            found += [Standing(score=score, evidence=item) for item, score in seen if score]
        found.sort(key=lambda one: -one.score)
        best = {one.node.level if one.node else 0: one for one in reversed(found)} if best_of_each else {}
        return [one for place, one in enumerate(found) if place < k or one in best.values()]

    async def under(self, node: int, search: Search, k: int, *, filter: Filter | None = None) -> list[Evidence]:
        found = [self.passages[number] for number in self.members.get(node, ())]
        return [item.rated(score) for item, score in found if passes(filter, item.document)][:k]

    async def evidence(self, passages: Sequence[int], filter: Filter | None = None) -> dict[int, Evidence]:
        found = {number: self.passages[number][0] for number in passages}
        return {number: item for number, item in found.items() if passes(filter, item.document)}

    async def homes(self, passages: Sequence[Evidence]) -> list[frozenset[int]]:
        places = {(one.document.id, one.passage.position): number for number, (one, _) in self.passages.items()}
        numbers = [places.get((item.document.id, item.passage.position)) for item in passages]
        return [frozenset(node for node, below in self.members.items() if number in below) for number in numbers]

    async def roots(self, collection: str | None = None) -> list[TreeNode]:
        return [node for node, _ in self.nodes if node.parent is None]

    async def children(self, node: int) -> list[TreeNode]:
        return [child for child, _ in self.nodes if child.parent == node]

    async def node(self, number: int) -> TreeNode | None:
        return next((node for node, _ in self.nodes if node.number == number), None)

    async def counts(self) -> TreeCounts:
        return TreeCounts(waiting=self.waiting)


class NoStore:
    """Nothing is searched here but the tree."""

    async def search(self, search: Search) -> list[Evidence]:
        raise AssertionError(search)

    async def linked(self, seeds: Sequence[Evidence], search: Search) -> list[Evidence]:
        raise AssertionError(search)


def overview(tree: FixedTree, *, tokens: int = 2000, within: Filter | None = None) -> LibraryOverview:
    """An overview over a fixed tree, without an embedder."""
    retrieval = Retrieval(store=NoStore(), embedder=None)
    return LibraryOverview(tree=tree, retrieval=retrieval, tokens=tokens, within=within, mode="keyword", now=2026)


def documents(surveyed: Surveyed) -> list[str]:
    """The documents of what was found, best first."""
    return [item.document.id for item in surveyed.evidence]


WOODS = FixedTree(
    passages={number: (passage(f"d{number}", 0), 0.9 - number / 20) for number in range(1, 9)},
    nodes=[
        (node(31, 3, None, 1, 5), 0.2),
        (node(21, 2, 31, 1, 2), 0.4),
        (node(22, 2, 31, 5, 6), 0.3),
        (node(11, 1, 21, 1, 2), 0.6),
        (node(12, 1, 21, 3, 4), 0.5),
        (node(13, 1, 99, 7, 8), 0.55),
    ],
    members={11: (1, 2), 12: (3, 4), 13: (7, 8)},
)


@pytest.mark.parametrize("tokens", [5, 10, 35, 90, 1000])
async def test_never_more_is_read_than_the_budget(tokens: int) -> None:
    read = await collapsed(WOODS, Search(text=OVERVIEW), None, tokens)
    texts = [node.text for node, _ in read.nodes] + [one.item.passage.text for one in read.passages]
    assert sum(map(tokens_of, texts)) == read.tokens <= tokens
    assert bool(texts) == (tokens >= 10)


async def test_one_pool_of_all_levels_begins_with_the_best_of_each() -> None:
    surveyed = await overview(WOODS, tokens=30).survey(OVERVIEW, 10)
    assert (surveyed.levels, surveyed.nodes) == ((1, 2, 3), ("31", "21", "11"))
    assert sorted(documents(surveyed)) == ["d1", "d2", "d5"]  # what these three stand on
    assert all(0 <= item.scores.fused <= 1 for item in surveyed.evidence)
    assert (await overview(WOODS).survey(OVERVIEW, 10)).levels == (0, 1, 2, 3)


async def test_what_is_found_is_spread_over_documents() -> None:
    much = {number: (passage("much", number), 0.9 - number / 100) for number in range(1, 7)}
    others = {number: (passage(f"other{number}", 0), 0.8 - number / 100) for number in range(7, 12)}
    tree = FixedTree(passages=much | others, nodes=[(node(1, 1, None, 1), 0.5)])
    first = documents(await overview(tree).survey(OVERVIEW, 5))
    assert (first[0], first.count("much")) == ("much", 2)


async def test_for_a_question_of_time_each_period_is_there() -> None:
    late = {number: (passage(f"late{number}", 0, year=2024), 0.9) for number in range(1, 9)}
    early = {9: (passage("early", 0, year=2012), 0.3), 10: (passage("middle", 0, year=2018), 0.3)}
    tree = FixedTree(passages=late | early, nodes=[(node(1, 1, None, 1), 0.5)])
    assert {"early", "middle"} <= set(
        documents(await overview(tree).survey("How has the work on herons evolved?", 6))[:5]
    )
    assert {"early", "middle"}.isdisjoint(documents(await overview(tree).survey(OVERVIEW, 6)))


async def test_years_that_are_asked_for_come_first_and_others_are_not_lost() -> None:
    passages = {
        1: (passage("old", 0, year=2015), 0.9),
        2: (passage("new", 0, year=2023), 0.2),
        3: (passage("newer", 0, year=2024), 0.3),
    }
    tree = FixedTree(passages=passages, nodes=[(node(1, 1, None, 1, 2), 0.5)])
    for question in ("What are the main directions since 2022?", "近5年的主要研究方向有哪些？"):
        surveyed = await overview(tree).survey(question, 10)
        assert set(documents(surveyed)[:2]) == {"new", "newer"}
        assert documents(surveyed)[2:] == ["old"]


async def test_nothing_of_a_document_that_may_not_be_seen() -> None:
    surveyed = await overview(WOODS, within=Compare("id", "=", "d1")).survey(OVERVIEW, 10)
    assert documents(surveyed) == ["d1"]


async def test_without_a_tree_there_is_nothing_and_while_it_is_built_that_is_said() -> None:
    assert await overview(FixedTree()).survey(OVERVIEW, 10) == Surveyed()
    (notice,) = (await overview(FixedTree(waiting=7)).survey(OVERVIEW, 10)).notices
    assert "not built yet" in notice


ALONE = FixedTree(
    passages={number: (passage("report", number), 0.0) for number in range(12)} | {50: (passage("far", 0), 0.0)},
    nodes=[(node(1, 1, None, 50), 0.5)],
    members={1: range(6), 2: range(6, 12)},
)


async def test_in_the_document_that_is_asked_about_the_weak_stand_beside_the_strong() -> None:
    scores = [0.8, 0.3, 0.8, 0.7, 0.7, 0.6, 0.4, 0.3, 0.3, 0.5, 0.3]
    found = [passage("report", number, score) for number, score in enumerate(scores)]
    found.sort(key=lambda item: -item.scores.fused)
    surveyed = await overview(ALONE).survey("Summarize the report.", 10, found)
    lifted = {item.passage.position: item.scores.fused for item in surveyed.evidence if item.document.id == "report"}
    assert lifted[1] > 0.7
    assert lifted[7] < 0.5
    assert 0 not in lifted  # worth more than those around it: it stays as it is
    assert lifted[11] > 0  # not found by the search at all
    assert all(score > scores[place] for place, score in lifted.items() if place < len(scores))


async def test_where_many_documents_tell_of_it_none_is_filled_up() -> None:
    found = [passage(f"d{number % 5}", number, 0.9 - number / 20) for number in range(10)]
    surveyed = await overview(ALONE).survey(OVERVIEW, 10, found)
    assert documents(surveyed) == ["far"]


@pytest.mark.parametrize(
    ("question", "is_one"),
    [
        ("What trends are there in retrieval?", True),
        ("How has pre-training changed over the years?", True),
        ("大模型的发展历程是怎样的？", True),
        ("近三年有哪些主要方法？", True),
        ("What are the main methods?", False),
        ("有哪些主要方法？", False),
    ],
)
async def test_questions_of_time(question: str, is_one: bool) -> None:
    assert is_of_time(question) is is_one


async def test_periods_hold_about_as_many_years_each() -> None:
    years = [2001, 2015, 2016, 2017, 2018, 2019, 2020, 2021, None]
    assert [periods(years)[year] for year in years] == [0, 0, 1, 1, 2, 2, 3, 3, 4]
    assert periods([None]) == {None: 0}


BIRDS = "heron swift stork crane eagle falcon sparrow robin finch wren".split()


@pytest.fixture(scope="module")
def birds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """Ten notes in English that an embedder understands, two in Chinese that it does not."""
    folder = tmp_path_factory.mktemp("birds")
    notes = folder / "notes"
    notes.mkdir()
    for number, bird in enumerate(BIRDS):
        paragraphs = (
            f"The {bird} {verb} near water in year {number}. It {verb} with care."
            for verb in ("eats", "nests", "flies")
        )
        (notes / f"{bird}.md").write_text(f"# The {bird}\n\n" + "\n\n## More\n\n".join(paragraphs), encoding="utf-8")
    for bird in ("苍鹭", "雨燕"):
        (notes / f"{bird}.md").write_text(
            f"# {bird}\n\n{bird}在水边捕食鱼类和蛙类。\n\n## 迁徙\n\n{bird}在冬天向南迁徙。", encoding="utf-8"
        )
    embedder = HashEmbedder(unknown=lambda text: 1.0 if any("\u4e00" <= sign <= "\u9fff" for sign in text) else 0.0)
    with Library(Settings(library=folder / "library", graph=False), embedder=embedder) as library:
        library.add(notes)
        yield library


def told(library: Library, question: str, where: str | None = None) -> list[Event]:
    """What happens when a library is asked for passages."""
    events: list[Event] = []
    library.ask(question, filter=where, on_event=events.append)
    return events


@pytest.mark.parametrize("question", ["Give an overview of the birds near water.", "概述在水边捕食的鸟类。"])
def test_a_library_reads_its_tree_for_an_overview_in_both_languages(birds: Library, question: str) -> None:
    consulted = [event for event in told(birds, question) if isinstance(event, Consulted)]
    assert consulted
    for event in consulted:
        assert (event.structure, event.row) == ("tree", "1")
        assert max(event.levels) >= 1
        assert event.passages > 0


def test_other_questions_do_not_read_it(birds: Library) -> None:
    assert not [event for event in told(birds, "Where does the heron nest?") if isinstance(event, Consulted)]


async def test_summaries_read_from_a_store_show_nothing_of_other_documents(birds: Library) -> None:
    retrieval = Retrieval(store=birds.store, embedder=HashEmbedder())
    hidden = LibraryOverview(tree=birds.store.tree, retrieval=retrieval, within=parse_filter("title ~ heron"))
    surveyed = await hidden.survey("Give an overview of the birds near water.", 20)
    assert {item.document.title for item in surveyed.evidence} == {"The heron"}
    assert not any(bird in title for title in surveyed.nodes for bird in BIRDS if bird != "heron")
