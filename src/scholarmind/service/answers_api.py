"""What comes of an answer, over HTTP: the works to read next, and the answer as a file."""

import base64
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field
from starlette.responses import Response

from scholarmind.citing.citation_styles import Style
from scholarmind.ports import Run
from scholarmind.service.gate import Refused
from scholarmind.service.keys import Caller
from scholarmind.service.route_dependencies import Asks, Here, RunId, attachment, described_files, errors
from scholarmind.service.state import Service

router = APIRouter(prefix="/api/v1", responses=errors(409), tags=["questions"])
_FILE_SECONDS = 120.0
AnswerForm = Literal["tex", "pandoc.md", "html", "docx", "pdf", "bib", "ris", "csl.json", "obsidian.zip"]
_KINDS: dict[AnswerForm, str] = {
    "tex": "application/x-tex",
    "pandoc.md": "text/markdown; charset=utf-8",
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "bib": "application/x-bibtex; charset=utf-8",
    "ris": "application/x-research-info-systems",
    "csl.json": "application/vnd.citationstyles.csl+json",
    "obsidian.zip": "application/zip",
}
_LISTS = {"bib": "application/x-bibtex; charset=utf-8", "txt": "text/plain; charset=utf-8"}


class NextWorkRecord(BaseModel):
    """A work that is cited by what answers: as its references print it, by whom, for what, and whether the library has it."""

    reference: dict[str, Any]
    nearness: Literal["quoted", "open row", "section", "elsewhere", "listed"]
    citing: list[dict[str, Any]]
    works: int
    relevance: float
    document: str
    collection: str
    only_entry: bool


class ReadingListRecord(BaseModel):
    """Which works to read next, the most helpful first: those that are missing, and those that are there and were not used."""

    question: str
    run: str
    missing: list[NextWorkRecord]
    unused: list[NextWorkRecord]
    answering: list[str] = Field(description="Keys of the works whose references were read.")
    without: list[str] = Field(description="Titles of those that have no list of references.")
    open_rows: list[str]


@router.get(
    "/runs/{run}/next",
    response_model=ReadingListRecord,
    responses=described_files(_LISTS.values()),
)
async def next_works(
    here: Here,
    caller: Asks,
    run: RunId,
    limit: Annotated[int, Query(ge=1, le=1000)] = 10,
    form: Annotated[Literal["json", "bib", "txt"], Query(alias="format")] = "json",
) -> Any:
    """Tell which works to read next: cited by what answers, and not in the library."""
    await _answered(here, caller, run)
    ending = "" if form == "json" else f".{form}"
    found = await here.pool.call("next_works", run=run, limit=limit, ending=ending)
    return attachment(found.encode("utf-8", "replace"), f"next-{run}.{form}", _LISTS[form]) if ending else found


@router.get("/runs/{run}/file", response_class=Response, responses=described_files(_KINDS.values()))
async def answer_file(
    here: Here,
    caller: Asks,
    run: RunId,
    form: Annotated[AnswerForm, Query(alias="format")] = "html",
    style: Annotated[Style, Query(description="How sources are listed.")] = "apa",
) -> Response:
    """Get an answer as a file, with the citation keys of your bibliographies: as it was given, whatever came since."""
    await _answered(here, caller, run)
    given = {"run": run, "ending": f".{form}", "style": style}
    seen = None if caller.collections is None else list(caller.collections)
    content = await here.pool.call("publish_answer", seconds=_FILE_SECONDS, collections=seen, **given)
    return attachment(base64.b64decode(content), f"answer-{run}.{form}", _KINDS[form])


async def _answered(here: Service, caller: Caller, run: str) -> Run:
    _, known = await here.run(caller, run)
    if known is None or not known.answer:
        raise Refused(409, "this run has no answer")
    return known
