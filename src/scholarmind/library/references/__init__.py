"""The works that a text cites: its list of references taken apart, and the places that point at them. Pure functions over text."""

from collections.abc import Sequence

from scholarmind.model import Pointer, Reference


def parse(text: str, start: int, end: int) -> list[Reference]:
    """Return the works that the list between `start` and `end` names, in order."""
    from scholarmind.library.references import reference_list  # noqa: PLC0415  (its patterns take 80 ms to compile)

    return reference_list.parse_references(text, start, end)


def pointers(text: str, references: Sequence[Reference], skip: Sequence[tuple[int, int]]) -> list[Pointer]:
    """Return the places outside of `skip` that point at references, in order. What cannot be told for certain is left out."""
    from scholarmind.library.references import reference_pointers  # noqa: PLC0415

    return reference_pointers.find_pointers(text, references, skip)
