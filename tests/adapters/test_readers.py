"""Readers: what they make of files that people and programs write."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.text_files import JsonlReader, MarkdownReader, PlainReader
from scholarmind.errors import ReadError
from scholarmind.library_ports import Reader
from scholarmind.model import Document, Problem, Reading, Section

LIMIT = 1_000_000
READERS: dict[str, Reader] = {
    ".md": MarkdownReader(LIMIT),
    ".txt": PlainReader(LIMIT),
    ".jsonl": JsonlReader(LIMIT),
}
ENGLISH = "The model reads every word of the sentence and weighs the others by how much they matter to it. "
GERMAN = "Die Größe der Schönheit überrascht für Mädchen überall sehr. Wir möchten es ändern, können aber nicht. "
FRENCH = "Le café était très agréable et la crème brûlée délicieuse. Où êtes-vous allés cet été, à la plage ? "
CHINESE = "注意力机制是深度学习中的一种重要方法，它使模型能够关注输入序列中的不同部分。"
JAPANESE = "注意機構は、ニューラルネットワークにおいて入力の重要な部分に焦点を当てる手法です。"


def read(folder: Path, content: str | bytes, name: str = "note.md") -> list[Reading | Problem]:
    """Write the file and return all that its reader gives."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(READERS[path.suffix].read(path))


def reading(folder: Path, content: str | bytes, name: str = "note.md") -> Reading:
    """Return the one document of the file."""
    (found,) = (item for item in read(folder, content, name) if isinstance(item, Reading))
    return found


def problems(folder: Path, content: str | bytes, name: str = "note.md") -> list[str]:
    """Return the reasons of all problems."""
    return [item.reason for item in read(folder, content, name) if isinstance(item, Problem)]


def with_matter(matter: str, body: str = "Body.") -> str:
    """Return a note with this front matter."""
    return f"---\n{matter}\n---\n{body}"


# -- Markdown: front matter


@pytest.mark.parametrize(
    ("matter", "field", "expected"),
    [
        pytest.param("title: A Title", "title", "A Title", id="title"),
        pytest.param("title: 'two\n  lines'", "title", "two lines", id="title on two lines"),
        pytest.param("title: 1984", "title", "1984", id="title that is a number"),
        pytest.param("authors: [Jacob Devlin, Kenton Lee]", "authors", ("Jacob Devlin", "Kenton Lee"), id="authors"),
        pytest.param("author: Jacob Devlin", "authors", ("Jacob Devlin",), id="one author"),
        pytest.param("author: A. One; B. Two", "authors", ("A. One", "B. Two"), id="authors with semicolons"),
        pytest.param("author: A. One and B. Two", "authors", ("A. One", "B. Two"), id="authors with and"),
        pytest.param("authors:\n- name: A. One\n- name: B. Two", "authors", ("A. One", "B. Two"), id="author records"),
        pytest.param("authors: [A. One, null, '']", "authors", ("A. One",), id="empty authors"),
        pytest.param("author:\n  name: A. One", "authors", ("A. One",), id="one author record"),
        pytest.param("author:\n- family: Devlin\n  given: Jacob", "authors", ("Jacob Devlin",), id="given and family"),
        pytest.param("year: 2019", "year", 2019, id="year"),
        pytest.param("year: '2019'", "year", 2019, id="year as text"),
        pytest.param("date: 2019-05-24", "year", 2019, id="date"),
        pytest.param("date: 24 May 2019", "year", 2019, id="date in words"),
        pytest.param("published: 2019-05-24T10:00:00Z", "year", 2019, id="published"),
        pytest.param("year: forthcoming\ndate: 2019-05-24", "year", 2019, id="year without a number, then a date"),
        pytest.param("year: 20191", "year", None, id="not a year"),
        pytest.param("source: arXiv", "source", "arXiv", id="source"),
        pytest.param("language: EN", "language", "en", id="language"),
        pytest.param("lang: zh", "language", "zh", id="lang"),
        pytest.param("kind: paper", "kind", "paper", id="kind"),
        pytest.param("type: paper", "kind", "paper", id="type"),
        pytest.param("id: bert", "id", "bert", id="id"),
        pytest.param("id: 7", "id", "7", id="id that is a number"),
        pytest.param("id: 0", "id", "0", id="id that is zero"),
    ],
)
def test_front_matter_fields(tmp_path: Path, matter: str, field: str, expected: object) -> None:
    assert getattr(reading(tmp_path, with_matter(matter)).document, field) == expected


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        pytest.param("venue: NAACL", {"venue": "NAACL"}, id="text"),
        pytest.param("pages: 16\nscore: 80.5\nopen: true", {"pages": 16, "score": 80.5, "open": True}, id="scalars"),
        pytest.param("tags: [a, 2, null]", {"tags": ("a", 2)}, id="list"),
        pytest.param("a:\n  b:\n    c: 1", {"a.b.c": 1}, id="nested"),
        pytest.param("note:", {}, id="empty"),
        pytest.param("date: 2019-05-24", {"date": "2019-05-24"}, id="the date itself is kept"),
        pytest.param("score: .nan\nbest: .inf", {"score": "nan", "best": "inf"}, id="not finite"),
        pytest.param("2019: x", {"2019": "x"}, id="a key that is a number"),
        pytest.param("big: 99999999999999999999", {"big": "99999999999999999999"}, id="beyond 64 bits"),
        pytest.param("year: forthcoming", {"year": "forthcoming"}, id="a year that is none is not lost"),
    ],
)
def test_other_fields_become_metadata(tmp_path: Path, matter: str, expected: dict[str, Any]) -> None:
    assert reading(tmp_path, with_matter(matter)).document.metadata == expected


