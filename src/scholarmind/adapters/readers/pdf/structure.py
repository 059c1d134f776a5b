"""From the lines of all pages to one text: the steps in their order."""

from collections.abc import Iterable, Sequence

from scholarmind.adapters.readers.pdf.assemble import Text, assembled, flat
from scholarmind.adapters.readers.pdf.blocks import Splitter
from scholarmind.adapters.readers.pdf.furniture import without_furniture
from scholarmind.adapters.readers.pdf.headings import Finder
from scholarmind.adapters.readers.pdf.hyphens import Words
from scholarmind.adapters.readers.pdf.order import in_order
from scholarmind.adapters.readers.pdf.outline import Outline
from scholarmind.adapters.readers.pdf.page import TextPage
from scholarmind.adapters.readers.pdf.parting import Piece
from scholarmind.adapters.readers.pdf.stitches import part_headings, stitch
from scholarmind.adapters.readers.pdf.style import printed, style_of
from scholarmind.identity import letters_of


def structured(
    pages: Sequence[TextPage], outline: Outline | None = None, title: str = "", authors: Iterable[str] = ()
) -> Text:
    """Return the text of these pages; their lines are used up. Title and authors are those that the first page shows."""
    sizes = [(page.width, page.height) for page in pages]
    for page in pages:
        page.lines = [line for line in page.lines if line.text.replace("\0", " ").strip()]
    without_furniture(pages, style_of(pages, indents=False))
    for page in pages:
        stitch(page)
        part_headings(page)
    style = style_of(pages)
    finder = Finder(style, outline or {})
    pieces = in_order(
        Splitter(style, finder, letters_of(title), frozenset(map(letters_of, authors)) - {""}).split(pages), style
    )
    given = {
        place: level
        for place, piece in enumerate(pieces)
        if piece.kind == "heading"
        and (level := finder.level_of(piece.lines[0].page, " ".join(flat(line.line.text) for line in piece.lines)))
    }
    words = Words(line for page in pages for line in page.lines)
    for (
        page
    ) in pages:  # the pieces have the lines now, and let go of them one by one: half of the memory of a long document
        page.lines = []
    return assembled(pieces, words, sizes, given)


def plain_text(pages: Sequence[TextPage]) -> Text:
    """Return the text of these pages block by block, without telling what is what: for a document on which that failed."""
    style = style_of(pages, indents=False)
    words = Words(line for page in pages for line in page.lines)
    pieces = [Piece("text", block) for page in pages for block in printed(page, style)]
    return assembled(pieces, words, [(page.width, page.height) for page in pages], {})
