"""Web pages as they are saved: the main text, without menus and scripts. Nothing is run, nothing is fetched."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.composition import Composition
from scholarmind.adapters.readers.facts import document_of, with_file_name
from scholarmind.adapters.readers.web.main_part import main_part, without_code
from scholarmind.adapters.readers.web.parse import Page, parse, text_of
from scholarmind.adapters.readers.web.properties import is_paper, properties, title_in_text, top_headings
from scholarmind.adapters.readers.web.writer import Writer
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading
from scholarmind.text.names import printable


@dataclass(frozen=True, slots=True)
class HtmlReader:
    """Metadata come from the head of the page, the text from where most of its prose is."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, and a problem for what of it was left out."""
        text = text_of(content_of(path, self.max_bytes))
        page = parse(text)
        if page.root is None:
            raise ReadError("it has no text", "nothing to do, unless it should have")
        facts, tops = properties(page.root), top_headings(page.root)
        composition = compose(text, page)
        heading = composition.sections[0].path[0] if composition.sections else ""
        facts_of_file = with_file_name([*facts, *title_in_text(heading, facts, tops)], path)
        yield Reading(
            document=document_of(facts_of_file, path, "paper" if is_paper(facts) else "web page"),
            text=composition.text,
            sections=tuple(composition.sections),
            regions=tuple(composition.regions),
            facts=facts_of_file,
        )
        for reason, advice in page.losses:
            yield Problem(where=printable(path), reason=reason, advice=advice, lasting=True)


def content_of(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a file that is not too large and not empty."""
    size = path.stat().st_size
    if size > max_bytes:
        raise ReadError(
            f"it has {size / 1e6:,.0f} MB, the limit is {max_bytes / 1e6:,.0f} MB",
            "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
        )
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ReadError(f"it cannot be read: {error.strerror}", "check who may read it") from error
    if not content.strip():
        raise ReadError("it is empty", "nothing to do, unless it should not be")
    return content


def compose(text: str, page: Page) -> Composition:
    """Return the main text of a page; all of its text where the main part turns out to have none."""
    body = without_code(page.root)
    composition = _written(main_part(body))
    if not len(composition):
        composition = _written(without_code(parse(text).root))
    if not len(composition):
        raise ReadError(
            "it has no text, only code or pictures", "save the page from a browser after it has loaded, or leave it out"
        )
    return composition


def write_fragment(text: str, writer: Writer) -> list[tuple[str, str]]:
    """Write all of a page, for books and mails. Return what was lost: reasons and advice."""
    page = parse(text)
    if page.root is not None:
        writer.write(without_code(page.root))
    return page.losses


def _written(element: Any) -> Composition:
    composition = Composition()
    Writer(composition).write(element)
    return composition
