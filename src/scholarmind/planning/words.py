"""The words that questions are built of, in English and Chinese, and the finishing of a part's text."""

import re
from functools import lru_cache

from scholarmind.text.language import lazy_regex

WH = frozenset("what which who whom whose when where why how".split())
BE = frozenset("is are was were be been being".split())
AUX = BE | frozenset("do does did can could has have had will would should may might shall must".split())
SINGULAR_AUX = {"are": "is", "were": "was", "do": "does", "have": "has"}
PLURAL_AUX = {singular: plural for plural, singular in SINGULAR_AUX.items()}
ASKING = frozenset(
    "compare contrast explain describe discuss list summarize summarise give name identify outline analyze "
    "analyse evaluate define "
    "show tell find provide assess examine state introduce review".split()
)
PREPOSITIONS = frozenset(
    "of in on at by for from to with about between into over under after before during since until against among "
    "across through within "
    "apart besides except excluding despite without regarding concerning near as via than per including like".split()
)
SMALL = frozenset(
    "a an the and or but nor so if then than that this these those it its they their them there here he she his "
    "her him we our us you your "
    "i my me each both either all respective any some more most less least very also respectively please one other another "
    "such no not same while whether well "
    "whereas considering based according information following mean means vs versus respect terms instead rather too".split()
)
NOUNS_TOO = frozenset("state show review name find".split())  # ask and order, but as often name a thing
FUNCTION = (
    WH
    | AUX
    | (ASKING - NOUNS_TOO)
    | PREPOSITIONS
    | SMALL
    | frozenset("differ differs difference differences compared between".split())
)
PERSON = frozenset(
    "person man woman people author authors writer director actor actress composer singer artist musician "
    "producer founder founders "
    "creator inventor president king queen emperor mayor governor minister wife husband spouse father mother son "
    "daughter child children "
    "brother sister sibling parent coach player politician scientist researcher researchers painter poet "
    "performer performers leader "
    "owner editor developer designer architect chairman ceo predecessor successor scholar guitarist drummer host "
    "narrator character "
    "explorer individual girl boy politicians actors artists philosopher prisoner gymnast athlete footballer rapper".split()
)
MONTHS = frozenset(
    "january february march april may june july august september october november december jan feb mar apr jun "
    "jul aug sep sept oct nov "
    "dec q1 q2 q3 q4 early late mid".split()
)

CHINESE = lazy_regex(r"[\u3400-\u4dbf\u4e00-\u9fff]")
CHINESE_QUESTION = lazy_regex(
    r"什么|哪|谁|如何|怎么|怎样|为何|为啥|多少|多大|多高|多长|多久|多远|(?<![这那好前后近几])几[\u4e00-\u9fff]|[^，。；？?]还是[^，。；？?]|是否|能否|可否|有无|吗|呢[？?]?$|能不能|有没有|是不是|会不会|可不可以|要不要|有何|何时|何地"
    r"|区别|差异|异同|差别|[高大小好快早晚多少强低慢]吗|更[^，。；？]{1,6}$"
)
CHINESE_ASKING = lazy_regex(
    r"^(?:请你?|帮我|麻烦你?|能否|可以)?(?:分别|详细|简要|简单|并|再|然后|最后)?"
    r"(?:比较|对比(?!学习|损失|预训练)|对照|解释|说明|列出|列举|总结|概述|介绍|描述|分析|讨论|阐述|给出|告诉我|评价|指出|归纳|谈谈|论述|综述)"
)
# what a Chinese question is asked with, which says nothing of what it is about
CHINESE_FUNCTION = lazy_regex(
    r"为什么|什么样|什么|哪一?[个些里儿位种家年篇项]|哪|是谁|谁|如何|怎么样|怎么|怎样|为何|有何|何时|多少|是否|能否|以及|并且|而且|同时"
    r"|另外|此外|还有|还是|或者|或|然后|其中|之间|分别|各自|各是|请你?|帮我|比较|对比|对照|解释|说明|列出|列举|总结|概述|介绍|描述|分析|讨论|阐述"
    r"|一下|相比|区别|差异|差别|异同|不同|有没有|有|是|在|的|了|吗|呢|和|与|跟|及|并|也|都|它们?的?|他们?的?|她们?的?|这些|这个|这种|该|其"
    r"|上|方面|中|对|由|被|更|[，。；：、？！\s]"
)
_WORD = lazy_regex(r"[^\W_]+(?:[.\-'’][^\W_]+)*")
_EDGES = " \t\r\n,;，；、"
_ENDS = "?？.。!！"
_PERSONS_CHINESE = lazy_regex(
    r"(?:作者|导演|创始人|创办人|妻子|丈夫|父亲|母亲|儿子|女儿|兄弟|姐妹|老师|学生|导师|总统|主席|校长|教练|演员|歌手|作曲家|作家|学者"
    r"|发明者|提出者|发明人|人|者|家|员|师|国王|皇帝|总理|首相|市长|州长|主编|编剧|制片人|主演|院士|教授|负责人|队长)$"
)