def test_a_whole_document(tmp_path: Path) -> None:
    path = tmp_path / "bert.md"
    found = reading(
        tmp_path, with_matter("id: bert\ntitle: BERT\nauthors: [Devlin]\nyear: 2019", "# BERT\nBody."), "bert.md"
    )
    assert found == Reading(
        document=Document(
            id="bert", title="BERT", authors=("Devlin",), year=2019, origin=str(path), kind="note", metadata={}
        ),
        text="# BERT\nBody.",
        sections=(Section(heading=0, start=7, path=("BERT",)),),
    )


@pytest.mark.parametrize(
    ("matter", "reason"),
    [
        pytest.param("just a sentence", "front matter not used: a str where fields were expected", id="text"),
        pytest.param("- a\n- b", "front matter not used: a list where fields were expected", id="list"),
        pytest.param("a: &x [1]\nb: *x", "front matter not used: it uses references or deep nesting", id="alias"),
        pytest.param(
            "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]",
            "front matter not used: it uses references or deep nesting",
            id="bomb",
        ),
        pytest.param(
            f"a: {'[' * 10_000}{']' * 10_000}",
            "front matter not used: it uses references or deep nesting",
            id="10,000 brackets",
        ),
        pytest.param(f"a: {'x' * 64_000}", "front matter not used: it has 64,004 characters", id="too long"),
    ],
)
def test_unusable_front_matter_is_told_and_the_text_is_kept(tmp_path: Path, matter: str, reason: str) -> None:
    content = with_matter(matter)
    assert problems(tmp_path, content) == [reason]
    assert reading(tmp_path, content).text == content


def test_front_matter_with_a_mistake_gives_neither_title_nor_section(tmp_path: Path) -> None:
    found = reading(tmp_path, with_matter("title: BERT: a model\nyear: 2019", "# BERT\nBody."))
    assert found.document.title == "BERT"
    assert [section.path for section in found.sections] == [("BERT",)]


@pytest.mark.parametrize(
    "matter",
    [
        pytest.param("title: [unclosed", id="unclosed list"),
        pytest.param('title: "unclosed', id="unclosed quote"),
        pytest.param("title: a: b", id="colon in a value"),
        pytest.param("{{ title }}: x", id="template"),
        pytest.param("date: 2019-13-45", id="impossible date"),
        pytest.param("a: 'x\x07y'", id="control character"),
    ],
)
def test_front_matter_that_is_not_yaml_is_told_and_the_text_is_kept(tmp_path: Path, matter: str) -> None:
    content = with_matter(matter, ENGLISH)
    (reason,) = problems(tmp_path, content)
    assert reason.startswith("front matter not used: not YAML (")
    assert reading(tmp_path, content).text == content


