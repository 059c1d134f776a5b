"""What must not be cut: quotes, titles, names, idioms, code. They are masked, character by character, before any rule looks."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from scholarmind.model import Name
from scholarmind.planning.words import FUNCTION, MONTHS
from scholarmind.text.patterns import lazy_regex

NAME_MARK = "\ue000"  # stands for a character of a name, title or quote
QUIET_MARK = "\ue001"  # stands for a character of an idiom, of code, of what is in brackets
REFERENCE = 0xE100  # the first of the characters that stand for the answer of another part
REFERENCES = lazy_regex(r"[\ue100-\uf8ff]")
_OURS = lazy_regex(r"[\ue000-\uf8ff]")
_MOST_NAMES = 60

_QUOTES = lazy_regex(
    r"“[^”\n]{1,200}”|\"[^\"\n]{1,200}\"|(?<!\w)‘[^’\n]{1,200}’(?!\w)|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){1,200}'(?!\w)"
    r"|《[^》\n]{1,100}》|「[^」\n]{1,100}」|『[^』\n]{1,100}』"
)
_CODE = lazy_regex(
    r"`[^`\n]{1,200}`|https?://[^\s，。；？]{1,400}|<[^<>\n]{1,100}>|\$[^$\n]{1,100}\$|\((?!\d{1,2}\)"
    r"|[a-h]\))[^()\n]{1,160}\)|（(?!\d{1,2}）|[一二三四五六七八九十]）)[^（）\n]{1,160}）|\[[^\[\]\n]{3,160}\]"
)
_PAIRS = (
    "search and rescue|pros and cons|research and development|trial and error|supply and demand|cause and effect"
    "|question and answer|"
    "question and answering|advantages and disadvantages|strengths and weaknesses|benefits and drawbacks|do's "
    "and don'ts|dos and don'ts|"
    "law and order|terms and conditions|health and safety|peer to peer|end to end|back and forth|more and more"
    "|over and over|again and again|"
    "again and over|up and down|black and white|life and death|friends and family|arts and crafts|arts and "
    "sciences|rock and roll|"
    "rhythm and blues|food and beverage|bed and breakfast|drag and drop|copy and paste|plug and play|divide and "
    "conquer|branch and bound|"
    "read and write|mix and match|track and field|hit and run|cut and dried|wear and tear|checks and balances"
    "|bits and pieces|ins and outs|"
    "ups and downs|science and technology|mergers and acquisitions|profit and loss|sum and substance|skull and "
    "crossbones|"
    "retrieval and generation|sense and respond|command and control|command and conquer|explore and exploit"
    "|exploration and exploitation|"
    "precision and recall|encoder and decoder|publish and subscribe|squeeze and excitation|needle in a haystack"
    "|one and only|"
    "ladies and gentlemen|salt and pepper|bread and butter|mac and cheese|fish and chips|nuts and bolts|in and "
    "around|in or around|"
    "by and large|first and foremost|now and then|sooner or later|more or less|whether or not|and so on|and/or"
    "|either or|"
    "both sides|here and there|near and far|day and night|north and south|men and women|boys and girls|brothers "
    "and sisters|"
    "mind and body|heart and soul|war and peace|pride and prejudice|sense and sensibility|crime and punishment"
    "|romeo and juliet|"
    "tom and jerry|beauty and the beast|antony and cleopatra|samson and delilah|simon and garfunkel|johnson and "
    "johnson|marks and spencer|"
    "procter and gamble|barnes and noble|ernst and young|trinidad and tobago|bosnia and herzegovina|antigua and "
    "barbuda|"
    "sao tome and principe|saint kitts and nevis|turks and caicos|lewis and clark|adam and eve|cain and abel"
    "|hall and oates|"
    "black and decker|harley and davidson|smith and wesson|dungeons and dragons|fast and furious|have and have nots|"
    "the young and the restless|the bold and the beautiful|guns n roses|florence and the machine|mumford and "
    "sons|parks and recreation|"
    "law and order svu|angels and demons|lilo and stitch|lady and the tramp|fire and fury|fire and ice|blood and "
    "chocolate"
)
_SHOUTED = lazy_regex(r"[A-Z]+(?![A-Z0-9-])")  # where all is in capitals, small words are small again
_JOINT = lazy_regex(r" (?:and|or|to|in|by|n) |/", re.IGNORECASE)


def _by_first_word() -> dict[str, list[tuple[str, int]]]:
    """Return the idioms by the word before their joint, each with the place of the joint."""
    found: dict[str, list[tuple[str, int]]] = {}
    for idiom in _PAIRS.split("|"):
        if joint := _JOINT.search(idiom):
            found.setdefault(idiom[: joint.start()].rpartition(" ")[2], []).append((idiom, joint.start()))
    return found


_IDIOMS = _by_first_word()
_INSTITUTION = lazy_regex(
    r"(?<!\w)[A-Z][a-z]+(?:, [A-Z][a-z]+)?,? (?:and|&) [A-Z][a-z]+(?: [A-Z][a-z]+)? "
    r"(?:Administration|Committee|Department|Institute|Act|University|Commission|Council|Ministry|Office|Bureau"
    r"|Agency|Association|Society|"
    r"Corporation|Foundation|Museum|Center|Centre|College|School|Railway|Railroad|Conference|Journal|Services"
    r"|Company|Co|Party|Organization)\b"
    r"|(?<!\w)(?:Department|Ministry|Institute|Society|Academy|Journal|Faculty|School|College|Museum|Secretary"
    r"|Minister|Bureau|Center|Centre)"
    r" (?:of|for) (?:the )?[A-Z][a-z]+(?: [A-Z][a-z]+)?,? (?:and|&) [A-Z][a-z]+(?: [A-Z][a-z]+)?"
    r"|(?<!\w)([A-Z][a-z]+) (?:and|&|by|to|in) \1(?!\w)"
)
# Two plain capitalised words count as one title where the verb speaks of a work, or stands in the singular
_TITLE = lazy_regex(
    r"(?:\b(?:wrote|directed|published|written|composed|filmed|named|called|titled|author of|writer of"
    r"|director of|novel|book|film|movie|play|series|show|album|"
    r"song|band|opera|plot of|cast of|characters? (?:in|of)|ending of)\s+(?:the )?|^(?:When|Where|What|How"
    r"|Who) (?:is|was|does|has) )"
    r"([A-Z][a-z]+(?: [A-Z][a-z]+)? and (?:the )?[A-Z][a-z]+)(?=[\s?.,;]|$)(?! (?:in|from|at) \d)"
)
_CHINESE_WORDS = lazy_regex(
    r"共和国|共和党|饱和|总和|温和|和平|和谐|缓和|中和|和解|柔和|求和|和弦|和声|大和|昭和|亲和|和服|和尚|与否|与其|参与|给与|赋与|与会|与时俱进|"
    r"与众不同|同时|不同|相同|共同|同样|同一|同步|同学|同意|合同|如同|同类|检索与生成|搜索与救援|研究与开发|研究和开发|研发与生产|优点和缺点|优点与缺点|优缺点|"
    r"利与弊|试错|供给与需求|供求|战争与和平|傲慢与偏见|罪与罚|理智与情感|老人与海|红与黑|冰与火之歌|冰与火|速度与激情|美女与野兽|科学与技术|科学和技术|"
    r"罗密欧与朱丽叶|猫和老鼠|特立尼达和多巴哥|波斯尼亚和黑塞哥维那|安提瓜和巴布达|衣食住行|利弊|得失|精确率和召回率|编码器和解码器|"
    r"及时|及格|普及|涉及|以及其|埃及|危及|来不及|波及|触及|并行|并发|合并|并列|并购|吞并|兼并|跟踪|跟随|脚跟|编码器与解码器|输入和输出|输入与输出|读写"
)


@dataclass(frozen=True)
class Line:
    """A piece of a question beside its masked copy of the same length: rules match on `mask` and take their words from `text`."""

    text: str
    mask: str

    def piece(self, start: int, end: int | None = None) -> str:
        """Return the words between two places, trimmed."""
        return self.text[start:end].strip(" ,;，；、\n\t")

    @cached_property
    def tokens(self) -> tuple["Token", ...]:
        """The words of the masked text, with punctuation apart."""
        return tuple(_token(match) for match in _TOKEN.finditer(self.mask))


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a line: its place, itself in small letters, and whether it looks like (part of) a name."""

    start: int
    end: int
    word: str
    name: bool
    capital: bool


