"""A reader as a language model: it answers only what it is shown, and what it says was fixed before.

Asked to write, it writes those of its sentences whose words are among the passages shown, under the keys shown; asked for a plan, an
answer or the words of a source, it gives what is fixed for the question. It needs no recording, and outlives changes of prompts: all
that it goes by are the marks between which passages, the question and the parts stand.
"""

from __future__ import annotations

import asyncio
import re
import unicodedata
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from point_sets.asked import Read, Reading, Words
from scholarmind.calls import Reply, Request
from scholarmind.testing import ScriptedModel

_PASSAGE = re.compile(r"<passage \w+ (?P<key>P\d+)> (?P<head>[^\n]*)\n(?P<text>.*?)\n</passage \w+>", re.DOTALL)
_FENCE = r"<{} \w+>\n(.*?)\n</{} \w+>"
_ROW = re.compile(r"^(?P<id>\d+(?:\.\d+)?): (?P<text>.*)$", re.MULTILINE)
_CLAIM = re.compile(r"<claim (?P<number>\d+) \w+>\n(?P<text>.*?)\n</claim", re.DOTALL)
_MOST_ALIKE = 0.7  # of the likeness of the sentence that is most like a row: it answers the row, too
_WHOLE = 0.8  # of the words of the question: a row that asks for all of it
_STOPS = frozenset(
    "the a an of in to and or is are was were did does do how what which who when where why it its by for on with".split()
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A passage that the reader was shown."""

    key: str
    head: str
    text: str


def shown(request: Request) -> list[Shown]:
    """Return the passages of a call."""
    text = "\n".join(message.text for message in request.messages)
    return [Shown(found["key"], found["head"], found["text"]) for found in _PASSAGE.finditer(text)]


def stands_in(source: Words, passages: Sequence[Shown]) -> str:
    """Return the key of the first passage that has these words, or ''."""
    wanted = _plain(source.words)
    for passage in passages:
        if passage.head.startswith(source.title) and wanted in _plain(passage.text):
            return passage.key
    return ""


def written(reading: Reading, passages: Sequence[Shown]) -> list[tuple[Read, tuple[str, ...]]]:
    """Return the sentences whose words are shown, with the keys that they are under."""
    found: list[tuple[Read, tuple[str, ...]]] = []
    for sentence in reading.sentences:
        keys = [stands_in(source, passages) for source in sentence.sources]
        if all(keys):
            found.append((sentence, tuple(dict.fromkeys(keys))))
    return found


class Reader(ScriptedModel):
    """Replies to every call about the questions that it knows. `said` holds the sentences of the last answer that it wrote."""

    def __init__(self, readings: Mapping[str, Reading]) -> None:
        super().__init__(self._replied, latency=0.004)
        self._readings = {_plain(question): (question, reading) for question, reading in readings.items()}
        self._question = ""
        self._reading = Reading()
        self.said: list[tuple[Read, tuple[str, ...]]] = []
        self.seen: list[Shown] = []
        self.spans: list[
            tuple[Request, int, int, int]
        ] = []  # each call, when it began and ended, and the tokens it wrote
        self._clock = 0

    def about(self, question: str) -> None:
        """Turn to a question."""
        self._question, self._reading = self._readings[_plain(question)]
        self.requests.clear()
        self.spans.clear()
        self.said, self.seen = [], []

    async def complete(self, request: Request) -> Reply:
        """Reply, and note when that was."""
        began = self._tick()
        reply = await super().complete(request)
        self.spans.append((request, began, self._tick(), reply.usage.completion))
        return reply

    async def stream(self, request: Request) -> AsyncIterator[str | Reply]:
        """Reply piece by piece, and note when that was."""
        began = self._tick()
        async for piece in super().stream(request):
            if isinstance(piece, Reply):
                self.spans.append((request, began, self._tick(), piece.usage.completion))
            yield piece
        await asyncio.sleep(0)

    def _tick(self) -> int:
        self._clock += 1
        return self._clock

    def _replied(self, request: Request) -> Any:
        text = "\n".join(message.text for message in request.messages)
        if request.purpose == "plan":
            return self._plan()
        if request.purpose.startswith("part"):
            return self._part(request, text)
        if request.purpose == "check":
            checks = [
                {"claim": int(found["number"]), "words": self._words(found["text"], text)}
                for found in _CLAIM.finditer(text)
            ]
            return {"checks": checks}
        if request.purpose == "answer":
            return self._wrote(request, text)
        return {"translations": []}

    def _plan(self) -> dict[str, Any]:
        parts = [
            {"question": text, "depends_on": list(needs), "kind": kind, "rows": []}
            for text, kind, needs in self._reading.parts
        ]
        return {"parts": parts, "own_answer": "", "standalone": ""}

    def _part(self, request: Request, text: str) -> dict[str, Any]:
        passages = shown(request)
        asked = _fenced(text, "question")
        number = self._alike(asked)
        if request.max_tokens <= 300:  # in a few words
            for of, answer, source in self._reading.bridges:
                if of == number and (key := stands_in(source, passages)):
                    return {"answer": answer, "passages": [key], "nothing_found": False}
        here = {sentence.text for sentence in self._of_row(asked)}
        found = [(sentence, keys) for sentence, keys in written(self._reading, passages) if sentence.text in here]
        if not found:
            return {"answer": "", "passages": [], "nothing_found": True}
        said = " ".join(sentence.text for sentence, _ in found)
        return {"answer": said, "passages": sorted({key for _, keys in found for key in keys}), "nothing_found": False}

    def _words(self, claim: str, text: str) -> str:
        """Return the whole sentences of the sources that the words of a claim stand in: these say who and what."""
        for sentence in self._reading.sentences:
            if _plain(sentence.text).rstrip(".。") == _plain(claim).rstrip(".。"):
                return " ... ".join(_whole(source.words, text) for source in sentence.sources)
        return ""

    def _wrote(self, request: Request, text: str) -> str:
        self.seen = shown(request)
        self.said = written(self._reading, self.seen)
        known = {sentence.text for sentence, _ in self.said}
        lines: list[str] = []
        for number in range(1, len(self._reading.parts) + 1):
            sentences = [_cited(sentence.text, keys) for sentence, keys in self.said if sentence.part == number]
            if sentences:
                lines.append(" ".join(sentences))
        report = [f"{row['id']}: {self._state(row['text'], known)}" for row in _ROW.finditer(_fenced(text, "parts"))]
        body = "\n\n".join(lines) or (
            "段落没有提到。" if _is_chinese(self._question) else "The passages do not say it."
        )
        return f"{body}\n\n=== PARTS ===\n" + "\n".join(report)

    def _state(self, row: str, known: set[str]) -> str:
        """Report a row: what it lacks is said as the question of the reader's own part, with what is known filled in."""
        wanted = self._of_row(row)
        if wanted and all(sentence.text in known for sentence in wanted):
            return "answered"
        number = self._alike(row)
        text = self._reading.parts[number - 1][0]
        for of, answer, _ in self._reading.bridges:
            text = text.replace(f"#{of}", answer)
        return f"missing: {text}"

    def _alike(self, row: str) -> int:
        """Return the number of the part that a question is most like."""
        said = _terms(row)
        texts = [_terms(self._filled(text)) for text, _, _ in self._reading.parts]
        return 1 + max(range(len(texts)), key=lambda place: _likeness(said, texts[place]))

    def _filled(self, text: str) -> str:
        for of, answer, _ in self._reading.bridges:
            text = text.replace(f"#{of}", answer)
        return text

    def _of_row(self, row: str) -> list[Read]:
        """Return the sentences that answer a row: of the whole question all, else those of one part that are most like it."""
        asked, said = _terms(self._question), _terms(row)
        if asked and len(asked & said) / len(asked) >= _WHOLE:
            return list(self._reading.sentences)
        number = self._alike(row)
        own = [sentence for sentence in self._reading.sentences if sentence.part == number]
        likeness = [len(_terms(sentence.text) & said) for sentence in own]
        most = max(likeness, default=0)
        return [sentence for sentence, like in zip(own, likeness, strict=True) if like >= _MOST_ALIKE * most]


def _whole(words: str, text: str) -> str:
    """Return the sentence that holds these words."""
    plain, wanted = _plain(text), _plain(words)
    place = plain.find(wanted)
    if place < 0:
        return words
    start = max(plain.rfind(mark, 0, place) + len(mark) for mark in (". ", "。", "> ", "; "))
    ends = [end for mark in (". ", "。", " <", "; ") if (end := plain.find(mark, place + len(wanted))) >= 0]
    return plain[start : min(ends, default=len(plain))]


def _cited(text: str, keys: Sequence[str]) -> str:
    end = len(text.rstrip(".。"))
    return f"{text[:end]} {''.join(f'[{key}]' for key in keys)}{text[end:]}"


def _fenced(text: str, name: str) -> str:
    found = re.findall(_FENCE.format(name, name), text, re.DOTALL)
    return found[-1] if found else ""


def _is_chinese(text: str) -> bool:
    return any("\u4e00" <= letter <= "\u9fff" for letter in text)


def _likeness(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, len(one | other))


def _terms(text: str) -> set[str]:
    return set(_words_of(unicodedata.normalize("NFKC", text).casefold()))


def _words_of(text: str) -> Iterator[str]:
    for run in re.findall(r"[a-z0-9][a-z0-9.\-]*|[\u4e00-\u9fff]+", text):
        if run[0] < "\u4e00":
            word = run.strip(".-")
            if word and word not in _STOPS:
                yield re.sub(r"(?:ing|ed|es|s|e)$", "", word) if len(word) > 4 else word
        else:
            yield from (run[place : place + 2] for place in range(max(1, len(run) - 1)))


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split())
