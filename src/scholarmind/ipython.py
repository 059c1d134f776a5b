"""A library within IPython and notebooks: `%load_ext scholarmind.ipython`, then `%%ask` above a question.

Answers, plans, completeness tables and what a search found show themselves from then on. What documents, models and users say is only
ever text: nothing of it becomes markup or a link, is loaded from elsewhere, or is typeset as a formula, whose commands make links too.
"""

import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any, cast

from scholarmind.answer import Answer, Retrieved, Review
from scholarmind.api import Library
from scholarmind.cli import answer_output as shown
from scholarmind.cli.output import origin, safe
from scholarmind.cli.run_progress import part_line
from scholarmind.errors import MissingExtraError, QueryError, ScholarMindError
from scholarmind.evaluation.html_reports import folded, text
from scholarmind.events import Event, FirstLook, PartAnswered, PartFailed, Planned, Reviewed, RoundStarted, Selected
from scholarmind.model import Evidence, Found
from scholarmind.plan import Plan
from scholarmind.ranking import key_of
from scholarmind.text.untrusted import disarmed, disarmed_pieces, uncontrolled

try:
    from IPython.core.displaypub import DisplayPublisher
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.core.magic import Magics, line_cell_magic, magics_class
    from IPython.display import display
except ModuleNotFoundError as error:
    raise MissingExtraError("ipython", error) from error

