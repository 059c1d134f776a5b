"""The grammar of actions, as models write it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.strategies.roadmap_router import OF_DECISION_MAKER, OF_ROUTER, Action, read_action

PARIS = Action("Retrieval", "population of Paris 2023")


@pytest.mark.parametrize("action", [Action("No Retrieval"), PARIS, Action("Planning")])
def test_what_is_written_is_read_again(action: Action) -> None:
    assert read_action(str(action), OF_ROUTER) == action


@pytest.mark.parametrize(
    "said",
    [
        "[Retrieval] population of Paris 2023",
        "[retrieval]population of Paris 2023\n",
        "  [ RETRIEVAL ] : population of Paris 2023",
        "**[Retrieval]** population of Paris 2023",
        "[Retrieval]\npopulation of Paris 2023",
        "[Retrieval: population of Paris 2023]",
        '[Retrieval] "population of Paris 2023"',
        "[Retrieval] <query>population of Paris 2023</query>",
        "```text\n[Retrieval] population of Paris 2023\n```",
        "【Retrieval】population of Paris 2023",
        "【检索】population of Paris 2023",
        "（检索）：population of Paris 2023",
        "Action: [Retrieval] population of Paris 2023",
        "Retrieval: population of Paris 2023",
        "The question asks for one fact.\n[Retrieval] population of Paris 2023\nI hope this helps.",
        "I would say [Retrieval] population of Paris 2023",
        "<think>[Planning]? No, one fact.</think>\n[Retrieval] population of Paris 2023",
        '{"action": "[Retrieval] population of Paris 2023"}',
        '```json\n{"action": "retrieval", "query": "population of Paris 2023"}\n```',
        "[Search] population of Paris 2023",
        "[Retrieval] population of Paris 2023\n[Retrieval] area of Paris",
    ],
)
def test_a_retrieval_is_read_from_what_stands_around_it(said: str) -> None:
    assert read_action(said, OF_ROUTER) == PARIS


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("【无需检索】", Action("No Retrieval")),
        ("[NO_RETRIEVAL]", Action("No Retrieval")),
        ("[No-Retrieval].", Action("No Retrieval")),
        ("〔规划〕", Action("Planning")),
        ("planning", Action("Planning")),
        ("[Plan]", Action("Planning")),
        ("【检索】2023年巴黎的人口", Action("Retrieval", "2023年巴黎的人口")),
    ],
)
def test_other_spellings(said: str, expected: Action) -> None:
    assert read_action(said, OF_ROUTER) == expected


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("", "there is no action in it; write one of [Retrieval] query, [LLM]"),
        (
            "The plan is a good one, and retrieval works.",
            "there is no action in it; write one of [Retrieval] query, [LLM]",
        ),
        ("[Planning]", "[Planning] is not for you to say; write one of [Retrieval] query, [LLM]"),
        ("[Retrieval]", "[Retrieval] lacks its query; write what to search for behind it"),
        ("[Retrieval] query", "[Retrieval] lacks its query; write what to search for behind it"),
        ("[Retrieval] <sub-query>", "[Retrieval] lacks its query; write what to search for behind it"),
        ("[Retrieval] ???", "[Retrieval] lacks its query; write what to search for behind it"),
        ("[Retrieval] " + "x" * 401, "the query has 401 characters, at most 400 can be searched for"),
        ("[Retrieval] Paris\n[LLM]", "it names [Retrieval] query, [LLM]; choose one"),
        ("Either [LLM] or [Retrieval] Paris", "it names [LLM], [Retrieval] query; choose one"),
    ],
)
def test_what_is_no_action_says_why(said: str, why: str) -> None:
    assert read_action(said, OF_DECISION_MAKER) == why


def test_the_marker_of_the_prompt_never_gets_into_a_query() -> None:
    assert read_action("[Retrieval] <question m4rk3r> Paris", OF_ROUTER, "m4rk3r") == Action(
        "Retrieval", "question > Paris"
    )


@given(st.text(alphabet="[]【】{}() \n:*`<>/LlMmRretivalPngNo \"'检索规划x", max_size=80))
def test_anything_is_either_an_allowed_action_or_a_reason(text: str) -> None:
    said = read_action(text, OF_DECISION_MAKER)
    assert said if isinstance(said, str) else (said.verb == "LLM") == (not said.query)
