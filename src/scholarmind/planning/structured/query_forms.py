"""The forms of structured questions, each by what plainly says it. The first that is said decides, whether it makes a query or not."""

import re
from collections.abc import Callable, Sequence

from scholarmind.planning.structured.question_reading import OF_PERSONS, QuestionReading, kind_of
from scholarmind.planning.structured.tagging import NAMED, QuestionPiece, Tag
from scholarmind.relations import Form, NodeKind, Query, Relation
from scholarmind.text.language import lazy_regex

_BY_PAPERS: frozenset[NodeKind] = frozenset(("author", "institution", "venue"))
_COUNTED: frozenset[NodeKind] = frozenset(("paper", "author", "institution", "method", "dataset", "venue"))
_ORDERED: frozenset[NodeKind] = frozenset(("paper", "method", "dataset"))
_DATED: frozenset[NodeKind] = frozenset(("paper", "method"))
_OF_A_WORK: frozenset[Relation] = frozenset(("PROPOSES", "AUTHORED_BY", "PUBLISHED_IN", "AFFILIATED_WITH"))
_TESTED: frozenset[Relation | None] = frozenset((None, "EVALUATED_ON", "USES", "PROPOSES", "PUBLISHED_IN"))
_ASKS_A_VERB = lazy_regex(r"\b(?:do|does|did|is|are|was|were|have|has)$", re.IGNORECASE)
_ACTIVE = lazy_regex(r"cites?$|citing$", re.IGNORECASE)
_BEATS = lazy_regex(r"beat|outper|surpass|based", re.IGNORECASE)
_OFTEN = lazy_regex(
    r"active|prolific|productive|leading|busiest|often|frequent|top|活跃|高产|发文|论文|频繁|前", re.IGNORECASE
)


def _contradictions(reading: QuestionReading) -> Query | None:
    if not (reading.has("result", "metric") or "paper" in reading.kinds):
        return None
    return reading.query("contradictions", "paper", "REPORTS", metric=reading.metric, without=())


def _lineage(reading: QuestionReading) -> Query | None:
    if not reading.is_named or len(reading.about) != 1 or reading.relation not in {None, "IMPROVES_ON"}:
        return None
    after = any(piece.value == "after" for piece in reading.all("lineage"))
    return reading.query("lineage", "method", "IMPROVES_ON", inverse=not after)


def _common(reading: QuestionReading) -> Query | None:
    """Return what several have in common: which works of theirs, or which persons."""
    if len(reading.each) < 2 or not all(map(NAMED.search, reading.each)) or not reading.asks:
        return None
    relation, wanted, about = reading.relation, reading.wanted, tuple(reading.each)
    if wanted == "author" or reading.has("who"):
        return (
            reading.query("common", "author", "AUTHORED_BY", about=about) if relation in _OF_A_WORK | {None} else None
        )
    wanted = wanted or ("paper" if relation == "CITES" else None)
    back = reading.has("lineage")
    if back or (relation == "IMPROVES_ON" and wanted in {None, "method", "paper"}):
        return reading.query("common", "method", "IMPROVES_ON", about=about, inverse=back)
    return reading.query("common", wanted or "paper", "CITES" if wanted == "paper" else relation, about=about)


def _count(reading: QuestionReading) -> Query | None:
    asked, relation = reading.first("count"), reading.relation
    if asked is None or not _is_noun_counted(reading):
        return None
    works = relation in {"AUTHORED_BY", "PUBLISHED_IN", "CITES"}
    wanted = reading.wanted or ("paper" if works else None)
    if wanted is None or wanted not in _COUNTED or (relation == "CITES" and reading.is_backwards):
        return None
    if wanted in _BY_PAPERS and reading.about and relation is None and not reading.has("topic"):
        return None  # how many authors a paper has is left to its text
    return reading.query("count", wanted, reading.restricting, inverse=reading.is_backwards)


def _is_noun_counted(reading: QuestionReading) -> bool:
    """Tell whether what stands right behind `how many` is a noun that is known: parameters are not counted."""
    if reading.chinese:
        return True
    behind = [piece for piece in reading.pieces if piece.start >= reading.all("count")[0].end]
    noun = next((place for place, piece in enumerate(behind) if piece.tag in {"kind", "says"}), None)
    return noun is not None and not any(_ASKS_A_VERB.search(piece.text) for piece in behind[:noun])


