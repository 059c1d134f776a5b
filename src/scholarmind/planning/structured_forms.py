"""The forms of structured questions, each by what plainly says it. The first that fits is taken."""

import re
from collections.abc import Callable, Iterable, Sequence

from scholarmind.planning.structured_asked import Asked
from scholarmind.relations import Form, NodeKind, Query, Relation

_COUNTED: tuple[NodeKind, ...] = ("paper", "author", "institution", "method", "dataset", "venue")
_ORDERED: tuple[NodeKind, ...] = ("paper", "method", "dataset")
_LISTED: tuple[NodeKind, ...] = (*_COUNTED, "task")
_RANKED: tuple[NodeKind, ...] = ("author", "institution", "venue", "method", "dataset", "task")
_BY_PAPERS: tuple[NodeKind, ...] = ("author", "institution", "venue")
_AND = re.compile(r",? (?:and|with) |, |、|和|与|跟|以及|及")
_LETTERS = re.compile(r"[A-Za-z#]")
_NAMED = re.compile(r"[A-Z0-9#]|[^\x00-\x7f]")  # there may be a name in it


def _contradictions(asked: Asked) -> Query | None:
    match = asked.words.contradictions.search(asked.text)
    kinds = asked.spoken_of()
    if not match or not (asked.words.of_numbers.search(asked.text) or "paper" in kinds):
        return None
    numbers = list(asked.words.of_numbers.finditer(asked.text))
    about = asked.about(match.span(), *(number.span() for number in numbers))
    metric = next((number[0] for number in numbers if _NAMED.match(number[0]) and number[0].isascii()), "")
    return asked.query("contradictions", "paper", about, "REPORTS", metric=metric)


def _common(asked: Asked) -> Query | None:
    match = asked.words.common.search(asked.text)
    if not match:
        return None
    pieces = [piece for part in asked.about(match.span()) for piece in _AND.split(part)]
    about = [bare for piece in pieces if (bare := asked.words.trimmed(piece))]
    relation = asked.relation(asked.text)
    wanted = asked.kind() or ("paper" if relation == "CITES" else None)
    shared = asked.words.listed.search(asked.text) or asked.words.asks("common", asked.text)
    if len(about) < 2 or not all(map(_NAMED.search, about)) or not shared:
        return None
    return asked.query("common", wanted or "paper", about, "CITES" if wanted == "paper" else relation)


def _lineage(asked: Asked) -> Query | None:
    match = asked.words.lineage.search(asked.text)
    about = asked.about(match.span()) if match else ()
    if not match or not any(map(_NAMED.search, about)):
        return None
    after = bool(asked.words.descendants.search(asked.text))
    return asked.query("lineage", "method", about, "IMPROVES_ON", inverse=not after)


def _count(asked: Asked) -> Query | None:
    match = asked.words.count.search(asked.text)
    if not match:
        return None
    wanted = asked.kind(match.start(), match.end()) or "paper"
    about = asked.about(match.span())
    relation = asked.relation()
    if wanted not in _COUNTED or (wanted != "paper" and not (relation and about) and not _of_library(asked, about)):
        return None
    if about and not (relation or asked.words.topic.search(asked.text) or (wanted == "paper" and _names(about))):
        return None
    return asked.query("count", wanted, about, relation, inverse=_is_inverse(asked))


def _of_library(asked: Asked, about: tuple[str, ...]) -> bool:
    return not about and bool(asked.words.library.search(asked.text))


def _order(asked: Asked) -> Query | None:
    match = asked.words.order.search(asked.text)
    wanted = _first_of(asked.spoken_of(), _ORDERED)
    if match is None or wanted is None or asked.words.who.search(asked.text):
        return None
    named = {name for said in asked.words.order.finditer(asked.text) for name, text in said.groupdict().items() if text}
    if len(named) > 1 or not _asks(asked, "first"):
        return None  # the first and the last are two questions
    form: Form = "first" if named.pop().startswith("first") else "latest"
    spans = (match.span(name) for name, said in match.groupdict().items() if said)
    return asked.query(form, wanted, asked.about(*spans), asked.relation())


