"""The graph of papers and the tree of summaries under everything that can happen to a library while they follow it."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from robustly import assert_sound_truth, expect, finish, launch, opened, run, start, tell

from scholarmind import Library
from scholarmind.adapters.store.health import examine
from scholarmind.errors import LibraryLockedError
from scholarmind.filters import parse_filter
from scholarmind.library.followers import GraphFollowing
from scholarmind.model import Search
from scholarmind.record import answer_record
from scholarmind.relations import Extracted
from scholarmind.testing import HashEmbedder

_SCRIPT = Path(sys.executable).with_name("scholarmind")
_QUESTION = "Which methods improve on BERT, on which datasets, and by whom?"
_OVERVIEW = "What are the main directions of attention?"
_AUTHORS = ("Jacob Devlin", "Kenton Lee", "张伟", "Myle Ott", "Wei Wang")
_METHODS = ("BERT", "ELMo", "XLNet", "T5")
_DATASETS = ("SQuAD 1.1", "GLUE", "RACE", "MNLI")
_TABLES = "graph_names graph_edges graph_documents graph_papers graph_works graph_unsettled graph_aliases trees tree_nodes tree_members"

# small steps, so that there are more moments between two of them
_IN_SMALL_STEPS = """
from scholarmind.adapters.store import tree_growing
from scholarmind.library import followers
followers.GraphFollowing.__init__.__kwdefaults__["at_once"], followers._SUMMARIES_AT_ONCE = 3, 4
tree_growing._PLACED_AT_ONCE, tree_growing._MENDED_AT_ONCE, tree_growing._CLEARED_AT_ONCE = 15, 5, 40
"""
_ADDING = f"""
{_IN_SMALL_STEPS}
library, documents = sys.argv[1:]
def report(event):
    if isinstance(event, Progress):
        say(event.stage)
say("ready")
sys.stdin.readline()
with opened(library, lock_wait=60) as adding:
    adding.add(documents, prune=True, on_event=report)
