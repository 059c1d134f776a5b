"""Which words of a structured question say which relation, in English and Chinese, the plainest first."""

import re

from scholarmind.planning.structured_words import Said
from scholarmind.relations import Relation

_ENGLISH: tuple[tuple[Relation, str], ...] = (
    (
        "IMPROVES_ON",
        (
            r"\b(?:improv(?:e[sd]?|ing)(?: (?:up)?on)?|improvements? (?:to|of|on|over)|build(?:s"
            r"|ing)? (?:up)?on|built (?:up)?on|based (?:up)?on"
            r"|extend(?:s|ed|ing)?|extensions? (?:to|of)|outperform(?:s|ed|ing)?|deriv(?:es?|ed) from"
            r"|descend(?:s|ed)? from|refin(?:es?|ed|ing)"
            r"|successors? (?:to|of)|variants? of|surpass(?:es|ed)?|beats?)\b"
        ),
    ),
    (
        "EVALUATED_ON",
        (
            r"\b(?:evaluat(?:e[sd]?|ing|ions?)(?: on| with)?|tested(?: on| with)?|benchmarked(?: on)?"
            r"|measured(?: on)?|experiments? (?:on|with)|tried on"
            r"|report(?:s|ed|ing)? (?:a |any |the )?(?:\w+ )?(?:results?|numbers?|scores?|values?)(?: on| for)?"
            r"|reported (?:on|for))\b"
        ),
    ),
    ("CITES", r"\b(?:cit(?:es?|ed|ing)(?: by)?|citations?|references?|refers? to)\b"),
    (
        "AUTHORED_BY",
        (
            r"\b(?:wrote|writes?|written(?: by)?|(?:co-?)?author(?:ed)?(?: by)?|(?:are|is|were) by|papers? by"
            r"|(?:articles?|publications?|works?) (?:by|of))\b"
        ),
    ),
    ("PUBLISHED_IN", r"\b(?:published (?:at|in)|appear(?:s|ed)? (?:at|in)|presented at|accepted (?:at|by))\b"),
    (
        "PROPOSES",
        (
            r"\b(?:propos(?:es?|ed|ing)(?: by)?|introduc(?:es?|ed|ing)(?: by)?|present(?:s|ed)?(?: by)?"
            r"|develop(?:s|ed)?(?: by)?|created?(?: by)?"
            r"|invent(?:s|ed)?(?: by)?|devised(?: by)?)\b"
        ),
    ),
    (
        "USES",
        (
            r"\b(?:use[sd]?(?: by)?|using|employ(?:s|ed|ing)?|adopt(?:s|ed|ing)?|appl(?:y|ies|ied) to|rel(?:y"
            r"|ies|ied) on|(?:pre-?)?train(?:ed)?(?: on| with)?"
            r"|fine-?tuned(?: on| with)?)\b"
        ),
    ),
    ("AFFILIATED_WITH", r"\b(?:affiliat\w+(?: with)?|com(?:es?|ing) from|came from|behind)\b"),
    ("ADDRESSES", r"\b(?:address(?:es|ed)?|tackl(?:es?|ed)|solv(?:es?|ed)|deal(?:s|t)? with)\b"),
    ("PUBLISHED_IN", r"\b(?:publish(?:es|ed)?(?: by)?|appear(?:s|ed)?)\b"),
)
_CHINESE: tuple[tuple[Relation, str], ...] = (
    ("IMPROVES_ON", r"改进|改良|优化|扩展|基于|建立在|基础上|之上|超过|优于|胜过|衍生|源自|为基础|借鉴|延伸"),
    ("EVALUATED_ON", r"评测|评估|测试(?!集)|验证|实验|报告了?(?:过)?(?:结果|数字|成绩|得分)|(?:结果|成绩|得分)"),
    ("CITES", r"引用|参考|援引"),
    ("PUBLISHED_IN", r"发表[于在]|刊登|收录|刊于|会议|期刊"),
    ("AUTHORED_BY", r"写|撰写|作者|参与|发表|署名|合著|著"),
    ("PROPOSES", r"提出|发明|推出|引入|首创|开发|设计"),
    ("USES", r"使用|采用|运用|应用|利用|用[了过到的]|所用|训练|微调|依赖"),
    ("AFFILIATED_WITH", r"来自|隶属|出自|所属|机构"),
    ("ADDRESSES", r"解决|处理|面向|针对"),
)


def _compiled(said: tuple[tuple[Relation, str], ...]) -> Said:
    return tuple((relation, re.compile(pattern, re.IGNORECASE)) for relation, pattern in said)


ENGLISH_SAYS = _compiled(_ENGLISH)
CHINESE_SAYS = _compiled(_CHINESE)
