"""The fields of a thesis' cover: what stands behind "Title:", "Author:", 题目, 姓名, each with the lines that it goes on in."""

import re
from collections.abc import Iterator, Sequence

from scholarmind.adapters.readers.front_authors import names_in
from scholarmind.adapters.readers.front_stamps import PAGE
from scholarmind.adapters.readers.pdf.page import TextLine
from scholarmind.model import Fact

_LABELS = {
    "title": re.compile(
        r"(?:(?:中文)?(?:毕业)?(?:论文|设计|课题)?(?:[(（]设计[)）])?(?:题目|题名|标题|名称)|(?:thesis|dissertation|paper|project)?title)",
        re.IGNORECASE,
    ),
    "authors": re.compile(
        r"(?:(?:学生|作者|研究生|本科生|申请人)?姓名|作者|研究生|学生|申请人|(?:student|author|candidate)'?s?(?:name)?|submittedby)",
        re.IGNORECASE,
    ),
    "school": re.compile(r"(?:学校|培养单位|授予单位|大学|university)", re.IGNORECASE),
    "other": re.compile(
        r"(?:院系|系别|学院|学院系|院|系|专业(?:班级|名称)?|班级|年级|学号|(?:校内|校外)?(?:指导|导)(?:教师|老师|师).*|导师.*|日期|完成日期|学科.*|"
        r"student(?:id|no)\W*|department|program(?:me)?|major|(?:thesis)?(?:advisor|supervisor)s?|date|faculty|school)",
        re.IGNORECASE,
    ),
}
_HAN_GAP = re.compile(r"(?<=[\u3400-\u9fff（）()])\s+(?=[\u3400-\u9fff（）()])")
_SCHOOL = re.compile(r"[\u3400-\u9fff]{2,12}(?:大学|学院)")
_COLON = re.compile(r"\s*[:：]\s*")
_MOST_LINES = 3
_LONGEST_LABEL = 24
_WIDTH = 0.8  # of a character, against its size
_SURE = 0.85


def cover_facts(lines: Sequence[TextLine]) -> Iterator[Fact]:
    """Yield what the labelled fields of a first page say; nothing where not even a title or an author is labelled."""
    fields: dict[str, str] = {}
    last, left = "", 0.0
    for place, line in enumerate(lines):
        found = list(_fields(line))
        for name, value, begins in found:
            fields.setdefault(name, value)
            last, left = name, begins
        goes_on = not found and last == "title" and place and _is_below(lines[place - 1], line, left)
        if goes_on and fields["title"]:
            fields["title"] = _joined(f"{fields['title']} {line.text.strip()}")
        elif not found:
            last = ""
    names = names_in(fields.get("authors", ""))
    if len(fields.get("title", "")) > _MOST_LINES:
        yield Fact(field="title", value=fields["title"], source=PAGE, sure=_SURE)
        school = fields.get("school") or next(
            (text for line in lines if _SCHOOL.fullmatch(text := _joined(line.text.strip()))), ""
        )
        if school:
            yield Fact(field="school", value=school, source=PAGE, sure=_SURE)
    if names:
        yield Fact(field="authors", value=tuple(names), source=PAGE, sure=_SURE)


def _fields(line: TextLine) -> Iterator[tuple[str, str, float]]:
    """Yield the fields of a line with their values, and where these begin: behind a colon, or in the next cell."""
    cells = [(line.text[cell.start : cell.end], cell.left) for cell in line.cells] or [(line.text, line.left)]
    parts: list[tuple[str, float]] = []
    for text, begins in cells:
        at = 0
        for part in _COLON.split(text):
            at = text.index(part, at)
            parts.append((part.strip(), begins + at * line.size * _WIDTH))
    place = 0
    while place < len(parts):
        for taken in range(min(4, len(parts) - place), 0, -1):  # 姓 and 名 may stand apart
            label = "".join(text for text, _ in parts[place : place + taken]).replace(" ", "")
            name = next((name for name, sign in _LABELS.items() if sign.fullmatch(label)), None)
            if name and len(label) <= _LONGEST_LABEL:
                place += taken
                rest = [part for part in parts[place : place + 2] if part[0]]
                if rest:
                    yield name, _joined(rest[0][0]), rest[0][1]
                    place = parts.index(rest[0]) + 1
                break
        else:
            place += 1


def _is_below(above: TextLine, line: TextLine, left: float) -> bool:
    near = 0 < line.top - above.top < 3 * line.size
    return near and abs(above.size - line.size) < 1 and line.left > left - 2 * line.size and len(line.text) < 60


def _joined(text: str) -> str:
    return _HAN_GAP.sub("", text).strip()
