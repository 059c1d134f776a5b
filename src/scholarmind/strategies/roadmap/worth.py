"""How much of what is asked some passages say: the share of its words, each weighed by how rare it is in the library."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scholarmind.model import Evidence
from scholarmind.ports import Lexicon
from scholarmind.text.analysis import terms

_TELLING = 0.7  # a rarity that no word of a library reaches which is too small to tell
_READ = 4_000  # characters of a passage


@dataclass(frozen=True, slots=True)
class Worth:
    """The words of a text that say something, and what each is worth."""

    weights: Mapping[str, float] = field(default_factory=dict[str, float])

    def held(self, evidence: Iterable[Evidence]) -> frozenset[str]:
        """Return those of the words that the passages or the titles of their documents hold."""
        return frozenset(term for item in evidence for term in _terms_of(item) if term in self.weights)

    def share(self, held: Iterable[str]) -> float:
        """Return how much of the whole these words are worth, 0 to 1; of a text without words that is nothing."""
        total = sum(self.weights.values())
        return sum(self.weights[term] for term in held) / total if total else 0.0


async def worth_of(text: str, lexicon: Lexicon | None) -> Worth:
    """Return what the words of a text are worth; where no library tells, all the same."""
    words = list(dict.fromkeys(terms(text)))
    rarity: Mapping[str, float] = await lexicon.rarity(words) if lexicon and words else {}
    if max(rarity.values(), default=0.0) <= _TELLING:
        return Worth(dict.fromkeys(words, 1.0))
    rarest = max(rarity.values())
    return Worth({word: max(0.0, rarity.get(word, rarest)) for word in words})


def _terms_of(item: Evidence) -> set[str]:
    return set(terms(f"{item.document.title}\n{item.passage.text[:_READ]}"))
