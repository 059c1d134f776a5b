"""Documents are data: in a prompt each passage stands between marks that its author cannot know, under a key that it can be cited by."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.model import Evidence

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def marker_of(run: str) -> str:
    """Return the marker of a run: no document can foresee it, and a run that is resumed has the same again."""
    return hashlib.sha256(f"fence {run}".encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Fenced:
    """Passages as a prompt shows them, and by key what each of them is."""

    text: str
    passages: Mapping[str, Evidence]


def fenced(
    evidence: Sequence[Evidence], marker: str, *, longest: int = 2_000, notes: Mapping[str, str] | None = None
) -> Fenced:
    """Fence passages under the keys P1, P2, ...; `notes` are put behind a key's title."""
    passages = {f"P{place}": item for place, item in enumerate(evidence, 1)}
    blocks = [_block(key, item, marker, longest, (notes or {}).get(key, "")) for key, item in passages.items()]
    return Fenced("\n".join(blocks), passages)


def within(text: str, marker: str, name: str) -> str:
    """Fence any other text that is not ours, such as the question."""
    return f"<{name} {marker}>\n{_plain(text, marker)}\n</{name} {marker}>"


def head_of(item: Evidence, note: str = "") -> str:
    """Return what stands above a passage: the title, people and year of its document."""
    document = item.document
    people = ", ".join(document.authors[:3]) + (" et al." if len(document.authors) > 3 else "")
    return "; ".join(filter(None, (document.title or document.id, people, str(document.year or ""), note)))


def _block(key: str, item: Evidence, marker: str, longest: int, note: str) -> str:
    told = head_of(item, note)
    text = item.passage.text if len(item.passage.text) <= longest else item.passage.text[:longest] + " …"
    return f"<passage {marker} {key}> {_plain(' '.join(told.split()), marker)}\n{_plain(text, marker)}\n</passage {marker}>"


def _plain(text: str, marker: str) -> str:
    return _CONTROL.sub(" ", text).replace(
        marker, " "
    )  # a space: what is left on both sides must not make the marker anew
