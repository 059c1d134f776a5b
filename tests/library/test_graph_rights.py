"""Whom a filter hides documents from sees nobody and nothing as one that only those documents prove to be one."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Library, Settings
from scholarmind.answer import Answer
from scholarmind.errors import QueryError
from scholarmind.filters import parse_filter
from scholarmind.relations import Node

pytestmark = pytest.mark.anyio
_NOTE = "---\ntitle: {title}\nid: {id}\nyear: {year}\nauthors: [{authors}]\n{more}---\nThis is about sparse attention. {text}\n"


@pytest.fixture
async def library(tmp_path: Path) -> AsyncIterator[Library]:
    with Library(Settings(library=tmp_path / "library", embedder="none", tree=False)) as opened:
        yield opened


async def add(library: Library, *notes: tuple[str, Sequence[str]], text: str = "", more: str = "") -> None:
    """Add notes, each by its authors."""
    folder = library.store.folder.parent / "notes"
    folder.mkdir(exist_ok=True)
    for id, authors in notes:
        title = f"Sparse attention for {id}"
        note = _NOTE.format(id=id, title=title, year=2020, authors=", ".join(authors), text=text, more=more)
        (folder / f"{id}.md").write_text(note, encoding="utf-8")
    await library.add.aio(folder)


async def people(library: Library, name: str, only: str) -> list[list[str]]:
    """Return the papers of each person of this name, for somebody who sees only these documents."""
    allowed = parse_filter(only)
    found: list[list[str]] = []
    for node in await library.graph.find.aio(name, ("author",), filter=allowed):
        edges = await library.store.graph.edges((node.number,), relations=("AUTHORED_BY",), into=True, filter=allowed)
        assert {edge.target.number for edge in edges} == {node.number}
        found.append(sorted(edge.document for edge in edges))
    return sorted(found)


def counted(answer: Answer) -> list[tuple[str, ...]]:
    """Return the cells of what was counted."""
    (tally,) = [tally for finding in answer.findings for tally in finding.tallies]
    return [row.cells for row in tally.rows]


TWO = (("one", ("张伟", "李娜")), ("two", ("张伟", "王芳")))
BOTH = ("both", ("张伟", "李娜", "王芳"))


async def test_a_hidden_paper_makes_nobody_one_person(library: Library) -> None:
    await add(library, *TWO, BOTH)
    assert await people(library, "张伟", "year = 2020") == [["both", "one", "two"]]
    assert await people(library, "张伟", "id != both") == [["one"], ["two"]]


async def test_what_is_counted_is_what_the_asker_may_know(library: Library) -> None:
    await add(library, *TWO, ("again", ("张伟", "李娜")), BOTH)
    question = "Who published the most papers on sparse attention?"
    whole = counted(await library.ask.aio(question))
    part = counted(await library.ask.aio(question, filter="id != both"))
    assert [row for row in whole if "张伟" in row] == [("张伟", "4")]
    assert [row for row in part if "张伟" in row] == [("张伟", "2"), ("张伟", "1")]


async def test_every_way_through_the_graph_keeps_two_apart(library: Library) -> None:
    await add(library, *TWO, BOTH)
    allowed = parse_filter("id != both")
    graph = library.store.graph
    mentions = await graph.mentioned("张伟写了什么？", allowed)
    (one,) = [each.node for each in mentions if await _papers(graph, each.node, allowed) == ["one"]]
    assert len(mentions) == 2
    near = await graph.neighbourhood([one.number], hops=1, filter=allowed)
    assert {node.document for node in near.nodes if node.kind == "paper"} == {"one"}
    ranked = await graph.ranked({one.number: 1.0}, filter=allowed)
    assert {edge.document for edge, _ in ranked[:2]} == {"one"}
    around = await library.graph.neighbourhood.aio("张伟", filter=allowed)
    assert [node.kind for node in (around.node, *around.others)] == ["author", "author"]
    exported = "".join([piece async for piece in library.graph.export("jsonld", filter=allowed)])
    assert exported.count('"name": "张伟"') == 2


async def _papers(graph: Any, node: Node, allowed: Any) -> list[str]:
    edges = await graph.edges((node.number,), relations=("AUTHORED_BY",), into=True, filter=allowed)
    return sorted(edge.document for edge in edges)


async def test_who_is_proven_by_what_is_seen_is_one_whatever_was_compared_first(library: Library) -> None:
    """All were found to be one by way of the first paper; without it the others prove it to each other."""
    for id in ("first", "second", "third", "fourth"):
        await add(library, (id, ("张伟", "李娜")))
    assert await people(library, "张伟", "id != first") == [["fourth", "second", "third"]]
    assert await people(library, "李娜", "id != first") == [["fourth", "second", "third"]]


async def test_what_somebody_said_counts_for_everybody(library: Library) -> None:
    await add(library, *TWO, ("three", ("张伟", "赵敏")))
    for paper in ("one", "two"):
        await library.graph.merge.aio([await _number(library, paper)], await _number(library, "three"))
    assert await people(library, "张伟", "id != three") == [["one", "two"]]
    assert await people(library, "张伟", "id = two") == [["two"]]


async def _number(library: Library, paper: str) -> str:
    """Return the number of the author of a paper."""
    for node in await library.graph.find.aio("张伟"):
        edges = await library.store.graph.edges((node.number,), into=True)
        if paper in {edge.document for edge in edges}:
            return f"#{node.number}"
    raise AssertionError(paper)


async def test_a_company_is_itself_for_everybody(library: Library) -> None:
    await add(library, *((id, ("DeepSeek-AI",)) for id in ("one", "two", "three")))
    for hidden, seen in (("one", ["three", "two"]), ("three", ["one", "two"])):
        assert await people(library, "DeepSeek-AI", f"id != {hidden}") == [seen]


async def test_a_definition_counts_for_those_who_may_read_it(library: Library) -> None:
    await add(library, ("short", ("Ada",)), more="methods: [QFN]\n")
    await add(library, ("long", ("Bob",)), more="methods: [Quick Fox Networks]\n")
    text = "We propose Quick Fox Networks (QFN), and Quick Fox Networks (QFN) outperforms BERT on GLUE."
    await add(library, ("defining", ("Eve",)), text=text)
    assert (await library.graph.find.aio("QFN"))[0] == (await library.graph.find.aio("Quick Fox Networks"))[0]
    for only, count in (("id = short or id = long", 2), ("year = 2020", 1)):
        allowed = parse_filter(only)
        found = [await library.graph.find.aio(name, filter=allowed) for name in ("QFN", "Quick Fox Networks")]
        assert len({node.number for nodes in found for node in nodes}) == count


async def test_an_unknown_name_is_told_no_hidden_one(library: Library) -> None:
    await add(library, ("open", ("Ada",)))
    await add(library, ("hidden", ("Eve",)), more="methods: [Secretron]\n")
    with pytest.raises(QueryError, match="did you mean 'Secretron'"):
        await library.graph.neighbourhood.aio("Secretrom")
    for name in ("Secretrom", "Secretron"):
        with pytest.raises(QueryError, match=f"^nothing is called '{name}' in the graph$"):
            await library.graph.neighbourhood.aio(name, filter=parse_filter("id = open"))
