"""What a language says structured questions with: one pattern for each thing that the recogniser looks for."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scholarmind.relations import NodeKind, Relation

Said = tuple[tuple[Relation, re.Pattern[str]], ...]  # which words say which relation, the plainest first


@dataclass(frozen=True, kw_only=True)
class Words:
    """The patterns of one language."""

    kinds: Mapping[NodeKind, str]  # the nouns of each kind of node
    kind: re.Pattern[str]  # any of them, as a group with the name of the kind
    noun: re.Pattern[str]  # the same within a stretch that is known to ask for a kind, whatever stands before it
    never: re.Pattern[str]  # asks for reasons or meanings, or is about something that is no research
    contradictions: re.Pattern[str]
    of_numbers: re.Pattern[str]
    common: re.Pattern[str]
    lineage: re.Pattern[str]
    descendants: re.Pattern[str]
    count: re.Pattern[str]
    order: re.Pattern[str]  # groups: first, latest
    ranking: re.Pattern[str]
    ranked_by: re.Pattern[str]
    most: re.Pattern[str]
    numbers: Mapping[str, int]
    results: re.Pattern[str]
    performance: re.Pattern[str]  # of one thing, on whatever it was tried: its name is the group `of`, in any wording
    metrics: re.Pattern[str]
    listed: re.Pattern[str]
    who: re.Pattern[str]
    whose: re.Pattern[str]  # asks for persons without a noun
    where: re.Pattern[str]
    builds: re.Pattern[str]  # asks for what comes before
    relations: Said
    topic: re.Pattern[str]
    library: re.Pattern[str]
    nested: Callable[
        [str], str
    ]  # what a question is about, where that is a description: the models that improve on BERT
    described: Callable[[str], str]  # a description as a question of its own, or ''
    subject: Callable[[str], str]  # what a question about persons is about
    asks: Callable[[str, str], bool]  # whether a question of a form is worded as one
    trimmed: Callable[[str], str]  # a stretch of text without what says nothing at its ends