say("end")
"""


class Papers:
    """A folder of papers that state things of each other; what is called by `secret` words is known by nothing else."""

    def __init__(self, folder: Path, seed: int, *, secret: bool = False) -> None:
        self.folder = folder
        self.words: list[str] = []
        self.names: list[str] = []
        self._random = random.Random(seed)
        self._secret = secret
        folder.mkdir(parents=True)

    def write(self, count: int) -> None:
        """Write new papers, each on one of those before."""
        for _ in range(count):
            name = f"{self._word('Zq')}Net"
            self._put(name, self._random.choice(self.names or _METHODS))
            self.names.append(name)

    def replace(self, count: int) -> None:
        """Let some papers say something else."""
        for name in self._random.sample(self.names, count):
            self._put(name, self._random.choice(_METHODS))

    def remove(self, count: int) -> None:
        """Remove some papers."""
        for name in self._random.sample(self.names, count):
            self.names.remove(name)
            (self.folder / f"{name}.md").unlink()

    def _put(self, name: str, base: str) -> None:
        one, other = self._random.sample(_DATASETS, 2)
        authors = self._random.sample(_AUTHORS, 2)
        aside, value = "It is cheap", f"{self._random.randint(600, 950) / 10}"
        if self._secret:
            other, aside, value = f"{self._word('Sk')}QA", f"It is {self._word('Sx')}", f"{value}{len(self.words)}77"
            authors.append(f"{self._word('Sa')} {self._word('Sb')}")
            self.words.append(value)
        text = (
            f'---\ntitle: "{name}: attention for reading"\nauthors: [{", ".join(authors)}]\n'
            f"year: {self._random.randint(2015, 2024)}\nvenue: ACL\naliases: [{name}]\ndatasets: [{one}, {other}]\n---\n"
            f"We propose {name}, which improves on {base}. Attention in {name} is sparse and efficient. {aside}.\n\n"
            f"{name} reaches an accuracy of {value} on {one}. {name} outperforms {base} on {other} by 2.3 points. {aside}.\n\n"
            f"The main limit of {name} is its cost. Trends show larger models with sparse attention. {aside}.\n"
        )
        (self.folder / f"{name}.md").write_text(text, encoding="utf-8")

    def _word(self, begins: str) -> str:
        word = begins + "".join(self._random.choice("bdfgklmnprstvz") + self._random.choice("aeiou") for _ in range(4))
        self.words.append(word)
        return word


@pytest.fixture
def papers(tmp_path: Path) -> Papers:
    """Return some papers."""
    made = Papers(tmp_path / "papers", seed=11)
    made.write(12)
    return made


def told(library: Library) -> list[str]:
    """Return what `doctor` does not like."""
    return [f"{check.name}: {check.seen}" for check in examine(library.store) if not check.ok and check.name != "disk"]


def stated(library: Library) -> set[tuple[Any, ...]]:
    """Return the edges of the graph without the numbers that depend on the order in which they came."""
    sql = (
        "SELECT d.id, e.relation, s.kind, s.key, t.kind, t.key, p.position, e.start, e.metric, e.value FROM graph_edges e "
        "JOIN documents d ON d.number = e.document JOIN graph_names s ON s.number = e.source "
        "JOIN graph_names t ON t.number = e.target LEFT JOIN passages p ON p.number = e.passage"
    )
    return set(library.store.database.rows(sql))


def left(library: Library) -> dict[str, int]:
    """Return what the tables of both structures hold."""
    database = library.store.database
    counted = {table: database.value(f"SELECT count(*) FROM {table}") for table in _TABLES.split()}  # noqa: S608
    return {table: count for table, count in counted.items() if count}


async def summaries(library: Library, question: str = "sparse attention") -> list[str]:
    """Return the summaries that a question is near to. All of them stand on passages that there are."""
    search = Search(text=question, vector=HashEmbedder(512).vector(question), k=50)
    nodes = [each.node for each in await library.store.tree.near(search, 50, levels=(1, 2, 3)) if each.node]
    numbers = {number for node in nodes for sentence in node.summary for number in sentence.passages}
    assert set(await library.store.tree.evidence(sorted(numbers))) == numbers
    assert all(node.text for node in nodes)
    return [node.text for node in nodes]


def has_structures(library: Library) -> bool:
    """Tell whether there are any tables of them."""
    sql = "SELECT count(*) FROM sqlite_master WHERE name LIKE 'graph%' OR name LIKE 'tree%'"
    return bool(library.store.database.value(sql))


# -- stopped while they follow


@pytest.mark.anyio
async def test_killed_while_they_follow(tmp_path: Path, papers: Papers) -> None:
    """Killed again and again: nothing is half done, the tree of before serves, and at last all is as if nothing had been."""
    seeded, folder, before = random.Random(5), tmp_path / "library", 0
    for stage in ("graph", "tree", "tree"):
        child = start(_ADDING, folder, papers.folder)
        expect(child, "ready")
        tell(child)
        for _ in range(seeded.randint(1, 3)):
            while child.stdout.readline().strip() not in {stage, "end"}:
                pass
        child.send_signal(signal.SIGKILL)
        child.wait()
        with opened(folder) as library:
            assert_sound_truth(library)
            assert [check for check in told(library) if "wait" not in check and "anew" not in check] == []
            found = len(await summaries(library))
            assert found or not before
            before = found
            assert (await library.ask.aio(_OVERVIEW)).evidence
        papers.remove(2)
        papers.replace(3)
        papers.write(3)
    with opened(folder) as library, opened(tmp_path / "undisturbed") as undisturbed:
        for each in (library, undisturbed):
            await each.add.aio(papers.folder, prune=True)
            assert told(each) == []
        metadata = (
            "AUTHORED_BY",
            "PUBLISHED_IN",
            "PROPOSES",
        )  # what a text states depends on the names known when it was read
        expected = {edge for edge in stated(undisturbed) if edge[1] in metadata}
        assert {edge for edge in stated(library) if edge[1] in metadata} == expected
        counts = [(await each.store.tree.counts()).passages for each in (library, undisturbed)]
        assert counts == [undisturbed.counts()["default"].vectors] * 2


_REMOVING = """
library, moment, *ids = sys.argv[1:]
def end(*arguments):
    os.kill(os.getpid(), signal.SIGKILL)
