"""Files whose end is lost (a download that broke off): what names the pages is written anew, and pdfium finds the rest by itself.

Nothing is kept on the disk. Where the catalogue is still there, a trailer that names it is enough; it stands at the very end of many
files, and then the pages themselves are listed in the order in which the file has them.
"""

import re
import zlib
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pypdfium2  # pyright: ignore[reportMissingTypeStubs]

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


def rescued(content: bytes) -> "pypdfium2.PdfDocument | None":
    """Return the document that is left of a file, if it has pages. One whose fonts are lost is blank: its text would be another."""
    if _LOCKED.search(content):
        return None
    file = _File(_objects(content))
    pages = [number for number, told in file.objects.items() if _PAGE.search(told)][:_MOST_PAGES]
    whole = [number for number in pages if file.has_fonts(number)]
    if not whole:
        return None
    body = _closed(content)
    catalogues = [number for number, told in file.objects.items() if _CATALOG.search(told)]
    if catalogues and len(whole) == len(pages):
        document = _opened(body + _trailer(catalogues[-1]))
        if document is not None:
            return document
    root = max(file.objects) + 1
    return _opened(body + _tree(pages, set(whole), root) + _trailer(root))


@dataclass(frozen=True, slots=True)
class _File:
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


def _closed(content: bytes) -> bytes:
    """Return the file with an end for the object that it breaks off in: half a page of text is still text."""
    end = content.rfind(b"endobj")
    rest = content[end:] if end >= 0 else b""
    if re.search(rb"\bstream\r?\n", rest):
        return content + b"\nendstream\nendobj\n"
    return content[: end + len(b"endobj")] + b"\n" if end >= 0 else content + b"\n"


def _objects(content: bytes) -> dict[int, bytes]:
    """Return how each object describes itself, by its number; later ones replace earlier ones in their places."""
    found: dict[int, bytes] = {}
    room = _MOST_UNPACKED
    for match in _OBJECT.finditer(content):
        end = _END.search(content, match.end(), match.end() + _LONGEST)
        told = content[match.end() : end.start() if end else match.end() + _LONGEST]
        found[int(match[1])] = told
        if end is not None and _PACKED.search(told) and room > 0:
            unpacked = _unpacked(content[end.end() : content.find(b"endstream", end.end())], room)
            room -= len(unpacked)
            found |= dict(_packed(told, unpacked))
        if len(found) > _MOST_OBJECTS:
            break
    return found


def _unpacked(packed: bytes, room: int) -> bytes:
    """Return what can be unpacked: the beginning, if the rest is lost."""
    unpacking = zlib.decompressobj()
    found = b""
    try:
        for start in range(0, len(packed), 4096):
            found += unpacking.decompress(packed[start : start + 4096], room - len(found) + 1)
            if len(found) > room:
                break
    except zlib.error:
        pass
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
