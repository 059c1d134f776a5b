r"""Drafts as files: paragraphs of LaTeX with the places of what they say and cite, and copies with remarks of LaTeX and Word.

A copy of LaTeX is the whole source, inclusions put in and comments left out, with a `\todo` behind each sentence that has a remark. A copy
of Word has real comments, which Word and LibreOffice show in the margin; everything else stays as it is."""

import copy
import io
import re
import unicodedata
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.containers import Archive, attribute, children, etree, local, main_part, parse_xml
from scholarmind.adapters.readers.tex_source import (
    Citations,
    Inline,
    TexFolder,
    citations_of,
    expanded,
    load,
    plain_text,
)
from scholarmind.model import DraftCitation, Paragraph

# -- LaTeX

_EVENT = re.compile(
    r"\\(?P<heading>part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|title|author|date|caption|keywords)\*?\s*(?=[\[{])"
    r"|\\begin\s*\{(?P<begin>[^{}\n]*)\}|\\end\s*\{(?P<end>[^{}\n]*)\}"
    r"|(?P<display>\\\[|\$\$)|(?P<gap>\n[ \t]*\n\s*|\\(?:par|item|maketitle|tableofcontents)(?![a-zA-Z])(?:\[[^\]\n]*\])?)"
)
_DISPLAY_END = {"\\[": "\\]", "$$": "$$"}
_CONTENT = frozenset(  # environments whose inside is running text; all others are passed over
    "document abstract itemize enumerate description quote quotation center flushleft flushright minipage multicols spacing theorem "
    "lemma proposition corollary definition remark example proof compactitem compactenum inparaenum "
    "acknowledgements acknowledgments CJK CJK*".split()
)
_PLAIN = frozenset("document abstract itemize enumerate description quote quotation compactitem compactenum".split())
_TEXTUAL = re.compile(
    r"(?:cite[tT]|[Cc]itet|[tT]extcite|newcite|shortcite|[cC]iteauthor|[cC]iteyear|citealt|citealp|citep?author).*"
)
_MACRO = re.compile(r"\\([a-zA-Z@]+)")
_RUN = re.compile(r"---|--|``|''|[~`]|[^-~`']+|[-']")
_SET = {"---": "—", "--": "–", "``": "“", "''": "”", "`": "‘", "~": " "}
_BIBLIOGRAPHY = re.compile(r"\\(?:bibliography|addbibresource)\s*(?:\[[^\]]*\])?\s*\{([^{}]*)\}")
_CLASS = re.compile(r"\\documentclass\s*(?:\[[^\]]*\])?\s*\{[^{}]*\}[^\n]*\n?|\\begin\s*\{document\}")
_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff01-\uff5e]")  # with the punctuation
_NONE = re.compile(r"(?!)")
_FOR_CHINESE = (
    r"% the \todo's have Chinese: compile this with XeLaTeX or LuaLaTeX, and \usepackage[UTF8,scheme=plain]{ctex}"
)
_SPECIAL = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_", "%": r"\%",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
}  # fmt: skip
_SIGNS = str.maketrans(
    {
        "–": "--",
        "—": "---",
        "“": "``",
        "”": "''",
        "‘": "`",
        "’": "'",
        "…": "...",
        "\u00a0": " ",
        "→": "->",
        "×": "x",
        "≥": ">=",
        "≤": "<=",
        "†": "+",
    }
)
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TexManuscript:
    """A source in one piece, its paragraphs, the bibliographies that it names, and the references that stand in it, by key."""

    source: str
    paragraphs: tuple[Paragraph, ...]
    bibliographies: tuple[str, ...] = ()
    items: Mapping[str, str] = field(default_factory=dict[str, str])
    missing: tuple[str, ...] = ()  # files that it includes and that are not there


def read_tex(path: Path, max_bytes: int) -> TexManuscript:
    """Read a source with all that it includes."""
    real = path.resolve()
    source = load(TexFolder(real.parent, max_bytes), real.name, max_bytes)
    text = source.text
    macros = {name: plain_text(body) for name, body in expanded(text).bodies.items()}
    cited = citations_of(text, source.bibliography, plain_text)
    begin, end = _body(text)
    marks = _Marks()
    walk = _BodyReader(Inline(text, marks), marks, macros)
    return TexManuscript(
        source=text,
        paragraphs=tuple(walk.paragraphs(begin, end)),
        bibliographies=tuple(
            name.strip() for found in _BIBLIOGRAPHY.findall(text) for name in found.split(",") if name.strip()
        ),
        items=dict(zip(cited.by_key, cited.lines, strict=False)) if len(cited.by_key) == len(cited.lines) else {},
        missing=tuple(source.missing),
    )


def annotated_tex(manuscript: TexManuscript, remarks: Mapping[int, tuple[str, bool]]) -> str:
    r"""Return the source with a `\todo` at these places; each remark comes with whether it must stand in the line."""
    text, pieces, position = manuscript.source, list[str](), 0
    spoken = _HAN.search(text) is not None
    for place in sorted(remarks):
        words, inline = remarks[place]
        pieces += (text[position:place], rf"\todo{'[inline]' if inline else ''}{{{escaped_tex(words, native=spoken)}}}")
        position = place
    whole = "".join((*pieces, text[position:]))
    found = _CLASS.search(whole)
    at = 0 if found is None else found.start() if found[0].startswith(r"\begin") else found.end()
    package = "" if found is None or not remarks or "{todonotes}" in whole else "\\usepackage{todonotes}\n"
    hint = f"{_FOR_CHINESE}\n" if not spoken and _HAN.search(whole) else ""
    return f"{whole[:at]}{hint}{package}{whole[at:]}"