with Library.open(library, embedder="none") as removing:
    if moment == "before the indexes":
        removing.store._indexes.catch_up = end
    else:
        removing.store.tree.grow = end
    removing.remove(ids)
"""


@pytest.mark.parametrize("mend", ["remove", "remove --where", "doctor --mend"])
@pytest.mark.parametrize("moment", ["before the indexes", "before the tree"])
def test_killed_after_a_removal(tmp_path: Path, papers: Papers, moment: str, mend: str) -> None:
    """The documents are gone, and what is kept over them is not: the same command run again brings it up, and so does doctor."""
    folder = tmp_path / "library"
    with Library.open(folder, embedder="none") as library:
        library.add(papers.folder)
        ids = [document.id for document in library.documents()[:4]]
    child = start(_REMOVING, folder, moment, *ids)
    assert child.wait() == -signal.SIGKILL
    with Library.open(folder, embedder="none") as library:
        assert len(library.documents()) == 8
        assert told(library) != []
    commands = {
        "remove": ["remove", *ids],
        "remove --where": ["remove", "--where", f"id = {ids[0]}", "--yes"],
        "doctor --mend": ["doctor", "--mend"],
    }
    command = [_SCRIPT, *commands[mend], "--library", folder]
    environment = os.environ | {"SCHOLARMIND_EMBEDDER": "none"}
    again = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert "Traceback" not in again.stderr
    with Library.open(folder, embedder="none") as library:
        assert told(library) == []
        assert_sound_truth(library)


@pytest.mark.parametrize("table", ["graph_documents", "tree_members"])
def test_interrupted_while_they_follow(tmp_path: Path, papers: Papers, table: str) -> None:
    """Ctrl-C: the command says that all is stored, and goes on from there."""
    papers.write(80)
    folder = tmp_path / "library"
    environment = {**os.environ, "SCHOLARMIND_EMBEDDER": "none", "SCHOLARMIND_PASSAGE_TOKENS": "20"}
    process = launch([_SCRIPT, "add", papers.folder, "--library", folder], env=environment)
    wait_for_rows(folder, table, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.strip().endswith("everything reported as done is stored, and the same command goes on from there")
    with Library.open(folder, embedder="none", passage_tokens=20) as library:
        assert library.counts()["default"].documents == len(papers.names)
        assert library.ask(_OVERVIEW).evidence
        library.add()
        assert told(library) == []


def wait_for_rows(folder: Path, table: str, process: subprocess.Popen[str]) -> None:
    """Wait until a table of the library holds something."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        with (
            suppress(sqlite3.OperationalError),
            closing(sqlite3.connect(f"file:{folder}/library.db?mode=ro", uri=True)) as opened_,
        ):
            if opened_.execute(f"SELECT count(*) FROM {table}").fetchone()[0]:  # noqa: S608
                return
        time.sleep(0.01)
    pytest.fail(f"the command did not get there: {process.poll()}")


def test_a_paper_that_names_itself_most_is_linked(tmp_path: Path) -> None:
    """A paper comes after one that names it: its own passages, which name it more often, do not hide that one."""
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "early.md").write_text("Others speak of many things, and here at last of ZqlateNet too.\n")
    with opened(tmp_path / "library") as library:
        library.add(folder)
        sentences = " ".join(f"ZqlateNet has a part called layer{number}." for number in range(150))
        (folder / "late.md").write_text(f"---\ntitle: ZqlateNet\n---\n{sentences}\n")
        library.add(folder)
        assert [edge[0].partition("-")[0] for edge in stated(library) if edge[1] == "MENTIONS"] == ["early"]


# -- several at once


def test_two_processes_add_at_once(tmp_path: Path, papers: Papers) -> None:
    """Both bring the structures up to date; nothing is there twice, and nothing is lost."""
    other = Papers(tmp_path / "others", seed=12)
    other.write(12)
    children = [
        start(_ADDING.replace(", prune=True", ""), tmp_path / "library", each.folder) for each in (papers, other)
    ]
    for child in children:
        expect(child, "ready")
    for child in children:
        tell(child)
    assert [finish(child)[-1] for child in children] == ["end", "end"]
    with opened(tmp_path / "library") as library:
        assert_sound_truth(library)
        assert told(library) == []
        counts = library.graph.counts()
        assert (counts.documents, counts.waiting, counts.nodes["paper"]) == (24, 0, 24)


