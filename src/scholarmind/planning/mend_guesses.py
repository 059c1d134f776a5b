"""Guesses in the parts of a model's plan: `#N` takes the place of what another part is to find out; what guesses anything else goes."""

import re
from dataclasses import replace

from scholarmind.planning.draft import reference, referred
from scholarmind.planning.grounds import Grounds
from scholarmind.planning.sheet import Sheet
from scholarmind.planning.vague import only_points
from scholarmind.planning.words import CHINESE, content, question

_EXAMPLE = r"such as|e\.g\.,?|for example,?|for instance,?|including|namely|like|i\.e\.,?|例如|比如|譬如|包括|诸如|如"


def mend_guesses(sheet: Sheet, grounds: Grounds) -> None:
    """Put `#N` where a part has a value that another part is to find out; take out a part that guesses anything else."""
    for place, draft in sheet.walk():
        if only_points(draft.text):
            continue  # its numbers are those of parts
        guesses = _without_examples(sheet, place, grounds)
        for guess in guesses:
            if not _mend_guess(sheet, place, guess, alone=len(guesses) == 1):
                sheet.refuse(place, f"took {guess[:60]!r} for granted")
                break
    sheet.prune()


def _without_examples(sheet: Sheet, place: int, grounds: Grounds) -> list[str]:
    """Return the guesses of a part, once those are gone that are only examples: `later work such as Longformer`."""
    draft = sheet.drafts[place]
    guesses = grounds.guesses(draft.text)
    if not guesses:
        return []
    some = "|".join(re.escape(guess) for guess in sorted(guesses, key=len, reverse=True))
    row = rf"(?:{some})(?:\s*(?:,|、|和|或|\band\b|\bor\b)+\s*(?:{some}))*(?:\s*(?:,\s*)?etc\.?|等)?"
    inner = rf"\s*[,，]?\s*[(（]?\s*(?:{_EXAMPLE})\s*(?:{row})\s*[)）]?|\s*[(（][^()（）]*(?:{some})[^()（）]*[)）]"
    text = re.sub(
        rf"(?:{inner})(?:(\s*[?.,;？。，]|$)|)",
        lambda match: match[1] or ("" if CHINESE.search(match.string) else " "),
        draft.text,
    )
    text = " ".join(text.split())
    if text == draft.text or not content(text):
        return guesses
    sheet.put(place, replace(draft, text=question(text)))
    sheet.note(f"{sheet.name(place)} gave examples that nobody named: they were left out")
    return grounds.guesses(text)


def _mend_guess(sheet: Sheet, place: int, guess: str, *, alone: bool) -> bool:
    """Put a reference in the place of a guess, if the part waits for one other of which it would be the answer."""
    draft = sheet.drafts[place]
    free = [each for each in draft.after if each not in referred(draft.text)]
    return alone and len(free) == 1 and _wait_for(sheet, place, free[0], guess)


def _wait_for(sheet: Sheet, place: int, other: int, value: str) -> bool:
    """Replace a value by the reference to the part that it would be the answer of, if that closes no circle."""
    draft = sheet.drafts[place]
    if other not in sheet.drafts or sheet.reaches(other, place):
        return False
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)" if value.isascii() else re.escape(value)
    text = re.sub(pattern, reference(other), draft.text, flags=re.IGNORECASE)
    if text == draft.text:
        return False
    sheet.put(place, replace(draft, text=text, after=tuple(dict.fromkeys((*draft.after, other)))))
    sheet.note(
        f"{sheet.name(place)} had a value in it that {sheet.name(other)} is to find out: it waits for that answer"
    )
    return True
