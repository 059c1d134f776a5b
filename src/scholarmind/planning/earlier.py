"""What a conversation left to point back to: what its last question is about, what it asked for, and what came out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from scholarmind.conversations import Turn
from scholarmind.planning.completion import names_in, topics_of
from scholarmind.planning.mentions import Mention, mentions_of
from scholarmind.planning.protected import Line, Protector, cleaned
from scholarmind.planning.words import is_chinese, trimmed
from scholarmind.text.patterns import lazy_regex

_MOST_TURNS = 6  # further back nobody points
_MOST_ANSWERS = 6
_LONGEST_ANSWER = 80  # characters; what is longer is a sentence, not a name
_PERSONS = r"authors?|researchers?|people|persons?|scientists?|inventors?|creators?|teams?|groups?"
THINGS = (
    r"models?|methods?|approach(?:es)?|techniques?|architectures?|papers?|articles?|data ?sets?|data|corpus|corpora|benchmarks?"
    r"|algorithms?|systems?|optimi[sz]ers?|tokeni[sz]ers?|tasks?|objectives?|mechanisms?|variants?|works?|stud(?:y|ies)|frameworks?"
    r"|company|companies|universit(?:y|ies)|institutions?|labs?|laborator(?:y|ies)|networks?|encoders?|years?|conferences?|venues?"
)
_WANTED = lazy_regex(
    rf"^(?:(?:in|on|by|for|at|with|from|to)\s+)?(?:which|what|name|list|give|find)(?:\s+(?:is|are|was|were))?(?:\s+(?:the|an?))?"
    rf"(?:\s+(?!of\b|the\b)[a-z][a-z\-]*){{0,3}}?\s+(?:(?P<person>{_PERSONS})|(?P<thing>{THINGS}))\b(?!\s+of\b.*\bof\b)",
    re.IGNORECASE,
)
_WHICH_OF = lazy_regex(r"^which (?:one )?of\b", re.IGNORECASE)
_WHO = lazy_regex(r"^(?:(?:by|for|from|to|with)\s+)?who(?:m|se)?\b", re.IGNORECASE)
THINGS_CHINESE = (
    "模型|方法|论文|文章|数据集|训练数据|数据|语料|技术|算法|架构|机构|公司|团队|大学|系统|任务|基准|机制|框架|网络"
    "|工作|优化器"
)
_WANTED_CHINESE = lazy_regex(
    rf"(?:哪一?(?P<one>[个种篇项家])|哪些|哪几[个种篇项家]|什么)[^，。？]{{0,6}}?(?P<noun>{THINGS_CHINESE})"
    rf"|(?P<before>{THINGS_CHINESE})(?:主要)?(?:有|包括)(?:哪些|什么)"
)
_WHO_CHINESE = lazy_regex(r"谁(?!的|更|最|比)|哪[一几]?位|哪些(?:人|作者|研究者|学者)|作者(?:有|是|为|包括)")
_PHRASE = lazy_regex(
    r"\b(?:of|about|behind|on|for|between)\s+(?:the\s+|an?\s+)?(?P<x>(?!which|what|this|that|it\b)[a-z][^?,.;]{2,60}?)"
    r"(?=\s+(?:in|on|for|with|at|by|is|are|was|were|does|do|did|has|have|since|during)\b|[?.,;]|$)"
)
_SUBJECT = lazy_regex(
    r"^(?i:(?:(?:why|how|when|where|what|which [a-z]+) )?(?:do|are|can|were|have|did)) (?:the |most |many )?"
    r"(?P<x>(?!these|those|they|there)(?:[a-z][a-z\-]* ){0,3}?[a-z][a-z\-]*[^s\W]s(?: [a-z\-]+[^s\W]s)?)(?= [a-z])"
)
_DENIED = lazy_regex(
    r"^(?:no|nope|sorry|oops|wait|actually)\b[,.!:;]*\s+\S|i meant?\b|不对|不是|错了|抱歉|对不起|不[，,]|我(?:是说|说的是|指的是|问的是)",
    re.IGNORECASE,
)
_SET_AGAINST = lazy_regex(
    r"^(?:[和与跟同][^，]{1,40}?|)相比[^，]{0,40}，|^compared (?:to|with) [^,]{1,60},", re.IGNORECASE
)
_THAN = lazy_regex(
    r"(?<=\s)(?:than|compared (?:to|with)|over|instead of)\s.*$|比(?!较)[^，]*?(?=[更好快大小高低强多少]|$)",
    re.IGNORECASE,
)
_CITED = lazy_regex(r"\s*\[[^\[\]]*\]|\s*[(（][^()（）]*\d{4}[^()（）]*[)）]")
_LIST = lazy_regex(r"\s*(?:,\s+(?:and\s+)?|;\s*|；|、|，|\s+and\s+|和|与|以及)\s*")
_SENTENCE = lazy_regex(
    r"\b(?:is|are|was|were|has|have|reache[sd]|proposed|uses?|used|trained|introduced)\b|[是用由达在了]"
)


IN_ENGLISH, IN_CHINESE = "Answer in English: ", "请用中文回答："  # the last question is in the other language
Rewritten = tuple[str, str]  # what the question became, and why


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a question asked for by name: `which datasets ...`."""

    noun: str
    several: bool
    person: bool


