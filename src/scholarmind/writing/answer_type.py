"""The type of answer that a question asks for: a person, a date, a number of kilometres, a description; and which number of a text fits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from scholarmind import languages
from scholarmind.judge.amounts import Amount, amounts
from scholarmind.text.analysis import STOP_WORDS, sentences, terms
from scholarmind.text.language import HAN, lazy_regex

# -- what words tell of things

# nouns of a question, by the kind of thing that they ask for
_KIND_OF_NOUN: dict[str, str] = {
    noun: kind
    for kind, nouns in {
        "person": "person people man woman author writer poet novelist actor actress singer musician composer painter artist director "
        "producer screenwriter performer president king queen emperor minister leader founder inventor architect engineer scientist "
        "researcher professor player coach manager politician spouse wife husband father mother son daughter child sibling brother "
        "sister parent owner chairman ceo governor mayor general commander explorer character monarch ruler creator designer editor "
        "host presenter illustrator pope bishop prophet philosopher student advisor names "
        "人 作者 作家 诗人 导演 编剧 演员 歌手 总统 总理 主席 皇帝 国王 创始人 创办人 发明者 提出者 教练 球员 "
        "妻子 丈夫 父亲 母亲 儿子 女儿 老师 学生 科学家 学者 研究者 将军 校长 市长 设计师 主角 人物 名字",
        "place": "place country city town village state province county district region area continent location island river lake sea "
        "ocean mountain range capital birthplace territory municipality neighborhood street border body water venue stadium nation "
        "airport peak canyon desert peninsula bay department borough headquarters site room formation mouth "
        "地方 国家 城市 省 省份 市 县 区 地区 州 大洲 首都 首府 岛 岛屿 河 河流 湖 山 山脉 机场 地点 位置 总部 出生地 国 城",
        "organisation": "company organization organisation institution university college school band group team club party agency "
        "association label publisher network station channel manufacturer developer studio airline bank corporation brand employer "
        "league society committee church army union museum laboratory lab franchise distributor broadcaster operator conference "
        "公司 组织 机构 大学 学校 学院 乐队 乐团 团队 球队 俱乐部 政党 党 协会 出版社 电视台 厂商 企业 银行 研究所 "
        "实验室 单位 部门 集团 小组",
        "date": "year date month day decade century era period time birthday 年 年份 年代 日期 时间 时候 世纪 朝代 时期 月 月份 日 天",
        "number": "number amount percentage percent population size rate score temperature height length width depth weight speed price "
        "cost distance age accuracy ratio ranking rank share budget salary revenue elevation duration quantity snowfall count "
        "parameters perplexity degree code "
        "数量 数目 比例 百分比 人口 面积 大小 温度 高度 长度 深度 重量 速度 价格 成本 距离 年龄 准确率 得分 "
        "分数 排名 参数量 规模 海拔 产量 参数",
        "title": "book novel film movie song album poem play painting opera series show magazine newspaper work piece soundtrack episode "
        "paper article symphony game single story "
        "书 小说 电影 影片 歌曲 专辑 诗 剧 电视剧 节目 杂志 报纸 作品 论文 文章 游戏 曲 歌",
    }.items()
    for noun in nouns.split()
}

NAMED_NOUNS = frozenset(  # things that go by a name of their own
    "dataset corpus benchmark model framework library tool optimizer tokenizer algorithm language airport award prize bridge program "
    "数据集 语料库 基准 模型 框架 算法 语言 奖项 奖 优化器".split()
)

# parts of names that say what the name is
ORGANISATION_WORDS = frozenset(
    "university college school institute company corporation corp inc ltd llc records group association society party union bank club band "
    "orchestra council committee agency department ministry church army navy press foundation laboratory laboratories lab labs team "
    "studios studio pictures entertainment films broadcasting network museum airlines airways league commission bureau court congress "
    "parliament organization organisation federation conference partners holdings systems technologies motors brothers times post "
    "news tv radio fm alliance coalition trust authority board office service services academy".split()
)

PLACE_WORDS = frozenset(
    "city county river lake mountain mountains mount island islands state province district republic kingdom ocean sea bay valley park "
    "airport street road town village peak range desert peninsula creek falls township municipality parish region territory cape coast "
    "north south east west upper lower new san santa los st saint fort port beach hills bridge square avenue castle station".split()
)

TITLE_OF_PERSON = frozenset(
    "mr mrs ms dr sir lord lady king queen prince princess president professor prof pope saint general captain colonel admiral emperor "
    "senator governor minister duke count bishop".split()
)

GIVEN_NAMES = frozenset(
    "james john robert michael william david richard joseph thomas charles christopher daniel matthew anthony mark donald steven paul "
    "andrew joshua kenneth kevin brian george edward ronald timothy jason jeffrey ryan jacob gary nicholas eric jonathan stephen larry "
    "justin scott brandon benjamin samuel frank gregory raymond alexander patrick jack dennis jerry tyler aaron jose henry adam douglas "
    "nathan peter zachary kyle walter harold jeremy ethan carl keith roger gerald christian terry sean arthur austin noah lawrence jesse "
    "joe bryan billy jordan albert dylan bruce willie gabriel alan juan logan wayne ralph roy eugene randy vincent russell louis philip "
    "bobby johnny bradley mary patricia jennifer linda elizabeth barbara susan jessica sarah karen lisa nancy betty sandra margaret ashley "
    "kimberly emily donna michelle carol amanda melissa deborah stephanie rebecca laura sharon cynthia kathleen amy angela shirley anna "
    "brenda pamela emma nicole helen samantha katherine christine debra rachel carolyn janet maria olivia heather diane julie joyce "
    "victoria ruth virginia lauren kelly christina joan evelyn judith andrea hannah jacqueline martha gloria teresa ann sara madison "
    "frances kathryn janice jean alice julia grace judy theresa rose denise marilyn amber danielle brittany diana jane lori anne pierre "
    "jacques francois claude michel andre hans karl wilhelm friedrich johann otto fritz heinrich giovanni giuseppe antonio marco paolo "
    "luigi carlos luis miguel pedro pablo diego fernando manuel francisco ivan vladimir sergei mikhail nikolai dmitri alexei boris igor "
    "yuri leo max felix oscar hugo simon martin erik lars olaf sven nils jan piet willem kim lee park li wang zhang chen mohammed ahmed "
    "ali hassan omar ibrahim abdul raj ravi sanjay amit henrik tim ed tom bob jim bill mike dan ben sam alex chris steve tony ron don ray "
    "neil hank ian colin graham nigel stuart trevor barry keith stanley leonard norman frederick ernest alfred edgar edwin oliver "
    "christopher roland rudolf ludwig wolfgang".split()
)

CONTINENTS = frozenset("africa asia europe america antarctica oceania australia".split())
# a country, and after the colon what its people and language are called; _ stands for a space
_COUNTRIES = """
Afghanistan:Afghan Albania:Albanian Algeria:Algerian Angola:Angolan Argentina:Argentine/Argentinian Armenia:Armenian Australia:Australian
Austria:Austrian Azerbaijan:Azerbaijani Bahamas:Bahamian Bahrain:Bahraini Bangladesh:Bangladeshi Barbados:Barbadian Belarus:Belarusian
Belgium:Belgian Belize:Belizean Benin:Beninese Bhutan:Bhutanese Bolivia:Bolivian Botswana:Botswanan Brazil:Brazilian Bulgaria:Bulgarian
Burundi:Burundian Cambodia:Cambodian Cameroon:Cameroonian Canada:Canadian Chad:Chadian Chile:Chilean China:Chinese Colombia:Colombian
Congo:Congolese Costa_Rica:Costa_Rican Croatia:Croatian Cuba:Cuban Cyprus:Cypriot Czech_Republic:Czech Czechoslovakia:Czechoslovak
Denmark:Danish Djibouti:Djiboutian Ecuador:Ecuadorian Egypt:Egyptian El_Salvador:Salvadoran England:English Eritrea:Eritrean
Estonia:Estonian Ethiopia:Ethiopian Fiji:Fijian Finland:Finnish France:French Gabon:Gabonese Gambia:Gambian Georgia:Georgian Germany:German
Ghana:Ghanaian Greece:Greek Guatemala:Guatemalan Guinea:Guinean Guyana:Guyanese Haiti:Haitian Honduras:Honduran Hungary:Hungarian
Iceland:Icelandic India:Indian Indonesia:Indonesian Iran:Iranian Iraq:Iraqi Ireland:Irish Israel:Israeli Italy:Italian Jamaica:Jamaican
Japan:Japanese Jordan:Jordanian Kazakhstan:Kazakh Kenya:Kenyan Kuwait:Kuwaiti Kyrgyzstan:Kyrgyz Laos:Laotian Latvia:Latvian
Lebanon:Lebanese Liberia:Liberian Libya:Libyan Lithuania:Lithuanian Luxembourg:Luxembourgish Macedonia:Macedonian Madagascar:Malagasy
Malawi:Malawian Malaysia:Malaysian Maldives:Maldivian Mali:Malian Malta:Maltese Mauritania:Mauritanian Mauritius:Mauritian Mexico:Mexican
Moldova:Moldovan Monaco:Monegasque Mongolia:Mongolian Montenegro:Montenegrin Morocco:Moroccan Mozambique:Mozambican Myanmar:Burmese
Namibia:Namibian Nepal:Nepalese Netherlands:Dutch New_Zealand Nicaragua:Nicaraguan Niger Nigeria:Nigerian North_Korea:North_Korean
Norway:Norwegian Oman:Omani Pakistan:Pakistani Palestine:Palestinian Panama:Panamanian Paraguay:Paraguayan Peru:Peruvian
Philippines:Filipino/Philippine Poland:Polish Portugal:Portuguese Qatar:Qatari Romania:Romanian Russia:Russian Rwanda:Rwandan
Saudi_Arabia:Saudi Scotland:Scottish Senegal:Senegalese Serbia:Serbian Singapore:Singaporean Slovakia:Slovak Slovenia:Slovenian
Somalia:Somali South_Africa:South_African South_Korea:South_Korean Soviet_Union:Soviet Spain:Spanish Sri_Lanka:Sri_Lankan Sudan:Sudanese
Sweden:Swedish Switzerland:Swiss Syria:Syrian Taiwan:Taiwanese Tajikistan:Tajik Tanzania:Tanzanian Thailand:Thai Togo:Togolese
Tunisia:Tunisian Turkey:Turkish Turkmenistan:Turkmen Uganda:Ugandan Ukraine:Ukrainian United_Kingdom:British United_States:American
Uruguay:Uruguayan Uzbekistan:Uzbek Venezuela:Venezuelan Vietnam:Vietnamese Wales:Welsh Yemen:Yemeni Yugoslavia:Yugoslav Zambia:Zambian
Zimbabwe:Zimbabwean Hong_Kong
"""

_STATES = """
Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware Florida Georgia Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky
Louisiana Maine Maryland Massachusetts Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada New_Hampshire New_Jersey New_Mexico
New_York North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island South_Carolina South_Dakota Tennessee Texas Utah Vermont
Virginia Washington West_Virginia Wisconsin Wyoming Ontario Quebec Manitoba Alberta Saskatchewan Nova_Scotia New_Brunswick British_Columbia
Queensland Victoria Tasmania New_South_Wales Bavaria Saxony Catalonia Andalusia Lombardy Tuscany Sicily
"""

_WITH_PEOPLE = [entry.replace("_", " ").partition(":") for entry in _COUNTRIES.split()]
COUNTRIES = frozenset(name.lower() for name, _, _ in _WITH_PEOPLE) | {
    "u.s",
    "usa",
    "uk",
    "us",
    "united states of america",
}

COUNTRY_OF = {people: name for name, _, peoples in _WITH_PEOPLE for people in peoples.split("/") if people}
STATES = frozenset(_STATES.replace("_", " ").lower().split("\n")[0].split()) | frozenset(
    state.replace("_", " ").lower() for state in _STATES.split()
)

# words of one relation, a line each: one of them in the question makes the others worth looking for
RELATIONS = """
large larger largest big bigger biggest size parameters population area
birth born birthplace native hometown
death died dead killed buried
spouse wife husband married marriage widow
father mother parent son daughter child children born
sibling brother sister
director directed film
author wrote write written writer novel novelist book memoir
performer performed sung sing singer record band album song artist released
composer composed opera music score
producer produced
founder founded established creator created formed start began launched
located situated lies headquarters based
country national nationality citizen citizenship
publisher published
capital
borders adjacent neighboring neighbouring bounded
mouth flows tributary joins empties
educated graduated attended studied alumni alma degree university
employer works employee job career
member joined signed plays team
conflict war fought battle fighting served
developed developer built build designed made making
owner owned acquired acquisition parent subsidiary
proposed introduced presented invented discovered created developed author written wrote come
trained pretrained dataset data corpus corpora
population inhabitants people live residents
named called known title term
border east west north south
starring played cast role character portrayed actor actress
wins won winner champion award victory
head leader led leading ruled ruler reign charge governed
sport football basketball baseball player
currency money
part belongs division
instance type kind
"""

CHINESE_RELATIONS = """
多大 规模 参数 参数量 大小 更大
出生 生于 诞生
去世 逝世 死于 卒于 病逝
妻子 丈夫 结婚 娶 嫁
导演 执导
作者 著 撰写 写 创作 编著 作家
演唱 歌手 收录
作曲 谱曲
创立 成立 创办 创建 建立 创始人 始建 建于
位于 坐落 地处 所在地
出版 发行 出版社
提出 发表 首创 引入
毕业 就读
开发 研发 研制 制造
设计 设计师
主演 饰演 扮演 演员 饰
获得 荣获 获
任 担任 出任 就任
训练 数据集 语料
人口 居民
面积 占地
原因 因为 由于 因
"""

SURNAMES = frozenset(
    "王李张刘陈杨黄赵吴周徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江"
    "尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤岳齐"
)

CHINESE_ENDINGS: dict[str, str] = {
    "place": "国省市县区州洲岛山河江湖海镇村路街城港湾峡站寺庙宫陵",
    "organisation": "司学院团织会所行队党部局社室厂台",
}


# -- the type of answer

AnswerKind = Literal[
    "person",
    "place",
    "organisation",
    "date",
    "number",
    "title",
    "thing",
    "yes or no",
    "description",
    "reason",
]

_SHORT = frozenset(("person", "place", "organisation", "date", "number", "title"))
_LONGEST = 1_000  # what comes after says nothing of the type any more
_WORD = lazy_regex(r"[a-z0-9]+(?:[-'’][a-z0-9]+)*")
_RELATION = lazy_regex(r"^(?P<subject>.{1,500}?) >> (?P<relation>[^>]{1,200})$")
_KIND_OF_WORD: dict[str, AnswerKind] = {
    "who": "person",
    "whom": "person",
    "whose": "person",
    "where": "place",
    "when": "date",
    "why": "reason",
}

_ASKING = frozenset("who whom whose where when which what how why".split())
_AUXILIARIES = frozenset(
    "is are was were do does did has have had can could will would should may might must am isn't aren't wasn't".split()
)

_NOT_NOUNS = (
    _AUXILIARIES | STOP_WORDS | frozenset("most least first last main current only other many much long".split())
)

_PREPOSITIONS = frozenset(
    "of in on at by for from to with before after during since until between among about under over near".split()
)

_ENDING_A_PHRASE = _AUXILIARIES | STOP_WORDS | _PREPOSITIONS
_LISTING = frozenset("list name enumerate give".split())
_HOW_NUMBER = frozenset(
    "many much long far tall high big large old fast deep wide heavy often hot cold expensive few small accurate".split()
)

_PERSON_RELATIONS = frozenset("father mother spouse child sibling author director producer composer performer".split())
_CHINESE: tuple[tuple[str, str], ...] = (
    ("reason", "为什么|为何|原因是|何以|为啥"),
    ("person", "是谁|谁|何人|哪位|哪个人|什么人"),
    ("date", "何时|什么时候|什么时间|哪一年|哪年|哪天|几月|几号|多久以前|何年|哪一天|几几年"),
    ("number", "多少|几[个位名种次年天岁条部层座所人篇项倍间]|多[大长高远久深重宽快]|百分之几|第几"),
    ("place", "哪里|哪儿|何处|何地|什么地方|在哪"),
    ("yes or no", "吗|是否|是不是|有没有|能否|能不能"),
    ("description", "如何|怎么|怎样|什么是|介绍|解释|说明|描述"),
)

_CHINESE_CUES = tuple((kind, lazy_regex(cue)) for kind, cue in _CHINESE)
_CHINESE_NOUN = lazy_regex(
    r"(?:哪[一些个种家所座部本篇]{0,2}|什么|何种|哪)(?:类型的|样的|种类的|性质的)?(?P<noun>[\u3400-\u9fff]{1,4})"
)

_CHINESE_WHAT = lazy_regex(r"(?P<noun>[\u3400-\u9fff]{2,6})(?:是|为|叫|有|包括|分别是)(?:什么|哪|多少)")
_UNIT_AFTER = lazy_regex(r"(?:多少|几)(?P<unit>[\u3400-\u9fff]{1,2})")


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerType:
    """What would answer: the kind of thing, the noun it is asked by ("dataset"), the unit of a number, and whether several."""

    kind: AnswerKind
    noun: str = ""
    unit: str = ""
    many: bool = False

    @property
    def is_short(self) -> bool:
        """Whether a name, a date or a number answers it."""
        return self.kind in _SHORT or self.noun in NAMED_NOUNS


def answer_type_of(question: str) -> AnswerType:
    """Return the type of answer that a question asks for."""
    text = question[:_LONGEST].strip()
    if match := _RELATION.match(text):
        return _of_relation(match["relation"])
    words = _WORD.findall(text.lower())
    if HAN.search(text) and not _ASKING & set(words):
        kind, at = _first_cue(text)
        named = _CHINESE_NOUN.search(text)
        unit = _UNIT_AFTER.search(text)
        noun, typed = _chinese_noun(text, named)
        many = "哪些" in text or "分别" in text or "哪几" in text
        if kind == "number":
            return AnswerType(kind="number", noun=noun, unit=unit["unit"] if unit else "")
        if kind and not (typed and named and named.start() < at) and kind != "yes or no":
            return AnswerType(kind=kind, noun=noun, many=many)  # pyright: ignore[reportArgumentType]
        if typed:
            return AnswerType(kind=_kind(typed), noun=typed, many=many)
        if kind:
            return AnswerType(kind=kind, many=many)  # pyright: ignore[reportArgumentType]
        return AnswerType(kind="thing", noun=noun, many=many)
    return _english(words)


def relation_as_words(question: str) -> str:
    """Return a question in relation notation ("Hamlet >> author") in plain words, any other as it is."""
    match = _RELATION.match(question[:_LONGEST].strip())
    return f"{match['relation']} of {match['subject']}" if match else question


def _of_relation(relation: str) -> AnswerType:
    words = _WORD.findall(relation.lower())
    if not words:
        return AnswerType(kind="thing")
    noun = next((word for word in words if word in _PERSON_RELATIONS), "")
    if noun:
        return AnswerType(kind="person", noun=noun)
    noun = next((word for word in (words[0], *reversed(words)) if word in _KIND_OF_NOUN), "")
    if noun in ("located", "location") or words[0] in ("located", "location", "place"):
        return AnswerType(kind="place", noun=noun)
    if words[0] == "educated":
        return AnswerType(kind="organisation", noun="university")
    return AnswerType(kind=_kind(noun), noun=noun or words[-1])


def _kind(noun: str) -> AnswerKind:
    return _KIND_OF_NOUN.get(noun, "thing")  # pyright: ignore[reportReturnType]  # the table holds these words only


def _english(words: list[str]) -> AnswerType:
    place = next((n for n, word in enumerate(words) if word in _ASKING), None)
    if place is None:
        if words and words[0] in _AUXILIARIES:
            return AnswerType(kind="yes or no")
        noun = next((word for word in words if word in _KIND_OF_NOUN), "")
        if words and words[0] in _LISTING:
            return AnswerType(kind=_kind(_singular(words[-1])), many=True)
        if words and words[0] in ("explain", "describe", "discuss", "summarize", "summarise"):
            return AnswerType(kind="description")
        return AnswerType(kind=_kind(noun), noun=noun)
    word, after = words[place], words[place + 1 :]
    if place and words[0] in _AUXILIARIES and word not in ("how", "why"):
        return AnswerType(kind="yes or no")
    if word in _KIND_OF_WORD:
        return AnswerType(kind=_KIND_OF_WORD[word], many=bool({"are", "were"}.intersection(after[:1])))
    return _how(after) if word == "how" else _what(after)


def _how(after: list[str]) -> AnswerType:
    if not after or after[0] not in _HOW_NUMBER:
        return AnswerType(kind="description")
    unit = next((word for word in after[1:4] if word not in _NOT_NOUNS), "") if after[0] in ("many", "few") else ""
    return AnswerType(kind="number", unit=unit)


def _what(after: list[str]) -> AnswerType:
    """Read the noun: right after "what", or the first one after the verb ("what is the name of the airport")."""
    nouns: list[str] = []
    for word in after[:4]:
        if word in _AUXILIARIES or word in STOP_WORDS:
            break
        nouns.append(word)
    if not nouns:
        return _what_is(after)
    known = next((noun for noun in reversed(nouns) if _singular(noun) in _KIND_OF_NOUN), "")
    noun = known or nouns[0]
    single = _singular(noun)
    kind = _KIND_OF_NOUN.get(noun) or _KIND_OF_NOUN.get(single, "thing")
    return AnswerType(kind=kind, noun=single, many=single != noun and kind != "number")  # pyright: ignore[reportArgumentType]


def _what_is(after: list[str]) -> AnswerType:
    if not after or after[0] not in _AUXILIARIES:
        return AnswerType(kind="thing")
    if after[0] in ("did", "does", "do"):
        return AnswerType(kind="thing")
    rest = [word for word in after[1:10] if word not in ("the", "a", "an")]
    if rest[:2] in (["term", "for"], ["word", "for"], ["acronym", "for"]):
        return AnswerType(kind="thing", noun=rest[0])
    if rest[:2] in (["name", "of"], ["names", "of"], ["kind", "of"], ["type", "of"]):
        rest = rest[2:]
    stop = next((n for n, word in enumerate(rest) if word in _ENDING_A_PHRASE), len(rest))
    head = [word.removesuffix("'s").removesuffix("’s") for word in rest[:stop]]
    if len(head) > 1 and head[-1] == "name":
        head.pop()
    if not head:
        return AnswerType(kind="thing")
    single = _singular(head[-1])
    kind = _KIND_OF_NOUN.get(head[-1]) or _KIND_OF_NOUN.get(single, "")
    if not kind and len(rest) == len(head) and len(after) <= 6:
        return AnswerType(kind="description", noun=single)
    return AnswerType(kind=kind or "thing", noun=single, many=after[0] in ("are", "were"))  # pyright: ignore[reportArgumentType]


def _singular(word: str) -> str:
    if word in _KIND_OF_NOUN or len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return f"{word[:-3]}y" if word.endswith("ies") else word[:-1]


def _first_cue(text: str) -> tuple[str, int]:
    for kind, cue in _CHINESE_CUES:
        if match := cue.search(text):
            return kind, match.start()
    return "", len(text)


def _chinese_noun(text: str, named: re.Match[str] | None) -> tuple[str, str]:
    """Return the noun that is asked by, and the known one within it: its longest ending or beginning that the table has."""
    match = named or _CHINESE_WHAT.search(text)
    if match is None:
        return "", ""
    run = match["noun"]
    pieces = [run[:n] for n in range(len(run), 0, -1)] if named else [run[n:] for n in range(len(run))]
    return run, next((piece for piece in pieces if piece in _KIND_OF_NOUN), "")


# -- which number of a text is the one that is asked for

_LONGEST_TEXT = 2_000
_BESIDE = 24  # characters between a number and the word before it that says what it counts
_RANGE = re.compile(r"\s*(?:[-–—~～]|to|至|到)\s*")
_OF_STATISTICS = re.compile(r"(?:±|\+/-|\b[pP]\s*[=<>≤]|[<>]\s?|\bSE\b|\bSD\b)\s*$")
_WORDS = re.compile(r"[ -]?([^\W\d_]+(?:-[^\W\d_]+)*)")
_COUNTED_WORDS = 4
_HAN = re.compile(r"\s?((?:(?![的是在和与及由被把将为了并而但或从向对等于以中])[\u3400-\u9fff]){1,4})")


@dataclass(frozen=True, slots=True)
class _Fit:
    """A number that may be meant, and the words of the question in its clause, and in that and those before it."""

    amount: Amount
    own: int
    all: int


def counted_in(question: str) -> str:
    """Return what a question counts ("new queens"); '' where it asks for no such number."""
    found = languages.of(question).pattern("statement.counted").search(question)
    return found["counted"].strip() if found else ""


def counted_by(text: str, amount: Amount) -> str:
    """Return the words behind a number that say what it counts ("new queens"); '' where none do."""
    if han := _HAN.match(text, amount.end):
        return han[1]
    english = languages.language("en")  # these words are written with spaces
    small = english.words("words.auxiliary") | english.words("words.preposition")
    found: list[str] = []
    place = amount.end
    while len(found) < _COUNTED_WORDS and (word := _WORDS.match(text, place)) and word[1].lower() not in small:
        if not terms(word[1]):
            break
        found.append(word[1])
        place = word.end()
    return " ".join(found)


def asked_number(question: str, text: str, noun: str = "") -> Amount | None:
    """Return the number of a text that a question asks for; None where none is, or two could be. `noun` names what is measured."""
    text = text[:_LONGEST_TEXT]
    counted, given, units = counted_in(question), amounts(question), _units_in(question)
    fits: list[_Fit] = []
    for start, end in sentences(text):
        found = [one for one in _numbers(text, start, end) if not any(one.same(other) for other in given)]
        kept = [one for one in found if one.unit in units] or _of_kind(counted, noun, text, start, found)
        fits += _in_order(question, text, start, kept) or _rated(question, text, (start, end), kept)
    fits.sort(key=lambda fit: (fit.all, fit.own), reverse=True)
    if fits[1:] and (fits[0].all, fits[0].own) == (fits[1].all, fits[1].own):
        return None if any(fit.amount.value != fits[0].amount.value for fit in fits[:2]) else fits[0].amount
    return fits[0].amount if fits else None


def _units_in(question: str) -> frozenset[str]:
    """Return the units that could answer a question for a measure: "how long" asks for seconds, months or metres."""
    language = languages.of(question)
    asked = language.pattern("statement.measured").search(question)
    pairs = (entry.partition(":") for entry in language.words("statement.units"))
    return frozenset(unit for word, _, unit in pairs if asked and word == asked["by"].lower())


def _numbers(text: str, start: int, end: int) -> list[Amount]:
    """Return the numbers of a sentence: no years, no errors of other numbers; a range is one."""
    found: list[Amount] = []
    for one in amounts(text):
        if not start <= one.start < end or not one.exact or _OF_STATISTICS.search(text[start : one.start]):
            continue
        if found and _RANGE.fullmatch(text[found[-1].end : one.start]):
            found[-1] = replace(one, start=found[-1].start)
        elif one.unit not in {"year", "decade"}:
            found.append(one)
    return found


def _of_kind(counted: str, noun: str, text: str, start: int, found: Sequence[Amount]) -> list[Amount]:
    """Return the numbers that count or measure what is asked; a bare one goes on from one before it that does."""
    if not counted:
        kinds = {kind for one in found if (kind := one.unit or counted_by(text, one))}
        if len(kinds) == 1 and (len(found) > 1 or found[0].unit or not noun):
            return list(found)
        if len(found) == 1 and not noun:
            return list(found)
        wanted = frozenset(terms(noun))
        return [one for one in found if not wanted.isdisjoint(terms(_around(text, start, one)))]
    wanted, head = frozenset(terms(counted)), frozenset(terms(counted.rsplit(maxsplit=1)[-1]))
    measure = next((one.unit for one in amounts(f"2 {counted}") if one.unit), "")
    kept: list[tuple[bool, Amount]] = []
    for (said, unit), one in zip(_kinds(text, found), found, strict=True):
        own = frozenset(terms(said))
        if measure or unit:
            fits = unit == measure
        elif said and not said.isascii():
            fits = said[0] in counted or not wanted.isdisjoint(own)
        elif said:
            fits = not wanted.isdisjoint(own)
        else:
            fits = bool(kept) or not wanted.isdisjoint(terms(_around(text, start, one)))
        if fits:
            kept.append((not own or bool(measure) or not head.isdisjoint(own) or not said.isascii(), one))
    surest = [one for sure, one in kept if sure]
    return surest or [one for _, one in kept]


def _kinds(text: str, found: Sequence[Amount]) -> list[tuple[str, str]]:
    """Return of each number what it counts and its unit; of "0, 1 or 5 cups" all are of cups."""
    kinds: list[tuple[str, str]] = []
    joint = languages.of(text).pattern("statement.joint")
    for place, one in reversed(list(enumerate(found))):
        kind = counted_by(text, one), one.unit
        if kinds and not any(kind) and joint.fullmatch(text, one.end, found[place + 1].start):
            kind = kinds[-1]
        kinds.append(kind)
    return kinds[::-1]


def _around(text: str, start: int, one: Amount) -> str:
    return text[max(start, one.start - _BESIDE) : one.start] + " " + text[one.end : one.end + _BESIDE]


def _rated(question: str, text: str, sentence: tuple[int, int], found: Sequence[Amount]) -> list[_Fit]:
    """Return numbers with the words of the question, numbers too, that their clause holds, and the clauses before it."""
    asked = _held(question, "")
    start, end = sentence
    cuts = [start + match.start() for match in languages.of(text).pattern("statement.clause").finditer(text[start:end])]
    edges = [start, *cuts, end]
    fits: list[_Fit] = []
    before: frozenset[str] = frozenset()
    for first, last in pairwise(edges):
        inside = [one for one in found if first <= one.start < last]
        said = text[first:last]
        for one in reversed(inside):
            said = text[first : one.start] + " " * (one.end - one.start) + said[one.end - first :]
        own = _held(said, question) & asked
        fits += [_Fit(one, len(own), len(own | before)) for one in inside]
        before |= own
    return fits


def _held(text: str, question: str) -> frozenset[str]:
    """Return the terms of a text and its numbers; what a question counts in is its kind, and tells no clause from another."""
    kind = frozenset(terms(counted_in(question))) if question else frozenset[str]()
    return frozenset(terms(text)) - kind | {f"={one.value:g}{one.unit}" for one in amounts(text)}


def _in_order(question: str, text: str, start: int, found: Sequence[Amount]) -> list[_Fit]:
    """Return the number that stands in the place of the thing that is asked about: "A and B have 3 and 4, respectively"."""
    language = languages.of(text)
    if len(found) < 2 or not language.pattern("marks.in_order").search(text, start):
        return []
    # the last things that a text joins, so many of them; fewer where it has not so many
    names = language.pattern("statement.joint").split(text[start : found[0].start])[-len(found) :]
    asked = frozenset(terms(question))
    held = [frozenset(terms(name)) & asked for name in names]
    own = [len(one.difference(*(other for other in held if other is not one))) for one in held]
    best = max(own, default=0)
    if own.count(best) != 1 or len(own) < len(found):
        return [_Fit(one, 0, 0) for one in found]
    return [_Fit(amount, number, len(asked)) for amount, number in zip(found, own, strict=True)]
