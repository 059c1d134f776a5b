"""An answer as notes of an Obsidian vault: one for the answer, one for each cited work, with links both ways.

What is ours stands between two comments, which Obsidian does not show; everything else in a note is the user's and stays as it is. A note
of a work keeps the quotations and answers that earlier questions put there, each quotation a block with an id that answers link to.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from scholarmind.errors import QueryError
from scholarmind.identity import page_link
from scholarmind.publishing.manuscript import (
    CitationGroup,
    CitedPlace,
    Content,
    ListedSource,
    Manuscript,
    ManuscriptBlock,
    StyledText,
)
from scholarmind.text.untrusted import uncontrolled

BEGIN, END = "%% scholarmind begins; what stands outside is yours %%", "%% scholarmind ends %%"
_OURS = re.compile(re.escape(BEGIN) + r"\r?\n(.*?)" + re.escape(END) + r"(?:\r?\n)?", re.DOTALL)
_NOT_IN_NAMES = re.compile(r'[\[\]#^|\\/:*?"<>%\x00-\x1f\x7f]+')
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#$^%])")
_AT_START = re.compile(r"^(?:([-+=>])|(\d{1,9})([.)]))(?=\s)")
_QUOTED = re.compile(r"^“.*\^(q-[0-9a-f]{8})$", re.MULTILINE)
_ANSWER = re.compile(r"^- \[\[.+\]\]$", re.MULTILINE)
_LISTS = frozenset({".jsonl", ".ndjson", ".json", ".bib", ".bibtex", ".ris"})  # files of many works, which open nothing
_ANSWERS, _WORKS = "Answers", "Works"
_LONGEST_NAME = 120  # bytes: file systems take 255, and people read less


@dataclass(frozen=True, slots=True)
class _Vault:
    """The notes of a folder by their names, in which Obsidian finds them wherever they are."""

    folder: Path
    notes: Mapping[str, Path]

    def work(self, source: ListedSource) -> Path:
        """Return the note of a work: the user's own, named by the key, or the one to be made."""
        key = _name(source.key)
        known = self.notes.get(key.casefold()) or self.notes.get(f"@{key}".casefold())
        return known or self.folder / _WORKS / f"{key}.md"

    def link(self, note: Path) -> str:
        """Return how a note is linked to: by its path in the vault, without its ending."""
        return note.relative_to(self.folder).with_suffix("").as_posix()


def write_notes(manuscript: Manuscript, folder: Path) -> Path:
    """Write an answer and the works that it cites into a vault; return the note of the answer."""
    if not folder.is_dir():
        raise QueryError(f"there is no folder {str(folder)!r}; give the folder of your Obsidian vault")
    vault = _Vault(
        folder, {note.stem.casefold(): note for note in sorted(folder.rglob("*.md")) if _is_seen(note, folder)}
    )
    answer = _answer_note(manuscript, vault)
    try:
        for source in manuscript.sources:
            note = vault.work(source)
            before = _read(note)
            _put(note, before, _front_of_work(source), _work(source, manuscript, before, vault.link(answer)))
        _put(answer, _read(answer), _front_of_answer(manuscript), "\n\n".join(_answer(manuscript, vault)))
    except OSError as error:
        raise QueryError(f"the note {str(error.filename)!r} cannot be written: {error.strerror}") from error
    return answer


def _is_seen(note: Path, folder: Path) -> bool:
    return not any(part.startswith(".") for part in note.relative_to(folder).parts)


def _read(note: Path) -> str:
    return note.read_bytes().decode("utf-8", "surrogateescape") if note.is_file() else ""  # with its own line ends


def _put(note: Path, before: str, front: str, ours: str) -> None:
    """Write our part of a note in the place of the one before; behind all else where the user took that out."""
    block = f"{BEGIN}\n{ours}\n{END}\n"
    if not before:
        text = f"{front}\n{block}"
    elif _OURS.search(before):
        text = _OURS.sub(lambda _: block, before, count=1)
    else:
        text = f"{before.rstrip()}\n\n{block}"
    if text == before:
        return
    note.parent.mkdir(parents=True, exist_ok=True)
    whole = note.with_name(f".{note.name[:40]}.{os.getpid()}")
    whole.write_bytes(text.encode("utf-8", "surrogateescape"))
    whole.replace(note)