class Meddling:
    """A graph; before anything is put into it, somebody else tries to replace the documents that were read for it."""

    def __init__(self, library: Library, other: Library, papers: Papers) -> None:
        self.graph, self.other, self.papers = library.store.graph, other, papers
        self.waiting, self.settle = self.graph.waiting, self.graph.settle

    async def put(self, extracted: list[Extracted]) -> None:
        """Let the other one try first."""
        self.papers.replace(len(self.papers.names))
        with pytest.raises(LibraryLockedError):
            await self.other.add.aio(self.papers.folder)
        await self.graph.put(extracted)


@pytest.mark.anyio
async def test_documents_are_not_replaced_while_they_are_read(tmp_path: Path, papers: Papers) -> None:
    """What a document stated before must not be stored for the one that took its place."""
    folder = tmp_path / "library"
    with opened(folder, graph=False, tree=False) as library:
        await library.add.aio(papers.folder)
    with opened(folder) as library, opened(folder, graph=False, tree=False, lock_wait=0.1) as other:
        await GraphFollowing(store=library.store, graph=Meddling(library, other, papers)).follow()
        assert library.graph.counts().waiting == 0


_FORKING = """
import asyncio
library = sys.argv[1]
with opened(library) as parent:
    tree, graph = parent.store.tree, parent.store.graph
    asked = parent.ask("What are the main directions of attention?")
    with tree._loading:  # as if another thread of the parent were just reading the trees
        child = os.fork()
        if child == 0:
            again = parent.ask("What are the main directions of attention?")
            assert [item.passage for item in again.evidence] == [item.passage for item in asked.evidence]
            assert len(parent.graph.counts().nodes) > 3
            parent.remove([parent.documents()[0].id])
            os._exit(0)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert parent.graph.counts().documents == 11
    assert parent.ask("What are the main directions of attention?").evidence
say("done")
"""


def test_fork_while_the_trees_are_read(tmp_path: Path, papers: Papers) -> None:
    """A child asks, and changes what there is; the parent sees that."""
    with opened(tmp_path / "library") as library:
        library.add(papers.folder)
    assert run(_FORKING, tmp_path / "library") == ["done"]


# -- what goes, and what comes back


def test_nothing_is_left_of_what_was_removed(tmp_path: Path, papers: Papers) -> None:
    """Documents are replaced and removed, and at last all of them are: no node, name, summary or count stays behind."""
    with opened(tmp_path / "library") as library:
        for _ in range(3):
            library.add(papers.folder, prune=True)
            assert told(library) == []
            papers.remove(4)
            papers.replace(4)
            papers.write(4)
        library.add(papers.folder, collection="other")
        library.remove([document.id for document in library.documents("collection = default")])
        assert told(library) == []
        library.remove([document.id for document in library.documents()], collection="other")
        assert told(library) == []
        assert left(library) == {}
        assert library.ask(_OVERVIEW).evidence == ()
        library.add(papers.folder)
        assert library.graph.counts().nodes["paper"] == 12


@pytest.mark.anyio
async def test_switched_off_and_on_again(tmp_path: Path, papers: Papers) -> None:
    """Without them a library has no tables, answers all the same, and says what to do; later they catch up, and with other vectors anew."""
    folder = tmp_path / "library"
    with opened(folder, graph=False, tree=False) as library:
        await library.add.aio(papers.folder)
        await library.remove.aio([library.documents()[0].id])
        assert not has_structures(library)
    with opened(folder) as library:
        answers = [await library.ask.aio(question) for question in (_QUESTION, _OVERVIEW)]
        assert all(answer.evidence for answer in answers)
        assert told(library) == []
        assert library.graph.counts().waiting == 11
        assert not has_structures(library)
        await library.add.aio()
        assert told(library) == []
        assert library.graph.counts().documents == 11
    with opened(folder, graph=False, tree=False) as library:
        papers.replace(6)
        await library.add.aio(papers.folder, prune=True)
        assert [check.partition(":")[0] for check in told(library)] == ["graph", "tree"]
    with opened(folder, embedder=HashEmbedder(64)) as library:
        await library.reembed.aio()
        assert told(library) == []
        assert library.graph.counts().documents == 12
        assert len({len(sums) for (sums,) in library.store.database.rows("SELECT sums FROM tree_nodes")}) == 1


