"""What is wrong with an entry that cannot be taken apart, and what it must have meant: fields that begin on lines of their own tell."""

import re
from dataclasses import dataclass

_START = re.compile(r"@\s*(\w+)\s*[{(]\s*")
_KEY = re.compile(r"[^\s,={}\"]*(?=\s*,)")
_FIELD_ON_LINE = re.compile(r"^[ \t]*([A-Za-z][\w:.+-]*)[ \t]*=[ \t]*(?=[{\"\w])", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*%.*\n?", re.MULTILINE)
_MARK = re.compile(r"(?<!\\)[{}\"]")
_TAIL = re.compile(r"[\s,]*(?:(?<!\\)%[^\n{}]*)?\Z")  # a comma, a comment
_BARE = re.compile(r"[^\s,{}()]+")
_LINES_AFTER = re.compile(r"[\s,]*\n\s*(?:[)}]|\n)")
_MOST_FIELDS = 500


@dataclass(frozen=True, slots=True)
class Repair:
    """An entry written anew, and what was wrong with it; no text where there is nothing to go by."""

    text: str
    wrong: tuple[str, ...]


def repair(raw: str, line: int) -> Repair:
    """Return the entry that begins on this line with every field closed where the next one begins."""
    head = _START.match(raw)
    fields = list(_FIELD_ON_LINE.finditer(raw))[:_MOST_FIELDS]
    if head is None or not fields:
        return Repair("", ())
    key = _KEY.match(raw, head.end())
    written: list[str] = []
    wrong: list[str] = []
    ends = [field.start() for field in fields[1:]] + [len(raw)]
    for field, end in zip(fields, ends, strict=True):
        value, fault = _closed(_COMMENT.sub("", raw[field.end() : end]), last=field is fields[-1])
        if fault:
            wrong.append(f"field {field[1]!r} (line {line + raw.count(chr(10), 0, field.start(1))}) has {fault}")
        written.append(f"{field[1]} = {value}")
    if not wrong and key and not _COMMENT.search(raw):  # comments within an entry are well with some programs
        wrong = [
            "a comma is missing"
            if _is_closed(raw, fields[-1].end())
            else "its closing brace, or that of its last field, is missing"
        ]
    body = ",\n".join(written)
    return Repair(f"@{head[1]}{{{key[0] if key else ''},\n{body}\n}}\n", tuple(wrong))


def _closed(value: str, *, last: bool) -> tuple[str, str]:
    """Return the value of one field with as many braces as it needs, and what was wrong."""
    value = _TAIL.sub("", value.strip())
    if last:
        value = _without_end(value)
    if not value.startswith(("{", '"')):
        return value, ""
    depth, quotes = _balance(value)
    if value.startswith('"') and depth == 0:
        return (value, "") if quotes % 2 == 0 else (f'{value}"', "a quotation mark that nothing closes")
    if depth == 0:
        return value, ""
    if depth > 0 and value.startswith("{"):
        return value + "}" * depth, "a brace that nothing closes"
    return "{" + _MARK.sub(
        "", value
    ) + "}", f"a {'closing brace too much' if depth < 0 else 'brace that nothing closes'}"


def _is_closed(raw: str, start: int) -> bool:
    """Tell that something is left behind the last field to close the entry."""
    value = raw[start:].strip()
    return bool(re.search("[)}]", value[len(_without_end(value)) :]))


def _balance(value: str) -> tuple[int, int]:
    """Return how many braces stay open, and how many quotation marks stand outside of braces."""
    depth = quotes = 0
    for mark in _MARK.findall(value):
        if mark == '"':
            quotes += depth == 0
        else:
            depth += 1 if mark == "{" else -1
    return depth, quotes


def _without_end(value: str) -> str:
    """Return the last value without what closes the entry, and without what stands behind that."""
    if not value.startswith(("{", '"')):
        found = _BARE.match(value)
        return found[0] if found else ""
    depth = 0
    for mark in _MARK.finditer(value, 1):
        if depth == 0 and mark[0] == ("}" if value[0] == "{" else '"'):
            return value[: mark.end()]
        depth += {"{": 1, "}": -1}.get(mark[0], 0)
    return _LINES_AFTER.split(value, maxsplit=1)[0]
