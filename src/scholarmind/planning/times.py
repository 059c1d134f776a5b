"""Times that restrict a question: years, ranges, `in the last five years`, 近三年."""

import re

from scholarmind.text.language import lazy_regex

_NUMBER = r"(?:\d{1,2}|one|two|three|four|five|six|seven|eight|nine|ten|few|several|couple of)"
ENGLISH_TIME = lazy_regex(
    rf"\b(?:(?:in|over|during|within|for)\s+)?(?:the\s+)?(?:last|past|previous|recent)\s+{_NUMBER}?\s*(?:years?"
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
    match = CHINESE_TIME.search(text) or ENGLISH_TIME.search(text)
    return match[0].strip() if match else ""