def _ranking(asked: Asked) -> Query | None:
    match = asked.words.ranking.search(asked.text)
    if not match or not asked.words.ranked_by.search(asked.text) or not _asks(asked, "ranking"):
        return None
    relation = asked.relation()
    wanted = _ranked(asked, relation)
    if wanted is None or (wanted == "method" and relation is None):
        return None
    tops = [top.span() for top in asked.words.most.finditer(asked.text)]
    ranked = [said.span() for said in asked.words.ranked_by.finditer(asked.text)]
    by = relation if wanted not in _BY_PAPERS or relation == "CITES" else None
    return asked.query("ranking", wanted, asked.about(match.span(), *tops, *ranked), by)


def _ranked(asked: Asked, relation: Relation | None) -> NodeKind | None:
    """Return what is ranked: what the question asks for by its first noun, else any that it speaks of."""
    listed = asked.words.listed.search(asked.text)
    first = asked.kind(*listed.span()) if listed else None
    kinds = asked.spoken_of()
    wanted = _first_of((*([first] if first else []), *kinds), _RANKED)
    if wanted is None and asked.words.whose.search(asked.text):
        return "author"
    return "paper" if wanted is None and relation == "CITES" and "paper" in kinds else wanted


def _asks(asked: Asked, form: Form) -> bool:
    return bool(asked.words.listed.search(asked.text)) or asked.words.asks(form, asked.text)


def _first_of(kinds: Iterable[NodeKind], wanted: Sequence[NodeKind]) -> NodeKind | None:
    return next((kind for kind in kinds if kind in wanted), None)


def _results(asked: Asked) -> Query | None:
    match = asked.words.results.search(asked.text)
    if not match:
        return None
    metric = next((said for name, said in match.groupdict().items() if name.startswith("metric") and said), "")
    about = asked.about(*(said.span() for said in asked.words.metrics.finditer(asked.text)))
    if not any(map(_NAMED.search, about)):
        return None
    return asked.query("results", "method", about, "REPORTS", metric=metric)


def _performance(asked: Asked) -> Query | None:
    """Return what asks how good one method is, whatever it was tried on; in Chinese too, its name has some Latin letters."""
    match = asked.words.performance.search(asked.text)
    name = asked.words.trimmed(next(text for text in match.groups() if text)) if match else ""
    if not _LETTERS.search(name) or not _NAMED.search(name) or asked.relation(name):
        return None
    return asked.query("results", "method", (name,), "REPORTS")


def _who(asked: Asked) -> Query | None:
    match = asked.words.who.search(asked.text)
    about = (asked.words.nested(asked.text) or asked.words.subject(asked.text),) if match else ()
    if not any(map(_NAMED.search, about)):
        return None
    return asked.query("list", "author", about, "PROPOSES")


def _where(asked: Asked) -> Query | None:
    match = asked.words.where.search(asked.text)
    about = asked.about(match.span()) if match else ()
    if match and "x" in match.groupdict():
        about = (match["x"],)
    return asked.query("list", "venue", about, "PUBLISHED_IN") if any(map(_NAMED.search, about)) else None


def _list(asked: Asked) -> Query | None:
    match = asked.words.listed.search(asked.text)
    builds = asked.words.builds.search(asked.text)
    if not match and not builds:
        return None
    nested = asked.words.nested(asked.text)
    about = (nested,) if nested else asked.about(*([match.span()] if match else []))
    wanted = asked.kind(match.start(), match.end()) if match else "method"
    relation = asked.relation(asked.text.replace(nested, " ") if nested else None)
    if wanted == "method" and (builds or not match):
        said = [text for text in (builds.groupdict().values() if builds else ()) if text]
        about = about if nested or not said else tuple(said[-1:])
        return asked.query("list", "method", about, "IMPROVES_ON", inverse=True) if _names(about) else None
    on_topic = wanted == "paper" and bool(asked.words.topic.search(asked.text))
    if wanted not in _LISTED or not (relation or on_topic):
        return None
    if not about or not (_names(about) or wanted in _ORDERED):
        return None
    return asked.query("list", wanted, about, relation, inverse=_is_inverse(asked))


def _names(about: tuple[str, ...]) -> bool:
    return any(map(_NAMED.search, about))


def _is_inverse(asked: Asked) -> bool:
    return bool(asked.words.builds.search(asked.text))


FORMS: tuple[Callable[[Asked], Query | None], ...] = (
    _contradictions,
    _common,
    _lineage,
    _count,
    _who,
    _order,
    _ranking,
    _results,
    _performance,
    _where,
    _list,
)