_STYLE = """<style>.scholarmind table th, .scholarmind table td { text-align: left; vertical-align: top; padding: .2em .8em .2em 0 }
.scholarmind blockquote { margin: .3em 0 .8em 1.2em; white-space: pre-line }
.scholarmind summary { cursor: pointer } .scholarmind details, .scholarmind figure { margin: .4em 0; overflow-x: auto }
.scholarmind small { margin-left: 1.2em; opacity: .7 } .scholarmind mark { background: #ffd54f66; color: inherit }
.scholarmind svg { font: 12px sans-serif; fill: currentColor } .scholarmind path { fill: none; stroke: currentColor; opacity: .6 }
.scholarmind rect { fill-opacity: .06; stroke: currentColor; stroke-opacity: .4 }</style>"""
_OPTIONS = {"library": "FOLDER", "where": "'FILTER'", "effort": "keyless|fast|standard|deep", "llm": "MODEL"}
_OPTION = re.compile(r"""\s*--([\w-]+)(?:=|[ \t]+|$)(?:"([^"]*)"|'([^']*)'|([^\s"']\S*|))(?=\s|$)""")
_QUESTION = re.compile(r"\A(\s*(?:[\w.,\[\]'\" ]+=\s*)?)%ask\s+(\S.*\?)\s*\Z")
_DOLLAR = re.compile(r"\\.|\$", re.DOTALL)
_STAGES: dict[type, str] = {FirstLook: "planning ...", Selected: "writing ...", Reviewed: "checking ..."}
_CELLS = 78  # of a terminal, that the line of progress takes
_WIDE, _GAP, _BELOW = 216, 48, 14  # of a box in the picture of a plan: its width, and the room beside and below it
_LINE, _PASSING = 15, 10  # pixels: a line of text, a dependency that passes by
_LETTERS, _LINES = 30, 5  # in a box


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Let what a library gives show itself in this shell, and add `%ask`."""
    formatters = cast("Any", shell.display_formatter).formatters
    for kind, (html, markdown) in _SHOWN.items():
        formatters["text/html"].for_type(kind, partial(_as_html, html))
        formatters["text/markdown"].for_type(kind, partial(_as_markdown, markdown))
        formatters["text/plain"].for_type(kind, partial(_print, markdown))
    shell.register_magics(AskMagics)
    shell.input_transformers_cleanup.append(_questions)


# -- asking


@magics_class
class AskMagics(Magics):
    """`%ask` and `%%ask`."""

    @line_cell_magic
    def ask(self, line: str, cell: str | None = None) -> Answer:
        """Answer a question from your documents: every sentence cited, every part accounted for.

        %%ask [--library FOLDER] [--where 'FILTER'] [--effort keyless|fast|standard|deep] [--llm MODEL]
        How do BERT and GPT-2 differ, and who proposed each?

        answer = %ask [options] Who proposed BERT?

        The options say what they say to `scholarmind ask`. A value with spaces stands in quotes: --where 'year >= 2019'.
        """
        progress = _ProgressLine(self.shell)
        try:
            chosen, where, question = _arguments(line, cell)
            with Library.open(create=False, **chosen) as library:
                stream = library.stream(question, filter=where)
                with closing(iter(stream)) as events:  # who interrupts a cell ends the run before the library is closed
                    for event in events:
                        progress.take(event)
        except BaseException as error:
            progress.end("stopped")
            if isinstance(error, ScholarMindError):
                told = [f"{type(error).__name__}: {uncontrolled(str(error))}"]
                setattr(error, "_render_traceback_", lambda: told)  # noqa: B010  (which IPython shows in its place)
            raise
        answer, seconds = stream.result, stream.result.spent.get("seconds", 0)
        progress.end(f"{answer.review.verdict}, {answer.review.confidence:.2f} sure, {seconds:.1f} s, run {answer.run}")
        return answer


def _questions(lines: list[str]) -> list[str]:
    """Let the line of an `%ask` end with a question mark, by which IPython would have it explained and not run."""
    if lines and lines[0].startswith("%%"):
        return lines
    begun = "get_ipython().run_line_magic"
    return [_QUESTION.sub(lambda at: f"{at[1]}{begun}('ask', {at[2]!r})\n", line) for line in lines]


def _arguments(line: str, cell: str | None) -> tuple[dict[str, Any], str | None, str]:
    """Return settings, filter and question. Of a line, what follows the options is the question, apostrophes and all."""
    given: dict[str, str] = {}
    while option := _OPTION.match(line):
        name, value = option[1], option[2] or option[3] or option[4]
        if name not in _OPTIONS:
            known = ", ".join(f"--{name} {value}" for name, value in _OPTIONS.items())
            raise QueryError(f"'--{name}' is no option of %ask; it takes {known}")
        if not value:
            raise QueryError(f"'--{name}' needs a value: --{name} {_OPTIONS[name]}")
        given[name], line = value, line[option.end() :]
    rest = line.strip()
    if rest and (cell is not None or rest.startswith("--")):
        raise QueryError(f"{rest!r} is no option with its value; what has spaces stands in quotes, the question behind")
    chosen: dict[str, Any] = {name: given.get(name) for name in ("effort", "llm")}
    if chosen["llm"] == "none" and chosen["effort"] is None:
        chosen["effort"] = "keyless"  # as for `scholarmind ask`
    chosen["path"] = Path(given["library"]).expanduser() if "library" in given else None
    return chosen, given.get("where"), (cell or rest).strip()


class _ProgressLine:
    """One line that tells how far a run is: in a notebook an output that changes, in a terminal a line that is written over."""

    def __init__(self, shell: Any) -> None:
        self._in_terminal = type(shell.display_pub) is DisplayPublisher  # which prints whatever is displayed
        self._handle: Any = None
        self._done: set[int] = set()
        self._parts = 0

    def take(self, event: Event) -> None:
        """Bring the line up to an event."""
        if isinstance(event, Planned):
            self._parts = len(event.plan.parts)
            self._show(f"0 of {self._parts} parts answered")
        elif isinstance(event, PartAnswered | PartFailed):
            self._done.add(event.part)
            self._show(f"{len(self._done)} of {max(self._parts, len(self._done))} parts answered: {event.question}")
        elif isinstance(event, RoundStarted):
            self._show(f"round {event.round}, for parts {', '.join(map(str, event.parts))} ...")
        elif told := _STAGES.get(type(event), "" if self._handle else "looking ..."):
            self._show(told)

    def end(self, told: str) -> None:
        """Say what came of it where the line stays; in a terminal it goes. What was not begun has no line."""
        if self._handle:
            self._show("" if self._in_terminal else told)

    def _show(self, told: str) -> None:
        from rich.cells import set_cell_size  # noqa: PLC0415

        line = set_cell_size(safe(" ".join(told.split())), _CELLS).rstrip()
        if self._in_terminal:
            self._handle = sys.stderr
            if sys.stderr.isatty():
                print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)  # noqa: T201  (whose line it is)
        elif self._handle:
            self._handle.update({"text/plain": line}, raw=True)
        else:
            self._handle = display({"text/plain": line}, raw=True, display_id=True)


# -- what is shown: as Markdown, and as the parts of a piece of HTML


def _plan_markdown(plan: Plan) -> str:
    headline, notes = _plan_told(plan)
    lines = [headline, ""]
    for part in plan.parts:
        indent = "    " * plan.level(part)
        lines.append(f"{indent}- {shown.markdown_line(part_line(part))}")
        asks = zip(part.row_ids, part.asks, strict=True) if len(part.asks) > 1 else ()
        lines += [f"{indent}    - {shown.markdown_line(f'{label} {ask.text}')}" for label, ask in asks]
    return "\n".join((*lines, "", notes))


def _plan_html(plan: Plan) -> list[str]:
    headline, notes = _plan_told(plan)
    return [_rendered(headline), _picture(plan), _rendered(notes)]


def _plan_told(plan: Plan) -> tuple[str, str]:
    """Return what stands above the parts and below them: what is to be found out first, and what was done in another way."""
    headline = f"{plan.complexity}, {plan.shape} (decided by {plan.decided_by}: {plan.reason})"
    unknown = [f"to find out first: {', '.join(plan.unknown_entities)}"] if plan.unknown_entities else []
    notes = "\n".join(f"- {shown.markdown_line(note)}" for note in (*unknown, *plan.notes))
    return shown.markdown_line(headline), notes


def _found_markdown(found: Found | Retrieved) -> str:
    notes = found.notices if isinstance(found, Found) else found.notes
    passages = [*shown.markdown_passages(found.evidence)] or ["nothing found"]
    return "\n\n".join((*passages, *(f"note: {shown.markdown_line(note)}" for note in notes)))


def _found_html(found: Found | Retrieved) -> list[str]:
    notes = found.notices if isinstance(found, Found) else found.notes
    passages = [
        folded(f"{rank}. {disarmed(item.document.title or item.document.id)}", _passage(item), unfolded=True)
        for rank, item in enumerate(found.evidence, 1)
    ]
    told = (f"<p><small>note: {text(disarmed(note))}</small></p>" for note in notes)
    return [*(passages or ["<p>nothing found</p>"]), *told]


def _answer_html(answer: Answer) -> Iterator[str]:
    yield from map(_rendered, shown.markdown_text(answer))
    # each cited work, which unfolds: the passages that it is cited for, with what is quoted of them marked
    found = (*answer.evidence, *(item for finding in answer.findings for item in finding.evidence))
    passages = {key_of(item): item for item in found}.values()
    for place in dict.fromkeys((citation.collection, citation.document) for citation in answer.citations):
        cited = [citation for citation in answer.citations if (citation.collection, citation.document) == place]
        pages = ", ".join(map(str, sorted({citation.page for citation in cited if citation.page})))
        spans = {(citation.document_start, citation.document_end): citation.quote for citation in cited}
        inside = ""
        for item in passages:
            here = [span for span in spans if item.passage.start <= span[0] <= span[1] <= item.passage.end]
            if here and (item.document.collection, item.document.id) == place:
                inside += _passage(item, here)
                spans = {span: quote for span, quote in spans.items() if span not in here}
        inside += "".join(f"<blockquote>{text(disarmed(quote))}</blockquote>" for quote in spans.values())
        head = f"[{cited[0].key}] {disarmed(cited[0].title)}{pages and f', p. {pages}'}"
        yield folded(head, inside, unfolded=False)
    if answer.review.rows:
        yield _rendered(shown.markdown_review(answer.review))
    if len(answer.plan.parts) > 1:
        yield folded("Plan", "".join(_plan_html(answer.plan)), unfolded=False)
    yield _rendered(shown.markdown_notes(answer))


def _passage(item: Evidence, quoted: Iterable[tuple[int, int]] = ()) -> str:
    """Return a passage with where it is from; what is quoted of it, counted in the document's text, is marked."""
    places: list[int] = []
    for start, end in sorted(quoted):
        if item.passage.start + max(places, default=0) <= start < end:
            places += (start - item.passage.start, end - item.passage.start)
    pieces = enumerate(map(text, disarmed_pieces(item.passage.text, places)))
    quotation = "".join(f"<mark>{piece}</mark>" if number % 2 else piece for number, piece in pieces)
    return f"<small>{text(disarmed(origin(item)))}</small><blockquote>{quotation}</blockquote>"


