"""The reader of PDF: opens the file, reads it page by page, takes it apart, and reports what could not be read.

Of files whose end is lost (a download that broke off) what names the pages is written anew. Nothing is kept on the disk. Where the
catalogue is still there, a trailer that names it is enough; it stands at the very end of many files, and then the pages themselves
are listed in the order in which the file has them.
"""

import re
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from scholarmind.adapters.readers.file_metadata import document_of
from scholarmind.adapters.readers.pdf.assemble import Text
from scholarmind.adapters.readers.pdf.extract import Pages
from scholarmind.adapters.readers.pdf.front import front_facts
from scholarmind.adapters.readers.pdf.headings import outline_of
from scholarmind.adapters.readers.pdf.ocr import Tesseract
from scholarmind.adapters.readers.pdf.page import TextPage
from scholarmind.adapters.readers.pdf.structure import drop_line_numbers, plain_text, structured
from scholarmind.errors import MISTAKES, ReadError
from scholarmind.model import Costing, Fact, Headway, Problem, Reading
from scholarmind.text.language import share_of_words
from scholarmind.text.untrusted import printable

if TYPE_CHECKING:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]


# -- files whose end is lost

_OBJECT = re.compile(rb"(?<!\d)(\d{1,8})\s+\d{1,5}\s+obj\b")
_END = re.compile(rb"endobj|\bstream\r?\n")
_CATALOG = re.compile(rb"/Type\s*/Catalog\b")
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_PACKED = re.compile(rb"/Type\s*/ObjStm\b")
_FIRST = re.compile(rb"/First\s+(\d{1,7})")
_COUNT = re.compile(rb"/N\s+(\d{1,7})")
_RESOURCES = re.compile(rb"/Resources\s*(?:(\d{1,8})\s+\d{1,5}\s+R|<<)")
_FONT = re.compile(rb"/Font\s*(?:(\d{1,8})\s+\d{1,5}\s+R|<<([^>]*)>>)")
_FONTS = re.compile(rb"/Font\b")
_REFERENCE = re.compile(rb"(?<!\d)(\d{1,8})\s+\d{1,5}\s+R\b")
_PARENT = re.compile(rb"/Parent\s*(\d{1,8})\s+\d{1,5}\s+R")
_LOCKED = re.compile(rb"/Filter\s*/Standard\b|/Encrypt\b")
_DEEPEST = 16  # branches of the tree of pages
_LONGEST = 100_000  # bytes of the description of one object
_MOST_UNPACKED = 50_000_000
_MOST_OBJECTS = 2_000_000
_MOST_PAGES = 100_000


def _rescued(content: bytes) -> "pypdfium2.PdfDocument | None":
    """Return the document that is left of a file, if it has pages. One whose fonts are lost is blank: its text would be another."""
    if _LOCKED.search(content):
        return None
    file = _FileSkeleton(_objects(content))
    pages = [number for number, told in file.objects.items() if _PAGE.search(told)][:_MOST_PAGES]
    whole = [number for number in pages if file.has_fonts(number)]
    if not whole:
        return None
    # the file with an end for the object that it breaks off in: half a page of text is still text
    end = content.rfind(b"endobj")
    rest = content[end:] if end >= 0 else b""
    if re.search(rb"\bstream\r?\n", rest):
        body = content + b"\nendstream\nendobj\n"
    else:
        body = content[: end + len(b"endobj")] + b"\n" if end >= 0 else content + b"\n"
    catalogues = [number for number, told in file.objects.items() if _CATALOG.search(told)]
    if catalogues and len(whole) == len(pages):
        document = _opened(body + _trailer(catalogues[-1]))
        if document is not None:
            return document
    root = max(file.objects) + 1
    return _opened(body + _tree(pages, set(whole), root) + _trailer(root))


@dataclass(frozen=True, slots=True)
class _FileSkeleton:
    """What is left of a file: how each object describes itself, by its number."""

    objects: Mapping[int, bytes]
    known: dict[int, bool] = field(default_factory=dict[int, bool])

    def has_fonts(self, page: int) -> bool:
        """Tell whether all that the fonts of a page consist of is there: without it other letters come out, or none."""
        resources = self._resources(page)
        if resources is None:
            return False
        named = _FONT.search(resources)
        if named is None:
            return _FONTS.search(resources) is None
        fonts = named[2] if named[2] is not None else self.objects.get(int(named[1]))
        return fonts is not None and all(self._is_whole(int(number), 4) for number in _REFERENCE.findall(fonts))

    def _resources(self, page: int) -> bytes | None:
        """Return the resources of a page, its own or those of the branch that it hangs from."""
        for _ in range(_DEEPEST):
            told = self.objects.get(page, b"")
            found = _RESOURCES.search(told)
            if found is not None:
                return told[found.end() :] if found[1] is None else self.objects.get(int(found[1]))
            parent = _PARENT.search(told)
            if parent is None:
                return None
            page = int(parent[1])
        return None

    def _is_whole(self, number: int, depth: int) -> bool:
        if number not in self.known:
            told = self.objects.get(number)
            self.known[number] = told is not None and (
                depth == 0 or all(self._is_whole(int(other), depth - 1) for other in _REFERENCE.findall(told))
            )
        return self.known[number]


