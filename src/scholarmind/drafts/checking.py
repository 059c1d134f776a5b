"""Checks a draft: each claim held against the works that it cites, by code, and where code is not sure by a model, if there is one.

A verdict is kept where the library keeps its caches, under what it rests on: the sentence, the content of the documents, the state of the
library, the version of the judge, the model. A check that was stopped goes on with what is left.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Protocol

from scholarmind.answer import Citation, Claim, Doubt
from scholarmind.calls import ResponseCache
from scholarmind.citing.citation_styles import assign
from scholarmind.drafts.cited_documents import CitedDocuments
from scholarmind.drafts.claims_of_drafts import DraftClaim
from scholarmind.errors import ModelError
from scholarmind.filters import Compare, both
from scholarmind.judge.claims import words_say
from scholarmind.judge.document_claims import VERSION, DocumentText, Held, Objection, hold
from scholarmind.judge.wording import read
from scholarmind.library.model_work import ModelWork, why
from scholarmind.model import Document, Entry, Evidence, Found, Passage, Scores
from scholarmind.ports import Entailment
from scholarmind.text.language import language_of
from scholarmind.writing.attribution import ModelExaminer, citation_of

DraftVerdict = Literal[
    "supported", "perhaps", "contradicted", "not said", "not in the library", "uncited", "nothing found"
]
FLAGGED: tuple[DraftVerdict, ...] = ("contradicted", "not said", "not in the library", "uncited")

_MOST_PASSAGES = 400  # of a document that is read whole
_OF_A_BOOK = 60  # passages of a longer one: those nearest to the sentence
_ELSEWHERE = 8  # documents that may say it, too
_SUGGESTED = 2
_LIKE = 0.55  # of an uncited sentence, that a document holds
_QUOTED = 2  # sentences shown of each document
_AT_ONCE = 20  # claims in one call
_SHOWN = 3  # passages that a model is shown of each document


class LibraryToCheck(Protocol):
    """What a check needs of a library."""

    async def search(self, question: str, k: int, filter: Any, per_document: int | None) -> Found: ...
    async def entry(self, id: str, collection: str) -> Entry | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRemark:
    """What came of one claim: the verdict, the words of its sources, what speaks against it, what else could be cited."""

    claim: DraftClaim
    verdict: DraftVerdict
    citations: tuple[Citation, ...] = ()
    objections: tuple[Objection, ...] = ()
    suggestions: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()  # keys whose works are not in the library
    unknown: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # keys that no bibliography has, with the nearest right ones
    sure: bool = False  # `judge.claims` confirms the sentence
    by_model: bool = False  # a model had the last word

    @property
    def flagged(self) -> bool:
        """Whether its author has to look at it."""
        return self.verdict in FLAGGED


class DraftChecker:
    """Checks claims one by one. Documents are read once."""

    def __init__(
        self,
        library: LibraryToCheck,
        cited: CitedDocuments,
        cache: ResponseCache,
        *,
        basis: Sequence[str],
        work: ModelWork | None = None,
        entailment: Entailment | None = None,
    ) -> None:
        """Take the library, what keys stand for, and where verdicts are kept; `basis`: of which state of the library, by which model."""
        self.notes: list[str] = []
        self.remembered = 0
        self._library = library
        self._cited = cited
        self._cache = cache
        self._basis = (VERSION, *basis)
        self._work = work
        self._examiner = ModelExaminer(work.assistant, entailment) if work else None
        self._entailment = entailment
        self._entries: dict[tuple[str, str], Entry | None] = {}
        self._texts: dict[tuple[str, str], DocumentText] = {}

    async def check(self, claims: Sequence[DraftClaim]) -> AsyncIterator[DraftRemark]:
        """Yield a remark for each claim, in order."""
        for start in range(0, len(claims), _AT_ONCE):
            some = claims[start : start + _AT_ONCE]
            addresses = [await self._address(claim) for claim in some]
            if self._examiner is None:
                for claim, address in zip(some, addresses, strict=True):
                    yield await self._remembered(claim, address) or await self._kept(
                        address, (await self._judged(claim))[0]
                    )
                continue
            known = [await self._remembered(claim, address) for claim, address in zip(some, addresses, strict=True)]
            fresh = [await self._judged(claim) for claim, old in zip(some, known, strict=True) if old is None]
            settled, whole = await self._examined(fresh)
            news = iter(settled)
            for old, address in zip(known, addresses, strict=True):
                remark = old or next(news)
                yield remark if old or not whole else await self._kept(address, remark)

    # -- one claim

    async def _judged(self, claim: DraftClaim) -> tuple[DraftRemark, list[tuple[Entry, Held]]]:
        works = [self._cited.of(key) for key in claim.keys]
        missing = tuple(work.key for work in works if work.document is None)
        unknown = {work.key: work.nearest for work in works if not work.known}
        documents = list(dict.fromkeys((work.document.collection, work.document.id) for work in works if work.document))
        entries = [entry for place in documents if (entry := await self._entry(*place)) is not None]
        others, share = await self._elsewhere(claim.text, documents)
        if not claim.citations:
            verdict: DraftVerdict = "uncited" if share >= _LIKE else "nothing found"
            return DraftRemark(claim=claim, verdict=verdict, suggestions=others if share >= _LIKE else ()), []
        held = [
            (entry, hold(claim.text, await self._text(entry, claim.text), share, self._entailment)) for entry in entries
        ]
        remark = DraftRemark(claim=claim, verdict=_verdict(held, missing), missing=missing, unknown=unknown)
        if len(entries) > 1 and remark.verdict in ("contradicted", "not said"):
            together = await self._together(claim, entries, share)
            if together.holding in ("says", "perhaps"):
                remark = replace(remark, verdict="supported" if together.holding == "says" else "perhaps")
        carried = remark.verdict in ("supported", "perhaps")
        shown = [one for one in held if one[1].holding in ("says", "perhaps")] if carried else held
        shown = shown or held
        citations = [citation for entry, one in shown for citation in self._quoted(entry, one)]
        return (
            replace(
                remark,
                citations=tuple(citations),
                objections=() if carried else tuple(o for _, one in held for o in one.objections),
                suggestions=others if remark.verdict in ("not said", "not in the library") and share >= _LIKE else (),
                sure=remark.verdict == "supported" and any(one.sure for _, one in held),
            ),
            held,
        )

    async def _together(self, claim: DraftClaim, entries: Sequence[Entry], share: float) -> Held:
        """Hold a claim against all that the works which it cites say, taken together."""
        texts = [await self._text(entry, claim.text) for entry in entries]
        every = DocumentText([one for text in texts for one in text.passages], ", ".join(text.about for text in texts))
        return await asyncio.to_thread(hold, claim.text, every, share, self._entailment)

    async def _elsewhere(self, text: str, cited: Sequence[tuple[str, str]]) -> tuple[tuple[Citation, ...], float]:
        """Return what other documents say of it, the nearest first, and how much of it the nearest holds."""
        found = await self._library.search(text, _ELSEWHERE, None, 1)
        wanted, rated = read(text), list[tuple[float, Citation]]()
        for item in found.evidence:
            if (item.document.collection, item.document.id) in cited or item.passage.kind in ("references", "contents"):
                continue
            one = DocumentText([item.passage.text], about_of(item.document), frozenset(item.passage.section))
            shares = one.shares(wanted)
            if shares:
                best = max(range(len(shares)), key=lambda number: shares[number])
                rated.append((shares[best], _citation(item, *one.spans[best][1:])))
        rated.sort(key=lambda each: -each[0])
        return tuple(citation for _, citation in rated[:_SUGGESTED]), max((score for score, _ in rated), default=0.0)

    def _quoted(self, entry: Entry, held: Held) -> list[Citation]:
        text = self._texts[entry.document.collection, entry.document.id]
        found: list[Citation] = []
        for number in held.closest[:_QUOTED]:
            passage, start, end = text.spans[number]
            found.append(_citation(_evidence(self._passages(entry, text)[passage], entry.document), start, end))
        return found

    # -- documents

    async def _entry(self, collection: str, id: str) -> Entry | None:
        if (collection, id) not in self._entries:
            self._entries[collection, id] = await self._library.entry(id, collection)
        return self._entries[collection, id]

    async def _text(self, entry: Entry, sentence: str) -> DocumentText:
        place = entry.document.collection, entry.document.id
        if place not in self._texts or len(entry.passages) > _MOST_PASSAGES:
            passages = (
                await self._near(entry, sentence) if len(entry.passages) > _MOST_PASSAGES else list(entry.passages)
            )
            headings = frozenset(heading for passage in passages for heading in passage.section)
            texts = [passage.text for passage in passages]
            self._texts[place] = await asyncio.to_thread(DocumentText, texts, about_of(entry.document), headings)
        return self._texts[place]

    async def _near(self, entry: Entry, sentence: str) -> list[Passage]:
        """Return the passages of a long document that are nearest to a sentence."""
        document = entry.document
        wanted = both(Compare("collection", "=", document.collection), Compare("id", "=", document.id))
        found = await self._library.search(sentence, _OF_A_BOOK, wanted, None)
        return [item.passage for item in found.evidence]

    def _passages(self, entry: Entry, text: DocumentText) -> Sequence[Passage]:
        if len(entry.passages) <= _MOST_PASSAGES:
            return entry.passages
        by_text = {passage.text: passage for passage in entry.passages}
        return [by_text[one] for one in text.passages]

    # -- with a model

    async def _examined(
        self, fresh: Sequence[tuple[DraftRemark, list[tuple[Entry, Held]]]]
    ) -> tuple[list[DraftRemark], bool]:
        """Put what code is not sure of to the model; tell also whether it replied. Numbers and names are settled by code."""
        remarks = [remark for remark, _ in fresh]
        asked = {
            n + 1: fresh[n]
            for n, remark in enumerate(remarks)
            if remark.verdict != "not in the library" and fresh[n][1] and not remark.sure
        }
        claims = {number: self._doubtful(remark, held) for number, (remark, held) in asked.items()}
        if not claims or self._examiner is None:
            return remarks, True
        language = language_of(" ".join(claim.text for claim in claims.values()))
        try:
            words = await self._examiner.point_at(language, claims)
        except ModelError as error:
            self.notes.append(
                f"{len(claims)} sentences could not be put to the model, and are judged by code alone: {why(error)}"
            )
            return remarks, False
        for number, claim in claims.items():
            if number in words and claim.doubt is not None:
                remarks[number - 1] = _with_words(remarks[number - 1], words[number].strip(), claim.doubt)
        return remarks, True

    def _doubtful(self, remark: DraftRemark, held: Sequence[tuple[Entry, Held]]) -> Claim:
        sources: dict[str, None] = {}
        for entry, one in held:
            text = self._texts[entry.document.collection, entry.document.id]
            for passage in list(dict.fromkeys(text.spans[number][0] for number in one.closest))[:_SHOWN]:
                sources[text.passages[passage]] = None
        about = "; ".join(about_of(entry.document) for entry, _ in held)
        return Claim(
            text=remark.claim.text,
            status="unsupported",
            citations=remark.citations,
            doubt=Doubt(sources=tuple(sources), about=about),
        )

    # -- what is kept

    async def _address(self, claim: DraftClaim) -> str:
        places = [work.document for key in claim.keys if (work := self._cited.of(key)).document]
        hashes = [
            entry.hash
            for document in places
            if document and (entry := await self._entry(document.collection, document.id))
        ]
        works = [asdict(self._cited.of(key)) | {"document": ""} for key in claim.keys]
        told = json.dumps([self._basis, claim.text, bool(claim.citations), works, hashes], ensure_ascii=False)
        return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()

    async def _remembered(self, claim: DraftClaim, address: str) -> DraftRemark | None:
        kept = await self._cache.get(address)
        if kept is None:
            return None
        try:
            remark = remark_of(json.loads(kept), claim)
        except (ValueError, KeyError, TypeError):
            return None  # of another version, or damaged: judged anew
        self.remembered += 1
        return remark

    async def _kept(self, address: str, remark: DraftRemark) -> DraftRemark:
        await self._cache.put(address, json.dumps(_written(remark), ensure_ascii=False))
        return remark


def about_of(document: Document) -> str:
    """Return what a document is called: title, authors, year, other names."""
    aliases = document.metadata.get("aliases", ())
    others = map(str, aliases) if isinstance(aliases, tuple) else (str(aliases),)
    groups = document.metadata.get("groups", ())
    teams = map(str, groups) if isinstance(groups, tuple) else (str(groups),)
    named = (document.title, *document.authors, str(document.year or ""), document.source, *others, *teams)
    return ", ".join(filter(None, named))


def _verdict(held: Sequence[tuple[Entry, Held]], missing: Sequence[str]) -> DraftVerdict:
    holdings = {one.holding for _, one in held}
    if "says" in holdings:
        return "supported"
    if "perhaps" in holdings:
        return "perhaps"
    if missing:
        return "not in the library"
    return "contradicted" if "contradicts" in holdings else "not said"


def _with_words(remark: DraftRemark, words: str, doubt: Doubt) -> DraftRemark:
    """Return what becomes of a remark by the words that a model points at; code checks them."""
    if not words:
        carried = remark.verdict in ("supported", "perhaps")
        flagged = replace(remark, verdict="not said") if carried else remark
        return replace(flagged, by_model=True)
    settled = any(objection.kind in ("number", "name") for objection in remark.objections)
    if settled or words_say(words, remark.claim.text, doubt.sources, doubt.about) in ("doubtful", "refused"):
        return remark
    return replace(remark, verdict="supported", objections=(), suggestions=(), by_model=True)


def _evidence(passage: Passage, document: Document) -> Evidence:
    return Evidence(passage=passage, document=document, scores=Scores(fused=1.0))


def _citation(item: Evidence, start: int, end: int) -> Citation:
    document, first = item.document, item.passage.start
    keys = assign([document])
    return citation_of(item, first + start, first + end, " ".join(item.passage.text[start:end].split()), keys)


# -- as JSON


def _written(remark: DraftRemark) -> dict[str, Any]:
    return {name: value for name, value in asdict(remark).items() if name != "claim"}


def remark_of(told: Mapping[str, Any], claim: DraftClaim) -> DraftRemark:
    """Return a remark as it was kept."""
    fields: dict[str, Any] = dict(told)
    for name in ("citations", "suggestions"):
        fields[name] = tuple(_kept_citation(one) for one in fields[name])
    fields["objections"] = tuple(Objection(**one) for one in fields["objections"])
    fields["missing"] = tuple(fields["missing"])
    return DraftRemark(claim=claim, **fields)


def _kept_citation(told: Mapping[str, Any]) -> Citation:
    fields: dict[str, Any] = dict(told)
    fields["authors"], fields["section"] = tuple(fields["authors"]), tuple(fields["section"])
    return Citation(**fields)
