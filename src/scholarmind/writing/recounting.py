"""What was counted, beside what a model writes: what it is told of that, whether it says the same, and what code puts below its text.

Counting is code's. A sentence that says how many there are of something, and says another number than was counted, is not confirmed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from scholarmind.answer import Draft, Finding
from scholarmind.judge.claims import rule
from scholarmind.model import Evidence
from scholarmind.plan import Plan
from scholarmind.ports import Material, Writer
from scholarmind.ranking import key_of
from scholarmind.relations import Tally
from scholarmind.writing.attaching import Attached
from scholarmind.writing.grounded import in_digits
from scholarmind.writing.quantities import numbers
from scholarmind.writing.senses import covered, words_of
from scholarmind.writing.tallied import Counted, proving, tallies_of
from scholarmind.writing.wording import harmless, words_for

_ALL_COUNTED = "all that was asked was counted in the graph of papers, so no model was asked to write"
_KEYS = 3  # that a sentence is given
_ABOUT = 0.4  # of the words of a question, or of what was counted for it: the sentence speaks of that
_COUNT_WORDS = "two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {
    "one": 1,
    "两": 2,
    **{word: number for number, word in enumerate(_COUNT_WORDS, 2)},
    **{han: number for number, han in enumerate("一二三四五六七八九十", 1)},
}
_COUNTED = re.compile(
    rf"\b(?P<english>\d{{1,6}}|one|{'|'.join(_COUNT_WORDS)}) (?:[a-z-]+ ){{0,2}}?"
    r"(?:papers?|articles?|publications?|works?|stud(?:y|ies)|notes?|documents?|authors?|researchers?|institutions?|groups?|methods?|models?"
    r"|approach(?:es)?|techniques?|datasets?|benchmarks?|metrics?|tasks?|venues?|conferences?|journals?|times?)\b"
    r"|(?<![\d.])(?P<chinese>\d{1,6}|[一二两三四五六七八九十])\s*[篇个種种项位名家次]",
    re.IGNORECASE,
)


def told(findings: Sequence[Finding], passages: Mapping[str, Evidence]) -> str:
    """Return what was counted, a line for each row with the keys of the passages that prove it; '' if nothing was."""
    named = {key_of(item): key for key, item in passages.items()}
    return "\n".join(_line(row, tally, named) for row, tally in tallies_of(findings).items())


def _line(row: str, tally: Tally, named: Mapping[tuple[str, str, int], str]) -> str:
    keys = dict.fromkeys(named[key] for item in proving(tally) if (key := key_of(item)) in named)
    return f"{row}: {' '.join(tally.said.split())} {''.join(f'[{key}]' for key in keys)}".rstrip()


def is_all_counted(plan: Plan, findings: Sequence[Finding]) -> bool:
    """Tell whether every row that looks something up was counted, and no part has to conclude anything from them."""
    tallies = tallies_of(findings)
    parents = {part.parent for part in plan.parts}
    return all(
        tallies.keys() >= {*part.row_ids} if part.role == "find" else part.role == "compare" or part.id in parents
        for part in plan.parts
    )


class CountedAlone:
    """Asks nobody to write where everything was counted: its sentences and tables are the answer."""

    def __init__(self, writer: Writer, keyless: Writer) -> None:
        """Take who writes all other answers, and who writes without a model."""
        self._writer = writer
        self._keyless = keyless

    async def write(self, material: Material, on_piece: Callable[[str, int], None]) -> Draft:
        """Return the answer."""
        if not is_all_counted(material.plan, material.findings):
            return await self._writer.write(material, on_piece)
        draft = await self._keyless.write(material, on_piece)
        return replace(draft, notes=(*draft.notes, _ALL_COUNTED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Recounter:
    """Holds sentences of a model against what was counted. `passages` are those that it was shown, by key."""

    counted: Mapping[str, Counted]
    questions: Mapping[str, str]  # by row
    passages: Mapping[str, Evidence]

    def attach(self, text: str, keys: Sequence[str], attached: Attached) -> Attached | None:
        """Return what a sentence rests on, which may be what was counted; None if it counts in another way."""
        if attached.status == "verified":
            return attached
        rows = [row for row in self.counted if self._is_about(text, row)]
        if rows and not any(self._counts_alike(text, row) for row in rows):
            return None
        if attached.status != "unsupported":
            return attached
        given = [self.passages[key].passage.text for key in keys if key in self.passages]
        for row in rows or self.counted:
            said = self.counted[row]
            ruling = rule(in_digits(text), [in_digits(_facts(said)), *given])
            if ruling not in ("doubtful", "refused"):
                return Attached(status=ruling, keys=self._keys(said, keys), citations=said.said.citations)
        return attached

    def _is_about(self, text: str, row: str) -> bool:
        said = words_of(text)
        return any(
            covered(words_of(other), said) >= _ABOUT
            for other in (self.questions.get(row, ""), self.counted[row].said.text)
        )

    def _counts_alike(self, text: str, row: str) -> bool:
        """Tell whether every number of things in a sentence is one of what was counted, or of the question."""
        said = self.counted[row]
        known = {
            number.value
            for one in (_facts(said), *said.tally.items, self.questions.get(row, ""))
            for number in numbers(one)
        }
        known |= {
            len(said.tally.rows),
            len({citation.document for citation in said.said.citations}),
            *_counts(said.said.text),
        }
        return all(count in known for count in _counts(text))

    def _keys(self, said: Counted, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the passages behind a sentence: those of its own that prove what was counted, else the first that do."""
        proofs = {key_of(item) for item in proving(said.tally)}
        proving_keys = [key for key, item in self.passages.items() if key_of(item) in proofs]
        return tuple(key for key in keys if key in proving_keys) or tuple(proving_keys[:_KEYS])


def _facts(said: Counted) -> str:
    return "\n\n".join((said.said.text, *(f"{line.text}." for line in said.lines)))


def _counts(text: str) -> list[int]:
    found = (match["english"] or match["chinese"] for match in _COUNTED.finditer(text))
    return [int(count) if count.isdecimal() else _COUNTS[count.lower()] for count in found]


def block(question: str, counted: Mapping[str, Counted], questions: Mapping[str, str], claims: int) -> str:
    """Return what is put below the text of a model, which makes so many claims: what was counted, row by row, marked as that."""
    blocks = [words_for(question)["beside label"]]
    for row, found in counted.items():
        blocks += [f"**{harmless(questions.get(row, ''))}**"] * (len(questions) > 1)
        blocks += found.numbered(claims)
        claims += len(found.claims)
    return "\n\n".join(blocks)


def with_counted(draft: Draft, text: str, counted: Mapping[str, Counted], conflicts: Mapping[str, str]) -> Draft:
    """Return the draft with that below it. What a model says of these rows counts for nothing beside it."""
    claims = (*draft.claims, *(claim for found in counted.values() for claim in found.claims))
    return replace(
        draft,
        text=f"{draft.text}\n\n{text}",
        claims=claims,
        citations=tuple(dict.fromkeys(citation for claim in claims for citation in claim.citations)),
        answers={**draft.answers, **{row: found.said.text for row, found in counted.items()}},
        conflicts={**_without(draft.conflicts, counted), **conflicts},
        missing=_without(draft.missing, counted),
    )


def _without(told: Mapping[str, str], counted: Mapping[str, Counted]) -> dict[str, str]:
    return {row: text for row, text in told.items() if row not in counted}
