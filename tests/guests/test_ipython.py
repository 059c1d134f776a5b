"""A library within IPython: what answers, plans, tables and search results look like in a notebook, and `%ask`."""

import asyncio
import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from founders import CHAIN, PURPOSES, TWO, said

from scholarmind import Answer, Found, Library, Plan, ScholarMindError, SubQuestion
from scholarmind.testing import Call, ScriptedServer

pytest.importorskip("IPython", reason="IPython is not installed; `make guests` tests with it")

from IPython.utils.capture import capture_output
from markdown_it import MarkdownIt

pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
PLAN = Plan(
    question="Which of the two is newer?",
    parts=(
        SubQuestion(id=1, text="At which company was BERT proposed, and by whom, and in which year did that happen?"),
        SubQuestion(id=2, text="Who founded #1?", depends_on=(1,)),
        SubQuestion(id=3, text="谁提出了GPT-2这一模型，它是在哪一年由哪一家公司发布的，参数量又是多少？"),
        SubQuestion(id=4, text="When did #2 found it?", depends_on=(2,), kind="reasoning"),
        SubQuestion(id=5, text="Compare #1, #3 and #4", depends_on=(1, 3, 4), role="compare", kind="reasoning"),
    ),
    complexity="composite",
    reason="several clauses",
    decided_by="rules",
)
# what a hostile document, title, question or model says
MARKUP = (
    "<script>alert(1)</script> <img src=x onerror=alert(2)> <svg onload=alert(3)><use href='http://evil.example/a'/></svg> "
    '" onmouseover="alert(4) \' &lt;script&gt; &#60;b&#62; </div></details></text></svg><style>*{display:none}</style> '
    "[click](javascript:alert(5)) ![pixel](http://evil.example/b.png) <http://evil.example/c> www.evil.example **bold** `code` "
    "| cell | $\\href{javascript:alert(6)}{x}$ $$x$$ \\(y\\) <!-- ]]> [Realman, 1901] ✓ verified \u202egnp.exe"
)
TAGS = set(
    "div p h3 strong em ul ol li table thead tbody tr th td details summary blockquote mark small".split()
) | set("figure svg g title rect path text tspan style".split())
ATTRIBUTES = set("class open role aria-label viewBox viewbox width height x y rx d start".split())