def _name(text: str) -> str:
    """Return a text as the name of a note on any system."""
    plain = " ".join(_NOT_IN_NAMES.sub(" ", text).split()).strip(". ") or "untitled"
    return plain.encode()[:_LONGEST_NAME].decode("utf-8", "ignore").strip(". ")


# -- the answer


def _answer_note(manuscript: Manuscript, vault: _Vault) -> Path:
    """Return the note of this question; another question of the same name gets one of its own."""
    name = _name(manuscript.title)
    note = vault.folder / _ANSWERS / f"{name}.md"
    if note.is_file() and f"question: {_quoted(manuscript.title)}\n" not in _read(note):
        digest = hashlib.sha256(manuscript.title.encode("utf-8", "replace")).hexdigest()[:6]
        return note.with_name(f"{name} {digest}.md")
    return note


def _front_of_answer(manuscript: Manuscript) -> str:
    review = manuscript.answer.review
    fields = {
        "question": _quoted(manuscript.title),
        "verdict": _quoted(review.verdict),
        "confidence": f"{review.confidence:.2f}",
        "run": _quoted(manuscript.answer.run),
        "tags": "[scholarmind/answer]",
    }
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + "---\n"


def _quoted(text: str) -> str:
    """Return a text as YAML has it between double quotes, in one line."""
    line = uncontrolled(" ".join(text.split()))
    return '"' + line.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _answer(manuscript: Manuscript, vault: _Vault) -> Iterator[str]:
    words = manuscript.words
    yield f"# {_escaped(manuscript.title)}"
    yield from _blocks(manuscript, vault)
    yield from (_escaped(line) for line in manuscript.doubts)
    if manuscript.table:
        yield f"## {_capital(words['completeness'])}"
        yield _table([[(StyledText(cell),) for cell in row] for row in manuscript.table], manuscript, vault)
        yield f"{words['verdict']}: **{_escaped(manuscript.verdict)}**"
    if manuscript.notes:
        yield f"## {_capital(words['notes'])}"
        yield "\n".join(f"- {_escaped(note)}" for note in manuscript.notes)
    if manuscript.sources:
        yield f"## {_capital(words['sources'])}"
        yield "\n".join(
            f"- [[{vault.link(vault.work(source))}|{_alias(source.shown)}]] {_escaped(source.entry)}"
            + (f" [Zotero]({source.zotero})" if source.zotero else "")
            for source in manuscript.sources
        )


def _blocks(manuscript: Manuscript, vault: _Vault) -> Iterator[str]:
    lines: list[str] = []  # of a list
    for block in manuscript.blocks:
        written = _block(block, manuscript, vault)
        if block.kind == "item" or (lines and block.depth):
            lines.append(written)
            continue
        if lines:
            yield "\n".join(lines)
            lines = []
        yield written
    yield from ["\n".join(lines)] if lines else []


def _block(block: ManuscriptBlock, manuscript: Manuscript, vault: _Vault) -> str:
    content = _content(block.content, manuscript, vault)
    indent = "    " * block.depth
    match block.kind:
        case "heading":
            return f"{'#' * min(block.level + 1, 6)} {content}"
        case "item":
            return f"{indent[4:]}{f'{block.number}.' if block.number else '-'} {_started(content)}"
        case "quotation":
            return f"> {_started(content)}"
        case "table":
            return _table(block.rows, manuscript, vault)
        case "code":
            return "```\n" + "\n".join(piece.text for piece in block.content if isinstance(piece, StyledText)) + "\n```"
        case _:
            return f"{indent}{_started(content)}"


def _started(text: str) -> str:
    """Return a line that begins no list or quotation."""
    return _AT_START.sub(lambda found: f"\\{found[1]}" if found[1] else f"{found[2]}\\{found[3]}", text)


