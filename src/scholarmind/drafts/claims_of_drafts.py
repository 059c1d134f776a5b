"""The sentences of a draft that claim something, each with the works that it cites.

A citation belongs to the sentence that it stands in or right behind; where a sentence cites in its middle, each clause has its own. What
claims nothing about the world or the works of others is left out, and counted by why: questions, what the draft says of itself, pieces.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from scholarmind.model import DraftCitation, Paragraph
from scholarmind.text.analysis import sentences, terms
from scholarmind.text.language import HAN

_LEAST_TERMS = 3
_LEAST_OF_CLAUSE = 4  # terms of a clause that stands by itself
_NOTE = "\ue000"  # stands in the text in place of a citation, letter by letter, while sentences are told apart
_BEHIND = re.compile(rf"(?<=[.!?。！？”\"])\s?{_NOTE}+|[。！？]\s*{_NOTE}+")
_QUESTION = re.compile(r"[?？][\"'”’)\]]*\s*$")
_END = re.compile(r"[.!。！…][\"'”’)\]）]*$")
_OWN = re.compile(
    r"(?:(?:in|throughout|for) (?:this|the (?:next|following|present)) "
    r"(?:paper|section|chapter|work|study|article|thesis|report)\b[^,]{0,40},?\s*)?"
    r"(?:(?:here|then|next|first|second|finally|therefore|thus|hence|below|to this end|in addition|moreover|furthermore|however),?\s+)?"
    r"(?:we|our|i|my|this (?:paper|section|chapter|work|study|article|thesis|report)|(?:the (?:next|following|remaining)|our) section|"
    r"(?:section|chapter|figure|fig\.|table|tab\.|appendix|equation|eq\.)\s*[~\d(?]|the (?:rest|remainder) of this)\b"
    r"|(?:在?本(?:文|章|节|研究|工作)|我们|笔者|作者将|如?[图表]\s*\d|第[一二三四五六七八九十\d]+[章节])",
    re.IGNORECASE,
)
_SPLIT = re.compile(
    r"\s*(?:[,;:，；：]|—)\s*(?:(?:and|but|while|whereas|yet|though|although)\s+)?|\s+(?:while|whereas|but|although)\s+",
    re.IGNORECASE,
)
_SPACES = re.compile(r"\s+(?=[,.;:!?，。；：！？)）])|(?<=[(（])\s+|[(（]\s*[)）]")


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftClaim:
    """What a sentence, or a clause of it, claims, and what it cites. `paragraph` and `end` say where it stands."""

    text: str
    citations: tuple[DraftCitation, ...]
    paragraph: int
    start: int
    end: int

    @property
    def keys(self) -> tuple[str, ...]:
        """The works that it cites, each once."""
        return tuple(dict.fromkeys(key for citation in self.citations for key in citation.keys))


@dataclass(slots=True)
class DraftClaims:
    """The claims of a draft in order, and how many sentences were left out, by why."""

    claims: list[DraftClaim] = field(default_factory=list[DraftClaim])
    left_out: Counter[str] = field(default_factory=Counter[str])


def claims_of(paragraphs: Sequence[Paragraph]) -> DraftClaims:
    """Return what a draft claims."""
    found = DraftClaims()
    for number, paragraph in enumerate(paragraphs):
        for start, end, citations in _sentences_of(paragraph):
            for begin, stop, own in _clauses(paragraph.text, start, end, citations):
                text = _without(paragraph.text, begin, stop, own)
                if reason := _claims_nothing(text, cites=bool(own)):
                    found.left_out[reason] += 1
                else:
                    found.claims.append(
                        DraftClaim(text=text, citations=tuple(own), paragraph=number, start=begin, end=stop)
                    )
    return found


def _sentences_of(paragraph: Paragraph) -> Iterator[tuple[int, int, list[DraftCitation]]]:
    """Yield the sentences with their citations; one that stands behind a full stop belongs to what is before it."""
    masked = list(paragraph.text)
    for mention in paragraph.mentions:
        if not mention.textual:
            masked[mention.start : mention.end] = _NOTE * (mention.end - mention.start)
    spans = list(sentences("".join(masked).replace(_NOTE, " ")))
    own: list[list[DraftCitation]] = [[] for _ in spans]
    for mention in paragraph.mentions:
        place = next((n for n, (_, end) in enumerate(spans) if mention.start < end), len(spans) - 1)
        if place < 0:
            continue
        between = paragraph.text[spans[place - 1][1] : mention.start] if place else "-"
        begins = place > 0 and mention.start <= spans[place][0] and not between.strip()
        if begins and not mention.textual and not _goes_on(paragraph.text[mention.end :]):
            place -= 1
        own[place].append(mention)
    for (start, end), citations in zip(spans, own, strict=True):
        yield start, max([end, *(one.end for one in citations)]), citations


def _goes_on(text: str) -> bool:
    """Tell whether the sentence goes on behind a citation that it begins with: "[12] shows", not "[12] The"."""
    rest = text.lstrip()
    return bool(rest) and rest[0].islower()


def _clauses(
    text: str, start: int, end: int, citations: list[DraftCitation]
) -> Iterator[tuple[int, int, list[DraftCitation]]]:
    """Yield a sentence whole, or in clauses where several citations, or words behind the only one, have their own."""
    cuts: list[tuple[int, int]] = []
    for mention in citations:
        joint = None if mention.textual else _SPLIT.match(text, mention.end, end)
        if joint and len(terms(text[joint.end() : end])) >= _LEAST_OF_CLAUSE and mention.start > start:
            cuts.append((mention.end, joint.end()))
    begin = start
    for stop, following in cuts:
        own = [
            one
            for one in citations
            if begin <= one.start < stop or (one.start == stop == one.end and one.start > begin)
        ]
        if own and len(terms(text[begin:stop])) >= _LEAST_OF_CLAUSE:
            yield begin, stop, own
            citations = [one for one in citations if one not in own]
            begin = following
    yield begin, end, citations


def _without(text: str, start: int, end: int, citations: Sequence[DraftCitation]) -> str:
    """Return the words of a claim without what points at works."""
    pieces, position = list[str](), start
    for one in sorted(citations, key=lambda each: each.start):
        if one.start >= position and not one.textual:
            pieces.append(text[position : one.start])
            position = max(position, min(one.end, end))
    told = " ".join("".join((*pieces, text[position:end])).split())
    return _SPACES.sub("", told).strip(" ,;:，；：")


def _claims_nothing(text: str, *, cites: bool) -> str:
    """Return why a text claims nothing, or ''. What cites nothing and has no end is a heading or a piece."""
    if _QUESTION.search(text):
        return "question"
    if _OWN.match(text):
        return "about the draft itself"
    if not cites and not _END.search(text):
        return "too short"
    if len(terms(text)) < (_LEAST_TERMS if not HAN.search(text) else 2 * _LEAST_TERMS):
        return "too short"
    return ""