def _tree(pages: Sequence[int], whole: Set[int], root: int) -> bytes:
    """Return a catalogue, and under it all pages; blank ones keep the places of those that cannot be read."""
    kids = [number if number in whole else root + 2 + place for place, number in enumerate(pages)]
    blank = (b"%d 0 obj\n<< /Type /Page /MediaBox [0 0 612 792] >>\nendobj\n" % kid for kid in kids if kid > root)
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    return b"".join(
        (
            b"%d 0 obj\n<< /Type /Catalog /Pages %d 0 R >>\nendobj\n" % (root, root + 1),
            b"%d 0 obj\n<< /Type /Pages /Count %d /Kids [%s] >>\nendobj\n" % (root + 1, len(kids), listed),
            *blank,
        )
    )


def _opened(content: bytes) -> "pypdfium2.PdfDocument | None":
    import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError:
        return None
    if len(document):
        return document
    document.close()
    return None


def _trailer(root: int) -> bytes:
    return b"trailer\n<< /Root %d 0 R >>\nstartxref\n0\n%%%%EOF\n" % root


def _objects(content: bytes) -> dict[int, bytes]:
    """Return how each object describes itself, by its number; later ones replace earlier ones in their places."""
    found: dict[int, bytes] = {}
    room = _MOST_UNPACKED
    for match in _OBJECT.finditer(content):
        end = _END.search(content, match.end(), match.end() + _LONGEST)
        told = content[match.end() : end.start() if end else match.end() + _LONGEST]
        found[int(match[1])] = told
        if end is not None and _PACKED.search(told) and room > 0:
            # what can be unpacked: the beginning, if the rest is lost
            packed = content[end.end() : content.find(b"endstream", end.end())]
            unpacking = zlib.decompressobj()
            unpacked = b""
            try:
                for start in range(0, len(packed), 4096):
                    unpacked += unpacking.decompress(packed[start : start + 4096], room - len(unpacked) + 1)
                    if len(unpacked) > room:
                        break
            except zlib.error:
                pass
            room -= len(unpacked)
            found |= dict(_packed(told, unpacked))
        if len(found) > _MOST_OBJECTS:
            break
    return found


