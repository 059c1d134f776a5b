"""What a planning model is shown of the first look: the best passages, long ones around the words of the question."""

from dataclasses import replace

from scholarmind.model import Evidence
from scholarmind.ports import Look
from scholarmind.text.analysis import spans, terms

MOST_SHOWN = 6  # passages
WINDOW = 400  # characters of each
_READ = 4_000  # characters of a passage that are searched for the window
_SLACK = 100  # a passage that is hardly longer is shown whole


def snippets(question: str, look: Look, most: int = MOST_SHOWN) -> list[Evidence]:
    """Return the best passages of the look, each cut down to where it has most of the question's words."""
    wanted = {term: look.rarity.get(term, 1.0) for term in terms(question)}
    return [_cut(found, wanted) for found in look.evidence[:most]]


def _cut(found: Evidence, wanted: dict[str, float]) -> Evidence:
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
