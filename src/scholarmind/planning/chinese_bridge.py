"""Descriptions in Chinese that must be found out first: `提出LoRA的论文的作者在哪里工作` becomes a chain."""

import re

from scholarmind.planning.chinese import ORDER, body
from scholarmind.planning.draft import Draft, reference
from scholarmind.planning.protected import Line
from scholarmind.planning.words import CHINESE_QUESTION, content, is_person, question, trimmed
from scholarmind.text.patterns import lazy_regex

_NOUNS = (
    "论文|文章|方法|模型|机构|公司|团队|研究组|数据集|会议|算法|框架|系统|架构|语料库?|基准|书|小说|电影|影片|电视剧|歌曲|专辑|乐队|国家|城市|省份?|地区|大学|学校|"
    "学院|组织|球队|俱乐部|项目|理论|技术|产品|游戏|期刊|杂志|报纸|战争|战役|条约|河流|岛屿|人物|角色|运动员|人"
)
_ROLES = (
    "作者|导演|创始人|创办人|妻子|丈夫|父亲|母亲|儿子|女儿|兄弟|姐妹|哥哥|弟弟|姐姐|妹妹|老师|导师|学生|总统|主席|校长|教练|主演|歌手|演唱者|作曲家?|作词人?|编剧|制片人|"
    "发明者|发明人|提出者|出生地|故乡|家乡|首都|省会|总部|母校|国籍|母公司|子公司|第一作者|通讯作者|前身|继任者|前任|出版社|出版商|开发商|开发者|所在地|所在国|队长|院长|创立者|设计师|主编|配偶|祖国"
)
_NOUN = lazy_regex(rf"的(?P<noun>(?P<role>{_ROLES})|(?:第一[篇个部本])?(?:{_NOUNS}))")
_VERB = lazy_regex(
    r"提出|发表|使用|采用|基于|引用|获得|撰写|执导|创立|创办|训练|发明|设计|主演|出版|开发|制作|发布|举办|写|出生|位于|所在|毕业|去世|居住|任教|工作|成立|创建|领导|打败|击败|收购|演唱|"
    r"拍摄|建立|统治|发现|介绍|依赖|评测|包含|属于|担任|效力|参加|签署|生产|推出|所用|所属|流经|接壤|比较|改进"
)
_TRIVIAL = lazy_regex(
    r"^(?:都|分别|具体|又|一共|究竟|到底)?(?:是|叫|为|有|名叫|名字是|指的?是)?(?:谁|什么|哪一?[些个位种篇家里]?(?:国家|人|地方|城市|年|公司|机构|学校|大学)?|多少"
    r"|几[个位种篇])?(?:名字|人|呢|吗|啊|？)*$"
)


def bridge(line: Line) -> list[Draft]:
    """Return the question for the outermost description and the one that waits for it, or nothing."""
    cut = body(line)
    for match in reversed(list(_NOUN.finditer(cut.mask))):
        inner, rest = cut.text[: match.end()], cut.text[match.end() :]
        left = cut.mask[: match.start()]
        if (
            "，" in left
            or CHINESE_QUESTION.search(left)
            or not trimmed(left)
            or not (match["role"] or _VERB.search(left))
        ):
            continue
        if (
            _TRIVIAL.match(rest)
            or rest[:1] in "类、和与及或以"
            or not content(re.sub(r"^的", "", rest))
            or len(content(cut.text[: match.start()])) < 1
        ):
            continue
        order = ORDER.match(inner)
        lead = inner[: order.end()] if order else ""
        described = trimmed(inner[len(lead) :])
        who = "谁" if is_person(match["noun"]) else "什么"
        return [
            Draft(text=f"{described}是{who}？", aspect=match["noun"], topics=(described,)),
            Draft(text=question(f"{lead}{reference(0)}{rest}"), after=(0,)),
        ]
    return []
