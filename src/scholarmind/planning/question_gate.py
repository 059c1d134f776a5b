"""The gate: whether a question asks anything of documents, one thing or several, and what kind of search it needs.

A few plain signs in its words, then a reader's word, then, for free, the passages of the first look. It leans to `composite`: a wrong
split costs milliseconds, a missed one costs the answer.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind import languages
from scholarmind.model import Evidence, Name
from scholarmind.plan import Complexity, Kind, Plan
from scholarmind.ports import QuestionReader
from scholarmind.text.analysis import terms
from scholarmind.text.language import HAN, lazy_regex

# -- small talk: only what is nothing else counts. "Thanks" is thanks, "Thanks to whom was X built?" is a question: a text is read from
# phrase to phrase, and the first word that belongs to none makes it a question

Talk = Literal["greeting", "thanks", "farewell", "empty", "about us"]
_LONGEST_TALK = 120  # characters; more than that is no small talk
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

_TALK_RANK: tuple[Talk, ...] = ("about us", "thanks", "farewell", "greeting")  # "hello, who are you?" asks about us


def small_talk(question: str) -> Talk | None:
    """Return which kind of talk a text is, or None for everything that may be a question."""
    if not any(map(str.isalnum, question)):
        return "empty"
    if len(question.strip()) > _LONGEST_TALK:
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
    return next((talk for talk in _TALK_RANK if talk in met), None)


# -- kinds of search: facts, reasons and relations, or an overview

_ASKS_FOR_OVERVIEW = re.compile(
    r"\b(?:overviews?|surveys? (?:of|the)|literature surveys?|summary|summaries|summari[sz]e|(?:main|major|key|important|recent|latest"
    r"|notable)\s+(?:\w+\s+)?(?:improvements?|themes?|trends?|developments?|advances?|"
    r"contributions?|findings|approaches|directions?|challenges|ideas|topics|methods|research)|trends?|landscape"
    r"|state[- ]of[- ]the[- ]art|sota|literature|history of|evolution of|"
    r"how (?:has|have) .{1,80} (?:evolved|changed|developed)|across (?:all|the) (?:papers?|documents?|corpus"
    r"|library)|leading (?:approaches|methods|techniques)|"
    r"how (?:has|have) .{1,80} (?:shifted|moved)|(?:what(?:['’]s| is| are)|anything) (?:still )?(?:missing|lacking)"
    r"|(?:research|open) (?:gaps?|questions)"
    r"|themes? of|lines? of (?:research|work)"
    r"|what (?:is|are) .{1,40} (?:library|collection|papers) about|what .{1,40} (?:library|collection|papers) (?:is|are) about|"
    r"best practices|open problems|future directions|what is known about)\b"
    r"|综述|总结|概述|概括|概览|整体|趋势|主要(?:有哪些)?(?:的)?(?:改进|进展|观点|贡献|方法|方向|挑战|研究)|哪些(?:主要|重要|关键)|研究现状|现状|发展历程|演变|演进|进展|最佳实践"
    r"|发展方向|新?动向|走向|还缺|欠缺|空白|主要(?:讲|说|研究)|研究方向",
    re.IGNORECASE,
)

_ASKS_FOR_ONE_THING = re.compile(
    r"\b(?:how (?:many|much|long|often|old|far)|when|who|whom|where|(?:in|on|with|by|at|for) which|what (?:share|number|year|percentage))\b"
    r"|多少|何时|什么时候|哪一?年|几[年月个]|谁|哪里",
    re.IGNORECASE,
)
_ASKS_FOR_REASONS = re.compile(
    r"\b(?:why|how (?:do|does|did|is|are|can|could|would|was|were)|explain|reasons?|because|causes?|caused"
    r"|consequences?|relat(?:e|es|ed|ion|ions|ionship)|influences?|impacts?|affects?|effects?|"
    r"lead to|led to|differ|differences?|compare|compared|comparison|versus|vs\.?|trade-?offs?|co-?authors?"
    r"|cite[sd]?|depends?|role of|improves? on|contribut(?:e|es|ed))\b"
    r"|为什么|为何|原因|如何|怎么|怎样|影响|关系|导致|区别|差异|不同|比较|对比|异同|优劣|原理|引用|合作|后果|作用|改进了|解释",
    re.IGNORECASE,
)

_ASKS_FOR_FACTS = re.compile(
    r"^(?:how (?:do|does|did) .{1,80} perform\b)|^how (?:is|was) .{1,60} (?:called|spelled|known)|(?:表现|性能|大小)如何",
    re.IGNORECASE,
)


def kind_of(text: str) -> Kind:
    """Return the kind of a question."""
    if _ASKS_FOR_OVERVIEW.search(text) and not _ASKS_FOR_ONE_THING.search(text):
        return "global"
    return "reasoning" if _ASKS_FOR_REASONS.search(text) and not _ASKS_FOR_FACTS.search(text) else "factual"


# -- the question as signs are looked for in it: lower case, names and quotes as `@`, idioms out of the way

_LONGEST = 2000  # characters; what is longer is composite anyway
_QUOTES = lazy_regex(r"“[^”]{1,200}”|「[^」]{1,200}」|『[^』]{1,200}』|《[^》]{1,200}》|‘[^’]{1,200}’|\"[^\"]{1,200}\"")
_SINGLE_QUOTES = lazy_regex(r"(?<![\w'])'[^']{1,120}'(?!\w)")
_IDIOMS = lazy_regex(
    r"\b(?:search and rescue|pros and cons|trial and error|supply and demand|research and development|retrieval and generation"
    r"|question and answer|question and answering|black and white|rock and roll|law and order|health and safety|terms and conditions"
    r"|advantages and disadvantages|strengths and weaknesses|checks and balances"
    r"|divide and conquer|command and control|rules and regulations"
    r"|nuts and bolts|back and forth|up and down|again and again"
    r"|more and more|one and only|odds and ends|profit and loss|mergers and acquisitions"
    r"|cause and effect|signal and noise|salt and pepper|bed and breakfast|track and field|arts and crafts|men and women"
    r"|first and last|north and south|east and west|day and night|husband and wife|life and death|war and peace|yes or no|more or less"
    r"|how and why|when and where|where and when|both sides|sooner or later|and so on|and so forth|and others|such and such"
    r"|greenhouse effect|side effects?|special effects?|sound effects?|domino effect|butterfly effect|placebo effect)\b",
    re.IGNORECASE,
)

_CHINESE_IDIOMS = lazy_regex(
    "优缺点|供求关系|国际关系|公共关系|人际关系|检索增强生成|搜索与救援|搜救|利与弊|与此同时|同时代|同时期|影响因子|影响力"
)

_FUNCTION = (
    "A|An|The|In|On|At|By|For|From|To|Of|With|As|And|Or|But|If|What|Who|Whom|Whose|Which|When|Where|Why|How|Is|Are|Was|Were|Do|Does|Did|Has|Have"
    "|Had|Can|Could|Will|Would|Should|May|Might|Name|List|Give|Tell|Explain|Describe|Compare|Discuss|Summarize|Summarise|Besides|After|Before"
    "|Between|During|Both|Under|Since|Until|According|Along|There|This|That|These|Those|It|He|She|They|His|Her|Their|Its|My|I|You|We|Please"
)

_LETTER = "A-Za-z0-9\u00c0-\u024f"
_WORD = rf"(?!(?:{_FUNCTION})\b)[A-Z0-9\u00c0-\u00de][{_LETTER}]*(?:[.&’'\-/](?!s\b)[{_LETTER}]+)*\.?(?![{_LETTER}])"
_BETWEEN = r"\s(?:(?:of|the|de|del|von|van|der|la|le|ap|&)\s(?:the\s)?)?"
_NAMES = lazy_regex(rf"(?<![{_LETTER}])(?=[A-Z\u00c0-\u00de]|\d+[A-Z-]){_WORD}(?:{_BETWEEN}{_WORD})*")
_NAME_OF = lazy_regex(r"\bthe (?:full |real |official )?names? (?:of|for) (?=an?\b|the\b)")  # asks for the thing itself
_SPACES = lazy_regex(r"\s+")
_LATIN = lazy_regex("[A-Za-z]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class GateText:
    """`plain`: lower case with quotes and idioms taken out; `masked`: the same with every name as `@`."""

    plain: str
    masked: str
    chinese: bool


def gate_text(question: str, names: Sequence[Name] = ()) -> GateText:
    """Return the question without what may look like a cue and is none."""
    # put a word for each name of the library, so that `Attention and Memory` is not taken for two things
    pieces: list[str] = []
    end = 0
    for name in sorted(names, key=lambda name: name.start):
        if name.start >= end and name.end <= len(question):
            pieces += (question[end : name.start], "Quoted")
            end = name.end
    text = "".join((*pieces, question[end:]))[:_LONGEST]
    text = _QUOTES.sub(" Quoted ", text)
    text = _SINGLE_QUOTES.sub(" Quoted ", text)
    text = _CHINESE_IDIOMS.sub("成语", _IDIOMS.sub("idiom", text))
    text = _SPACES.sub(" ", text).strip()
    cased = sum(map(str.isupper, text)) <= len(text) / 3
    masked = _NAMES.sub("@", text) if cased else text
    # whether a question is mostly written in Chinese: a Latin word weighs as much as two characters
    return GateText(
        plain=text.lower(),
        masked=_NAME_OF.sub("", masked.lower()),
        chinese=len(HAN.findall(text)) > 2 * len(_LATIN.findall(text)),
    )


# -- the second look, once the first retrieval is there: does one passage cover the question, or does another one add what it lacks?
# Measured on questions whose words show nothing: what a second passage adds tells two-hop questions from single-hop ones with an area
# under the curve of .83 to .90

_LOOKED_AT = 10  # passages
_ADDED_WORTH = 1.0  # another passage adds more than the rarest word of the question is worth: it is about something else that is asked for
_ADDED_LEAST = 4.5  # ... and more than this by itself: in a tiny library every word is rare
_COVERED = 0.97  # one passage has as good as every word of the question
_READ = 4_000  # characters of a passage that are read: many times its usual length


@dataclass(frozen=True, slots=True, kw_only=True)
class SecondLook:
    """What the first passages say of the question. Shares are of the worth (the rarity) of its words."""

    verdict: Literal["composite", "simple"] | None
    reason: str
    best: float = 0.0  # share covered by the passage that covers most
    union: float = 0.0  # share covered by all of them together
    added: float = 0.0  # what another passage adds, in rarest words of the question
    gap: float = 0.0  # between the scores of the first two
    missing: tuple[str, ...] = ()  # names that the best passage does not hold


def second_look(
    question: str, names: Sequence[Name], evidence: Sequence[Evidence], rarity: Mapping[str, float]
) -> SecondLook:
    """Judge a question by its first evidence; `rarity` is that of its terms, which the library's lexicon knows."""
    worth = {term: max(0.0, rarity.get(term, 0.0)) for term in terms(question)}
    total = sum(worth.values())
    if not evidence or not total:
        return SecondLook(verdict=None, reason="nothing to look at")
    holds = [_terms_of(found) & worth.keys() for found in evidence[:_LOOKED_AT]]
    sums = [sum(worth[term] for term in held) for held in holds]
    first = max(range(len(holds)), key=sums.__getitem__)
    added = max(sum(worth[term] for term in held - holds[first]) for held in holds)
    best = sums[first] / total
    relative = added / max(1.0, *worth.values())
    missing = tuple(dict.fromkeys(name.text for name in names if not set(terms(name.text)) <= holds[first]))
    verdict, reason = _verdict(best, relative, added, missing)
    scores = sorted((found.scores.fused for found in evidence), reverse=True)
    return SecondLook(
        verdict=verdict,
        reason=reason,
        best=round(best, 3),
        union=round(sum(worth[term] for term in set[str]().union(*holds)) / total, 3),
        added=round(relative, 3),
        gap=round(scores[0] - scores[1] if len(scores) > 1 else 0.0, 3),
        missing=missing,
    )


