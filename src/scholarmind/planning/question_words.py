"""The words that questions are built of, in English and Chinese: words that ask, function words, verbs, times; and what must not be cut."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from scholarmind.model import Name
from scholarmind.text.language import lazy_regex

# -- function words, words that ask, and a part's text as a question of its own

WH = frozenset("what which who whom whose when where why how".split())
BE = frozenset("is are was were be been being".split())
AUX = BE | frozenset("do does did can could has have had will would should may might shall must".split())
SINGULAR_AUX = {"are": "is", "were": "was", "do": "does", "have": "has"}
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

_SMALL = frozenset(
    "a an the and or but nor so if then than that this these those it its they their them there here he she his "
    "her him we our us you your "
    "i my me each both either all respective any some more most less least very also respectively please one other another "
    "such no not same while whether well "
    "whereas considering based according information following mean means vs versus respect terms instead rather too".split()
)

_ORDERS_AND_NOUNS = frozenset("state show review name find".split())  # ask and order, but as often name a thing
FUNCTION = (
    WH
    | AUX
    | (ASKING - _ORDERS_AND_NOUNS)
    | PREPOSITIONS
    | _SMALL
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
    r"什么|哪|谁|如何|怎么|怎样|为何|为啥|多少|多大|多高|多长|多久|多远|(?<![这那好前后近几])几[\u4e00-\u9fff]|[^，。；？?]还是[^，。；？?]|是否|能否|可否|有无|吗|呢[？?]?$|能不能|有没有|是不是|会不会|可不可以|要不要|有何|何[时地处人种年]"
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
    match = _WORD.match(body)
    if (match[0].lower() if match else "") in ASKING or CHINESE_ASKING.search(body) or "?" in body or "？" in body:
        mark = "。" if mark == "？" else "."
    if body.endswith(".") and mark == ".":
        return capital(body)
    return capital(body) + mark


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
    for piece in _PIECE.findall(text):
        if CHINESE.match(piece):
            found += [part for part in CHINESE_FUNCTION.split(piece) if part]
        elif (word := piece.lower()) not in FUNCTION and (len(word) > 1 or word.isdigit()):
            found.append(word.removesuffix("'s").removesuffix("’s"))
    return tuple(found)


_PIECE = lazy_regex(
    r"[\u3400-\u4dbf\u4e00-\u9fff]+|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:[.\-'’][^\W_\u3400-\u4dbf\u4e00-\u9fff]+)*"
)


# -- verbs, in the forms that questions use most: they tell where a description ends

_REGULAR = (
    "appear attend belong border bomb broadcast build call change claim collapse compete compose conquer contain "
    "contribute cover create "
    "debut declare design develop die direct discover distribute dissolve drop earn employ enter establish exist "
    "experience explore "
    "export feature finish form found govern graduate handle happen help host house include inspire introduce "
    "invade invent join kill land last "
    "launch live locate marry mention move name occur open operate originate own perform play portray predate "
    "premiere present produce "
    "propose publish record refuse release remain report represent reside resign rule score separate serve share "
    "sign star start state stop study suffer "
    "support surrender train travel use visit vote want work provide issue achieve attack adopt air end fail "
    "look need change convert defeat "
    "celebrate cost call cause host pass rank reach receive lie apply differ compare relate scale improve "
    "increase reduce affect"
)

_IRREGULAR = (
    "be:is:was be:are:were become:becomes:became:become begin:begins:began:begun break:breaks:broke:broken "
    "bring:brings:brought:brought "
    "build:builds:built:built buy:buys:bought:bought come:comes:came:come draw:draws:drew:drawn "
    "fall:falls:fell:fallen fight:fights:fought:fought "
    "find:finds:found:found flow:flows:flowed:flowed fly:flies:flew:flown get:gets:got:gotten "
    "give:gives:gave:given go:goes:went:gone "
    "grow:grows:grew:grown have:has:had:had hold:holds:held:held know:knows:knew:known lead:leads:led:led "
    "leave:leaves:left:left "
    "lose:loses:lost:lost make:makes:made:made meet:meets:met:met pay:pays:paid:paid put:puts:put:put "
    "run:runs:ran:run say:says:said:said "
    "see:sees:saw:seen sell:sells:sold:sold send:sends:sent:sent sing:sings:sang:sung speak:speaks:spoke:spoken "
    "spend:spends:spent:spent "
    "stand:stands:stood:stood take:takes:took:taken teach:teaches:taught:taught tell:tells:told:told "
    "win:wins:won:won write:writes:wrote:written "
    "wear:wears:wore:worn carry:carries:carried:carried marry:marries:married:married bear:bears:bore:born "
    "set:sets:set:set fight:fights:fought:fought"
)


def third_person(verb: str) -> str:
    """Return a verb as it is said of one: tries, justifies."""
    if verb.endswith(("sh", "ch", "s", "x")):
        return verb + "es"
    return verb[:-1] + "ies" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "s"


def _past(verb: str) -> str:
    doubled = {"star": "starred", "stop": "stopped", "drop": "dropped", "debut": "debuted", "die": "died", "lie": "lay"}
    if verb in doubled:
        return doubled[verb]
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if verb.endswith("y") and verb[-2] not in "aeiou" else verb + "ed"


_IRREGULAR_FORMS = [row.split(":") for row in _IRREGULAR.split()]
_VERBS = _REGULAR.split()
_VERBS_AND_NOUNS = frozenset(
    "state name host land study work house record rank star form cost report report score present issue house cover record".split()
)

BASE_VERBS = frozenset(_VERBS) - {"state", "name", "house", "land", "last", "found", "record", "form"} | {
    row[0] for row in _IRREGULAR_FORMS
}

FINITE_VERBS = (
    frozenset(third_person(verb) for verb in _VERBS if verb not in _VERBS_AND_NOUNS)
    | frozenset(_past(verb) for verb in _VERBS)
    | frozenset(form for row in _IRREGULAR_FORMS for form in row[1:3])
)

_PARTICIPLES = frozenset(row[3] for row in _IRREGULAR_FORMS if len(row) > 3)
_NO_PARTICIPLES = frozenset(
    "during king spring string ring thing something nothing anything everything building evening morning being "
    "wing bring united red bed "
    "speed seed need indeed hundred feed breed including following regarding according concerning using learning "
    "training meaning ceiling "
    "reading writing hearing setting engineering computing modeling modelling processing programming marketing "
    "banking mining tuning "
    "embedding encoding sampling ranking reranking chunking clustering prompting reasoning planning pre-training fine-tuning".split()
)


def is_participle(word: str) -> bool:
    """Tell whether a word can open a shortened clause behind a noun: `directed by`, `starring`."""
    return (word in _PARTICIPLES or (word.endswith(("ed", "ing")) and len(word) > 4)) and word not in _NO_PARTICIPLES


# -- times that restrict a question: years, ranges, `in the last five years`, 近三年

_ENGLISH_NUMBER = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple of)"
_ENGLISH_TIME = lazy_regex(
    rf"\b(?:(?:in|over|during|within|for)\s+)?(?:the\s+)?(?:last|past|previous|recent)\s+{_ENGLISH_NUMBER}?\s*(?:years?"
    rf"|months?|decades?|weeks?|days?)\b"
    r"|\b(?:since|before|after|until|by|during|in|from)\s+(?:19|20)\d\d(?:\s*(?:-|–|to|and|until)\s*(?:(?:19"
    r"|20)\d\d|now|today|present))?\b"
    r"|\bbetween\s+(?:19|20)\d\d\s+and\s+(?:19|20)\d\d\b|\b(?:19|20)\d\d\s*[-–]\s*(?:19|20)\d\d\b|\brecently\b"
    r"|\bin recent years\b",
    re.IGNORECASE,
)

_CHINESE_NUMBER = "[0-9一二两三四五六七八九十几]{1,3}"
CHINESE_TIME = lazy_regex(
    rf"(?:在|从|自)?(?:最近|过去|近|这)(?:的)?{_CHINESE_NUMBER}(?:个)?(?:年|月|周|天)(?:以来|来|内|间|里)?的?"
    r"|(?:在|从|自)?(?:19|20)\d\d\s*年?\s*(?:-|–|—|~|至|到)\s*(?:(?:19|20)\d\d年?|现在|今天|至今|今)(?:之间|间|期间)?(?:的)?"
    r"|(?:在|从|自)?(?:19|20)\d\d年?(?:以来|之后|以后|之前|以前|后|前|起|至今)(?:的)?|近年来?|最近几年|(?:在|从|自)?(?:19|20)\d\d年(?:\d{1,2}月)?"
)


def time_of(text: str) -> str:
    """Return the first restriction of time in a text, or ''."""
    match = CHINESE_TIME.search(text) or _ENGLISH_TIME.search(text)
    return match[0].strip() if match else ""


# -- what must not be cut: quotes, titles, names, idioms, code; masked, character by character, before any rule looks

NAME_MARK = "\ue000"  # stands for a character of a name, title or quote
QUIET_MARK = "\ue001"  # stands for a character of an idiom, of code, of what is in brackets
REFERENCE = 0xE100  # the first of the characters that stand for the answer of another part
REFERENCES = lazy_regex(r"[\ue100-\uf8ff]")
_OURS = lazy_regex(r"[\ue000-\uf8ff]")
_MOST_NAMES = 60
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_HALF_WIDTH = lazy_regex(rf"(?<=[{_HAN}]) ?[,;:?!](?!\d)\s?|[,;:?](?=[{_HAN}])")
_FULL_WIDTH = {",": "，", ";": "；", ":": "：", "?": "？", "!": "！"}
_CHINESE_SPACE = lazy_regex(rf"(?<=[{_HAN}]{{2}}) +(?=[{_HAN}]{{2}})")
_QUOTES = lazy_regex(
    r"“[^”\n]{1,200}”|\"[^\"\n]{1,200}\"|(?<!\w)‘[^’\n]{1,200}’(?!\w)|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,200}'(?!\w)"
    r"|《[^》\n]{1,100}》|「[^」\n]{1,100}」|『[^』\n]{1,100}』"
)

_CODE = lazy_regex(
    r"`[^`\n]{1,200}`|https?://[^\s，。；？]{1,400}|<[^<>\n]{1,100}>|\$[^$\n]{1,100}\$|\((?!\d{1,2}\)"
    r"|[a-h]\))[^()\n]{1,160}\)|（(?!\d{1,2}）|[一二三四五六七八九十]）)[^（）\n]{1,160}）|\[[^\[\]\n]{3,160}\]"
)

_SHOUTED = lazy_regex(r"[A-Z]+(?![A-Z0-9-])")  # where all is in capitals, small words are small again
_CHINESE_WORDS = lazy_regex(
    r"共和国|共和党|饱和|总和|温和|和平|和谐|缓和|中和|和解|柔和|求和|和弦|和声|大和|昭和|亲和|和服|和尚|与否|与其|参与|给与|赋与|与会|与时俱进|与众不同|及时|及格|普及|涉及|以及其|埃及|危及|来不及|波及|触及|跟踪|跟随|脚跟"
)


@dataclass(frozen=True)
class MaskedLine:
    """A piece of a question beside its masked copy of the same length: rules match on `mask` and take their words from `text`."""

    text: str
    mask: str

    def piece(self, start: int, end: int | None = None) -> str:
        """Return the words between two places, trimmed."""
        return self.text[start:end].strip(" ,;，；、\n\t")

    @cached_property
    def tokens(self) -> tuple["MaskedToken", ...]:
        """The words of the masked text, with punctuation apart."""
        return tuple(MaskedToken(match.start(), match.end(), *_look(match[0])) for match in _TOKEN.finditer(self.mask))


@dataclass(frozen=True, slots=True)
class MaskedToken:
    """A word of a line: its place, itself in small letters, and whether it looks like (part of) a name."""

    start: int
    end: int
    word: str
    name: bool
    capital: bool


_TOKEN = lazy_regex(r"[^\s,;:?!，；：？！、]+|[,;:?!，；：？！、]")


@lru_cache(maxsize=4096)
def _look(found: str) -> tuple[str, bool, bool]:
    """Return a word in small letters, whether it looks like a name, and whether it is capital."""
    word = found.lower()
    bare = word.strip(".()'’\"")
    plain = bare in FUNCTION or re.split("['’]", bare, maxsplit=1)[0] in FUNCTION or (bare in MONTHS and bare != "may")
    mixed = any(character.isupper() for character in found[1:]) or (found[:1].isupper())
    digits = any(map(str.isdigit, found)) and any(map(str.isalpha, found)) and not found[:-2].isdigit()
    marked = NAME_MARK in found or bool(REFERENCES.search(found))
    return word, marked or ((mixed or digits) and not plain), marked or found[:1].isupper()


def cleaned(text: str) -> str:
    """Return the text without the characters that the rules use as marks."""
    return _OURS.sub(" ", text)


def full_width(text: str) -> str:
    """Return a Chinese text with the marks between its clauses as they are printed: a space or `,` there is `，`."""
    marked = _HALF_WIDTH.sub(lambda match: _FULL_WIDTH[match[0].strip()], text)
    return _CHINESE_SPACE.sub("，", marked)


class Protector:
    """Makes the masked copy of any piece of one question; knows the names that the library has for it."""

    def __init__(self, names: Sequence[Name] = ()) -> None:
        given = sorted({name.text for name in names if len(name.text) > 1}, key=len, reverse=True)[:_MOST_NAMES]
        self._lines: dict[str, MaskedLine] = {}
        self._names = re.compile("|".join(map(_whole, given))) if given else None

    def line(self, text: str) -> MaskedLine:
        """Return the text with its masked copy; asked again, the same."""
        if text not in self._lines:
            mask = _SHOUTED.sub(_lowered, text) if text.isupper() and " " in text else text
            if self._names:
                mask = self._names.sub(_named, mask)
            mask = _CODE.sub(_quiet, _QUOTES.sub(_named, mask))
            if not mask.isascii():
                mask = _CHINESE_WORDS.sub(_quiet, mask)
            self._lines[text] = MaskedLine(text, mask)
        return self._lines[text]


def _whole(name: str) -> str:
    escaped = re.escape(name)
    return rf"(?<!\w){escaped}(?!\w)" if name.isascii() else escaped


def _named(match: re.Match[str]) -> str:
    return NAME_MARK * len(match[0])


def _quiet(match: re.Match[str]) -> str:
    return QUIET_MARK * len(match[0])


def _lowered(match: re.Match[str]) -> str:
    return match[0].lower() if match[0].lower() in FUNCTION else match[0]
