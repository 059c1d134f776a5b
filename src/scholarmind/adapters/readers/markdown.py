"""Markdown with YAML front matter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from scholarmind.adapters.readers.decode import read_text
from scholarmind.adapters.readers.metadata import document, identifier_of
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading, Section
from scholarmind.text.names import printable

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?P<fields>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE)
_LONGEST_FRONT_MATTER = 64_000
_DEEPEST = 20
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_REFERENCE_OR_NEST = re.compile(rf"[&*?]|-[ \t]+-|^[ \t]{{{_DEEPEST},}}|[-:][ \t]+[-\w\"']+:", re.MULTILINE)
_FENCE = re.compile(r" {0,3}(```+|~~~+)(?P<info>[^\n]*)")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+")
_CLOSING = re.compile(r"(?<![^ \t])#+$")  # `# C#` ends in a name, `# C #` in a mark
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")


@dataclass(frozen=True, slots=True)
class MarkdownReader:
    """Headings become sections; the text stays as it is, so that offsets hold."""

    max_bytes: int

    def read(self, path: Path) -> Iterator[Reading | Problem]:
        """Yield the document, after a problem if its front matter is unusable."""
        text = read_text(path, self.max_bytes)
        fields: dict[str, Any] = {}
        start = body = 0
        matter = _FRONT_MATTER.match(text)
        if matter is not None:
            body = matter.end()
            try:
                fields, start = _front_matter(matter["fields"]), matter.end()
            except ReadError as error:  # then it stays in the text, but nothing in it is a heading
                where = printable(path)
                yield Problem(where=where, reason=f"front matter not used: {error.reason}", advice=error.advice)
        text = text[start:]
        if not text.strip():
            raise ReadError("it has front matter and no text", "add the text, or leave it out")
        sections = tuple(sections_of(text, body - start))
        title = next((section.path[0] for section in sections), printable(Path(path.stem)))
        found = document(fields, path, identifier=identifier_of(path), title=title, kind="note")
        yield Reading(document=found, text=text, sections=sections)


def _front_matter(text: str) -> dict[str, Any]:
    """Read YAML that nobody vouches for: bounded in length and depth, and without references that multiply."""
    advice = "write it as 'key: value' lines between two lines of '---'"
    if len(text) > _LONGEST_FRONT_MATTER:
        raise ReadError(f"it has {len(text):,} characters", f"at most {_LONGEST_FRONT_MATTER:,} are read")
    try:
        depth = 0
        # plain lines need no look at their structure, which costs as much as reading them
        events = cast("Iterator[yaml.Event]", yaml.parse("" if _is_plain(text) else text, Loader=yaml.CSafeLoader))  # pyright: ignore[reportUnknownMemberType]
        for event in events:
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if isinstance(event, yaml.AliasEvent) or depth > _DEEPEST:
                raise ReadError("it uses references or deep nesting", advice)
        found = yaml.load(text, Loader=yaml.CSafeLoader)
    except (yaml.YAMLError, ValueError) as error:
        told = str(getattr(error, "problem", None) or error)
        mark = getattr(error, "problem_mark", None)
        raise ReadError(f"not YAML ({told}{f', line {mark.line + 2}' if mark else ''})", advice) from error
    if found is None:  # nothing, or comments only
        return {}
    if not isinstance(found, dict):
        raise ReadError(f"a {type(found).__name__} where fields were expected", advice)
    return cast("dict[str, Any]", found)


def _is_plain(text: str) -> bool:
    """Tell that there can be neither references nor deep nesting."""
    brackets = text.count("[") + text.count("{")
    return brackets < _DEEPEST and not _REFERENCE_OR_NEST.search(text)


def sections_of(text: str, position: int) -> Iterator[Section]:
    """Yield headings in `#` and underlined style from this position on, outside of code."""
    path: dict[int, str] = {}
    fence = ""
    previous_start = position
    previous = ""
    for line in _LINE.findall(text, position):
        end = position + len(line)
        found = None if fence else _heading(line.strip(), line, previous)
        fence = _fence(line, fence)
        if found is not None:
            level, title, underlined = found
            path = {depth: name for depth, name in path.items() if depth < level} | {level: title}
            heading = previous_start if underlined else position
            yield Section(heading=heading, start=end, path=tuple(path.values()))
        previous, previous_start, position = line.strip(), position, end


def open_fence(text: str) -> str:
    """Return the mark that would close the code that the text leaves open, or ''."""
    fence = ""
    for line in _LINE.findall(text):
        fence = _fence(line, fence)
    return fence


def _fence(line: str, fence: str) -> str:
    """Return the mark that closes the code that we are in after this line, or ''."""
    mark = _FENCE.match(line)
    if mark is None:
        return fence
    if fence:
        return "" if mark[1].startswith(fence) and not mark["info"].strip() else fence
    return "" if mark[1][0] == "`" and "`" in mark["info"] else mark[1]


def _heading(bare: str, line: str, previous: str) -> tuple[int, str, bool] | None:
    match = _HEADING.match(line)
    if match:
        title = _CLOSING.sub("", bare.lstrip("#").strip()).strip()
        return (len(match[1]), title, False) if title else None
    match = _UNDERLINE.match(line)
    if match and previous and not _HEADING.match(previous) and not previous.startswith(("-", "*", ">", "|", "#")):
        return (1 if match[1][0] == "=" else 2), previous, True
    return None
