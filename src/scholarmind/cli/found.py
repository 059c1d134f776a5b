"""What a search found, as `search` shows it: for people, as content for a prompt, or as JSON."""

from typing import TYPE_CHECKING, Any

from scholarmind.cli.main import echo
from scholarmind.cli.output import evidence_record, print_evidence, print_json, safe

if TYPE_CHECKING:
    from scholarmind.answer import Retrieved
    from scholarmind.api import Library
    from scholarmind.filters import Filter
    from scholarmind.model import Found, Judged


def find(
    library: "Library", question: str, places: int | None, *, mode: Any, wanted: "Filter | None", quiet: bool
) -> "Retrieved":
    """Return what an answer would be written from, by the strategy of the settings; the plan is shown while it is worked on."""
    from scholarmind.cli.live import watched  # noqa: PLC0415

    with watched(quiet=quiet, transient=True) as shown:
        return library.find(question, places, mode=mode, filter=wanted, on_event=shown)


def show_hits(found: "Found", question: str, mode: str, *, scores: bool, form: str, as_json: bool) -> None:
    """Print what a plain search found."""
    if as_json:
        hits = [evidence_record(rank, item) for rank, item in enumerate(found.evidence, 1)]
        print_json({"question": question, "mode": mode, "hits": hits, "notices": found.notices})
    elif form == "content":
        from scholarmind.strategies.scored.outputs import content_of  # noqa: PLC0415

        echo(safe(content_of(found.evidence)))
    else:
        print_evidence(found.evidence, question, scores=scores)


def show_retrieved(retrieved: "Retrieved", *, scores: bool, form: str, as_json: bool) -> None:
    """Print what a strategy found; with its scores, how each passage came by them and what was done."""
    from scholarmind.ranking import key_of  # noqa: PLC0415
    from scholarmind.strategies.scored.outputs import formalized_content, json_record, thoughts  # noqa: PLC0415

    if as_json:
        print_json(json_record(retrieved))
        return
    if form == "content":
        echo(safe(formalized_content(retrieved)))
        return
    judged = {key_of(item.evidence): _told(item) for item in retrieved.judged}
    print_evidence(retrieved.evidence, retrieved.question, scores=scores, told=judged if scores else None)
    if scores:
        echo(safe(thoughts(retrieved)), err=True)


def _told(judged: "Judged") -> str:
    """Return how a passage came by its place, in one line."""
    relevance = "–" if judged.relevance is None else f"{judged.relevance * 10:.1f}/10"
    found = " | ".join(" ".join(text.split()) for text in judged.asked)
    told = (
        f"score {judged.evidence.scores.fused:.3f}",
        f"relevance {relevance}" + (f" ({judged.reason})" if judged.reason else ""),
        f"similarity {judged.similarity:.3f}" + (f" (best {judged.best:.3f})" if len(judged.asked) > 1 else ""),
        f"found by: {found}",
    )
    return " · ".join(told)
