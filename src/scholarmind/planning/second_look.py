"""Gate again, for free, once the first retrieval is there: does one passage cover the question, or does another one add what it lacks?

Leans to `composite`. Measured on the questions whose rules see nothing: the words that a second passage adds tell two-hop
questions from single-hop ones with an area under the curve of .83 to .90.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from scholarmind.model import Evidence, Name
from scholarmind.text.analysis import terms

LOOKED_AT = 10  # passages
ADDED_WORTH = 1.0  # another passage adds more than the rarest word of the question is worth: it is about something else that is asked for
ADDED_LEAST = 4.5  # ... and more than this by itself: in a tiny library every word is rare
COVERED = 0.97  # one passage has as good as every word of the question
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
    holds = [_terms_of(found) & worth.keys() for found in evidence[:LOOKED_AT]]
    sums = [sum(worth[term] for term in held) for held in holds]
    first = max(range(len(holds)), key=sums.__getitem__)
    added = max(sum(worth[term] for term in held - holds[first]) for held in holds)
    best = sums[first] / total
    relative = added / max(1.0, *worth.values())
    missing = tuple(dict.fromkeys(name.text for name in names if not set(terms(name.text)) <= holds[first]))
    verdict, reason = _verdict(best, relative, added, missing)
    return SecondLook(
        verdict=verdict,
        reason=reason,
        best=round(best, 3),
        union=round(sum(worth[term] for term in set[str]().union(*holds)) / total, 3),
        added=round(relative, 3),
        gap=round(_gap(evidence), 3),
        missing=missing,
    )


def _verdict(
    best: float, relative: float, added: float, missing: tuple[str, ...]
) -> tuple[Literal["composite", "simple"] | None, str]:
    if relative > ADDED_WORTH and added > ADDED_LEAST:
        lacking = f"{missing[0]!r}, which" if missing else "rare words of the question that"
        return "composite", f"another passage has {lacking} the best one lacks"
    if best >= COVERED and not missing:
        return "simple", "one passage has every word of the question that counts"
    return None, "the first passages do not tell"


def _terms_of(found: Evidence) -> set[str]:
    return set(terms(f"{found.document.title}\n{found.passage.text[:_READ]}"))


def _gap(evidence: Sequence[Evidence]) -> float:
    scores = sorted((found.scores.fused for found in evidence), reverse=True)
    return scores[0] - scores[1] if len(scores) > 1 else 0.0