def _verdict(
    best: float, relative: float, added: float, missing: tuple[str, ...]
) -> tuple[Literal["composite", "simple"] | None, str]:
    if relative > _ADDED_WORTH and added > _ADDED_LEAST:
        lacking = f"{missing[0]!r}, which" if missing else "rare words of the question that"
        return "composite", f"another passage has {lacking} the best one lacks"
    if best >= _COVERED and not missing:
        return "simple", "one passage has every word of the question that counts"
    return None, "the first passages do not tell"


def _terms_of(found: Evidence) -> set[str]:
    return set(terms(f"{found.document.title}\n{found.passage.text[:_READ]}"))


# -- one thing or several

_COMPOSITE_PROBABILITY = 0.5
SURE_SIMPLE_PROBABILITY = (
    0.05  # below this a sign of several things, or a plan of several parts, is taken for a mistake
)

_SIGNED = 0.95  # chance that a question with a sign of several things is composite
_UNSIGNED = 0.3  # ... and one without, where no reader says more
_SEVERAL_QUESTIONS = re.compile(
    r"[?？]\s*\S[^?？]{3,400}[?？]|[;；]\s*\S"
    r"|(?:^|\s)(?:1[.、)）]|\(1\)|（1）|①)\s?\S.{1,400}(?:2[.、)）]|\(2\)|（2）|②)"
)

