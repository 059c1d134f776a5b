"""References back within a text and between texts, in both languages."""

import pytest

from scholarmind.planning.coreference import answers, find_references, resolve, salient, sides


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What is the notice period for a tenant?", [("the notice period", "aspect"), ("a tenant", "subject")]),
        ("What was Nestlé's revenue in 2021?", [("Nestlé", "subject"), ("revenue", "aspect"), ("2021", "time")]),
        (
            "Who led the Roman forces at the Battle of Cannae?",
            [("the Roman forces", "subject"), ("the Battle of Cannae", "other")],
        ),
        ("比亚迪2022年的净利润是多少？", [("比亚迪", "subject"), ("2022年", "time"), ("净利润", "aspect")]),
        ("Redis 默认使用哪个端口？", [("Redis", "subject"), ("端口", "asked")]),
    ],
)
def test_a_question_names_its_subject_its_aspect_and_what_else_stands_in_it(
    text: str, named: list[tuple[str, str]]
) -> None:
    assert [(thing.text, thing.role) for thing in salient(text)] == named


@pytest.mark.parametrize(
    ("text", "references"),
    [
        ("Who enforces them?", ["them"]),
        ("What are its side effects, and how is it taken?", ["its", "it"]),
        ("How long does the latter last?", ["the latter"]),
        ("该城市有多少人口？", ["该城市"]),
        ("前者是谁提出的？", ["前者"]),
        # explained in the text itself, or empty
        ("What is aspirin and who discovered it?", []),
        ("What does Siemens say about its wind business?", []),
        ("Is it possible to boil an egg twice?", []),
        ("At the time of their marriage, where did Marie Curie live?", []),
        ("《茶馆》的作者对其人物怎么看？", []),
    ],
)
def test_only_what_nothing_in_the_text_explains_is_a_reference(text: str, references: list[str]) -> None:
    assert [reference.text for reference in find_references(text)] == references


@pytest.mark.parametrize(
    ("before", "answer", "text", "meant"),
    [
        ("Which city hosted the 1992 Olympics?", "Barcelona", "How large is that city?", ["Barcelona"]),
        ("Who wrote the SQLite library?", "D. Richard Hipp", "When did he start?", ["D. Richard Hipp"]),
        ("How far is Europa from Jupiter?", "671,000 km", "Does it have an atmosphere?", ["Europa"]),
        ("What do monarch butterflies eat?", "milkweed", "Where do they live?", ["monarch butterflies"]),
        ("Compare mutexes and semaphores.", "", "Who invented the latter?", ["semaphores"]),
        ("What is the fee for a visa?", "60 euros", "Can it be paid in cash?", []),
        ("谁统一了中国？", "秦始皇", "他是哪一年去世的？", ["秦始皇"]),
        ("光伏发电和风力发电的成本各是多少？", "", "后者呢？", ["风力发电"]),
    ],
)
def test_a_reference_stands_for_the_thing_that_fits(before: str, answer: str, text: str, meant: list[str]) -> None:
    things = [*answers(before, answer), *sorted(salient(before), key=lambda thing: thing.role != "subject")]

    assert [thing.text for thing in resolve(find_references(text)[0], things)] == meant


def test_things_that_stood_in_the_same_place_are_compared() -> None:
    things = [*salient("What are the side effects of glipizide?"), *salient("What are the side effects of metformin?")]

    assert [thing.text for thing in sides(things)] == ["metformin", "glipizide"]