@dataclass(frozen=True)
class Earlier:
    """The turns so far, the last of them taken to pieces where a rule asks for it."""

    turns: Sequence[Turn]

    def __post_init__(self) -> None:
        """Leave out the turns that were taken back by the next one."""
        kept = [
            turn
            for turn, after in zip(self.turns, [*self.turns[1:], None], strict=True)
            if not after or not _DENIED.match(after.asked)
        ]
        object.__setattr__(self, "turns", kept)

    @cached_property
    def question(self) -> str:
        """The last question, as it stood alone."""
        return plain(self.turns[-1].question)

    @cached_property
    def chinese(self) -> bool:
        """Whether the last question is to be read by the Chinese rules."""
        return is_chinese(self.question)

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """What the last question names."""
        return self._mentioned(self.turns[-1])

    def _mentioned(self, turn: Turn) -> tuple[Mention, ...]:
        known = dict.fromkeys(entity for each in self.turns[-_MOST_TURNS:] for entity in each.entities)
        return mentions_of(line_of(plain(turn.question)), sorted(known, key=len, reverse=True))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """What the last question is about."""
        return _topics(self.turns[-1], self.mentions)

    @cached_property
    def wanted(self) -> Wanted | None:
        """What the last question asked for by name."""
        return _wanted(self.question)

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """The names that answered the last question, where it asked for names."""
        return _answers(self.turns[-1].answer, self.question, self.mentions, self.wanted) if self.wanted else ()

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """What the last question that is not about people is about: `it` is nobody."""
        people: set[str] = set()
        for turn in self.turns[-_MOST_TURNS:]:
            wanted, mentions = _wanted(plain(turn.question)), self._mentioned(turn)
            people |= {mention.text for mention in mentions if mention.sort == "person"}
            if wanted and wanted.person:
                people |= set(_answers(turn.answer, plain(turn.question), mentions, wanted))
        for turn in reversed(self.turns[-_MOST_TURNS:]):
            behind = _compared_with(turn.question)
            if things := tuple(
                topic
                for topic in _topics(turn, self._mentioned(turn))
                if not has_word(behind, topic) and not people & set(_LIST.split(topic))
            ):
                return things
        return ()

    @cached_property
    def together(self) -> tuple[str, ...]:
        """What the last turns are about: those that asked the same, or else the last two, the oldest first."""
        if len(self.topics) > 1:
            return self.topics
        row = list(self.topics)
        frame = _frame(self.question, self.topics)
        for turn in reversed(self.turns[-_MOST_TURNS:-1]):
            mentions = self._mentioned(turn)
            topics = _topics(turn, mentions)
            if not _alike(mentions, topics, self.mentions, self.topics):
                continue
            if len(row) > 1 and _frame(turn.question, topics) != frame:
                break
            row = [*topics, *(topic for topic in row if topic not in topics)]
            frame = _frame(turn.question, topics)
        return tuple(row)

    def of_sort(self, *sorts: str) -> tuple[str, ...]:
        """Return what the last question names of these sorts."""
        return tuple(dict.fromkeys(mention.text for mention in self.mentions if mention.sort in sorts))


def joined(things: Sequence[str], *, chinese: bool) -> str:
    """Return names as a list in a sentence."""
    if len(things) < 2:
        return "".join(things)
    return ("、" if chinese else ", ").join(things[:-1]) + ("和" if chinese else " and ") + things[-1]


def in_english(things: Sequence[str]) -> str:
    """Return names as a list in an English sentence."""
    return joined(things, chinese=False)


def in_chinese(things: Sequence[str]) -> str:
    """Return names as a list in a Chinese sentence."""
    return joined(things, chinese=True)


