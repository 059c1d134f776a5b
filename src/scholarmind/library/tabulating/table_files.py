"""Literature tables as files: Markdown, CSV, LaTeX with `booktabs`, HTML in one file, Excel, JSON."""

import csv
import html
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from scholarmind.citing.citation_styles import assign, markdown_text
from scholarmind.citing.reference_export import CITABLE
from scholarmind.library.tabulating.columns import measure_of
from scholarmind.model import Document
from scholarmind.tables import CellSource, LiteratureTable, TableCell
from scholarmind.text.language import HAN, language_of
from scholarmind.text.untrusted import disarmed, storable, uncontrolled

# -- Excel workbooks: a zip of a few files of XML

_LONGEST_CELL = 32_767  # characters, by Excel's own limit
_LONGEST_NAME = 31
_WIDEST, _NARROWEST = 48, 8
_NOT_IN_NAMES = re.compile(r"[\[\]:*?/\\']")
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_ESCAPE_OF_EXCEL = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_THEN = (2000, 1, 1, 0, 0, 0)  # the same table is the same file, byte for byte
_HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_STYLES = (
    f'{_HEAD}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    '<cellXfs count="2"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0" applyAlignment="1">'
    '<alignment vertical="top" wrapText="1"/></xf>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet: its name, and its rows, the first of which names the columns."""

    name: str
    rows: Sequence[Sequence[str | float]]


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """Return a workbook as the bytes of a file."""
    names = _names(sheets)
    parts = {
        "[Content_Types].xml": _content_types(len(sheets)),
        "_rels/.rels": _relations([("officeDocument", "xl/workbook.xml")]),
        "xl/workbook.xml": (
            f'{_HEAD}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            + "".join(f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, 1))
            + "</sheets></workbook>"
        ),
        "xl/_rels/workbook.xml.rels": _relations(
            [*(("worksheet", f"worksheets/sheet{n}.xml") for n in range(1, len(sheets) + 1)), ("styles", "styles.xml")]
        ),
        "xl/styles.xml": _STYLES,
        **{f"xl/worksheets/sheet{n}.xml": "".join(_sheet(sheet)) for n, sheet in enumerate(sheets, 1)},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, _THEN)
            entry.compress_type = zipfile.ZIP_DEFLATED
            file.writestr(entry, text.encode("utf-8"))
    return out.getvalue()


def _names(sheets: Sequence[Sheet]) -> list[str]:
    """Return names that Excel takes: short, without its own signs, no two alike."""
    names: list[str] = []
    for number, sheet in enumerate(sheets, 1):
        name = _NOT_IN_NAMES.sub(" ", _xml_text(sheet.name)).strip()[:_LONGEST_NAME] or f"Sheet{number}"
        taken = {other.casefold() for other in names}
        names.append(f"{name[: _LONGEST_NAME - 3]} {number}" if name.casefold() in taken else name)
    return names


def _content_types(count: int) -> str:
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_SHEET_TYPE}.worksheet+xml"/>'
        for n in range(1, count + 1)
    )
    return (
        f'{_HEAD}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET_TYPE}.sheet.main+xml"/>{sheets}'
        f'<Override PartName="/xl/styles.xml" ContentType="{_SHEET_TYPE}.styles+xml"/></Types>'
    )


def _relations(targets: Sequence[tuple[str, str]]) -> str:
    told = "".join(
        f'<Relationship Id="rId{n}" Type="{_OFFICE}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(targets, 1)
    )
    return f'{_HEAD}<Relationships xmlns="{_PACKAGE}/relationships">{told}</Relationships>'


def _sheet(sheet: Sheet) -> Iterator[str]:
    """Yield the XML of a sheet, its first row frozen and bold."""
    yield f'{_HEAD}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
    yield '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>'
    for column in range(max(map(len, sheet.rows), default=1)):
        longest = max((len(str(row[column])) for row in sheet.rows if column < len(row)), default=0)
        width = max(_NARROWEST, min(_WIDEST, longest + 2))
        yield f'<col min="{column + 1}" max="{column + 1}" width="{width}" customWidth="1"/>'
    yield "</cols><sheetData>"
    for number, row in enumerate(sheet.rows, 1):
        cells = "".join(_cell(f"{_letters(place)}{number}", value, number == 1) for place, value in enumerate(row))
        yield f'<row r="{number}">{cells}</row>'
    yield "</sheetData></worksheet>"


