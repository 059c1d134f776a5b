"""Anybody's own search function: what it may return, and what is said of what it may not."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scholarmind.errors import QueryError
from scholarmind.filters import Compare, Filter
from scholarmind.model import Document, Evidence, Found, Passage, Scores
from scholarmind.steps.search_function import OwnSearch, as_retriever

pytestmark = pytest.mark.anyio
EVIDENCE = Evidence(
    passage=Passage(text="given", start=3, end=8, position=1),
    document=Document(id="d", title="D"),
    scores=Scores(fused=7.5),
)


def returning(value: Any) -> OwnSearch:
    """A function that returns this, whatever it is asked."""

    async def search(question: str, k: int, filter: Filter | None) -> Any:
        return value

    return OwnSearch(search_function=search)


async def found(value: Any, k: int = 10) -> list[Evidence]:
    """Return what becomes of it."""
    return list((await returning(value).search("?", k)).evidence)


class TestAsRetriever:
    async def test_a_function_is_given_question_number_and_filter(self) -> None:
        asked: list[Any] = []

        async def search(question: str, k: int, filter: Filter | None) -> list[str]:
            asked.append((question, k, filter))
            return ["text"]

        only = Compare("year", "=", 2020)
        evidence = (await as_retriever(search).search("why?", 3, only)).evidence
        assert ([item.passage.text for item in evidence], asked) == (["text"], [("why?", 3, only)])

    async def test_a_retriever_stays_what_it_is(self) -> None:
        retriever = returning([])
        assert as_retriever(retriever) is retriever

    async def test_a_retriever_that_can_be_called_is_one_all_the_same(self) -> None:
        class Both:
            async def search(self, question: str, k: int, filter: Filter | None = None) -> Found:
                return Found(evidence=(EVIDENCE,))

            def __call__(self) -> None:
                raise AssertionError

        assert (await as_retriever(Both()).search("?", 1)).evidence == (EVIDENCE,)


class TestWhatItReturns:
    async def test_texts(self) -> None:
        first, second = await found(["Masks hide words.", "注意力机制"])
        assert (first.passage.text, first.passage.start, first.passage.end) == ("Masks hide words.", 0, 17)
        assert (first.document.id, first.document.title) == ("Masks hide words.", "")
        assert [item.scores.fused for item in (first, second)] == [1.0, 0.5]
        assert second.passage.language == "zh"

    async def test_records(self) -> None:
        record = {
            "id": 7,
            "text": "Masks hide words.",
            "title": "BERT",
            "authors": ["Jacob Devlin", "王明"],
            "year": "2019",
            "source": "ACL",
            "score": "0.25",
            "start": 40,
            "position": 2,
            "page": 3,
            "tags": ["a", "b"],
            "vector": [0.1] * 9,
            "seen": datetime(2020, 1, 1, tzinfo=UTC),
            "none": None,
        }
        (item,) = await found([record])
        assert item.document == Document(
            id="7",
            title="BERT",
            authors=("Jacob Devlin", "王明"),
            year=2019,
            source="ACL",
            metadata={"page": 3, "tags": ("a", "b")},
        )
        assert (item.passage.start, item.passage.end, item.passage.position) == (40, 57, 2)
        assert item.scores == Scores(fused=0.25)

    async def test_one_author_is_not_many_letters(self) -> None:
        (item,) = await found([{"text": "words", "authors": "Jacob Devlin"}])
        assert item.document.authors == ("Jacob Devlin",)

    async def test_evidence_and_what_a_library_returns(self) -> None:
        assert await found([EVIDENCE]) == [EVIDENCE]
        given = Found(
            evidence=(EVIDENCE, replace(EVIDENCE, document=Document(id="e", title=""))), notices=("by words",)
        )
        assert await returning(given).search("?", 1) == Found(evidence=(EVIDENCE,), notices=("by words",))

    @pytest.mark.parametrize("nothing", [None, [], (), {}.values(), iter(()), [""], [{"text": "  \n"}]])
    async def test_nothing(self, nothing: Any) -> None:
        assert await found(nothing) == []

    async def test_each_passage_once_and_in_order(self) -> None:
        record = {"id": "d", "text": "words", "position": 1}
        items = [record, {**record, "score": 9}, {**record, "position": 2}, "other", "other"]
        assert [(item.document.id, item.passage.text) for item in await found(items)] == [
            ("d", "words"),
            ("d", "words"),
            ("other", "other"),
        ]

    async def test_passages_of_one_document_without_places_are_told_apart(self) -> None:
        records = [{"id": "d", "text": f"passage {number}"} for number in range(50)]
        first, again = await found([*records, *records], 100), await found(records[::-1], 100)
        assert [item.passage.text for item in first] == [record["text"] for record in records]
        assert {item.passage.text: item.passage.position for item in again} == {
            item.passage.text: item.passage.position for item in first
        }

    async def test_texts_that_begin_alike_are_told_apart(self) -> None:
        assert len(await found(["x" * 100 + "a", "x" * 100 + "b"])) == 2

    async def test_no_more_than_asked_even_of_what_never_ends(self) -> None:
        def endless() -> Any:
            number = 0
            while True:
                number += 1
                yield f"passage {number}"

        assert len(await found(endless(), 7)) == 7

    @pytest.mark.parametrize("score", [None, "", "high", float("nan"), float("inf"), [1]])
    async def test_a_score_that_is_none_is_made_of_the_order(self, score: Any) -> None:
        items = await found([{"text": text, "score": score} for text in ("one", "two")])
        assert [item.scores.fused for item in items] == [1.0, 0.5]

    @pytest.mark.parametrize("year", [None, "", "unknown", "n.d.", [2019]])
    async def test_a_year_that_is_none(self, year: Any) -> None:
        assert [item.document.year for item in await found([{"text": "words", "year": year}])] == [None]

    @pytest.mark.parametrize("value", ["a text", b"bytes", {"text": "words"}, 7, object(), EVIDENCE])
    async def test_what_is_no_list_is_refused(self, value: Any) -> None:
        with pytest.raises(
            QueryError, match=rf"the search function returned {type(value).__name__} .*; return Evidence, "
        ):
            await found(value)

    @pytest.mark.parametrize("item", [None, 7, ["text"], {"content": "words"}, {"text": None}, {"text": 7}, b"text"])
    async def test_an_item_that_is_not_understood_is_refused(self, item: Any) -> None:
        with pytest.raises(
            QueryError, match=rf"the search function returned {type(item).__name__} .*; return Evidence, "
        ):
            await found(["fine", item])

    async def test_a_function_that_is_not_async_is_told_so(self) -> None:
        def search(question: str, k: int, filter: Filter | None) -> list[str]:
            return [question]

        with pytest.raises(QueryError, match=r"is not async \(it returned list\): write it as `async def search"):
            await OwnSearch(search_function=search).search("?", 1)  # type: ignore[reportArgumentType]

    async def test_what_it_raises_comes_through(self) -> None:
        async def search(question: str, k: int, filter: Filter | None) -> list[str]:
            raise LookupError(question)

        with pytest.raises(LookupError, match="why"):
            await as_retriever(search).search("why", 1)

    @given(
        st.lists(
            st.text(max_size=20)
            | st.dictionaries(
                st.sampled_from(["id", "text", "title", "authors", "year", "score", "start", "position", "more"]),
                st.none() | st.text(max_size=5) | st.integers() | st.floats() | st.lists(st.integers(), max_size=2),
            )
        ),
        st.integers(1, 5),
    )
    def test_any_list_is_read_or_refused(self, items: list[Any], k: int) -> None:
        readable = all(isinstance(item, str) or isinstance(item.get("text"), str) for item in items)
        try:
            evidence = asyncio.run(found(items, k))
        except QueryError:
            assert not readable
        else:
            assert len(evidence) <= k
            assert all(item.passage.text.strip() and item.document.id for item in evidence)