def _table(rows: Sequence[Sequence[Content]], manuscript: Manuscript, vault: _Vault) -> str:
    lines = ["| " + " | ".join(_content(cell, manuscript, vault, in_table=True) for cell in row) + " |" for row in rows]
    return "\n".join((lines[0], "|" + "---|" * len(rows[0]), *lines[1:]))


def _content(content: Content, manuscript: Manuscript, vault: _Vault, *, in_table: bool = False) -> str:
    parts = [
        " ".join(_cited(item, manuscript, vault, bar=r"\|" if in_table else "|") for item in piece.items)
        if isinstance(piece, CitationGroup)
        else _styled(piece)
        for piece in content
    ]
    return "".join(parts)


def _styled(piece: StyledText) -> str:
    if piece.code:
        return f"`` {piece.text} ``"
    text = _escaped(piece.text).replace("\n", "  \n")
    core, mark = text.strip(), "**" * piece.bold + "*" * piece.italic
    if not mark or not core:
        return text
    before, _, after = text.partition(core)
    return f"{before}{mark}{core}{mark[::-1]}{after}"


def _cited(item: CitedPlace, manuscript: Manuscript, vault: _Vault, *, bar: str) -> str:
    """Return a citation as a link to the quoted words in the note of the work, or to the note."""
    source = manuscript.source(item.work)
    pages = f", {manuscript.pages(item.pages)}" if item.pages else ""
    if source is None:
        return _escaped(f"[{item.shown}{pages}]")
    block = f"#^{_block_id(item.quotes[0])}" if item.quotes else ""
    return f"[[{vault.link(vault.work(source))}{block}{bar}{_alias(item.shown + pages)}]]"


# -- the works


def _front_of_work(source: ListedSource) -> str:
    document = source.document
    fields = {
        "title": _quoted(document.title),
        "authors": f"[{', '.join(_quoted(author.strip('{}')) for author in document.authors)}]"
        if document.authors
        else "",
        "year": str(document.year) if document.year else "",
        "citekey": _quoted(source.key),
        "zotero": _quoted(source.zotero) if source.zotero else "",
        "tags": "[scholarmind/work]",
    }
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items() if value) + "---\n"


def _work(source: ListedSource, manuscript: Manuscript, before: str, answer: str) -> str:
    """Return our part of the note of a work: its entry, what was quoted of it, and the answers that cite it."""
    found = _OURS.search(before)
    kept = found[1].replace("\r\n", "\n") if found else ""
    quotes = {match[1]: match[0] for match in _QUOTED.finditer(kept)}
    for words, page in manuscript.quotations(source).items():
        link = page_link(source.document, page)
        place = manuscript.pages([page]) if page else ""
        told = f" ([{place or 'PDF'}]({link}))" if link else f" ({place})" if place else ""
        quotes.setdefault(_block_id(words), f"“{_escaped(words)}”{told} ^{_block_id(words)}")
    answers = dict.fromkeys((*_ANSWER.findall(kept), f"- [[{answer}]]"))
    links = [f"[Zotero]({source.zotero})"] if source.zotero else []
    origin = Path(source.document.origin)
    if origin.is_absolute() and origin.suffix.lower() not in _LISTS:
        links.append(f"[{_escaped(origin.name)}](file://{quote(str(origin))})")
    parts = [f"**{_escaped(source.entry)}**", " · ".join(links)]
    if quotes:
        parts += [f"## {_capital(manuscript.words['quotations'])}", "\n\n".join(quotes.values())]
    parts += [f"## {_capital(manuscript.words['cited in'])}", "\n".join(answers)]
    return "\n\n".join(filter(None, parts))


def _block_id(words: str) -> str:
    """Return the id of a quotation: the same words always have the same."""
    return f"q-{hashlib.sha256(words.encode('utf-8', 'replace')).hexdigest()[:8]}"


def _alias(text: str) -> str:
    return text.replace("|", "¦").replace("]]", "] ]").replace("[[", "[ [")


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