def _cell(place: str, value: str | float, is_head: bool) -> str:
    style = f' s="{int(is_head)}"'
    if isinstance(value, (int, float)):
        return f'<c r="{place}"{style}><v>{value!r}</v></c>'
    text = escape(_ESCAPE_OF_EXCEL.sub("_x005F_", _xml_text(value)[:_LONGEST_CELL]))
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _xml_text(text: str) -> str:
    return _NOT_IN_XML.sub(" ", storable(text))


def _letters(place: int) -> str:
    """Return the letters of a column: A to Z, AA ..."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


# -- the files

_WORDS = {
    "en": {
        "paper": "Paper",
        "none": "not stated",
        "open": "not asked yet",
        "page": "p. {page}",
        "sources": "Where it is said",
        "hand": "by hand",
        "meta": "metadata",
        "number": "{name} (number)",
        "unit": "{name} (unit)",
        "source": "{name} (source)",
        "column": "Column",
        "value": "Value",
        "where": "Page",
        "quote": "Words",
        "key": "Key",
        "title": "Title",
        "year": "Year",
    },
    "zh": {
        "paper": "论文",
        "none": "未提及",
        "open": "尚未提问",
        "page": "第 {page} 页",
        "sources": "出处",
        "hand": "人工填写",
        "meta": "元数据",
        "number": "{name}（数值）",
        "unit": "{name}（单位）",
        "source": "{name}（出处）",
        "column": "列",
        "value": "值",
        "where": "页",
        "quote": "原文",
        "key": "引用键",
        "title": "标题",
        "year": "年份",
    },
}
HAND = "‡"  # behind a cell that was written by hand
_FORMULA = re.compile(r"^[\s\x00-\x20]*[=+\-@＝＋－＠]|^[\t\r\n]")
_PLAIN_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")


def words_of(table: LiteratureTable) -> Mapping[str, str]:
    """Return the words of a table in the language of its columns."""
    return _WORDS["zh" if _is_chinese(table) else "en"]


def _is_chinese(table: LiteratureTable) -> bool:
    return any(language_of(column.name) == "zh" for column in table.table.columns)


def shown(cell: TableCell | None, words: Mapping[str, str]) -> str:
    """Return what a cell says, without its source."""
    return words["open"] if cell is None else storable(uncontrolled(cell.value)) or words["none"]


def place_of(source: CellSource, words: Mapping[str, str]) -> str:
    """Return where words stand: their page, else their section."""
    return (
        words["page"].format(page=source.page)
        if source.page
        else storable(uncontrolled(source.section[-1]))
        if source.section
        else ""
    )


def origin_of(cell: TableCell | None, words: Mapping[str, str]) -> str:
    """Return where a cell is from in a line: its place and words, or who said it."""
    if cell is None or (not cell.value and cell.by != "hand"):
        return ""
    if cell.by in {"hand", "metadata"}:
        return words["hand" if cell.by == "hand" else "meta"]
    return (
        "" if cell.source is None else ": ".join(filter(None, (place_of(cell.source, words), _line(cell.source.text))))
    )


@dataclass(frozen=True, slots=True)
class _Shown:
    """A cell as files show it: its text, where that is from, and its number among the sources (0: none)."""

    text: str
    place: str
    quote: str
    number: int
    by_hand: bool


def _lines(table: LiteratureTable) -> Iterator[tuple[Document, str, list[_Shown]]]:
    """Yield each paper with its citation and its cells; the words of cells are numbered through."""
    keys, words = assign([row.document for row in table.rows]), words_of(table)
    number = 0
    for row in table.rows:
        cells: list[_Shown] = []
        for cell in row.cells:
            source = cell.source if cell and cell.value and cell.by not in {"hand", "metadata"} else None
            number += source is not None
            cells.append(
                _Shown(
                    shown(cell, words),
                    place_of(source, words) if source else "",
                    _line(source.text) if source else "",
                    number if source else 0,
                    is_by_hand(cell),
                )
            )
        yield row.document, keys[row.document.collection, row.document.id], cells


def is_by_hand(cell: TableCell | None) -> bool:
    """Tell whether somebody wrote a cell himself: such cells have a mark, and a line below the table says what it means."""
    return cell is not None and cell.by == "hand"


def _legend(lines: Sequence[tuple[Document, str, Sequence[_Shown]]], words: Mapping[str, str]) -> list[str]:
    """Return what the mark of cells by hand means, where there are such."""
    return [f"{HAND} {words['hand']}"] if any(cell.by_hand for *_, cells in lines for cell in cells) else []


def _line(text: str) -> str:
    return storable(uncontrolled(" ".join(text.split())))


# -- text


def as_markdown(table: LiteratureTable) -> str:
    """Return a table in Markdown, with the words of each numbered cell below it."""
    words, lines = words_of(table), list(_lines(table))
    head = [words["paper"], *(column.name for column in table.table.columns)]
    rows = [
        [_cell_of_markdown(key), *(_cell_of_markdown(cell.text) + _mark(cell) for cell in cells)]
        for _, key, cells in lines
    ]
    told = [f"# {markdown_text(table.table.name)}", ""]
    told += [f"| {' | '.join(row)} |" for row in (list(map(_cell_of_markdown, head)), ["---"] * len(head), *rows)]
    sources = [
        f"{cell.number}. {markdown_text(key)}{', ' + markdown_text(cell.place) if cell.place else ''}: “{markdown_text(cell.quote)}”"
        for _, key, cells in lines
        for cell in cells
        if cell.number
    ]
    told += [line for legend in _legend(lines, words) for line in ("", legend)]
    return "\n".join((*told, *(("", f"## {words['sources']}", "", *sources) if sources else ()))) + "\n"


def _cell_of_markdown(text: str) -> str:
    return markdown_text(disarmed(" ".join(text.split()))).replace("|", "\\|")


def _mark(cell: _Shown) -> str:
    return f" <sup>{cell.number}</sup>" if cell.number else f" {HAND}" if cell.by_hand else ""


def as_csv(table: LiteratureTable) -> str:
    """Return a table as CSV: beside each column where its cells are from, and of numbers what can be compared."""
    words = words_of(table)
    keys = assign([row.document for row in table.rows])
    out = io.StringIO()
    written = csv.writer(out)
    keyed = has_keys(table)
    head = [words["paper"], *([words["key"]] if keyed else []), "id", words["title"], words["year"]]
    for column in table.table.columns:
        names = ("number", "unit") if column.kind == "number" else ()
        head += [
            column.name,
            *[words[name].format(name=column.name) for name in names],
            words["source"].format(name=column.name),
        ]
    written.writerow(map(unformulated, head))
    for row in table.rows:
        document = row.document
        key = [row.key] if keyed else []
        line = [keys[document.collection, document.id], *key, document.id, document.title, str(document.year or "")]
        for column, cell in zip(table.table.columns, row.cells, strict=True):
            line.append(shown(cell, words))
            if column.kind == "number":
                line += [_plain(cell.number) if cell else "", cell.unit if cell else ""]
            line.append(origin_of(cell, words))
        written.writerow(unformulated(storable(uncontrolled(value))) for value in line)
    return out.getvalue()


def has_keys(table: LiteratureTable) -> bool:
    """Tell whether the user's own bibliography cites some paper of the table."""
    return any(row.key for row in table.rows)


