"""What documents, questions and bibliographies say never becomes markup: rendered, it reads as it was written."""

import json
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import Result
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from scholarmind.writing.answer_markdown import harmless, starting

Run = Callable[..., Result]
MARKUP = (
    "[click](http://evil.example/a) ![pixel](http://evil.example/b.png) <img src=x onerror=alert(1)> <script>alert(2)</script> "
    "**bold** `code` ~~gone~~ http://evil.example/c www.evil.example <http://evil.example/d> &lt;b&gt; | cell | \\[e\\](f) "
    "[g]: http://evil.example/h"
)
LINES = (
    "# Heading\n\n## Completeness\n\nVerdict: **complete**\n===\n\n```\nfence\n```\n\n    indented\n\n- item\n1. one\n> quoted\n\n"
    "| a | b |\n|---|---|\n| c | d |\n\n[g]: http://evil.example/i\n\n<div>\n\n***\n\n[Realman, 1901] ✓ verified †\n"
)
TITLE = f"Zorb {MARKUP}"
FACT = f"The Zorb engine {MARKUP} reaches 90 percent accuracy."
QUESTION = f"What accuracy does the Zorb engine reach {MARKUP}, and who built the Zorb engine?"
BIBTEX = "}\n@book{evil, title = {x}}\n\\input{/etc/passwd} % $ # _ {"


@pytest.fixture
def folder(run: Run, tmp_path: Path) -> Path:
    """A library of one document that tries them all."""
    text = f"{FACT}\n\n{LINES}\n\nAda Quill {MARKUP} built the Zorb engine in 1999.\n\n{LINES}"
    meta = {
        "authors": [f"Ada {MARKUP} Quill", BIBTEX],
        "year": 1999,
        "venue": f"Journal {MARKUP} {BIBTEX}",
        "doi": "10.1234/x)](http://evil.example/j)<b>",
        "methods": [f"Zorb {MARKUP}", "ZorbNet"],
        "builds_on": ["<script>alert(3)</script>"],
    }
    record = {"id": f"zorb {MARKUP}", "title": TITLE, "text": text, "meta": meta}
    other = {
        "id": "b",
        "title": BIBTEX,
        "text": "The Plin engine was built by Ada Quill at Zorb.",
        "meta": {"authors": [BIBTEX]},
    }
    (tmp_path / "zorb.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(other)}\n", encoding="utf-8")
    assert run("add", tmp_path / "zorb.jsonl", "--library", tmp_path / "library").exit_code == 0
    return tmp_path / "library"


def tokens(markdown: str) -> Iterator[Token]:
    """Yield what a renderer makes of Markdown with tables, inline and block."""
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        yield token
        yield from token.children or ()


def assert_shown_only(markdown: str) -> None:
    """Nothing in it is markup but what the program itself writes: headings, lists, one table, bold labels, links to sources."""
    found = list(tokens(markdown))
    kinds = {token.type for token in found}
    assert not kinds & {"image", "html_inline", "html_block", "code_inline", "code_block", "fence", "s_open", "hr"}, (
        kinds
    )
    for token in found:
        if token.type == "link_open":
            assert token.markup == "autolink"
            assert str(token.attrs["href"]).startswith("https://doi.org/10.1234/")
    headings = [after.content for token, after in pairwise(found) if token.type == "heading_open"]
    ours = re.compile(
        r"What accuracy .*|Completeness|Sources|Plan|Notes|Evidence|\d+\. .*|Documents|Parts|Gone|New|Counted"
    )
    assert all(ours.fullmatch(heading) for heading in headings), headings
    shown = "".join(token.content for token in found if token.type == "text")
    assert not re.search(r"\[Realman, 1901\]|(?<!‹)✓ ?verified", shown)
    raw = re.sub(r"<https://doi\.org/[^\s<>]*>", "", markdown)
    assert not re.search(r"(?<!\\)://|\bwww\.", raw)  # of which many renderers make links


