"""A draft from its file to its report, and a copy of it with the keys put right."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scholarmind.calls import Budget, ResponseCache
from scholarmind.drafts.checking import DraftChecker, DraftRemark, LibraryToCheck
from scholarmind.drafts.cited_documents import CitedDocuments, CitedWork
from scholarmind.drafts.claims_of_drafts import claims_of
from scholarmind.drafts.draft_reports import DraftReport
from scholarmind.drafts.manuscripts import DraftManuscript, read_manuscript
from scholarmind.errors import QueryError, ReadError
from scholarmind.events import OnEvent, Progress, ignore
from scholarmind.library.model_work import ModelWork
from scholarmind.library_ports import BibliographyReader, Reader
from scholarmind.llm.language_models import Models
from scholarmind.model import BibEntry, Document, Problem, Reference
from scholarmind.ports import Entailment

_CITE = re.compile(r"(\\[a-zA-Z]*[cC]ite[a-zA-Z]*\*?\s*(?:\[[^\]\n]*\]\s*){0,2}\{)([^{}]*)(\})")


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReading:
    """What drafts and bibliographies are read with."""

    readers: Mapping[str, Reader]
    bibliographies: Mapping[str, BibliographyReader]
    max_bytes: int

    def read(
        self, draft: Path, bibliographies: Sequence[Path], documents: Sequence[Document]
    ) -> tuple[DraftManuscript, CitedDocuments, list[str]]:
        """Return a draft, what its keys stand for, and what is to be said of both; bibliographies that it names itself count."""
        notes: list[str] = []
        first = (
            read_manuscript(draft, self.readers, self.max_bytes) if draft.suffix.lower() in (".tex", ".ltx") else None
        )
        files = list(bibliographies) or (list(first.bibliographies) if first else [])
        entries = [entry for path in files for entry in self._entries(path, notes)]
        known = [(entry.key, _reference(entry.document)) for entry in entries] or [
            (document.id, _reference(document)) for document in documents
        ]
        manuscript = read_manuscript(draft, self.readers, self.max_bytes, known)
        notes += [f"{problem.where}: {problem.reason}; {problem.advice}" for problem in manuscript.problems]
        return manuscript, CitedDocuments(entries, manuscript.references, documents), notes

    def _entries(self, path: Path, notes: list[str]) -> list[BibEntry]:
        reader = self.bibliographies.get(path.suffix.lower())
        if reader is None:
            known = ", ".join(sorted(self.bibliographies))
            raise QueryError(f"{str(path)!r} is no bibliography that can be read; give one of {known}")
        if not path.is_file():
            raise QueryError(f"there is no bibliography {str(path)!r}; give a file, such as refs.bib")
        found: list[BibEntry] = []
        try:
            for item in reader.entries(path):
                if isinstance(item, Problem):
                    notes.append(f"{item.where}: {item.reason}; {item.advice}")
                else:
                    found.append(item)
        except (ReadError, OSError) as error:
            raise QueryError(f"the bibliography {str(path)!r} cannot be read: {error}") from error
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCheck:
    """A draft held against a library. `work` says which model may be asked, and `state` of which state of the library verdicts are."""

    library: LibraryToCheck
    cache: ResponseCache
    state: str
    reading: DraftReading
    documents: Sequence[Document]
    models: Models | None = None
    budget: Budget = field(default_factory=Budget)
    entailment: Entailment | None = None

    async def run(self, draft: Path, bibliographies: Sequence[Path], on_event: OnEvent = ignore) -> DraftReport:
        """Return what came of it. What is reported as done is kept, and not done again."""
        manuscript, cited, notes = await asyncio.to_thread(self.reading.read, draft, bibliographies, self.documents)
        found = claims_of(manuscript.paragraphs)
        if not self.documents:
            raise QueryError("the library is empty, so nothing can be checked; fill it with: scholarmind add FILES")
        work = ModelWork(self.models, budget=self.budget, on_event=on_event) if self.models else None
        names = repr(sorted(self.models.names.items())) if self.models else ""
        basis = (self.state, names)
        checker = DraftChecker(self.library, cited, self.cache, basis=basis, work=work, entailment=self.entailment)
        remarks: list[DraftRemark] = []
        on_event(Progress(stage="check", done=0, total=len(found.claims), unit="sentences"))
        async for remark in checker.check(found.claims):
            remarks.append(remark)
            on_event(Progress(stage="check", done=len(remarks), total=len(found.claims), unit="sentences"))
        worked = work.worked(done=0, kept=0, left=0) if work else None
        return DraftReport(
            manuscript=manuscript,
            remarks=tuple(remarks),
            left_out=dict(found.left_out),
            fixes=cited.fixes(key for claim in found.claims for key in claim.keys),
            notes=(*notes, *dict.fromkeys(checker.notes), *(worked.notes if worked else ())),
            remembered=checker.remembered,
            spent=worked.spent if worked else {},
        )


def unknown_keys(
    reading: DraftReading, draft: Path, bibliographies: Sequence[Path], documents: Sequence[Document]
) -> Mapping[str, CitedWork]:
    """Return the keys of a draft that stand for nothing, each with the nearest right one."""
    manuscript, cited, _ = reading.read(draft, bibliographies, documents)
    return cited.fixes(key for one in manuscript.paragraphs for mention in one.mentions for key in mention.keys)


def with_right_keys(draft: Path, fixes: Mapping[str, CitedWork]) -> tuple[str, int]:
    r"""Return the text of a draft with its keys put right (in `\cite` and behind `@`), and how many places that are."""
    right = {key: work.nearest for key, work in fixes.items() if work.nearest}
    text, count = draft.read_text(encoding="utf-8", errors="surrogateescape"), 0

    def in_command(found: re.Match[str]) -> str:
        nonlocal count
        keys = found[2].split(",")
        count += sum(key.strip() in right for key in keys)
        put = (key.replace(key.strip(), right.get(key.strip(), key.strip())) if key.strip() else key for key in keys)
        return f"{found[1]}{','.join(put)}{found[3]}"

    def behind_sign(found: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return right[found[0]]

    if draft.suffix.lower() in (".tex", ".ltx"):
        return _CITE.sub(in_command, text), count
    if not right:
        return text, 0
    keys = "|".join(re.escape(key) for key in sorted(right, key=len, reverse=True))
    return re.sub(rf"(?<=@)(?:{keys})(?![\w:])", behind_sign, text), count


def _reference(document: Document) -> Reference:
    return Reference(
        text=document.title or document.id,
        start=0,
        end=0,
        authors=document.authors,
        year=document.year,
        title=document.title,
    )
