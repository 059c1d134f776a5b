"""The notation for filters: what it means and what it refuses."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind import AllOf, AnyOf, Compare, Filter, Not, parse_filter
from scholarmind.errors import QueryError
from scholarmind.filters import both, collections_of

A, B, C = (Compare(field, "=", "1") for field in "abc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("year = 2019", Compare("year", "=", "2019"), id="equal"),
        pytest.param("year!=2019", Compare("year", "!=", "2019"), id="not equal, without spaces"),
        pytest.param("year<2019", Compare("year", "<", 2019), id="less"),
        pytest.param("year <= 2019", Compare("year", "<=", 2019), id="at most"),
        pytest.param("year > -5", Compare("year", ">", -5), id="negative"),
        pytest.param("score >= 80.5", Compare("score", ">=", 80.5), id="with a point"),
        pytest.param("title ~ attention", Compare("title", "~", "attention"), id="piece of text"),
        pytest.param('author = "Jacob Devlin"', Compare("author", "=", "Jacob Devlin"), id="quoted"),
        pytest.param("author = 'O\\'Neill \\\\ co'", Compare("author", "=", "O'Neill \\ co"), id="escaped quote"),
        pytest.param("title = ''", Compare("title", "=", ""), id="empty text"),
        pytest.param('year = "2019"', Compare("year", "=", "2019"), id="a quoted number is text"),
        pytest.param('"a field" = x', Compare("a field", "=", "x"), id="quoted field"),
        pytest.param("venue.name = NAACL", Compare("venue.name", "=", "NAACL"), id="nested field"),
        pytest.param("标题 ~ 注意力", Compare("标题", "~", "注意力"), id="Chinese"),
        pytest.param("title = and", Compare("title", "=", "and"), id="a keyword as a value"),
        pytest.param("a=1 and b=1 and c=1", AllOf((A, B, C)), id="and"),
        pytest.param("a=1 OR b=1 Or c=1", AnyOf((A, B, C)), id="or, in capitals"),
        pytest.param("a=1 or b=1 and c=1", AnyOf((A, AllOf((B, C)))), id="and binds tighter"),
        pytest.param("(a=1 or b=1) and c=1", AllOf((AnyOf((A, B)), C)), id="brackets"),
        pytest.param("not a=1 and b=1", AllOf((Not(A), B)), id="not binds tightest"),
        pytest.param("not (a=1 and b=1)", Not(AllOf((A, B))), id="not of brackets"),
        pytest.param("not not a=1", A, id="not not"),
        pytest.param(" ((a=1)) \n", A, id="needless brackets"),
    ],
)
def test_the_notation(text: str, expected: Filter) -> None:
    assert parse_filter(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param("", "needs the name of a field", id="nothing"),
        pytest.param("   ", "needs the name of a field", id="spaces"),
        pytest.param("year", "needs = != < <= > >= or ~ after 'year'", id="only a field"),
        pytest.param("year =", "needs a value after year =", id="no value"),
        pytest.param("= 2019", "needs the name of a field, found '='", id="no field"),
        pytest.param("year == 2019", "needs a value after year =, found '='", id="two signs"),
        pytest.param("(a = 1", "lacks a closing ')'", id="bracket not closed"),
        pytest.param("a = 1)", "did not expect ')'", id="bracket not opened"),
        pytest.param("title:x AND (", "needs = != < <= > >= or ~ after 'title:x'", id="another notation"),
        pytest.param("a = 1 b = 2", "did not expect 'b'", id="nothing between"),
        pytest.param("a = 1 and", "needs the name of a field", id="nothing after and"),
        pytest.param("not", "needs the name of a field", id="nothing after not"),
        pytest.param('title = "x', "a quote is not closed?", id="quote not closed"),
        pytest.param("year >= new", "'year' >= needs a number, not 'new'", id="text where a number is needed"),
        pytest.param("year >= '2019'", "'year' >= needs a number, not '2019'", id="quoted number"),
        pytest.param("(" * 51 + "a = 1" + ")" * 51, "is nested more than 50 deep", id="too deep"),
        pytest.param("a = " + "x" * 10_000, "the filter has 10,004 characters; at most 10,000 are read", id="too long"),
    ],
)
def test_what_is_refused(text: str, told: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse_filter(text)
    assert told in str(caught.value)


def test_fifty_brackets_are_read() -> None:
    assert parse_filter("(" * 49 + "a = 1" + ")" * 49) == A


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(QueryError, match="unknown operator '=='"):
        Compare("year", "==", 2019)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        pytest.param((), None, id="none"),
        pytest.param((None, None), None, id="only None"),
        pytest.param((None, A), A, id="one"),
        pytest.param((A, None, B), AllOf((A, B)), id="two"),
    ],
)
def test_both(filters: tuple[Filter | None, ...], expected: Filter | None) -> None:
    assert both(*filters) == expected


@given(
    st.one_of(
        st.text(max_size=100),
        st.lists(st.sampled_from('( ) and or not = != < <= ~ "x" \' " year 2019 a.b \\'.split()), max_size=12).map(
            " ".join
        ),
    )
)
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_filter_or_refused(text: str) -> None:
    try:
        found = parse_filter(text)
    except QueryError:
        return
    assert isinstance(found, Filter)


WORDS = st.text(min_size=1, max_size=8)
COMPARES = st.one_of(
    st.builds(Compare, WORDS, st.sampled_from(["=", "!=", "~"]), st.text(max_size=8)),
    st.builds(Compare, WORDS, st.sampled_from(["<", "<=", ">", ">="]), st.integers(-(10**17), 10**17)),
)
FILTERS = st.recursive(
    COMPARES,
    lambda parts: st.one_of(
        st.lists(parts, min_size=2, max_size=3).map(lambda found: AllOf(tuple(found))),
        st.lists(parts, min_size=2, max_size=3).map(lambda found: AnyOf(tuple(found))),
        COMPARES.map(Not),
    ),
    max_leaves=6,
)


def written(filter: Filter) -> str:
    """Write a filter in its notation, with every quote and bracket."""
    match filter:
        case Compare(field, operator, value):
            return f"{quoted(field)} {operator} {quoted(value) if isinstance(value, str) else value}"
        case Not(part):
            return f"not ({written(part)})"
        case AllOf(parts):
            return " and ".join(f"({written(part)})" for part in parts)
        case AnyOf(parts):
            return " or ".join(f"({written(part)})" for part in parts)


def quoted(text: str) -> str:
    """Put a text between quotes."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


@given(FILTERS)
@settings(max_examples=200, deadline=None)
def test_what_is_written_is_read_back(filter: Filter) -> None:
    assert parse_filter(written(filter)) == filter


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("collection = notes", {"notes"}),
        ("collection = notes and year > 1", {"notes"}),
        ("collection = notes or collection = papers", {"notes", "papers"}),
        ("(collection = a or collection = b) and (collection = b or collection = c)", {"b"}),
        ("year > 1", None),
        ("collection = notes or year > 1", None),
        ("not collection = notes", None),
        ("collection != notes", None),
        ("collection ~ notes", None),
    ],
)
def test_which_collections_a_filter_keeps_to(text: str, expected: set[str] | None) -> None:
    assert collections_of(parse_filter(text)) == expected


def test_a_filter_that_lets_nothing_pass_keeps_to_nothing() -> None:
    assert collections_of(AnyOf(())) == frozenset()
    assert collections_of(AllOf(())) is None
    assert collections_of(None) is None