def _plain(number: float | None) -> str:
    return "" if number is None else str(int(number)) if number == int(number) else repr(number)


def unformulated(text: str) -> str:
    """Return text that no spreadsheet takes for a formula: what begins like one gets a quotation mark in front; a number stays one."""
    return f"'{text}" if _FORMULA.match(text) and not _PLAIN_NUMBER.fullmatch(text) else text


_FOR_CHINESE = r"% has Chinese: compile it with XeLaTeX or LuaLaTeX, and \usepackage[UTF8,scheme=plain]{ctex}"
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "[": "{[}",
    "]": "{]}",
}


def as_latex(table: LiteratureTable) -> str:
    """Return a table for LaTeX with `booktabs`, to be put into a document; the words of cells follow as a list."""
    words, lines = words_of(table), list(_lines(table))
    columns = table.table.columns
    one = f"p{{{0.96 / (len(columns) + 1) - 0.02:.3f}\\linewidth}}"
    head = " & ".join(map(_latex, (words["paper"], *(column.name for column in columns))))
    told = [
        r"% needs \usepackage{booktabs}, \usepackage[T1]{fontenc}",
        r"\begin{table}",
        r"\footnotesize\raggedright",
        f"\\caption{{{_latex(table.table.name)}}}",
        f"\\begin{{tabular}}{{@{{}}{one * (len(columns) + 1)}@{{}}}}",
        r"\toprule",
        f"{head} \\\\",
        r"\midrule",
    ]
    for (_, key, cells), row in zip(lines, table.rows, strict=True):
        cite = f"~\\cite{{{row.key}}}" if CITABLE.fullmatch(row.key) else ""
        marked = [_latex(cell.text) + _latex_mark(cell) for cell in cells]
        told.append(f"{' & '.join((_latex(key) + cite, *marked))} \\\\")
    told += [r"\bottomrule", r"\end{tabular}"]
    told += [rf"\par\smallskip \ddag{{}} {_latex(words['hand'])}"] if _legend(lines, words) else []
    told.append(r"\end{table}")
    sources = [(key, cell) for _, key, cells in lines for cell in cells if cell.number]
    if sources:
        told += [f"\\paragraph{{{_latex(words['sources'])}}}", r"\begin{enumerate}\footnotesize"]
        told += [
            f"\\item {_latex(key)}{', ' + _latex(cell.place) if cell.place else ''}: ``{_latex(cell.quote)}''"
            for key, cell in sources
        ]
        told.append(r"\end{enumerate}")
    whole = "\n".join(told) + "\n"
    return f"{_FOR_CHINESE}\n{whole}" if HAN.search(whole) else whole


