"""The results that a table holds: one method a row and one data set a column, or the other way round. Pure.

Tables stand in texts as Markdown, as lines of "header: value; header: value", or as lines of cells with bars between them.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from scholarmind.graph.metadata import number_of
from scholarmind.graph.spotting import Spot
from scholarmind.graph.things import thing
from scholarmind.relations import Statement, Thing
from scholarmind.text.sentences import sentences

_RULE = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_VALUE = re.compile(r"^[*_†‡\s]*([-+]?\d{1,3}(?:\.\d+)?\s?%?)(?:\s?(?:±|\+/-)\s?[\d.]+)?[*_†‡\s]*$")
_METHODS = re.compile(
    r"\b(?:models?|methods?|systems?|approach|algorithm|architecture|network)\b|模型|方法|系统|算法", re.IGNORECASE
)
_DATASETS = re.compile(r"\b(?:data ?sets?|benchmarks?|tasks?|corpus|corpora)\b|数据集|任务|基准", re.IGNORECASE)
_NO_METHOD = re.compile(r"^(?:human\w*|average|avg\.?|mean|total|random|#.*|人类|平均|合计)$", re.IGNORECASE)
_IN_BRACKETS = re.compile(r"[(（]([^()（）]{1,40})[)）]")
_HEADED = re.compile(r"([^:;|]{1,60}): ([^;|]{1,80})(?:; |$)")
_SETTING = re.compile(r"\b(?:dev|test|val|validation|development)\b|测试集|验证集|开发集", re.IGNORECASE)
_OF_THE_TABLE = re.compile(
    r"\b(?:table|entries|figures|numbers|values|columns|results|performance|comparison)\b|表|数值|各列|结果|性能",
    re.IGNORECASE,
)
# before a metric: "Waymo AP", and not "Mean AP" or "Test accuracy"
_NAME_AHEAD = re.compile(
    r"(?!(?:Mean|Av\w+|Val\w*|Test|Dev|Train\w*|Macro|Micro|Overall|Total|Balanced|Box|Mask|Final|Best|Relative|Top|Max|Min|Our)\b)"
    r"(?:[A-Z][\w-]*[ ])+"
)
_AROUND = 240  # characters
_CONFIDENCE = 0.85
_MOST_ROWS = 2_000
_MOST_COLUMNS = 60
_LONGEST_PROOF = 4_000  # characters from the header to the row, if the proof is to hold both
_LONGEST_NAME = 60
_LONGEST_CELL = 200
_LONGEST_LINE = 4_000

Spotter = Callable[[int, int], list[Spot]]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell and where it stands in the text."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Column:
    """What the values of a column, or of a row, are of."""

    thing: Thing
    metric: str = ""
    setting: str = ""


def table_statements(text: str, start: int, end: int, spotter: Spotter) -> Iterator[Statement]:
    """Yield what the lines of a table between two places of a text report."""
    rows = list(rows_of(text, start, end))
    if len(rows) < 2:
        return
    header, *body = rows
    sideways = _is_sideways(header, body, spotter)
    columns = [_column(cell, spotter, "method" if sideways else "dataset") for cell in header[1:]]
    if _is_second_header(body[0], spotter):
        columns, body = _beneath(columns, header[1:], body[0][1:], spotter), body[1:]
    if not any(columns) and not sideways:
        columns = _of_one_data_set(header[1:], _said_of_all("dataset", text, (start, end), spotter), spotter)
    if not any(columns):
        return
    whole = _said_of_all("metric", text, (start, end), spotter)
    columns = [column and replace(column, metric=column.metric or whole) for column in columns]
    for row in body:
        side = _column(row[0], spotter, "dataset" if sideways else "method", is_row=True) if row else None
        if side is not None:
            yield from _row_statements((header, row), side, columns, sideways=sideways)


def _is_second_header(row: Sequence[Cell], spotter: Spotter) -> bool:
    """Tell whether the line below the header names metrics, and has nothing in its first column."""
    named = [cell for cell in row[1:] if cell.text]
    return bool(named) and not row[0].text and all(_metric_in(cell, spotter) for cell in named)


def _beneath(
    columns: Sequence["_Column | None"], header: Sequence[Cell], second: Sequence[Cell], spotter: Spotter
) -> list["_Column | None"]:
    """Return the columns below a header of two lines: each is of the last thing that is named above it, by its own metric."""
    found: list[_Column | None] = []
    above: _Column | None = None
    for place, cell in enumerate(second):
        if place < len(header) and header[place].text:
            above = columns[place]
        found.append(above and replace(above, metric=_metric_in(cell, spotter) or above.metric))
    return found


def _of_one_data_set(header: Sequence[Cell], dataset: str, spotter: Spotter) -> list["_Column | None"]:
    """Return columns that are headed by metrics only, where the text around the table names the one data set."""
    metrics = [_metric_in(cell, spotter) for cell in header]
    return [_Column(thing("dataset", dataset), metric) if dataset and metric else None for metric in metrics]


def _metric_in(cell: Cell, spotter: Spotter) -> str:
    spots = spotter(cell.start, min(cell.end, cell.start + _LONGEST_CELL)) if cell.text else []
    return next((spot.name for spot in spots if spot.kind == "metric"), "")


def _said_of_all(kind: str, text: str, table: tuple[int, int], spotter: Spotter) -> str:
    """Return the one metric, or the one data set, that the text right before or behind a table says all of its values are of."""
    start, end = table
    for begin, stop in ((end, min(len(text), end + _AROUND)), (max(0, start - _AROUND), start)):
        for sentence in sentences(text, begin, stop):
            if _OF_THE_TABLE.search(text, *sentence):
                names = {spot.name for spot in spotter(*sentence) if spot.kind == kind}
                if len(names) == 1:
                    return names.pop()
    return ""


def rows_of(text: str, start: int, end: int) -> Iterator[list[Cell]]:
    """Yield the rows of a table, its header first, however it is written."""
    lines = _lines(text, start, end)
    headed = [_headed(text, *line) for line in lines]
    if sum(map(bool, headed)) > len(headed) // 2:
        yield from _with_header(headed)
        return
    for begin, stop in lines:
        if "|" in text[begin:stop] and not _RULE.match(text[begin:stop]):
            yield _cells(text, begin, stop)


def _lines(text: str, start: int, end: int) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    place = start
    while place < end and len(lines) < _MOST_ROWS:
        stop = text.find("\n", place, end)
        stop = end if stop < 0 else stop
        if stop - place <= _LONGEST_LINE and text[place:stop].strip():
            lines.append((place, stop))
        place = stop + 1
    return lines


def _cells(text: str, start: int, end: int) -> list[Cell]:
    """Cut a line at its bars; the empty cells before the first and behind the last are none."""
    cells: list[Cell] = []
    place = start
    for part in text[start:end].split("|")[: _MOST_COLUMNS + 2]:
        bare = part.strip()
        begin = place + (len(part) - len(part.lstrip()) if bare else 0)
        cells.append(Cell(bare, begin, begin + len(bare)))
        place += len(part) + 1
    if cells and not cells[0].text:
        cells = cells[1:]
    return cells[:-1] if cells and not cells[-1].text else cells


def _headed(text: str, start: int, end: int) -> list[tuple[Cell, Cell]]:
    """Return the headers and values of a line "header: value; header: value"."""
    return [
        (Cell(match[1].strip(), *match.span(1)), Cell(match[2].strip(), *match.span(2)))
        for match in _HEADED.finditer(text, start, end)
    ]


def _with_header(lines: Sequence[Sequence[tuple[Cell, Cell]]]) -> Iterator[list[Cell]]:
    names = [name for name, _ in next(filter(None, lines))]
    yield names
    for line in lines:
        values = {name.text: value for name, value in line}
        if names[0].text in values:
            yield [values.get(name.text, Cell("", 0, 0)) for name in names]


def _is_sideways(header: Sequence[Cell], body: Sequence[Sequence[Cell]], spotter: Spotter) -> bool:
    """Tell whether the data sets stand in the first column and the methods in the header."""
    corner = header[0].text if header else ""
    if _METHODS.search(corner):
        return False
    if _DATASETS.search(corner):
        return True
    first = [
        spot.kind
        for row in body[:20]
        if row
        for spot in spotter(row[0].start, min(row[0].end, row[0].start + _LONGEST_CELL))[:1]
    ]
    return first.count("dataset") > first.count("method")


def _column(cell: Cell, spotter: Spotter, kind: str, *, is_row: bool = False) -> _Column | None:
    """Return what a cell of a header names: a data set with its metric, or a method with its setting."""
    spots = spotter(cell.start, min(cell.end, cell.start + _LONGEST_CELL)) if cell.text else []
    if kind == "method":
        return _method(cell, spots)
    dataset = next((spot for spot in spots if spot.kind == "dataset"), None)
    # where a data set must stand, an unknown name is one: "FooBench"
    dataset = dataset or next((spot for spot in spots if spot.kind == "method" and spot.known is None), None)
    metric = next((spot.name for spot in spots if spot.kind == "metric"), "")
    metric = _whole_metric(cell.text, metric)
    setting = ", ".join(dict.fromkeys(match[0] for match in _SETTING.finditer(cell.text)))
    if dataset is not None:
        return _Column(thing("dataset", dataset.name), metric, setting)
    name = _IN_BRACKETS.sub("", cell.text).strip()
    if metric and not is_row and (ahead := _NAME_AHEAD.match(name)) and name[ahead.end() :].strip() == metric:
        return _Column(thing("dataset", ahead[0].strip()), metric, setting)
    if is_row and name and len(name) <= _LONGEST_NAME and not _NO_METHOD.match(name) and not _VALUE.match(name):
        return _Column(thing("dataset", name), metric, setting)
    return None


def _whole_metric(cell: str, metric: str) -> str:
    """Return the metric in brackets with the words before it: "joint F1" of "HotpotQA (joint F1)"."""
    inside = _IN_BRACKETS.search(cell)
    return inside[1].strip() if inside and metric and metric in inside[1] else metric


def _method(cell: Cell, spots: Sequence[Spot]) -> _Column | None:
    named = next((spot for spot in spots if spot.kind == "method"), None)
    if named is not None and named.start - cell.start <= 2:
        rest = cell.text[named.end - cell.start :].strip(" ,;()（），*")
        return _Column(thing("method", named.name), setting=rest)
    name = re.split(r"\s*[,(（]", cell.text, maxsplit=1)[0].strip("*_ ")
    known = (
        not name
        or len(name) > _LONGEST_NAME
        or _NO_METHOD.match(name)
        or _VALUE.match(name)
        or not re.search(r"[^\W\d]{2}", name)
    )
    return None if known else _Column(thing("method", name), setting=cell.text[len(name) :].strip(" ,;()（），*"))


def _row_statements(
    lines: tuple[Sequence[Cell], Sequence[Cell]],
    side: _Column,
    columns: Sequence[_Column | None],
    *,
    sideways: bool,
) -> Iterator[Statement]:
    header, row = lines
    start, end = row[0].start, row[-1].end
    if 0 <= end - header[0].start <= _LONGEST_PROOF:
        start = header[0].start
    for cell, column in zip(row[1:], columns, strict=False):
        value = _VALUE.match(cell.text)
        if column is None or value is None:
            continue
        method, dataset = (column, side) if sideways else (side, column)
        yield Statement(
            relation="REPORTS",
            source=method.thing,
            target=dataset.thing,
            confidence=_CONFIDENCE,
            start=start,
            end=max(end, cell.end),
            metric=dataset.metric,
            value=value[1].strip(),
            number=number_of(value[1]),
            setting=", ".join(filter(None, (method.setting, dataset.setting))),
        )
