"""The outline that a file brings along (its bookmarks): which headings stand on which page, and how deep they are."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, cast

from scholarmind.adapters.readers.pdf.numbering import bare_name
from scholarmind.adapters.readers.pdf.page import TextPage
from scholarmind.identity import letters_of

if TYPE_CHECKING:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

Outline = dict[int, dict[str, int]]  # level by the letters of a heading, by page

_MOST = 10_000
_DEEPEST = 8
_FEWEST = 3
_SANE = 0.5  # share of its entries that stand on their pages


def outline_of(document: "pypdfium2.PdfDocument", pages: Sequence[TextPage]) -> Outline:
    """Return the outline if what it says is mostly true."""
    entries = _entries(document)
    texts = {
        page.number: letters_of(" ".join(line.text for line in page.lines)) for page in pages if page.number in entries
    }
    found = [name in texts.get(number, "") for number, names in entries.items() for name in names]
    if len(found) < _FEWEST or sum(found) < _SANE * len(found):
        return {}
    return _from_one(entries)


def _entries(document: "pypdfium2.PdfDocument") -> Outline:
    import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    entries: Outline = defaultdict(dict)
    try:
        bookmarks = cast("Iterator[Any]", document.get_toc(max_depth=_DEEPEST))  # pyright: ignore[reportUnknownMemberType]
        for bookmark in islice(bookmarks, _MOST):
            target = bookmark.get_dest()
            index = None if target is None else target.get_index()
            name = letters_of(bare_name(bookmark.get_title()))
            if index is not None and name:
                entries[index + 1][name] = bookmark.level + 1
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return {}
    return dict(entries)


def _from_one(entries: Mapping[int, Mapping[str, int]]) -> Outline:
    """Return the entries without an uppermost level that has only the document's name."""
    levels = [level for names in entries.values() for level in names.values()]
    shift = 1 if levels.count(1) == 1 and len(levels) > _FEWEST else 0
    return {
        number: {name: level - shift for name, level in names.items() if level > shift}
        for number, names in entries.items()
    }