def line_of(text: str) -> Line:
    """Return a text with its names masked."""
    return Protector().line(cleaned(text))


def has_word(text: str, name: str) -> bool:
    """Tell whether a name stands in a text as a word of its own; BERT is no word of RoBERTa."""
    return re.search(rf"(?<![A-Za-z0-9-]){re.escape(name)}(?![A-Za-z0-9-])", text) is not None


def plain(question: str) -> str:
    """Return a question without the wish for a language that was put before it."""
    return re.sub(rf"^(?:{IN_ENGLISH}|{IN_CHINESE})", "", question.strip())


def _alike(one: Sequence[Mention], topics: Sequence[str], other: Sequence[Mention], others: Sequence[str]) -> bool:
    """Tell whether two questions are about the same sort of thing."""
    first = {mention.sort for mention in one if mention.text in topics}
    second = {mention.sort for mention in other if mention.text in others}
    return bool(topics) and (not first or not second or bool(first & second))


def _topics(turn: Turn, mentions: Sequence[Mention]) -> tuple[str, ...]:
    """Return the models or methods of a question, or its persons; else the plain words that it is about; else a data set."""
    lead = _SET_AGAINST.match(plain(turn.question))
    first = sorted(mentions, key=lambda mention: bool(lead) and mention.start < lead.end())
    for sort in ("name", "person"):
        if things := tuple(dict.fromkeys(mention.text for mention in first if mention.sort == sort)):
            return things
    line = line_of(plain(turn.question))
    named = {mention.text for mention in mentions}
    chinese = is_chinese(line.text)
    names = names_in(line)
    words = [] if chinese and names else [topic for topic in topics_of(line) if topic not in {*named, *names}]
    words = [topic for topic in words if not re.search(r"几|多少|^每", topic)]
    words = [re.split(r"['’]s ", topic)[0] for topic in words if not any(name in topic for name in named)]
    if not words and not chinese and (match := _SUBJECT.match(line.text)):
        words = [match["x"]]
    if not words and (match := _PHRASE.search(line.text)):
        words = [trimmed(match["x"])]
    return tuple(words[:1]) or tuple(dict.fromkeys(mention.text for mention in mentions if mention.sort == "dataset"))


def _compared_with(question: str) -> str:
    """Return the end of a question in which something is only compared with: `than attention`."""
    match = _THAN.search(question)
    return match[0] if match else ""


def _frame(question: str, topics: Sequence[str]) -> str:
    """Return a question without what it is about."""
    for topic in topics:
        question = question.replace(topic, "")
    return question


def _wanted(question: str) -> Wanted | None:
    if is_chinese(question):
        if _WHO_CHINESE.search(question):
            return Wanted("作者", several=True, person=True)
        match = _WANTED_CHINESE.search(question)
        return Wanted(match["noun"] or match["before"], several=not match["one"], person=False) if match else None
    if _WHICH_OF.match(question):
        return Wanted("one", several=False, person=False)
    if _WHO.match(question):
        return Wanted("authors", several=True, person=True)
    match = _WANTED.match(question)
    if not match:
        return None
    noun = (match["person"] or match["thing"]).lower()
    several = noun in {"data", "people", "corpora"} or noun.endswith("s")
    return Wanted(noun, several, person=bool(match["person"]))


def _answers(answer: str, asked: str, mentions: Sequence[Mention], wanted: Wanted) -> tuple[str, ...]:
    """Return the names in an answer: all of a short one, or those in a sentence that the question did not name."""
    known: set[str] = set() if _WHICH_OF.match(asked) else {mention.text for mention in mentions}
    text = _CITED.sub("", answer).strip().rstrip(".。")
    if not text:
        return ()
    if len(text) <= _LONGEST_ANSWER * (2 if wanted.several else 1) and not _SENTENCE.search(text):
        items = [trimmed(item) for item in _LIST.split(text)] if wanted.several else [text]
        return tuple(item for item in items if item)[:_MOST_ANSWERS]
    sorts = (
        {"person"} if wanted.person else {"dataset"} if re.match(r"data|corp|语料|.*数据", wanted.noun) else {"name"}
    )
    found = [mention for mention in mentions_of(line_of(text)) if mention.text not in known]
    fitting = [mention.text for mention in found if mention.sort in sorts]
    most = _MOST_ANSWERS if wanted.several else 1
    return tuple(dict.fromkeys(fitting or [mention.text for mention in found if mention.sort == "name"]))[:most]