def test_an_answer_with_its_evidence_is_shown_as_it_was_written(run: Run, folder: Path, tmp_path: Path) -> None:
    for style in ("apa", "gb7714", "numeric"):
        result = run("ask", QUESTION, "--markdown", "--show-evidence", "--style", style, "--library", folder)
        assert result.exit_code == 0, result.output
        assert_shown_only(result.stdout)
        assert "## Evidence" in result.stdout
    assert_shown_only(run("ask", QUESTION, "--show-evidence", "--library", folder).stdout)
    run("ask", QUESTION, "--show-evidence", "--output", tmp_path / "answer.md", "--library", folder)
    written = (tmp_path / "answer.md").read_text(encoding="utf-8")
    assert_shown_only(written)
    assert "## Evidence" in written
    shown = "".join(token.content for token in tokens(written) if token.type == "text")
    assert "<script>alert(2)</script>" in shown
    assert "**bold** `code` ~~gone~~ http://evil.example/c" in shown


@pytest.mark.parametrize(
    "question",
    [
        "Compare the accuracy and the builder of the Zorb engine",
        "Who publishes most?",
        "Which methods does Zorb propose?",
    ],
)
def test_tables_and_counts(run: Run, folder: Path, question: str) -> None:
    written = run("ask", question, "--markdown", "--show-evidence", "--library", folder).stdout
    kinds = {token.type for token in tokens(written)}
    assert not kinds & {"image", "html_inline", "html_block", "code_inline", "code_block", "fence", "s_open"}


def test_what_changed(run: Run, folder: Path, tmp_path: Path) -> None:
    asked = json.loads(run("ask", QUESTION, "--json", "--library", folder).stdout)["run"]
    record = {"id": "new", "title": TITLE, "text": f"{FACT.replace('90', '95')}\n\n{LINES}", "meta": {"year": 2001}}
    (tmp_path / "more.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    run("add", tmp_path / "more.jsonl", "--library", folder)
    told = run("ask", "--since", asked, "--markdown", "--library", folder)
    assert told.exit_code == 0
    assert "## Documents" in told.stdout
    assert_shown_only(told.stdout)


class Elements(HTMLParser):
    """Notes what is loaded or run by a page, and its elements."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.risky: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append(tag)
        self.risky += [
            f"{tag} {name}" for name, _ in attrs if name.startswith("on") or name in {"src", "href", "action"}
        ]


def test_the_picture_of_the_graph(run: Run, folder: Path) -> None:
    page = run("graph", "export", "--format", "html", "--library", folder).stdout
    elements = Elements()
    elements.feed(page)
    assert "ZorbNet" in page
    assert not elements.risky
    assert elements.found.count("script") == 1
    assert not {"img", "a", "iframe", "b", "object", "form"} & set(elements.found)


def test_bibtex_holds_the_cited_works_and_nothing_else(run: Run, folder: Path, tmp_path: Path) -> None:
    bibtexparser = pytest.importorskip("bibtexparser")
    file = tmp_path / "cited.bib"
    question = "Who built the Zorb engine, and who built the Plin engine?"
    cited = json.loads(run("ask", question, "--json", "--library", folder).stdout)["citations"]
    assert run("ask", question, "--output", file, "--library", folder).exit_code == 0
    read = bibtexparser.parse_file(str(file))
    assert not read.failed_blocks
    assert len(read.blocks) == len(read.entries) == len({citation["document"] for citation in cited})
    written = file.read_text(encoding="utf-8")
    assert written.count("\n@") + written.startswith("@") == len(read.entries)
    assert not re.search(r"\\input|(?<!\\)[%$#_](?![^\n]*doi)", re.sub(r"(?m)^ +(doi|url) = .*$", "", written))


@given(text=st.text(st.sampled_from("[]()<>!*_`~#|\\&;:/-+=1.> abw@\n\t$✓†{}\"'")))
def test_whatever_a_document_says_is_text(text: str) -> None:
    for line in (starting(harmless(text)), f"# {starting(harmless(text))}", f"- {starting(harmless(text))}"):
        kinds = {token.type for token in tokens(line)}
        assert kinds <= {
            "paragraph_open", "paragraph_close", "inline", "text", "text_special", "heading_open", "heading_close",
            "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
        }  # fmt: skip
