"""Plans that served, as a model would have to reply them."""

import json
from typing import Any

from scholarmind import Plan, SubQuestion
from scholarmind.evaluation.training_data import Example, ExampleFrame, Left, history_of, planner_examples
from scholarmind.events import plain
from scholarmind.llm.prompts import Prompts
from scholarmind.llm.typed_replies import read
from scholarmind.planning.plan_mending import PlanReply
from scholarmind.ports import Run

PLAN = Plan(
    question="What is the size of each dataset that BERT used?",
    parts=(
        SubQuestion(id=1, text="What are the datasets that BERT used?"),
        SubQuestion(id=2, text="What is the size of #1?", depends_on=(1,), each=1),
    ),
    complexity="composite",
    reason="one after another",
    decided_by="rules",
)


def made(plan: dict[str, Any]) -> Example | Left:
    answer = {"question": PLAN.question, "source": "library", "plan": plan, "verdict": "complete", "confidence": 0.9}
    answer |= {"parts": [], "citations": [], "claims": []}
    run = Run(
        id="r", question="Q", plan="", settings="", library="1", status="done", started=0, answer=json.dumps(answer)
    )
    events = [{"type": "run_started", "effort": "keyless"}, {"type": "planned", "plan": plan}]
    history = history_of(run, list(map(json.dumps, events)), ())
    assert history is not None
    (found,) = planner_examples(ExampleFrame(prompts=Prompts()), history)
    return found


def test_what_the_model_should_have_said_is_read_as_the_plan_that_it_was() -> None:
    found = made(plain(PLAN))
    assert isinstance(found, Example)
    reply = read(PlanReply, json.loads(found.messages[-1][1]))
    assert [(part.question, part.depends_on, part.kind) for part in reply.parts] == [
        ("What are the datasets that BERT used?", (), "factual"),
        ("What is the size of #1?", (1,), "factual"),
    ]
    assert (found.label, reply.own_answer) == ("composite", "")


def test_a_plan_of_an_earlier_version_is_left_out() -> None:
    record = plain(PLAN)
    del record["retrieval"], record["own_answer"]
    assert made(record) == Left(why="it is of an earlier version")
