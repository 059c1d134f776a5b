"""What came of checking a draft, in the forms that are wanted: a record, Markdown, an annotated page, LaTeX and Word with remarks."""

import html
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from scholarmind.adapters.readers.draft_files import annotated_tex
from scholarmind.answer import Citation
from scholarmind.citing.citation_styles import markdown_text
from scholarmind.drafts.checking import FLAGGED, DraftRemark, DraftVerdict
from scholarmind.drafts.cited_documents import CitedWork
from scholarmind.drafts.manuscripts import DraftManuscript
from scholarmind.errors import QueryError
from scholarmind.judge.document_claims import Objection
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import disarmed, escaped, unlinked

_LONGEST_QUOTE = 300
_WORDS: dict[str, dict[str, str]] = json.loads(Path(__file__).with_name("texts.json").read_text(encoding="utf-8"))
_COLOURS: dict[str, str] = {
    "supported": "#e3f4e3", "contradicted": "#f9d7d7", "not said": "#fbe6cf", "not in the library": "#e4e4f7", "uncited": "#fdf6c8",
    "nothing found": "transparent", "perhaps": "#f1f4de",
}  # fmt: skip
_PAGE = """<!DOCTYPE html>
<html lang="{language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{title}</title><style>
body {{ font: 16px/1.6 Georgia, "Noto Serif CJK SC", serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; color: #222 }}
mark {{ color: inherit; padding: .1em 0 }} {colours}
.text {{ margin: 1em 0 }} details {{ display: inline }} summary {{ display: inline; cursor: pointer; list-style: none }}
summary::-webkit-details-marker {{ display: none }}
.remark {{ display: block; font: 14px/1.5 sans-serif; border-left: 3px solid #999; margin: .4rem 0 .6rem 1rem; padding: .2rem .8rem }}
.counts {{ font: 14px sans-serif; color: #555 }} .counts mark {{ padding: .1em .5em; margin-right: .6em }}
</style></head><body><h1>{title}</h1><p class="counts">{counts}</p>
{body}
</body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftReport:
    """A checked draft: a remark for each claim, what was left out, keys that stand for nothing, and what is to be said of the check."""

    manuscript: DraftManuscript
    remarks: tuple[DraftRemark, ...]
    left_out: Mapping[str, int] = field(default_factory=dict[str, int])
    fixes: Mapping[str, CitedWork] = field(default_factory=dict[str, CitedWork])
    notes: tuple[str, ...] = ()
    remembered: int = 0  # verdicts of an earlier check
    spent: Mapping[str, float] = field(default_factory=dict[str, float])

    @property
    def flagged(self) -> tuple[DraftRemark, ...]:
        """The remarks that somebody has to look at."""
        return tuple(remark for remark in self.remarks if remark.flagged)

    @property
    def counts(self) -> dict[DraftVerdict, int]:
        """How many claims there are of each verdict, the worst first."""
        counted = Counter(remark.verdict for remark in self.remarks)
        order: tuple[DraftVerdict, ...] = (*FLAGGED, "perhaps", "supported", "nothing found")
        return {verdict: counted[verdict] for verdict in order if counted[verdict]}


def words_for_draft(report: DraftReport) -> Mapping[str, str]:
    """Return the texts in the language of a draft."""
    text = " ".join(paragraph.text for paragraph in report.manuscript.paragraphs[:20])
    return _WORDS["zh" if language_of(text) == "zh" else "en"]


def told(remark: DraftRemark, words: Mapping[str, str]) -> Iterator[str]:
    """Yield in lines what there is to be said of a claim: what speaks against it, the words of its sources, what else says it."""
    yield from dict.fromkeys(_objection(objection, words) for objection in remark.objections)
    for key in remark.missing:
        if key not in remark.unknown:
            yield words["missing"].format(key=key)
        else:
            nearest = f"; {words['nearest'].format(key=remark.unknown[key])}" if remark.unknown[key] else ""
            yield words["unknown"].format(key=key) + nearest
    for citation in remark.citations:
        yield f"{words['source']}: {quoted(citation, words)}"
    for citation in remark.suggestions:
        yield f"{words['could' if remark.verdict == 'uncited' else 'instead']}: {quoted(citation, words)}"
    if remark.by_model:
        yield words["by model"]


def quoted(citation: Citation, words: Mapping[str, str]) -> str:
    """Return a citation with its page or section, and the words."""
    page = words["page"].format(page=citation.page) if citation.page else " › ".join(citation.section[-1:])
    text = citation.quote if len(citation.quote) <= _LONGEST_QUOTE else f"{citation.quote[: _LONGEST_QUOTE - 1]}…"
    return f"{disarmed(citation.key)}{', ' if page else ''}{page}: “{disarmed(text)}”"


def _objection(objection: Objection, words: Mapping[str, str]) -> str:
    name = f"{objection.kind} instead" if objection.other else objection.kind
    return words[name].format(own=f"“{objection.own}”", other=f"“{objection.other}”")


# -- the forms


def draft_record(report: DraftReport) -> dict[str, Any]:
    """Return all of it as JSON."""
    paragraphs, words = report.manuscript.paragraphs, words_for_draft(report)
    return {
        "draft": str(report.manuscript.path),
        "counts": report.counts,
        "left_out": dict(report.left_out),
        "claims": [
            {
                "text": remark.claim.text,
                "section": list(paragraphs[remark.claim.paragraph].section),
                "page": paragraphs[remark.claim.paragraph].page,
                "paragraph": remark.claim.paragraph,
                "start": remark.claim.start,
                "end": remark.claim.end,
                "keys": list(remark.claim.keys),
                "locators": [one.locator for one in remark.claim.citations if one.locator],
                **{name: value for name, value in asdict(remark).items() if name != "claim"},
                "objections": [asdict(one) | {"says": _objection(one, words)} for one in remark.objections],
                "flagged": remark.flagged,
            }
            for remark in report.remarks
        ],
        "keys": {key: {"nearest": work.nearest, "title": work.nearest_title} for key, work in report.fixes.items()},
        "notes": list(report.notes),
        "remembered": report.remembered,
        "spent": dict(report.spent),
    }


def draft_markdown(report: DraftReport) -> str:
    """Return a table of all claims, those to look at first."""
    words = words_for_draft(report)
    name = markdown_text(report.manuscript.path.name)
    rows = [f"# {words['title'].format(name=name)}", "", counted(report, words), ""]
    rows += [f"| {words['verdict']} | {words['claim']} | {words['source']} |", "|---|---|---|"]
    for remark in sorted(report.remarks, key=lambda one: not one.flagged):
        cells = (words[remark.verdict], remark.claim.text, "<br>".join(map(_cell, told(remark, words))))
        rows.append(f"| {cells[0]} | {_cell(cells[1])} | {cells[2]} |")
    return "\n".join(rows) + "\n"


def _cell(text: str) -> str:
    return unlinked(markdown_text(" ".join(text.split()))).replace("|", "&#124;")


def counted(report: DraftReport, words: Mapping[str, str]) -> str:
    """Return in a line how many claims there are of each verdict, and what was left out."""
    line = words["counts"].format(claims=len(report.remarks), flagged=len(report.flagged))
    verdicts = " · ".join(f"{count} {words[verdict]}" for verdict, count in report.counts.items())
    left = ", ".join(f"{count} {words[why]}" for why, count in report.left_out.items())
    return " · ".join(filter(None, (line, verdicts, f"{words['left']}: {left}" if left else "")))


def draft_page(report: DraftReport) -> str:
    """Return the draft as a page by itself: each claim in the colour of its verdict, with what there is to say of it behind it."""
    words = words_for_draft(report)
    by_paragraph: dict[int, list[DraftRemark]] = {}
    for remark in report.remarks:
        by_paragraph.setdefault(remark.claim.paragraph, []).append(remark)
    body, section = list[str](), tuple[str, ...]()
    for number, paragraph in enumerate(report.manuscript.paragraphs):
        if paragraph.section != section and paragraph.section:
            body.append(
                f"<h{min(6, len(paragraph.section) + 1)}>{html.escape(paragraph.section[-1])}</h{min(6, len(paragraph.section) + 1)}>"
            )
        section = paragraph.section
        body.append(f'<div class="text">{"".join(_marked(paragraph.text, by_paragraph.get(number, ()), words))}</div>')
    counts = " ".join(
        f'<mark class="{verdict.replace(" ", "-")}">{count} {html.escape(words[verdict])}</mark>'
        for verdict, count in report.counts.items()
    )
    left = ", ".join(f"{count} {words[why]}" for why, count in report.left_out.items())
    return _PAGE.format(
        language="zh" if words is _WORDS["zh"] else "en",
        title=html.escape(words["title"].format(name=report.manuscript.path.name)),
        colours=" ".join(
            f".{verdict.replace(' ', '-')} {{ background: {colour} }}" for verdict, colour in _COLOURS.items()
        ),
        counts=counts + (f" {html.escape(words['left'])}: {html.escape(left)}" if left else ""),
        body="\n".join(body),
    )


def _marked(text: str, remarks: Sequence[DraftRemark], words: Mapping[str, str]) -> Iterator[str]:
    position = 0
    for remark in sorted(remarks, key=lambda one: one.claim.start):
        start, end = max(position, remark.claim.start), remark.claim.end
        yield html.escape(text[position:start])
        lines = "<br>".join(html.escape(line) for line in told(remark, words))
        name = html.escape(words[remark.verdict])
        opened = " open" if remark.flagged else ""
        yield (
            f'<details{opened}><summary><mark class="{remark.verdict.replace(" ", "-")}">{html.escape(text[start:end])}</mark></summary>'
            f'<span class="remark"><b>{name}</b><br>{lines}</span></details>'
        )
        position = max(position, end)
    yield html.escape(text[position:])


def draft_tex(report: DraftReport) -> str:
    r"""Return the LaTeX source with a `\todo` behind each claim that is to be looked at."""
    manuscript, words = report.manuscript, words_for_draft(report)
    if manuscript.tex is None:
        raise QueryError(f"{str(manuscript.path)!r} is no LaTeX source; write its remarks as .html, .md or .json")
    places: dict[int, tuple[str, bool]] = {}
    for remark in report.flagged:
        paragraph = manuscript.paragraphs[remark.claim.paragraph]
        ends = [one.place for one in remark.claim.citations if one.place]
        at = max([paragraph.places[remark.claim.end - 1], *ends])
        said = f"{words[remark.verdict]}. {'; '.join(told(remark, words))}"
        places[at] = (f"{places[at][0]} | {said}" if at in places else said, paragraph.inline)
    return annotated_tex(manuscript.tex, places)


def comments_of(report: DraftReport) -> list[tuple[str, str]]:
    """Return the claims that are to be looked at, as they stand in the draft, with the comment on each."""
    words, found = words_for_draft(report), list[tuple[str, str]]()
    for remark in report.flagged:
        text = report.manuscript.paragraphs[remark.claim.paragraph].text[remark.claim.start : remark.claim.end]
        found.append((text, "\n".join((words[remark.verdict], *told(remark, words)))))
    return found


def draft_docx(report: DraftReport) -> tuple[bytes, int]:
    """Return a copy of a Word draft with comments, and how many found no place in it."""
    from scholarmind.adapters.readers.draft_files import commented  # noqa: PLC0415

    comments, path = comments_of(report), report.manuscript.path
    now = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    content, found = commented(path, comments, 8 * max(path.stat().st_size, 10_000_000), date=now)
    return content, len(comments) - found


def _draft_json(report: DraftReport) -> str:
    return escaped(json.dumps(draft_record(report), ensure_ascii=False, indent=2, default=str))


_WRITTEN: Mapping[str, Callable[[DraftReport], str]] = {
    ".html": draft_page,
    ".htm": draft_page,
    ".json": _draft_json,
    ".md": draft_markdown,
    ".tex": draft_tex,
}


def draft_file(report: DraftReport, ending: str) -> bytes:
    """Return what was found as the file of this ending; a copy of the draft (.tex, .docx) is only of a draft of that kind."""
    if ending == ".docx":
        return draft_docx(report)[0]
    return _WRITTEN[ending](report).encode("utf-8", "replace")
