"""The vector leg: exact dot products over a memory-mapped matrix, and above some size a cheap first look at the signs.

Derived: it can be deleted at any time. Its files only grow; `head.json` is replaced last and says how much of each file counts, what that
part sums up to and which change it holds. So a reader sees the old state or the new one, and a torn write is beyond the head.
Once many rows are dead, everything is written anew into another generation of files.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from scholarmind.adapters.store import checksums
from scholarmind.adapters.store.masks import NOTHING, Hits, Integers, Mask, passing
from scholarmind.errors import LibraryMismatchError

_FORMAT = 1
_DEAD_SHARE = 0.3
_GATHERING_COST = 8  # picking a row costs so many times what passing over it does
_SKETCHED = 250_000  # from here on the signs of the numbers choose whom to compare exactly
_RESCORED = 20_000
_BLOCK = 16_384

Vectors = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class _MatrixHead:
    dimension: int
    format: int = _FORMAT
    generation: int = 0
    change: int = 0
    rows: int = 0
    dead: int = 0
    sums: dict[str, int] = field(default_factory=lambda: {"data": 0, "sketch": 0, "rows": 0, "dead": 0})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Snapshot:
    """What a search works on; it stays valid while others write."""

    head: _MatrixHead
    data: Vectors
    sketch: npt.NDArray[np.uint64]
    passages: Integers
    documents: Integers
    alive: Mask


class Matrix:
    """Opened on a folder. `change` is the last change that it holds; 0 means that it is empty or was unusable."""

    def __init__(self, folder: Path, *, sketched: int = _SKETCHED, rescored: int = _RESCORED) -> None:
        """Open it; of more rows than are `sketched`, their signs choose those that are `rescored`."""
        self._sketched, self._rescored = sketched, rescored
        self._folder = folder
        self._snapshot: _Snapshot | None = None
        self.damage = ""
        if (folder / "head.json").exists():
            try:
                self._load(verify=True)
            except (ValueError, OSError, KeyError, TypeError) as error:
                self._snapshot, self.damage = None, str(error)
        elif folder.is_dir() and any(folder.iterdir()):
            self.damage = "head.json is missing"

    @property
    def change(self) -> int:
        """The last change that this matrix holds."""
        return self._snapshot.head.change if self._snapshot else 0

    @property
    def alive(self) -> int:
        """How many vectors can be found."""
        return self._snapshot.head.rows - self._snapshot.head.dead if self._snapshot else 0

    def reload(self) -> None:
        """See what another process wrote since."""
        if (self._folder / "head.json").exists():
            self._load(verify=self._snapshot is None)

    def rebuild(self, rows: Iterable[tuple[int, int, bytes]], dimension: int, change: int) -> None:
        """Write everything anew from (passage, document, vector)."""
        generation = self._snapshot.head.generation + 1 if self._snapshot else _free_generation(self._folder)
        self._folder.mkdir(parents=True, exist_ok=True)
        head = _MatrixHead(dimension=dimension, generation=generation)
        for block in _blocks(rows):
            head = self._append(head, block)
        self._write_head(replace(head, change=change))
        for path in self._folder.glob("*.bin"):
            if not path.name.startswith(f"{generation}-"):
                path.unlink(missing_ok=True)
        self._snapshot = None
        self._load(verify=False)
        self.damage = ""

    def apply(self, removed: Sequence[int], rows: Iterable[tuple[int, int, bytes]], change: int) -> bool:
        """Forget these documents, take in these vectors. False: too much is dead by now, so rebuild."""
        snapshot = self._snapshot
        if snapshot is None or not snapshot.head.rows:  # an empty matrix does not know its dimension yet
            return False
        gone = _rows_of(snapshot, removed)
        if snapshot.head.dead + len(gone) > max(1000, _DEAD_SHARE * snapshot.head.rows):
            return False
        head = self._append_dead(snapshot.head, gone)
        for block in _blocks(rows):
            head = self._append(head, block)
        self._write_head(replace(head, change=change))
        self._load(verify=False)
        return True

    def search(self, query: Vectors, k: int, mask: Mask | None = None) -> Hits:
        """Return the best `k` passages by dot product, among the documents that the mask lets pass."""
        snapshot = self._snapshot
        if snapshot is None or not snapshot.head.rows or k <= 0:
            return NOTHING
        if len(query) != snapshot.head.dimension:
            raise LibraryMismatchError(
                f"the question has a vector of {len(query)} numbers, the library's have {snapshot.head.dimension}; "
                "set the embedder back, or embed everything again with: scholarmind doctor --reembed"
            )
        allowed = _allowed(snapshot, mask)
        candidates = snapshot.head.rows if allowed is None else int(np.count_nonzero(allowed))
        if allowed is not None and candidates * _GATHERING_COST <= snapshot.head.rows:
            rows = np.flatnonzero(allowed)
            scores = snapshot.data[rows] @ query
        elif snapshot.head.rows > self._sketched:
            rows = _likely(snapshot, query, allowed, self._rescored)
            scores = snapshot.data[rows] @ query
        else:
            rows = np.arange(snapshot.head.rows) if allowed is None else np.flatnonzero(allowed)
            scores = snapshot.data @ query
            scores = scores if allowed is None else scores[rows]
        best = _best(scores, min(k, candidates))
        found = rows[best]
        return Hits(passages=snapshot.passages[found], documents=snapshot.documents[found], scores=scores[best])

    def _load(self, *, verify: bool) -> None:
        head = _MatrixHead(**checksums.read_record(self._folder / "head.json"))
        if head.format != _FORMAT:
            raise ValueError(f"head.json is of format {head.format}, this is {_FORMAT}")
        data = self._map(head, "data", np.float32, (head.rows, head.dimension))
        sketch = self._map(head, "sketch", np.uint64, (head.rows, _words(head.dimension)))
        rows = self._map(head, "rows", np.int64, (head.rows, 2))
        dead = self._map(head, "dead", np.int64, (head.dead,))
        if verify:
            for name, array in (("data", data), ("sketch", sketch), ("rows", rows), ("dead", dead)):
                if checksums.sum_of_array(array) != head.sums[name]:
                    raise ValueError(f"the file of {name} is not as it was written")
        alive = np.ones(head.rows, np.bool_)
        alive[dead] = False
        self._snapshot = _Snapshot(
            head=head,
            data=data,
            sketch=np.ascontiguousarray(sketch.T) if head.rows > self._sketched else sketch[:0].T,
            passages=np.ascontiguousarray(rows[:, 0]),
            documents=np.ascontiguousarray(rows[:, 1]),
            alive=alive,
        )

    def _map(self, head: _MatrixHead, name: str, dtype: Any, shape: tuple[int, ...]) -> Any:
        if not head.rows or not shape[0]:
            return np.empty(shape, dtype)
        return np.memmap(self._path(head, name), dtype, "r", shape=shape)

    def _path(self, head: _MatrixHead, name: str) -> Path:
        return self._folder / f"{head.generation}-{name}.bin"

    def _append(self, head: _MatrixHead, block: "_VectorBlock") -> _MatrixHead:
        sums = dict(head.sums)
        for name, array in (("data", block.vectors), ("sketch", _signs(block.vectors)), ("rows", block.rows)):
            self._write_at(self._path(head, name), head.rows * array[0].nbytes, array)
            sums[name] = checksums.add_sums(sums[name], checksums.sum_of_array(array))
        return replace(head, rows=head.rows + len(block.rows), sums=sums)

    def _append_dead(self, head: _MatrixHead, gone: Integers) -> _MatrixHead:
        if not len(gone):
            return head
        self._write_at(self._path(head, "dead"), head.dead * gone.itemsize, gone)
        total = checksums.add_sums(head.sums["dead"], checksums.sum_of_array(gone))
        return replace(head, dead=head.dead + len(gone), sums={**head.sums, "dead": total})

    def _write_at(self, path: Path, offset: int, array: npt.NDArray[Any]) -> None:
        path.touch()
        with path.open("r+b") as file:
            file.seek(offset)
            file.write(np.ascontiguousarray(array).data)

    def _write_head(self, head: _MatrixHead) -> None:
        temporary = self._folder / "head.part"
        temporary.write_text(json.dumps(asdict(head)), encoding="utf-8")
        temporary.replace(self._folder / "head.json")


@dataclass(frozen=True, slots=True)
class _VectorBlock:
    vectors: Vectors
    rows: Integers


def _blocks(rows: Iterable[tuple[int, int, bytes]]) -> Iterator[_VectorBlock]:
    """Gather rows into blocks small enough to hold in memory."""
    iterator = iter(rows)
    while block := tuple(islice(iterator, _BLOCK)):
        vectors = np.frombuffer(b"".join(vector for _, _, vector in block), np.float32)
        numbers = np.array([(passage, document) for passage, document, _ in block], np.int64)
        yield _VectorBlock(vectors.reshape(len(block), -1), numbers)


def _free_generation(folder: Path) -> int:
    taken = [
        int(path.name.partition("-")[0]) for path in folder.glob("*-*.bin") if path.name.partition("-")[0].isdigit()
    ]
    return max(taken, default=-1) + 1


def _rows_of(snapshot: _Snapshot, documents: Sequence[int]) -> Integers:
    """Return the living rows of these documents."""
    if not len(documents) or not snapshot.head.rows:
        return np.empty(0, np.int64)
    wanted = np.zeros(1 + max(int(snapshot.documents.max()), *documents), np.bool_)
    wanted[list(documents)] = True
    return np.flatnonzero(wanted[snapshot.documents] & snapshot.alive)


def _allowed(snapshot: _Snapshot, mask: Mask | None) -> Mask | None:
    if mask is None:
        return snapshot.alive if snapshot.head.dead else None
    allowed = passing(mask, snapshot.documents)
    return allowed & snapshot.alive if snapshot.head.dead else allowed


def _likely(snapshot: _Snapshot, query: Vectors, allowed: Mask | None, most: int) -> Integers:
    """Return the rows whose signs differ least from the query's: nearly all of the best are among them."""
    distances = np.zeros(snapshot.head.rows, np.uint16)
    for word, signs in zip(_signs(query[np.newaxis])[0], snapshot.sketch, strict=True):
        for start in range(0, len(signs), _BLOCK):
            distances[start : start + _BLOCK] += np.bitwise_count(signs[start : start + _BLOCK] ^ word)
    if allowed is not None:
        distances[~allowed] = np.iinfo(np.uint16).max
    counts = np.bincount(distances[distances < np.iinfo(np.uint16).max]).cumsum()
    return np.flatnonzero(distances <= np.searchsorted(counts, most))


def _signs(vectors: Vectors) -> npt.NDArray[np.uint64]:
    bits = np.packbits(vectors > 0, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view(np.uint64)


def _words(dimension: int) -> int:
    return -(-dimension // 64)


def _best(scores: Vectors, k: int) -> Integers:
    """Return the places of the `k` highest scores, highest first, the earlier one first among equals."""
    if k < len(scores):
        threshold = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= threshold)
    else:
        places = np.arange(len(scores))
    return places[np.lexsort((places, -scores[places]))][:k]
