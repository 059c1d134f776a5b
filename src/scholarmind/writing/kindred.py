"""What the words of a question are good for: those that only ask, those that only frame, and those that say the same as others.

Plain relations of any field; a word that means too much (make, have, get) says the same as no other.
"""

import re
from functools import cache

from scholarmind.text.analysis import terms

# words that ask or compare: no source has to say them
_ASKING = """
much many compare compared comparison summarize summarise summary describe explain explained list tell give name based according
following respectively between difference versus vs outline please define discuss identify state mention mentioned some any one
same either whether higher lower earlier later greater larger smaller more fewer less longer better worse first many kind type
number amount name names person people often usually called considered known does through along also around during per end all
each both own within among while about most
"""
# words that frame a question more than they tell what it is about: a source may well put it without them
_LIGHT = """
occur occurred happen happened take took taken place undertake undertaken undergo underwent conduct conducted make made hold
held experience experienced encounter encountered face faced carry carried implement implemented have gone go went come came do
done outcome outcomes impact impacts effect effects factor factors influence influencing activity activities event events time
times timing detail details aspect aspects role way ways process case situation thing things measure measures feature features
information key main major significant important specific particular certain various several overall current recent new company
organization contribute contributed lead led help helped ensure ensured enable achieve achieved result resulted affect affected
improve improved report reported show shown provide provided use used relate related involve involved paper study author article
document reach reached obtain obtained get got mechanism mechanisms task tasks version versions number value values
perform performs performance fare fares
"""
CHINESE_ASKING = re.compile(
    "主要|重要|具体|相关|情况|发生|进行|方面|请|比较|对比|总结|概括|概述|说明|介绍|根据|以下|分别|各自|简述|列出|有何|有没有|之间|区别"
    "|哪[一个些种年家所座部]?|何时|[是在了和与及或]|有(?=[哪多几什何])|[上中里内](?=的)"
)
_MONTHS = "january february march april may june july august september october november december"
# one group a line
_GROUPS = """
founded founder founding established establishment formed formation created incorporated registered 成立 创立 创办 创建 建立 设立 注册
proposed introduced presented developed invented devised designed authored 提出 发明 设计 提出者 开创
wrote written author authors writer writing 作者 撰写 著作 编写 执笔
born birth birthplace birthday 出生 生于 诞生 出生地 生日
died death dead deceased killed 去世 逝世 死亡 死于 卒于 病逝
located location situated lies place lie site 位于 坐落 地处 地点 位置
built constructed construction build erected completed 修建 建造 建成 建于 兴建
tested test tests evaluated evaluation benchmark benchmarks measured measurement 测试 评测 评估
composer composed composition music 作曲 谱曲
producer produced production manufactured manufacturer maker 制作 生产 制造
citizen citizenship nationality national 国籍 公民
lived living live resident residence resided home 居住 住在 定居
leader leads ruled ruler governed governor head chief charge 领导 统治 领导人 负责人
language languages spoken speak speaks 语言 讲
age aged old oldest older years-old 年龄 岁 高龄
profession occupation job career 职业 工作
fought battle war fighting 战斗 战役 作战
purpose purposes aim aims goal goals objective intended 目的 目标 旨在 宗旨
headquarters headquartered head-office based 总部
married wife husband spouse marriage wed 结婚 妻子 丈夫 配偶 娶 嫁
father mother parent parents son daughter child children 父亲 母亲 父母 儿子 女儿 子女 孩子
brother sister sibling siblings 兄弟 姐妹 哥哥 弟弟 姐姐 妹妹
acquired acquisition acquire bought purchased purchase takeover 收购 并购 购买
appointed appointment hired named joined succeeded successor replaced 任命 聘任 接任 就任 担任 出任
ceo chief-executive chief-executive-officer 首席执行官 总裁
resigned resignation stepped-down left quit 辞职 离职 卸任 辞去
published publication released release launched launch issued publisher appeared 发布 发表 出版 推出 上映 发行 面世
started began begin begins start beginning commenced opened onset 开始 始于 起始 开幕
ended finished end concluded closed ending 结束 终止 完结 闭幕
increased increase rose grew growth grown risen rise gain gained 增长 增加 上升 提高 提升
decreased decrease fell decline declined dropped reduced reduction lowered loss 下降 减少 降低 减小
cost costs price priced paid worth 花费 价格 成本 费用 售价
revenue revenues sales turnover income 收入 营收 营业额 销售额
employees staff workers workforce employed 员工 职工 雇员
population inhabitants residents 人口 居民
directed director filmmaker 导演 执导
performed performer singer sang recorded sung artist band 演唱 歌手 演出 表演
played starred actor actress role cast starring 饰演 主演 扮演 出演
won winner victory wins champion awarded award prize 获得 赢得 获奖 冠军 荣获
studied educated graduated attended alumnus degree 毕业 就读 学习 就学
member members belonged belongs membership 成员 属于 隶属
owner owned owns ownership parent-company subsidiary belongs 拥有 所有者 所属 旗下
caused cause causes because due reason reasons 原因 因为 由于 导致
treat treated treatment treatments therapy therapies 治疗 疗法 诊治
symptoms symptom signs sign presents manifestations 症状 体征 表现
diagnosed diagnosis diagnosing 诊断 确诊
convicted sentenced sentence guilty conviction imprisonment 判处 判决 有罪 被判 徒刑
sued lawsuit plaintiff defendant court filed litigation 起诉 诉讼 原告 被告
dataset datasets data-set data-sets corpus corpora 数据集 语料 语料库
score scores scored accuracy f1 points 得分 分数 成绩 准确率
size sizes large big 规模 大小
trained training train pretrained pre-trained pretraining 训练 预训练
complexity quadratic linear quadratically linearly 复杂度 平方 线性
advantage advantages benefit benefits strength strengths merit 优点 优势 好处
limitation limitations limits drawback weakness disadvantage disadvantages shortcomings 局限 缺点 不足 局限性 劣势
method methods approach approaches technique techniques 方法 做法 技术
nickname nicknamed alias called known named 称为 又称 别名 名为 俗称
consists comprises composed contains includes consist comprise 包括 包含 组成 构成
"""