def _packed(told: bytes, content: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the objects that one stream holds, each with its number."""
    first, count = _FIRST.search(told), _COUNT.search(told)
    if first is None or count is None:
        return
    start = int(first[1])
    numbers = [int(number) for number in content[:start].split()[: 2 * int(count[1])] if number.isdigit()]
    places = [start + place for place in numbers[1::2]]
    for number, place, end in zip(numbers[::2], places, [*places[1:], len(content)], strict=False):
        if place < len(content):
            yield number, content[place:end]


# -- the reader

_FEWEST = 50  # characters of a page that is not a picture of one
_PICTURE = 0.4  # share of such a page
_SPECK = 0.02
_UNREADABLE = 0.3  # share of characters without a Unicode value: their font may have any meaning
_WORDS = 0.12  # share of a page's signs that stand in words: less is no text
_LETTERS = 100  # of which that can be told of any page
_MOST_NAMED = 12  # ranges of pages in one message
_SUCCESS = 0  # pdfium's numbers
_FORMAT = 3
_PASSWORD = 4
_SECURITY = 5
_MOST_RESCUED = 200_000_000  # bytes: they are held in memory
_HEAD = 100_000
_EMPTY_TREE = re.compile(rb"/Type\s*/Pages\b[^>]*/Count\s+0\b|/Count\s+0\b[^>]*/Type\s*/Pages\b")


@dataclass(slots=True)
class _State:
    """What became of the pages."""

    pages: list[TextPage] = field(default_factory=list[TextPage])
    failed: dict[tuple[str, str], list[int]] = field(default_factory=lambda: defaultdict(list[int]))
    scanned: list[int] = field(default_factory=list[int])
    garbled: list[int] = field(default_factory=list[int])
    lost: ReadError | None = None  # why the file itself could not be opened; this is what could be rescued


@dataclass(frozen=True, slots=True)
class PdfReader:
    """Columns, headings, tables and lists come out as one text that knows where it stands; scans are read with `ocr`, if there is one."""

    max_bytes: int
    max_pages: int = 3000
    ocr: Tesseract | None = None

    def read(self, path: Path) -> Iterator[Reading | Problem | Headway]:
        """Yield how far it is, and what could not be read of the document, then the document."""
        state = _State()
        document = self._open(path, state)
        try:
            yield from self._read(document, path, state)
        finally:
            document.close()

    def _open(self, path: Path, state: _State) -> "pypdfium2.PdfDocument":
        import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

        size = path.stat().st_size
        if size > self.max_bytes:
            raise ReadError(
                f"it has {size / 1e6:,.0f} MB, the limit is {self.max_bytes / 1e6:,.0f} MB",
                "split it, or raise the limit with SCHOLARMIND_MAX_FILE_MEGABYTES",
            )
        if not size:
            raise ReadError("it is empty", "nothing to do, unless it should not be")
        try:
            return pypdfium2.PdfDocument(path)
        except pypdfium2.PdfiumError as error:
            state.lost = _refused(path, error)
            broken = getattr(error, "err_code", None) == _FORMAT and size < _MOST_RESCUED
            rest = _rescued(path.read_bytes()) if broken else None
            if rest is None:
                raise state.lost from error
            return rest

    def _read(
        self, document: "pypdfium2.PdfDocument", path: Path, state: _State
    ) -> Iterator[Reading | Problem | Headway]:
        count = len(document)
        if not count:
            raise _without_pages()
        yield from self._pages(document, min(count, self.max_pages), state)
        problems = list(self._problems(state, count, path))
        if not any(page.lines for page in state.pages):
            raise state.lost or _without_text(problems, state)
        properties = _properties(document)
        where, facts = printable(path), front_facts((), properties, path)
        text: Text | None = None
        with Costing("first page", where, problems):
            drop_line_numbers(state.pages)
            first = next((page.lines for page in state.pages if page.lines), ())  # with all that stands on its edges
            facts = front_facts(first, properties, path)
        with Costing("headings, lists and tables", where, problems):
            text = structured(state.pages, outline_of(document, state.pages), *_names(facts))
        if text is None:
            with Pages(document) as pages:
                text = plain_text([pages.extract(page.number - 1) for page in state.pages])
        if not text.text.strip():
            raise ReadError("it has no text but page numbers and the like", "leave it out")
        yield from problems
        yield _reading(text, facts, path)

    def _pages(self, document: "pypdfium2.PdfDocument", count: int, state: _State) -> Iterator[Headway]:
        """Read each page; one that cannot be read is noted, and stays empty."""
        import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

        with Pages(document) as pages:
            for index in range(count):
                yield Headway(done=index, total=count)
                page = TextPage(number=index + 1, width=612, height=792, lines=[])
                try:
                    page = pages.extract(index)
                    self._look(document, page, state)
                except pypdfium2.PdfiumError as error:
                    state.failed[f"not read: {str(error).rstrip('.')}", _PRINT].append(index + 1)
                except ReadError as error:  # of the text recognition
                    state.failed[f"not read: {error.reason}", error.advice].append(index + 1)
                except MISTAKES as error:
                    state.failed[f"not read ({type(error).__name__}: {error})", "please report the file"].append(
                        index + 1
                    )
                state.pages.append(page)
        yield Headway(done=count, total=count)

    def _look(self, document: "pypdfium2.PdfDocument", page: TextPage, state: _State) -> None:
        """Tell whether the page has a text that can be used; recognise it from its picture where that is wanted."""
        letters = sum(len(line.text) for line in page.lines)
        if page.cut:
            state.failed["it has more characters than are read of a page; the rest is left out", _PRINT].append(
                page.number
            )
        scanned = (not letters and page.pictures > _SPECK) or (letters < _FEWEST and page.pictures > _PICTURE)
        garbled = letters > 0 and _is_garbled(page)
        if not scanned and not garbled:
            return
        if garbled:
            page.lines = []
        if self.ocr is None:
            (state.scanned if scanned else state.garbled).append(page.number)
        else:
            page.lines = self.ocr.lines(document, page.number - 1)

    def _problems(self, state: _State, count: int, path: Path) -> Iterator[Problem]:
        where = printable(path)
        if state.lost is not None:
            read = sum(bool(page.lines) for page in state.pages)
            reason = f"it is cut short; {read:,} page{'s' if read > 1 else ''} could be read"
            yield Problem(where=where, reason=reason, advice="get it again for the rest", lasting=True)
        if count > self.max_pages:
            reason = f"it has {count:,} pages, the first {self.max_pages:,} were read"
            yield Problem(where=where, reason=reason, advice="split it, or raise SCHOLARMIND_MAX_PAGES", lasting=True)
        for (reason, advice), pages in state.failed.items():
            yield Problem(where=f"{where}, {_named(pages)}", reason=reason, advice=advice, lasting=True)
        if state.scanned:
            have = "has" if len(state.scanned) == 1 else "have"
            need = "needs" if len(state.scanned) == 1 else "need"
            reason = f"{_named(state.scanned)} {have} no text: {'it' if have == 'has' else 'they'} {need} OCR"
            yield Problem(where=where, reason=reason, advice=_OCR, lasting=True)
        if state.garbled:
            reason = (
                f"the text of {_named(state.garbled)} is unreadable, and left out: its fonts do not tell their letters"
            )
            yield Problem(where=where, reason=reason, advice=_OCR, lasting=True)


def _is_garbled(page: TextPage) -> bool:
    """Tell whether the letters are those of fonts that nobody can read: hardly any of them make words."""
    text = "\n".join(line.text for line in page.lines)
    unknown = page.unreadable > _UNREADABLE
    return (unknown or sum(map(str.isalpha, text)) > _LETTERS) and share_of_words(text, foreign=not unknown) < _WORDS


_PRINT = "print the document into a new PDF, or get it elsewhere"
_OCR = "add it again with --ocr (this needs tesseract: apt install tesseract-ocr)"


def _without_pages() -> ReadError:
    return ReadError("it has no pages", "export it again, or leave it out")


def _refused(path: Path, error: "pypdfium2.PdfiumError") -> ReadError:
    code: int | None = getattr(error, "err_code", None)
    if code == _PASSWORD:
        return ReadError("it is encrypted and needs a password", "save it without a password, and add it again")
    if code == _SECURITY:
        return ReadError("it is encrypted in a way that is not known", "save it without encryption, and add it again")
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if code == _SUCCESS or _EMPTY_TREE.search(head):  # which pdfium takes for broken
        return _without_pages()
    if b"%PDF" not in head:
        return ReadError("it is not a PDF, whatever its name says", "give it its right suffix, or leave it out")
    told = str(error).removeprefix("Failed to load document").strip(" ().").removeprefix("PDFium: ")
    return ReadError(
        f"it is broken or cut short ({told.rstrip('.')})", "get it again, or repair it (qpdf, mutool clean)"
    )


def _without_text(problems: Sequence[Problem], state: _State) -> ReadError:
    if state.failed and not state.scanned and not state.garbled:
        return ReadError(problems[-1].reason, problems[-1].advice)
    if state.garbled and not state.scanned:
        return ReadError("it needs OCR: its fonts do not tell their letters", _OCR)
    return ReadError(f"it needs OCR: none of its {len(state.pages):,} pages has text", _OCR)


def _named(pages: Sequence[int]) -> str:
    """Return "page 3", "pages 3-7, 9"."""
    ranges: list[list[int]] = []
    for page in pages:
        if ranges and ranges[-1][1] == page - 1:
            ranges[-1][1] = page
        else:
            ranges.append([page, page])
    told = ", ".join(f"{first}" if first == last else f"{first}-{last}" for first, last in ranges[:_MOST_NAMED])
    more = f" and {sum(b - a + 1 for a, b in ranges[_MOST_NAMED:]):,} more" if len(ranges) > _MOST_NAMED else ""
    return f"page{'s' if len(pages) > 1 else ''} {told}{more}"


def _properties(document: "pypdfium2.PdfDocument") -> dict[str, str]:
    import pypdfium2  # noqa: PLC0415  # pyright: ignore[reportMissingTypeStubs]

    try:
        return document.get_metadata_dict(skip_empty=True)
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return {}


def _names(facts: Sequence[Fact]) -> tuple[str, tuple[str, ...]]:
    """Return title and authors as the first page has them."""
    title, authors = "", tuple[str, ...]()
    for fact in facts:
        if fact.source != "first page":
            continue
        if fact.field == "title" and not title:
            title = str(fact.value)
        elif fact.field == "authors" and not authors and isinstance(fact.value, tuple):
            authors = tuple(map(str, fact.value))
    return title, authors


def _reading(text: Text, facts: Sequence[Fact], path: Path) -> Reading:
    paper = any(region.kind == "references" for region in text.regions) or any(
        section.path[-1].casefold() in {"abstract", "摘要"} for section in text.sections
    )
    return Reading(
        document=document_of(facts, path, "paper" if paper else "document"),
        text=text.text,
        sections=text.sections,
        regions=text.regions,
        layout=text.layout,
        facts=tuple(facts),
    )