def test_the_line_of_a_mistake_counts_from_the_top_of_the_file(tmp_path: Path) -> None:
    (reason,) = problems(tmp_path, with_matter("title: x\nauthor: a: b"))
    assert "line 3" in reason


def test_front_matter_runs_nothing(tmp_path: Path) -> None:
    matter = f'title: !!python/object/apply:os.system ["touch {tmp_path}/run"]'
    assert len(problems(tmp_path, with_matter(matter))) == 1
    assert not (tmp_path / "run").exists()


def test_a_number_of_many_digits_does_not_stop_the_reader(tmp_path: Path) -> None:
    assert reading(tmp_path, with_matter(f"title: T\nnumber: 0x{'f' * 5000}")).text.endswith("Body.")


@pytest.mark.parametrize(
    "matter", [pytest.param("---\n---\n", id="nothing"), pytest.param("---\n# a comment\n---\n", id="a comment")]
)
def test_empty_front_matter_is_fine(tmp_path: Path, matter: str) -> None:
    (found,) = read(tmp_path, f"{matter}# T\nBody.")
    assert isinstance(found, Reading)
    assert found.text == "# T\nBody."


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("# T\n\n---\n\nBody.\n\n---\n", id="rules later on"),
        pytest.param("---\nBody without an end", id="no closing line"),
        pytest.param("----\ntitle: x\n----\nBody.", id="four dashes"),
        pytest.param(" ---\ntitle: x\n---\nBody.", id="not at the start"),
    ],
)
def test_what_is_not_front_matter_is_text(tmp_path: Path, content: str) -> None:
    (found,) = read(tmp_path, content)
    assert isinstance(found, Reading)
    assert found.text == content


def test_front_matter_may_end_with_dots(tmp_path: Path) -> None:
    found = reading(tmp_path, "---\ntitle: A\n...\nBody.")
    assert (found.document.title, found.text) == ("A", "Body.")


def test_front_matter_without_text_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="it has front matter and no text"):
        read(tmp_path, with_matter("title: A", " \n"))


# -- Markdown: headings


def paths(folder: Path, content: str) -> list[tuple[str, ...]]:
    """Return the path of each heading."""
    return [section.path for section in reading(folder, content).sections]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(
            "# A\n## B\n### C\n## D\n# E\n", [("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("E",)], id="#"
        ),
        pytest.param("# A\n### C\n## B\n", [("A",), ("A", "C"), ("A", "B")], id="a level left out"),
        pytest.param("   # A ##  \n", [("A",)], id="spaces and closing signs"),
        pytest.param("# C#\n", [("C#",)], id="a name that ends in #"),
        pytest.param("#A\n#\n####### B\n    # C\ntext # D\n", [], id="no headings"),
        pytest.param("A\n===\nB\n---\n", [("A",), ("A", "B")], id="underlined"),
        pytest.param("text\n\n---\n\ntext\n", [], id="a rule"),
        pytest.param("- item\n---\n", [], id="a rule after a list"),
        pytest.param("a | b\n--- | ---\n1 | 2\n", [], id="a table"),
        pytest.param("# A\n```\n# not\nB\n===\n```\n# C\n", [("A",), ("C",)], id="code"),
        pytest.param("~~~\n# not\n```\n# not\n~~~\n# C\n", [("C",)], id="code between tildes"),
        pytest.param("````\n```\n# not\n```\n````\n# C\n", [("C",)], id="code in code"),
        pytest.param("```pip install x```\n# C\n", [("C",)], id="code within one line opens nothing"),
        pytest.param("```\n# never closed\n", [], id="code that is not closed"),
        pytest.param("# A\r\ntext\r\nB\r\n===\r\n", [("A",), ("B",)], id="CRLF"),
        pytest.param("# 注意力 🚀\n", [("注意力 🚀",)], id="Chinese and emoji"),
    ],
)
def test_headings(tmp_path: Path, content: str, expected: list[tuple[str, ...]]) -> None:
    assert paths(tmp_path, content) == expected


def test_sections_say_where_the_heading_and_its_body_begin(tmp_path: Path) -> None:
    found = reading(tmp_path, "intro\n# A\nbody\nB\n===\nend")
    assert found.sections == (
        Section(heading=6, start=10, path=("A",)),
        Section(heading=15, start=21, path=("B",)),
    )