def _ranking(reading: QuestionReading) -> Query | None:
    wanted, relation = _ranked(reading), reading.relation
    if wanted is None or (relation == "CITES" and reading.says and _ACTIVE.match(reading.says.text)):
        return None
    if wanted in _BY_PAPERS:
        often = " ".join(piece.text for piece in reading.all("most"))
        if relation is None and "paper" not in reading.kinds and not _OFTEN.search(often):
            return None
        relation = relation if relation == "CITES" else None
    elif wanted == "year":
        if relation not in OF_PERSONS | {None}:
            return None
        relation = None
    elif relation is None:
        return None
    return reading.query("ranking", wanted, relation, most=reading.top)


def _ranked(reading: QuestionReading) -> NodeKind | None:
    """Return what is ranked. What it has most of must be papers: authors of a paper, or pages, are not counted."""
    most, wanted = reading.first("most"), reading.wanted
    behind = [piece for piece in reading.all("kind") if most and piece.start >= most.end]
    if wanted is None or wanted == "paper":
        others: list[NodeKind] = [kind for kind in reading.kinds if kind != "paper"]
        if reading.has("who"):
            wrote = reading.relation in {"AUTHORED_BY", "PUBLISHED_IN", "PROPOSES"} or "paper" in reading.kinds
            return "author" if wrote or reading.has("together") else None
        if wanted == "paper" and reading.relation == "CITES":
            return "paper"
        return others[0] if others and (wanted is None or others[0] != _kind_behind(behind)) else None
    measured = _kind_behind(behind)
    return wanted if measured in {None, wanted, "paper"} else None


def _kind_behind(behind: Sequence[QuestionPiece]) -> NodeKind | None:
    return kind_of(behind[0]) if behind else None


def _often(reading: QuestionReading) -> Query | None:
    """Return what asks for those that have some number of papers at least."""
    wanted = reading.wanted
    if wanted is None or wanted == "paper" or "paper" not in reading.kinds or not reading.asks:
        return None
    by = reading.relation if wanted not in _BY_PAPERS or reading.relation == "CITES" else None
    if wanted in {"method", "dataset", "task"} and by is None:
        return None
    return reading.query("count" if reading.has("count") else "ranking", wanted, by)


def _years(reading: QuestionReading) -> Query | None:
    """Return what asks for the papers of each year."""
    return reading.query("ranking", "year", least=1) if reading.kinds[:1] == ["paper"] else None


def _order(reading: QuestionReading) -> Query | None:
    orders = {piece.value for piece in reading.all("first")}
    if len(orders) > 1 or reading.has("or", "who"):
        return None  # the first and the last are two questions
    spoken: tuple[NodeKind | None, ...] = (reading.wanted, *reading.kinds)
    wanted: NodeKind | None = next((kind for kind in spoken if kind and kind in _ORDERED), None)
    if wanted is None or (wanted != "paper" and not reading.relation and not reading.is_named):
        return None
    form: Form = "first" if orders == {"first"} else "latest"
    return reading.query(form, wanted, reading.restricting)


def _results(reading: QuestionReading) -> Query | None:
    """Return what asks for results: all of them, or the best."""
    if not reading.is_named or reading.has("who") or reading.denied or reading.relation not in _TESTED:
        return None
    if reading.wanted not in {None, "method", "dataset", "paper", "task"} or not reading.asks:
        return None
    best = reading.first("best")
    return reading.query("results", "method", "REPORTS", metric=reading.metric, best=best.value if best else "")


def _best(reading: QuestionReading) -> Query | None:
    if not (reading.chinese or reading.has("result", "metric")) or "author" in reading.kinds or not reading.is_named:
        return None
    if reading.has("who") and not reading.chinese:
        return None
    return reading.query("results", "method", "REPORTS", metric=reading.metric, best=reading.all("best")[0].value)


def _rank(reading: QuestionReading) -> Query | None:
    if not reading.is_named or reading.wanted not in {None, "method"}:
        return None
    return reading.query("results", "method", "REPORTS", metric=reading.metric, best="highest")


def _who(reading: QuestionReading) -> Query | None:
    """Return whom or whose works a question with `who` wants: who cites it are papers."""
    relation = reading.relation
    if not reading.is_named or (relation == "IMPROVES_ON" and reading.says and _BEATS.match(reading.says.text)):
        return None
    if relation in _OF_A_WORK or (relation is None and "author" in reading.kinds):
        return reading.query("list", "author", "AFFILIATED_WITH" if relation == "AFFILIATED_WITH" else "PROPOSES")
    if relation in {"CITES", "USES", "IMPROVES_ON", "EVALUATED_ON"}:
        return reading.query("list", "paper", relation, inverse=reading.is_backwards)
    return None


