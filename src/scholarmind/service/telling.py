"""What happens in a run, in a line for people who wait, and what an answer rests on, as programs of others want it told."""

from collections.abc import Mapping
from typing import Any, cast
from urllib.parse import quote

Record = Mapping[str, Any]


def line_of(event: Record) -> str:
    """Return what an event means to who waits for the answer; '' for what nobody needs to know."""
    match event["type"]:
        case "understood":
            line = f"Understood as: {event['became']}"
        case "first_look":
            line = f"First look: {event['passages']} passages"
        case "planned":
            parts = cast("list[Record]", event["plan"]["parts"])
            line = "\n".join(["Plan:", *(f"{part['id']}. {part['text']}" for part in parts)])
        case "part_evidence" if event["part"]:
            line = f"Part {event['part']}: {event['passages']} passages"
        case "part_answered":
            answer = " ".join(str(event["answer"]).split())[:300]
            line = f"Part {event['part']} is answered{f': {answer}' if answer else ''}"
        case "part_failed":
            line = f"Part {event['part']} failed: {event['error']}"
        case "decided" | "routed" if event.get("action"):
            line = str(event["action"])
        case "round_started":
            line = f"Round {event['round']}: {event['reason']}"
        case "selected":
            line = f"Writing from {event['passages']} of {event['considered']} passages"
        case "reviewed":
            line = f"Checked: {event['verdict']}, confidence {event['confidence']:.2f}"
        case _:
            line = ""
    return line


def address_of(base: str, source: Record) -> str:
    """Return where a document can be had."""
    collection, document = (quote(str(source[name]), safe="") for name in ("collection", "document"))
    return f"{base}/api/v1/collections/{collection}/documents/{document}"


def sources_of(answer: Record, base: str) -> list[dict[str, Any]]:
    """Return what an answer cites, each document once."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for each in cast("list[Record]", answer["citations"]):
        place = (str(each["collection"]), str(each["document"]))
        known = found.setdefault(
            place,
            {
                **{name: each[name] for name in ("key", "document", "collection", "title", "authors", "year")},
                "url": address_of(base, each),
                "pages": [],
            },
        )
        if each["page"] is not None and each["page"] not in known["pages"]:
            known["pages"].append(each["page"])
    return list(found.values())


def cited_places(answer: Record) -> list[Record]:
    """Return the citations that stand in the text, in the order in which they do."""
    shown = [each for each in cast("list[Record]", answer["citations"]) if each["start"] is not None]
    return sorted(shown, key=lambda each: each["start"])


def tokens_of(answer: Record) -> tuple[int, int]:
    """Return the tokens that went into models for an answer, and those that came out."""
    usages = [cast("Record", call["usage"]) for call in cast("list[Record]", answer["calls"]) if not call["remembered"]]
    return sum(int(each["prompt"]) for each in usages), sum(int(each["completion"]) for each in usages)
