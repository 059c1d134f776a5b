"""A summary as a language model writes it: each sentence with the passages that it stands on, and kept only if they say it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scholarmind.judge.claims import rule
from scholarmind.planning.sheet import plain
from scholarmind.relations import SummarySentence
from scholarmind.text.orders import is_order
from scholarmind.writing.grounded import is_drawn_from
from scholarmind.writing.senses import covered, words_of

MOST_SENTENCES = 6
_MOST_PASSAGES = 5  # that one sentence stands on: with all of them nearly any words would be found somewhere
_LONGEST = 500  # characters of a sentence
_KEYS = re.compile(r"\s*[\[(【（]P\d+(?:[,，、; ]+P\d+)*[\])】）]")
_LEAST = 0.6  # of its words, where it says in words of its own what several passages say


@dataclass(frozen=True, slots=True, kw_only=True)
class SentenceSaid:
    """One sentence, and the keys of the passages that it stands on."""

    text: str
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryReply:
    """What a model is asked for."""

    sentences: tuple[SentenceSaid, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A passage as it was shown: the store's number for it, and its whole text."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The sentences that their passages say, and those that they do not."""

    kept: tuple[SummarySentence, ...]
    dropped: tuple[str, ...]

    @property
    def is_enough(self) -> bool:
        """Tell whether what is left can pass for what was written."""
        return bool(self.kept) and len(self.kept) >= len(self.dropped)


def checked(reply: SummaryReply, shown: Mapping[str, Shown], marker: str) -> Checked:
    """Hold each sentence of a summary against the passages that it names. One that names none, or others than were shown, says nothing."""
    kept: list[SummarySentence] = []
    dropped: list[str] = []
    for said in reply.sentences[:MOST_SENTENCES]:
        text = plain(_KEYS.sub("", said.text), marker)
        keys = dict.fromkeys(key.strip(" []") for key in said.passages)
        standing = [shown[key] for key in keys if key in shown][:_MOST_PASSAGES]
        if not text:
            continue
        if len(text) <= _LONGEST and standing and is_said(text, [passage.text for passage in standing]):
            kept.append(SummarySentence(text=text, passages=tuple(passage.number for passage in standing)))
        else:
            dropped.append(text[:_LONGEST])
    return Checked(kept=tuple(kept), dropped=tuple(dropped))


def is_said(sentence: str, texts: Sequence[str]) -> bool:
    """Tell whether passages say this: the judge confirms it, or leaves it open and its names, numbers and most of its words are theirs.

    What gives orders to a machine is said by nobody, wherever it stands.
    """
    if is_order(sentence):
        return False
    ruling = rule(sentence, texts)
    if ruling in ("doubtful", "refused"):
        share = covered(words_of(sentence), words_of("\n\n".join(texts)))
        return ruling == "doubtful" and share >= _LEAST and is_drawn_from(sentence, texts)
    return True
