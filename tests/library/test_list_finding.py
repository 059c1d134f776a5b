"""Lists of references in whatever was read: where they stand, what looks like one and is none, and that none of it is evidence."""

from pathlib import Path

import pytest

from scholarmind.library.file_reading import ReadingJob
from scholarmind.model import Entry, Problem
from scholarmind.settings import Settings
from scholarmind.wiring_readers import file_reading

HARDIN = "Hardin, G. (1968). The tragedy of the commons. *Science*, 162, 1243–1248."
OSTROM = "Ostrom, E. (1990). *Governing the commons*. Cambridge University Press."
WORKS = [("Hardin, G.", 1968, "The tragedy of the commons"), ("Ostrom, E.", 1990, "Governing the commons")]
BODY = "Pastures are grazed bare (Hardin, 1968), unless there are rules (Ostrom, 1990)."


def entry(folder: Path, text: str, name: str = "note.md") -> Entry:
    """Read a file as `add` does."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    steps = list(file_reading(Settings()).steps(ReadingJob(path=path)))
    assert [step for step in steps if isinstance(step, Problem)] == []
    (found,) = (step for step in steps if isinstance(step, Entry))
    return found


def works(found: Entry) -> list[tuple[str, int | None, str]]:
    """Return the first author, the year and the title of each reference."""
    return [(one.authors[0] if one.authors else "", one.year, one.title) for one in found.references]


def points(found: Entry) -> list[tuple[str, tuple[int, ...]]]:
    """Return the places that point at references."""
    return [(found.text[one.start : one.end], one.references) for one in found.pointers]


@pytest.mark.parametrize(
    "listed",
    [
        f"## References\n\n- {HARDIN}\n- {OSTROM}",
        f"## 5. References\n\n{HARDIN}\n\n{OSTROM}",
        f"**Works cited**\n\n* {HARDIN}\n* {OSTROM}",
        f"Bibliography\n------------\n\n1. {HARDIN}\n2. {OSTROM}",
        f"## Literatur\n\n1. {HARDIN}\n1. {OSTROM}",
        f"## 参考文献\n\n[1] {HARDIN}\n[2] {OSTROM}",
        f"## Sources\n\n> {HARDIN}\n>\n> {OSTROM}",
        f"## References\n\n### Articles\n\n- {HARDIN}\n  - read it twice\n\n### Books\n\n- {OSTROM}",
        f"References:\n\n\\[1\\] {HARDIN}\n\n\\[2\\] {OSTROM}",
        f"## References\n\n- [[Hardin 1968]]: {HARDIN}\n- [[Ostrom 1990]]: {OSTROM}",
        "## References\n\n- **Hardin, G.** [The tragedy of the commons](https://x.ex), 1968\n- *Governing the commons*, E. Ostrom (1990)",
    ],
)  # fmt: skip
def test_lists_of_markdown(tmp_path: Path, listed: str) -> None:
    found = entry(tmp_path, f"# Commons\n\n{BODY}\n\n{listed}\n\n## Appendix\n\nForty villages were asked in 2003.\n")
    assert [(work[0].split(",")[0], *work[1:]) for work in works(found)] == [
        (a.split(",")[0], b, c) for a, b, c in WORKS
    ]
    evidence = "\n".join(passage.text for passage in found.passages)
    assert "Forty villages" in evidence
    assert "tragedy" not in evidence
    assert all(found.text[one.start : one.end] == one.text for one in found.references)


def test_a_plain_text_with_hanging_lines(tmp_path: Path) -> None:
    listed = (
        "REFERENCES\n\nHardin, G. (1968). The tragedy of the\n   commons. Science, 162, 1243-1248.\n\n"
        "Ostrom, E. (1990). Governing the commons.\n   Cambridge University Press.\n\nAppendix\n\nForty villages were asked in 2003."
    )
    found = entry(tmp_path, f"Commons and rules\n\n{BODY}\n\n{listed}\n", "commons.txt")
    assert works(found) == WORKS
    assert points(found) == [("(Hardin, 1968)", (0,)), ("(Ostrom, 1990)", (1,))]
    assert [passage.text for passage in found.passages] == [BODY, "Appendix\n\nForty villages were asked in 2003."]


@pytest.mark.parametrize(
    "listed",
    [
        "## References\n\n- Helga Brandt, Head of Parks, +49 000 123456, since 2015\n- Paul Simon, paul@orchards.example, 2008 to 2014",
        "## References\n\nThis note owes much to talks with friends in 2019, and to no book at all.",
        "## References\n\n- [Cleaning plan](cleaning.md)\n- [Fire drill of 2023](drill.md)",
        "## Reference\n\n- `--reverse`: the last line first\n- `--field N`: by this field",
        "## Sources\n\n- the river Aa\n- a spring that was found in 1950",
        "[^1]: A remark of 2019 that is no work.\n[^2]: Another one.",
    ],
)
def test_what_only_looks_like_a_list_stays_text(tmp_path: Path, listed: str) -> None:
    found = entry(tmp_path, f"# A note\n\nIt is so [1], and thus[^2].\n\n{listed}\n")
    assert (found.references, found.pointers) == ((), ())
    last = listed.rpartition("\n")[2].removeprefix("- ")
    assert last in "\n".join(passage.text for passage in found.passages)


@pytest.mark.parametrize(
    ("body", "listed", "expected"),
    [
        ("So [1]. And so [1, 2].", "1. {0}\n2. {1}", [("[1]", (0,)), ("[1, 2]", (0, 1))]),
        ("So [1]. And so [2].", "- {0}\n- {1}", [("[1]", (0,)), ("[2]", (1,))]),
        ("Pastures^1^ and rules.^1,2^", "1. {0}\n2. {1}", [("^1^", (0,)), ("^1,2^", (0, 1))]),
        ("Pastures<sup>1</sup> and rules.²", "1. {0}\n2. {1}", [("<sup>1</sup>", (0,)), ("²", (1,))]),
        ("Of 10^2 m² and x^1, in 2 km² of rules.", "1. {0}\n2. {1}", []),
        ("So [@hardin1968]. And [see @ostrom_1990, p. 4].", "- {0}\n- {1}", [("[@hardin1968]", (0,)), ("[see @ostrom_1990, p. 4]", (1,))]),
        ("So [@a] and @b.", "[@a]: {0}\n[@b]: {1}", [("[@a]", (0,)), ("@b", (1,))]),
        ("Write to @hardin or me@ostrom1990.example.", "- {0}\n- {1}", []),
        ("So (Hardin 1243). And (Ostrom 4–5).", "{0}\n\n{1}", [("(Hardin 1243)", (0,)), ("(Ostrom 4–5)", (1,))]),
        ("So [Hardin68]_.", ".. [Hardin68] {0}\n.. [Ostrom90] {1}", [("[Hardin68]", (0,))]),
        ("关于公地①，关于规则②。", "① {0}\n② {1}", [("①", (0,)), ("②", (1,))]),
    ],
)  # fmt: skip
def test_places_that_point(tmp_path: Path, body: str, listed: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    found = entry(tmp_path, f"# Commons\n\n{body}\n\n## References\n\n{listed.format(HARDIN, OSTROM)}\n")
    assert len(found.references) == 2
    assert points(found) == expected


def test_footnotes_that_are_works(tmp_path: Path) -> None:
    found = entry(tmp_path, f"# Commons\n\nPastures.[^1] Rules.[^x]\n\n[^1]: {HARDIN}\n[^x]: {OSTROM}\n")
    assert (works(found), points(found)) == (WORKS, [("[^1]", (0,)), ("[^x]", (1,))])
    assert [passage.text for passage in found.passages] == ["Pastures.[^1] Rules.[^x]"]


def test_a_list_at_the_end_needs_no_heading(tmp_path: Path) -> None:
    found = entry(
        tmp_path, f"Pastures [1], rules [2]. More is\nsaid below.\n\n[1] {HARDIN}\n[2] {OSTROM}\n", "commons.txt"
    )
    assert (works(found), points(found)) == (WORKS, [("[1]", (0,)), ("[2]", (1,))])


def test_chinese_books_in_angle_brackets(tmp_path: Path) -> None:
    listed = "【1】陈寅恪：《唐代政治史述论稿》，重庆：商务印书馆，1943年。\n【2】钱穆：《国史大纲》，上海：商务印书馆，1940年。"
    found = entry(tmp_path, f"读史札记\n\n关中本位【1】，温情与敬意【2】。\n\n参考文献：\n{listed}\n", "notes.txt")
    assert works(found) == [("陈寅恪", 1943, "唐代政治史述论稿"), ("钱穆", 1940, "国史大纲")]
    assert points(found) == [("【1】", (0,)), ("【2】", (1,))]


def test_a_page_without_marks(tmp_path: Path) -> None:
    text = f"<h1>Commons</h1><p>Pastures.<sup>1</sup> Rules.<sup>2</sup></p><p><b>References</b></p><p>1. {HARDIN}</p><p>2. {OSTROM}</p>"
    found = entry(tmp_path, text, "commons.html")
    assert [work[1:] for work in works(found)] == [work[1:] for work in WORKS]
    assert points(found) == [("^1", (0,)), ("^2", (1,))]


def test_people_to_ask_are_evidence_on_a_page_too(tmp_path: Path) -> None:
    text = "<h1>CV</h1><p>I garden.</p><h2>References</h2><ul><li>Helga Brandt, helga@parks.example</li><li>Paul Simon, owner</li></ul>"
    found = entry(tmp_path, text, "cv.html")
    assert found.references == ()
    assert "Helga Brandt" in found.passages[-1].text