@pytest.fixture
def folder(notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The notes as a library that needs no embedder."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    with Library.open(tmp_path / "library") as library:
        library.add(notes)
    return tmp_path / "library"


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A library of one document that tries everything."""
    monkeypatch.setenv("SCHOLARMIND_EMBEDDER", "none")
    text = f"The Zorb engine {MARKUP} reaches 90 percent accuracy.\n\nAda Quill {MARKUP} built the Zorb engine in 1999."
    record = {"id": f"zorb {MARKUP}", "title": f"Zorb {MARKUP}", "text": text, "meta": {"authors": [f"Ada {MARKUP}"]}}
    (tmp_path / "zorb.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    with Library.open(tmp_path / "hostile") as library:
        library.add(tmp_path / "zorb.jsonl")
    return tmp_path / "hostile"


@pytest.fixture
def loaded(shell: Any) -> Any:
    """The shell with the extension."""
    shell.run_line_magic("load_ext", "scholarmind.ipython")
    return shell


class Shown:
    """What a cell showed: what is displayed while it runs, then its result; and what it wrote."""

    def __init__(self, displayed: list[Any], results: list[dict[str, str]], written: str) -> None:
        self.displayed = displayed
        self.results = results
        self.written = written


def run(shell: Any, code: str) -> tuple[Any, Shown]:
    """Run a cell, and return what it came to, and what was shown. A notebook's publisher is one that prints nothing."""
    with capture_output() as captured:
        result = shell.run_cell(code)
    return result, shown_of(shell, captured)


def shown_of(shell: Any, captured: Any) -> Shown:
    history = shell.history_manager.outputs
    results = [each.bundle for kept in history.values() for each in kept if each.output_type == "execute_result"]
    history.clear()
    return Shown(captured._outputs, results, captured.stdout + captured.stderr)


def shown(shell: Any, value: Any) -> tuple[str, str, str]:
    """Return a value as HTML, as Markdown and as text."""
    data, _ = shell.display_formatter.format(value)
    return data["text/html"], data["text/markdown"], data["text/plain"]


class Page(HTMLParser):
    """The elements, attributes and text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text = ""
        self.other: list[str] = []
        self.open: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.text += data

    def handle_comment(self, data: str) -> None:
        self.other.append(data)

    def handle_decl(self, decl: str) -> None:
        self.other.append(decl)

    def handle_pi(self, data: str) -> None:
        self.other.append(data)


def assert_harmless(html: str) -> str:
    """Nothing is loaded, linked, run or left open; no formula is typeset, whose commands make links as well. Return the text."""
    page = Page(html)
    assert set(page.tags) <= TAGS
    assert {name for name, _ in page.attributes} <= ATTRIBUTES
    assert not page.open
    assert not page.other
    assert page.tags[0] == "div"
    assert {"tex2jax_ignore", "mathjax_ignore"} <= set(dict(page.attributes[:1])["class"].split())
    assert not any("url(" in value or "expression" in value for _, value in page.attributes)
    assert not re.search(r"\[Realman, 1901\]|(?<!‹)✓ ?verified|\u202e", page.text)
    return page.text


def assert_harmless_markdown(markdown: str) -> str:
    """Nothing of it is markup but headings, lists, tables and bold letters, even if HTML is allowed. Return the text."""
    found = [
        inner
        for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown)
        for inner in (token, *(token.children or ()))
    ]
    kinds = {token.type for token in found}
    assert not kinds & {"image", "html_inline", "html_block", "code_inline", "code_block", "fence", "s_open", "hr"}
    links = [str(token.attrs["href"]) for token in found if token.type == "link_open"]
    assert not [link for link in links if "evil" in link or "script" in link]
    assert not re.search(r"\$", re.sub(r"\\.", "", markdown, flags=re.DOTALL))
    return "".join(token.content for token in found if token.type == "text")


# -- what is shown


def test_an_answer(loaded: Any, library: Library) -> None:
    answer = library.ask(TWO)
    html, markdown, plain = shown(loaded, answer)
    text = assert_harmless(html)
    folded = html.split("<details>")[1:]
    cited = [part.split("</details>")[0] for part in folded if "<blockquote>" in part]
    assert len(cited) == len(answer.citations) == 2
    assert "[BERT]" in cited[0]
    assert re.search(r"<mark>BERT was proposed by Jacob Devlin at Google in October 2018\.</mark>", cited[0])
    assert "<svg" in html
    assert "✓ answered" in text
    assert "complete" in text
    assert "**" not in text
    assert "| 1 | Who proposed BERT? | ✓ answered |" in markdown
    assert markdown.startswith(f"# {TWO}")
    assert plain == markdown.rstrip("\n")


def test_the_page_that_is_cited_is_named(loaded: Any, tmp_path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(tmp_path / "plin.pdf"))
    canvas.showPage()
    canvas.drawString(72, 700, "The Plin engine was built by Ada Quill in 1999.")
    canvas.showPage()
    canvas.save()
    with Library.open(tmp_path / "pages", embedder="none") as library:
        library.add(tmp_path / "plin.pdf")
        html, _, _ = shown(loaded, library.ask("Who built the Plin engine?"))
    (summary,) = re.findall(r"<summary>(?:(?!</summary>).)*Plin.*?</summary>", html, re.IGNORECASE)
    assert "p. 2" in summary


def test_a_plan_is_drawn_by_its_dependencies(loaded: Any) -> None:
    html, markdown, _ = shown(loaded, PLAN)
    assert_harmless(html)
    assert "composite, mixed (decided by rules: several clauses)" in html
    picture = ElementTree.fromstring(html[html.index("<svg") : html.index("</figure>")])  # noqa: S314  (ours)
    width, height = (float(picture.attrib[name]) for name in ("width", "height"))
    boxes = [tuple(float(box.attrib[side]) for side in ("x", "y", "width", "height")) for box in picture.iter("rect")]
    titles = [(title.text or "") for title in picture.iter("title")]
    assert len(boxes) == len(titles) == 5
    at = {int(title.partition(".")[0]): box for title, box in zip(titles, boxes, strict=True)}
    for part in PLAN.parts:
        x, y, wide, high = at[part.id]
        assert x >= 0
        assert y >= 0
        assert x + wide <= width
        assert y + high <= height
        for other in part.depends_on:
            assert at[other][0] + at[other][2] < x
    assert at[1][0] == at[3][0] < at[2][0] < at[4][0] < at[5][0]
    for above, below in pairwise(sorted((at[1], at[3]), key=lambda box: box[1])):
        assert above[1] + above[3] < below[1]
    edges = [path.attrib["d"] for path in picture.iter("path")]
    assert len(edges) == sum(len(part.depends_on) for part in PLAN.parts)
    told = "".join(picture.itertext())
    assert "谁提出了GPT-2这一模型" in told.replace("\n", "")
    assert "- 5\\. Compare \\#1, \\#3 and \\#4 (reasoning, after 1, 3, 4)" in markdown


def test_a_line_passes_by_the_parts_between(loaded: Any) -> None:
    """What part 5 takes from part 1 goes through no other part."""
    html, _, _ = shown(loaded, PLAN)
    boxes = [
        tuple(map(float, found))
        for found in re.findall(r'<rect x="(\d+)" y="(\d+)" width="(\d+)" height="(\d+)"', html)
    ]
    assert len(boxes) == 5
    for path in re.findall(r'<path d="([^"]*)"', html):
        points = [tuple(map(float, pair.split(","))) for pair in re.findall(r"\d+,\d+", path)]
        between = [((x + to_x) / 2, (y + to_y) / 2) for (x, y), (to_x, to_y) in pairwise(points)]
        for x, y in (*points, *between):
            assert not any(left < x < left + wide and top < y < top + high for left, top, wide, high in boxes)


def test_a_table_and_what_was_found(loaded: Any, library: Library) -> None:
    html, markdown, _ = shown(loaded, library.ask(f"{TWO[:-1]}, and who founded Zorb Ltd?").review)
    assert "Zorb" in assert_harmless(html)
    assert html.count("<tr>") == 4
    assert "Verdict: **" in markdown
    for found in (library.search("Who proposed BERT?", 3), library.find(TWO, 3)):
        html, markdown, plain = shown(loaded, found)
        text = assert_harmless(html)
        assert html.count("<details") == 3
        assert "BERT was proposed by Jacob Devlin at Google in October 2018." in text
        assert "> BERT was proposed by Jacob Devlin at Google in October 2018." in markdown
        assert plain == markdown
    html, markdown, _ = shown(loaded, Found(evidence=(), notices=("without vectors",)))
    for told in (Page(html).text, markdown):
        assert "nothing found" in told
        assert "without vectors" in told


def test_hostile_documents_and_questions_are_only_text(loaded: Any, hostile: Path) -> None:
    with Library.open(hostile) as library:
        answer = library.ask(f"What accuracy does the Zorb engine reach {MARKUP}, and who built the Zorb engine?")
        values = (answer, answer.plan, answer.review, library.search("Who built the Zorb engine?"))
    for value in values:
        html, markdown, plain = shown(loaded, value)
        assert "<script>alert(1)</script>" in assert_harmless(html)
        assert "<script>alert(1)</script>" in assert_harmless_markdown(markdown)
        assert "\u202e" not in plain
    assert "<mark>" in shown(loaded, answer)[0]


def test_a_hostile_model_writes_only_text(loaded: Any, folder: Path) -> None:
    def replied(call: Call) -> Any:
        reply = said(call)
        return f"{MARKUP}\n\n### {MARKUP}\n\n- {MARKUP}\n\n{reply}" if isinstance(reply, str) else reply

    with ScriptedServer(answer=replied, purposes=PURPOSES) as server:
        result, outputs = run(loaded, f"%%ask --library {folder} --llm {server.base_url}#m --effort deep\n{CHAIN}")
    assert result.result.written_by == "m"
    (data,) = outputs.results
    assert "alert(1)" in assert_harmless(data["text/html"])  # tags were taken out when it was written
    assert "alert(1)" in assert_harmless_markdown(data["text/markdown"])


# -- asking


def test_a_cell_is_a_question(loaded: Any, folder: Path) -> None:
    result, outputs = run(loaded, f"%%ask --library {folder}\nWho proposed BERT,\nand who proposed GPT-2?\n")
    assert isinstance(result.result, Answer)
    assert result.result.plan.question == TWO.replace(", and", ",\nand")
    assert [row.status for row in result.result.review.rows] == ["answered", "answered"]
    assert "<details>" in outputs.results[-1]["text/html"]
    assert len(outputs.results) == 1
    assert loaded.user_ns["_"] is result.result


def test_progress_is_one_line_that_changes(loaded: Any, folder: Path) -> None:
    _, outputs = run(loaded, f"%%ask --library {folder}\n{TWO}")
    told = [output["data"]["text/plain"] for output in outputs.displayed]
    assert [output.get("update", False) for output in outputs.displayed] == [False, *[True] * (len(told) - 1)]
    assert len({output["transient"]["display_id"] for output in outputs.displayed}) == 1
    assert any("1 of 2 parts" in text for text in told)
    assert any("2 of 2 parts" in text for text in told)
    assert all("\n" not in text for text in told)
    assert told[-1].startswith("complete")


def test_a_line_is_a_question(loaded: Any, folder: Path) -> None:
    question = "Who founded the company at which BERT was proposed, and what's GPT-2's size?"
    loaded.user_ns["place"] = str(folder)
    result, outputs = run(loaded, f"answer = %ask --library {{place}} {question}")
    result.raise_error()
    assert loaded.user_ns["answer"].question == question
    assert not outputs.results


def test_where_a_loop_is_running(loaded: Any, folder: Path) -> None:
    """As in a notebook, whose kernel runs the cells from its loop."""

    async def kernel() -> list[Any]:
        turning = asyncio.create_task(asyncio.sleep(0))
        results = []
        for code in (
            f"%%ask --library {folder}\n{TWO}",
            f"answer = %ask --library {folder} {TWO}\nawait __import__('asyncio').sleep(0)\nanswer",
        ):
            transformed = loaded.transform_cell(code)
            results.append(await loaded.run_cell_async(code, transformed_cell=transformed))
        await turning
        return results

    with capture_output() as outputs:
        results = asyncio.run(kernel())
    for result in results:
        result.raise_error()
        assert "Devlin" in result.result.text
    assert sum("text/html" in result for result in shown_of(loaded, outputs).results) == 2


def test_the_options(loaded: Any, folder: Path, server: ScriptedServer) -> None:
    line = f"""--where 'title = "OpenAI" or title = "GPT-2"' --library="{folder}" --effort=keyless --llm none"""
    result, _ = run(loaded, f"%%ask {line}\n{TWO}")
    assert {item.document.title for item in result.result.evidence} == {"GPT-2"}
    result, _ = run(loaded, f"%%ask --library {folder} --llm {server.base_url}#m --effort deep\n{CHAIN}")
    assert result.result.written_by == "m"
    assert {"plan", "answer"} <= {call.purpose for call in server.log}


@pytest.mark.parametrize(
    ("line", "cell", "told"),
    [
        (
            "--library {folder} --colour red",
            TWO,
            r"'--colour' is no option of %ask; it takes --library FOLDER, .*--llm",
        ),
        ("--library {folder} --effort", TWO, "'--effort' needs a value"),
        ("--library {folder} --effort huge", TWO, "effort = 'huge'"),
        ("--library {folder} --where year >= 2019", TWO, "'>= 2019' .* quotes"),
        ("--library {folder} --where 'year >='", TWO, "year >="),
        ("--library {folder} --where 'year >= 2019", TWO, "quote"),
        ("--library {folder}/nowhere", TWO, "nowhere"),
        ("--library {folder}", " \n", "empty"),
    ],
)
def test_what_cannot_be_asked_is_said_in_a_line(loaded: Any, folder: Path, line: str, cell: str, told: str) -> None:
    result, outputs = run(loaded, f"%%ask {line.format(folder=folder)}\n{cell}")
    assert isinstance(result.error_in_exec, ScholarMindError)
    assert re.search(told, str(result.error_in_exec))
    written = outputs.written
    assert str(result.error_in_exec) in written
    assert "Traceback" not in written
    assert len(written.strip().splitlines()) == 1


def test_an_error_of_a_hostile_name_steers_no_terminal(loaded: Any, folder: Path) -> None:
    _, outputs = run(loaded, f"%%ask --library '{folder}/\x1b]0;owned\x07'\n{TWO}")
    assert "\x1b]0" not in outputs.written


def test_loaded_twice_is_as_good_as_once(loaded: Any, folder: Path) -> None:
    loaded.run_line_magic("reload_ext", "scholarmind.ipython")
    result, outputs = run(loaded, f"%ask --library {folder} {TWO}")
    assert "Devlin" in result.result.text
    assert len(outputs.results) == 1


def test_other_cells_stay_as_they_are(loaded: Any, capfd: pytest.CaptureFixture[str]) -> None:
    """What ends in a question mark is a question only behind `%ask`; `%ask?` explains it."""
    loaded.run_cell("%%bash\ncat <<'END'\n%ask Who proposed BERT?\nEND\n").raise_error()
    assert "%ask Who proposed BERT?" in capfd.readouterr().out
    loaded.run_cell("%ask?").raise_error()
    assert "--where 'FILTER'" in capfd.readouterr().out


# -- in processes of their own


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def test_in_a_terminal_the_line_is_written_over(folder: Path, tmp_path: Path, terminal: tuple[int, int]) -> None:
    code = f"%load_ext scholarmind.ipython\nanswer = %ask --library {folder} {TWO}\nanswer"
    ours, theirs = terminal
    written = b""

    def read() -> None:
        nonlocal written
        while b"THE END" not in written:
            written += os.read(ours, 65536)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython"), "TERM": "xterm"}
    command = [sys.executable, "-m", "IPython", "--no-banner", "--colors=nocolor", "-c", f"{code}\nprint('THE', 'END')"]
    subprocess.run(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, check=True)
    reader.join(30)
    told = written.decode()
    assert re.search(r"\r\x1b\[K[^\n]*1 of 2 parts", told)
    before = told.partition("1 of 2 parts")[0].rpartition("\r")[0]
    assert "\n" not in before
    assert "\r\x1b[K" in told.partition("THE END")[0].rpartition("parts")[2]


def test_who_stops_it_can_go_on(folder: Path, tmp_path: Path) -> None:
    """Ctrl-C, or the button of a notebook, ends the run and leaves it in order; the shell lives on."""
    script = tmp_path / "stopped.py"
    script.write_text(
        "import os, signal, threading, time\n"
        "from IPython.core.interactiveshell import InteractiveShell\n"
        "from scholarmind.testing import ScriptedServer\n"
        "def answer(call):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "with ScriptedServer(answer=answer) as server:\n"
        "    shell = InteractiveShell.instance()\n"
        "    shell.run_line_magic('load_ext', 'scholarmind.ipython')\n"
        f"    result = shell.run_cell('%%ask --effort deep --library {folder} --llm ' + server.base_url + '#m\\n' + {CHAIN!r})\n"
        "    print(type(result.error_in_exec).__name__, flush=True)\n"
        f"    shell.run_cell('a = %ask --effort keyless --llm none --library {folder} Who proposed BERT?\\nprint(a.text)')\n"
        "    os._exit(0)\n",
        encoding="utf-8",
    )
    environment = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")}
    done = subprocess.run(
        [sys.executable, script], capture_output=True, text=True, env=environment, timeout=100, check=True
    )
    assert "KeyboardInterrupt" in done.stdout.splitlines()
    assert "Devlin" in done.stdout
    with Library.open(folder) as library:
        assert {run.status for run in asyncio.run(library.runs.latest(10))} == {"cancelled", "done"}
    assert signal.getsignal(signal.SIGINT) is not None
