"""Examples for a router: which of the three ways was the simplest that served a question.

Of each question one example is made, from all of its runs. A way serves if people found its answer good, or if nobody said
anything and the review found all that was asked for. Where a question was only ever planned, a plan whose answer cites nothing
but documents that the first search alone had found counts as a single search: it was not needed.
"""

from collections.abc import Iterator, Sequence

from scholarmind.training.examples import Example, Frame, Left
from scholarmind.training.history import History, place_of

WAYS = ("No Retrieval", "Retrieval", "Planning")  # the simplest first


def key_of(question: str) -> str:
    """Return what makes two questions the same."""
    return " ".join(question.casefold().split())


def router_examples(frame: Frame, histories: Sequence[History]) -> Iterator[Example | Left]:
    """Yield the example of a question, from all of its runs, and the runs that tell nothing."""
    went = [way_of(history) for history in histories]
    if "Retrieval" not in went:  # where nobody tried less, the run itself tells whether less had been enough
        went = [_needed(way, history) for way, history in zip(went, histories, strict=True)]
    served = [
        (WAYS.index(went[place]), place) for place, history in enumerate(histories) if went[place] and history.served
    ]
    if not served:
        yield from (Left(why="no way served the question") for _ in histories)
        return
    best, place = min(served)
    label = WAYS[best]
    if any(way == label and history.rated() is False for way, history in zip(went, histories, strict=True)):
        yield from (Left(why="people disagree about the way that served") for _ in histories)
        return
    yield from (Left(why="another run of the question says more") for _ in histories[1:])
    history = histories[place]
    values = {
        "names": frame.nothing(history),
        "whole": frame.nothing(history),
        "question": frame.fenced(history, "question", history.question),
    }
    said = f"[Retrieval] {_query(history)}" if label == "Retrieval" else f"[{label}]"
    yield frame.example(history, "route", values, said, label=label)


def way_of(history: History) -> str:
    """Return the way that a run went; '' where it went none."""
    if history.answer.get("source") in {"talk", "model"}:
        return "No Retrieval"
    finding = [part for part in history.answer["plan"]["parts"] if part["role"] == "find"]
    if not finding:
        return ""
    return "Planning" if sum(len(part["asks"]) or 1 for part in finding) > 1 else "Retrieval"


def _needed(way: str, history: History) -> str:
    return "Retrieval" if way == "Planning" and _one_search_was_enough(history) else way


def _one_search_was_enough(history: History) -> bool:
    """Tell whether all that is cited had been found for the question as it stands, before it was taken apart."""
    looked = next((event for event in history.of_type("part_evidence") if not event["part"]), None)
    cited = history.cited()
    return looked is not None and bool(cited) and cited <= {place_of(item) for item in looked["best"]}


def _query(history: History) -> str:
    """Return what was searched for: a router's own words, or the question."""
    actions = (str(event.get("action") or "") for event in history.of_type("routed") if not event.get("part"))
    return next(
        (action.partition("] ")[2] for action in actions if action.startswith("[Retrieval] ")), history.question
    )
