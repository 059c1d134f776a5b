"""A part's answer by a language model, checked against the passages that the model was shown; behind it stand the rules."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from scholarmind.errors import ContextOverflowError, ModelError, ModelReplyError
from scholarmind.llm.prompts import Assistant, Fenced, fenced, within
from scholarmind.model import Evidence
from scholarmind.plan import SubQuestion
from scholarmind.ports import Answerer, Short
from scholarmind.ranking import key_of, passage_id
from scholarmind.text.analysis import each_once, fold
from scholarmind.text.language import HAN, language_of
from scholarmind.writing.attribution import is_drawn_from, is_yes_or_no, stands_in

_SHOWN = 8  # passages
_LONGEST_PASSAGE = 2_000
_LONGEST_SHORT = 300
_LONGEST_SENTENCES = 2_000
_SHORT_TOKENS, _SENTENCES_TOKENS = 300, 700
_TOLD = 80  # characters of an answer that is not to be trusted
_TOLD_KEYS = 5
_CANDIDATES = 3
_MOST_ITEMS = 200
_NOT_AGAIN = "part {} was not asked again: a model found no answer to it in the same passages before"
_KEYS = re.compile(r"\s*\[P\d{1,4}(?:\s*[,;，；、]\s*P\d{1,4})*\]")
_QUOTES = " \"'“”‘’"
_NUMBER = re.compile(r"\d{1,4}")
_NO_ANSWER = re.compile(
    r"(?:unknown|n/?a|not (?:found|mentioned|stated|given|available)|nothing(?: was)? found|no answer(?: found)?"
    r"|未知|未找到|未提及|没有找到|没有提及|不知道|无法回答)[.。!！]?",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartAnswer:
    """What a model is asked for: the answer, the keys of the passages that give it, and whether there is none."""

    answer: str
    passages: tuple[str, ...] = ()
    nothing_found: bool = False
    items: tuple[str, ...] = ()  # one by one, where the answer is a list


class ModelAnswerer:
    """Answers in the few words that other parts wait for; `deep` answers in sentences, the parts that nobody waits for.

    What was asked in vain is remembered for as long as it lives: it is not asked again of the same passages.
    """

    def __init__(self, assistant: Assistant, keyless: Answerer, *, deep: bool = False, seconds: float = 20.0) -> None:
        self._assistant = assistant
        self._keyless = keyless
        self._deep = deep
        self._seconds = seconds  # less than a part may take: the rules need some of that
        self._in_vain: dict[str, set[object]] = {}  # by question: the passages that held no answer

    async def short(self, part: SubQuestion, question: str, evidence: Sequence[Evidence]) -> Short:
        """Return the model's answer, or what the rules find where it has none that can be used."""
        shown = evidence[:_SHOWN]
        if not shown:
            return Short(lacks=_nothing_found(question))
        if self._in_vain.get(_normal(question), set()).issuperset(map(key_of, shown)):
            return Short(lacks=_nothing_found(question), notes=(_NOT_AGAIN.format(part.id),))
        try:
            async with asyncio.timeout(self._seconds):
                reading, passages = await self._read(part, question, shown)
        except TimeoutError:
            reason = f"the model did not answer within {self._seconds:g} s"
        except ModelError as error:
            reason = str(error)
        else:
            return await self._checked(part, question, evidence, reading, passages)
        rules = await self._keyless.short(part, question, evidence)
        return replace(rules, notes=(*rules.notes, f"part {part.id} was answered by rules: {reason}"))

    async def _read(self, part: SubQuestion, question: str, shown: Sequence[Evidence]) -> tuple[PartAnswer, Fenced]:
        """Ask; if that is too long for the model, once more with the better half."""
        try:
            return await self._asked(part, question, shown)
        except ContextOverflowError:
            if len(shown) == 1:
                raise
            return await self._asked(part, question, shown[: len(shown) // 2])

    async def _asked(self, part: SubQuestion, question: str, shown: Sequence[Evidence]) -> tuple[PartAnswer, Fenced]:
        marker = self._assistant.marker
        passages = fenced(shown, marker, longest=_LONGEST_PASSAGE)
        request = self._assistant.request(
            ("part" if self._deep else "short", language_of(question)),
            purpose=f"part {part.id}",
            max_tokens=_SENTENCES_TOKENS if self._deep else _SHORT_TOKENS,
            values={"question": within(question, marker, "question"), "passages": passages.text},
            shape=PartAnswer,
            part=part.id,
        )
        reply = await self._assistant.model.complete(request)
        return self._usable(reply.value, question), passages

    def _usable(self, reading: PartAnswer, question: str) -> PartAnswer:
        """Return the reading with its answer tidied; one without sense is an error, as no reply is."""
        answer = _tidy(reading.answer, sentences=self._deep)
        if reading.nothing_found or _NO_ANSWER.fullmatch(answer):
            return replace(reading, answer="", nothing_found=True)
        longest = _LONGEST_SENTENCES if self._deep else _LONGEST_SHORT
        if not answer:
            raise ModelReplyError("the model's answer is empty")
        if len(answer) > longest:
            raise ModelReplyError(
                f"the model's answer has {len(answer):,} characters, where at most {longest:,} make sense"
            )
        if self._deep and _is_in_another_language(answer, question):
            raise ModelReplyError("the model's answer is not in the language of the question")
        return replace(reading, answer=answer)

    async def _checked(
        self, part: SubQuestion, question: str, evidence: Sequence[Evidence], reading: PartAnswer, passages: Fenced
    ) -> Short:
        """Return the answer with what code says of it."""
        cited, notes = _cited(part, reading, passages)
        if reading.nothing_found:
            read = map(key_of, passages.passages.values())
            self._in_vain.setdefault(_normal(question), set()).update(read)
            return Short(lacks=_nothing_found(question), notes=notes)
        items, more = await asyncio.to_thread(_listed, part, reading, passages)
        notes = (*notes, *more)
        if await asyncio.to_thread(self._stands, reading.answer, passages, cited):
            rests_on = tuple(passage_id(passages.passages[key]) for key in dict.fromkeys(cited))
            return Short(candidates=(reading.answer,), items=items, rests_on=rests_on, notes=notes)
        rules = await self._keyless.short(part, question, evidence)
        return Short(
            candidates=tuple(dict.fromkeys((reading.answer, *rules.candidates)))[:_CANDIDATES],
            items=items,
            lacks=_said_nowhere(question, reading.answer),
            notes=(
                *notes,
                *rules.notes,
                f"the model's answer to part {part.id} stands in no passage that it was shown",
            ),
        )

    def _stands(self, answer: str, passages: Fenced, cited: Sequence[str]) -> bool:
        if is_yes_or_no(answer):
            return bool(cited)  # nothing else can be held against it
        texts = [_as_shown(item) for item in passages.passages.values()]
        return is_drawn_from(answer, texts) if self._deep else stands_in(answer, texts)


def _tidy(answer: str, *, sentences: bool) -> str:
    text = " ".join(_KEYS.sub("", answer).split())
    return text if sentences else text.lstrip(_QUOTES).rstrip(_QUOTES + ".。")


def _cited(part: SubQuestion, reading: PartAnswer, passages: Fenced) -> tuple[list[str], tuple[str, ...]]:
    """Return the keys that were given out, and a note on any others."""
    keys = {key: f"P{number[0]}" if (number := _NUMBER.search(key)) else key for key in reading.passages}
    foreign = [key[:_TOLD] for key, meant in keys.items() if meant not in passages.passages]
    known = [meant for meant in keys.values() if meant in passages.passages]
    if not foreign:
        return known, ()
    told = ", ".join(foreign[:_TOLD_KEYS])
    return known, (f"the model cited passages for part {part.id} that it was not shown: {told}; they do not count",)


def _listed(part: SubQuestion, reading: PartAnswer, passages: Fenced) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the items that stand in some passage, and a note on how many stand in none."""
    items = each_once(_tidy(item, sentences=False) for item in reading.items[:_MOST_ITEMS])
    texts = [_as_shown(item) for item in passages.passages.values()]
    known = tuple(item for item in items if len(item) <= _LONGEST_SHORT and stands_in(item, texts))
    made_up = len(items) - len(known)
    if not made_up:
        return known, ()
    told = f"{made_up} of {len(items)} items that the model listed for part {part.id}"
    return known, (f"{told} stand in no passage that it was shown; they were left out",)


def _as_shown(item: Evidence) -> str:
    """Return all that the model could read of a passage."""
    document = item.document
    told = ", ".join((document.title, *document.authors, str(document.year or "")))
    return f"{told}.\n\n{item.passage.text[:_LONGEST_PASSAGE]}"


def _is_in_another_language(answer: str, question: str) -> bool:
    """Tell Chinese from everything else; names in a Chinese answer may leave no Chinese character in it if it is short."""
    if language_of(question) == "zh":
        return len(answer) > _TOLD and not HAN.search(answer)
    return language_of(answer) == "zh"


def _normal(question: str) -> str:
    return " ".join(fold(question).split()).rstrip(" ?？.。")


def _nothing_found(question: str) -> str:
    told = " / ".join(question.split("\n"))
    return f"没有找到“{told}”的答案" if language_of(question) == "zh" else f'nothing found for "{told}"'


def _said_nowhere(question: str, answer: str) -> str:
    told = answer if len(answer) <= _TOLD else answer[:_TOLD] + " …"
    return f"没有段落说“{told}”" if language_of(question) == "zh" else f'no passage says "{told}"'