_FOUND = "found: "
_JOINTS = frozenset(
    ("several questions", "several clauses", "comparison", "effect")
)  # of a question, at which rules cut it without a doubt

_POINTS = "a word that points back"
_ASKS_FOR_A_NAME = re.compile(r"\b(?:who|whom|whose|which|what)\b|[谁哪]|什么", re.IGNORECASE)
_SIGN_LABELS = {
    "second_request": "a second request",
    "comparison": "a comparison",
    "effect": "an effect or a relation",
    "several_entities": "several entities or aspects",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateJudgement:
    """What the gate says of a question; `probability` is the chance that it is composite, `decided_by` who says so."""

    complexity: Complexity
    probability: float
    reason: str
    decided_by: Literal["rules", "classifier"] = "rules"

    @property
    def is_sure(self) -> bool:
        """Tell whether a sign in the words settles that it is composite."""
        return self.complexity == "composite" and self.decided_by == "rules"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionGate:
    """Judges questions. Without a `reader`, or where it cannot read a question, the signs decide alone."""

    reader: QuestionReader | None = None

    def judge(self, question: str, names: Sequence[Name] = ()) -> GateJudgement:
        """Judge a question by its words; `names` are what the library knows in it, and protected."""
        signs = judge(question, names)
        if self.reader is None or signs.probability in {0.0, 1.0}:
            return signs
        probability = self.reader.composite(question)
        if probability is None or (signs.is_sure and probability >= SURE_SIMPLE_PROBABILITY):
            return signs
        if probability >= _COMPOSITE_PROBABILITY:
            reason = "reads like a question that takes several look-ups"
            return GateJudgement(
                complexity="composite", probability=probability, reason=reason, decided_by="classifier"
            )
        reason = "reads like one question about one thing"
        return GateJudgement(complexity="simple", probability=probability, reason=reason, decided_by="classifier")


def judge(question: str, names: Sequence[Name] = ()) -> GateJudgement:
    """Judge a question by the signs in its words alone, far under a millisecond."""
    if small_talk(question):
        return GateJudgement(complexity="simple", probability=0.0, reason="nothing is asked of documents")
    if len(question) > _LONGEST:
        reason = f"longer than {_LONGEST} characters"
        return GateJudgement(complexity="composite", probability=1.0, reason=reason)
    text = gate_text(question, names)
    language = languages.language("zh" if text.chinese else "en")
    shown = ["several questions"] if _SEVERAL_QUESTIONS.search(text.masked) else []
    shown += [called for sign, called in _SIGN_LABELS.items() if language.pattern(f"gate.{sign}").search(text.masked)]
    if shown:
        return GateJudgement(complexity="composite", probability=_SIGNED, reason="shows " + ", ".join(shown))
    if language.pattern("gate.one_thing").fullmatch(text.masked):
        return GateJudgement(complexity="simple", probability=0.0, reason="asks one plain thing")
    return GateJudgement(complexity="simple", probability=_UNSIGNED, reason="shows no sign of several things")


def is_sure(plan: Plan, look: SecondLook) -> bool:
    """Tell whether a rule plan is so surely right that no model needs to be asked for one.

    A simple question: the reader of questions, or one passage that has every word that counts, says that it asks one thing. A composite
    one: it was cut at its own joints, no word of it points at something that is still to be found out, and no part waits for another whose
    answer it does not name.
    """
    if plan.decided_by == "setting":
        return True
    if plan.complexity == "simple":
        return len(plan.parts) == 1 and (look.verdict == "simple" or plan.decided_by == "classifier")
    found = set(plan.reason.removeprefix(_FOUND).split(", "))
    if not plan.reason.startswith(_FOUND) or not found <= _JOINTS | {_POINTS}:
        return False
    asks_for_a_name = bool(_ASKS_FOR_A_NAME.search(plan.question))
    leans = any(part.role == "find" and part.depends_on and "#" not in part.text for part in plan.parts)
    return not leans and not any(part.bridges for part in plan.parts) and not (_POINTS in found and asks_for_a_name)
