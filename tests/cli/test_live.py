"""What is drawn while a question is researched and its answer is written."""

import io
from dataclasses import replace

from rich.console import Console

from scholarmind.cli.run_progress import PlanProgress
from scholarmind.events import (
    AnswerPiece,
    Consulted,
    Event,
    FirstLook,
    PartAnswered,
    PartFailed,
    PartStarted,
    Planned,
    Reviewed,
    RoundStarted,
    RunStarted,
    Selected,
    Understood,
)
from scholarmind.plan import Plan, SubQuestion

PLAN = Plan(
    question="Q?",
    parts=(SubQuestion(id=1, text="Who?"), SubQuestion(id=2, text="Where is #1?", depends_on=(1,))),
    complexity="composite",
    reason="",
    decided_by="model",
)
TREE = [
    "Plan: sequential, decided by model",
    "├── 1. Who? (factual)",
    "│   └── Devlin",
    "└── 2. Where is #1? (factual, after 1)",
    "    └── 3 passages",
]
DONE: list[Event] = [
    Planned(plan=PLAN),
    PartAnswered(part=1, question="Who?", answer="Devlin", passages=2),
    PartAnswered(part=2, question="Where is Devlin?", answer="", passages=3),
]


def drawn(tree: PlanProgress, height: int = 30) -> list[str]:
    """Return the lines on a terminal of this height."""
    terminal = Console(file=io.StringIO(), width=60, height=height, force_terminal=True, color_system=None)
    with terminal.capture() as captured:
        terminal.print(tree, end="")
    *lines, last = [line.rstrip() for line in captured.get().split("\n")[:-1]]
    assert last == "", "what is typed, such as ^C, must not break a full line"
    return lines


def after(*events: Event) -> PlanProgress:
    """Return the tree after these events."""
    tree = PlanProgress()
    for event in events:
        tree.take(event)
    return tree


def test_before_there_is_a_plan() -> None:
    assert drawn(after(RunStarted(run="r", question="And where?"))) == ["looking ..."]
    understood = Understood(question="And where?", became="Where is Devlin?")
    assert drawn(after(understood, FirstLook(passages=3))) == ["understood as: Where is Devlin?", "planning ..."]


def test_the_tree_fills() -> None:
    half = after(
        Planned(plan=PLAN),
        PartFailed(part=1, question="Who?", error="it broke"),
        PartStarted(part=2, question="Where is #1?"),
        RoundStarted(round=2, parts=(1,)),
    )
    assert drawn(half) == [
        "Plan: sequential, decided by model, round 2",
        "├── 1. Who? (factual)",
        "│   └── it broke",
        "└── 2. Where is #1? (factual, after 1)",
        "    └── …",
    ]
    assert drawn(after(*DONE)) == TREE


def test_the_answer_streams_below_it() -> None:
    tree = after(*DONE, Selected(passages=3, considered=9))
    assert drawn(tree) == [*TREE, "writing ..."]
    tree.take(AnswerPiece(text="Devlin wrote "))
    tree.take(AnswerPiece(text="it [A, 2019]."))
    assert drawn(tree) == [*TREE, "", "Devlin wrote it [A, 2019]."]
    tree.take(AnswerPiece(text="Anew:", draft=2))
    assert drawn(tree) == [*TREE, "", "Anew:"], "another draft takes its place"


def test_what_is_written_anew_after_a_repair_begins_anew() -> None:
    tree = after(*DONE, AnswerPiece(text="Old."), Selected(passages=3, considered=9), AnswerPiece(text="New."))
    assert drawn(tree) == [*TREE, "", "New."]


def test_the_check_is_waited_for() -> None:
    reviewed = Reviewed(verdict="complete", confidence=0.9)
    for effort, line in (("deep", ["checking ..."]), ("standard", ["checking ..."]), ("fast", [])):
        assert drawn(after(RunStarted(run="r", question="Q?", effort=effort), *DONE, reviewed)) == [*TREE, *line]


def test_the_tree_alone_stays() -> None:
    tree = after(*DONE, Selected(passages=3, considered=9), AnswerPiece(text="Devlin wrote it."))
    tree.end()
    assert drawn(tree) == TREE


def test_a_small_terminal_shows_the_end_of_what_is_written() -> None:
    tree = after(*DONE, AnswerPiece(text="\n\n".join(f"Paragraph {number}." for number in range(20))))
    lines = drawn(tree, 9)
    assert (len(lines), lines[0], lines[-1]) == (7, "Plan: sequential, decided by model", "Paragraph 19.")
    assert drawn(tree, 30)[:6] == [*TREE, ""]


def test_nothing_that_is_written_is_obeyed_by_the_terminal() -> None:
    tree = after(*DONE, AnswerPiece(text="\x1b[31mred\x07"))
    assert drawn(tree)[-1] == "\ufffd[31mred\ufffd"


def test_the_parts_of_a_part_hang_below_it() -> None:
    parts = (
        SubQuestion(id=1, text="A or B?", role="compare", depends_on=(2, 3)),
        SubQuestion(id=2, text="A?", parent=1),
        SubQuestion(id=3, text="B?", parent=1),
    )
    tree = PlanProgress()
    tree.take(Planned(plan=Plan(question="Q?", parts=parts, complexity="composite", reason="", decided_by="rules")))

    assert drawn(tree)[1:4] == [
        "└── 1. A or B? (factual, after 2, 3)",
        "    ├── 2. A? (factual)",
        "    └── 3. B? (factual)",
    ]


def test_what_a_part_was_looked_up_in_stands_below_it() -> None:
    plan = replace(PLAN, parts=(replace(PLAN.parts[0], form="ranking"), PLAN.parts[1]))
    tree = Consulted(part=1, row="1", structure="tree", levels=(2,), nodes=("Attention",), passages=3)
    graph = Consulted(part=1, row="1", structure="graph", relations=("CITES",), passages=4, counted="Devlin: 2.")
    answered = PartAnswered(part=1, question="Who?", answer="Devlin", passages=2)
    assert drawn(after(Planned(plan=plan), tree, graph, replace(tree, passages=5), answered))[1:5] == [
        "├── 1. Who? (factual, counted in the graph: ranking)",
        "│   ├── tree: level 2 · Attention · 5 passages",
        "│   ├── graph: CITES · 4 passages · Devlin: 2.",
        "│   └── Devlin",
    ]


def test_a_part_for_each_item_says_of_which_list() -> None:
    plan = replace(PLAN, parts=(PLAN.parts[0], replace(PLAN.parts[1], each=1)))
    told = " ".join(" ".join(drawn(after(Planned(plan=plan)))).split())
    assert told.endswith("└── 2. Where is #1? (factual, after 1, for each item of part 1)")
