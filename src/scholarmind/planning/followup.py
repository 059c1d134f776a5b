"""Make a question of a conversation stand alone: what it points back to is put in its place, and what it leaves out is added.

A question that stands alone is never changed. Where it is not sure what is meant, the question before is added in brackets.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from scholarmind.languages import language
from scholarmind.model import Name
from scholarmind.planning.coreference import (
    HAN,
    BackReference,
    NounPhrase,
    answers,
    find_references,
    language_in,
    members,
    resolve,
    salient,
    sides,
)
from scholarmind.planning.question_gate import small_talk
from scholarmind.planning.question_words import cleaned
from scholarmind.ports import StoodAlone, Turn

_LONGEST = 300  # characters; what is longer says itself what it is about
_LONGEST_BEFORE = 1_000  # characters of a question that are looked back to
_RECENT = 6  # turns that are looked back to
_SENTENCE = re.compile(r"(?<=[?？])\s*(?=\w)")
_CONTEXT = re.compile(r"(?<=[?？.。])\s*[(（](?P<context>[^()（）]+)[)）]\s*$")
_END = re.compile(r"[\s?？。.!！]+$")
_OF_ANY = frozenset(("of", "for"))  # prepositions that name another thing, whatever its place was
_SAID = frozenset(("is", "are", "was", "were", "'s"))
_NAME = re.compile(r"[A-Z0-9][\w.-]*(?: (?:of )?[A-Z0-9][\w.-]*)*")
_LIKE = 2  # points from which one thing may take the place of another


def stand_alone(question: str, turns: Sequence[Turn], names: Sequence[Name] = ()) -> StoodAlone:
    """Return a question that can be understood without the turns before it; `names` are those that the library knows in it."""
    text = cleaned(question).strip()
    earlier = _said_before(turns[-_RECENT:])
    if not earlier or len(text) > _LONGEST or small_talk(text):
        return StoodAlone(question=question, became=question)
    known = [name.text for name in names]
    became, reasons = list[str](), list[str]()
    typed = ""
    for sentence in _SENTENCE.split(text):
        if became and not reasons[0]:
            break  # what stands alone explains what was typed after it
        completed, reason = _Completion(sentence, earlier, known, typed).completed()
        typed += sentence + " "
        became.append(completed)
        reasons.append(reason)
        earlier.append((completed, ""))
    if not any(reasons):
        return StoodAlone(question=question, became=question)
    text = _in_language(" ".join(became), question)
    return StoodAlone(question=question, became=text, reason="; ".join(filter(None, reasons)))


def _said_before(turns: Sequence[Turn]) -> list[tuple[str, str]]:
    """Return the questions of turns with their answers, without those that the next turn took back ("no, I meant ...")."""
    said = list[tuple[str, str]]()
    for turn in turns:
        if said and language_in(turn.asked).pattern("followup.correction").search(turn.asked):
            said.pop()
        if not small_talk(turn.question):
            question = turn.question.strip()
            for code in ("en", "zh"):
                question = question.removeprefix(language(code).text("followup.answer_in"))
            said.append((question[:_LONGEST_BEFORE], turn.answer))
    return said


def _in_language(became: str, typed: str) -> str:
    """Ask for the language of what was typed where the question before, which was asked again, is in the other one."""
    spoken = language_in(typed)
    other = language_in(became).code != spoken.code and bool(HAN.search(became)) != (spoken.code == "zh")
    return spoken.text("followup.answer_in") + became if other else became


class _Completion:
    """One sentence that was typed, with what the conversation was about before it."""

    def __init__(self, typed: str, earlier: Sequence[tuple[str, str]], known: Sequence[str], typed_before: str) -> None:
        self.typed, self.known, self.typed_before = typed, known, typed_before
        self.language = language_in(typed)
        self.last = _SENTENCE.split(_CONTEXT.sub("", earlier[-1][0]))[-1]
        kept = _CONTEXT.search(earlier[-1][0])
        topic = _SENTENCE.split(kept["context"])[0] if kept else ""  # the question that began it
        self.context = f"{topic} {self.last}".strip()
        self.before = earlier[-1][0]
        things = [thing for question, answer in reversed(earlier) for thing in _by_salience(question, answer)]
        persons = {thing.text for thing in things if thing.person}
        self.things = [replace(thing, person=thing.text in persons) for thing in things]

    def completed(self) -> tuple[str, str]:
        """Return the sentence so that it stands alone, and why; the reason is empty where it stood alone already."""
        body = self.pattern("lead").sub("", self.typed, count=1)
        bare = self.pattern("tail").sub("", body).strip()
        if self.pattern("style").search(self.typed) or not bare or not self.things:
            return self.typed, ""
        if self.pattern("fragment_wh").search(bare):
            return self.with_last(bare)
        if self.is_fragment(bare, led=body != self.typed or self.typed.rstrip("?？ ") != bare):
            return self.fragment(bare)
        return self.of_sentence(body)

    def of_sentence(self, body: str) -> tuple[str, str]:
        """Complete a whole sentence: by its references, as a comparison without sides, or with the subject that it lacks."""
        offset = len(self.typed_before)
        answered = any(thing.role == "answer" for thing in self.things)
        if not offset and not answered and self.pattern("among").search(self.typed):
            return self.in_context()  # which ones is what the whole question before tells
        found = [
            reference for reference in find_references(self.typed_before + self.typed) if reference.start >= offset
        ]
        if found:
            return self.resolved(
                self.typed, [replace(each, start=each.start - offset, end=each.end - offset) for each in found]
            )
        if offset and find_references(self.typed):
            return self.typed, ""  # the sentence before it, which was typed with it, explains it
        if self.pattern("comparing").search(body) and not self.pattern("sided").search(body):
            return self.compared(body)
        return self.of_subject() if self.lacks_subject(body) else (self.typed, "")

    # -- what the words tell

    def pattern(self, name: str) -> re.Pattern[str]:
        return self.language.pattern(f"followup.{name}")

    def text(self, name: str) -> str:
        return self.language.text(f"followup.{name}")

    def is_fragment(self, bare: str, *, led: bool) -> bool:
        """Tell whether words are no sentence: a name, or a phrase with its preposition."""
        if self.language.code == "zh":
            return bool(self.pattern("fragment").search(bare)) and (led or len(bare) <= 6)
        words = [word.strip(",.;") for word in bare.lower().split()]
        verbal = (
            self.language.words("words.auxiliary") | self.language.words("words.wh") | {"i", "we", "you", "vs", "let"}
        )
        if verbal & set(words) or words[0] in self.language.words("words.order") or len(words) > 8:
            return False
        return led or len(words) <= 3 or words[0] in self.language.words("words.preposition")

    def lacks_subject(self, body: str) -> bool:
        """Tell whether a sentence names nothing that it could be about."""
        named = [thing for thing in salient(body) if thing.role != "time"]
        words = {re.sub(r"s$", "", thing.head) for thing in named if thing.article not in {"", "the"}}
        if words & self.language.words("followup.relational") and not re.search(r" (?:of|to|for) ", body):
            return True
        if any(thing.named for thing in named) and not self.pattern("under").match(body):
            return False
        if self.language.code == "zh":
            bare = self.pattern("tail").sub("", body)
            if self.pattern("correction").search(self.typed):
                bare = self.pattern("instead").sub("", bare)
            if opened := self.pattern("adverbial").match(bare):
                rest = bare[opened.end() :]
                return (
                    len(rest) <= 3
                    or bool(self.pattern("under").match(rest))
                    or not self.language.pattern("coreference.boundary").sub("", rest)
                )
            if self.pattern("under").match(bare) or (self.pattern("predicate").match(bare) and len(bare) <= 9):
                return True
            return (
                len(bare) <= 8
                and len(named) == 1
                and bool(self.pattern("property").search(named[0].text))
                and bare.startswith(named[0].text)
            )
        alone = [thing for thing in named if thing.role != "asked" or thing.article]
        if not alone:
            short = all(len(thing.text.split()) <= 2 for thing in named)
            return short and len(named) < 2 and not {"a", "an"} & set(body.lower().split()) and len(body.split()) <= 6
        after = body[alone[0].end :].split()[:1]
        if len(alone) > 1 or len(alone[0].text.split()) != 2 or self.language.words("words.preposition") & set(after):
            return False
        relational = re.sub(r"s$", "", alone[0].head) in self.language.words("followup.relational")
        mentioned = alone[0].article == "the" and any(alone[0].head == thing.head for thing in self.things)
        return relational or mentioned

    # -- ways to complete

    def with_last(self, bare: str) -> tuple[str, str]:
        """Return the question before and the words after it, which go on from it."""
        last = _END.sub("", self.last)
        first = bare.split(maxsplit=1)[0]
        if first.lower() in self.language.words("words.wh") or self.pattern("preposition").match(bare):
            bare = first.lower() + bare[len(first) :]
        return self.text("with_last").format(last=last, fragment=bare), self.text("in_context")

    def in_context(self, text: str = "") -> tuple[str, str]:
        """Return the sentence, or what it became so far, with the question before in brackets."""
        if not self.things:
            return self.typed, ""
        return self.text("with_context").format(question=text or self.typed, last=self.context), self.text("in_context")

    def of_subject(self) -> tuple[str, str]:
        """Return the sentence with the subject before it, where the question before names nothing else; else with that in brackets."""
        named = [thing for thing in salient(self.last) if thing.role != "time"]
        subject = next((thing for thing in named if thing.role == "subject"), None)
        if self.language.code != "zh" or subject is None or language_in(self.last).code != "zh":
            return self.in_context()
        owned = next(
            (thing for thing in named if thing.role == "aspect" and self.last[thing.start - 1] == "的"), subject
        )
        if subject.start or {thing.start for thing in named} - {subject.start, owned.start}:
            return self.in_context()
        topic = self.last[: owned.end]
        return topic + self.typed, self.text("asked_again").format(thing=topic)

    def resolved(self, text: str, references: Sequence[BackReference]) -> tuple[str, str]:
        """Return a text with what its references stand for in their place; with the question before where one is not sure."""
        reasons, meant = list[str](), list[list[NounPhrase]]()
        clause = self.language.pattern("coreference.clause")
        for number, reference in enumerate(references):  # two of a clause never stand for the same
            before = [each for each in references[:number] if not clause.search(text, each.end, reference.start)]
            used = {found[0].text for found in meant[number - len(before) :] if len(found) == 1}
            meant.append(resolve(reference, [thing for thing in self.things if thing.text not in used]))
        content = any(thing.role not in {"asked", "time"} for thing in salient(text))
        for reference, found in reversed(list(zip(references, meant, strict=True))):
            if content and reference.plural and len(found) == 1 and not found[0].plural:
                continue  # they speak Welsh in Wales: nobody that was named
            nobody = bool(found) and reference.person and not reference.plural and not found[0].person
            unanswered = nobody and self.language.pattern("coreference.who").search(self.last)
            if not found or unanswered:  # of a question for somebody, somebody is the answer
                sure = [] if unanswered else [each for each, things in zip(references, meant, strict=True) if things]
                return self.in_context(self.resolved(self.typed, sure)[0])
            named = self.joined(found, whole=reference.kind == "pronoun")
            form = {"possessive": "own", "place": "place"}.get(reference.kind, "")
            put = self.language.text(f"coreference.{form}").format(thing=named) if form else named
            text = text[: reference.start] + put + text[reference.end :]
            reasons.append(self.language.text("coreference.same").format(word=reference.text, things=named))
        return text, "; ".join(reversed(reasons))

    def joined(self, things: Sequence[NounPhrase], *, whole: bool = False) -> str:
        texts = list(dict.fromkeys(thing.whole if whole else thing.text for thing in things))
        return self.language.text("coreference.joined").join(texts)

    def compared(self, body: str) -> tuple[str, str]:
        """Return a comparison with its sides."""
        found = sides(self.things)
        if len(found) < 2 or any(thing.named and thing.role == "subject" for thing in salient(body)):
            return self.in_context()
        named = self.text("or").join(dict.fromkeys(thing.text for thing in found))
        bare = _END.sub("", self.typed)
        return self.text("sides").format(question=bare, sides=named), self.text("asked_again").format(thing=named)

    def fragment(self, bare: str) -> tuple[str, str]:
        """Return what a fragment asks: of another thing, of another aspect, or of a thing and another."""
        if corrected := self.pattern("corrected").search(bare):
            meant, bare = corrected["target"], bare[: corrected.start()]
            target = next((thing for thing in salient(self.last) if thing.text == meant), None)
            if target:
                became = self.last[: target.start] + bare + self.last[target.end :]
                return became, self.text("asked_again").format(thing=bare)
        bare = self.pattern("there").sub("", self.pattern("that_of").sub("", bare))
        if compared := self.pattern("compared").match(bare):
            return self.with_side(compared["thing"])
        references = [reference for reference in find_references(bare) if reference.kind != "one"]
        if not all(resolve(reference, self.things) for reference in references):
            return self.with_last(bare)
        resolved = self.resolved(bare, references)[0]
        if any(reference.kind == "possessive" for reference in references):
            return self.of_owner(bare, resolved, references[0])
        if self.pattern("property").search(resolved):
            return self.of_property(resolved, salient(self.last))
        return self.instead(resolved)

    def instead(self, bare: str) -> tuple[str, str]:
        """Return the question before, asked of what a fragment names in place of what is most like it."""
        if not (pieces := salient(bare)):
            return self.with_last(bare)
        piece = replace(pieces[0], named=pieces[0].named or bare in self.known)
        if piece.group >= 0:
            piece = replace(piece, text=bare[piece.start :])
        match = self.pattern("preposition").match(bare)
        opening = match[0].lower() if match and piece.role != "time" else ""
        for text in (self.last, self.before):
            targets = salient(text)
            missing = opening in _OF_ANY and all(target.preposition != opening for target in targets)
            if self.pattern("choice").search(text):
                targets = [target for target in targets if target.group < 0]
            targets = [_trimmed(target, piece) for target in targets]
            points = [_likeness(piece, target, opening="" if missing else opening) for target in targets]
            if max(points, default=0) >= _LIKE:
                return self.replaced(text, targets[points.index(max(points))], piece, bare)
        if match or piece.role == "time":
            return self.inserted(bare)
        return self.in_context() if self.language.code == "zh" else self.with_last(bare)

    def replaced(self, text: str, target: NounPhrase, piece: NounPhrase, bare: str) -> tuple[str, str]:
        """Return the question before with a piece in the place of a thing, or of all that are joined with it."""
        start, end = target.start, target.end
        put = piece.text
        if self.pattern("one").search(bare):
            put = self.pattern("one").sub(target.head, bare[piece.start :])
        elif target.group >= 0:
            group = [each for each in members(target, salient(text)) if each.role == target.role]
            start, end = group[0].start, group[-1].end
            if self.pattern("contrast").search(text):
                start, put = end, self.text("coordinate") + put
        elif _NAME.fullmatch(piece.text) and (name := _NAME.search(target.text)):
            start, end = target.start + name.start(), target.start + name.end()
        became = text[:start] + put + text[end:]
        if text == self.last:
            became += self.before[len(_CONTEXT.sub("", self.before)) :]
        return became, self.text("asked_again").format(thing=put)

    def inserted(self, bare: str) -> tuple[str, str]:
        bare = bare[0].lower() + bare[1:] if self.pattern("preposition").match(bare) else bare
        became = self.text("inserted").format(last=_END.sub("", self.last), fragment=bare)
        became += self.before[len(_CONTEXT.sub("", self.before)) :]
        return became, self.text("asked_again").format(thing=bare)

    def with_side(self, other: str) -> tuple[str, str]:
        """Return the question before, asked of its subject and another thing."""
        subject = next((thing for thing in salient(self.last) if thing.role == "subject"), None)
        if subject is None:
            return self.in_context()
        put = f"{subject.text}{self.text('coordinate')}{other}"
        return self.last[: subject.start] + put + self.last[subject.end :], self.text("asked_again").format(thing=put)

    def of_owner(self, bare: str, resolved: str, owner: BackReference) -> tuple[str, str]:
        """Return the question before with another aspect of what it was about; or the aspect with its owner."""
        found = [thing.text for thing in resolve(owner, self.things)]
        targets = salient(self.last)
        aspect = next((thing for thing in targets if thing.role == "aspect" and thing.preposition in _SAID), None)
        if aspect and any(thing.text in found for thing in targets):
            put = " ".join(filter(None, (aspect.article, bare[owner.end :].strip())))
            return self.last[: aspect.start] + put + self.last[aspect.end :], self.text("asked_again").format(thing=put)
        return self.typed.replace(bare, resolved), self.language.text("coreference.same").format(
            word=owner.text, things=found[0]
        )

    def of_property(self, bare: str, targets: Sequence[NounPhrase]) -> tuple[str, str]:
        """Return the question before with its aspect replaced; or the property of what it was about."""
        aspect = next((thing for thing in targets if thing.role == "aspect"), None)
        subject = next((thing for thing in targets if thing.role == "subject"), None)
        if aspect and aspect.start and self.last[aspect.start - 1] == "的":
            return self.last[: aspect.start] + bare + self.last[aspect.end :], self.text("asked_again").format(
                thing=bare
            )
        if subject is None or len(targets) > 2:
            return self.with_last(bare)
        named = self.language.text("coreference.own").format(thing=self.joined(members(subject, targets)))
        return self.typed.replace(bare, named + bare), self.text("asked_again").format(thing=named + bare)


def _trimmed(target: NounPhrase, piece: NounPhrase) -> NounPhrase:
    """End a Chinese thing where the piece that is like it ends: 京沪高铁 of 京沪高铁全长, before 京广高铁."""
    end = target.text.find(piece.text[-2:], 1) + 2
    if end < 3 or target.named or not HAN.match(piece.text[-2:]) or len(piece.text) < 3:
        return target
    return replace(target, text=target.text[:end], end=target.start + end, head=target.text[end - 1])


def _likeness(piece: NounPhrase, target: NounPhrase, *, opening: str) -> int:
    """Return how like two things are by their form: their place, their last word, article, number, and whether they are names."""
    if "time" in {piece.role, target.role}:
        return 9 if piece.role == target.role else -9
    if opening and target.preposition != opening:
        return -9
    points = -(target.group >= 0) + 3 * (piece.head == target.head) + 2 * bool(opening)
    chinese = language_in(target.source).code == "zh"
    if piece.named != target.named:
        points -= 2 if chinese else 9
    elif chinese:
        reach = 0 if target.role == "aspect" else 1
        points += 2 if piece.named or abs(len(piece.text) - len(target.text)) <= reach else -2
    else:
        points += piece.named + (piece.article == target.article) + (piece.plural == target.plural)
        shapes = [_shape(thing.text.split()[-1]) for thing in (piece, target)]
        points += (shapes[0] == shapes[1]) * min(len(shapes[0]) - 1, 2)
    return points + {"subject": 1, "aspect": -(not chinese), "asked": -1}.get(target.role, 0)


def _shape(word: str) -> str:
    """Return the form of a word: `Aa-Aa` of English-French, `0` of a number, `a` of what is written small."""
    return re.sub(
        r"(.)\1+",
        r"\1",
        "".join("0" if c.isdigit() else "A" if c.isupper() else "a" if c.isalpha() else c for c in word),
    )


def _by_salience(question: str, answer: str) -> list[NounPhrase]:
    """Return what a turn was about, the likeliest to be spoken of again first."""
    order = {"answer": 0, "subject": 1, "other": 2, "aspect": 3, "asked": 4, "time": 5}
    context = _CONTEXT.search(question)
    main = salient(_CONTEXT.sub("", question))
    named = [*answers(question, answer), *(salient(context["context"]) if context else ()), *main]
    return sorted(named, key=lambda thing: order[thing.role])
