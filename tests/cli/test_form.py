"""How an answer looks in a terminal of few columns."""

import io

from rich.cells import cell_len
from rich.console import Console

from scholarmind.cli.output import markdown


def shown(text: str, width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, force_terminal=True, color_system=None).print(markdown(text))
    return file.getvalue().splitlines()


def test_cells_without_spaces_are_wrapped_and_never_cut() -> None:
    cells = "龙井茶产于浙江杭州西湖一带属于绿茶", "普洱茶产于云南分为生茶和熟茶两种茶叶"
    lines = shown(f"|  | 龙井 | 普洱 |\n| --- | --- | --- |\n| 产地 | {cells[0]} | {cells[1]} |", 40)
    assert all(cell_len(line) <= 40 for line in lines)
    assert "…" not in "".join(lines)
    assert sorted(character for line in lines for character in line if character > "\u3400") == sorted(
        "".join(("龙井普洱产地", *cells))
    )


def test_no_word_is_broken() -> None:
    words = "A lightweight client that is highly configurable and extended by installing additional plugins"
    lines = shown(f"- {words}", 40)
    assert " ".join(" ".join(lines).replace("•", "").split()) == words
