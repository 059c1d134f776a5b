"""Choose passages one at a time, each from the list that promises most: the rows and the original question are the arms of a bandit.

Each arm has a Beta distribution of how good its next passage will be. A draw from each decides whose turn it is (Thompson sampling),
so that an arm with poor passages is asked rarely, and one of which little is known is asked now and then.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scholarmind.model import Evidence
from scholarmind.ranking import Key, key_of, merged
from scholarmind.steps.choosing import Choosing


@dataclass(slots=True, kw_only=True, eq=False)
class _Arm:
    """A list that is taken from, best first, and what is believed of it: at first nothing."""

    rest: Iterator[Key]
    good: float = 1.0
    bad: float = 1.0

    def learn(self, reward: float) -> None:
        self.good += reward
        self.bad += 1 - reward


def bandit(lists: Mapping[str, Sequence[Evidence]], places: int, seed: int = 0) -> list[Evidence]:
    """Return the passages that are pulled, in that order. The lists are by label; every arm is tried once before any is drawn.

    The reward of a passage is places / (places + passages before it), where it stands among the passages of all lists by score:
    1 for the best of all, 1/2 for the first that would get no place if there were no arms, down to 0. By its place in its own list
    every arm would look the same, by its place in the question's list no arm at the end of a chain would earn anything, and
    scores are spread in another way in each library, which ranks are not. Chance is drawn from the lists: equal ones give equal passages.
    """
    pool = merged(lists.values())
    rewards = _rewards(pool, places)
    choosing = Choosing(pool, places)
    arms = [_Arm(rest=iter([key_of(item) for item in items])) for items in lists.values()]
    chance = random.Random(f"{seed} {[(label, list(map(key_of, items))) for label, items in lists.items()]}")  # noqa: S311  (no secret)
    untried = list(reversed(arms))
    while arms and not choosing.full:
        arm = untried.pop() if untried else max(arms, key=lambda arm: chance.betavariate(arm.good, arm.bad))
        key = choosing.take_one(arm.rest)
        if key is None:
            arms.remove(arm)
        else:
            arm.learn(rewards[key])
    return choosing.chosen()


def _rewards(pool: Mapping[Key, Evidence], places: int) -> dict[Key, float]:
    """Return what each passage is worth to the arm that brings it."""
    ranked = sorted(pool, key=lambda key: (-pool[key].scores.fused, key))
    return {key: places / (places + before) for before, key in enumerate(ranked)}