def _where(reading: QuestionReading) -> Query | None:
    if not reading.is_named:
        return None
    if reading.relation == "PUBLISHED_IN":
        return reading.query("list", "venue", "PUBLISHED_IN")
    return reading.query("list", "institution", "AFFILIATED_WITH") if reading.relation == "AFFILIATED_WITH" else None


def _list(reading: QuestionReading) -> Query | None:
    relation = reading.relation
    if reading.wanted is None and relation == "IMPROVES_ON":
        return _after(reading)
    wanted = reading.wanted or ("paper" if relation in {"AUTHORED_BY", "PUBLISHED_IN", "CITES"} else None)
    if reading.wanted == "year" and reading.has("asks") and not reading.about:
        return reading.query("ranking", "year", least=1)  # what years there are
    relation = relation or ("REPORTS" if reading.has("result", "metric") else None)
    if wanted is None or wanted in {"year", "metric"} or not reading.asks:
        return None
    if not reading.about and not reading.denied:
        restricted = reading.years.is_span or reading.least is not None
        return (
            reading.query("list", wanted, None if wanted == "paper" else relation)
            if restricted and wanted in _DATED
            else None
        )
    if not _is_related(reading, wanted):
        return None
    return reading.query("list", wanted, relation, inverse=reading.is_backwards)


def _after(reading: QuestionReading) -> Query | None:
    """Return what asks what one thing builds on, or what came of it: all of that, where nothing is said of what it is."""
    if len(reading.about) != 1 or not reading.is_named or not reading.asks or reading.says is None:
        return None
    if reading.is_backwards or not reading.says.text.lower().startswith("buil"):
        return reading.query("list", "method", "IMPROVES_ON", inverse=reading.is_backwards)
    return reading.query("lineage", "method", "IMPROVES_ON")


def _is_related(reading: QuestionReading, wanted: NodeKind) -> bool:
    """Tell whether a question says what the names have to do with what it wants."""
    if reading.has("result", "metric"):
        return reading.is_named and wanted in {"paper", "method"}
    if not reading.is_named and wanted not in {"paper", "method", "dataset"}:
        return False
    if reading.relation is not None:
        return True
    if reading.chinese:
        return wanted in {"paper", "author"} and _are_owners(reading)
    if wanted not in {"paper", "author"}:
        return reading.is_named and reading.has("topic", "of", "by")
    return reading.has("topic", "of", "by") or reading.is_named or bool(reading.denied)


def _are_owners(reading: QuestionReading) -> bool:
    """Tell whether all names stand before the noun, or behind what says that they are topics: 崔一鸣的论文, 关于检索的论文."""
    loud = [piece for piece in reading.pieces if piece.tag != "quiet" or piece.text == "的"]
    joins: frozenset[Tag] = frozenset(("topic", "and", "or"))
    for place, piece in enumerate(loud):
        if piece.tag != "name":
            continue
        before, behind = loud[max(0, place - 1) : place], loud[place + 1 : place + 2]
        owns = behind and (behind[0].text == "的" or behind[0].tag == "kind" or behind[0].tag in joins)
        if not (owns or (before and before[0].tag in joins)):
            return False
    return True


def form_said(reading: QuestionReading) -> Callable[[QuestionReading], Query | None]:
    """Return what makes a query of a question of this form."""
    named = [name for group in reading.groups for name in group]
    shared = reading.has("both") and reading.says is not None and _is_subject(reading)
    said: tuple[tuple[bool, Callable[[QuestionReading], Query | None]], ...] = (
        (reading.has("conflict"), _contradictions),
        (reading.has("common") and not reading.has("together"), _common),
        (shared and len(named) > 1, _common),
        (reading.has("lineage"), _lineage),
        (reading.has("yearly"), _years),
        (reading.least is not None, _often),
        (reading.has("most"), _ranking),
        (reading.has("count"), _count),
        (reading.has("first"), _order),
        (reading.has("best"), _best),
        (reading.has("rank"), _rank),
        (reading.has("where"), _where),
        (reading.has("who"), _who),
        (
            reading.has("result", "metric") and reading.is_named and not reading.names_what_it_asks,
            _results,
        ),
    )
    return next((make for is_said, make in said if is_said), _list)


def _is_subject(reading: QuestionReading) -> bool:
    """Tell whether all the names do something, rather than have it done to them: X and Y both cite; or one person did both."""
    says = reading.says
    if says is None:
        return False
    before, behind = reading.around(says)
    if any(piece.text == "在" for piece in reading.all("topic")):
        return False  # 既在GLUE又在RACE上评测
    of_persons = reading.wanted == "author" or reading.has("who")
    return (before and not behind) or (of_persons and reading.relation in _OF_A_WORK)
