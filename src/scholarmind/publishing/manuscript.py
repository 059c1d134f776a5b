"""An answer as blocks of text with its citations as data, which every format is written from.

The Markdown of the answer is read once; each `[Devlin et al., 2019]` in it becomes the work, the pages and the quoted words of the
sentence that it stands in or behind, and † stands behind each sentence that could not be confirmed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from scholarmind.answer import Answer, Citation, Claim
from scholarmind.citing.citation_styles import Place, Style, sources
from scholarmind.citing.reference_export import entry_keys
from scholarmind.identity import select_link
from scholarmind.model import Document
from scholarmind.text.language import language_of
from scholarmind.text.untrusted import disarmed, uncontrolled
from scholarmind.writing.answer_markdown import bracketed

if TYPE_CHECKING:
    from markdown_it.tree import SyntaxTreeNode

# -- marks behind sentences that could not be confirmed

DOUBT = "†"
DOUBT_MEANS = f"{DOUBT} not confirmed: the passages that were read were not found to say this"
_WORD = re.compile(r"[^\W_]+")
_BETWEEN = r"(?:[^\w\[\]]|_|\[[^\[\]]{0,300}\])*?"  # other signs, and citations
_BEHIND = r"(?:\s*\[[^\[\]]{0,300}\])*[.!?。！？…;；]*[\"'”’)）*_]*(?:\s?\[[^\[\]]{0,300}\])*"
_LONGEST = 400  # words
_LONGEST_DOUBT = 300


def marked(text: str, claims: Sequence[Claim]) -> tuple[str, tuple[str, ...]]:
    """Return the text with a mark behind each sentence that is not confirmed, and those sentences that were not found in it."""
    lost: list[str] = []
    for claim in claims:
        if claim.status != "unsupported":
            continue
        # where a sentence ends in the text; of `name: cell` or `lead: item`, the latter comes somewhere behind the former
        if (end := _found(claim.text, text, 0)) is not None:
            place = end
        else:
            lead, _, item = claim.text.partition(": ")
            place = _found(item, text, _found(lead, text, 0) or 0)
        if place is None:
            lost.append(claim.text)
        elif not text.startswith(DOUBT, place):
            text = f"{text[:place]}{DOUBT}{text[place:]}"
    return text, tuple(dict.fromkeys(lost))


def doubts(text: str, lost: Sequence[str], before: str, words: Mapping[str, str]) -> list[str]:
    """Return the lines that say what the marks mean, and which sentences have none because they are not found in the text."""
    meaning = [words.get("doubt means", DOUBT_MEANS)] if DOUBT in text and text != before else []
    return meaning + [
        words["doubt"].format(mark=DOUBT, sentence=one_line(sentence)[:_LONGEST_DOUBT]) for sentence in lost
    ]


def one_line(text: str) -> str:
    """Return words of others in one line."""
    return disarmed(" ".join(text.split()))


def _found(said: str, text: str, start: int) -> int | None:
    words = _WORD.findall(said)
    if not words or len(words) > _LONGEST:
        return None
    pattern = _BETWEEN.join(map(re.escape, words)) + _BEHIND
    found = re.compile(rf"(?<![^\W_]){pattern}").search(text, start)
    return found.end() if found else None


# -- words around an answer, in the language of its question

STATUS_MARKS = {"answered": "✓", "partial": "~", "conflicting": "≠", "not in the library": "–", "failed": "✗"}
_ENGLISH = {
    "sources": "Sources",
    "notes": "Notes",
    "plan": "Plan",
    "completeness": "Completeness",
    "parts": "{answered} of {count} parts answered",
    "more": "--details shows the plan, how sure each part is, and {count} notes",
    "more without": "--details shows the plan, and how sure each part is",
    "one more": "--details shows the plan, how sure each part is, and a note",
    "part": "part",
    "status": "status",
    "sure": "sure",
    "missing": "what is missing",
    "verdict": "Verdict",
    "evidence": "Evidence",
    "understood": "understood as: {question} (asked: {asked})",
    "note": "note: {note}",
    "after": ", after {parts}",
    "each": ", for each item of part {part}",
    "form": ", counted in the graph: {form}",
    "doubt": "{mark} not confirmed: {sentence}",
    "quotations": "Quotations",
    "cited in": "Cited in",
    "page": "p. {pages}",
}

_CHINESE = {
    "sources": "来源",
    "notes": "说明",
    "plan": "计划",
    "completeness": "完成情况",
    "parts": "{count} 个部分中回答了 {answered} 个",
    "more": "加上 --details 可查看计划、各部分的把握和 {count} 条说明",
    "more without": "加上 --details 可查看计划和各部分的把握",
    "one more": "加上 --details 可查看计划、各部分的把握和 1 条说明",
    "answered": "已回答",
    "partial": "部分回答",
    "conflicting": "互相矛盾",
    "not in the library": "文档库中没有",
    "failed": "失败",
    "complete": "完整",
    "with caveats": "有保留",
    "incomplete": "不完整",
    "part": "部分",
    "status": "状态",
    "sure": "把握",
    "missing": "缺少什么",
    "verdict": "结论",
    "evidence": "依据",
    "understood": "理解为：{question}（原问题：{asked}）",
    "note": "说明：{note}",
    "factual": "事实",
    "reasoning": "推理",
    "global": "概览",
    "after": "，在第 {parts} 部分之后",
    "each": "，对第 {part} 部分的每一项",
    "form": "，在图谱中计数：{form}",
    "doubt": "{mark} 未经证实：{sentence}",
    "doubt means": f"{DOUBT} 来源未证实这句话",
    "quotations": "引文",
    "cited in": "被引用于",
    "page": "第 {pages} 页",
}


def answer_words(answer: Answer) -> Mapping[str, str]:
    """Return the words around an answer, in the language of its question; what stands for itself is not among them."""
    return words_in(language_of(answer.question))


def words_in(language: str) -> Mapping[str, str]:
    """Return the words around an answer in a language."""
    return _CHINESE if language == "zh" else _ENGLISH


# -- the manuscript


@dataclass(frozen=True, slots=True)
class StyledText:
    """Words in one style. A line feed is a break that the writer wanted."""

    text: str
    bold: bool = False
    italic: bool = False
    code: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPlace:
    """A citation where it stands: the key that is shown, the work, and the pages and words that its sentence rests on."""

    shown: str
    work: Place
    pages: tuple[int, ...] = ()
    quotes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CitationGroup:
    """Citations that stand side by side."""

    items: tuple[CitedPlace, ...]


Content = tuple[StyledText | CitationGroup, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ManuscriptBlock:
    """A heading, a paragraph, an item of a list, a quotation, a table or code.

    `level` is the rank of a heading, and how deep an item stands, from 1, with what goes on below it; a number of 0 is a bullet.
    """

    kind: Literal["heading", "paragraph", "item", "quotation", "table", "code"]
    content: Content = ()
    level: int = 0
    number: int = 0
    rows: tuple[tuple[Content, ...], ...] = ()  # of a table, the head first

    @property
    def depth(self) -> int:
        """In how many lists it stands; a heading is in none."""
        return 0 if self.kind == "heading" else self.level


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSource:
    """A cited work: the key that is shown, the key that it is cited by in files, its entry, and where Zotero has it."""

    shown: str
    key: str
    entry: str
    document: Document
    zotero: str = ""

    @property
    def work(self) -> Place:
        """The collection and id of the document."""
        return self.document.collection, self.document.id


@dataclass(frozen=True, slots=True, kw_only=True)
class Manuscript:
    """All that a file with an answer shows. `table` is the completeness table, its head first."""

    answer: Answer
    language: str
    words: Mapping[str, str]
    title: str
    blocks: tuple[ManuscriptBlock, ...]
    table: tuple[tuple[str, ...], ...]
    verdict: str
    sources: tuple[ListedSource, ...]
    doubts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def source(self, work: Place) -> ListedSource | None:
        """Return the entry of a work."""
        return next((source for source in self.sources if source.work == work), None)

    def quotations(self, source: ListedSource) -> Mapping[str, int | None]:
        """Return the words that are quoted of a work, each with its page."""
        cited = [*self.answer.citations, *(citation for claim in self.answer.claims for citation in claim.citations)]
        found: dict[str, int | None] = {}
        for citation in cited:
            if (citation.collection, citation.document) == source.work and citation.quote:
                found.setdefault(quoted_words(citation), citation.page)
        return found

    def pages(self, pages: Sequence[int]) -> str:
        """Return pages as they are told behind a key, or ''."""
        return self.words["page"].format(pages=", ".join(map(str, pages))) if pages else ""


def manuscript_of(answer: Answer, style: Style, keys: Mapping[Place, str]) -> Manuscript:
    """Return an answer as it is written to a file; `keys` are the user's own, of the works that have one."""
    words = answer_words(answer)
    text, lost = marked(answer.text, answer.claims)
    rows = answer.review.rows
    table = [
        (row.id, _plain(row.text), words.get(row.status, row.status), f"{row.confidence:.2f}", _plain(row.missing))
        for row in rows
    ]
    head = ("", words["part"], words["status"], words["sure"], words["missing"])
    verdict = answer.review.verdict
    return Manuscript(
        answer=answer,
        language=language_of(answer.question),
        words=words,
        title=_plain(answer.question),
        blocks=tuple(_blocks(*_anchored(text, answer))),
        table=(head, *table) if table else (),
        verdict=words.get(verdict, verdict) if rows else "",
        sources=tuple(_sources(answer, style, keys)),
        doubts=tuple(map(uncontrolled, doubts(text, lost, answer.text, words))),
        notes=tuple(map(_plain, answer.fallbacks)),
    )


