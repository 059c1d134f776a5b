"""Links between passages and documents: a reference points at a work that is a document, or a text names it.

Names in questions are found here too. The graph of papers keeps such links as edges, in `graph_writing`.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from scholarmind.adapters.store.access import look_up
from scholarmind.adapters.store.database import Database
from scholarmind.adapters.store.indexes import Derived
from scholarmind.identity import TITLES, TextToken, end_of, is_written_as_name, keys_in, tokens
from scholarmind.model import Evidence, Name
from scholarmind.text.analysis import fold, terms
from scholarmind.text.dates import dates
from scholarmind.text.language import lazy_regex

# -- references: one document points at a work in its list, another is that work

_Span = tuple[int, int, int]  # a document, and characters of its text
_MOST_DOCUMENTS = 20  # a work that more documents claim to be links nothing
_MOST_CITING = 200  # documents of which the passages are looked at, the latest
# CROSS JOIN keeps SQLite to our order: by itself it looks through every reference of a document for each pointer
_FROM_POINTERS = """
    CROSS JOIN json_each(p."references") r CROSS JOIN cited_keys k ON k.document = p.document AND k.position = r.value
    CROSS JOIN work_keys w ON w.key = k.key
"""

_POINTED_AT = f"""
    SELECT DISTINCT w.key, w.document FROM pointers p {_FROM_POINTERS}
    WHERE p.document = ? AND p.start >= ? AND p.start < ?
"""  # noqa: S608

_POINTING = f"""
    SELECT DISTINCT n.number, w.document, n.document FROM passages n
    CROSS JOIN pointers p ON p.document = n.document AND p.start >= n.start AND p.start < n."end" {_FROM_POINTERS}
    WHERE n.number IN ({{}})
"""  # noqa: S608

_CITING = f"""
    SELECT DISTINCT k.document FROM work_keys w CROSS JOIN cited_keys k ON k.key = w.key
    WHERE w.document = ? AND k.document <> w.document ORDER BY k.document DESC LIMIT {_MOST_CITING}
