"""Small talk and empty questions, in English and Chinese: what needs no retrieval. Only what is nothing else counts.

"Thanks" is thanks; "Thanks to whom was X built?" is a question. So a text is read from phrase to phrase, and the first word that belongs
to none makes it a question.
"""

import re
import unicodedata
from typing import Literal

Talk = Literal["greeting", "thanks", "farewell", "empty", "about us"]
_LONGEST = 120  # characters; more than that is no small talk
_SIGNS = re.compile(r"[\W_]+")
_ABOUT_US = (
    "who are you|what are you|what is your name|what ?s your name|what can you do|what do you do|how do you work"
    "|are you (?:a |an )?(?:human|robot|bot|ai|machine)"
    "|who (?:made|built|created) you|introduce yourself|tell me about yourself|(?:what|who) is scholarmind"
    "|(?:can you |how can you )?help(?: me)?"
    "|你是谁|你是什么|你叫什么(?:名字)?|你(?:能|会|可以)(?:做|干)(?:什么|些什么|啥)|你会什么|你是(?:机器人"
    "|人工智能|ai)吗?|(?:请)?介绍一下(?:你)?自己|自我介绍|谁(?:创造|开发|制造)了?你"
)
_THANKS = (
    "(?:many |big )?thanks|thank (?:you|u)|thx|ty|tysm|cheers|much appreciated|i appreciate (?:it|that)|appreciated"
    "|谢谢|多谢|感谢|谢啦|谢了|辛苦了?"
)
_FAREWELL = (
    "good ?bye|bye(?: ?bye)?|good ?night|see (?:you|ya)(?: (?:later|soon|tomorrow))?|farewell|take care|cya"
    "|have a (?:good|nice|great) (?:day|one|evening|weekend)"
    "|再见|拜拜|晚安|回头见|明天见|下次见"
)
_GREETING = (
    "hi+|hey+|hello+|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening|day)"
    "|how are you(?: doing)?(?: today)?|how ?s it going|how is it going"
    "|what ?s up|what is up|sup|nice to meet you|你好吗?|您好|嗨|哈喽|哈啰|早上好|早安|上午好|中午好|下午好"
    "|晚上好|在吗|在不在|最近好吗|最近怎么样"
)
_SOFTENER = (
    "so|very|much|a lot|a bunch|really|again|everyone|everybody|all|there|guys|folks|my friend|friend|buddy|dear"
    "|scholarmind|please|well|ok|okay|oh|ah|um|now|and|you"
    "|for (?:everything|(?:your |the )?(?:help|answers?)|that|this|now)|that was|that is|that ?s|it was|this is"
    "|great|perfect|cool|nice|awesome|good|very helpful|helpful|got it|understood|sure"
    "|非常|十分|太|啊|呀|哦|噢|嗯|哈|啦|了|哟|呢|您|你们?|大家|各位|老师|同学|朋友|的?帮助|好的|好吧|真的?|很"
)
_REPLIES = frozenset(
    "ok okay yes no sure fine great cool nice alright 好 好的 嗯 是 是的 不 不是 可以 知道了 明白 明白了 收到".split()
)


def _phrase(phrases: str) -> re.Pattern[str]:
    return re.compile(rf" ?(?:{phrases})(?![a-z0-9])")


_PHRASES: tuple[tuple[Talk | None, re.Pattern[str]], ...] = (
    ("about us", _phrase(_ABOUT_US)),
    ("thanks", _phrase(_THANKS)),
    ("farewell", _phrase(_FAREWELL)),
    ("greeting", _phrase(_GREETING)),
    (None, _phrase(_SOFTENER)),
)
_RANK: tuple[Talk, ...] = ("about us", "thanks", "farewell", "greeting")  # "hello, who are you?" asks about us


def small_talk(question: str) -> Talk | None:
    """Return which kind of talk a text is, or None for everything that may be a question."""
    if not any(map(str.isalnum, question)):
        return "empty"
    if len(question.strip()) > _LONGEST:
        return None
    folded = unicodedata.normalize("NFKC", question.strip()).lower()
    words = _SIGNS.sub(" ", folded).strip()
    return "empty" if words in _REPLIES else _talk_of(words)


def _talk_of(words: str) -> Talk | None:
    """Read phrase after phrase, the longest first, to the end; the weightiest kind that was met names the whole."""
    met: set[Talk | None] = set()
    place = 0
    while place < len(words):
        ends: list[tuple[int, Talk | None]] = [
            (match.end(), talk) for talk, phrase in _PHRASES if (match := phrase.match(words, place))
        ]
        if not ends:
            return None
        place = max(end for end, _ in ends)
        met.add(next(talk for end, talk in ends if end == place))
    return next((talk for talk in _RANK if talk in met), None)
