"""Which works to read next: those that the works which answer a question cite near the words that answer, and that the library lacks.

As text, BibTeX and JSON: each missing work with who cites it, for what, on which page.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from scholarmind.citing.citation_styles import assign, people
from scholarmind.citing.reference_export import export_references
from scholarmind.events import plain
from scholarmind.identity import headings_below, keys_of_reference, letters_of
from scholarmind.library.matching import Matcher
from scholarmind.library_ports import Store
from scholarmind.model import BibEntry, Document, Entry, Reference
from scholarmind.text.analysis import sentences, terms
from scholarmind.text.language import language_of
from scholarmind.text.likeness import share_people
from scholarmind.text.untrusted import disarmed, escaped, uncontrolled

Record = Mapping[str, Any]
DocumentPlace = tuple[str, str]  # collection and id
Span = tuple[int, int]
Nearness = Literal["quoted", "open row", "section", "elsewhere", "listed"]
_ORDER: Mapping[Nearness, int] = {"quoted": 0, "open row": 0, "section": 1, "elsewhere": 2, "listed": 3}
_SPEAKS = 0.5  # of the weight of a row's words that a citing sentence, with the title of the work, must have
_LOOKED_AROUND = 1_500  # characters before and behind quoted words in which the sentences beside them are
_LONGEST = 360  # characters of a citing sentence that are shown, around where it points
_LONG_TITLE = 20  # letters that do not stand in another title by chance
_MOST_SHOWN = 3  # citing sentences of a work
_OPEN = frozenset({"partial", "not in the library", "failed"})
_SHELVES = (".bib", ".ris", ".json", ".bibtex")


@dataclass(frozen=True, slots=True, kw_only=True)
class CitingSentence:
    """Where a work is cited, and for what: the sentence that points at it, in which of the works that answer."""

    key: str  # of the citing work, as in the answer
    document: str
    collection: str
    title: str
    nearness: Nearness
    sentence: str = ""  # '' where the work only stands in the list of references
    section: tuple[str, ...] = ()
    page: int | None = None
    start: int = 0
    end: int = 0
    rows: tuple[str, ...] = ()  # that stay open, and that it speaks of


@dataclass(frozen=True, slots=True, kw_only=True)
class NextWork:
    """A work that is cited by what answers: as its references print it, by whom, for what, and whether the library has it."""

    reference: Reference
    nearness: Nearness
    citing: tuple[CitingSentence, ...]  # the nearest first
    works: int  # how many of the works that answer cite it
    relevance: float  # the share of the question's words, by weight, in the best of its sentences
    document: str = ""  # of the library, '' where it is missing
    collection: str = ""  # of that document
    only_entry: bool = False  # the library has no more of it than an entry of a bibliography


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingList:
    """What to read next for a question, the most helpful first."""

    question: str
    run: str
    missing: tuple[NextWork, ...] = ()
    unused: tuple[NextWork, ...] = ()  # in the library, and not in the answer
    answering: tuple[str, ...] = ()  # keys of the works whose references were read
    without: tuple[str, ...] = ()  # titles of those that have no list of references
    open_rows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weights:
    """The words of the question and of the rows that stay open, each with how much it weighs."""

    question: Mapping[str, float]
    rows: Mapping[str, Mapping[str, float]]


@dataclass(slots=True, kw_only=True)
class _Gathered:
    """What is known so far of one work."""

    reference: Reference
    citing: list[CitingSentence] = field(default_factory=list[CitingSentence])
    places: set[DocumentPlace] = field(default_factory=set[DocumentPlace])
    relevance: float = 0.0
    document: str = ""


async def reading_list(store: Store, answer: Record, limit: int = 10) -> ReadingList:
    """Return the works to read next for an answer, at most so many that are missing and so many that are there and not used."""
    rows = [row for row in answer["parts"] if row["status"] in _OPEN]
    quoted = _quoted(answer)
    places = list(dict.fromkeys((*quoted, *(_place(item) for row in rows for item in row["evidence"]))))
    entries = {place: entry for place in places if (entry := await store.entry(*place)) is not None}
    keys = {_place(item): str(item["key"]) for item in answer["citations"]}
    keys = assign(
        [entry.document for entry in entries.values()], {place: keys[place] for place in keys if place in entries}
    )
    weights = await _weighed(store, answer, [str(row["text"]) for row in rows])
    gathered = _Works()
    for place, entry in entries.items():
        held = [cited.document for cited in await store.references(*place)]
        spans = _beside(entry.text, quoted.get(place, ()))
        sections = {path for start, _ in quoted.get(place, ()) if (path := _section(entry, start))}
        for number, citing in _citing_sentences(entry, keys[place], spans, sections):
            gathered.add(entry, number, citing, weights, held[number])
    ranked = sorted(gathered.all(), key=_rank)
    ranked = [work for work in ranked if _is_of_it(work, quoted)] or ranked
    ranked = _found_by_title(ranked, await store.documents()) if ranked else []
    ranked = [work for work in ranked if (work.collection, work.document) not in entries]
    return ReadingList(
        question=str(answer["question"]),
        run=str(answer["run"]),
        missing=tuple(work for work in ranked if not work.document or work.only_entry)[:limit],
        unused=tuple(work for work in ranked if work.document and not work.only_entry)[:limit],
        answering=tuple(keys[place] for place, entry in entries.items() if entry.references),
        without=tuple(entry.document.title for entry in entries.values() if not entry.references),
        open_rows=tuple(str(row["text"]) for row in rows),
    )


class _Works:
    """The works that are cited, each once, however its references print it."""

    def __init__(self) -> None:
        self._by_key: dict[str, _Gathered] = {}

    def add(self, entry: Entry, number: int, citing: CitingSentence, weights: _Weights, held: str) -> None:
        """Take in that a document cites the work of its reference of this number."""
        reference = entry.references[number]
        names = [*keys_of_reference(reference)] or [f"text:{letters_of(reference.text)}"]
        work = next((self._by_key[name] for name in names if name in self._by_key), None)
        work = work or _Gathered(reference=reference)
        self._by_key |= dict.fromkeys(names, work)
        work.reference = _fuller(work.reference, reference)
        said = {*terms(citing.sentence), *terms(reference.title)}
        open_rows = tuple(row for row, words in weights.rows.items() if _share(words, said) >= _SPEAKS)
        if open_rows:
            nearness = "quoted" if citing.nearness == "quoted" else "open row"
            citing = replace(citing, nearness=nearness, rows=open_rows)
        work.relevance = max(work.relevance, _share(weights.question, said))
        work.places.add((entry.document.collection, entry.document.id))
        work.document = work.document or held
        work.citing.append(citing)

    def all(self) -> Iterator[NextWork]:
        """Yield the works."""
        for work in {id(work): work for work in self._by_key.values()}.values():
            citing = sorted(work.citing, key=lambda one: (_ORDER[one.nearness], not one.rows))
            shown = {(one.document, one.start): one for one in reversed(citing)}
            citing = [one for one in citing if shown.get((one.document, one.start)) is one]
            yield NextWork(
                reference=work.reference,
                nearness=citing[0].nearness,
                citing=tuple(_one_of_each_first(citing))[:_MOST_SHOWN],
                works=len(work.places),
                relevance=round(work.relevance, 4),
                document=work.document,
            )


def _one_of_each_first(citing: Sequence[CitingSentence]) -> list[CitingSentence]:
    """Return sentences so that the best of each citing work comes before the second of any."""
    seen: dict[tuple[str, str], int] = {}
    placed: list[tuple[int, int, CitingSentence]] = []
    for order, one in enumerate(citing):
        turn = seen[one.collection, one.document] = seen.get((one.collection, one.document), -1) + 1
        placed.append((turn, order, one))
    return [one for _, _, one in sorted(placed, key=lambda item: item[:2])]


def _rank(work: NextWork) -> tuple[int, int, float, int, str]:
    return _ORDER[work.nearness], -work.works, -work.relevance, -(work.reference.year or 0), work.reference.text


def _is_of_it(work: NextWork, quoted: Mapping[DocumentPlace, object]) -> bool:
    """Tell whether a work has to do with a question: what only stands in works that do not answer has to share words with it."""
    is_far = work.nearness in {"elsewhere", "listed"}
    return not is_far or work.relevance > 0 or any((one.collection, one.document) in quoted for one in work.citing)


def _found_by_title(works: Sequence[NextWork], documents: Sequence[Document]) -> list[NextWork]:
    """Return works with the document of each: also where only a title that is alike, a year and authors tell that it is there.

    A work is there whatever collection it is in, and of some there is only an entry of a bibliography.
    """
    there = {(item.collection, item.id): item for item in documents}
    entries = [
        BibEntry(key=str(place), line=place, document=replace(document, origin=""))
        for place, document in enumerate(documents)
    ]
    matcher = Matcher(entries) if any(not work.document for work in works) else None
    found: list[NextWork] = []
    for work in works:
        document = there.get((work.citing[0].collection, work.document))
        if document is None and matcher is not None:
            match = matcher.match(_as_document(work.reference), (), Path())
            document = documents[match.entry.line] if match else _named_in(work.reference, documents)
        if document is None:
            found.append(work)
            continue
        only_entry = document.origin.casefold().endswith(_SHELVES)
        found.append(replace(work, document=document.id, collection=document.collection, only_entry=only_entry))
    return found


def _named_in(reference: Reference, documents: Iterable[Document]) -> Document | None:
    """Return the document whose title stands in the text of a reference, wherever its title was thought to end."""
    text = letters_of(reference.text)
    for document in documents:
        title = letters_of(document.title)
        if len(title) < _LONG_TITLE or title not in text:
            continue
        if reference.year and document.year and abs(reference.year - document.year) > 1:
            continue
        if share_people(reference.authors, document.authors) is not False:
            return document
    return None


def _as_document(reference: Reference) -> Document:
    identified = {"doi": reference.doi, "arxiv": reference.arxiv}
    metadata = {name: value for name, value in identified.items() if value}
    authors, year = reference.authors, reference.year
    return Document(id=reference.text, title=reference.title, authors=authors, year=year, metadata=metadata)


def _fuller(one: Reference, other: Reference) -> Reference:
    """Return the reference that tells more of a work, with the numbers that only the other has."""

    def told(reference: Reference) -> int:
        return sum(map(bool, (reference.title, reference.authors, reference.year)))

    best, rest = (one, other) if told(one) >= told(other) else (other, one)
    return replace(best, doi=best.doi or rest.doi, arxiv=best.arxiv or rest.arxiv)


# -- where works are cited


def _citing_sentences(
    entry: Entry, key: str, spans: Sequence[Span], sections: Iterable[tuple[str, ...]]
) -> Iterator[tuple[int, CitingSentence]]:
    """Yield each reference of a document with each sentence that points at it, or with none where it only stands in the list."""
    document, known = entry.document, set(sections)
    pointed: set[int] = set()
    for pointer in entry.pointers:
        start, end = _sentence(entry.text, pointer.start)
        path = _section(entry, pointer.start)
        near = any(begin < end and start < stop for begin, stop in spans)
        nearness: Nearness = "quoted" if near else "section" if path and path in known else "elsewhere"
        place = bisect_right([passage.start for passage in entry.passages], pointer.start) - 1
        citing = CitingSentence(
            key=key,
            document=document.id,
            collection=document.collection,
            title=document.title,
            nearness=nearness,
            sentence=_cut(entry.text, (start, end), pointer.start),
            section=path,
            page=entry.passages[place].page_at(pointer.start) if place >= 0 else None,
            start=start,
            end=end,
        )
        for number in pointer.references:
            pointed.add(number)
            yield number, citing
    for number in range(len(entry.references)):
        if number not in pointed:
            listed = CitingSentence(
                key=key, document=document.id, collection=document.collection, title=document.title, nearness="listed"
            )
            yield number, listed


def _quoted(answer: Record) -> dict[DocumentPlace, list[Span]]:
    """Return the characters of each document that an answer quotes; where it names none, those of the passage that they are in."""
    found = [item for row in answer["parts"] for item in row["evidence"]]
    spans: dict[DocumentPlace, list[Span]] = {}
    for item in answer["citations"]:
        start, end = int(item["document_start"]), int(item["document_end"])
        if end <= start:
            within = [one for one in found if _place(one) == _place(item) and one["start"] <= start < one["end"]]
            start, end = (int(within[0]["start"]), int(within[0]["end"])) if within else (start, start + 1)
        spans.setdefault(_place(item), []).append((start, end))
    return spans


def _beside(text: str, quoted: Iterable[Span]) -> list[Span]:
    """Return quoted stretches of a text with the sentence before and the one behind, within the paragraph."""
    wider: list[Span] = []
    for start, end in quoted:
        low = max(text.rfind("\n\n", 0, start) + 1, start - _LOOKED_AROUND, 0)
        high = text.find("\n\n", end)
        high = min(len(text) if high < 0 else high, end + _LOOKED_AROUND)
        found = list(sentences(text, low, high))
        within = [place for place, (begin, stop) in enumerate(found) if begin < end and start < stop]
        first, last = (max(0, within[0] - 1), min(len(found) - 1, within[-1] + 1)) if within else (0, -1)
        wider.append((found[first][0], found[last][1]) if within else (start, end))
    return wider


def _sentence(text: str, at: int) -> Span:
    """Return the sentence in which a character stands."""
    low = max(text.rfind("\n\n", 0, at) + 1, at - _LOOKED_AROUND, 0)
    high = text.find("\n\n", at)
    high = min(len(text) if high < 0 else high, at + _LOOKED_AROUND)
    return next(((start, end) for start, end in sentences(text, low, high) if start <= at < end), (at, at + 1))


def _cut(text: str, span: Span, at: int) -> str:
    """Return a sentence in one line; of a long one what is around a character of it."""
    start, end = span
    low, high = max(start, at - _LONGEST * 2 // 3), min(end, at + _LONGEST // 3)
    if end - start <= _LONGEST:
        low, high = start, end
    before, after = "… " * (low > start), " …" * (high < end)
    return before + " ".join(text[low:high].split()) + after


def _section(entry: Entry, at: int) -> tuple[str, ...]:
    place = bisect_right([passage.start for passage in entry.passages], at) - 1
    return entry.passages[place].section if place >= 0 else ()


def _place(item: Record) -> DocumentPlace:
    return str(item["collection"]), str(item["document"])


# -- what the question and its open rows are about


async def _weighed(store: Store, answer: Record, rows: Sequence[str]) -> _Weights:
    texts = (str(answer["question"]), *rows)
    rarity = await store.rarity(sorted({word for text in texts for word in terms(text)}))
    question, *others = ({word: 0.1 + rarity.get(word, 0.0) for word in terms(text)} for text in texts)
    return _Weights(question=question, rows=dict(zip(rows, others, strict=True)))


def _share(words: Mapping[str, float], said: set[str]) -> float:
    """Return how much of these words, by weight, is said."""
    total = sum(words.values())
    return sum(weight for word, weight in words.items() if word in said) / total if total else 0.0


# -- the list as text and as files

_ENGLISH = {
    "quoted": "cited beside what answers",
    "open row": "cited for a part that stays open",
    "section": "cited in the section of what answers",
    "elsewhere": "cited elsewhere in what answers",
    "listed": "only in a list of references",
    "by": "by {count} of {all}",
    "page": "p. {page}",
    "speaks": "speaks of what is open: {rows}",
    "entry": "the library has only its entry in a bibliography",
    "unused": "In the library, cited there, and not in the answer",
    "without": "No list of references was found in: {titles}",
    "no references": "None of what the answer rests on has a list of references that could be read: {titles}",
    "nobody": "Nothing in the library bears on this, so that there are no references to follow.",
    "all there": "All that the works behind the answer cite is in the library.",
    "untitled": "(its title could not be read) {text}",
    "others": " et al.",
}

_CHINESE = {
    "quoted": "在回答问题的原句或其旁边引用",
    "open row": "为尚未回答的部分引用",
    "section": "在回答所在的章节引用",
    "elsewhere": "在回答所依据的文献别处引用",
    "listed": "只见于参考文献列表",
    "by": "{all} 篇中有 {count} 篇引用",
    "page": "第 {page} 页",
    "speaks": "与尚未回答的部分有关：{rows}",
    "entry": "文档库中只有它的书目条目",
    "unused": "文档库中已有、被引用而未用于回答",
    "without": "以下文档没有找到参考文献列表：{titles}",
    "no references": "回答所依据的文档都没有可读的参考文献列表：{titles}",
    "nobody": "文档库中没有与此有关的内容，因而没有参考文献可循。",
    "all there": "回答所依据的文献引用的著作，文档库中都有。",
    "untitled": "（未能读出标题）{text}",
    "others": " 等",
}

_MOST_AUTHORS = 3
_MOST_TITLES = 5


def reading_lines(found: ReadingList) -> Iterator[tuple[int, str]]:
    """Yield the lines of a reading list, each with how deep it stands."""
    words = _CHINESE if language_of(found.question) == "zh" else _ENGLISH
    total = len(found.answering)
    for number, work in enumerate(found.missing, 1):
        yield from _work_lines(work, f"{number}. ", total, words)
    titles = "; ".join(map(_safe, found.without[:_MOST_TITLES])) + ("; …" if len(found.without) > _MOST_TITLES else "")
    if not total:
        yield 0, words["no references"].format(titles=titles) if titles else words["nobody"]
        return
    if not found.missing:
        yield 0, words["all there"]
    if found.unused:
        yield 0, ""
        yield 0, words["unused"]
        for work in found.unused:
            yield from _work_lines(work, "· ", total, words, brief=True)
    if titles:
        yield 0, ""
        yield 0, words["without"].format(titles=titles)


def _work_lines(
    work: NextWork, mark: str, total: int, words: Mapping[str, str], *, brief: bool = False
) -> Iterator[tuple[int, str]]:
    reference, depth = work.reference, 2 if brief else 0
    title = reference.title or words["untitled"].format(text=" ".join(reference.text.split()))
    identified = [f"doi:{reference.doi}"] if reference.doi else [f"arXiv:{reference.arxiv}"] if reference.arxiv else []
    by = _authors(reference.authors, words["others"]) if reference.title else ""
    year = str(reference.year or "") if reference.title else ""
    told = " · ".join(filter(None, (title, by, year, *identified, work.document if brief else "")))
    yield depth, mark + _safe(told)
    near = words[work.nearness]
    yield depth + 3, f"{near}, {words['by'].format(count=work.works, all=total)}"
    if work.only_entry:
        yield depth + 3, words["entry"]
    for citing in work.citing[: 1 if brief else None]:
        if citing.sentence:
            yield depth + 3, _citing_line(citing, words)
        if citing.rows and not brief:
            yield depth + 3, words["speaks"].format(rows=_safe("; ".join(citing.rows)))


def _citing_line(citing: CitingSentence, words: Mapping[str, str]) -> str:
    headings = " › ".join(headings_below(citing.title, citing.section))
    place = words["page"].format(page=citing.page) if citing.page else _safe(headings)
    return f"“{_safe(citing.sentence)}” [{', '.join(filter(None, (citing.key, place)))}]"


def _authors(authors: Sequence[str], others: str) -> str:
    named, more = people(authors)
    shown = ", ".join(person.full for person in named[:_MOST_AUTHORS])
    return shown + (others if more or len(named) > _MOST_AUTHORS else "")


def _safe(text: str) -> str:
    return uncontrolled(disarmed(text))


# -- files


def _as_text(found: ReadingList) -> str:
    return "".join(f"{' ' * depth}{line}\n" for depth, line in reading_lines(found))


def _as_json(found: ReadingList) -> str:
    return escaped(json.dumps(plain(found), ensure_ascii=False, indent=2)) + "\n"


def _as_bibtex(found: ReadingList) -> str:
    from scholarmind.library.references.printed_work import work_of_reference  # noqa: PLC0415  (compiles many patterns)

    references = [work.reference for work in found.missing]
    return uncontrolled(export_references([(work_of_reference(one), one.text) for one in references]))


READING_LIST_FILES: Mapping[str, Callable[[ReadingList], str]] = {
    ".bib": _as_bibtex,
    ".json": _as_json,
    ".txt": _as_text,
}
