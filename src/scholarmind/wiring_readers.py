"""Turn settings into what reads files. By itself, because the child processes that read need nothing else."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from scholarmind.errors import SettingsError
from scholarmind.library.file_reading import FileReading
from scholarmind.library.passages import Cutting
from scholarmind.library_ports import BibliographyReader, Reader
from scholarmind.settings import Settings

if TYPE_CHECKING:
    from scholarmind.adapters.readers.pdf.ocr import Tesseract

_PDF_LIMITS = 4  # a PDF is mostly pictures: it may have so many times the bytes of a text


def file_reading(settings: Settings) -> FileReading:
    """Return what reads files, here or in a child process."""
    return FileReading(
        readers=readers(settings),
        bibliographies=bibliographies(settings),
        cutting=Cutting(tokens=settings.passage_tokens, overlap=settings.passage_overlap),
        options=repr((settings.max_pages, settings.ocr)),
    )


def readers(settings: Settings) -> Mapping[str, Reader]:
    """Return the reader for each suffix."""
    from scholarmind.adapters.readers.html import EpubReader, HtmlReader  # noqa: PLC0415
    from scholarmind.adapters.readers.latex_reader import LatexReader  # noqa: PLC0415
    from scholarmind.adapters.readers.mail import MailReader  # noqa: PLC0415
    from scholarmind.adapters.readers.office import (  # noqa: PLC0415
        CsvReader,
        DocxReader,
        OdtReader,
        PptxReader,
        RtfReader,
        XlsxReader,
    )
    from scholarmind.adapters.readers.pdf.pdf_reader import PdfReader  # noqa: PLC0415
    from scholarmind.adapters.readers.text_files import JsonlReader, MarkdownReader, NotebookReader, PlainReader  # noqa: PLC0415

    limit = settings.max_file_megabytes * 1_000_000
    by_reader: tuple[tuple[Reader, str], ...] = (
        (MarkdownReader(limit), ".md .markdown"),
        (PlainReader(limit), ".txt .text .rst"),
        (JsonlReader(limit), ".jsonl .ndjson"),
        (PdfReader(_PDF_LIMITS * limit, settings.max_pages, _ocr(settings)), ".pdf"),
        (HtmlReader(limit), ".html .htm .xhtml"),
        (EpubReader(limit), ".epub"),
        (LatexReader(limit), ".tex .ltx .zip"),
        (NotebookReader(limit), ".ipynb"),
        (MailReader(limit), ".eml"),
        (DocxReader(limit), ".docx .docm"),
        (PptxReader(limit), ".pptx .pptm"),
        (XlsxReader(limit), ".xlsx .xlsm"),
        (CsvReader(limit), ".csv .tsv"),
        (OdtReader(limit), ".odt"),
        (RtfReader(limit), ".rtf"),
    )
    return {suffix: reader for reader, suffixes in by_reader for suffix in suffixes.split()}


def bibliographies(settings: Settings) -> Mapping[str, BibliographyReader]:
    """Return the reader for each suffix of a bibliography."""
    from scholarmind.adapters.readers.bibliography.bibtex_reader import BibtexReader  # noqa: PLC0415
    from scholarmind.adapters.readers.bibliography.ris_and_csl import CslReader, RisReader  # noqa: PLC0415

    limit = settings.max_file_megabytes * 1_000_000
    bibtex = BibtexReader(limit)
    return {".bib": bibtex, ".bibtex": bibtex, ".ris": RisReader(limit), ".json": CslReader(limit)}


def _ocr(settings: Settings) -> "Tesseract | None":
    if not settings.ocr:
        return None
    from scholarmind.adapters.readers.pdf.ocr import Tesseract  # noqa: PLC0415

    found = Tesseract.find()
    if found is None:
        raise SettingsError(
            "ocr = True needs tesseract; install it, on Debian: apt-get install tesseract-ocr tesseract-ocr-chi-sim"
        )
    return found
