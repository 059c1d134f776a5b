"""What a pattern of a sentence is, whichever language it is for. Pure."""

import re
from dataclasses import dataclass

from scholarmind.relations import Relation


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that stand between a subject and its objects, and the relation that they tell."""

    relation: Relation
    pattern: re.Pattern[str]
