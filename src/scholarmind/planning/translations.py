"""What a model says of its parts in other languages, held against what became of the parts: a mended text has no translation."""

import re
from collections.abc import Iterator, Sequence

from scholarmind.plan import Plan, Translation
from scholarmind.planning.plan_reply import PlanReply
from scholarmind.planning.sheet import MOST_PARTS, plain

REFERENCE = re.compile(r"#(\d{1,4})(?![0-9A-Za-z_])")
_LONGEST = 4_000  # characters
_ENDS = " ?？.。"


def asked_in(plan: Plan) -> tuple[str, ...]:
    """Return each text that a plan searches for, once."""
    return tuple(dict.fromkeys(row.text for part in plan.parts if part.role == "find" for row in part.rows))


def said_by(reply: PlanReply, languages: Sequence[str], marker: str) -> Iterator[Translation]:
    """Yield what a reply says in these languages, as clean lines."""
    for part in reply.parts[:MOST_PARTS]:
        for language, said in zip(languages, part.translations, strict=False):
            asked, text = plain(part.question[:_LONGEST], marker), plain(said[:_LONGEST], marker)
            if asked and text:
                yield Translation(asked=asked, language=language, said=text)


def of_parts(plan: Plan, translations: Sequence[Translation]) -> tuple[Translation, ...]:
    """Return the translations of what the plan asks, each with the numbers that its `#N` have there."""
    known: dict[str, dict[str, Translation]] = {}
    for each in translations:
        known.setdefault(_key(each.asked), {}).setdefault(each.language, each)
    return tuple(_renumbered(each, text) for text in asked_in(plan) for each in known.get(_key(text), {}).values())


def _key(text: str) -> str:
    """Return a text without what tells nothing: case, spaces, the mark at its end, and which numbers its `#N` have."""
    numbers = _numbers(text)
    text = REFERENCE.sub(lambda match: f"#{numbers.index(match[1])}", text)
    return " ".join(text.split()).rstrip(_ENDS).casefold()


def _renumbered(translation: Translation, asked: str) -> Translation:
    numbers = dict(zip(_numbers(translation.asked), _numbers(asked), strict=True))
    said = REFERENCE.sub(lambda match: f"#{numbers.get(match[1], match[1])}", translation.said)
    return Translation(asked=asked, language=translation.language, said=said)


def _numbers(text: str) -> list[str]:
    """Return the numbers of the `#N` of a text, each once, in their order."""
    return list(dict.fromkeys(REFERENCE.findall(text)))
