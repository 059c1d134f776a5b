"""Macros that authors define: taken out of the source, and those without arguments put in where they are used."""

import re
from dataclasses import dataclass, field

_DEFINITION = re.compile(
    r"\\(?:(?P<new>(?:re|provide)?newcommand|DeclareRobustCommand|DeclareMathOperator|DeclarePairedDelimiter)\*?\s*"
    r"\{?\s*\\(?P<name>[a-zA-Z@]+)\s*\}?(?P<arguments>(?:\s*\[[^\]\n]*\])*)\s*|"
    r"(?:long|global|protected|outer)?\\?[gex]?def\s*\\(?P<defined>[a-zA-Z@]+)(?P<pattern>[^\n{]*))(?=\{)"
)
_THEOREM = re.compile(
    r"\\(?:newtheorem|declaretheorem)\*?\s*(?:\[[^\]]*\])?\{(\w+\*?)\}\s*(?:\[[^\]]*\])?(?:\{([^{}]*)\})?(?:\[[^\]]*\])?"
)
_USE = re.compile(r"\\([a-zA-Z@]+)")
_BRACE = re.compile(r"\\[\s\S]|[{}]")
_MOST = 2_000
_LONGEST = 500
_LONGEST_DEFINITION = 10_000
_MOST_BROKEN = 50  # definitions without an end, before no more are looked for
_MOST_GROWTH = 1_000_000
_PASSES = 5
_KEPT = frozenset(
    "and title author date section cite ref label begin end item caption footnote document maketitle".split()
)


@dataclass(slots=True)
class Macros:
    """A source without definitions: what was defined, and what its theorems are called."""

    text: str
    bodies: dict[str, str] = field(default_factory=dict[str, str])
    theorems: dict[str, str] = field(default_factory=dict[str, str])


def expanded(text: str) -> Macros:
    """Return the source with the author's own abbreviations written out."""
    macros = Macros(text=_without_definitions(text, bodies := {}), bodies=bodies)
    macros.theorems = {name: title for name, title in _THEOREM.findall(macros.text) if title}
    macros.text = _THEOREM.sub("", macros.text)
    budget = _MOST_GROWTH
    for _ in range(_PASSES):
        text, budget = _expand(macros.text, macros.bodies, budget)
        if text == macros.text:
            break
        macros.text = text
    return macros


def group_end(text: str, opening: int, longest: int = _LONGEST_DEFINITION) -> int:
    """Return where the group that opens here closes, or -1 if it does not, or not soon."""
    depth = 0
    for found in _BRACE.finditer(text, opening, opening + longest):
        depth += {"{": 1, "}": -1}.get(found[0], 0)
        if depth == 0:
            return found.start()
    return -1


def _without_definitions(text: str, bodies: dict[str, str]) -> str:
    text = _without_dead_parts(text)
    kept: list[str] = []
    position = broken = 0
    for number, found in enumerate(_DEFINITION.finditer(text)):
        if found.start() < position or number > _MOST or broken > _MOST_BROKEN:
            continue
        end = group_end(text, found.end())
        if end < 0:
            broken += 1
            continue
        name, body = found["name"] or found["defined"], text[found.end() + 1 : end].strip()
        takes = (found["arguments"] or found["pattern"] or "").strip() or "#" in body
        if not takes and len(body) <= _LONGEST and name not in _KEPT and r"\begin" not in body:
            bodies[name] = body.replace(r"\xspace", "")
        kept.append(text[position : found.start()])
        position = end + 1
    return "".join((*kept, text[position:]))


def _without_dead_parts(text: str) -> str:
    kept: list[str] = []
    position = 0
    while (start := text.find(r"\iffalse", position)) >= 0 and (end := text.find(r"\fi", start + 8)) >= 0:
        kept.append(text[position:start])
        position = end + 3
    return "".join((*kept, text[position:]))


def _expand(text: str, bodies: dict[str, str], budget: int) -> tuple[str, int]:
    if not bodies:
        return text, budget

    def body_of(found: re.Match[str]) -> str:
        nonlocal budget
        body = bodies.get(found[1])
        if body is None or budget < len(body):
            return found[0]
        budget -= len(body)
        return body

    return _USE.sub(body_of, text), budget