def quoted_words(citation: Citation) -> str:
    """Return the words that a citation quotes, in one line."""
    return uncontrolled(" ".join(citation.quote.split()))


def _plain(text: str) -> str:
    return uncontrolled(one_line(text))


def _sources(answer: Answer, style: Style, keys: Mapping[Place, str]) -> Iterator[ListedSource]:
    shown = {(citation.collection, citation.document): citation.key for citation in answer.citations}
    files = entry_keys(answer.sources, keys)
    for document, entry in zip(answer.sources, sources(answer.sources, style), strict=True):
        place = document.collection, document.id
        yield ListedSource(
            shown=_plain(shown[place]),
            key=files[place],
            entry=uncontrolled(entry),
            document=document,
            zotero=select_link(document),
        )


# -- citations, by where they stand

_OPEN, _CLOSE = "\ue01e", "\ue01f"  # nobody else writes these: see `answer_markdown.RESERVED`
_ANCHOR = re.compile(f"{_OPEN}(\\d+){_CLOSE}")


def _anchored(text: str, answer: Answer) -> tuple[str, Sequence[CitedPlace]]:
    """Return the text with the number of a citation in place of each bracket, and these citations."""
    by_key = {citation.key: citation for citation in answer.citations}
    brackets = {bracketed(key): key for key in sorted(by_key, key=len, reverse=True)}
    if not brackets:
        return text, ()
    claims = sorted((claim for claim in answer.claims if claim.start is not None), key=lambda claim: claim.start or 0)
    # where marks were put into a text, counted in the text that has them
    inserted: list[int] = []
    place = 0
    for at, character in enumerate(text):
        if place < len(answer.text) and answer.text[place] == character:
            place += 1
        else:
            inserted.append(at)
    cited: list[CitedPlace] = []

    def numbered(found: re.Match[str]) -> str:
        key = brackets[found[0]]
        place = found.start() - sum(insertion < found.start() for insertion in inserted)
        own = _of_sentence(key, place, claims, answer.citations)
        one = by_key[key]
        cited.append(
            CitedPlace(
                shown=_plain(key),
                work=(one.collection, one.document),
                pages=tuple(sorted({citation.page for citation in own if citation.page})),
                quotes=tuple(dict.fromkeys(quoted_words(citation) for citation in own if citation.quote)),
            )
        )
        return f"{_OPEN}{len(cited) - 1}{_CLOSE}"

    pattern = "|".join(map(re.escape, brackets))
    return re.sub(rf"(?<!\\)(?:{pattern})", numbered, text), cited


