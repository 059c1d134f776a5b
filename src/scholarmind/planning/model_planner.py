"""The planner that asks a language model, once; the rule plan stands wherever the model's is none. And what parts ask, in other languages.

A part that waits for an answer is translated with its `#N`; the answer is put into the translation as it is.
"""

import asyncio
import re
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.calls import Reply
from scholarmind.errors import ContextOverflowError, ModelError, ScholarMindError
from scholarmind.llm.prompts import Assistant, fenced, within
from scholarmind.model import Evidence, Name
from scholarmind.plan import Plan
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.plan_checks import lost_words, other_language, points_back
from scholarmind.planning.plan_mending import PlanContext, PlanReply, mended, plain
from scholarmind.planning.question_gate import SecondLook, is_sure, second_look
from scholarmind.planning.question_words import Protector, cleaned
from scholarmind.planning.rule_planner import direct, how_many
from scholarmind.ports import Languages, Look, Planner
from scholarmind.steps.gather import Translated
from scholarmind.text.analysis import fold, spans, terms
from scholarmind.text.language import language_of

# -- passages for the model: the best, long ones around the words of the question

MOST_SHOWN = 6  # passages
WINDOW = 400  # characters of each
_READ = 4_000  # characters of a passage that are searched for the window
_SLACK = 100  # a passage that is hardly longer is shown whole


def _snippets(question: str, look: Look, most: int = MOST_SHOWN) -> list[Evidence]:
    """Return the best passages of the look, each cut down to where it has most of the question's words."""
    wanted = {term: look.rarity.get(term, 1.0) for term in terms(question)}
    return [_cut_to_window(found, wanted) for found in look.evidence[:most]]


def _cut_to_window(found: Evidence, wanted: dict[str, float]) -> Evidence:
    text = found.passage.text
    if len(text) <= WINDOW + _SLACK:
        return found
    start = _best_start(text[:_READ], wanted)
    end = min(len(text), start + WINDOW)
    while start and not text[start - 1].isspace() and text[start].isascii() and start > end - WINDOW - _SLACK:
        start -= 1
    while end < len(text) and not text[end].isspace() and text[end].isascii() and end < start + WINDOW + _SLACK:
        end += 1
    body = f"{'… ' if start else ''}{text[start:end].strip()}{' …' if end < len(text) else ''}"
    return replace(found, passage=replace(found.passage, text=body))


