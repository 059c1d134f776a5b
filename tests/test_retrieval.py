"""Searching as a user does: modes, filters, odd questions, and what is said when something was left out."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scholarmind import AllOf, AnyOf, Compare, Filter, Library, Settings
from scholarmind.errors import ModelError, QueryError
from scholarmind.library_ports import Reach
from scholarmind.testing import EmbeddingServer, HashEmbedder, ServerReply

BERT = """---
id: bert
title: "BERT: Pre-training of Transformers"
authors: [Jacob Devlin, Ming-Wei Chang]
year: 2019
source: ACL Anthology
language: en
kind: paper
arxiv: "1810.04800"
tags: [nlp, masks]
pages: 16
open: true
venue: {name: NAACL}
code: "007"
---
# Masks
BERT masks words and attends to both sides.
# Size
BERT has a large encoder of 24 layers.
# Data
BERT reads books and Wikipedia.
"""
GPT = """---
id: gpt
title: Language Models are Unsupervised
authors: [Alec Radford]
year: 2018
kind: report
---
GPT predicts the next word and attends to the left side.
"""
CHINESE = """---
id: ernie
title: 知识增强
author: Yu Sun
---
注意力机制让模型看到整句。
"""


@pytest.fixture
def papers(library: Library, tmp_path: Path) -> Library:
    """A library of three papers."""
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, content in (("bert", BERT), ("gpt", GPT), ("ernie", CHINESE)):
        (folder / f"{name}.md").write_text(content, encoding="utf-8")
    library.add(folder)
    return library


def found(library: Library, question: str, **options: Any) -> list[str]:
    """Return the ids of the documents of what was found, best first."""
    return [hit.document.id for hit in library.search(question, **options).evidence]


# -- modes


def test_evidence_has_passage_document_and_scores(papers: Library) -> None:
    (hit,) = papers.search("masks words", 1, mode="keyword").evidence
    assert (hit.passage.text, hit.passage.section) == ("BERT masks words and attends to both sides.", ("Masks",))
    text = papers.text("bert")
    assert text is not None
    assert text[hit.passage.start : hit.passage.end] == hit.passage.text
    assert (hit.document.id, hit.document.year) == ("bert", 2019)
    assert hit.document.metadata["tags"] == ("nlp", "masks")
    assert hit.found_by == frozenset({"masks words"})


def test_each_mode_asks_its_own_legs(papers: Library) -> None:
    legs = {}
    for mode in ("vector", "keyword", "hybrid"):
        best = papers.search("masks words", mode=mode).evidence[0]
        assert best.document.id == "bert"
        legs[mode] = (best.scores.vector_rank, best.scores.keyword_rank)
    assert legs == {"vector": (1, None), "keyword": (None, 1), "hybrid": (1, 1)}


def test_the_fused_score_falls(papers: Library) -> None:
    scores = [hit.scores.fused for hit in papers.search("attends to words").evidence]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] <= 1


def test_no_more_than_asked_for(papers: Library) -> None:
    assert [len(papers.search("attends", k).evidence) for k in (1, 2, 1000)] == [1, 2, 5]


def test_per_document_limits_each_document(papers: Library) -> None:
    assert found(papers, "BERT", k=3, mode="keyword") == ["bert", "bert", "bert"]
    assert sorted(found(papers, "BERT attends", per_document=1)) == ["bert", "ernie", "gpt"]


def test_the_title_is_searched_too(papers: Library) -> None:
    assert found(papers, "unsupervised", mode="keyword") == ["gpt"]


def test_chinese_is_found_by_a_question(papers: Library) -> None:
    assert found(papers, "什么是注意力？", mode="keyword") == ["ernie"]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"k": -1}, id="negative places"),
        pytest.param({"mode": "vectors"}, id="unknown mode"),
    ],
)
def test_an_impossible_request_is_refused(papers: Library, options: dict[str, Any]) -> None:
    with pytest.raises(QueryError):
        papers.search("attention", **options)


# -- odd questions


@pytest.mark.parametrize("question", [pytest.param("", id="nothing"), pytest.param(" \n\u3000", id="white space")])
def test_an_empty_question_is_an_error(papers: Library, question: str) -> None:
    with pytest.raises(QueryError, match="is empty; ask something"):
        papers.search(question)


@pytest.mark.parametrize("question", ["…", "?!", "。？", "\N{ROBOT FACE}"])
def test_signs_alone_find_nothing_by_chance(papers: Library, question: str) -> None:
    answer = papers.search(question)
    assert (answer.evidence, answer.notices) == ((), (f"there is no word to search for in {question!r}",))


@pytest.mark.parametrize(
    "question",
    [
        pytest.param("what is the", id="stop words"),
        pytest.param("谁的呢", id="Chinese stop words"),
        pytest.param("?!... ()", id="punctuation"),
        pytest.param("🚀", id="emoji"),
        pytest.param("\0\x07", id="control characters"),
    ],
)
def test_a_question_without_words_finds_nothing_by_words(papers: Library, question: str) -> None:
    assert found(papers, question, mode="keyword") == []


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
@pytest.mark.parametrize(
    "question",
    [
        pytest.param("masks title:x AND (", id="query language"),
        pytest.param('masks "unclosed', id="quote"),
        pytest.param("masks' OR 1=1; DROP TABLE documents; --", id="SQL"),
        pytest.param("masks *:* [a TO b] +x -y ~2 ^3 \\", id="operators"),
        pytest.param("masks \0\x1b[31m\ud800\U0010ffff", id="odd characters"),
        pytest.param("masks " * 8_000, id="48,000 characters"),
        pytest.param("masks " + "x" * 50_000, id="one word of 50,000 characters"),
        pytest.param("masks " + " ".join(f"w{n}" for n in range(8_000)), id="8,000 words"),
    ],
)
def test_no_question_is_too_odd(papers: Library, question: str, mode: str) -> None:
    assert "bert" in found(papers, question, mode=mode)


@given(question=st.text(st.characters(exclude_categories=()), max_size=100).filter(str.strip))
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_question_is_answered(papers: Library, question: str) -> None:
    assert len(papers.search(question).evidence) == (5 if any(map(str.isalnum, question)) else 0)


def test_an_empty_library_finds_nothing(library: Library) -> None:
    assert library.search("attention").evidence == ()


# -- filters


@pytest.mark.parametrize(
    ("filter", "expected"),
    [
        pytest.param("collection = default", ["bert", "ernie", "gpt"], id="collection"),
        pytest.param("collection = other", [], id="other collection"),
        pytest.param("id = bert", ["bert"], id="id"),
        pytest.param("id ~ er", ["bert", "ernie"], id="piece of an id"),
        pytest.param("title ~ pre-TRAINING", ["bert"], id="piece of a title"),
        pytest.param("title = 'bert: pre-training of transformers'", ["bert"], id="title"),
        pytest.param("title ~ 知识", ["ernie"], id="Chinese title"),
        pytest.param("author = 'jacob devlin'", ["bert"], id="author"),
        pytest.param("author = Chang", ["bert"], id="family name"),
        pytest.param("author = Jacob", [], id="first name alone"),
        pytest.param("author ~ rad", ["gpt"], id="piece of an author"),
        pytest.param("year = 2019", ["bert"], id="year"),
        pytest.param("year != 2019", ["ernie", "gpt"], id="not that year, or none"),
        pytest.param("year >= 2018 and year < 2019", ["gpt"], id="years"),
        pytest.param("year <= 2018.5", ["gpt"], id="half a year"),
        pytest.param("not year > 0", ["ernie"], id="no year"),
        pytest.param("source = 'acl anthology'", ["bert"], id="source"),
        pytest.param("language = en", ["bert", "gpt"], id="language, told or guessed"),
        pytest.param("kind = paper or kind = report", ["bert", "gpt"], id="kind"),
        pytest.param("kind = note", ["ernie"], id="kind that the reader gave"),
        pytest.param("tags = masks", ["bert"], id="one of a list"),
        pytest.param("pages > 15", ["bert"], id="number in the metadata"),
        pytest.param("open = true", ["bert"], id="truth in the metadata"),
        pytest.param("venue.name = naacl", ["bert"], id="nested metadata"),
        pytest.param("arxiv = 1810.04800", ["bert"], id="a number whose last zero counts"),
        pytest.param("code = 007", ["bert"], id="a number whose first zeros count"),
        pytest.param('title = "x\' OR 1=1 --"', [], id="SQL in a value"),
        pytest.param("title ~ '%'", [], id="wildcard"),
        pytest.param(Compare("title", "=", "\udcff"), [], id="half a character"),
        pytest.param(Compare("id", "=", "\udcff"), [], id="half a character in an id"),
        pytest.param(Compare("year", "<", 10**30), ["bert", "gpt"], id="beyond 64 bits"),
        pytest.param(Compare("year", "<", float("inf")), ["bert", "gpt"], id="infinity"),
        pytest.param(AllOf(()), ["bert", "ernie", "gpt"], id="all of nothing"),
        pytest.param(AnyOf(()), [], id="any of nothing"),
    ],
)
def test_filters(papers: Library, filter: Filter | str, expected: list[str]) -> None:
    assert sorted(document.id for document in papers.documents(filter)) == expected
    for mode in ("keyword", "vector", "hybrid"):
        hits = found(papers, "BERT GPT 注意力", mode=mode, filter=filter)
        assert sorted(set(hits)) == expected


def test_a_language_that_was_guessed_can_be_filtered_by(papers: Library) -> None:
    assert found(papers, "注意力", filter="language = zh") == ["ernie"]


def test_the_limit_of_documents(papers: Library) -> None:
    assert len(papers.documents(limit=2)) == 2
    assert [document.id for document in papers.documents("year > 0", limit=1)] == ["bert"]


def test_a_filter_sees_what_was_added_since(papers: Library, tmp_path: Path) -> None:
    assert found(papers, "word", filter="year = 2030") == []
    (tmp_path / "new.md").write_text("---\nid: new\nyear: 2030\n---\nA new word.")
    papers.add(tmp_path / "new.md")
    assert found(papers, "word", filter="year = 2030") == ["new"]


def test_a_wrong_filter_is_refused(papers: Library) -> None:
    with pytest.raises(QueryError):
        papers.search("attention", filter="year >=")


# -- when vectors are not to be had


def test_a_question_that_the_embedder_does_not_know_is_searched_by_words(tmp_path: Path) -> None:
    embedder = HashEmbedder(unknown=lambda text: 0.75 * ("注" in text))
    (tmp_path / "a.md").write_text("注意力机制。")
    with Library(Settings(library=tmp_path / "library"), embedder=embedder) as library:
        library.add(tmp_path / "a.md")
        answer = library.search("注意力")
    assert [hit.scores.vector for hit in answer.evidence] == [None]
    (notice,) = answer.notices
    assert notice.startswith("只按关键词检索：问题中 75% 的词元是嵌入模型 'hash/64' 不认识的")


def test_without_an_embedder_words_are_enough(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Attention.")
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        library.add(tmp_path / "a.md")
        answer = library.search("attention")
    assert (len(answer.evidence), answer.notices) == (1, ())


def test_vectors_that_cannot_be_had_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Attention.")
    with Library(Settings(library=tmp_path / "library", embedder="none")) as library:
        library.add(tmp_path / "a.md")
        (notice,) = library.search("attention", mode="vector").notices
    assert notice.startswith("searched by keywords only: ")


def served(tmp_path: Path, server: EmbeddingServer) -> Library:
    """Return a library with one note, embedded by the server."""
    (tmp_path / "a.md").write_text("Attention weighs every word.")
    given = Settings(
        library=tmp_path / "library", embedder="openai", embedding_base_url=server.base_url, embedding_model="m"
    )
    library = Library(given)
    library.add(tmp_path / "a.md")
    return library


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
@pytest.mark.parametrize("mode", ["hybrid", "vector"])
def test_a_server_that_refuses_falls_back_to_words(tmp_path: Path, mode: Any) -> None:
    with EmbeddingServer() as server, served(tmp_path, server) as library:
        assert library.search("attention", mode=mode).notices == ()
        server.replies = [ServerReply(status=401, body=b"wrong key")]
        answer = library.search("attention", mode=mode)
    assert [hit.scores.keyword_rank for hit in answer.evidence] == [1]
    (notice,) = answer.notices
    assert notice.startswith("searched by keywords only, since the embedder cannot be asked: ")
    assert "SCHOLARMIND_EMBEDDING_API_KEY" in notice


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_server_that_is_down_falls_back_to_words(tmp_path: Path) -> None:
    with EmbeddingServer() as server:
        library = served(tmp_path, server)
    with library:
        answer = library.search("attention")
    assert len(answer.evidence) == 1
    (notice,) = answer.notices
    assert "did not answer after 4 tries" in notice


@pytest.mark.enable_socket
@pytest.mark.allow_hosts(["127.0.0.1"])
def test_a_server_that_talks_nonsense_is_an_error(tmp_path: Path) -> None:
    with EmbeddingServer() as server, served(tmp_path, server) as library:
        server.replies = [ServerReply(body=b"<html>")]
        with pytest.raises(ModelError, match="is it an embeddings endpoint"):
            library.search("attention")


class TestSecondVectors:
    """A library of two languages, whose own embedder knows one of them."""

    KILN = "The kiln is starved of air while it is hottest."

    @pytest.fixture
    def mixed(self, tmp_path: Path) -> Iterator[Library]:
        """An English note, asked with the built-in embedders."""
        (tmp_path / "kiln.md").write_text(self.KILN)
        with Library(Settings(library=tmp_path / "library")) as library:
            library.add(tmp_path / "kiln.md")
            yield library

    def test_an_english_library_is_searched_as_ever(self, mixed: Library) -> None:
        found = mixed.search("Why is air kept from the kiln?")
        assert (len(found.evidence), found.notices) == (1, ())
        assert mixed.reach() == Reach()

    def test_asked_in_chinese_it_is_ready_after_the_next_add(self, mixed: Library) -> None:
        found = mixed.search("为什么要隔绝氧气？")
        assert found.evidence == ()
        assert found.notices == ("其他语言的段落这次只按关键词检索；运行 scholarmind add 会为它们生成跨语言向量",)
        assert mixed.reach() == Reach(missing=1, is_for_all=True)
        mixed.add()
        found = mixed.search("为什么要隔绝氧气？")
        assert ([hit.passage.text for hit in found.evidence], found.notices) == ([self.KILN], ())

    def test_chinese_notes_are_found_by_meaning_in_either_language(self, mixed: Library, tmp_path: Path) -> None:
        (tmp_path / "silk.md").write_text("蚕茧要先用热水煮,丝头才找得到。\n")
        report = mixed.add(tmp_path / "silk.md")
        assert (report.embedded, report.unsuited) == (0, 1)
        assert mixed.reach() == Reach(vectors=2, is_for_all=True)
        for question in ("How is the thread of a cocoon found?", "怎样抽出蚕丝？"):
            best = mixed.search(question).evidence[0]
            assert (Path(best.document.origin).name, best.scores.vector_rank) == ("silk.md", 1)

    def test_what_was_found_before_is_found_by_meaning_once_it_can_be(self, mixed: Library) -> None:
        question = "为什么要隔绝氧气？"
        assert mixed.ask(question).evidence == ()
        mixed.add()
        assert [one.passage.text for one in mixed.ask(question).evidence] == [self.KILN]

    def test_an_embedder_that_was_brought_along_stands_alone(self, tmp_path: Path) -> None:
        (tmp_path / "zh.md").write_text("注意力机制。")
        with Library(Settings(library=tmp_path / "library"), embedder=HashEmbedder(dimension=64)) as library:
            library.add(tmp_path / "zh.md")
            assert library.reach() is None


class TestFilters:
    """Filters that cannot be meant, and those that let nothing pass."""

    @pytest.mark.parametrize(
        ("filter", "told"),
        [
            (
                "qqqq = 1",
                "no document has a field 'qqqq'; there are collection, id, title, author, year, source, language, kind, ",
            ),
            ('"title\' OR 1=1 --" = x', 'no document has a field "title\' OR 1=1 --"; there are collection'),
            ("yearr > 2000", "no document has a field 'yearr'; did you mean 'year'?"),
            ("not authors = Devlin", "no document has a field 'authors'; did you mean 'author'?"),
            ("year > 2000 and venue_name = NAACL", "no document has a field 'venue_name'; did you mean 'venue.name'?"),
        ],
    )
    def test_an_unknown_field_is_an_error_with_the_nearest(self, papers: Library, filter: str, told: str) -> None:
        for door in (papers.search, papers.ask, papers.plan, papers.find):
            with pytest.raises(QueryError) as caught:
                door("attention", filter=filter)
            assert str(caught.value).startswith(told)
        with pytest.raises(QueryError):
            papers.documents(filter)

    def test_what_lets_nothing_pass_is_named(self, papers: Library) -> None:
        found = papers.search("attention", filter="year > 2000 and source = Nature")
        assert (found.evidence, found.notices) == ((), ('no document passes the filter source = "Nature"',))
        assert (
            'no document passes the filter source = "Nature"'
            in papers.ask("What is attention?", filter="source = Nature").fallbacks
        )

    def test_a_field_may_be_unknown_where_there_is_nothing_yet(self, tmp_path: Path) -> None:
        with Library.open(tmp_path / "library", create=True, embedder="none") as library:
            assert library.search("attention", filter="venue = NAACL").evidence == ()


class TestResolve:
    """A document by whatever somebody calls it."""

    @pytest.mark.parametrize("named", ["bert", "ber", "BERT: Pre-training of Transformers"])
    def test_one_that_is_meant(self, papers: Library, named: str) -> None:
        assert papers.resolve(named) == "bert"

    @pytest.mark.parametrize(("named", "advice"), [("bret", "did you mean 'bert'"), ("", "shows ids")])
    def test_none(self, papers: Library, named: str, advice: str) -> None:
        with pytest.raises(QueryError, match=advice):
            papers.resolve(named)

    def test_several(self, papers: Library, tmp_path: Path) -> None:
        (tmp_path / "more.md").write_text("---\nid: bertram\n---\nA name.")
        (tmp_path / "again.md").write_text("---\nid: berta\n---\nAnother name.")
        papers.add([tmp_path / "more.md", tmp_path / "again.md"])
        assert papers.resolve("bert") == "bert", "one whose whole id it is comes first"
        with pytest.raises(QueryError, match="'ber' may be any of 3 documents: bert, bertram, berta"):
            papers.resolve("ber")

    def test_a_correction_of_a_field_that_is_nearly_another(self, papers: Library) -> None:
        with pytest.raises(QueryError, match="did you mean 'title'"):
            papers.correct("bert", ["titles=BERT"])
        assert papers.correct("bert", ["publisher=ACL"]).metadata["publisher"] == "ACL"


def test_vectors_that_are_still_to_come_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Attention weighs every word.")
    with Library.open(tmp_path / "library", create=True, embedder="none") as library:
        library.add(tmp_path / "a.md")
    told = "1 passages have no vectors yet and are found by keywords only: 'scholarmind add' goes on with them"
    with Library(Settings(library=tmp_path / "library"), embedder=HashEmbedder()) as library:
        assert library.search("attention").notices == (told,)
        assert library.search("attention", mode="keyword").notices == ()
        assert told in library.ask("What is attention?").fallbacks
        assert any("没有向量" in note for note in library.ask("注意力是什么？").fallbacks)
        library.add()
        assert library.search("attention").notices == ()
        assert told not in library.ask("What is attention?").fallbacks
