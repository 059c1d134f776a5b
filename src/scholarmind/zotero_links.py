"""Links into Zotero, of works and notes that were taken over from there (`scholarmind zotero sync`).

They stand in the metadata of a document as `zotero` and `zotero_pdf`. Any file may claim to have such a field, so what does not look
exactly like a link of Zotero is none.
"""

import re

from scholarmind.model import Document

SELECT, OPEN_PDF = "zotero", "zotero_pdf"  # names of the fields
_LINK = re.compile(
    r"zotero://(?:select|open-pdf)/(?:library|groups/\d{1,12})/items/[A-Z0-9]{8}(?:\?page=\d{1,6}(?:&annotation=[A-Z0-9]{8})?)?"
)


def select_link(document: Document) -> str:
    """Return the link that shows the item in Zotero, or ''."""
    return _checked(document, SELECT)


def page_link(document: Document, page: int | None) -> str:
    """Return the link that opens the PDF in Zotero, at the page if there is one, or ''."""
    link = _checked(document, OPEN_PDF)
    return f"{link}?page={page}" if link and page and "?" not in link else link


def _checked(document: Document, field: str) -> str:
    value = document.metadata.get(field)
    return value if isinstance(value, str) and _LINK.fullmatch(value) else ""
