"""What was counted, as a plain English sentence."""

import re
from collections.abc import Callable, Mapping

from scholarmind.library.relating.paper_sets import Subject
from scholarmind.library.relating.sentence_parts import Told, listing, noun
from scholarmind.relations import Form, NodeKind, Relation

_BEGINS = re.compile(r"^(?:the|all|any|those|these|papers|methods|models)\b")
_DOES: Mapping[Relation, tuple[str, str]] = {  # of one, of several
    "IMPROVES_ON": ("builds on", "build on"),
    "EVALUATED_ON": ("was evaluated on", "were evaluated on"),
    "REPORTS": ("was evaluated on", "were evaluated on"),
    "USES": ("uses", "use"),
    "CITES": ("cites", "cite"),
    "ADDRESSES": ("addresses", "address"),
    "PROPOSES": ("proposes", "propose"),
}

_PAPER_REPORTS = ("reports results on", "report results on")
_OF: Mapping[NodeKind, str] = {"author": "by", "institution": "from", "venue": "at", "year": "of"}
_STATED: Mapping[NodeKind, tuple[str, str]] = {
    "author": ("was proposed by", "were proposed by"),
    "institution": ("comes from", "come from"),
    "venue": ("was published at", "were published at"),
}

_WRITTEN = ("was written by", "were written by")
_MOST: Mapping[Relation, str] = {
    "USES": "that most papers in the library use",
    "EVALUATED_ON": "that most papers in the library report results on",
    "REPORTS": "that most papers in the library report results on",
    "IMPROVES_ON": "that most papers in the library build on",
    "CITES": "that most papers in the library cite",
}


def sentence(told: Told) -> str:
    """Return the sentence."""
    forms: Mapping[Form, Callable[[Told], str]] = {
        "count": _list,
        "list": _list,
        "ranking": _ranking,
        "first": _order,
        "latest": _order,
        "results": _results,
        "contradictions": _contradictions,
        "lineage": _lineage,
        "common": _common,
    }
    said = forms[told.query.form](told)
    return said[0].upper() + said[1:] if _BEGINS.match(said) else said


def which(told: Told, subject: Subject) -> str:
    """Return which papers are left out."""
    return f"those {_of(told, subject, several=True)}"


def left_out(names: list[str]) -> str:
    """Return that something is left out, behind a sentence."""
    return f" (not counting {listing(names, chinese=False)})"


def _about(told: Told) -> str:
    return listing([subject.text for subject in told.subjects], chinese=False)


def _names(told: Told) -> str:
    """Return what was found by name; of a count, how many of what."""
    if told.counts:
        return f"{told.items[0]} {noun(told.query.wanted, chinese=False, many=told.several)}"
    return listing(told.items, chinese=False, most=told.most)


def _of_papers(told: Told, *, several: bool = True) -> str:
    """Return which papers are meant, behind the word: by whom, on what, from when."""
    of = [_of(told, subject, several=several) for subject in told.subjects]
    plain = [said for said in of if not said.startswith("that ")]
    does = [said for said in of if said.startswith("that ")]  # the years of the papers, not of what they do
    return "".join(f" {said}" for said in plain) + told.years + " and".join(f" {said}" for said in does)


def _of(told: Told, subject: Subject, *, several: bool) -> str:
    people, relation = told.people(subject), told.query.relation
    if people:
        return f"{_OF[people]} {subject.text}"
    if relation in {"EVALUATED_ON", "REPORTS"}:
        return f"that {_PAPER_REPORTS[several]} {subject.text}"
    if (verbs := _DOES.get(relation or "MENTIONS")) and told.is_named(subject):
        return f"that {verbs[several]} {subject.text}"
    return f"on {subject.text}"


def _list(told: Told) -> str:
    wanted = told.query.wanted
    if told.query.least is not None:
        return _often(told)
    if wanted == "paper":
        return _papers(told)
    if wanted in _STATED:
        of_paper = all(subject.of("paper") and not subject.of("method", "dataset") for subject in told.subjects)
        verbs = _WRITTEN if wanted == "author" and (of_paper or not told.states) else _STATED[wanted]
        subject = _about(told) if told.states else f"the library's papers{_of_papers(told)}"
        return f"{subject} {verbs[told.about_several or not told.states]} {_names(told)}."
    if wanted == "method":
        return _methods(told)
    verbs = _DOES.get("ADDRESSES" if wanted == "task" else told.query.relation or "USES", _DOES["USES"])
    subject = _about(told) if told.of_things else f"the library's papers{_of_papers(told)}"
    return f"{subject} {verbs[told.about_several or not told.of_things]} {_names(told)}."


def _papers(told: Told) -> str:
    names = _names(told)
    if told.query.relation == "CITES" and told.query.inverse:
        return f"{_about(told)} {'cite' if told.about_several else 'cites'} {names}."
    if told.counts and (verbs := _said_of_papers(told)):
        return f"{names} in the library {verbs[told.several]} {_about(told)}."
    if told.counts:
        return f"The library has {names}{_of_papers(told, several=told.several)}."
    these = "these papers" if told.several else "one paper"
    return f"The library has {these}{_of_papers(told, several=told.several)}: {names}."