_TOKEN = lazy_regex(r"[^\s,;:?!，；：？！、]+|[,;:?!，；：？！、]")


def _token(match: re.Match[str]) -> Token:
    return Token(match.start(), match.end(), *_look(match[0]))


@lru_cache(maxsize=4096)
def _look(found: str) -> tuple[str, bool, bool]:
    """Return a word in small letters, whether it looks like a name, and whether it is capital."""
    word = found.lower()
    bare = word.strip(".()'’\"")
    plain = bare in FUNCTION or (bare in MONTHS and bare != "may")
    mixed = any(character.isupper() for character in found[1:]) or (found[:1].isupper())
    digits = any(map(str.isdigit, found)) and any(map(str.isalpha, found)) and not found[:-2].isdigit()
    marked = NAME_MARK in found or bool(REFERENCES.search(found))
    return word, marked or ((mixed or digits) and not plain), marked or found[:1].isupper()


def cleaned(text: str) -> str:
    """Return the text without the characters that the rules use as marks."""
    return _OURS.sub(" ", text)


class Protector:
    """Makes the masked copy of any piece of one question; knows the names that the library has for it."""

    def __init__(self, names: Sequence[Name] = ()) -> None:
        given = sorted({name.text for name in names if len(name.text) > 1}, key=len, reverse=True)[:_MOST_NAMES]
        self._lines: dict[str, Line] = {}
        self._names = re.compile("|".join(map(_whole, given))) if given else None

    def line(self, text: str) -> Line:
        """Return the text with its masked copy; asked again, the same."""
        if text not in self._lines:
            self._lines[text] = self._masked(text)
        return self._lines[text]

    def _masked(self, text: str) -> Line:
        mask = _SHOUTED.sub(_lowered, text) if text.isupper() and " " in text else text
        if self._names:
            mask = self._names.sub(_named, mask)
        mask = _CODE.sub(_quiet, _QUOTES.sub(_named, mask))
        mask = _without_idioms(mask)
        if " and " in mask or " & " in mask:
            mask = _TITLE.sub(_title, _INSTITUTION.sub(_named, mask))
        if not mask.isascii():
            mask = _CHINESE_WORDS.sub(_quiet, mask)
        return Line(text, mask)


def _whole(name: str) -> str:
    escaped = re.escape(name)
    return rf"(?<!\w){escaped}(?!\w)" if name.isascii() else escaped


def _named(match: re.Match[str]) -> str:
    return NAME_MARK * len(match[0])


def _quiet(match: re.Match[str]) -> str:
    return QUIET_MARK * len(match[0])


def _lowered(match: re.Match[str]) -> str:
    return match[0].lower() if match[0].lower() in FUNCTION else match[0]


def _without_idioms(mask: str) -> str:
    for joint in _JOINT.finditer(mask):
        before = mask[max(0, joint.start() - 24) : joint.start()].lower()
        for idiom, place in _IDIOMS.get(before.rpartition(" ")[2].lstrip("\"'(“"), ()):
            start = joint.start() - place
            end = start + len(idiom)
            if (
                mask[max(0, start) : end].lower() == idiom
                and not mask[end : end + 1].isalpha()
                and not mask[start - 1 : start].isalpha()
            ):
                mask = mask[:start] + (NAME_MARK if mask[start].isupper() else QUIET_MARK) * len(idiom) + mask[end:]
    return mask


def _title(match: re.Match[str]) -> str:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    return match[0][:start] + NAME_MARK * (end - start) + match[0][end:]