def _of_sentence(key: str, place: int, claims: Sequence[Claim], every: Sequence[Citation]) -> list[Citation]:
    """Return the citations of this key of the claim that the place is in or behind; of the place itself where no claim has it."""
    before = [claim for claim in claims if (claim.start or 0) <= place]
    own = [citation for citation in before[-1].citations if citation.key == key] if before else []
    return own or [citation for citation in every if citation.key == key and citation.start == place]


# -- blocks


def _blocks(text: str, cited: Sequence[CitedPlace]) -> Iterator[ManuscriptBlock]:
    """Yield the blocks of a text, which holds no Markdown but what formats it."""
    from markdown_it import MarkdownIt  # noqa: PLC0415
    from markdown_it.tree import SyntaxTreeNode  # noqa: PLC0415

    reader = MarkdownIt("js-default").disable(["image", "link", "autolink", "html_inline", "html_block", "reference"])
    for node in SyntaxTreeNode(reader.parse(uncontrolled(text))).children:
        yield from _block(node, cited, level=0)


def _block(node: "SyntaxTreeNode", cited: Sequence[CitedPlace], *, level: int) -> Iterator[ManuscriptBlock]:
    """Yield what a part of the tree is; `level` tells in how many lists it stands."""
    match node.type:
        case "heading":
            yield ManuscriptBlock(kind="heading", content=_content(node, cited), level=int(node.tag[1]))
        case "bullet_list" | "ordered_list":
            first = int(node.attrs.get("start") or 1) if node.type == "ordered_list" else 0
            for place, item in enumerate(node.children):
                inner = [block for child in item.children for block in _block(child, cited, level=level + 1)]
                begun = inner[:1] if inner and inner[0].kind == "paragraph" else [ManuscriptBlock(kind="paragraph")]
                number = first + place if first else 0
                yield replace(begun[0], kind="item", level=level + 1, number=number)
                yield from inner[1:] if inner[:1] == begun else inner
        case "blockquote":
            for block in (block for child in node.children for block in _block(child, cited, level=level)):
                yield replace(block, kind="quotation") if block.kind == "paragraph" else block
        case "table":
            lines = [line for part in node.children for line in part.children]
            rows = tuple(tuple(_content(cell, cited) for cell in line.children) for line in lines)
            yield ManuscriptBlock(kind="table", rows=rows, level=level)
        case "fence" | "code_block":
            code = _ANCHOR.sub(lambda found: f"[{cited[int(found[1])].shown}]", node.content).rstrip("\n")
            yield ManuscriptBlock(kind="code", content=(StyledText(code, code=True),), level=level)
        case "paragraph":
            yield ManuscriptBlock(kind="paragraph", content=_content(node, cited), level=level)
        case _:  # a line across
            pass