def escaped_tex(words: str, *, native: bool) -> str:
    """Return words as LaTeX prints them; letters that a source in Latin letters cannot print are left out, except Chinese."""
    told = " ".join(words.translate(_SIGNS).split())
    if not native and not told.isascii():
        stays = _CHINESE if _HAN.search(told) else _NONE
        told = "".join(sign if sign.isascii() or stays.match(sign) else _ascii(sign) for sign in told)
    return "".join(_SPECIAL.get(sign, sign) for sign in told)


def _ascii(sign: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", sign) if letter.isascii()) or "?"


def _body(text: str) -> tuple[int, int]:
    begin = re.search(r"\\begin\s*\{document\}", text)
    end = text.rfind(r"\end{document}")
    return (begin.end() if begin else 0), (end if begin and end > begin.end() else len(text))


@dataclass(slots=True)
class _Marks(Citations):
    """Takes note of what is cited in place of printing it."""

    last: tuple[str, tuple[str, ...], str] | None = None

    def text(self, command: str, keys: Sequence[str], notes: Sequence[str]) -> str:
        """Return nothing: what a citation prints is no part of what is claimed."""
        if command != "nocite":
            self.last = command, tuple(keys), ", ".join(filter(None, notes))
        return ""


@dataclass(slots=True)
class _BodyReader:
    """Goes through the body and writes its paragraphs down, each letter with its place in the source."""

    inline: Inline
    marks: _Marks
    macros: Mapping[str, str]
    _text: list[str] = field(default_factory=list[str])
    _places: list[int] = field(default_factory=list[int])  # where the source goes on behind each letter
    _mentions: list[DraftCitation] = field(default_factory=list[DraftCitation])
    _section: tuple[str, ...] = ()
    _around: list[str] = field(default_factory=list[str])

    def paragraphs(self, start: int, end: int) -> Iterator[Paragraph]:
        """Yield the paragraphs between two places."""
        source, position = self.inline.text, start
        while found := _EVENT.search(source, position, end):
            if self.inline.is_verbatim(found.start()):
                position = found.end()
                continue
            self._tell(position, found.start())
            position = found.end()
            if found["heading"]:
                yield from self._flush()
                position = self._heading(found["heading"], position, end)
            elif found["display"]:
                close = source.find(_DISPLAY_END[found["display"]], position, end)
                position = close + 2 if close >= 0 else position
            elif found["begin"] is not None:
                yield from self._flush() if found["begin"] not in {"equation", "align", "equation*", "align*"} else ()
                position = self._begin(found["begin"], position, end)
            else:
                yield from self._flush()
                if found["end"] is not None and found["end"] in self._around:
                    self._around.remove(found["end"])
        self._tell(position, end)
        yield from self._flush()

    def _begin(self, name: str, position: int, end: int) -> int:
        if name in _CONTENT:
            self._around.append(name)
            return position
        close = self.inline.text.find(f"\\end{{{name}}}", position, end)
        return close + len(name) + 6 if close >= 0 else position

    def _heading(self, command: str, position: int, end: int) -> int:
        _, position = self.inline.options(position, end)
        group = self.inline.argument(position, end)
        if group is None:
            return position
        if "section" in command or command in {"part", "chapter"}:
            title = self.inline.plain(group[0], group[1])
            level = command.count("sub")
            self._section = (*self._section[:level], title)
        return group[2]

    def _tell(self, position: int, end: int) -> None:
        while position < end:
            macro = _MACRO.match(self.inline.text, position, end)
            if macro and macro[1] in self.macros:
                self._put(self.macros[macro[1]], [macro.end()])
                position = macro.end()
                continue
            self.marks.last = None
            piece, after = self.inline.step(position, end)
            if self.marks.last is not None:
                self._mention(self.marks.last, after)
            elif not macro and "\\" not in self.inline.text[position:after] and piece:
                self._run(position, after)
            else:
                self._put(piece, [after])
            position = max(after, position + 1)

    def _run(self, position: int, end: int) -> None:
        """Put running text down letter by letter; quotes and dashes are printed as one."""
        for found in _RUN.finditer(self.inline.text, position, end):
            word = found[0]
            if word in _SET:
                self._put(_SET[word], [found.end()])
            else:
                self._put(word, range(found.start() + 1, found.end() + 1))

    def _put(self, piece: str, places: Sequence[int]) -> None:
        for number, sign in enumerate(piece):
            letter = " " if sign.isspace() else sign
            if letter == " " and (not self._text or self._text[-1] == " "):
                continue
            self._text.append(letter)
            self._places.append(places[number] if len(places) == len(piece) else places[-1])

    def _mention(self, cited: tuple[str, tuple[str, ...], str], after: int) -> None:
        (command, keys, locator), at = cited, len(self._text)
        textual = _TEXTUAL.fullmatch(command) is not None
        self._mentions.append(DraftCitation(start=at, end=at, keys=keys, locator=locator, textual=textual, place=after))

    def _flush(self) -> Iterator[Paragraph]:
        if any(map(str.isalnum, self._text)):
            yield Paragraph(
                text="".join(self._text),
                mentions=tuple(self._mentions),
                section=self._section,
                places=tuple(self._places),
                inline=any(name not in _PLAIN for name in self._around),
            )
        self._text, self._places, self._mentions = [], [], []


# -- comments in Word

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
_COMMENTS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/comments"
_COMMENTS_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml.comments+xml"
_AUTHOR, _INITIALS = "ScholarMind", "SM"
_MAIN = "word/document.xml"
_WORD_SIGNS = {"tab": " ", "br": " ", "cr": " ", "noBreakHyphen": "-", "ptab": " "}
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
        elif name in _WORD_SIGNS:
            found.append((item, _WORD_SIGNS[name]))
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
