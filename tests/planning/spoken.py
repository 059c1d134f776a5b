"""Dialogues to grade follow-ups by: files of turns with what each must name once it stands alone, and must not name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scholarmind.planning.followup import stand_alone
from scholarmind.planning.rule_planner import RulePlanner
from scholarmind.ports import Turn, turn_of

_PLANNER = RulePlanner(cap=9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What was typed, the short answer to it, what it must name once it stands alone, and must not; without `names` it must stay."""

    typed: str
    answer: str = ""
    names: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


def dialogues(file: str) -> list[list[Said]]:
    """Return the dialogues of a file in the folder `dialogues`."""
    text = (Path(__file__).parent / "dialogues" / file).read_text(encoding="utf-8")
    return [_dialogue(block) for block in re.split(r"(?m)^## .*\n", text)[1:]]


def _dialogue(block: str) -> list[Said]:
    said = list[Said]()
    for turn in re.split(r"(?m)^Q ", block)[1:]:
        typed, *rest = turn.strip().splitlines()
        lines = {line[0]: line[2:] for line in rest}
        said.append(
            Said(
                typed=typed,
                answer=lines.get("A", ""),
                names=_pieces(lines.get("+", "")),
                never=_pieces(lines.get("-", "")),
            )
        )
    return said


def _pieces(line: str) -> tuple[str, ...]:
    return tuple(piece.strip() for piece in line.split(";") if piece.strip())


def named(text: str, piece: str) -> bool:
    """Tell whether a text names a piece, or one of several with ` / ` between them, as words of their own, in whatever case."""
    return any(_stands_in(text, each) for each in piece.split(" / "))


def _stands_in(text: str, piece: str) -> bool:
    before = r"(?<![a-z0-9])" if piece[0].isascii() else ""
    after = r"(?!\.?[a-z0-9])" if piece[-1].isascii() else ""
    return re.search(before + re.escape(piece.lower()) + after, text.lower()) is not None


def faults(dialogue: Sequence[Said]) -> list[tuple[str, str, list[str]]]:
    """Return the turns that went wrong: what was typed, what it became, and what is missing or wrong in it."""
    turns, found = list[Turn](), list[tuple[str, str, list[str]]]()
    for said in dialogue:
        became = stand_alone(said.typed, turns).became
        wrong = [f"without {piece}" for piece in said.names if not named(became, piece)]
        wrong += [f"with {piece}" for piece in said.never if named(became, piece)]
        if not said.names and became != said.typed:
            wrong.append("changed")
        if wrong:
            found.append((said.typed, became, wrong))
        turns.append(turn_of(said.typed, _PLANNER.plan(became), {"1": said.answer} if said.answer else {}))
    return found
