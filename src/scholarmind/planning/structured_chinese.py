"""Chinese questions that the graph of papers answers by counting, sorting or following: their forms and kinds."""

import re
from collections.abc import Mapping

from scholarmind.planning.structured_performance import CHINESE_PERFORMANCE
from scholarmind.planning.structured_relations import CHINESE_SAYS
from scholarmind.planning.structured_words import Words
from scholarmind.relations import NodeKind

_KINDS: Mapping[NodeKind, str] = {
    "paper": r"论文|文章|文献|研究工作|工作|著作",
    "author": r"作者|学者|研究者|研究人员|科学家|合作者|人",
    "institution": r"研究机构|机构|研究组|课题组|研究团队|团队|实验室|单位|大学|高校|公司|组织|小组",
    "method": r"方法|模型|架构|算法|技术|变体|系统|编码器|改进(?![了的])",
    "dataset": r"数据集|基准|评测集|测试集|语料库?",
    "metric": r"指标",
    "task": r"任务",
    "venue": r"会议|期刊|刊物|会刊|顶会",
    "year": r"年份",
}
_ANY = "|".join(_KINDS.values())
_NAMED_KINDS = "|".join(f"(?P<{name}>{nouns})" for name, nouns in _KINDS.items())
# behind other Chinese characters a noun is part of a term: 掩码语言模型
_KIND = rf"(?:(?<![\u3400-\u9fff])|(?<=[些个种篇位项家的各有几少本份所款么同年关表来是此该]))(?:{_NAMED_KINDS})"
_ASKED = r"哪一?[些个几种篇位项家款本所份](?:[篇个种位项家])?|哪些|什么|何种"
_FIGURES = r"数字|数值|结果|得分|分数|成绩|数据(?!集)|取值|指标|值"
_METRIC = r"准确率|精确匹配|精度|召回率|得分|分数|成绩|结果|F1值?|BLEU|ROUGE(?:-[12L])?|困惑度|表现|性能|EM|通过率|相关系数|平均分|指标值"