@pytest.mark.parametrize(
    ("content", "title"),
    [
        pytest.param("text\n## First\n# Second\n", "First", id="first heading"),
        pytest.param("text", "my note", id="name of the file"),
        pytest.param(with_matter("title: Given", "# Heading\n"), "Given", id="front matter"),
        pytest.param(with_matter("title: ''", "# Heading\n"), "Heading", id="empty in front matter"),
    ],
)
def test_title(tmp_path: Path, content: str, title: str) -> None:
    assert reading(tmp_path, content, "my note.md").document.title == title


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("# a" + " " * 100_000 + "b", id="spaces"),
        pytest.param("# a" + " #" * 50_000 + "b", id="signs"),
        pytest.param("#" * 100_000, id="only signs"),
        pytest.param("-" * 100_000 + "x", id="dashes"),
    ],
)
def test_a_long_line_is_read_in_linear_time(tmp_path: Path, line: str) -> None:
    assert reading(tmp_path, f"text\n\n{line}\n").text == f"text\n\n{line}\n"


# -- identity


def test_ids_can_be_typed_and_differ_by_folder(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = (reading(tmp_path / name, "x", "My Note (2).txt").document.id for name in "ab")
    assert first.startswith("my-note-2-")
    assert first != second
    assert first == reading(tmp_path / "a", "changed", "My Note (2).txt").document.id


@pytest.mark.parametrize("suffix", [".md", ".txt"])
def test_a_name_that_is_not_utf8_gives_text_that_can_be_stored(tmp_path: Path, suffix: str) -> None:
    path = Path(f"{tmp_path}/n\udcff{suffix}")
    path.write_text("Body.")
    (found,) = READERS[suffix].read(path)
    assert isinstance(found, Reading)
    assert found.document.title == "n\\xff"
    assert found.document.origin == f"{tmp_path}/n\\xff{suffix}"


# -- decoding


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        pytest.param(CHINESE, "utf-8", id="UTF-8"),
        pytest.param(CHINESE, "utf-8-sig", id="UTF-8 with mark"),
        pytest.param(CHINESE, "utf-16", id="UTF-16 with mark"),
        pytest.param(ENGLISH, "utf-16", id="English UTF-16 with mark"),
        pytest.param(CHINESE, "utf-32", id="UTF-32 with mark"),
        pytest.param(CHINESE, "utf-16-le", id="UTF-16 without mark"),
        pytest.param(ENGLISH, "utf-16-le", id="English UTF-16 without mark"),
        pytest.param(ENGLISH, "utf-16-be", id="English UTF-16, big end first, without mark"),
        pytest.param(GERMAN, "latin-1", id="German Latin-1"),
        pytest.param(FRENCH * 5, "latin-1", id="French Latin-1"),
        pytest.param(ENGLISH * 5 + "Über.", "cp1252", id="English with one accent"),
        pytest.param("“Quoted” – and it’s 5 € more. " + ENGLISH * 5, "cp1252", id="Windows quotes"),
        pytest.param(CHINESE, "gb18030", id="GB18030"),
        pytest.param(CHINESE * 5, "gbk", id="GBK"),
        pytest.param("深度學習中的注意力機制是一種重要的方法，它讓模型關注輸入的不同部分。" * 5, "big5", id="Big5"),
        pytest.param(JAPANESE * 3, "shift_jis", id="Shift-JIS"),
        pytest.param(JAPANESE * 3, "euc_jp", id="EUC-JP"),
    ],
)
def test_encodings(tmp_path: Path, text: str, encoding: str) -> None:
    assert reading(tmp_path, text.encode(encoding), "note.txt").text == text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(CHINESE.encode() + b"\xff" + CHINESE.encode(), f"{CHINESE}\ufffd{CHINESE}", id="Chinese"),
        pytest.param(CHINESE.encode()[:-1], f"{CHINESE[:-1]}\ufffd", id="cut in a character"),
        pytest.param(
            f"“One” – “two” – it’s {ENGLISH}".encode() + b"\xff.",
            f"“One” – “two” – it’s {ENGLISH}\ufffd.",
            id="English with curly quotes",
        ),
    ],
)
def test_a_damaged_byte_costs_only_itself(tmp_path: Path, content: bytes, expected: str) -> None:
    assert reading(tmp_path, content, "note.txt").text == expected