def _latex_mark(cell: _Shown) -> str:
    return f"\\textsuperscript{{{cell.number}}}" if cell.number else r"\textsuperscript{\ddag}" if cell.by_hand else ""


def _latex(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in " ".join(text.split()))


_STYLE = (
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem;color:#1d2433}table{border-collapse:collapse}"
    "th,td{border-bottom:1px solid #d5d9e2;padding:.45rem .7rem;text-align:left;vertical-align:top;max-width:22rem}"
    "thead th{border-bottom:2px solid #1d2433;position:sticky;top:0;background:#fff}.none{color:#8a92a3}"
    "sup a{text-decoration:none}li:target{background:#fff3c4}q{quotes:'“' '”'}small{color:#5b6474}"
)


def as_html(table: LiteratureTable) -> str:
    """Return a table as one HTML file that needs nothing beside it; a mark behind a cell leads to its words."""
    words, told = words_of(table), html.escape
    language = "zh" if _is_chinese(table) else "en"
    head = "".join(
        f"<th>{told(name)}</th>" for name in (words["paper"], *(column.name for column in table.table.columns))
    )
    body: list[str] = []
    sources: list[str] = []
    lines = list(_lines(table))
    for document, key, cells in lines:
        paper = f"<th>{told(key)}<br><small>{told(_line(document.title))}</small></th>"
        body.append(f"<tr>{paper}{''.join(map(_cell_of_html, cells, [words['none']] * len(cells)))}</tr>")
        for cell in cells:
            if cell.number:
                origin = told(", ".join(filter(None, (key, cell.place))))
                sources.append(
                    f'<li id="s{cell.number}" value="{cell.number}">{origin}: <q>{told(cell.quote)}</q></li>'
                )
    name = told(table.table.name)
    legend = "".join(f"<p><small>{told(line)}</small></p>\n" for line in _legend(lines, words))
    below = f"<h2>{told(words['sources'])}</h2>\n<ol>\n{chr(10).join(sources)}\n</ol>\n" if sources else ""
    return (
        f'<!doctype html>\n<html lang="{language}">\n<meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f"<title>{name}</title>\n<style>{_STYLE}</style>\n<h1>{name}</h1>\n<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n"
        f"{chr(10).join(body)}\n</tbody>\n</table>\n{legend}{below}</html>\n"
    )


