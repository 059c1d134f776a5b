"""Find the nodes whose names stand in a question."""

import json
import re
import sqlite3
from collections.abc import Iterator, Sequence

from scholarmind.adapters.local.graph_pieces import Pieces
from scholarmind.adapters.local.graph_rows import Passes, is_shown, nodes_of
from scholarmind.naming import Token, end_of, is_written_as_name, keys_in, tokens
from scholarmind.relations import Mention

Place = tuple[int, int]  # tokens of the text, the last excluded
_LONGEST = 20_000  # characters of a text that are looked at
_MOST = 200  # nodes at one place: authors of one name are many
_FILED = """
    SELECT first, name, kind, number, node FROM graph_names
    WHERE first IN (SELECT value FROM json_each(?)) ORDER BY edges DESC, number
"""
_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+")
_COMMON = {"task", "metric"}  # kinds that are called by common words
_COINED = {"method", "dataset"}  # kinds that get words of their own: longformer
_SHORTEST_COINED = 6  # letters


def mentions_in(connection: sqlite3.Connection, text: str, passes: Passes, pieces: Pieces) -> list[Mention]:
    """Return the nodes by the places of their names, the longest name at each place; several that share it each by itself."""
    text = text[:_LONGEST]
    found = tokens(text)
    keys = keys_in(found)
    with_capitals = any(token.capital and token.text.isalpha() and token.text.isascii() for token in found[1:])
    filed = [
        (where, name, number, node)
        for first, name, kind, number, node in connection.execute(_FILED, (json.dumps(list(keys)),))
        for where in _standing(found, keys[first], name, kind, with_capitals=with_capitals)
    ]
    pieces.look(node for *_, node in filed)
    best: dict[Place, dict[int, str]] = {}
    for where, name, number, stored in filed:
        named, node = best.setdefault(where, {}), pieces.of(number, stored)
        if len(named) < _MOST and node not in named and is_shown(connection, number, passes):
            named[node] = name
    return list(_without_overlaps(connection, text, found, best, passes))


def _standing(
    found: Sequence[Token], places: Sequence[int], name: str, kind: str, *, with_capitals: bool
) -> Iterator[Place]:
    spelled = " ".join(token.text for token in tokens(name))
    for place in places:
        end = end_of(found, place, spelled)
        if end is None:
            continue
        if end - place > 1 or kind in _COMMON or _is_name(found, place, name, kind, with_capitals=with_capitals):
            yield place, end


def _is_name(found: Sequence[Token], place: int, name: str, kind: str, *, with_capitals: bool) -> bool:
    """Tell whether a single word is a name here: bert is BERT to those who write all in small letters, attention no title.

    A title that is one common word is one only where its capital is not that of a sentence.
    """
    if kind == "paper" and _PLAIN_WORD.fullmatch(name) and place == 0 and len(found) > 1:
        return False
    if is_written_as_name(found, place, place + 1):
        return True
    is_unusual = not _PLAIN_WORD.fullmatch(name) or (kind in _COINED and len(name) >= _SHORTEST_COINED)
    return is_unusual and not with_capitals


def _without_overlaps(
    connection: sqlite3.Connection,
    text: str,
    found: Sequence[Token],
    best: dict[Place, dict[int, str]],
    passes: Passes,
) -> Iterator[Mention]:
    said = {node: {name: 1} for named in best.values() for node, name in named.items()}
    known = nodes_of(connection, said, passes, said)
    free = 0
    for place, end in sorted(best, key=lambda where: (where[0], -where[1])):
        nodes = [known[node] for node in best[place, end] if node in known]
        if place < free or not nodes:
            continue
        free = end
        start, stop = found[place].start, found[end - 1].end
        yield from (Mention(node=node, start=start, end=stop, text=text[start:stop]) for node in nodes)