_NEVER = re.compile(
    r"(?:分|率|数值|结果|性能|表现|效果)最(?:高|低|好|佳|优|差)|最(?:高|低|好|佳|优|差)的?(?:得分|分数|成绩|结果|性能|表现|准确率|精度|F1)|(?:作者|谁|人).{0,6}(?:[还又也]|同时)|既.+又|从\D+[到至].+(?:脉络|谱系|路线|链|演进|演变|演化|发展)|为什么|为何|原因|解释|原理|含义|意思|介绍一下|什么是|电影|电视剧|歌曲|小说|专辑|(?:如何|怎么|怎样)(?!$|的|样)(?!演进|演变|发展)|区别|定义"
)
_CONTRADICTIONS = re.compile(
    rf"矛盾|冲突|不一致|互相抵触|相左|出入|不吻合|(?:不同|不一样|有差异)的?(?:{_FIGURES})|(?:{_FIGURES})(?:.{{0,4}})(?:不同|不一样|对不上)"
)
_OF_NUMBERS = re.compile(rf"{_FIGURES}|{_METRIC}|数", re.IGNORECASE)
_COMMON = re.compile(
    r"共同(?:点|之处)?|共有|都(?:用|使用|引用|在|采用)过?|共享|相同的|(?<!论文)(?<!文章)同时(?:用|使用|引用)"
)
_LINEAGE = re.compile(
    r"(?:演进|演化|发展|技术|传承)(?:的)?(?:脉络|谱系|路线|链条?|链路)|脉络|谱系|家谱|族谱|传承关系|血脉|来龙去脉|前身(?:有哪些|是什么)|祖先|源流|一步步(?:演进|演变|发展)(?:而)?来"
)
_DESCENDANTS = re.compile(r"后代|后继|后续(?:模型|方法)")
_COUNT = re.compile(
    rf"(?:多少|几)(?:[篇个种位项家所本]|)(?:不同的?)?(?:{_ANY})|(?:{_ANY})(?:的)?(?:总共|一共|共)?有(?:多少|几)[篇个种位项家]?$"
    rf"|(?:多少|几)篇|(?:论文|文章|作者|方法|模型|数据集|机构)(?:的)?(?:总数|数量|篇数|个数)"
)
_FIRST = "最早|最先|首个|首篇|第一[篇个种]|最初"
_LATEST = "最新|最近(?!\\s*[0-9一二两三四五六七八九十几])|最晚|最后(?:一[篇个])?"
_ORDER = re.compile(rf"(?P<first>{_FIRST})|(?P<latest>{_LATEST})")
_RANKING = re.compile(
    r"最(?:多|活跃|高产|常用|常见|频繁|流行|热门|常被)|(?:论文|发文|发表)(?:数|数量|量)?(?:的)?(?:排名|排行)|前[0-9一二两三四五六七八九十]+[名个位家]?"
)
_RANKED_BY = re.compile(r"发表|论文|发文|活跃|高产|使用|常用|常见|引用|流行|提出|贡献|文章|热门|撰写|写|评测|出现|频繁")
_MOST = re.compile(
    r"(?:前|最多的|哪)(?P<top>[0-9]+|[两二三四五六七八九十])(?=[名个位家种所])|最多的?(?P<so>[两二三四五六七八九十])"
)
_NUMBERS = dict(zip("一二两三四五六七八九十", (1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
_METRICS = re.compile(rf"{_METRIC}|得了?多少分?|多少分|达到|取得|获得|报告", re.IGNORECASE)
_RESULTS = re.compile(
    rf"(?:(?:在|于).{{1,60}}(?:上|中|里)|.{{2,60}}[A-Za-z0-9]\s?上)的?.{{0,20}}?(?P<metric>{_METRIC})(?:是|为|有|达到|如何|怎样"
    rf"|怎么样|分别|各|多少)"
    rf"|(?:在|于).{{1,60}}(?:上|中|里)(?:的)?(?P<metric2>{_METRIC})$|(?:在|于).{{1,60}}(?:上|中|里)(?:表现|得)(?:如何|怎样|怎么样|了?多少)",
    re.IGNORECASE,
)
_LIST = re.compile(
    rf"(?:{_ASKED})(?:主要|重要|关键|别的|其他)?(?:的)?(?:{_ANY})|(?:{_ANY})(?:主要)?(?:有哪些|有什么|是哪些|是什么|是哪[个篇种一些]+)$"
)
_WHO = re.compile(
    r"(?:是|由|被)?谁(?:最早|首先|首次|共同)?(?:提出|发明|开发|设计|写|撰写|发表|编写|创建|完成|推出)|(?:作者|提出者|发明者|作者们|开发者)(?:都?是谁|有谁|有哪些"
    r"|都?有哪些人?|是什么人|是哪些人?|都有谁)|出自谁|谁(?:提出|写|发明|开发|设计)了"
)
_WHO_MOST = re.compile(r"谁")
_WHERE = re.compile(r"(?:发表|刊登|收录)(?:在|于)(?:哪里|何处|哪个(?:会议|期刊|刊物))")
# by what grammar it is asked for what comes before, not after
_BUILDS = re.compile(
    r"(?:基于|建立在|改进自|源自|脱胎于|借鉴|衍生自|改进)了?(?:哪|什么|何)|在(?:哪|什么|何).{0,8}(?:基础上|之上)|以(?:哪|什么|何).{0,8}为(?:基础|起点|骨架)"
    r"|[所被]改进的?(?:模型|方法|架构|算法|系统)|[\w\s\-]+所(?:基于|改进|扩展|依据)的"
)
_TOPIC = re.compile(r"关于|有关|针对|涉及|研究|围绕|方面|领域|方向|主题|上|在(?!线)|对于?|所用的?")
_LIBRARY = re.compile(
    r"(?:在)?(?:本|我的|这个|该|文献|知识|论文)?库(?:里面|里|中|内)?(?:总共|一共|共)?(?:收录了?|收有|有|存有)?|笔记(?:里|中)"
)
_NOUNS = (
    "论文|文章|文献|作者|学者|研究者|研究人员|研究组|课题组|研究机构|机构|团队|单位|会议|期刊"
    "|方法|模型|数据集|架构|算法|技术|基准|指标|任务"
)
_SAYS_NOTHING = (
    "发表|写过|写了|撰写|参与了?"
    "|有哪些|哪些|哪个|哪篇|哪种|哪位|哪几[个篇种]|哪一[个篇种]|多少|几[篇个种位家]|什么|最多|最活跃|最早|最新|最近|谁|提出|改进|评测|评估|使用|采用|用过|结果|得分|分别"
    "|准确率|各个|各种|各|所有|主要|总共|一共|是|的|了|过|在|上|中|里|和|与|及|以及|跟|由|被|对|为|到|做|给出|报告|数值|数字|互相|矛盾|冲突|不同|不一致|共同|都|有|这些|那些"
    "|关于|有关|研究|领域|方向|方面|演进|脉络|谱系|怎样|如何|怎么样|多少|之间|间|年|来|以来|之后|以后|期间|所|于|过|哪|几|一篇|一个|篇|个|种|位|家|常用|高产|前|名|相关"
    "|表现|性能|成绩|列出|请|给|出|哪里|基础|基于|建立|引用|参考|找出|我|它们?|其|起|还|又|也|以|自|用|列出|表|么|样|同时"
)
# at its end a noun may be part of a term, and so may what else says nothing: 混合专家, 时间, 下采样
_EMPTY = re.compile(
    rf"^(?:{_NOUNS}|{_SAYS_NOTHING})+"
    rf"|(?:(?!(?<=专)家|(?<=[时空])间|(?<=[采抽])样|(?<=[应作])用|(?<=输)出|(?<=单)位|(?<=代)表)(?:{_SAYS_NOTHING}))+$"
)


_DESCRIBES = re.compile(
    rf"^(?:所有)?(?:(?P<x>[^，。]*?[^，。被所])(?:所|是)?(?:改进|基于|扩展|依据|借鉴)的|(?:改进|优化|基于|扩展|改良)了?(?P<of>[^，。]+?)的"
    rf"|(?P<rest>[^，。]+?)的)(?P<noun>{_KINDS['method']}"
    rf"|{_KINDS['paper']})$"
)
_SUBJECT = re.compile(
    rf"^(?P<np>[^，。]+?(?:{_KINDS['method']}|{_KINDS['paper']}))(?:都|分别|曾|各自)?(?:在(?:{_ASKED})|是谁|由谁|的?作者|用了|使用了"
    rf"|采用了|引用了|发表)"
)


def _nested(text: str) -> str:
    match = _SUBJECT.match(text)
    return match["np"] if match and _DESCRIBES.match(match["np"]) else ""


def _described(text: str) -> str:
    match = _DESCRIBES.match(text)
    if match is None:
        return ""
    if match["x"] and not _VERB.match(match["x"]):
        return f"{match['x']}基于哪些模型"
    if match["of"]:
        return f"哪些{match['noun']}改进了{match['of']}"
    return f"哪些{match['noun']}{match['rest']}" if match["rest"] else ""


_VERB = re.compile(r"^(?:改进|优化|基于|扩展)")


def _subject(text: str) -> str:
    match = _WHO.search(text)
    if match is None:
        return ""
    return _trimmed(text[: match.start()]) or _trimmed(text[match.end() :])


def _asks(form: str, text: str) -> bool:
    return bool(re.search(rf"{_ASKED}|谁|哪|什么|前[0-9一二两三四五六七八九十]", text)) or form == "first"


def _trimmed(text: str) -> str:
    before = ""
    while text != before:
        before, text = text, _EMPTY.sub("", text).strip(' ，,。？?、：:“”"')
    return text


CHINESE = Words(
    kind=re.compile(_KIND, re.IGNORECASE),
    noun=re.compile(_NAMED_KINDS, re.IGNORECASE),
    kinds=_KINDS,
    never=_NEVER,
    contradictions=_CONTRADICTIONS,
    of_numbers=_OF_NUMBERS,
    common=_COMMON,
    lineage=_LINEAGE,
    descendants=_DESCENDANTS,
    count=_COUNT,
    order=_ORDER,
    ranking=_RANKING,
    ranked_by=_RANKED_BY,
    most=_MOST,
    numbers=_NUMBERS,
    results=_RESULTS,
    performance=CHINESE_PERFORMANCE,
    listed=_LIST,
    who=_WHO,
    whose=_WHO_MOST,
    where=_WHERE,
    builds=_BUILDS,
    relations=CHINESE_SAYS,
    topic=_TOPIC,
    library=_LIBRARY,
    metrics=_METRICS,
    nested=_nested,
    subject=_subject,
    asks=_asks,
    described=_described,
    trimmed=_trimmed,
)