def _rendered(markdown: str) -> str:
    """Return safe Markdown as HTML; links, pictures and tags that stood in it all the same would be text."""
    from markdown_it import MarkdownIt  # noqa: PLC0415

    renderer = MarkdownIt("js-default").disable(["image", "link", "autolink", "html_inline", "html_block", "reference"])
    return renderer.render(uncontrolled(markdown))


def _as_html(parts: Callable[[Any], Iterable[str]], value: Any) -> str:
    """Show a value in a notebook, which takes nothing in it for a formula."""
    return f'<div class="scholarmind tex2jax_ignore mathjax_ignore">{_STYLE}{"".join(parts(value))}</div>'


def _as_markdown(markdown: Callable[[Any], str], value: Any) -> str:
    """Show a value as Markdown, of which a notebook takes nothing for a formula."""
    return _DOLLAR.sub(lambda found: r"\$" if found[0] == "$" else found[0], uncontrolled(markdown(value)).strip())


def _print(markdown: Callable[[Any], str], value: Any, printer: Any, _: bool) -> None:
    """Show a value where there are only letters."""
    printer.text(uncontrolled(markdown(value)).strip())


# -- the picture of a plan


def _picture(plan: Plan) -> str:
    """Return a plan as a drawing, from left to right: each part behind all that it depends on, lines past the parts between."""
    lines = {part.id: _wrapped(part.text) for part in plan.parts}
    high = _LINE * (max(map(len, lines.values())) + 1) + 14
    levels: dict[int, int] = {}
    for number in TopologicalSorter({part.id: part.depends_on for part in plan.parts}).static_order():
        levels[number] = max((levels[other] + 1 for other in plan.part(number).depends_on), default=0)
    left = [layer * (_WIDE + _GAP) + 1 for layer in range(max(levels.values()) + 1)]
    middle, height = _places(plan, levels, high)
    drawn: list[str] = []
    for part in plan.parts:
        level = levels[part.id]
        for other in part.depends_on:
            x, y = left[levels[other]] + _WIDE, middle[other, levels[other]]
            path = f"M{x},{y}"
            for layer in range(levels[other] + 1, level + 1):
                to_x, to_y = left[layer], middle[part.id if layer == level else other, layer]
                path += f"C{x + _GAP // 2},{y} {to_x - _GAP // 2},{to_y} {to_x},{to_y}"
                x, y = to_x + _WIDE, to_y
                path += f"L{x},{y}" if layer < level else f"M{to_x - 7},{y - 4}L{to_x},{y}L{to_x - 7},{y + 4}"
            drawn.append(f'<path d="{path}"/>')
        x, top = left[level], middle[part.id, level] - high // 2
        words = (f"{part.id} · {part.kind if part.role == 'find' else part.role}", *lines[part.id])
        spans = (f'<tspan x="{x + 10}" y="{top + 18 + _LINE * n}">{text(word)}</tspan>' for n, word in enumerate(words))
        box = f'<rect x="{x}" y="{top}" width="{_WIDE}" height="{high}" rx="6"/><text>{"".join(spans)}</text>'
        drawn.append(f"<g><title>{text(disarmed(part_line(part)))}</title>{box}</g>")
    size = f'width="{left[-1] + _WIDE + 1}" height="{height}" viewBox="0 0 {left[-1] + _WIDE + 1} {height}"'
    return f'<figure><svg {size} role="img" aria-label="Plan">{"".join(drawn)}</svg></figure>'


def _places(plan: Plan, levels: dict[int, int], high: int) -> tuple[dict[tuple[int, int], int], int]:
    """Return by part and layer how far down it stands there, or its answer passes by; each near what it comes from. And the height."""
    last = {part.id: levels[part.id] for part in plan.parts}
    for part in plan.parts:
        for other in part.depends_on:
            last[other] = max(last[other], levels[part.id] - 1)
    columns: list[dict[int, int]] = []  # of each layer, in order: how high what stands there is
    for layer in range(max(levels.values()) + 1):
        before = {number: place for place, number in enumerate(columns[-1] if columns else ())}
        here = [part for part in plan.parts if levels[part.id] <= layer <= last[part.id]]
        origins = {part.id: part.depends_on if levels[part.id] == layer else (part.id,) for part in here}
        means = {id: sum(before.get(one, 0) for one in some) / max(len(some), 1) for id, some in origins.items()}
        columns.append({n: high if levels[n] == layer else _PASSING for n in sorted(means, key=means.__getitem__)})
    heights = [sum(column.values()) + _BELOW * len(column) for column in columns]
    middle: dict[tuple[int, int], int] = {}
    for layer, column in enumerate(columns):
        top = (max(heights) - heights[layer] + _BELOW) // 2
        for number, own in column.items():
            middle[number, layer] = top + own // 2
            top += own + _BELOW
    return middle, max(heights)


def _wrapped(words: str) -> list[str]:
    """Return the lines of a box, as many as there is room for; a Chinese character is as wide as two letters."""
    from rich.console import Console  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    lines = [line.plain.strip() for line in Text(safe(" ".join(words.split()))).wrap(Console(), _LETTERS)]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], f"{lines[_LINES - 1]} …"]


_SHOWN: dict[type, tuple[Callable[[Any], Iterable[str]], Callable[[Any], str]]] = {
    Answer: (_answer_html, lambda answer: shown.as_markdown(answer, "apa")),
    Plan: (_plan_html, _plan_markdown),
    Review: (lambda review: (_rendered(shown.markdown_review(review)),), shown.markdown_review),
    Found: (_found_html, _found_markdown),
    Retrieved: (_found_html, _found_markdown),
}
