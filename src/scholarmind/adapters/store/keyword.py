"""The keyword leg: BM25 by tantivy over terms that we analysed ourselves, with what words are called in another language.

Derived: it can be deleted at any time. A sentinel document, replaced in the same commit as everything else, holds the number of the last
change and how many passages there must be; tantivy itself notices neither flipped bytes nor a commit that dropped what it was given.
"""

import json
import math
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tantivy

from scholarmind.adapters.store import checksums
from scholarmind.adapters.store.masks import NOTHING, Hits, Mask, passing
from scholarmind.adapters.store.notions import Notion, Notions, Variant
from scholarmind.errors import LibraryStorageError
from scholarmind.model import Translation
from scholarmind.text import analysis

# -- queries


def _query(schema: Any, searcher: Any, words: Sequence[str], translations: Iterable[Translation]) -> Any:
    """Return a query for any of these terms, or None if there are none."""

    def any_of(variant: Variant) -> Any:
        query = _any_of(_term(schema, term) for term in variant.terms)
        return query if variant.boost == 1 else tantivy.Query.boost_query(query, variant.boost)

    def one(notion: Notion) -> Any:
        if notion == (Variant(notion[0].terms[:1]),):
            return _term(schema, notion[0].terms[0])
        return tantivy.Query.disjunction_max_query([any_of(variant) for variant in notion])

    notions = Notions(lambda term: searcher.doc_freq("text", term), searcher.num_docs).of(words, translations)
    return _any_of(map(one, notions)) if notions else None


def _term(schema: Any, term: str) -> Any:
    return tantivy.Query.term_query(schema, "text", term, "freq")


def _any_of(queries: Iterable[Any]) -> Any:
    return tantivy.Query.boolean_query([(tantivy.Occur.Should, query) for query in queries])


# -- the index

_FORMAT = 1
_WRITER_BYTES = 50_000_000
_MOST_LISTED = (
    1_000  # up to so many documents a filter is a list in the query; above, hits are fetched in excess and sifted
)

_SUMS = "checksums.json"


@dataclass(frozen=True, slots=True)
class Indexed:
    """A passage as the index sees it."""

    passage: int
    document: int
    text: str


class KeywordIndex:
    """Opened on a folder. `change` is the last change that it holds; 0 means that it is empty or was unusable."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writer: Any = None
        self.change = 0
        self.damage = ""  # why the index that was found could not be used
        self._index: Any = None
        if tantivy.Index.exists(str(folder)) if folder.is_dir() else False:
            self._open_or_note_damage()
        elif folder.is_dir() and any(folder.iterdir()):
            self.damage = "no index in the folder"

    def _open_or_note_damage(self) -> None:
        try:
            _verify_files(self._folder)
            self._index = tantivy.Index.open(str(self._folder))
            self._index.config_reader("manual")
            self.reload()
        except (ValueError, OSError) as error:
            self._index, self.change, self.damage = None, 0, str(error)

    def reload(self) -> None:
        """See what was committed since, here or by another process."""
        if self._index is None:
            if self._folder.is_dir() and tantivy.Index.exists(str(self._folder)):
                self._open_or_note_damage()
            return
        self._index.reload()
        searcher = self._index.searcher()
        version, change, passages = _sentinel(searcher)
        if version != _version():
            raise ValueError(f"made by version {version} of the text analysis, this is {_version()}")
        if searcher.num_docs != passages + 1:
            raise ValueError(f"holds {searcher.num_docs - 1:,} passages where {passages:,} were written")
        self.change = change

    def rebuild(self, passages: Iterable[Indexed], count: int, change: int) -> None:
        """Throw away what there is and index everything anew."""
        self._forget()
        _clear(self._folder)
        self._index = tantivy.Index(_schema(), str(self._folder))
        self._index.config_reader("manual")
        self._commit((), passages, count, change)
        self.damage = ""

    def apply(self, removed: Iterable[int], added: Iterable[Indexed], count: int, change: int) -> None:
        """Bring the index from its own change to this one, after which it must hold `count` passages."""
        self._commit(removed, added, count, change)

    def search(
        self, words: Sequence[str], k: int, mask: Mask | None = None, translations: Sequence[Translation] = ()
    ) -> Hits:
        """Return the best `k` passages for these terms or translations, among the documents that the mask lets pass."""
        index = self._index  # a failed commit may take it away meanwhile
        if index is None or k <= 0:
            return NOTHING
        searcher = index.searcher()
        wanted = _query(index.schema, searcher, words, translations)
        if wanted is None:
            return NOTHING
        if mask is None:
            return _fetch(searcher, wanted, k)
        allowed = np.flatnonzero(mask)
        if len(allowed) > _MOST_LISTED:
            found = _sift(searcher, wanted, k, mask)
            if found is not None:
                return found
        if not len(allowed):
            return NOTHING
        listed = tantivy.Query.term_set_query(index.schema, "document", allowed.tolist())
        only = tantivy.Query.const_score_query(listed, 0.0)
        return _fetch(
            searcher, tantivy.Query.boolean_query([(tantivy.Occur.Must, wanted), (tantivy.Occur.Must, only)]), k
        )

    def all_of(self, words: Sequence[str], k: int) -> Hits:
        """Return the best `k` passages that hold every one of these terms."""
        index = self._index
        unique = list(dict.fromkeys(words))
        if index is None or not unique:
            return NOTHING
        every = [(tantivy.Occur.Must, _term(index.schema, word)) for word in unique]
        return _fetch(index.searcher(), tantivy.Query.boolean_query(every), k)

    def rarity(self, words: Sequence[str]) -> dict[str, float]:
        """Return how rare each term is."""
        index = self._index
        if index is None:
            return dict.fromkeys(words, 0.0)
        searcher = index.searcher()
        total = max(1, searcher.num_docs)
        return {
            word: max(0.0, math.log(total / (1 + searcher.doc_freq("text", word)))) for word in words
        }  # deleted ones count on

    def close(self) -> None:
        """Let the writer go, and with it tantivy's own lock."""
        if self._writer is not None:
            self._writer.wait_merging_threads()
            self._writer = None
            _record_sums(self._folder)

    def _commit(self, removed: Iterable[int], added: Iterable[Indexed], count: int, change: int) -> None:
        try:
            writer = self._open_writer()
            for document in removed:
                writer.delete_documents_by_term("document", document)
            for item in added:
                writer.add_document(_document(item))
            writer.delete_documents_by_term("sentinel", 1)
            writer.add_document(tantivy.Document(sentinel=1, version=_version(), change=change, passages=count))
            writer.commit()
            self.reload()
        except (ValueError, OSError, TypeError) as error:
            self._forget()
            raise LibraryStorageError(
                f"the keyword index in {str(self._folder)!r} could not be written ({error}); the text itself is stored, "
                "and the index is mended when the library is next opened"
            ) from error
        _record_sums(self._folder)

    def _forget(self) -> None:
        """Let go of an index that cannot be trusted: after a failed commit a writer drops everything silently."""
        self._writer, self._index, self.change = None, None, 0

    def _open_writer(self) -> Any:
        if self._writer is None:
            # one thread replaces a document in half the time of four
            self._writer = self._index.writer(_WRITER_BYTES, 1)
        return self._writer