def is_chinese(text: str) -> bool:
    """Tell whether a text is to be read by the Chinese rules: it has Chinese characters, and not just a name or two."""
    return 6 * sum(1 for _ in CHINESE.finditer(text)) >= len(text) - text.count(" ") * 2 or bool(
        CHINESE.search(text) and CHINESE_QUESTION.search(text)
    )


def is_person(noun: str) -> bool:
    """Tell whether a noun names somebody, so that the question for it is who."""
    return bool(_PERSONS_CHINESE.search(noun)) or any(word in PERSON for word in noun.lower().split())


def is_plural(noun: str) -> bool:
    """Guess whether a noun phrase is plural, by its last word; a name is not."""
    last = noun.rpartition(" ")[2]
    if last in {"people", "children", "criteria", "data", "men", "women", "pros and cons"}:
        return True
    return (
        len(last) > 3
        and last.islower()
        and last.endswith("s")
        and not last.endswith(("ss", "us", "is", "ysics", "matics"))
    )


def trimmed(text: str) -> str:
    """Return the text without white space and separators around it."""
    return text.strip(_EDGES)


def statement(text: str) -> str:
    """Return the text without a question mark or full stop at its end."""
    body = trimmed(text).rstrip(_ENDS + _EDGES)
    tail = trimmed(text)[len(body) :]
    return body + "." if tail[:1] == "." and re.search(r"\b(?:Inc|Ltd|Co|Corp|Jr|Sr|al|etc|[A-Z])$", body) else body


def question(text: str) -> str:
    """Return the text as a question of its own: trimmed, with a capital, with a mark at its end."""
    body = statement(text)
    mark = "？" if CHINESE.search(body) and is_chinese(body) else "?"
    if _first_word(body) in ASKING or CHINESE_ASKING.search(body) or "?" in body or "？" in body:
        mark = "。" if mark == "？" else "."
    if body.endswith(".") and mark == ".":
        return capital(body)
    return capital(body) + mark


def how_is(text: str, thing: str) -> str:
    """Return `Compare how BERT are trained`, said of one of several things, as `How is BERT trained?`; any other text as it is."""
    match = re.match(
        rf"(?:compare |contrast )?how {re.escape(thing)} (?P<verb>{'|'.join(PLURAL_AUX | SINGULAR_AUX)}) (?P<rest>\S.*)$",
        statement(text),
        re.IGNORECASE,
    )
    if not match:
        return text
    verb = match["verb"].lower()
    return f"How {verb if is_plural(thing) else SINGULAR_AUX.get(verb, verb)} {thing} {match['rest']}?"


def capital(text: str) -> str:
    """Return the text with its first letter large, unless its first word is written in a way of its own."""
    first = text.split(" ", 1)[0]
    plain = first.isascii() and first.islower() and first.replace("-", "").isalpha()
    return text[:1].upper() + text[1:] if plain else text


def small(text: str) -> str:
    """Return the text with its first letter small where the first word is one that questions begin with."""
    first = text.split(" ", 1)[0]
    return first.lower() + text[len(first) :] if first.lower() in FUNCTION else text


_COUNTED = lazy_regex(
    r"\b(?:[2-9]|[1-9]\d|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty)\b(?! ?(?:st|nd|rd|th)\b)",
    re.IGNORECASE,
)


def what_is(noun: str) -> str:
    """Return the open question for a thing, in its own language."""
    noun = trimmed(noun)
    if is_chinese(noun) or (CHINESE.search(noun) and not noun.isascii()):
        return f"{noun}是{'谁' if is_person(noun) else '什么'}？"
    head = re.split(
        r" (?:of|that|who|which|whose|where|in|for|by|with|from|at|when|like|such|on|to) ", noun, maxsplit=1
    )[0]
    verb = "are" if is_plural(head) or _COUNTED.search(head) else "is"
    return f"{'Who' if is_person(head) else 'What'} {verb} {small(noun)}?"


@lru_cache(maxsize=256)
def content(text: str) -> tuple[str, ...]:
    """Return the words of a text that say what it is about: folded, in order, without the ones that only ask."""
    found: list[str] = []
    for piece in _pieces(text):
        if CHINESE.match(piece):
            found += [part for part in CHINESE_FUNCTION.split(piece) if part]
        elif (word := piece.lower()) not in FUNCTION and (len(word) > 1 or word.isdigit()):
            found.append(word.removesuffix("'s").removesuffix("’s"))
    return tuple(found)


_PIECE = lazy_regex(
    r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:[.\-'’][^\W_\u3400-\u4dbf\u4e00-\u9fff]+)*"
)


def _pieces(text: str) -> list[str]:
    return _PIECE.findall(text)


def _first_word(text: str) -> str:
    match = _WORD.match(text)
    return match[0].lower() if match else ""