def _cell_of_html(cell: _Shown, none: str) -> str:
    mark = (
        f' <sup><a href="#s{cell.number}">{cell.number}</a></sup>'
        if cell.number
        else f" <sup>{HAND}</sup>"
        if cell.by_hand
        else ""
    )
    kind = ' class="none"' if cell.text == none and not cell.number else ""
    return f'<td{kind} title="{html.escape(cell.quote)}">{html.escape(cell.text)}{mark}</td>'


# -- for programs, and spreadsheets


def table_record(table: LiteratureTable) -> dict[str, Any]:
    """Return a table as JSON: every cell with its place, and with what came nearest where nothing is stated."""
    keys = assign([row.document for row in table.rows])
    return {
        "name": table.table.name,
        "where": table.table.where,
        "columns": [asdict(column) for column in table.table.columns],
        "rows": [
            {
                "paper": keys[row.document.collection, row.document.id],
                "key": row.key,
                "document": row.document.id,
                "collection": row.document.collection,
                "title": row.document.title,
                "year": row.document.year,
                "cells": {
                    column.name: None if cell is None else {"stated": cell.is_stated, **asdict(cell)}
                    for column, cell in zip(table.table.columns, row.cells, strict=True)
                },
            }
            for row in table.rows
        ],
        "waiting": table.waiting,
    }


def as_json(table: LiteratureTable) -> str:
    """Return the record as the text of a file."""
    return storable(json.dumps(table_record(table), ensure_ascii=False, indent=2)) + "\n"


def as_xlsx(table: LiteratureTable) -> bytes:
    """Return a workbook: the table, and a sheet with the page and the words of every cell."""
    words, columns, keyed = words_of(table), table.table.columns, has_keys(table)
    main: list[Sequence[str | float]] = [
        [
            words["paper"],
            *([words["key"]] if keyed else []),
            words["title"],
            words["year"],
            *(column.name for column in columns),
        ]
    ]
    said: list[Sequence[str | float]] = [
        [
            words["paper"],
            words["column"],
            words["value"],
            words["where"],
            words["quote"],
            "number",
            "unit",
            "start",
            "end",
        ]
    ]
    keys = assign([row.document for row in table.rows])
    units = [
        {measure_of(cell) for row in table.rows if (cell := row.cells[n]) and cell.value} for n in range(len(columns))
    ]
    for row in table.rows:
        document, key = row.document, keys[row.document.collection, row.document.id]
        own = [_line(row.key)] if keyed else []
        line: list[str | float] = [key, *own, _line(document.title), document.year or ""]
        for column, cell, unit in zip(columns, row.cells, units, strict=True):
            is_number = cell is not None and cell.number is not None and unit == {""}
            line.append(cell.number if is_number and cell and cell.number is not None else shown(cell, words))
            if cell is None or not cell.value:
                continue
            source = cell.source
            where: str | float = source.page if source and source.page else place_of(source, words) if source else ""
            places: list[str | float] = [source.start, source.end] if source else ["", ""]
            number: str | float = "" if cell.number is None else cell.number
            quote = _line(source.text) if source else origin_of(cell, words)
            said.append([key, column.name, shown(cell, words), where, quote, number, cell.unit, *places])
        main.append(line)
    return workbook((Sheet(table.table.name, main), Sheet(words["sources"], said)))


WRITERS: Mapping[str, Callable[[LiteratureTable], str | bytes]] = {
    ".md": as_markdown,
    ".csv": as_csv,
    ".xlsx": as_xlsx,
    ".tex": as_latex,
    ".html": as_html,
    ".json": as_json,
}