def test_a_long_file_in_another_encoding(tmp_path: Path) -> None:
    text = "x" + CHINESE * 3000  # so that no character ends where a sample of an even number of bytes does
    assert reading(tmp_path, text.encode("gb18030"), "note.txt").text == text


def test_an_accent_far_into_a_file_is_kept(tmp_path: Path) -> None:
    text = ENGLISH * 3000 + "Déjà vu."
    assert reading(tmp_path, text.encode("latin-1"), "note.txt").text == text


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param(b"one\r\ntwo\rthree\n", "one\ntwo\nthree\n", id="line ends"),
        pytest.param(ENGLISH.encode() + b"a\0b", f"{ENGLISH}a b", id="NUL"),
        pytest.param(ENGLISH.encode() + b"\x1b[31m", f"{ENGLISH}\x1b[31m", id="escape sequence"),
        pytest.param(ENGLISH.encode() + b"\x0c", f"{ENGLISH}\x0c", id="form feed"),
        pytest.param("\ufeff\ufeffx".encode(), "\ufeffx", id="two marks"),
        pytest.param(b"x", "x", id="one letter"),
    ],
)
def test_signs_that_are_not_letters(tmp_path: Path, content: bytes, expected: str) -> None:
    assert reading(tmp_path, content, "note.txt").text == expected


@pytest.mark.parametrize("name", ["note.md", "note.txt"])
@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"", "it is empty", id="empty"),
        pytest.param(b" \r\n\t\n", "it is empty", id="white space"),
        pytest.param("\u3000\u00a0".encode(), "it is empty", id="wide white space"),
        pytest.param(b"\xef\xbb\xbf", "it is empty", id="only a mark"),
        pytest.param(b"\x7fELF\x02\x01\x01" + bytes(200), "it holds binary data", id="program"),
        pytest.param(b"x" * 1_000_001, "it has 1 MB, the limit is 1 MB", id="over the limit"),
    ],
)
def test_files_that_are_no_text(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    with pytest.raises(ReadError) as caught:
        read(tmp_path, content, name)
    assert caught.value.reason == reason


def test_random_bytes_are_no_text(tmp_path: Path) -> None:
    with pytest.raises(ReadError):
        read(tmp_path, random.Random(1).randbytes(10_000), "note.txt")


def test_a_file_of_exactly_the_limit_is_read(tmp_path: Path) -> None:
    assert len(reading(tmp_path, b"x" * LIMIT, "note.txt").text) == LIMIT


@given(content=st.binary(max_size=300), name=st.sampled_from(["note.md", "note.txt", "note.jsonl"]))
@settings(max_examples=100, deadline=None)
def test_any_bytes_give_storable_text_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, name: str
) -> None:
    try:
        found = read(tmp_path_factory.mktemp("any"), content, name)
    except ReadError:
        return
    for item in found:
        if isinstance(item, Reading):
            assert item.text.strip()
            assert "\0" not in item.text
            item.text.encode()


# -- records


def test_a_record(tmp_path: Path) -> None:
    line = {"id": "r1", "title": "T", "text": "Body.", "meta": {"year": 2019, "authors": ["A. One"], "pages": 3}}
    assert read(tmp_path, json.dumps(line), "records.jsonl") == [
        Reading(
            document=Document(
                id="r1",
                title="T",
                authors=("A. One",),
                year=2019,
                origin=f"{tmp_path}/records.jsonl",
                kind="record",
                metadata={"pages": 3},
            ),
            text="Body.",
            whole=True,
        )
    ]


