"""Parts of marked questions: as a reader of questions marks them, whatever it is."""

from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import given, settings, strategies

from scholarmind.planning.rule_planner import RulePlanner
from scholarmind.ports import Anaphor, Marks
from scholarmind.testing.marked_questions import marked


@dataclass
class Given:
    """A marker that has read one question."""

    question: str
    found: Marks

    def marks(self, question: str) -> Marks | None:
        return self.found if question == self.question else None


def parts_of(line: str) -> list[str]:
    question, found = marked(line)
    plan = RulePlanner(cap=20, depth=1, marker=Given(question, found)).plan(question)
    return [" <- ".join([part.text, *(f"#{one}" for one in part.depends_on)]) for part in plan.parts]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        (
            "Who founded Norvex‖ and when did (they=#1) sell (it=Norvex)?",
            ["Who founded Norvex?", "When did #1 sell Norvex? <- #1"],
        ),
        (
            "Which valve does the X200 use‖, and how often is oil due‖, and what do (they=#2) cost?",
            ["Which valve does the X200 use?", "How often is oil due? <- #1", "What do they cost? <- #1 <- #2"],
        ),
        (
            "安史之乱是什么时候爆发的？‖起因是什么？‖对唐朝的财政制度造成了哪些影响？",
            [
                "安史之乱是什么时候爆发的？",
                "安史之乱的起因是什么？",
                "安史之乱，对唐朝的财政制度造成了哪些影响？",
            ],
        ),
        (
            "在历史建筑上乱刻乱画罚多少钱，开山采石的单位要罚多少？",
            ["在历史建筑上乱刻乱画罚多少钱？", "开山采石的单位要罚多少？"],
        ),
        (
            "How do the moon and the tide differ in how fast (they=the moon and the tide) turn‖, and who saw (it=the tide)?",
            ["How do the moon and the tide differ in how fast they turn?", "Who saw the tide?"],
        ),
        (
            "水位上升对<[游禽]和[涉]>禽有什么影响？",
            ["水位上升对游禽有什么影响？", "水位上升对涉禽有什么影响？"],
        ),
        (
            "How many people were tested in Alasi in 2011‖, and how many of (them=Alasi) carried antigen?",
            ["How many people were tested in Alasi in 2011?", "How many of the people carried antigen?"],
        ),
        (
            "How many layers does BERT-large have‖, and how many heads(= does BERT-large have)?",
            ["How many layers does BERT-large have?", "How many heads does BERT-large have?"],
        ),
        (
            "％We sail in May. ‖~Please~ list <[the draught] and [the beam]> of <[the Ulla], [the Brage] and [the Tor]>.",
            [
                "List the draught of the Ulla.",
                "List the draught of the Brage.",
                "List the draught of the Tor.",
                "List the beam of the Ulla.",
                "List the beam of the Brage.",
                "List the beam of the Tor.",
            ],
        ),
        (
            "How high is {the capital of {the country where the salt flat lies}}?",
            [
                "What is the country where the salt flat lies?",
                "What is the capital of #1? <- #1",
                "How high is #2? <- #2",
            ],
        ),
        (
            "Where was {the director of Solaris} born‖ and when did (he=the director of Solaris) die?",
            ["Who is the director of Solaris?", "Where was #1 born? <- #1", "When did #1 die? <- #1"],
        ),
        (
            "By how many metres is <[{the tallest church in Spain}] taller than [{the tallest church in Malta}]>?",
            [
                "What is the tallest church in Spain?",
                "What is the tallest church in Malta?",
                "By how many metres is #1 taller than #2? <- #1 <- #2",
            ],
        ),
        (
            "What were the profits of <[Aker] and [Brim]> in <[2019] and [2021]>, respectively?",
            ["What were the profits of Aker in 2019?", "What were the profits of Brim in 2021?"],
        ),
        ("What did Harper and Row publish in 1961?", ["What did Harper and Row publish in 1961?"]),
        (
            "<[挪威]、[瑞典]与[芬兰]>的<[人口]和[人均GDP]>分别是多少？",
            [f"{land}的{what}是多少？" for land in ("挪威", "瑞典", "芬兰") for what in ("人口", "人均GDP")],
        ),
        (
            "{发现青霉素的人}毕业于哪所医学院‖，(他=发现青霉素的人)哪一年获奖？‖(=发现青霉素的人)有几个孩子",
            [
                "发现青霉素的人是谁？",
                "#1 毕业于哪所医学院？ <- #1",
                "#1 哪一年获奖？ <- #1",
                "#1 有几个孩子？ <- #1",
            ],
        ),
        (
            "咱们院子里的番茄得的是什么病‖，用过哪些药(=番茄)‖，效果(=番茄)怎么样",
            ["咱们院子里的番茄得的是什么病？", "番茄用过哪些药？", "番茄的效果怎么样？"],
        ),
        (
            "％My aunt had her cataract done. May she drive? ‖How long should she wait before swimming?",
            ["May she drive?", "How long should she wait before swimming? <- #1"],
        ),
        (
            "Compare <[Aker] and [Brim]> on noise‖, and who built each?",
            [
                "Aker on noise",
                "Brim on noise",
                "Compare Aker and Brim on noise. <- #1 <- #2",
                "Who built Aker?",
                "Who built Brim?",
            ],
        ),
        (
            "What is the density of tin‖, and what is that of lead?",
            ["What is the density of tin?", "What is the density of lead?"],
        ),
        (
            "Did the Brage sail? If not‖, who saw to the Tor?",
            ["Did the Brage sail?", "If not, who saw to the Tor?"],
        ),
        (
            "How many ferries sailed in <[1990,] [2000] and [2010]>?",
            [f"How many ferries sailed in {year}?" for year in (1990, 2000, 2010)],
        ),
        (
            "How do seals in <[Norway] and [otters]> in Spain breed?",
            ["How do seals in Norway and otters in Spain breed?"],
        ),
        (
            "<[北站]和[南站的面积]、[造价]>各是多少？",
            [f"{place}的{what}是多少？" for place in ("北站", "南站") for what in ("面积", "造价")],
        ),
        (
            "％我的锅炉漏水。‖(=锅炉漏水)一般是什么原因‖，(=锅炉)物业管吗？",
            ["锅炉漏水，一般是什么原因？", "锅炉，物业管吗？"],
        ),
        (
            "北站和南站有什么区别‖，(=#1)分别由谁管理？",
            [
                "北站是什么？",
                "南站是什么？",
                "北站和南站有什么区别？ <- #1 <- #2",
                "北站由谁管理？",
                "南站由谁管理？",
            ],
        ),
        (
            "OPEC设在哪座城市‖，(其=OPEC)最近一次减产减了多少",
            ["OPEC设在哪座城市？", "OPEC的最近一次减产减了多少？"],
        ),
    ],
)
def test_parts(line: str, parts: list[str]) -> None:
    assert parts_of(line) == parts


