"""What speaks for and against a sentence that cites sources: counts and shares that a small trained model weighs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, pairwise

from scholarmind.judge.alignment import Place, Stretch, closest, stretches
from scholarmind.judge.amounts import Amount, is_derived
from scholarmind.judge.wording import Token, Wording, read

_CLOSED = ("negation", "universal", "partial", "restrict", "hedge", "up", "down", "before", "after")
_OPPOSITE = (("up", "down"), ("before", "after"), ("universal", "partial"))
_GAP = 8  # tokens: what is further apart is no frame
_MOST = 12  # amounts of a sentence


@dataclass(frozen=True)
class Comparison:
    """A sentence beside its sources."""

    wanted: Wording
    given: tuple[Wording, ...]
    about: Wording

    @classmethod
    def of(cls, sentence: str, sources: Sequence[str], about: str = "") -> "Comparison":
        return cls(read(sentence), tuple(map(read, sources)), read(about))

    @cached_property
    def places(self) -> list[Place]:
        return [Place(number, sentence) for number, source in enumerate(self.given) for sentence in source.sentences]

    @cached_property
    def near(self) -> list[Place]:
        return closest(self.wanted, self.places)

    @cached_property
    def same(self) -> list[Stretch]:
        return stretches(self.wanted, self.near)

    @cached_property
    def known(self) -> frozenset[str]:
        return self.about.forms.union(*(one.forms for one in self.given))

    @cached_property
    def content(self) -> list[Token]:
        return [token for token in self.wanted.tokens if token.content]

    @cached_property
    def signs(self) -> dict[str, float]:
        if not self.content or not self.near:
            return {}
        found = self._shares() | self._order() | self._classes() | self._amounts() | self._names()
        for gap in self._gaps():
            for name, value in gap.items():
                found[name] = found.get(name, 0.0) + value
        return found

    def amounts_of(self, place: Place) -> list[Amount]:
        """Return the amounts of a sentence of the sources."""
        start, end = place.tokens[0].start, place.tokens[-1].end
        return [amount for amount in self.given[place.source].amounts if start <= amount.start < end]

    def has_same_classes(self, place: Place) -> bool:
        """Tell whether a sentence of the sources denies if this one does, and does not point the other way."""
        mine, theirs = self._mine(), [name for own in place.classes for name in own]
        if mine.count("negation") % 2 != theirs.count("negation") % 2:
            return False
        return not any(
            here in mine and there not in mine and there in theirs and here not in theirs
            for one, other in _OPPOSITE
            for here, there in ((one, other), (other, one))
        )

    # -- how much is the same

    def _shares(self) -> dict[str, float]:
        size, count = len(self.wanted.tokens), len(self.content)
        window = frozenset[str]().union(*(place.forms for place in self.near[:2]))
        copied = sum(one.length for one in self.same if one.length >= (4 if self.wanted.chinese else 3))
        absent = [token for token in self.content if token.form not in self.known]
        strange = {token for token in absent if not self._has_kin(token.form)}
        half = (count + 1) // 2
        counted = Counter(form for place in self.places for form in place.forms & self.wanted.forms)
        own = [counted[token.form] for token in self.content]
        held = [token for token in self.near[0].tokens if token.content]
        forms = self.wanted.forms
        return {
            "strange_first": sum(token in strange for token in self.content[:half]) / half,
            "strange_last": sum(token in strange for token in self.content[half:]) / max(1, count - half),
            "strange_run": _longest_run([token in strange for token in self.content]) / count,
            "specific": sum(number == 1 for number in own) / count,
            "common": sum(number > 1 for number in own) / count,
            "retold": sum(token.form in forms for token in held) / max(1, len(held)),
            "in_one": sum(token.form in self.near[0].forms for token in self.content) / count,
            "in_two": sum(token.form in window for token in self.content) / count,
            "in_all": 1 - len(absent) / count,
            "strange": len(strange) / count,
            "some_strange": min(len(strange), 6),
            "one_strange": len(strange) == 1,
            "longest": max((one.length for one in self.same), default=0) / size,
            "copied": copied / size,
            "pieces": len(self.same) / size,
            "size": min(count, 40) / 10,
            "places": len({one.place for one in self.same if self._weight(one) > 1}),
            "sources": len({self.near[one.place].source for one in self.same if self._weight(one) > 1}),
            "chinese": self.wanted.chinese,
        }

    def _weight(self, one: Stretch) -> int:
        return sum(token.content for token in self.wanted.tokens[one.start : one.end])

    def _has_kin(self, form: str) -> bool:
        """Tell whether a word of the sources begins as this one does."""
        return len(form) > 4 and form.isascii() and form[:5] in self._beginnings

    @cached_property
    def _beginnings(self) -> frozenset[str]:
        return frozenset(form[:5] for form in self.known if len(form) > 4)

    # -- what differs in the frame of what is the same

    def _gaps(self) -> list[dict[str, float]]:
        found: list[dict[str, float]] = []
        size = len(self.wanted.tokens)
        for one, other in pairwise(self.same):
            if one.place != other.place or not 0 <= other.at - one.until <= _GAP:
                continue
            found.append(
                self._gap((one.end, other.start), (one.until, other.at), one.place, (one.length + other.length) / size)
            )
        for one in self.same:
            tokens = self.near[one.place].tokens
            if one is self.same[0] and one.start:
                begin = max(0, one.at - max(3, one.start + 2))
                while begin < one.at and tokens[begin].clause != tokens[one.at].clause:
                    begin += 1
                found.append(self._gap((0, one.start), (begin, one.at), one.place, one.length / size, "edge_"))
            if one is self.same[-1] and one.end < size:
                end = min(len(tokens), one.until + max(3, size - one.end + 2))
                while end > one.until and tokens[end - 1].clause != tokens[one.until - 1].clause:
                    end -= 1
                found.append(self._gap((one.end, size), (one.until, end), one.place, one.length / size, "edge_"))
        return found

    def _gap(
        self, mine: tuple[int, int], theirs: tuple[int, int], place: int, frame: float, where: str = ""
    ) -> dict[str, float]:
        """Weigh what stands in the sentence, and what in the source, between two stretches that are the same."""
        new = [token for token in self.wanted.tokens[slice(*mine)] if token.content]
        old = [token for token in self.near[place].tokens[slice(*theirs)] if token.content]
        if new and old:
            known = sum(token.form in self.known for token in new) / len(new)
            return {
                f"{where}replaced": 1,
                f"{where}replaced_frame": frame,
                f"{where}replaced_known": frame * known,
                f"{where}replaced_one": frame * (len(new) <= (2 if self.wanted.chinese else 1)),
            }
        if new:
            return {f"{where}added": 1, f"{where}added_frame": frame}
        if old and not where:
            return {"dropped": 1, "dropped_frame": frame, "dropped_words": min(len(old), 6)}
        return {}

    # -- order

    def _order(self) -> dict[str, float]:
        turned = total = 0
        for index, one in enumerate(self.same):
            for other in self.same[index + 1 :]:
                if one.place == other.place:
                    weight = self._weight(one) * self._weight(other)
                    total += weight
                    turned += weight * (other.at < one.at)
        crossed = 0.0
        for one, middle, other in zip(self.same, self.same[1:], self.same[2:], strict=False):
            if one.place == middle.place == other.place and other.at < middle.at < one.at:
                span = one.until - other.at
                share = (one.length + middle.length + other.length) / max(span, other.end - one.start)
                crossed = max(crossed, share * min(1, self._weight(one)) * min(1, self._weight(other)))
        share = turned / total if total else 0.0
        voice = self._has_agent(self.wanted.tokens) != self._has_agent(self.near[0].tokens)
        found = sum(one.length for one in self.same) / len(self.wanted.tokens)
        return {
            "turned": share,
            "turned_copied": share * found,
            "turned_same_voice": share * found * (not voice),
            "crossed": crossed,
            "crossed_same_voice": crossed * (not voice),
        }

    def _has_agent(self, tokens: Sequence[Token]) -> bool:
        return any(token.form in {"by", "被", "由", "把", "将"} for token in tokens)

    # -- words of grammar that turn the sense

    def _classes(self) -> dict[str, float]:
        mine = self._mine()
        theirs = self._theirs()
        found: dict[str, float] = {}
        for name in _CLOSED:
            here, there = mine.count(name), theirs.get(name, 0.0)
            anywhere = any(name in own for place in self.near for own in place.classes)
            found[f"{name}_only_here"] = here > 0 and not anywhere
            found[f"{name}_more_here"] = min(2, max(0, here - there))
            found[f"{name}_left_out"] = there if not here else 0.0
        for one, other in _OPPOSITE:
            for name, against in ((one, other), (other, one)):
                found[f"{name}_for_{against}"] = (
                    name in mine and against not in mine and theirs.get(against, 0) > 0 and not theirs.get(name, 0)
                )
        found["joining"] = "joining" in mine
        found["odd_negation"] = (mine.count("negation") % 2 != round(theirs.get("negation", 0)) % 2) * 1.0
        return found

    def _mine(self) -> list[str]:
        return [name for own in self.wanted.classes.values() for name in own]

    def _theirs(self) -> dict[str, float]:
        """Return how often each class stands in the clauses of the sources that the sentence takes its words from."""
        forms = {token.form for token in self.content}
        counts: dict[str, float] = {}
        for place in self.near[:2] if len(self.near) > 1 and len(self.fresh(1)) > 2 else self.near[:1]:
            clauses: dict[int, list[bool]] = {}
            for token in place.tokens:
                if token.content:
                    clauses.setdefault(token.clause, []).append(token.form in forms)
            for token, own in zip(place.tokens, place.classes, strict=True):
                inside = clauses.get(token.clause, [])
                share = sum(inside) / len(inside) if inside else 0.0
                for name in own:
                    if share >= 0.4:
                        counts[name] = counts.get(name, 0.0) + 1
        return counts

    def fresh(self, index: int) -> set[str]:
        """Return the words of the sentence that this one of the closest places has, and none before it."""
        earlier = frozenset[str]().union(*(place.forms for place in self.near[:index]))
        return {token.form for token in self.content} & self.near[index].forms - earlier

    # -- amounts and names

    def _amounts(self) -> dict[str, float]:
        mine = [amount for amount in self.wanted.amounts if amount.exact]
        given = [amount for one in (*self.given, self.about) for amount in one.amounts]
        near = [amount for place in self.near[:2] for amount in self.amounts_of(place)]
        absent = [amount for amount in mine if not any(map(amount.same, given))]
        derived = [amount for amount in absent if is_derived(amount, near)]
        return {
            "amounts": min(len(mine), 4),
            "absent": min(2, len(absent) - len(derived)),
            "absent_digits": min(2, sum(self._in_digits(amount) for amount in absent if amount not in derived)),
            "derived": min(2, len(derived)),
            "elsewhere": min(
                2, sum(any(map(amount.same, given)) and not any(map(amount.same, near)) for amount in mine)
            ),
            "misplaced": max(
                (
                    self._misplaced(amount, around)
                    for amount, around in zip(self.wanted.amounts[:_MOST], self.wanted.surroundings, strict=False)
                    if amount.exact
                ),
                default=0.0,
            ),
        }

    def _in_digits(self, amount: Amount) -> bool:
        return any(map(str.isdigit, self.wanted.text[amount.start : amount.end]))

    def _misplaced(self, amount: Amount, mine: frozenset[str]) -> float:
        """Return how much more the words around an amount are those around another than those around it in the sources."""
        same = other = 0.0
        for source in self.given:
            for each, theirs in zip(source.amounts, source.surroundings, strict=True):
                if each.exact and (amount.unit == each.unit or amount.same(each)):
                    share = len(mine & theirs) / max(1, len(mine))
                    if amount.same(each):
                        same = max(same, share)
                    else:
                        other = max(other, share)
        return max(0.0, other - same)

    def _names(self) -> dict[str, float]:
        named = [token for token in self.content if token.name]
        absent = [token for token in named if token.form not in self.known]
        one = self.near[0].forms
        apart = [token for token in named if token.form in self.known and token.form not in one]
        return {"names": min(4, len(named)), "absent_names": min(2, len(absent)), "apart_names": min(2, len(apart))}


def _longest_run(flags: Sequence[bool]) -> int:
    return max((len(list(group)) for flag, group in groupby(flags) if flag), default=0)