def _clear(folder: Path) -> None:
    """Empty the folder; it may be a place where another disk is mounted, so it stays itself."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()


def linked(folder: Path, target: Path) -> None:
    """Make a folder in which tantivy can open this index without write access to it: links to its files, and locks of its own."""
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name == "meta.json":
            with suppress(PermissionError):  # then this index cannot be read, and another is made
                shutil.copyfile(path, target / path.name)
        elif not path.name.startswith("."):
            (target / path.name).symlink_to(path)


def _schema() -> Any:
    builder = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="whitespace", index_option="freq")
    for name in ("passage", "document", "sentinel", "version", "change", "passages"):
        builder = builder.add_integer_field(name, indexed=name in {"document", "sentinel"}, fast=True)
    return builder.build()


def _version() -> int:
    return _FORMAT * 1000 + analysis.VERSION


def _document(item: Indexed) -> Any:
    return tantivy.Document(text=" ".join(analysis.terms(item.text)), passage=item.passage, document=item.document)


def _sentinel(searcher: Any) -> tuple[int, int, int]:
    hits = searcher.search(tantivy.Query.exists_query("sentinel"), 2, count=False).hits
    if len(hits) != 1:
        raise ValueError(f"has {len(hits)} marks of the last change instead of one")
    places = [hits[0][1]]
    version, change, passages = (
        searcher.fast_field_values(name, places)[0] for name in ("version", "change", "passages")
    )
    return version, change, passages


def _fetch(searcher: Any, query: Any, k: int) -> Hits:
    found = searcher.search(query, min(k, max(1, searcher.num_docs)), count=False).hits
    places = [place for _, place in found]
    passages, documents = (
        np.array(searcher.fast_field_values(name, places), np.int64) for name in ("passage", "document")
    )
    return Hits(passages=passages, documents=documents, scores=np.array([score for score, _ in found], np.float32))


def _sift(searcher: Any, query: Any, k: int, mask: Mask) -> Hits | None:
    """Fetch more than is wanted and keep what passes; give up where that would mean fetching nearly everything."""
    wanted = k + int(1.5 * k / max(mask.mean(), 1e-6))
    for _ in range(2):
        hits = _fetch(searcher, query, wanted)
        rows = np.flatnonzero(passing(mask, hits.documents))[:k]
        if len(rows) == k or len(hits.scores) < wanted:
            return hits[rows]
        wanted *= 8
    return None


def _verify_files(folder: Path) -> None:
    """Compare every committed file that we noted with its sum; newer ones are left to tantivy."""
    committed = _committed(folder)
    for name, expected in _noted(folder).items():
        if name.partition(".")[0] not in committed:
            continue
        try:
            found = checksums.sum_of_file(folder / name)
        except FileNotFoundError:
            if name.endswith(".del"):  # a later one took its place
                continue
            raise ValueError(f"{name} is missing") from None
        if found != expected:
            raise ValueError(f"{name} is not as it was written")


def _record_sums(folder: Path) -> None:
    """Note a sum for every new file of a committed segment: such files never change, unlike those of a running merge."""
    committed, noted = _committed(folder), _noted(folder)
    current: dict[str, int] = {}
    for path in folder.iterdir():
        if path.name.partition(".")[0] in committed:
            with suppress(FileNotFoundError):  # a merge put an end to its segment
                current[path.name] = noted[path.name] if path.name in noted else checksums.sum_of_file(path)
    if current != noted:
        temporary = folder / f"{_SUMS}.part"
        temporary.write_text(json.dumps(current), encoding="utf-8")
        temporary.replace(folder / _SUMS)
    for name in ("meta.json", ".managed.json"):  # tantivy makes these for the owner alone, whatever the umask says
        (folder / name).chmod((folder / _SUMS).stat().st_mode)


def _noted(folder: Path) -> dict[str, int]:
    try:
        return checksums.read_record(folder / _SUMS)
    except FileNotFoundError:
        return {}


def _committed(folder: Path) -> frozenset[str]:
    """Return the names of the segments that the last commit is made of."""
    try:
        segments = checksums.read_record(folder / "meta.json")["segments"]
        return frozenset(segment["segment_id"].replace("-", "") for segment in segments)
    except (KeyError, TypeError, AttributeError):
        raise ValueError("meta.json cannot be read") from None
