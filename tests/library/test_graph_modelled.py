"""What a model adds to the graph: proven by the text, resumable, and never in the way of what rules found."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from scholarmind import Library, Settings
from scholarmind.adapters.responses import Responses
from scholarmind.calls import Budget, Request
from scholarmind.errors import ContextOverflowError, ModelReplyError
from scholarmind.library.model_extraction import GraphModelling, batches_of
from scholarmind.llm.language_models import Models
from scholarmind.model import Passage
from scholarmind.relations import Edge
from scholarmind.testing import ScriptedModel

pytestmark = pytest.mark.anyio
PASSAGE = re.compile(r"<passage (\w+) (P\d+)>[^\n]*\n(.*?)\n</passage \1>", re.DOTALL)
SENTENCE = re.compile(r"(\w+) leaves (\w+) behind\.")


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """Three notes that say in words which no rule knows what is better than what."""
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, other in (("Otterine", "Badgerine"), ("Badgerine", "Weaseline"), ("Weaseline", "Stoatine")):
        text = f"---\ntitle: A note on {name}\nyear: 2020\n---\nWith every measure that we know, {name} leaves {other} behind."
        (folder / f"{name.lower()}.md").write_text(text)
    with Library(Settings(library=tmp_path / "library", embedder="none", tree=False)) as opened:
        opened.add(folder)
        yield opened


def reading(request: Request) -> Any:
    """Say what is better than what, and something that no passage says."""
    said: list[dict[str, str]] = []
    for match in PASSAGE.finditer(request.messages[1].text):
        for found in SENTENCE.finditer(match[3]):
            better = {"relation": "IMPROVES_ON", "source": found[1], "target": found[2], "quote": found[0]}
            said += [better | {"passage": match[2]}, better | {"passage": match[2], "target": "Unicorn"}]
    return {"statements": said}


def modelling(library: Library, model: ScriptedModel, name: str = "m") -> GraphModelling:
    """What has the model read into the graph of the library."""
    models = Models(model=model, names={"extraction": name})
    return GraphModelling(store=library.store, graph=library.store.graph, models=models, concurrency=2)


async def edges(library: Library) -> list[Edge]:
    """The edges that a model found."""
    found = await library.store.graph.nodes(["method"])
    around = await library.store.graph.edges([node.number for node in found], relations=["IMPROVES_ON"])
    return [edge for edge in around if edge.by == "model"]


async def pairs(library: Library) -> set[tuple[str, str]]:
    """What the model found to be better than what."""
    return {(edge.source.name, edge.target.name) for edge in await edges(library)}


ALL = {("Otterine", "Badgerine"), ("Badgerine", "Weaseline"), ("Weaseline", "Stoatine")}


async def test_what_a_model_finds_is_added_with_the_passage_that_proves_it(library: Library) -> None:
    before = (await library.store.graph.counts()).edges
    worked = await modelling(library, ScriptedModel(reading)).run.aio()
    assert (worked.done, worked.kept, worked.left) == (3, 0, 0)
    assert worked.notes == ("3 left out that the model said: a name that is not in the passage",)
    assert await pairs(library) == ALL
    for edge in await edges(library):
        text = await library.text.aio(edge.document) or ""
        assert text[edge.start : edge.end] == f"{edge.source.name} leaves {edge.target.name} behind."
        assert edge.position == 0
    after = (await library.store.graph.counts()).edges
    assert {name: after[name] for name in before if name != "IMPROVES_ON"} == {
        name: count for name, count in before.items() if name != "IMPROVES_ON"
    }


async def test_what_was_read_is_not_read_again_but_by_another_model(library: Library) -> None:
    model = ScriptedModel(reading)
    await modelling(library, model).run.aio()
    assert (await modelling(library, model).outlook.aio()).things == 0
    assert (await modelling(library, model).run.aio()).done == 0
    assert len(model.requests) == 3
    assert (await modelling(library, model, "another").run.aio()).done == 3


async def test_adding_documents_asks_nobody_and_forgets_nothing(library: Library, tmp_path: Path) -> None:
    model = ScriptedModel(reading)
    await modelling(library, model).run.aio()
    (tmp_path / "notes" / "stoat.md").write_text("# Stoats\nStoatine leaves Ferretine behind.")
    await library.add.aio(tmp_path / "notes")
    assert await pairs(library) == ALL
    assert (await modelling(library, model).run.aio()).done == 1
    assert await pairs(library) == ALL | {("Stoatine", "Ferretine")}
    assert len(model.requests) == 4


async def test_a_document_that_was_replaced_waits_for_the_model_again(library: Library, tmp_path: Path) -> None:
    await modelling(library, ScriptedModel(reading)).run.aio()
    (tmp_path / "notes" / "otterine.md").write_text("---\ntitle: A note\n---\nOtterine leaves Ferretine behind.")
    await library.add.aio(tmp_path / "notes")
    assert await pairs(library) == ALL - {("Otterine", "Badgerine")}
    assert (await modelling(library, ScriptedModel(reading)).run.aio()).done == 1
    assert await pairs(library) == ALL - {("Otterine", "Badgerine")} | {("Otterine", "Ferretine")}


async def test_a_document_whose_call_failed_keeps_what_rules_found_and_waits(library: Library) -> None:
    failures = [ModelReplyError("'m' replied '%%%': no JSON")]
    model = ScriptedModel(lambda request: failures.pop() if failures else reading(request))
    before = await library.store.graph.counts()
    worked = await modelling(library, model).run.aio()
    assert (worked.done, worked.kept) == (2, 1)
    (told,) = [note for note in worked.notes if "rules alone" in note]
    assert told.endswith("passage 1 could not be read by the model, rules alone did: 'm' replied '%%%': no JSON")
    assert len(await edges(library)) == 2
    assert (await library.store.graph.counts()).documents == before.documents
    again = await modelling(library, model).run.aio()
    assert (again.done, again.kept, await pairs(library)) == (1, 0, ALL)


async def test_at_a_limit_it_stops_and_the_same_work_goes_on(library: Library) -> None:
    model = ScriptedModel(reading, latency=0.001)
    first = await modelling(library, model).run.aio(budget=Budget(calls=1))
    assert (first.done, first.left, first.stopped.startswith("max_calls = 1 is reached")) == (1, 2, True)
    second = await modelling(library, model).run.aio(budget=Budget(calls=2))
    assert (second.done, second.left, second.stopped, await pairs(library)) == (2, 0, "", ALL)
    assert len(model.requests) == 3


async def test_what_is_too_much_for_a_model_is_read_in_halves(library: Library, tmp_path: Path) -> None:
    lines = "\n\n".join(
        f"## Part {n}\nIn part {n}, Alpha{n}x leaves Beta{n}x behind. {'word ' * 150}" for n in range(4)
    )
    (tmp_path / "long.md").write_text(f"# Long\n\n{lines}")
    await library.add.aio(tmp_path / "long.md")

    def small(request: Request) -> Any:
        shown = len(PASSAGE.findall(request.messages[1].text))
        return ContextOverflowError("too long") if shown > 2 else reading(request)

    worked = await modelling(library, ScriptedModel(small)).run.aio()
    assert (worked.done, worked.kept) == (4, 0)
    assert {(f"Alpha{n}x", f"Beta{n}x") for n in range(4)} <= await pairs(library)


async def test_calls_about_half_a_document_are_not_paid_again(library: Library, tmp_path: Path) -> None:
    text = "\n\n".join(f"## Part {n}\nAlpha{n}x leaves Beta{n}x behind. {'word ' * 150}" for n in range(50))
    (tmp_path / "long.md").write_text(f"# Long\n\n{text}")
    model, cache = ScriptedModel(reading), Responses(tmp_path / "responses.db", 10)
    models = Models(model=model, names={"extraction": "m"}, cache=cache)
    await modelling(library, model).run.aio()
    await library.add.aio(tmp_path / "long.md")
    before = len(model.requests)
    work = replace(modelling(library, model), models=models)
    first = await work.run.aio(budget=Budget(calls=2))
    assert (first.done, first.left, len(model.requests) - before) == (0, 1, 2)
    second = await work.run.aio()
    assert (second.done, second.remembered) == (1, 2)
    assert len(model.requests) - before == second.remembered + second.spent["llm_calls"]
    assert {(f"Alpha{n}x", f"Beta{n}x") for n in range(50)} <= await pairs(library)
    await cache.close()


async def test_a_document_that_changes_while_it_is_read_is_left_alone(library: Library, tmp_path: Path) -> None:
    path = tmp_path / "notes" / "otterine.md"

    def meanwhile(request: Request) -> Any:
        if "Otterine leaves" in request.messages[1].text:
            path.write_text("---\ntitle: Now about something else\n---\nNothing of this is left here.")
            library.add(path)
        return reading(request)

    worked = await modelling(library, ScriptedModel(meanwhile)).run.aio()
    assert (worked.done, worked.kept) == (2, 1)
    assert await pairs(library) == ALL - {("Otterine", "Badgerine")}


def test_batches_hold_every_passage_once_and_are_bounded() -> None:
    passage = Passage(text="word " * 400, start=0, end=2_000, position=0)
    passages = [replace(passage, position=position) for position in range(50)]
    batches = list(batches_of(passages))
    assert [one for batch in batches for one in batch] == passages
    assert {len(batch) for batch in batches} == {5}
    assert len(list(batches_of([replace(passage, text="short")] * 33))) == 3