"""  # noqa: S608


def documents_pointed_at(database: Database, spans: Iterable[_Span]) -> set[int]:
    """Return the documents that are works at which one of these stretches of text points."""
    found: set[int] = set()
    for span in spans:
        works: dict[str, set[int]] = {}
        for key, document in database.rows(_POINTED_AT, span):
            works.setdefault(key, set()).add(document)
        found.update(*(some for some in works.values() if len(some) <= _MOST_DOCUMENTS))
    return found


def documents_citing(database: Database, documents: Iterable[int]) -> set[int]:
    """Return documents that have one of these among their references."""
    return {row[0] for document in documents for row in database.rows(_CITING, (document,))}


def passages_pointing(database: Database, passages: Sequence[int], documents: Collection[int]) -> set[int]:
    """Return those of the passages that point at one of these documents, other than their own."""
    rows = look_up(database, _POINTING, passages)
    return {passage for passage, work, own in rows if work in documents and work != own}


# -- names: in a question, and of documents in texts

_LONGEST = 20_000  # characters of a text that are looked at
_PLAIN = lazy_regex(r"[a-z]+")  # a single English word is a name only with a capital
MENTIONS = 30  # passages that name a document, of which the best by keywords are looked at
MOST_DOCUMENTS = 20  # a name that more documents share links nothing
_Filed = tuple[str, str, int]  # name, field, documents
_Place = tuple[int, int]  # characters of a text
_BETWEEN_HAN = lazy_regex(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])")


def find_names(database: Database, text: str) -> tuple[Name, ...]:
    """Return the names in a question, the longest at each place; the same words may be a name in several fields."""
    text = text[:_LONGEST]
    found = tokens(text)
    keys = keys_in(found)
    days = list(dates(text))
    filed = _filed(database, {**keys, **{date.spelled: [] for date in days}})
    best: dict[_Place, list[_Filed]] = {}
    for key, places in keys.items():
        for name in filed.get(key, ()):
            for where in _standing(found, places, name):
                best.setdefault(where, []).append(name)
    for date in days:
        if known := [name for name in filed.get(date.spelled, ()) if name[1] == "date"]:
            best.setdefault((date.start, date.end), []).extend(known)
    return tuple(dict.fromkeys(_without_overlaps(text, best)))


def _standing(found: Sequence[TextToken], places: Sequence[int], name: _Filed) -> Iterator[_Place]:
    """Yield where the whole name stands. A date does only where it is written as one: 11.24 is a number."""
    for place in places if name[1] != "date" else ():
        end = end_of(found, place, name[0])
        if end is not None and is_written_as_name(found, place, end):
            yield found[place].start, found[end - 1].end


def _without_overlaps(text: str, best: dict[_Place, list[_Filed]]) -> Iterator[Name]:
    free = 0
    for start, end in sorted(best, key=lambda place: (place[0], -place[1])):
        if start < free:
            continue
        free = end
        for value, field, documents in best[start, end]:
            yield Name(text=text[start:end], start=start, end=end, field=field, value=value, documents=documents)


def _filed(database: Database, keys: Iterable[str]) -> dict[str, list[_Filed]]:
    filed: dict[str, list[_Filed]] = {}
    sql = "SELECT key, name, field, count(*) FROM names WHERE key IN ({}) GROUP BY key, name, field"
    for key, name, field, documents in look_up(database, sql, list(keys)):
        filed.setdefault(key, []).append((name, field, documents))
    return filed


def documents_named_in(database: Database, texts: Iterable[str]) -> set[int]:
    """Return the documents whose title or alias stands in one of the texts."""
    named: set[int] = set()
    for text in texts:
        found = tokens(text[:_LONGEST])
        keys = keys_in(found, capitals=True)
        sql = f"SELECT key, name, document FROM names WHERE key IN ({{}}) AND field IN {TITLES}"  # noqa: S608
        shared: dict[str, set[int]] = {}
        for key, name, document in look_up(database, sql, list(keys)):
            if any(_stands_at(found, place, name) for place in keys[key]):
                shared.setdefault(name, set()).add(document)
        named.update(*(some for some in shared.values() if len(some) <= MOST_DOCUMENTS))
    return named


def _stands_at(found: Sequence[TextToken], place: int, name: str) -> bool:
    end = end_of(found, place, name)
    return end is not None and is_written_as_name(found, place, end)


def passages_naming(database: Database, derived: Derived, document: int, most: int = MENTIONS) -> set[int]:
    """Return passages of other documents in which this one is named; of each name so many of the best are looked at."""
    alike = f"SELECT DISTINCT document FROM names WHERE key = n.key AND name = n.name AND field IN {TITLES}"  # noqa: S608
    sql = (
        f"SELECT DISTINCT name, value FROM names n WHERE document = ? AND field IN {TITLES} "  # noqa: S608
        f"AND (SELECT count(*) FROM ({alike} LIMIT {MOST_DOCUMENTS + 1})) <= {MOST_DOCUMENTS}"
    )
    passages: set[int] = set()
    for name, value in database.rows(sql, (document,)):
        hits = derived.keyword.all_of(_terms_of(name, value), most)
        near = [int(passage) for passage, own in zip(hits.passages, hits.documents, strict=True) if own != document]
        texts = look_up(database, "SELECT number, text FROM passages WHERE number IN ({})", near)
        passages |= {number for number, text in texts if _names(text, name)}
    return passages


def _terms_of(name: str, value: str) -> list[str]:
    """Return the terms that a passage with this name has: as in the value that it is a form of, where `2.0` or 知识 are one term."""
    known = set(terms(value))
    found = [term for term in terms(_BETWEEN_HAN.sub("", name)) if term in known] or list(known)
    return [term for term in found if len(term) > 1 or term.isascii()] or found  # 美 is 买美 after another character


def _names(text: str, name: str) -> bool:
    """Tell whether the name stands in the text, written as one."""
    if not name.isascii():
        return _names_by_tokens(text, name)
    if any(_PLAIN.fullmatch(name) is None or not text[at.start()].islower() for at in _pattern(name).finditer(text)):
        return True
    accents = not text.isascii() and _pattern(name).search(fold(text)) is not None  # Beyoncé, for beyonce
    return accents and _names_by_tokens(text, name)


def _names_by_tokens(text: str, name: str) -> bool:
    found = tokens(text)
    first = name.partition(" ")[0]
    return any(token.text == first and _stands_at(found, place, name) for place, token in enumerate(found))


@lru_cache(maxsize=1024)
def _pattern(name: str) -> re.Pattern[str]:
    """Return what finds a name in plain text: its tokens, with what may stand between two of them."""
    between = r"(?:'s)?[\W_]{1,3}"
    return re.compile(rf"(?<![^\W_]){between.join(map(re.escape, name.split(' ')))}(?![^\W_])", re.IGNORECASE)


def numbers_of(database: Database, evidence: Iterable[Evidence]) -> dict[tuple[str, str], int]:
    """Return the numbers of the documents of this evidence by collection and id, in its order."""
    sql = "SELECT d.number FROM documents d JOIN collections c ON c.number = d.collection WHERE c.name = ? AND d.id = ?"
    keys = dict.fromkeys((item.document.collection, item.document.id) for item in evidence)
    found = {key: database.value(sql, key) for key in keys}
    return {key: number for key, number in found.items() if number is not None}
