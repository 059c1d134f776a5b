"""Follow-ups in Chinese, made to stand alone: 那 SQuAD 呢？, 它们有多大？, 为什么？, 比较一下, 不，我是说RoBERTa。"""

import re
from collections.abc import Callable, Sequence

from scholarmind.model import Name
from scholarmind.planning.earlier import Earlier, Rewritten, in_chinese
from scholarmind.planning.incomplete_chinese import incomplete
from scholarmind.planning.mentions import Mention, is_aspect, mentions_of
from scholarmind.planning.pointers_chinese import POINTER, meant, pointing, told
from scholarmind.planning.pointing import referents, where
from scholarmind.planning.protected import Protector
from scholarmind.planning.replacing import Given, asked_again, given_things, shares_head
from scholarmind.planning.words import CHINESE_ASKING, CHINESE_QUESTION, is_person, question, statement
from scholarmind.text.patterns import lazy_regex

_LEAD = lazy_regex(
    r"^(?:(?:那么?|还有(?!其|什|哪)|另外|而且|好的?|嗯|谢谢|明白了?|然后|所以|再问一下|请问)(?!些|个|种|篇|两)[，,。！ ]*)+"
)
_DENIES = lazy_regex(
    r"^(?:(?:不对?|不是|错了|抱歉|对不起|等等)[，,。！ ]+(?:(?:我(?:是说|说的是|指的是|想问的是|问的是|的意思是)|应该是|是)[：: ]*)?"
    r"|我(?:是说|说的是|指的是|想问的是|问的是|的意思是)[：: ]*)(?P<x>.+)$"
)
_NOT = lazy_regex(r"^(?P<x>.+?)[，,]?(?:而)?不是(?P<old>.+)$|^不是(?P<old2>.+?)[，,](?:而)?是(?P<x2>.+)$")
_BARE = lazy_regex(
    r"^(?:为什么(?:呢|会这样|是这样|这样|(?:会|差|高|低)?(?:这么|那么|如此).{1,6})?|为何|为啥"
    r"|怎么(?:做到|实现|回事|办到)的?|如何(?:做到|实现)的?|如何|怎么样?|什么时候|何时|哪一?年|在哪里?|谁|原因是什么|原因)(?:呢)?$"
)
_AGAIN = lazy_regex(
    r"^(?:对于?|关于)?(?P<x>.+?)(?:呢|又如何|又怎么样|又怎样|怎么样|如何|也(?:是)?(?:这样|如此|一样)吗|也成立吗|也适用吗)$"
)
_SAME = lazy_regex(
    r"^(?:同样的?问题[，,：: ]*|也?同样地?[，,：: ]*|换成|改成|如果是|如果换成|如果改成|要是)(?:问一?下?)?(?:对于?|关于)?(?P<x>.+?)(?:呢)?$"
)
_WHERE = lazy_regex(
    r"^(?:在|到|于|就|对于?|关于|用)?(?P<x>.+?)(?:这个)?(?:数据集|任务|模型|年|基准)?"
    r"(?:上面|上|里面|里|中|方面|而言|来说)?(?:的?(?:结果|表现|情况))?$"
)
_BESIDE = lazy_regex(r"^(?:如果|要是)?[和与跟同](?P<x>.+?)(?:相比|比较?|对比)$")
_PLACED = lazy_regex(r"在|和|与|比|有|用")
_VERBAL = lazy_regex(r"该?如何|怎么|是")
_LONGEST_PHRASE = 30  # characters
_COMPARE = lazy_regex(
    r"^(?:请|帮我|再|能否|可以)?(?:把|将)?(?:它们|他们|这些|两者|二者|这?[两三](?:者|个|种)(?:模型|方法)?|以上(?:模型|方法)?)?"
    r"(?:都)?(?P<verb>比较|对比)"
    r"(?:一下|下)?(?:它们|他们|这些模型|两者|二者|这?[两三](?:者|个|种)(?:模型|方法)?)?(?P<rest>(?:的|在).+)?$"
)
_BETWEEN = lazy_regex(
    r"^(?P<ask>有(?:什么|何|哪些)(?:区别|不同|差异|差别|异同)|(?:区别|差异|不同)(?:是什么|在哪里?|呢)"
    r"|(?:哪一?[个篇种]|谁)(?:在[^，]{1,20}上)?(?:更|最|先|比较)[^，]{1,8})$"
)
_LANGUAGE = lazy_regex(r"^(?:请|能)?(?:用|翻译成|说)?(?:中文|英文|英语|汉语|日语|简体|一句话|表格|简单)")


def rewritten(text: str, earlier: Earlier, names: Sequence[Name]) -> Rewritten | None:
    """Return a follow-up as a question of its own, or None where it is one already."""
    typed = re.sub(r"(?<=[\u4e00-\u9fff]) +| +(?=[\u4e00-\u9fff])", "", statement(text))
    if _LANGUAGE.match(typed):
        return None
    if found := _correction(typed, earlier, names):
        return found
    body = _LEAD.sub("", typed)
    led = len(body) < len(typed)
    rules: tuple[Callable[[], Rewritten | None], ...] = (
        lambda: _bare(body, earlier),
        lambda: _compared(body, earlier),
        lambda: _elliptic(body, earlier, names, led=led),
        lambda: pointing(body, earlier, names),
        lambda: incomplete(body, earlier),
    )
    return next((found for rule in rules if (found := rule())), None)