def _content(node: "SyntaxTreeNode", cited: Sequence[CitedPlace]) -> Content:
    """Return the words of a line of text, and its citations; what stands side by side is one group."""
    pieces: list[StyledText | CitedPlace] = []
    for inline in node.children:
        pieces += [piece for child in inline.children for piece in _pieces(child, StyledText(""), cited)]
    kept = [piece for place, piece in enumerate(pieces) if not _is_between(pieces, place)]
    found: list[StyledText | CitationGroup] = []
    for piece in kept:
        if isinstance(piece, StyledText):
            found.append(piece)
        elif found and isinstance(found[-1], CitationGroup):
            found[-1] = CitationGroup((*found[-1].items, piece))
        else:
            found.append(CitationGroup((piece,)))
    return tuple(found)


def _pieces(
    node: "SyntaxTreeNode", style: StyledText, cited: Sequence[CitedPlace]
) -> Iterator[StyledText | CitedPlace]:
    match node.type:
        case "strong" | "em" | "s":
            inner = replace(style, bold=style.bold or node.type == "strong", italic=style.italic or node.type == "em")
            for child in node.children:
                yield from _pieces(child, inner, cited)
        case "softbreak" | "hardbreak":
            yield replace(style, text=" " if node.type == "softbreak" else "\n")
        case _:
            for number, part in enumerate(_ANCHOR.split(node.content)):
                if number % 2:
                    yield cited[int(part)]
                elif part:
                    yield replace(style, text=part, code=node.type == "code_inline")


def _is_between(pieces: Sequence[StyledText | CitedPlace], place: int) -> bool:
    """Tell that there is nothing but space between two citations."""
    piece = pieces[place]
    if isinstance(piece, CitedPlace) or piece.text.strip(" ") or not 0 < place < len(pieces) - 1:
        return False
    return isinstance(pieces[place - 1], CitedPlace) and isinstance(pieces[place + 1], CitedPlace)