def _best_start(text: str, wanted: dict[str, float]) -> int:
    """Return where a window begins that holds the words of most worth; of equals, the first."""
    hits = [(start, end, shared) for start, end, held in spans(text) if (shared := held & wanted.keys())]
    best, best_worth = 0, 0.0
    for start, _, _ in hits:
        held = {
            term for begin, end, shared in hits if start <= begin and end <= start + WINDOW * 3 // 4 for term in shared
        }
        worth = sum(wanted[term] for term in held)
        if worth > best_worth:
            best, best_worth = start, worth
    return max(0, best - WINDOW // 4)


# -- whether the question that a model made of a follow-up may take its place

_LONGEST_STANDALONE = 1_000  # characters, or twice what was given


def _stands_alone(standalone: str, known: PlanContext, typed: str) -> str:
    """Return the model's stand-alone question if it differs from the one given and is to be used, or ''.

    It must keep every word of what was typed, and may add only what the conversation has said.
    """
    became = plain(standalone, known.marker)
    if not became or became == plain(known.question) or len(became) > max(_LONGEST_STANDALONE, 2 * len(known.question)):
        return ""
    if other_language(became, typed or known.question) or points_back(became):
        return ""
    if lost_words(typed or known.question, [became]) or known.grounds().guesses(became):
        return ""
    return became


# -- the planner

_MOST_TOKENS = 1_000  # of the reply
_COVERED_LITTLE = (
    0.5  # of the worth of a question's words, by the best passage: below this the library does not speak of it
)

_LONGEST_OWN = 4_000  # characters of an answer from the model's own knowledge
_LONGEST_ERROR = 200
_NO_PLAN = "the model's reply was none of a plan"
_TURNS = 6  # of a conversation that are shown
_LONGEST_TURN = 600  # characters of each of their answers


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlanner:
    """Takes a question apart with one call to a model, unless rules and the first look are sure of the plan.

    `earlier` are the questions and short answers of the conversation so far; `typed` is the follow-up as it was typed, where
    rules have made the question of it.
    """

    rules: Planner
    assistant: Assistant
    seconds: float = 20.0
    cap: int = 5
    earlier: Sequence[tuple[str, str]] = ()
    typed: str = ""

    def talk(self, question: str) -> str:
        """Return a reply to what is no question, or '': rules tell."""
        return self.rules.talk(question)

    async def plan(self, question: str, look: Look) -> Plan:
        """Return the plan of a question whose first look is known."""
        started = time.perf_counter()
        ruled = await self.rules.plan(question, look)
        second = second_look(question, look.names, look.evidence, look.rarity)
        if not self.earlier and is_sure(ruled, second):
            return ruled
        # 1. One call, within its time, that asks for no more parts than there can be
        most = (
            self.cap if self.earlier else min(self.cap, max(len(ruled.parts), how_many(question, look.names, second)))
        )
        replied = await self._replied(question, look, most, started)
        if isinstance(replied, str):
            plan = _by_rules(ruled, replied)
        else:
            # 2. What came back, as far as it can be used
            plan = await self._read(replied[0], self._known(question, look, ruled, replied[1]), second)
        return replace(plan, milliseconds=round((time.perf_counter() - started) * 1000, 3))

    @property
    def _said(self) -> tuple[str, ...]:
        return (*(text for turn in self.earlier for text in turn), self.typed)

    def _known(self, question: str, look: Look, ruled: Plan, shown: Mapping[str, Evidence]) -> PlanContext:
        marker = self.assistant.marker
        return PlanContext(
            question=question, look=look, ruled=ruled, shown=shown, said=self._said, cap=self.cap, marker=marker
        )

    async def _replied(
        self, question: str, look: Look, most: int, started: float
    ) -> tuple[Reply, Mapping[str, Evidence]] | str:
        """Return the reply and the passages that were shown, or why there is none in what is left of the time."""
        try:
            async with asyncio.timeout(max(0.0, self.seconds - (time.perf_counter() - started))):
                return await self._asked(question, look, most)
        except TimeoutError:
            return f"no plan came from the model within {self.seconds:g} s"
        except ModelError as error:
            return " ".join(str(error).split())[:_LONGEST_ERROR] or type(error).__name__

    async def _asked(self, question: str, look: Look, cap: int) -> tuple[Reply, Mapping[str, Evidence]]:
        """Return the reply and the passages that were shown; once more with half of them if they were too much."""
        found = _snippets(question, look)
        try:
            return await self._call(question, found, cap)
        except ContextOverflowError:
            if len(found) < 2:
                raise
            return await self._call(question, found[: len(found) // 2], cap)

    async def _call(self, question: str, found: Sequence[Evidence], cap: int) -> tuple[Reply, Mapping[str, Evidence]]:
        marker = self.assistant.marker
        language = "zh" if language_of(question) == "zh" else "en"
        nothing = "（无）" if language == "zh" else "(none)"
        passages = fenced(found, marker, longest=2 * WINDOW)
        request = self.assistant.request(
            ("plan", language),
            purpose="plan",
            max_tokens=_MOST_TOKENS,
            shape=PlanReply,
            values={
                "cap": str(cap),
                "passages": passages.text or nothing,
                "conversation": within(self._conversation(), marker, "conversation") if self.earlier else nothing,
                "question": within(question, marker, "question"),
            },
        )
        return await self.assistant.model.complete(request), passages.passages

    def _conversation(self) -> str:
        turns = [f"Q: {question}\nA: {answer[:_LONGEST_TURN]}" for question, answer in self.earlier[-_TURNS:]]
        return "\n".join([*turns, *([f"Q: {self.typed}"] if self.typed else [])])

    async def _read(self, reply: Reply, known: PlanContext, second: SecondLook) -> Plan:
        """Return the plan that a reply makes: its own knowledge, its parts mended, or that of the rules."""
        value = reply.value
        if not isinstance(value, PlanReply):
            return _by_rules(known.ruled, _NO_PLAN)
        knows = bool(value.own_answer.strip()) and not value.parts
        if knows and (own := self._own_knowledge(value, known, second)):
            return own
        if self.earlier and (became := _stands_alone(value.standalone, known, self.typed)):
            # what is known of a follow-up once the model has made it stand alone, with the rules' plan of it
            names = _names_within(became, known.look)
            ruled = await self.rules.plan(became, Look(names=names))
            look = replace(known.look, names=names)
            known = replace(known, question=became, look=look, ruled=ruled, said=(*known.said, known.question))
        if knows:
            return _by_rules(known.ruled, "the model would have answered from its own knowledge")
        plan = mended(value, known)
        return _by_rules(known.ruled, plan) if isinstance(plan, str) else plan

    def _own_knowledge(self, reply: PlanReply, known: PlanContext, second: SecondLook) -> Plan | None:
        """Return the model's own answer as a plan, where the library has no word against that."""
        answer = reply.own_answer.strip()[:_LONGEST_OWN]
        speaks = bool(known.look.names) or second.best >= _COVERED_LITTLE
        if speaks or not plain(answer, known.marker) or other_language(answer, known.question):
            return None
        plan = direct(known.question, "needs no documents", "model")
        return replace(plan, retrieval=False, own_answer=answer.replace(known.marker, " "))


def _names_within(question: str, look: Look) -> tuple[Name, ...]:
    """Return the names of a look that another question holds, where they stand in it."""
    return tuple(
        replace(name, start=place, end=place + len(name.text))
        for name in look.names
        if (place := question.find(name.text)) >= 0
    )


def _by_rules(ruled: Plan, why: str) -> Plan:
    return replace(ruled, notes=(*ruled.notes, f"the plan was made by rules: {why}"))


# -- translation of what its parts ask, in one call for a run

_CONSIDERABLE = 0.1  # of the passages: below this a language is not worth a call
_MOST_LANGUAGES = 2
_MOST_TEXTS = 40
_LONGEST = 1_000  # characters
_LONGER = 3  # a translation is at most so many times as long as its text, and a little more
_TOKENS_OF_TEXT = 120
_MOST_TRANSLATED = 4_000
_TOLD = 80
_NAMES = {
    "en": "English",
    "zh": "Chinese",
    "ja": "Japanese",
    "ko": "Korean",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "pt": "Portuguese",
    "nl": "Dutch",
    "ru": "Russian",
    "ar": "Arabic",
    "el": "Greek",
    "th": "Thai",
}

_BY_SCRIPT = frozenset(("zh", "ja", "ko", "ru", "ar", "el", "th"))
REFERENCE = re.compile(r"#(\d{1,4})(?![0-9A-Za-z_])")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextInLanguage:
    """One text in one language: the number that it was given, and a code."""

    id: int = 0
    language: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranslationReply:
    """What a model is asked for: every text in every language."""

    translations: tuple[TextInLanguage, ...] = ()


def other_languages(question: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the languages beside the question's own that so many passages make worth a call."""
    own, least = language_of(question), _CONSIDERABLE * sum(counts.values())
    others = [code for code, count in counts.items() if code in _NAMES and code != own and count >= least > 0]
    return tuple(sorted(others, key=lambda code: -counts[code])[:_MOST_LANGUAGES]) if own else ()


def named(languages: Sequence[str]) -> str:
    """Return languages as a model is told them: codes and names."""
    return ", ".join(f"{code} ({_NAMES[code]})" for code in languages)


def takes_a_call(plan: Plan, others: Sequence[str]) -> bool:
    """Tell whether a plan may be translated in a call: the library speaks other languages, and nothing says the plan in them yet."""
    return bool(others) and plan.retrieval and not any(each.asked in asked_in(plan) for each in plan.translations)


def asked_in(plan: Plan) -> tuple[str, ...]:
    """Return each text that a plan searches for, once."""
    return tuple(dict.fromkeys(row.text for part in plan.parts if part.role == "find" for row in part.rows))


class ModelTranslator:
    """Translates for one run. What was translated is known by its text; `others` are the languages, once they are settled."""

    def __init__(self, assistant: Assistant, languages: Languages, *, seconds: float = 8.0) -> None:
        self.others: tuple[str, ...] = ()
        self._assistant = assistant
        self._languages = languages
        self._seconds = seconds
        self._known: dict[str, Translated] = {}
        self._may_ask = False
        self._asking = asyncio.Lock()

    async def settle(self, question: str) -> tuple[str, ...]:
        """Find out which other languages the library speaks to a considerable share, and return what could not be found out."""
        try:
            counts = await self._languages.languages()
        except ScholarMindError as error:
            return (f"the languages of the library are not known ({error}); it was searched in that of the question",)
        self.others = other_languages(question, counts)
        return ()

    def know(self, plan: Plan) -> tuple[str, ...]:
        """Take over what a plan says in other languages, and return which parts have to do without."""
        self._may_ask = takes_a_call(plan, self.others)
        if not self.others or not plan.retrieval or self._may_ask:
            return ()
        said: dict[str, dict[str, str]] = defaultdict(dict)
        for each in plan.translations:
            said[each.asked][each.language] = each.said
        lacking: dict[str, list[int]] = defaultdict(list)
        for text in asked_in(plan):
            texts, why = self._sound(text, said[text])
            self._known[text] = Translated(texts=texts)
            parts = [part.id for part in plan.parts if any(row.text == text for row in part.rows)]
            for code, told in why.items():
                lacking[f"not searched for in {_NAMES[code]}: the translation {told}"] += parts
        return tuple(f"part {', '.join(map(str, dict.fromkeys(parts)))}: {told}" for told, parts in lacking.items())

    async def translated(self, text: str, plan: Plan) -> Translated:
        """Return a text in the other languages; if there is a call, it is one for all that the plan asks."""
        if not self.others:
            return Translated()
        async with self._asking:
            if self._may_ask and self._of(text) is None:
                unknown = [each for each in dict.fromkeys((*asked_in(plan), text)) if self._of(each) is None]
                await self._ask([each[:_LONGEST] for each in unknown[:_MOST_TEXTS]])
        return self._of(text) or Translated(notes=(f"{_not_searched(self.others)}: {_short(text)} was not translated",))

    def _of(self, text: str) -> Translated | None:
        """Return what a text is in other languages, if it is known itself or with `#N` in the place of an answer."""
        if text in self._known:
            return self._known[text]
        templates = (template for template in self._known if REFERENCE.search(template))
        for template in sorted(templates, key=lambda template: -len(REFERENCE.sub("", template))):
            if answers := _answers(template, text):
                known = self._known[template]
                return Translated(
                    texts={code: _filled(said, answers) for code, said in known.texts.items()}, notes=known.notes
                )
        return None

    async def _ask(self, texts: Sequence[str]) -> None:
        self._may_ask = False
        try:
            async with asyncio.timeout(self._seconds):
                said = await self._said(texts)
        except TimeoutError:
            why = f"no translation came within {self._seconds:g} s"
        except ModelError as error:
            why = " ".join(str(error).split())
        else:
            self._known |= {text: self._checked(text, said.get(number, {})) for number, text in enumerate(texts, 1)}
            return
        failed = Translated(notes=(f"{_not_searched(self.others)}: {why}",))
        self._known |= dict.fromkeys(texts, failed)

    async def _said(self, texts: Sequence[str]) -> Mapping[int, Mapping[str, str]]:
        marker = self._assistant.marker
        listed = "\n".join(f"{number}: {' '.join(text.split())}" for number, text in enumerate(texts, 1))
        request = self._assistant.request(
            ("translate", "zh" if language_of(texts[0]) == "zh" else "en"),
            purpose="translate",
            max_tokens=min(_MOST_TRANSLATED, _TOKENS_OF_TEXT * len(texts) * len(self.others) + _TOKENS_OF_TEXT),
            values={
                "languages": named(self.others),
                "texts": within(listed, marker, "texts"),
            },
            shape=TranslationReply,
        )
        reply = await self._assistant.model.complete(request)
        value = reply.value if isinstance(reply.value, TranslationReply) else TranslationReply()
        found: dict[int, dict[str, str]] = {}
        for said in value.translations:
            if said.language in self.others:
                found.setdefault(said.id, {})[said.language] = plain(said.text, marker)
        return found

    def _checked(self, text: str, said: Mapping[str, str]) -> Translated:
        """Return the translations that can be searched with, and a note on each other."""
        texts, why = self._sound(text, said)
        notes = (f"{_short(text)} was not searched for in {_NAMES[code]}: its translation {why[code]}" for code in why)
        return Translated(texts=texts, notes=tuple(notes))

    def _sound(self, text: str, said: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
        """Return by language the translations that can be searched with, and what is wrong with each other."""
        why = {code: _lacks(text, said.get(code, ""), code) for code in self.others}
        return {code: said[code] for code in why if not why[code]}, {code: told for code, told in why.items() if told}


def _lacks(text: str, said: str, language: str) -> str:
    """Return what is wrong with a translation, or ''."""
    if not said or len(said) > _LONGER * len(text) + _TOLD:
        return "is missing" if not said else "is too long"
    if (language_of(said) != language) if language in _BY_SCRIPT else (language_of(said) in _BY_SCRIPT):
        return "is in another language"
    if sorted(REFERENCE.findall(text)) != sorted(REFERENCE.findall(said)):
        return "lost what stands for an answer"
    numbers = _NUMBER.findall(REFERENCE.sub(" ", text))
    held = set(_NUMBER.findall(REFERENCE.sub(" ", said)))
    names = names_in(Protector().line(cleaned(REFERENCE.sub("…", text))))
    lost = [*(number for number in numbers if number not in held), *(n for n in names if fold(n) not in fold(said))]
    return f"lost {lost[0]!r}" if lost else ""


def _answers(template: str, text: str) -> dict[str, str]:
    """Return by number what stands in a text in the place of each `#N` of a template; {} if the text is another one."""
    pieces = REFERENCE.split(template)
    pattern = "".join(re.escape(piece) if place % 2 == 0 else "(.+?)" for place, piece in enumerate(pieces))
    match = re.fullmatch(pattern, text, re.DOTALL)
    return dict(zip(pieces[1::2], match.groups(), strict=True)) if match else {}


def _filled(text: str, answers: Mapping[str, str]) -> str:
    return REFERENCE.sub(lambda match: answers.get(match[1], match[0]), text)


def _not_searched(languages: Sequence[str]) -> str:
    return f"nothing was searched for in {' and '.join(_NAMES[code] for code in languages)}"


def _short(text: str) -> str:
    return repr(text if len(text) <= _TOLD else f"{text[:_TOLD]} …")
