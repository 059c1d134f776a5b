"""The results that sentences and tables report: which method has which value by which metric on which data set. Pure.

A table has one method a row and one data set a column, or the other way round.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from scholarmind.graph import cues
from scholarmind.graph.document_statements import number_of, thing
from scholarmind.graph.entity_recognition import EntitySentence, Spot
from scholarmind.relations import Statement, Thing
from scholarmind.text.analysis import sentences

# -- results in a sentence

_VALUE = re.compile(
    r"(?<![A-Za-z0-9_.,/×$€£±-])(?<!± )\d{1,3}(?:\.\d+)?(?:[ ]?%)?(?![A-Za-z0-9_/×]|[.,]\d|-[A-Za-z\d])"
)

_RESPECTIVELY = re.compile(r"\brespectively\b|分别")
_BRACKETS = re.compile(r"[ ][(\[][^()\[\]]{1,40}[)\]]")  # "0.93 (95% CI 0.91-0.95) on"
_YEAR = re.compile(r"(?:19|20)\d\d$")
_NEAR = 48  # characters between a value and what is said of it right there
_MOST_VALUES = 60  # of one sentence
_CONFIDENCE = 0.8
_METRIC_GAP = re.compile(r"[ ]?(?:[a-z-]+[ ]){0,1}$|的$")
_METRIC_BEFORE = re.compile(
    r"[ ]?(?:\([^()]{0,40}\)[ ]?)?(?:(?:score|value|rate|average)[ ]?)?"
    r"(?:of|is|was|at|from[ ][\d.]+%?[ ](?:for[ ][\w -]{1,40}[ ])?to|by|to|于|为|是|达到?|约|同为|[:=])?[ ]?"
    r"(?:about|only|just|roughly|up[ ]to|as[ ]high[ ]as|an?|the)?[ ]?$"
)

_FROM_TO = re.compile(r"\bfrom[ ][\d.]+%?(?:[ ]for[ ][^,;]{1,40})?[ ]to[ ]$|从[\d.]+%?[^，；]{0,20}[到至]$")
_SHOTS = re.compile(r"[ ](?:zero|one|few|\d+)-shot")
_DIRECTLY = re.compile(r"(?:[ ](?:model|ensemble|system|one[ ]of))?[ ]|的")
_LIST_OF_DATA = re.compile(r"^(?:,|,?[ ](?:and|or)|、|和|与|及)[ ]?(?:the[ ])?$")
_QUALIFIED = {"joint", "macro", "micro", "top-1", "top-5", "average"}
_VERBS_AS_METRICS = re.compile(r"\b(solv|averag|scor)\w*[ ](?:\w+[ ]){0,2}$")
_NAMES_OF_VERBS = {"solv": "solved", "averag": "average", "scor": "score"}


@dataclass(frozen=True, slots=True)
class _Value:
    """A score of a sentence, with what was found out of it."""

    start: int
    end: int
    text: str
    method: Spot | None = None
    dataset: Spot | None = None
    metric: str = ""


def result_statements(sentence: EntitySentence) -> Iterator[Statement]:
    """Yield what the sentence reports."""
    if not sentence.of("dataset") or not sentence.of("method"):
        return
    if _RESPECTIVELY.search(sentence.text, sentence.start, sentence.end):
        yield from _respectively(sentence)
        return
    before: _Value | None = None
    for number, match in enumerate(_VALUE.finditer(sentence.text, sentence.start, sentence.end)):
        if number >= _MOST_VALUES:
            return
        if _is_named(sentence, match):
            continue
        value = _read(sentence, match, before)
        if value is None:
            continue
        before = value if value.method else replace(value, method=before.method if before else None)
        if value.method is not None and value.dataset is not None:
            yield _statement(sentence, value, value.method, value.dataset)


def _respectively(sentence: EntitySentence) -> Iterator[Statement]:
    """Yield what a sentence with "respectively" reports: as many values as methods on one data set, or as data sets of one method."""
    values = [
        match
        for match in _VALUE.finditer(sentence.text, sentence.start, sentence.end)
        if not _is_named(sentence, match)
    ]
    values = [match for match in values if "%" in match[0] or "." in match[0]] or values
    methods = [spot for spot in sentence.of("method") if not spot.generic]
    datasets = sentence.of("dataset")
    metric = next((spot.name for spot in sentence.of("metric")), "")
    count = len(values)
    if count < 2 or count > _MOST_VALUES or (len(methods), len(datasets)) not in {(count, 1), (1, count)}:
        return
    for place, match in enumerate(values):
        method, dataset = methods[place % len(methods)], datasets[place % len(datasets)]
        yield _statement(sentence, _Value(*match.span(), match[0], metric=metric), method, dataset)


def _is_named(sentence: EntitySentence, match: re.Match[str]) -> bool:
    return any(spot.start <= match.start() < spot.end for spot in sentence.spots)


def _read(sentence: EntitySentence, match: re.Match[str], before: _Value | None) -> _Value | None:
    """Return the value with all that is said of it, or nothing where it is no score."""
    start, end = match.span()
    since = before.end if before else sentence.start
    ahead = sentence.between(max(since, start - _NEAR), start)
    if not _may_be_score(sentence, match, ahead):
        return None
    if before is not None and (owner := _before_bracket(sentence, start, end)):
        return _Value(start, end, match[0], owner, before.dataset, before.metric)
    metric, is_near = _metric_of(sentence, start, end, since, before)
    dataset = _dataset_of(sentence, start, end, since, before)
    owner = _owner(sentence, end)
    said = (
        is_near or cues.SCORED.search(ahead) or (owner is not None and (before is not None or ahead.endswith("the ")))
    )
    if not said and not _is_short(sentence, (start, end), before):
        return None
    if cues.SHARE.match(sentence.text, end, sentence.end) and owner is None and not _VERBS_AS_METRICS.search(ahead):
        return None
    if (
        before is not None
        and dataset is before.dataset
        and metric.startswith("average")
        and not before.metric.startswith("average")
    ):
        dataset = None  # an average over nobody knows what
    return _Value(start, end, match[0], owner or _method_of(sentence, start, end, before), dataset, metric)


def _before_bracket(sentence: EntitySentence, start: int, end: int) -> Spot | None:
    """Return the method that a value stands behind in brackets: "outperforms FooNet (78.1) and BarNet (77.9)"."""
    if sentence.text[start - 1] not in "(（" or sentence.text[end : end + 1] not in set(")）"):
        return None
    return next(
        (s for s in sentence.of("method") if not sentence.between(s.end, start - 1).strip() and s.end < start), None
    )


def _may_be_score(sentence: EntitySentence, match: re.Match[str], ahead: str) -> bool:
    """Tell a number that may be a score from a year, a difference, and the count of something."""
    if cues.DIFFERENCE.search(ahead):
        return False
    if metric := _metric_behind(sentence, match.end()):
        return not cues.COUNTED.match(sentence.text, metric.end, sentence.end)
    return not _YEAR.match(match[0]) and cues.MAY_FOLLOW.match(sentence.text, match.end(), sentence.end) is not None


def _is_short(sentence: EntitySentence, value: tuple[int, int], before: _Value | None) -> bool:
    """Tell whether a number without a verb goes on with those before: "and BM25 68.8%", "低于BERT的93.5"."""
    start, end = value
    spot = next((spot for spot in reversed(sentence.spots) if spot.end <= start), None)
    if before is None or spot is None:
        return False
    if spot.start < before.end:
        return _SHOTS.match(sentence.text, end, sentence.end) is not None
    return _DIRECTLY.fullmatch(sentence.between(spot.end, start)) is not None


def _metric_behind(sentence: EntitySentence, end: int) -> Spot | None:
    """Return the metric right behind a value: "93.2 F1"."""
    after = next((spot for spot in sentence.of("metric") if spot.start >= end), None)
    return after if after and _METRIC_GAP.fullmatch(sentence.between(end, after.start)) else None


def _metric_of(sentence: EntitySentence, start: int, end: int, since: int, before: _Value | None) -> tuple[str, bool]:
    """Return the metric of a value, and whether it stands right at it."""
    if after := _metric_behind(sentence, end):
        return _metric_name(sentence, after, end), True
    ahead = [spot for spot in sentence.of("metric") if since <= spot.start and spot.end <= start]
    if ahead and not ahead[-1].name.endswith(("scores", "scored")):
        near = bool(_METRIC_BEFORE.fullmatch(sentence.between(ahead[-1].end, start)))
        return _metric_name(sentence, ahead[-1], since), near
    if verb := _VERBS_AS_METRICS.search(sentence.between(max(since, start - _NEAR), start)):
        return _NAMES_OF_VERBS[verb[1]], False
    return (before.metric if before else ""), False


def _metric_name(sentence: EntitySentence, metric: Spot, begin: int) -> str:
    """Return a metric with the word before it that belongs to it: "joint F1", "top-1 accuracy"."""
    words = sentence.between(max(begin, metric.start - 12), metric.start).split()
    return f"{words[-1]} {metric.name}" if words and words[-1] in _QUALIFIED else metric.name


def _method_of(sentence: EntitySentence, start: int, end: int, before: _Value | None) -> Spot | None:
    """Return whose the value is that does not say so behind it: the method that it is said of, or is compared with."""
    if cues.SOMEBODY.match(sentence.text, end, sentence.end):
        return None
    methods = [
        spot
        for spot in sentence.of("method")
        if spot.end <= start and not cues.NO_SUBJECT.match(sentence.text, spot.end)
    ]
    since = before.end if before else sentence.start
    if _FROM_TO.search(sentence.between(sentence.start, start)):
        return next((spot for spot in methods if not spot.technique), None)
    fresh = [spot for spot in methods if spot.start >= since]
    others = list(cues.OTHERS.finditer(sentence.text, since, start))
    if others and not any(spot.start >= others[-1].end() for spot in fresh):
        return None
    if before is None or fresh:
        # the last method that is not only what another one started from, or is made of
        if fresh and fresh[-1].technique and sentence.is_chinese:
            return fresh[-1]
        free = [spot for spot in fresh if not cues.NOT_SUBJECT.search(sentence.between(spot.start - 24, spot.start))]
        named = [spot for spot in free if not spot.technique] or free or list(fresh)
        return named[-1] if named else None
    return before.method


def _owner(sentence: EntitySentence, end: int) -> Spot | None:
    """Return the method right behind a value and its metric: "72.8 for GPT", "77.3 F1 for Longformer"."""
    place, owner = end, None
    for spot in sentence.spots:
        if spot.start < end:
            continue
        behind = sentence.between(place, spot.start)
        if owner is not None:  # "the Transformer Pythia-2.8B"
            return spot if spot.kind == "method" and behind == " " else owner
        if spot.kind == "metric" and _METRIC_GAP.fullmatch(behind):
            place = spot.end
        elif spot.kind == "method" and cues.OWNER.search(behind) and not re.search(r"[,;()]|\d", behind):
            place, owner = spot.end, spot
        else:
            return None
    return owner


def _dataset_of(sentence: EntitySentence, start: int, end: int, since: int, before: _Value | None) -> Spot | None:
    """Return what the value was measured on: what stands behind it, right before it, or at the head of the sentence."""
    datasets = sentence.of("dataset")
    behind = next((spot for spot in datasets if spot.start >= end), None)
    if behind and behind.start - end <= _NEAR:
        words = _BRACKETS.sub("", sentence.between(end, behind.start))
        if cues.ON.search(words) and not _VALUE.search(words) and not re.search(r"[,;(，；]|\band\b", words):
            return _alone(sentence, behind)
    ahead = [spot for spot in datasets if spot.end <= start]
    free = [spot for spot in ahead if not _is_training(sentence, spot)]
    fresh = [spot for spot in free if spot.start >= since]
    if fresh and start - fresh[-1].end <= _NEAR // 2:
        return _alone(sentence, fresh[-1])
    leads = [spot for spot in fresh if _is_lead(sentence, spot)]
    if leads:
        return _alone(sentence, leads[-1] if before else leads[0])
    if before:
        return before.dataset
    return _alone(sentence, free[-1]) if free else None


def _alone(sentence: EntitySentence, spot: Spot) -> Spot | None:
    """Return a data set that is not one of several: their average is no result of any of them."""
    datasets = sentence.of("dataset")
    place = datasets.index(spot)
    neighbours = [each for each in datasets[max(0, place - 1) : place + 2] if each is not spot]
    listed = any(
        _LIST_OF_DATA.match(sentence.between(min(spot.end, each.end), max(spot.start, each.start)))
        for each in neighbours
    )
    return None if listed else spot


def _is_lead(sentence: EntitySentence, spot: Spot) -> bool:
    return bool(cues.LEAD.search(sentence.between(spot.start - 80, spot.start)))


def _is_training(sentence: EntitySentence, spot: Spot) -> bool:
    return bool(cues.TRAINED.search(sentence.between(spot.start - _NEAR, spot.start)))


def _statement(sentence: EntitySentence, value: _Value, method: Spot, dataset: Spot) -> Statement:
    # what else the sentence says that the value holds for
    lead = sentence.between(sentence.start, value.start)
    tail = re.split(r"[,;，；]", sentence.between(value.end, value.end + 60), maxsplit=1)[0]
    told = [match[0] for part in (lead, tail) for match in cues.SETTINGS.finditer(part)]
    return Statement(
        relation="REPORTS",
        source=method.thing,
        target=dataset.thing,
        confidence=_CONFIDENCE,
        start=sentence.start,
        end=sentence.end,
        metric=value.metric,
        value=value.text,
        number=number_of(value.text),
        setting=", ".join(dict.fromkeys(told)),
    )


# -- results in a table

_RULE = re.compile(r"\s*\|?\s*:?-{1,}:?\s*(?:\|\s*:?-{1,}:?\s*)*\|?\s*$")
_VALUE_OF_CELL = re.compile(r"^[*_†‡\s]*([-+]?\d{1,3}(?:\.\d+)?\s?%?)(?:\s?(?:±|\+/-)\s?[\d.]+)?[*_†‡\s]*$")
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
_CONFIDENCE_IN_TABLES = 0.85
_MOST_ROWS = 2_000
_MOST_COLUMNS = 60
_LONGEST_PROOF = 4_000  # characters from the header to the row, if the proof is to hold both
_LONGEST_NAME = 60
_LONGEST_CELL = 200
_LONGEST_LINE = 4_000
Spotter = Callable[[int, int], list[Spot]]


@dataclass(frozen=True, slots=True)
class ResultCell:
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
        # columns that are headed by metrics only, where the text around the table names the one data set
        dataset = _said_of_all("dataset", text, (start, end), spotter)
        metrics = [_metric_in(cell, spotter) for cell in header[1:]]
        columns = [_Column(thing("dataset", dataset), metric) if dataset and metric else None for metric in metrics]
    if not any(columns):
        return
    whole = _said_of_all("metric", text, (start, end), spotter)
    columns = [column and replace(column, metric=column.metric or whole) for column in columns]
    for row in body:
        side = _column(row[0], spotter, "dataset" if sideways else "method", is_row=True) if row else None
        if side is not None:
            yield from _row_statements((header, row), side, columns, sideways=sideways)


def _is_second_header(row: Sequence[ResultCell], spotter: Spotter) -> bool:
    """Tell whether the line below the header names metrics, and has nothing in its first column."""
    named = [cell for cell in row[1:] if cell.text]
    return bool(named) and not row[0].text and all(_metric_in(cell, spotter) for cell in named)


def _beneath(
    columns: Sequence["_Column | None"], header: Sequence[ResultCell], second: Sequence[ResultCell], spotter: Spotter
) -> list["_Column | None"]:
    """Return the columns below a header of two lines: each is of the last thing that is named above it, by its own metric."""
    found: list[_Column | None] = []
    above: _Column | None = None
    for place, cell in enumerate(second):
        if place < len(header) and header[place].text:
            above = columns[place]
        found.append(above and replace(above, metric=_metric_in(cell, spotter) or above.metric))
    return found


def _metric_in(cell: ResultCell, spotter: Spotter) -> str:
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


def rows_of(text: str, start: int, end: int) -> Iterator[list[ResultCell]]:
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


def _cells(text: str, start: int, end: int) -> list[ResultCell]:
    """Cut a line at its bars; the empty cells before the first and behind the last are none."""
    cells: list[ResultCell] = []
    place = start
    for part in text[start:end].split("|")[: _MOST_COLUMNS + 2]:
        bare = part.strip()
        begin = place + (len(part) - len(part.lstrip()) if bare else 0)
        cells.append(ResultCell(bare, begin, begin + len(bare)))
        place += len(part) + 1
    if cells and not cells[0].text:
        cells = cells[1:]
    return cells[:-1] if cells and not cells[-1].text else cells


def _headed(text: str, start: int, end: int) -> list[tuple[ResultCell, ResultCell]]:
    """Return the headers and values of a line "header: value; header: value"."""
    return [
        (ResultCell(match[1].strip(), *match.span(1)), ResultCell(match[2].strip(), *match.span(2)))
        for match in _HEADED.finditer(text, start, end)
    ]


def _with_header(lines: Sequence[Sequence[tuple[ResultCell, ResultCell]]]) -> Iterator[list[ResultCell]]:
    names = [name for name, _ in next(filter(None, lines))]
    yield names
    for line in lines:
        values = {name.text: value for name, value in line}
        if names[0].text in values:
            yield [values.get(name.text, ResultCell("", 0, 0)) for name in names]


def _is_sideways(header: Sequence[ResultCell], body: Sequence[Sequence[ResultCell]], spotter: Spotter) -> bool:
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


def _column(cell: ResultCell, spotter: Spotter, kind: str, *, is_row: bool = False) -> _Column | None:
    """Return what a cell of a header names: a data set with its metric, or a method with its setting."""
    spots = spotter(cell.start, min(cell.end, cell.start + _LONGEST_CELL)) if cell.text else []
    if kind == "method":
        return _method(cell, spots)
    dataset = next((spot for spot in spots if spot.kind == "dataset"), None)
    # where a data set must stand, an unknown name is one: "FooBench"
    dataset = dataset or next((spot for spot in spots if spot.kind == "method" and spot.known is None), None)
    metric = next((spot.name for spot in spots if spot.kind == "metric"), "")
    # the metric in brackets with the words before it: "joint F1" of "HotpotQA (joint F1)"
    inside = _IN_BRACKETS.search(cell.text)
    metric = inside[1].strip() if inside and metric and metric in inside[1] else metric
    setting = ", ".join(dict.fromkeys(match[0] for match in _SETTING.finditer(cell.text)))
    if dataset is not None:
        return _Column(thing("dataset", dataset.name), metric, setting)
    name = _IN_BRACKETS.sub("", cell.text).strip()
    if metric and not is_row and (ahead := _NAME_AHEAD.match(name)) and name[ahead.end() :].strip() == metric:
        return _Column(thing("dataset", ahead[0].strip()), metric, setting)
    if is_row and name and len(name) <= _LONGEST_NAME and not _NO_METHOD.match(name) and not _VALUE_OF_CELL.match(name):
        return _Column(thing("dataset", name), metric, setting)
    return None


def _method(cell: ResultCell, spots: Sequence[Spot]) -> _Column | None:
    named = next((spot for spot in spots if spot.kind == "method"), None)
    if named is not None and named.start - cell.start <= 2:
        rest = cell.text[named.end - cell.start :].strip(" ,;()（），*")
        return _Column(thing("method", named.name), setting=rest)
    name = re.split(r"\s*[,(（]", cell.text, maxsplit=1)[0].strip("*_ ")
    known = (
        not name
        or len(name) > _LONGEST_NAME
        or _NO_METHOD.match(name)
        or _VALUE_OF_CELL.match(name)
        or not re.search(r"[^\W\d]{2}", name)
    )
    return None if known else _Column(thing("method", name), setting=cell.text[len(name) :].strip(" ,;()（），*"))


def _row_statements(
    lines: tuple[Sequence[ResultCell], Sequence[ResultCell]],
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
        value = _VALUE_OF_CELL.match(cell.text)
        if column is None or value is None:
            continue
        method, dataset = (column, side) if sideways else (side, column)
        yield Statement(
            relation="REPORTS",
            source=method.thing,
            target=dataset.thing,
            confidence=_CONFIDENCE_IN_TABLES,
            start=start,
            end=max(end, cell.end),
            metric=dataset.metric,
            value=value[1].strip(),
            number=number_of(value[1]),
            setting=", ".join(filter(None, (method.setting, dataset.setting))),
        )