def _correction(body: str, earlier: Earlier, names: Sequence[Name]) -> Rewritten | None:
    match = _DENIES.match(body)
    new, old = match["x"] if match else "", ""
    if denied := _NOT.match(new or body):
        new, old = denied["x"] or denied["x2"], denied["old"] or denied["old2"]
    if not new or CHINESE_QUESTION.search(new) or (old and old not in earlier.question):
        return None
    given = _given(new, names, correction=True, old=old)
    return asked_again(earlier, given), f"更正为{given.text}"


def _bare(body: str, earlier: Earlier) -> Rewritten | None:
    if not _BARE.match(body):
        return None
    word = re.sub(r"(?:呢|会这样|是这样|这样)$", "", body)
    last = statement(earlier.question)
    return (f"{last}？" if last.endswith(word) else f"{last}，{word}？"), f"“{word}”问的是上一个问题"


def _compared(body: str, earlier: Earlier) -> Rewritten | None:
    things = referents(earlier, "pair")
    if not things:
        return None
    if match := _COMPARE.match(body):
        return f"{match['verb']}{in_chinese(things)}{match['rest'] or ''}。", f"要比较的是{in_chinese(things)}"
    match = _BETWEEN.match(body)
    return (question(in_chinese(things) + body), f"要比较的是{in_chinese(things)}") if match else None


def _elliptic(body: str, earlier: Earlier, names: Sequence[Name], *, led: bool) -> Rewritten | None:
    """Read what has no verb: RoBERTa呢？, 那它的作者呢？, 在GLUE上又如何？, 和GPT-2相比呢？"""
    match = _SAME.match(body) or _AGAIN.match(body)
    rest = match["x"] if match else body
    if CHINESE_QUESTION.search(rest) or CHINESE_ASKING.search(rest) or len(rest) > _LONGEST_PHRASE:
        return None
    if beside := _BESIDE.match(rest):
        return f"和{beside['x']}相比，{earlier.question}", f"与{beside['x']}相比"
    if pointer := POINTER.search(rest):
        return _pointed_again(rest, pointer, earlier) if match and not pointer.start() else None
    given = _given(rest.removesuffix("的"), names)
    introduced = (
        bool(given.mentions or not _VERBAL.match(rest)) if match else bool(given.mentions) and (led or not given.whole)
    )
    if not introduced:
        return None
    if (
        is_aspect(rest)
        and not shares_head(earlier, rest)
        and not any(mention.sort != "metric" for mention in given.mentions)
    ):
        return _aspect(rest, earlier, given)
    return asked_again(earlier, given), f"再问上一个问题，对象是{given.text}"


def _pointed_again(rest: str, pointer: re.Match[str], earlier: Earlier) -> Rewritten | None:
    things = meant(pointer, earlier)
    if not things:
        return None
    tail = rest[pointer.end() :].removeprefix("的")
    if _PLACED.match(tail):
        return None
    if tail and not re.fullmatch(r"(?:上|中|里|方面)", tail):
        return question(f"{in_chinese(things)}的{tail}{_what(tail)}"), told(pointer, things)
    return asked_again(earlier, given_things(earlier, things)), told(pointer, things)


def _aspect(aspect: str, earlier: Earlier, given: Given) -> Rewritten | None:
    """Ask for something of what the last question was about."""
    if given.mentions and earlier.of_sort("metric"):
        return asked_again(earlier, given), f"再问上一个问题，对象是{aspect}"
    things = earlier.subjects or earlier.topics or earlier.answers
    if not things:
        return None
    return question(
        f"{in_chinese(things)}{where(earlier, aspect)}的{aspect}{_what(aspect)}"
    ), f"{in_chinese(things)}的{aspect}"


def _what(aspect: str) -> str:
    if is_person(aspect):
        return "是谁"
    if re.search(r"(?:大小|规模|参数量?|数|长度|复杂度|率|速度|延迟|分数|得分|维度)$", aspect):
        return "是多少"
    return "如何" if re.search(r"(?:表现|性能|效果|结果)$", aspect) else "是什么"


def _given(text: str, names: Sequence[Name], *, correction: bool = False, old: str = "") -> Given:
    """Read a phrase: what it names. Words beside the names make it one thing."""
    preposition = "在" if text.startswith("在") else ""
    mentions = mentions_of(Protector(names).line(text))
    if mentions and not _left_over(text, mentions):
        return Given(
            text=in_chinese([mention.text for mention in mentions]),
            mentions=mentions,
            preposition=preposition,
            correction=correction,
            old=old,
        )
    match = _WHERE.match(text)
    phrase = match["x"] if match and not is_aspect(text) else text
    if mentions:
        phrase = text if phrase == "" else phrase
        whole = (Mention(phrase, 0, len(phrase), mentions[0].sort),)
        return Given(text=phrase, mentions=whole, whole=True, correction=correction, old=old)
    return Given(text=phrase, correction=correction, old=old)


def _left_over(text: str, mentions: Sequence[Mention]) -> bool:
    """Tell whether a phrase says more than its names."""
    rest = text
    for mention in mentions:
        rest = rest.replace(mention.text, " ", 1)
    rest = re.sub(
        r"在|上面|上|中|里|方面|和|与|及|、|年|的?(?:结果|表现|情况)|数据集|任务|模型|这个|对于?|来说|而言|论文|会议",
        " ",
        rest,
    )
    return bool(rest.strip())
