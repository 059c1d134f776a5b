"""Holds an answer against the places that its claims and citations tell."""

import html
import re
from collections.abc import Sequence

from scholarmind.answer import Answer, Claim, Draft

_WORD = re.compile(r"[^\W_]+")
_MARKS = re.compile("[\ue000-\uf8ff]")


def words(text: str) -> list[str]:
    return _WORD.findall(text)


def shown(text: str, claim: Claim) -> str:
    """Return what stands at the place of a claim as it is read: without Markdown, and without citations that stand within it."""
    cited = re.sub(r"(?<!\\)\[[^\[\]]*\]", " ", text[claim.start : claim.end])
    return html.unescape(cited.replace("\\", "").replace("**", ""))


def assert_in_place(written: Answer | Draft, *, all_shown: bool = True) -> Sequence[Claim]:
    """Every claim's words stand at its place, and every citation's brackets at its own. Return the claims."""
    text = written.text
    assert not _MARKS.search(text)
    for claim in written.claims:
        if claim.start is None or claim.end is None:
            assert claim.start is claim.end is None
            assert not all_shown, claim
            continue
        told, at_place = words(claim.text), words(shown(text, claim))
        cell = words(claim.text.partition(": ")[2])
        if at_place[:2] == ["According", "to"]:
            at_place = at_place[2:]
        # the line of a table leaves out what its columns are called; a lineage tells years beside its names
        line = claim.counted and bool(at_place) and (set(at_place) <= set(told) or set(told) <= set(at_place))
        assert at_place in (told, cell) or line, (claim.text, text[claim.start : claim.end])
        assert text[claim.start : claim.end].strip() == text[claim.start : claim.end] != ""
        assert not text[: claim.start].endswith("\\")
    for citation in written.citations:
        if citation.start is None:
            assert not all_shown, citation
            continue
        assert html.unescape(text[citation.start : citation.end].replace("\\", "")) == f"[{citation.key}]"
    known = set(written.citations)
    assert all(set(claim.citations) <= known for claim in written.claims)
    return written.claims
