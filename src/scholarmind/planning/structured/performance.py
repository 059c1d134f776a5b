"""What asks how good one thing is, on whatever it was tried: its name is what the groups hold, in English and Chinese."""

import re

from scholarmind.text.language import lazy_regex

_GAINS = r"(?:improvements?|gains?|increases?|boosts?)"
_BRINGS = r"(?:report|reach|achieve|obtain|get|have|show|bring)"
ENGLISH_PERFORMANCE = lazy_regex(
    r"^how (?:much|well) (?:do|does|did|has|have|can) (?P<of>\S.{0,60}?) (?:improved?|increased?|boost(?:ed)?|raised?) "
    r"(?:the |its |their )?(?:performance|results|scores|accuracy)(?: by)?$"
    r"|^how (?:well )?(?:do|does|did) (?P<of2>\S.{0,60}?) perform$"
    rf"|^what (?:is|are|was|were) (?:the )?(?:reported )?(?:performance(?: {_GAINS})?|results|scores|{_GAINS} in performance) "
    r"(?:of|for|from) (?P<of3>\S.{0,60})$"
    rf"|^what (?:is|are|was|were) (?P<of4>\S.{{0,60}}?)['’]s? (?:performance(?: {_GAINS})?|results|scores)$"
    rf"|^(?:what|which) (?:results|scores|performance(?: {_GAINS})?) (?:do|does|did) (?P<of5>\S.{{0,60}}?) {_BRINGS}$"
    rf"|^how much (?:performance )?{_GAINS} (?:in performance )?(?:do|does|did) (?P<of6>\S.{{0,60}}?) {_BRINGS}$",
    re.IGNORECASE,
)
_PERFORMS = r"(?:性能|效果|表现|结果|成绩|得分|指标)"
_GAINED = r"(?:提升|提高|改进|改善|增益|增长)"
CHINESE_PERFORMANCE = lazy_regex(
    rf"^(?P<of>\S.{{0,40}}?)\s?(?:各自|分别)?(?:的|将|把|使|对)?\s?{_PERFORMS}(?:的)?(?:{_GAINED})?(?:幅度)?(?:了|是|有|为|上)?"
    rf"(?:{_GAINED}了?)?(?:多少|如何|怎样|怎么样|多大|什么|哪些)$"
    rf"|^(?P<of2>\S.{{0,40}}?)\s?(?:各自|分别)?(?:报告|取得|达到|获得|带来)了?(?:哪些|什么样?的?|怎样的|多少|多大的?|何种)的?{_PERFORMS}(?:{_GAINED})?$"
    rf"|^(?P<of3>\S.{{0,40}}?)\s?(?:各自|分别)?{_GAINED}了(?:多少|多大)的?{_PERFORMS}$",
)
