"""Search as a user asks for it: embed the question if that makes sense, ask the store, and say what was left out and why."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from scholarmind.errors import ModelUnavailableError
from scholarmind.filters import Filter, both
from scholarmind.library.filtering import emptied
from scholarmind.library_ports import Catalog, Multilingual, Reach, Searcher
from scholarmind.model import Evidence, Found, Mode, Search
from scholarmind.ports import Embedder
from scholarmind.text.glossary import translations
from scholarmind.text.language import language_of

# -- searching

UNKNOWN_LIMIT = 0.25  # above this share of unknown tokens a text gets no vector
_EMBEDDED_CHARACTERS = 2_000  # an embedder reads no further
_SHOWN = 40  # characters of a question in a notice
_UNREACHED = "searched by keywords only, since the embedder cannot be asked: "
_NO_SENSE = (
    "searched by keywords only: {share:.0%} of the question's tokens are unknown to the embedder {name!r}. For vectors in this language, "
    "set SCHOLARMIND_EMBEDDER=openai with SCHOLARMIND_EMBEDDING_BASE_URL and SCHOLARMIND_EMBEDDING_MODEL of a multilingual model"
)

_NO_EMBEDDER = "searched by keywords only: there is no embedder; set SCHOLARMIND_EMBEDDER=minilm, and run 'scholarmind add' for the vectors"
_NO_SENSE_ZH = (
    "只按关键词检索：问题中 {share:.0%} 的词元是嵌入模型 {name!r} 不认识的。要按语义检索这种语言，请设置 SCHOLARMIND_EMBEDDER=openai，"
    "并用 SCHOLARMIND_EMBEDDING_BASE_URL 和 SCHOLARMIND_EMBEDDING_MODEL 指定一个多语言模型"
)

_NO_EMBEDDER_ZH = (
    "只按关键词检索：没有设置嵌入模型；设置 SCHOLARMIND_EMBEDDER=minilm 后运行 scholarmind add 即可生成向量"
)

_TO_COME_ZH = "其他语言的段落这次只按关键词检索；运行 scholarmind add 会为它们生成跨语言向量"
_TO_COME = "passages in other languages than the question's were searched by keywords only: 'scholarmind add' makes the vectors for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """A store and the embedder that its vectors were made with. It remembers the vectors of the questions that it was asked."""

    store: Searcher
    embedder: Embedder | None
    dense_weight: float = 0.6
    second: Embedder | None = (
        None  # for questions in a language that the embedder does not know, and libraries of several languages
    )
    space: Multilingual | None = None  # where the vectors are that it compares with
    glossary: Path | None = None  # of the user's own terms, beside ours
    # by the question and whether every passage has a second vector
    embedded: dict[tuple[str, bool], "Embedded"] = field(default_factory=dict[Any, Any])
    embedding: dict[tuple[str, bool], asyncio.Event] = field(
        default_factory=dict[Any, asyncio.Event]
    )  # those that are being embedded

    async def search(
        self,
        question: str,
        k: int = 10,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
        per_document: int | None = None,
        every_score: bool = False,
    ) -> Found:
        """Return the best `k` passages for a question, in any language and of any length."""
        if not question.strip():
            return Found(evidence=(), notices=("the question is empty",))
        if not any(map(str.isalnum, question)):  # an embedder would find something alike for any sign
            return Found(evidence=(), notices=(f"there is no word to search for in {question[:_SHOWN]!r}",))
        search, notices = await self.prepared(question, k, mode, filter)
        found = await self.store.search(replace(search, per_document=per_document, every_score=every_score))
        return Found(evidence=tuple(found), notices=notices)

    async def linked(
        self,
        question: str,
        seeds: Sequence[Evidence],
        k: int,
        *,
        mode: Mode = "hybrid",
        filter: Filter | None = None,
    ) -> Found:
        """Return the passages that are one mention away from the seeds, ranked by the question."""
        search, notices = await self.prepared(question, k, mode, filter)
        return Found(evidence=tuple(await self.store.linked(seeds, search)), notices=notices)

    async def prepared(
        self, question: str, k: int, mode: Mode, filter: Filter | None, *, own: bool = False
    ) -> tuple[Search, tuple[str, ...]]:
        """Return the search that a question makes, with its vector, and what is to be said of that; `own`: only of the first embedder."""
        embedded = Embedded() if mode == "keyword" else await self._embedded_once(question, mode, own=own)
        search = Search(
            text=question,
            vector=embedded.vector,
            multilingual=embedded.multilingual,
            k=k,
            mode=mode,
            filter=filter,
            dense_weight=self.dense_weight,
            translations=tuple(translations(question, self.glossary)),
        )
        return search, embedded.notices

    async def _embedded_once(self, question: str, mode: Mode, *, own: bool) -> "Embedded":
        """Embed a question that several searches ask at the same moment for all of them."""
        reach = None
        if self.space is not None and self.second is not None and not own:
            reach = await self.space.reach(self.second.fingerprint)
        key = question, reach is not None and reach.is_whole
        while key in self.embedding:
            await self.embedding[key].wait()
        if key not in self.embedded:
            done = self.embedding[key] = asyncio.Event()
            try:
                self.embedded[key] = await self._embed(question[:_EMBEDDED_CHARACTERS], mode, reach)
            finally:
                del self.embedding[key]
                done.set()
        return self.embedded[key]

    async def _embed(self, question: str, mode: Mode, reach: Reach | None) -> "Embedded":
        if self.embedder is None:
            return Embedded(notices=(_in_chinese(question, _NO_EMBEDDER, _NO_EMBEDDER_ZH),) if mode == "vector" else ())
        # where every passage has a second vector they serve all questions
        if reach is not None and reach.is_whole and (other := await self._second_vector(question)) is not None:
            return Embedded(multilingual=other)
        try:
            found = await self.embedder.embed([question])
        except ModelUnavailableError as error:
            return Embedded(notices=(f"{_UNREACHED}{error}",))
        if found.unknown[0] <= UNKNOWN_LIMIT:
            return Embedded(vector=found.vectors[0])
        other = None if reach is None or reach.is_whole else await self._second_vector(question)
        if self.space is None or reach is None or other is None:
            told = _in_chinese(question, _NO_SENSE, _NO_SENSE_ZH)
            return Embedded(notices=(told.format(share=found.unknown[0], name=self.embedder.fingerprint),))
        if not reach.is_for_all:
            self.space.ask_for_all()
        return Embedded(multilingual=other, notices=(_in_chinese(question, _TO_COME, _TO_COME_ZH),))

    async def _second_vector(self, question: str) -> Sequence[float] | None:
        if self.second is None:
            return None
        found = await self.second.embed([question])
        return found.vectors[0] if found.unknown[0] <= UNKNOWN_LIMIT else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """The vectors of a question, and what is to be said of them."""

    vector: Sequence[float] | None = None
    multilingual: Sequence[float] | None = None
    notices: tuple[str, ...] = ()


def _in_chinese(question: str, english: str, chinese: str) -> str:
    """Return what is said of a question in its language."""
    return chinese if language_of(question) == "zh" else english


# -- what the reading path asks


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryRetriever:
    """Searches in one way, and only among what passes `within`."""

    retrieval: Retrieval
    mode: Mode = "hybrid"
    within: Filter | None = None
    every_score: bool = False  # tell the cosine also of what only its words found
    catalog: Catalog | None = None  # to say which filter lets nothing pass
    standing: tuple[str, ...] = ()  # what is to be said of every search of this library

    async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
        """Return the best passages for a question."""
        wanted = both(self.within, filter)
        found = await self.retrieval.search(question, k, mode=self.mode, filter=wanted, every_score=self.every_score)
        found = replace(found, notices=(*found.notices, *self.standing)) if self.standing else found
        if found.evidence or self.within is None or self.catalog is None:
            return found
        why = await emptied(self.catalog, self.within, question)
        return replace(found, notices=(*found.notices, why)) if why else found

    async def linked(self, question: str, seeds: Sequence[Evidence], k: int) -> Found:
        """Return the passages that are one mention away from the seeds."""
        return await self.retrieval.linked(question, seeds, k, mode=self.mode, filter=self.within)
