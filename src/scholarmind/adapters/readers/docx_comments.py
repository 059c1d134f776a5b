"""A copy of a Word file with comments: real ones, that Word and LibreOffice show in the margin. Everything else stays as it is."""

import copy
import io
import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.containers import Archive, attribute, children, etree, local, main_part, parse_xml

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_COMMENTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
_COMMENTS_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
_AUTHOR, _INITIALS = "ScholarMind", "SM"
_MAIN = "word/document.xml"
_SIGNS = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-", "ptab": " "}
_UNSEEN = frozenset({"del", "moveFrom", "instrText", "delText", "Fallback", "pPr", "rPr"})
_UNPRINTED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def commented(path: Path, comments: Sequence[tuple[str, str]], max_bytes: int, *, date: str) -> tuple[bytes, int]:
    """Return a copy with a comment at each of these texts, and how many of the texts were found. `date` is that of the comments."""
    with Archive(path, max_bytes) as archive:
        name = main_part(archive, _MAIN)
        parts = {each: archive.read(each) for each in archive.names()}
    root = parse_xml(parts[name])
    folder = name.rpartition("/")[0]
    relations = f"{folder}/_rels/{name.rpartition('/')[2]}.rels"
    part = f"{folder}/comments.xml"
    listed = parse_xml(parts[part]) if part in parts else etree().Element(f"{{{_WORD}}}comments", nsmap={"w": _WORD})
    number = 1 + max(
        (int(attribute(one, "id", "0")) for one in children(listed, "comment") if attribute(one, "id").isdigit()),
        default=-1,
    )
    paragraphs = list(root.iter(f"{{{_WORD}}}p"))
    found = 0
    for text, words in comments:
        if _comment(paragraphs, text, number):
            listed.append(_comment_of(number, words, date))
            number += 1
            found += 1
    if found:
        parts[name], parts[part] = _bytes(root), _bytes(listed)
        parts[relations] = _bytes(_related(parts.get(relations)))
        root = parse_xml(parts["[Content_Types].xml"])
        if not any(attribute(one, "PartName") == f"/{part}" for one in root):
            made = etree().SubElement(root, f"{{{_TYPES}}}Override")
            made.set("PartName", f"/{part}")
            made.set("ContentType", _COMMENTS_TYPE)
        parts["[Content_Types].xml"] = _bytes(root)
    # the parts as a zip file, in the order that they had, new ones last
    written = io.BytesIO()
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as after:
        known = [each.filename for each in before.infolist() if each.filename in parts]
        for name in dict.fromkeys((*known, *parts)):
            after.writestr(name, parts[name])
    return written.getvalue(), found


def _comment(paragraphs: Sequence[Any], text: str, number: int) -> bool:
    """Mark the first place where a text stands; spaces do not count."""
    wanted = "".join(text.split())
    for paragraph in paragraphs:
        letters = [
            (item, place, letter)
            for item, said in _pieces(paragraph)
            for place, letter in enumerate(said)
            if not letter.isspace()
        ]
        at = "".join(letter for _, _, letter in letters).find(wanted) if wanted else -1
        if at >= 0:
            _mark(letters[at][:2], letters[at + len(wanted) - 1][:2], number)
            return True
    return False


def _pieces(paragraph: Any) -> list[tuple[Any, str]]:
    """Return the elements of a paragraph that show text, with their text."""
    found: list[tuple[Any, str]] = []
    waiting = list(reversed(paragraph))
    while waiting:
        item = waiting.pop()
        name = local(item)
        if name in _UNSEEN or name == "p":
            continue
        if name == "t":
            found.append((item, item.text or ""))
        elif name in _SIGNS:
            found.append((item, _SIGNS[name]))
        waiting.extend(reversed(item))
    return found


def _mark(begin: tuple[Any, int], end: tuple[Any, int], number: int) -> None:
    """Put the marks of a comment around the text from one letter to another; runs are cut where they must be."""
    last = _run_of(_cut(end[0], end[1] + 1, keep="before"))
    element, place = begin
    first_run = _run_of(_cut(element, place, keep="behind"))
    if element is end[0] and place:  # the letters before were cut off the same run
        last = first_run
    start = _element("commentRangeStart", number)
    first_run.addprevious(start)
    stop = _element("commentRangeEnd", number)
    last.addnext(stop)
    run = etree().Element(f"{{{_WORD}}}r")
    run.append(_element("commentReference", number))
    stop.addnext(run)


def _cut(element: Any, place: int, *, keep: str) -> Any:
    """Cut a run in two at a letter of its text, and return the element that holds what is kept."""
    run, text = _run_of(element), element.text or ""
    if local(element) != "t" or place <= 0 or place >= len(text):
        return element
    other = copy.deepcopy(run)
    at = list(run.iter()).index(element)
    twin = list(other.iter())[at]
    element.text, twin.text = text[:place], text[place:]
    for one in (element, twin):
        one.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    for each in list(element.itersiblings()):
        run.remove(each)
    for each in list(twin.itersiblings(preceding=True)):
        if local(each) != "rPr":
            other.remove(each)
    run.addnext(other)
    if keep == "behind":  # the caller goes on with the second half; the first one keeps its place
        return twin
    return element


def _run_of(element: Any) -> Any:
    while local(element) != "r" and element.getparent() is not None and local(element.getparent()) != "p":
        element = element.getparent()
    return element


def _element(name: str, number: int) -> Any:
    made = etree().Element(f"{{{_WORD}}}{name}")
    made.set(f"{{{_WORD}}}id", str(number))
    return made


def _comment_of(number: int, words: str, date: str) -> Any:
    lxml = etree()
    comment = _element("comment", number)
    for key, value in (("author", _AUTHOR), ("initials", _INITIALS), ("date", date)):
        comment.set(f"{{{_WORD}}}{key}", value)
    for line in words.split("\n"):
        paragraph = lxml.SubElement(comment, f"{{{_WORD}}}p")
        text = lxml.SubElement(lxml.SubElement(paragraph, f"{{{_WORD}}}r"), f"{{{_WORD}}}t")
        text.text = _UNPRINTED.sub(" ", line)
        text.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
    return comment


def _related(content: bytes | None) -> Any:
    lxml = etree()
    root = parse_xml(content) if content else lxml.Element(f"{{{_RELATIONS}}}Relationships", nsmap={None: _RELATIONS})
    if not any(attribute(one, "Type") == _COMMENTS for one in root):
        taken = {attribute(one, "Id") for one in root}
        made = lxml.SubElement(root, f"{{{_RELATIONS}}}Relationship")
        made.set("Id", next(f"rId{n}" for n in range(1, len(taken) + 2) if f"rId{n}" not in taken))
        made.set("Type", _COMMENTS)
        made.set("Target", "comments.xml")
    return root


def _bytes(root: Any) -> bytes:
    return etree().tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
