"""English questions that lack what they are about: `Which is larger?`, `How many layers?`, `Who are the authors?`."""

import re

from scholarmind.planning.earlier import Earlier, Rewritten, in_english
from scholarmind.planning.mentions import LIST_JOINT, is_aspect, mentions_of
from scholarmind.planning.pointers_english import POINTER
from scholarmind.planning.pointing import referents, where
from scholarmind.planning.protected import Protector
from scholarmind.planning.words import ASKING, AUX, WH, capital, content, is_plural, question
from scholarmind.text.patterns import lazy_regex

_WHICH = lazy_regex(
    r"^(?:(?:on|in|for|at) [^,]{1,40}, )?which(?: (?:one|model|method|paper|of them))? "
    r"(?:is|was|has|came|performs|does|runs|needs|uses|trains|scores)\b.*\b(?:[a-z]+er|better|best|[a-z]+est|more|most|less|least|first)\b",
    re.IGNORECASE,
)
_AUX_INSIDE = lazy_regex(rf"\s(?:{'|'.join(sorted(AUX))})\b", re.IGNORECASE)
_UNNAMED = lazy_regex(
    r"^how (?:many|much) (?:[a-z\-]+ ){0,2}[a-z\-]+s$|^(?:which|what) (?:components?|steps?|layers?|settings?|hyperparameters?"
    r"|ablations?|experiments?|variants?|sizes?)\b",
    re.IGNORECASE,
)
_AMOUNT = lazy_regex(r"^how (?:many|much) [a-z \-]+$", re.IGNORECASE)
_DEGREE = lazy_regex(r"^how (?!many|much)[a-z]+$", re.IGNORECASE)
_LACKS_OWNER = lazy_regex(
    r"\bthe\b|^how (?:many|much|large|big|fast|long|deep|well|good)\b"
    r"|^(?:which|what) [a-z]+(?: [a-z]+)?(?: (?:was|were)\b| (?:is|are) (?:used|trained|needed|required|reported|proposed)$|$)",
    re.IGNORECASE,
)
_MOST_WORDS = 4
_DIFFERS = lazy_regex(
    r"^(?P<ask>how (?:is|are|does|do) (?P<x>[^,]+?) (?P<how>differ|different|compare))$", re.IGNORECASE
)
_LONGEST_WHICH = 9  # words
_INCOMPLETE = frozenset(
    "many much used trained training exactly main key reported evaluated needed required total published released proposed "
    "large big fast long deep final exact overall biggest most written presented tested original new paper model method "
    "experiments experiment evaluation gap gain improvement drop explains explain causes behind".split()
)
_BY_VERB = frozenset(
    "used trained evaluated needed required published released proposed tested reported written presented".split()
)


def incomplete(body: str, earlier: Earlier) -> Rewritten | None:
    """Return a question with what it lacks, or None where it lacks nothing."""
    if not earlier.subjects or POINTER.search(body):
        return None
    return _which_of(body, earlier) or _differing(body, earlier) or _unnamed(body, earlier)


def _which_of(body: str, earlier: Earlier) -> Rewritten | None:
    """Complete `Which is larger?` with the things that were named."""
    things = referents(earlier, "pair") if _WHICH.match(body) and len(body.split()) <= _LONGEST_WHICH else ()
    named = any(mention.sort in {"name", "person"} for mention in mentions_of(Protector().line(body)))
    if not things or named:
        return None
    return f"{capital(body)}, {in_english(things).replace(' and ', ' or ')}?", f"to be compared: {in_english(things)}"


def _differing(body: str, earlier: Earlier) -> Rewritten | None:
    """Complete `How is GPT-2 different?` with what it is to be compared with."""
    match = _DIFFERS.match(body)
    if not match or LIST_JOINT.search(match["x"]):
        return None
    joint = "with" if match["how"].lower() == "compare" else "from"
    things = in_english([thing for thing in earlier.subjects if thing not in match["x"]])
    return (f"{capital(match['ask'])} {joint} {things}?", f"to be compared: {things}") if things else None


def _unnamed(body: str, earlier: Earlier) -> Rewritten | None:
    """Complete `Who are the authors?` and `How many parameters?`, which name nothing that has them."""
    if not asks(body) or mentions_of(Protector().line(body)):
        return None
    words = content(body)
    if _UNNAMED.match(body) and len(words) <= _MOST_WORDS:
        joint = "for" if body.lower().startswith("how") else "in"
        return question(f"{body} {joint} {in_english(earlier.subjects)}"), f"{body}: {in_english(earlier.subjects)}"
    if not words or not all(is_aspect(word) or word in _INCOMPLETE for word in words) or not _lacks_owner(body):
        return None
    things = in_english(earlier.subjects) + where(earlier, body)
    by_verb = bool(set(words) & _BY_VERB)
    if _AMOUNT.match(body) and not _AUX_INSIDE.search(body) and not by_verb:
        verb = "do" if len(earlier.subjects) > 1 or is_plural(things) else "does"
        became = f"{capital(body)} {verb} {things} have?"
    elif _DEGREE.match(body):
        became = f"{capital(body)} {'are' if len(earlier.subjects) > 1 else 'is'} {things}?"
    else:
        between = body.endswith(("gap", "difference")) and len(earlier.together) > 1
        joint = "for" if by_verb else "between" if between else "of"
        became = question(f"{body} {joint} {in_english(earlier.together) if between else things}")
    return became, f"{body}: {things}"


def _lacks_owner(body: str) -> bool:
    """Tell whether a question asks for `the size` or `how many layers`; `What is perplexity?` asks for a meaning."""
    return _LACKS_OWNER.search(body) is not None


def asks(text: str) -> bool:
    """Tell whether a text asks or orders something, by its words."""
    words = re.findall(r"[a-z']+", text.lower())
    return any(word in AUX or word in WH for word in words if word != "may") or (bool(words) and words[0] in ASKING)