@cache
def asking() -> frozenset[str]:
    """Return the terms that only ask or compare."""
    return frozenset(terms(_ASKING))


@cache
def light() -> frozenset[str]:
    """Return the terms that frame a question more than they tell what it is about."""
    return frozenset(terms(_LIGHT))


@cache
def months() -> frozenset[str]:
    """Return the terms for the months."""
    return frozenset(terms(_MONTHS))


@cache
def _groups() -> tuple[dict[str, frozenset[frozenset[str]]], dict[str, frozenset[frozenset[str]]]]:
    """Return what says the same: by term of an alphabet, and by Chinese word."""
    by_term: dict[str, frozenset[frozenset[str]]] = {}
    by_word: dict[str, frozenset[frozenset[str]]] = {}
    for line in _GROUPS.strip().splitlines():
        group = {word: frozenset(terms(word)) for word in line.split()}
        for word, own in group.items():
            others = frozenset(other for other in group.values() if other != own)
            if word.isascii():
                term = max(own, key=lambda term: (len(term), term))
                by_term[term] = others | by_term.get(term, frozenset())
            else:
                by_word[word] = others | by_word.get(word, frozenset())
    return by_term, by_word


def kindred(term: str) -> frozenset[frozenset[str]]:
    """Return what would say the same as this term of an alphabet: each the terms that must stand together."""
    return _groups()[0].get(term, frozenset())


def chinese_kindred(text: str) -> list[tuple[int, int, frozenset[frozenset[str]]]]:
    """Return where Chinese words stand in the text that others say the same as, with those."""
    if text.isascii():
        return []
    found = ((text.find(word), word, others) for word, others in _groups()[1].items())
    return [(place, place + len(word), others) for place, word, others in found if place >= 0]