def told(folder: Path, content: str | bytes) -> list[str]:
    """Return the ids and problems of a file of records, in order."""
    found = read(folder, content, "r.jsonl")
    return [
        item.document.id if isinstance(item, Reading) else f"{Path(item.where).name}: {item.reason}" for item in found
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        pytest.param('{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}', ["a", "b"], id="two"),
        pytest.param('{"id": "a", "text": "x"}\r\n\r\n \n{"id": "b", "text": "y"}\r\n', ["a", "b"], id="blank lines"),
        pytest.param('\ufeff{"id": "a", "text": "x"}', ["a"], id="mark"),
        pytest.param('{"id": 7, "text": "x"}\n{"id": 0, "text": "y"}', ["7", "0"], id="numbers as ids"),
        pytest.param('{"text": "x", "meta": {"id": "m"}}', ["m"], id="id among the meta fields"),
        pytest.param('{"id": "a", "text": "x", "meta": null}', ["a"], id="no meta"),
        pytest.param(
            '{"id": "a", "text": "x"}\n[1]\n{"id": "b", "text": "y"}',
            ["a", "r.jsonl, line 2: a list, not an object", "b"],
            id="not an object",
        ),
        pytest.param(
            '{"id": "a"}\n{"text": 5}\n{"text": " "}',
            [f"r.jsonl, line {n}: 'text' is missing or empty" for n in (1, 2, 3)],
            id="no text",
        ),
        pytest.param(
            '\n{"text": "x", "meta": "2019"}', ["r.jsonl, line 2: 'meta' is a str, not an object"], id="meta is text"
        ),
    ],
)
def test_records(tmp_path: Path, content: str, expected: list[str]) -> None:
    assert told(tmp_path, content) == expected


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(b'{"text": "x"', id="not closed"),
        pytest.param(b"{'text': 'x'}", id="single quotes"),
        pytest.param(b'{"text": "\xfcber"}', id="not UTF-8"),
        pytest.param(b"[" * 100_000, id="deep nesting"),
        pytest.param(b'{"text": "x", "n": ' + b"9" * 5000 + b"}", id="a number of many digits"),
        pytest.param("{}".encode("utf-16"), id="UTF-16"),
    ],
)
def test_a_line_that_is_not_json_is_told_by_its_number(tmp_path: Path, line: bytes) -> None:
    found = told(tmp_path, b'{"id": "a", "text": "x"}\n' + line + b'\n{"id": "b", "text": "y"}\n')
    assert [found[0], found[-1]] == ["a", "b"]
    assert found[1].startswith("r.jsonl, line 2: not JSON: ")


@pytest.mark.parametrize("size", [LIMIT + 1, 2 * LIMIT + 1, 2 * LIMIT + 2, 3 * LIMIT])
def test_a_line_over_the_limit_is_passed_over(tmp_path: Path, size: int) -> None:
    long = json.dumps({"text": ""}).encode().replace(b'""', b'"' + b"x" * (size - 12) + b'"')
    assert len(long) == size
    assert told(tmp_path, b'{"id": "a", "text": "x"}\n' + long + b'\n{"id": "b", "text": "y"}') == [
        "a",
        "r.jsonl, line 2: the line is longer than 1 MB",
        "b",
    ]


def test_half_characters_are_replaced_everywhere(tmp_path: Path) -> None:
    line = '{"id": "i\\ud800", "title": "t\\ud800", "text": "x\\ud800\\u0000y", "meta": {"k\\ud800": ["v\\ud800"]}}'
    found = reading(tmp_path, line, "r.jsonl")
    assert (found.document.id, found.document.title, found.text) == ("i\ufffd", "t\ufffd", "x\ufffd y")
    assert found.document.metadata == {"k\ufffd": ("v\ufffd",)}


def test_a_record_without_an_id_is_known_by_its_line(tmp_path: Path) -> None:
    first, second = told(tmp_path, '{"text": "x"}\n\n{"text": "y"}')
    assert first.endswith(":1")
    assert second.endswith(":3")


def test_many_fields_do_not_push_out_the_id(tmp_path: Path) -> None:
    line = {"id": "mine", "title": "T", "text": "x", "meta": {f"field {n}": n for n in range(150)}}
    document = reading(tmp_path, json.dumps(line), "r.jsonl").document
    assert (document.id, document.title) == ("mine", "T")


@pytest.mark.parametrize("content", [pytest.param("", id="empty"), pytest.param("\n \n", id="blank lines")])
def test_a_file_without_records_is_told(tmp_path: Path, content: str) -> None:
    with pytest.raises(ReadError, match="it is empty"):
        read(tmp_path, content, "r.jsonl")
