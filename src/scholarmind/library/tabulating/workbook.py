"""Excel workbooks, written: a zip of a few files of XML. Text is text, whatever it begins with; a number is a number.

There are no formulas, dates, shared strings or styles beyond that, so that there is nothing that could be executed.
"""

import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

from scholarmind.text.untrusted import storable

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
        name = _NOT_IN_NAMES.sub(" ", _plain(sheet.name)).strip()[:_LONGEST_NAME] or f"Sheet{number}"
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
    text = escape(_ESCAPE_OF_EXCEL.sub("_x005F_", _plain(value)[:_LONGEST_CELL]))
    return f'<c r="{place}"{style} t="inlineStr"><is><t xml:space="preserve">{text}</t></is></c>'


def _plain(text: str) -> str:
    return _NOT_IN_XML.sub(" ", storable(text))


def _letters(place: int) -> str:
    """Return the letters of a column: A to Z, AA ..."""
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters
