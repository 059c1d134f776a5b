"""What the parts of a plan ask, in the other languages of the library: said in one call for a run, checked by code.

A part that waits for an answer is translated with its `#N`; the answer is put into the translation as it is.
"""

import asyncio
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.errors import ModelError, ScholarMindError
from scholarmind.llm.prompts import Assistant, within
from scholarmind.plan import Plan
from scholarmind.planning.decomposition.clause_rewriting import names_in
from scholarmind.planning.plan_reply import plain
from scholarmind.planning.protection import Protector, cleaned
from scholarmind.ports import Languages
from scholarmind.steps.gather import Translated
from scholarmind.text.analysis import fold
from scholarmind.text.language import language_of

_CONSIDERABLE = 0.1  # of the passages: below this a language is not worth a call
_MOST_LANGUAGES = 2
_MOST_TEXTS = 40
_LONGEST = 1_000  # characters
_LONGER = 3  # a translation is at most so many times as long as its text, and a little more
_TOKENS_OF_TEXT = 120
_MOST_TOKENS = 4_000
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
            max_tokens=min(_MOST_TOKENS, _TOKENS_OF_TEXT * len(texts) * len(self.others) + _TOKENS_OF_TEXT),
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
