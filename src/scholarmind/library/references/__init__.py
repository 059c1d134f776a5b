"""The works that a text cites: where its lists of references stand, what they name, and the places that point at them. Pure functions."""

from collections.abc import Sequence

from scholarmind.model import Pointer, Reading, Reference


def with_lists(reading: Reading) -> Reading:
    """Return a reading whose lists of references are regions."""
    from scholarmind.library.references import reference_pointers  # noqa: PLC0415  (its patterns take 80 ms to compile)

    return reference_pointers.with_lists(reading)


def listed_in(reading: Reading) -> tuple[Reference, ...]:
    """Return the works that the lists of a reading name, in order, with the labels by which its text points at them."""
    lists = [(region.start, region.end) for region in reading.regions if region.kind == "references"]
    found = [reference for start, end in lists for reference in parse(reading.text, start, end)]
    if not found:
        return ()
    from scholarmind.library.references import reference_pointers  # noqa: PLC0415

    return tuple(reference_pointers.counted(reading.text, found, lists))


def parse(text: str, start: int, end: int) -> list[Reference]:
    """Return the works that the list between `start` and `end` names, in order."""
    from scholarmind.library.references import reference_list  # noqa: PLC0415

    return reference_list.parse_references(text, start, end)


def pointers(text: str, references: Sequence[Reference], skip: Sequence[tuple[int, int]]) -> list[Pointer]:
    """Return the places outside of `skip` that point at references, in order. What cannot be told for certain is left out."""
    from scholarmind.library.references import reference_pointers  # noqa: PLC0415

    return reference_pointers.find_pointers(text, references, skip)