def _said_of_papers(told: Told) -> tuple[str, str] | None:
    """Return what papers do with the one thing that they are counted for, if that is all that is said of them."""
    if len(told.subjects) != 1 or told.years or told.people(told.subjects[0]) or not told.of_things:
        return None
    relation = told.query.relation or "MENTIONS"
    return _PAPER_REPORTS if relation in {"EVALUATED_ON", "REPORTS"} else _DOES.get(relation)


def _methods(told: Told) -> str:
    verbs = _DOES.get(told.query.relation or "MENTIONS")
    if verbs is None or told.query.relation == "PROPOSES" or not told.of_things:
        return f"the library's papers{_of_papers(told)} propose {_names(told)}."
    if told.query.inverse:
        return f"{_about(told)} {verbs[told.about_several]} {_names(told)}."
    does = f"{verbs[told.several]} {_about(told)}"
    if told.counts:
        return f"{_names(told)} in the library{told.years} {does}."
    if not told.several:
        return f"In the library, {_names(told)} {does}."
    return f"In the library, these methods{told.years} {does}: {_names(told)}."


def _ranking(told: Told) -> str:
    if told.query.least is not None:
        return _often(told)
    query, names = told.query, _names(told)
    one, many = (noun(query.wanted, chinese=False, many=several) for several in (False, True))
    which = _MOST.get(query.relation or "MENTIONS") if query.wanted not in _OF or query.relation == "CITES" else None
    if which or query.wanted in {"method", "dataset", "paper"}:
        which = f"{which or 'that most papers in the library use'}{_topic(told)}"
        return f"{names} {'are' if told.several else 'is'} the {many if told.several else one} {which} ({told.best})."
    if query.most:
        return f"The {many} with the most papers in the library{_of_papers(told)} are {names}."
    has = "have" if told.several else "has"
    return f"{names} {has} the most papers in the library{_of_papers(told)}: {told.best}."


def _often(told: Told) -> str:
    """Return what has so many papers at least."""
    query, has = told.query, "have" if told.several else "has"
    if query.wanted == "year" and query.least == 1:
        return f"The library has papers{_of_papers(told)} of {'these years' if told.several else 'one year'}: {', '.join(told.items)}."
    papers = f"at least {query.least} paper{'s' * (query.least != 1)}"
    if query.wanted in _OF and query.relation != "CITES":
        return f"{_names(told)} {has} {papers} in the library{_of_papers(told)}."
    verb = "report results on" if query.relation in {"EVALUATED_ON", "REPORTS"} else _DOES[query.relation or "USES"][1]
    return f"{papers[0].upper()}{papers[1:]} in the library{_topic(told)} {verb} {_names(told)}."


def _topic(told: Told) -> str:
    """Return what the papers of a ranking are about, where what they do is told already."""
    on = "".join(
        f"{_OF[kind]} {subject.text}" if (kind := told.people(subject)) else f"on {subject.text}"
        for subject in told.subjects
    )
    return f", among those {on}{told.years}" if on else told.years


def _order(told: Told) -> str:
    which = "earliest" if told.query.form == "first" else "latest"
    papers, verb = ("papers", "are") if told.several else ("paper", "is")
    return (
        f"The library's {which} {papers}{_of_papers(told, several=told.several)} {verb} {_names(told)} ({told.best})."
    )


def _results(told: Told) -> str:
    of = _methods_on(told)
    if told.query.best:
        return f"The {told.query.best} {told.query.metric or 'result'}{of} in the library is that of {_names(told)}."
    if not told.methods:
        return f"The library has results{of} for {_names(told)}."
    return f"The library gives {'these results' if told.several else 'this result'} for{of}: {_names(told)}."


def _methods_on(told: Told) -> str:
    on = f" on {listing(told.beside, chinese=False)}" if told.beside else ""
    return (f" {listing(told.methods, chinese=False)}" if told.methods else "") + on


def _contradictions(told: Told) -> str:
    give = "give" if told.several else "gives"
    thing = _methods_on(told) if told.methods else f" {_about(told) or 'the same thing'}"
    return f"{_names(told)} {give} different numbers for{thing}."


def _lineage(told: Told) -> str:
    if told.query.inverse:
        names = list(reversed(told.items))
        return f"In the library, {names[-1]} goes back to {names[0]}: {' → '.join(names)}."
    verb, methods = ("build", f"these {len(told.items)} methods") if told.several else ("builds", "this method")
    directly = f", {told.best} of them directly" if told.several else ""
    return f"In the library, {methods} {verb} on {_about(told)}{directly}: {_names(told)}."


def _common(told: Told) -> str:
    if told.query.relation in {"IMPROVES_ON", "CITES"}:
        verb = "cite" if told.query.relation == "CITES" else "go back to" if told.query.inverse else "build on"
        both = "both" if len(told.subjects) < 3 else "all"
        return f"{_about(told)} {both} {verb} {_names(told)}."
    if told.query.wanted == "paper" and told.query.relation is None:
        return f"{_about(told)} have in common: {_names(told)}."
    kind = noun(told.query.wanted, chinese=False, many=told.several)
    return f"{_about(told)} have {'these' if told.several else 'this'} {kind} in common: {_names(told)}."