def test_what_is_told_stands_beside_the_plan_and_in_no_part() -> None:
    question, found = marked("％I keep bees in Devon. ‖When do queens fly‖ and how far(= do queens fly)?")
    plan = RulePlanner(marker=Given(question, found)).plan(question)
    assert plan.background == "I keep bees in Devon."
    assert [part.text for part in plan.parts] == ["When do queens fly?", "How far do queens fly?"]
    assert plan.decided_by == "reader"


def test_a_sentence_that_was_marked_with_an_ask_and_asks_nothing_is_told() -> None:
    question, found = marked("我们打算换锅炉。流程是什么？‖由谁批准？")
    plan = RulePlanner(marker=Given(question, found)).plan(question)
    assert plan.background == "我们打算换锅炉。"
    assert plan.parts[0].text == "流程是什么？"


def test_an_ask_without_words_of_its_own_is_about_what_was_told() -> None:
    line = "％I reinstalled my system and the key is refused. ‖Why, and what do I do?"
    assert parts_of(line) == ["I reinstalled my system and the key is refused. Why, and what do I do?"]


QUESTIONS = (
    "My boss left. Who founded Norvex, and when did they sell it to Acme or Borealis? And in Spain?",
    "我的电脑坏了。苹果和三星的手机哪个更贵，它的电池多少钱？其中最重的呢",
    "1) why 2) how, and what of it?",
)


@given(data=strategies.data())
@settings(max_examples=300, deadline=None)
def test_any_marks_make_a_plan(data: strategies.DataObject) -> None:
    question = data.draw(strategies.sampled_from(QUESTIONS))
    place = strategies.integers(0, len(question))
    span = strategies.tuples(place, place).map(sorted).map(lambda ends: (ends[0], min(ends[1] + 2, len(question))))
    some = strategies.lists(span, max_size=3).map(lambda spans: tuple(sorted(spans)))
    joints = sorted({0, len(question), *data.draw(strategies.lists(place, max_size=3))})
    stretches = list(pairwise(joints))
    told = data.draw(strategies.sets(strategies.sampled_from(range(len(stretches))), max_size=len(stretches) - 1))
    asks = tuple(one for number, one in enumerate(stretches) if number not in told)
    pointer = strategies.builds(
        Anaphor,
        place=span,
        words=strategies.none() | span,
        ask=strategies.none() | strategies.integers(0, len(asks) - 1),
    )
    marks = Marks(
        asks=asks,
        background=tuple(stretches[number] for number in sorted(told)),
        courtesy=data.draw(some),
        lists=data.draw(strategies.lists(some.filter(bool), max_size=2).map(tuple)),
        descriptions=data.draw(some),
        pointers=tuple(data.draw(strategies.lists(pointer, max_size=3))),
    )
    plan = RulePlanner(cap=5, depth=1, marker=Given(question, marks)).plan(question)
    assert 1 <= len(plan.parts) <= 5
    assert all(part.text.strip() for part in plan.parts)


def test_without_marks_rules_decide() -> None:
    planner = RulePlanner(marker=Given("another question", Marks(asks=((0, 3),))))
    assert planner.plan("Which is older, the Prado or the Uffizi?").decided_by == "rules"