_FULL = f"""
import asyncio, resource
from robustly import assert_sound_truth
{_IN_SMALL_STEPS}
library, limits = sys.argv[1], [int(each) for each in sys.argv[2:]]
with opened(library) as adding:
    for limit in limits:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        try:
            adding.add()
            say("added")
        except LibraryStorageError as error:
            say("told" if library in str(error) else error)
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert_sound_truth(adding)
        assert adding.ask("What are the main directions of attention?").evidence
    adding.add()
say("done")
"""


def test_no_room_while_they_follow(tmp_path: Path, papers: Papers) -> None:
    """No file may grow: that is told, what is stored is found, and with room again all is brought up to date."""
    folder = tmp_path / "library"
    papers.write(30)
    with opened(folder, graph=False, tree=False) as library:
        library.add(papers.folder)
    assert run(_FULL, folder, 8_192, 60_000) == ["told"] * 2 + ["done"]
    with opened(folder) as library:
        assert told(library) == []


# -- rights


def hidden_words(papers: Papers, question: str, *shown: object) -> list[str]:
    """Return the words of papers that are shown and do not stand in the question."""
    text = " ".join(map(repr, shown)).casefold()
    return [word for word in papers.words if word.casefold() in text and word not in question]


def questions(own: str, seeded: random.Random) -> Iterator[str]:
    """Yield questions that ask both structures, some of them for what is hidden."""
    method, data = seeded.choice(_METHODS), seeded.choice(_DATASETS)
    yield from (
        f"Which methods improve on {method}, on which datasets, and by whom?",
        f"How many papers evaluate on {data}?",
        f"Who proposed {own}, and what does {own} improve on?",
        f"On which datasets is {own} evaluated?",
        f"Results of methods on {data}",
        f"What do {method} and {own} have in common?",
        f"Why is {method} worse than {own}?",
        "注意力方面谁发表的论文最多？",
        "Trends in sparse attention since 2018",
        _OVERVIEW,
    )


@pytest.mark.anyio
@pytest.mark.parametrize("seed", range(3))
async def test_nothing_hidden_is_seen(tmp_path: Path, seed: int) -> None:
    """What a filter does not let pass is in no answer, event, table or note: no title, author, data set, result or sentence."""
    seeded = random.Random(seed)
    plain, secret = Papers(tmp_path / "open", seed), Papers(tmp_path / "secret", seed + 100, secret=True)
    plain.write(6)
    secret.write(6)
    with opened(tmp_path / "library") as library:
        for each in seeded.sample([plain, secret], 2):
            await library.add.aio(each.folder, collection=each.folder.name if seed else "default")
        ids = [document.id for document in library.documents() if document.title.split(":")[0] in plain.names]
        only = "collection = open" if seed else " or ".join(f"id = '{id}'" for id in ids)
        for question in questions(seeded.choice(secret.names), seeded):
            events: list[object] = []
            answer = await library.ask.aio(question, filter=only, on_event=events.append)
            record = json.dumps(answer_record(answer), ensure_ascii=False, default=str)
            assert hidden_words(secret, question, answer, record, events) == [], question
            assert {item.document.id for item in answer.evidence} <= set(ids)
        allowed = parse_filter(only)
        graph, tree = library.store.graph, library.store.tree
        numbers = [node.number for node in await graph.nodes()]
        search = Search(text=_OVERVIEW, vector=HashEmbedder(512).vector(_OVERVIEW), k=50)
        seen = (
            await graph.mentioned(" ".join((*secret.words, *_METHODS, *_DATASETS)), allowed),
            await graph.edges(filter=allowed),
            await graph.neighbourhood(numbers[:30], hops=3, filter=allowed),
            await graph.ranked(dict.fromkeys(numbers[:30], 1.0), filter=allowed),
            await tree.near(search, 200, filter=allowed),
            [await tree.under(root.number, search, 100, filter=allowed) for root in await tree.roots()],
        )
        assert all(seen[1:5])
        assert hidden_words(secret, "", *seen) == []
