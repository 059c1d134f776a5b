"""Cues, English and Chinese: words by which sentences say what a number is, whose it is, and how it stands to others. Pure data.

The words by which one method is said to build on, beat or use another are in `english_cues` and `chinese_cues`, which have the same names.
"""

import re
from dataclasses import dataclass

from scholarmind.relations import Relation

# -- what a cue is, whichever language it is for


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that stand between a subject and its objects, and the relation that they tell."""

    relation: Relation
    pattern: re.Pattern[str]


# -- numbers, negations, settings

# before a number: what makes it a score ("scores 79.5", "accuracy of 86.7%", "为88.5")
SCORED = re.compile(
    r"(?:\b(?:scor(?:es?|ed)|reach(?:es|ed)?|obtain(?:s|ed)?|achiev(?:es?|ed)|attain(?:s|ed)?|averag(?:es?|ed)|had|has|have|gets?|got"
    r"|gain(?:s|ed)|solv(?:es?|ed)|gives?|gave|stands?[ ]at|stood[ ]at|moves?[ ]to|stays?[ ]at|reports?|yield(?:s|ed)|hits?|sets?|at|was"
    r"|is|were|are|to|of|with|records?|recorded|dropped[ ]to|drops[ ]to|fell[ ]to|falls[ ]to|remains?[ ]at|and)"
    r"|[=:]|为|是|达到?|得到?|取得|获得|约|有|升至|降至|提高到|平均|只有|达|以)"
    r"[ ]*(?:(?:an?|the|only|about|around|roughly|nearly|up[ ]to|over|just|still|as[ ]high[ ]as|stops?[ ]near)[ ])*(?:了|约|只有)?$"
)

# before a number: it tells a difference, a bound or a count
DIFFERENCE = re.compile(
    r"(?:\b(?:by|more[ ]than|less[ ]than|another|loses?|lost|gains?[ ]of|gains?|gained|costs?|improvement[ ]of|adds?|almost|a[ ]factor[ ]of"
    r"|drop[ ]of|within|between|margin[ ]of|up[ ]by|down[ ]by|rank)|提升|提高|高出|高|下降|降低|增加|减少|超出|领先|约降)[ ]*"
    r"(?:(?:about|around|almost|some|up[ ]to|an?[ ]absolute)[ ]|了|约)*$"
)

# after a metric that follows a number: the number is a difference ("2.6 BLEU points above")
COUNTED = re.compile(r"[ ]points?\b|[ ](?:higher|lower|better|worse|above|below|more|less)\b")

# what may follow a number that is a score; anything else is what the number counts
MAY_FOLLOW = re.compile(
    r"$|[ ]?[,.;:()（），。；、\]”\"’]|\s*\n|[ ](?:on|for|in|as|of|and|against|with|at|when|by|to|over|after|than|versus|vs|while"
    r"|whereas|but|where|compared|zero-shot|one-shot|few-shot|from|stays?|is|was|remains?|under|using|without|if"
    r"|above|below|here|there|across|or|each|respectively|test)\b"
    r"|[ ]?(?:±|\+/-)|[ ]?(?:分|个?百分点)?(?:和|与|及|而|但|，|以|略|低于|高于|优于)"
)

SHARE = re.compile(r"[ ]?of[ ]")  # "60% of the mix"
# between the number before and this one: it is somebody else's
OTHERS = re.compile(
    r"\b(?:against|compared|versus|vs|than|above|below|behind|where|while|whereas|earlier|previous|human|baseline|prints|rounds|within)\b"
    r"|低于|高于|优于|超过|此前|之前"
)

SOMEBODY = re.compile(
    r"(?:[ ][\w-]+){0,2}[ ](?:for|of)[ ](?:the|a|an|its)[ ](?:\w+[ -])*(?:state|best|earlier|previous|baseline|human|system)"
)

NO_SUBJECT = re.compile(r"[ ](?:paper|authors?|team|tasks?)\b|['’]s[ ](?:authors?|paper)\b|论文|作者")
NOT_SUBJECT = re.compile(
    r"\b(?:from|like|as|than|over|against|by|first|any|such)[ ](?:(?:a|an|the|public|original)[ ])?$"
)

# after a number: whose it is ("72.8 for GPT", "the 81.9 of Longformer", "89.5% with full fine-tuning")
OWNER = re.compile(
    r"^[ ](?:for|of|by|with|from)[ ](?:(?:an?|the|their|its|our|best|original|fine-tuned|plain|base|big|earlier)[ ])*$"
)

ON = re.compile(r"[ ]?(?:points?[ ])?\(?(?:on|in|for)[ ](?:[a-z-]+[ ]|(?:English|Chinese)[ ]){0,6}$")
LEAD = re.compile(
    r"(?:\b(?:[Oo]n|[Ff]or|[Ii]n|[Oo]ver|[Ww]ith|[Oo]f)[ ](?:[\w.,'%-]+[ ]){0,9}|(?:在|于|对)[^，。；]{0,24})$"
)

TRAINED = re.compile(
    r"(?:[Tt]rain(?:ed|ing)|developed|tuned|tuning|updates|used|uses|using|ensemble[ ]of|data)[ ](?:only[ ])?(?:on|with|in|from)?[ ]?"
    r"(?:[\w.,'-]+[ ]){0,4}$|(?:训练|微调|预训练)[^，。；]{0,6}$"
)

# a sentence that denies, or only supposes
NEGATION = re.compile(
    r"\b(?:not|no|never|neither|nor|without|cannot|can't|n't|fails?[ ]to|failed[ ]to|unable|rather[ ]than|instead[ ]of|hardly|would|could"
    r"|unlike|NO|leaves?[ ]out|left[ ]out|removes?|removed|dropp?ed|drops)\b|n't\b|不|没有|未|无法|并非|而非|取消|去掉|无需|不必|而不是"
)

SETTINGS = re.compile(
    r"\b(?:(?:hidden[ ])?(?:test|development|dev|validation)[ ](?:sets?|server|split)|official[ ]leaderboard|leaderboard|validation"
    r"|single[ ]model|ensemble|zero-shot|one-shot|few-shot|\d+-shot|closed-book|open-book|matched|mismatched|fine-tuned|average(?=[ ]of))\b"
    r"|测试集|验证集|开发集|单模型|集成|零样本|少样本|基座模型|对话模型|消融"
)
