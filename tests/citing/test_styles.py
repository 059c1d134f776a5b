"""Lists of sources: three styles, English and Chinese, and text that is never markup."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.citing.citation_styles import Style, format_source, markdown_text, sources
from scholarmind.errors import QueryError
from scholarmind.model import Document, Value

STYLES: tuple[Style, ...] = ("apa", "gb7714", "numeric")


def document(
    title: str, authors: Sequence[str] = (), year: int | None = None, kind: str = "", **metadata: Value
) -> Document:
    return Document(id=title[:20], title=title, authors=tuple(authors), year=year, kind=kind, metadata=metadata)


FOUR = ["Jacob Devlin", "Ming-Wei Chang", "Lee, Kenton", "Kristina Toutanova"]
NOTE = document("BERT: Pre-training", FOUR, 2019, "note", venue="NAACL", pages="4171-4186")
ARTICLE = document(
    "Exploring the Limits",
    ["Raffel, Colin", "Noam Shazeer"],
    2020,
    venue="JMLR",
    volume="21",
    number="140",
    pages="1--67",
    doi="10.5555/345",
)
PREPRINT = document("LLaMA", ["Hugo Touvron", "others"], 2023, "article", journal="arXiv preprint arXiv:2302.13971")
CHINESE = document(
    "大模型综述", ["王小明", "李红", "赵刚", "孙丽"], 2023, journal="计算机学报", volume="46", number="3", pages="1-20"
)
MEETING = document(
    "检索增强生成", ["欧阳明"], 2022, booktitle="全国计算语言学大会论文集", publisher="清华大学出版社", address="北京"
)
REPORT = document("GPT-4", ["{OpenAI}"], 2023, "techreport", institution="OpenAI")
BOOK = document(
    "Deep Learning", ["Ian Goodfellow", "Yoshua Bengio"], 2016, "book", publisher="MIT Press", address="Cambridge"
)
THESIS = document("On Otters", ["Mira Falk"], 2020, "phdthesis", school="River University")
PAGE = document("A page", url="https://example.org/a b")
SPEECH = document("Why?", ["Martin Luther King, Jr.", "Ludwig van Beethoven"], 1963)
NOTHING = document("Notes")


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        pytest.param(
            NOTE,
            "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019). BERT: Pre-training. In NAACL (pp. 4171–4186).",
            id="conference",
        ),
        pytest.param(
            ARTICLE,
            "Raffel, C., & Shazeer, N. (2020). Exploring the Limits. JMLR, 21(140), 1–67. https://doi.org/10.5555/345",
            id="journal",
        ),
        pytest.param(
            PREPRINT,
            "Touvron, H., et al. (2023). LLaMA. arXiv:2302.13971. https://arxiv.org/abs/2302.13971",
            id="preprint",
        ),
        pytest.param(CHINESE, "王小明, 李红, 赵刚, 孙丽. (2023). 大模型综述. 计算机学报, 46(3), 1–20.", id="Chinese"),
        pytest.param(REPORT, "OpenAI. (2023). GPT-4. OpenAI.", id="report of a company"),
        pytest.param(BOOK, "Goodfellow, I., & Bengio, Y. (2016). Deep Learning. MIT Press.", id="book"),
        pytest.param(THESIS, "Falk, M. (2020). On Otters. River University.", id="thesis"),
        pytest.param(PAGE, "A page. (n.d.). https://example.org/a%20b", id="page without authors and year"),
        pytest.param(
            SPEECH, "King, M. L., Jr., & van Beethoven, L. (1963). Why?", id="suffix, particle, question mark"
        ),
        pytest.param(NOTHING, "Notes. (n.d.).", id="nothing known"),
    ],
)
def test_apa(work: Document, expected: str) -> None:
    assert format_source(work, "apa", 1) == expected


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        pytest.param(
            NOTE,
            "[3] DEVLIN J, CHANG M W, LEE K, et al. BERT: Pre-training[C]//NAACL. 2019: 4171-4186.",
            id="conference",
        ),
        pytest.param(
            ARTICLE,
            "[3] RAFFEL C, SHAZEER N. Exploring the Limits[J]. JMLR, 2020, 21(140): 1-67. DOI:10.5555/345.",
            id="journal",
        ),
        pytest.param(
            PREPRINT,
            "[3] TOUVRON H, et al. LLaMA[EB/OL]. arXiv:2302.13971, 2023. https://arxiv.org/abs/2302.13971",
            id="preprint",
        ),
        pytest.param(
            CHINESE, "[3] 王小明, 李红, 赵刚, 等. 大模型综述[J]. 计算机学报, 2023, 46(3): 1-20.", id="Chinese"
        ),
        pytest.param(
            MEETING,
            "[3] 欧阳明. 检索增强生成[C]//全国计算语言学大会论文集. 北京: 清华大学出版社, 2022.",
            id="Chinese conference",
        ),
        pytest.param(REPORT, "[3] OpenAI. GPT-4[R]. OpenAI, 2023.", id="report of a company"),
        pytest.param(BOOK, "[3] GOODFELLOW I, BENGIO Y. Deep Learning[M]. Cambridge: MIT Press, 2016.", id="book"),
        pytest.param(THESIS, "[3] FALK M. On Otters[D]. River University, 2020.", id="thesis"),
        pytest.param(PAGE, "[3] A page[EB/OL]. https://example.org/a%20b", id="page"),
        pytest.param(SPEECH, "[3] KING M L JR, VAN BEETHOVEN L. Why?[Z]. 1963.", id="suffix, particle"),
        pytest.param(NOTHING, "[3] Notes[Z].", id="nothing known"),
    ],
)
def test_gb7714(work: Document, expected: str) -> None:
    assert format_source(work, "gb7714", 3) == expected


@pytest.mark.parametrize(
    ("work", "expected"),
    [
        pytest.param(
            NOTE,
            '[2] J. Devlin, M.-W. Chang, K. Lee, and K. Toutanova, "BERT: Pre-training," in NAACL, pp. 4171–4186, 2019.',
            id="conference",
        ),
        pytest.param(
            ARTICLE,
            '[2] C. Raffel and N. Shazeer, "Exploring the Limits," JMLR, vol. 21, no. 140, pp. 1–67, 2020, doi: 10.5555/345.',
            id="journal",
        ),
        pytest.param(
            PREPRINT,
            '[2] H. Touvron et al., "LLaMA," arXiv:2302.13971, 2023. https://arxiv.org/abs/2302.13971',
            id="preprint",
        ),
        pytest.param(
            CHINESE,
            '[2] 王小明, 李红, 赵刚, 孙丽, "大模型综述," 计算机学报, vol. 46, no. 3, pp. 1–20, 2023.',
            id="Chinese",
        ),
        pytest.param(REPORT, '[2] OpenAI, "GPT-4," OpenAI, 2023.', id="report of a company"),
        pytest.param(PAGE, '[2] "A page." https://example.org/a%20b', id="page"),
        pytest.param(SPEECH, '[2] M. L. King Jr. and L. van Beethoven, "Why?" 1963.', id="suffix, question mark"),
        pytest.param(NOTHING, '[2] "Notes."', id="nothing known"),
    ],
)
def test_numeric(work: Document, expected: str) -> None:
    assert format_source(work, "numeric", 2) == expected


def test_many_authors_are_shortened() -> None:
    many = document("T", [f"Anna Name{'abcdefghijklmnopqrstuvwxy'[number]}" for number in range(25)], 2020)
    assert "Names, A., … Namey, A. (2020)" in format_source(many, "apa", 1)
    assert format_source(many, "numeric", 1) == '[1] A. Namea et al., "T," 2020.'
    assert format_source(many, "gb7714", 1) == "[1] NAMEA A, NAMEB A, NAMEC A, et al. T[Z]. 2020."


def test_a_list_counts_from_one_and_names_each_work_once() -> None:
    assert [entry[:3] for entry in sources([NOTE, BOOK, NOTE, PAGE], "numeric")] == ["[1]", "[2]", "[3]"]


def test_the_letters_of_the_keys_stand_in_the_list() -> None:
    works = [document("Zebras", ["Ortiz, A."], 2024), document("Apes", ["Ortiz, A."], 2024)]
    assert sources(works, "apa") == ["Ortiz, A. (2024b). Zebras.", "Ortiz, A. (2024a). Apes."]


def test_an_unknown_style_names_the_known_ones() -> None:
    with pytest.raises(QueryError, match="'mla' is not one of 'apa', 'gb7714', 'numeric'"):
        format_source(NOTE, "mla", 1)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("url", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x"])
def test_only_web_addresses_are_links(url: str) -> None:
    assert format_source(document("A page", url=url), "numeric", 1) == '[1] "A page."'


def test_control_characters_are_left_out() -> None:
    assert (
        format_source(document("A\x1b[31m\u202e page\n# Head", ["Mira\x00 Falk"]), "apa", 1)
        == "Falk, M. (n.d.). A[31m page # Head."
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "a *b* _c_ `d` [e](f) <g> # h | i ~j~ !k & \\l $m$",
            r"a \*b\* \_c\_ \`d\` \[e\](f) \<g\> \# h \| i \~j\~ \!k \& \\l \$m\$",
            id="signs",
        ),
        pytest.param("- not a list", r"\- not a list", id="dash"),
        pytest.param("1. not a list", r"1\. not a list", id="number"),
        pytest.param("plain, text. (2019)", "plain, text. (2019)", id="plain"),
        pytest.param("a\n\nb", "a b", id="lines"),
    ],
)
def test_markdown_is_escaped(text: str, expected: str) -> None:
    assert markdown_text(text) == expected


def test_an_entry_in_markdown() -> None:
    work = document("On *stars* <b>", ["Mira [x](y) Falk"], 2020, journal="J_A_", doi="10.1234/a_b<c>")
    expected = r"Falk, M. X. (2020). On \*stars\* \<b\>. J\_A\_. <https://doi.org/10.1234/a_b%3Cc%3E>"
    assert format_source(work, "apa", 1, markdown=True) == expected


DOCUMENTS = st.builds(
    Document,
    id=st.text(max_size=5),
    title=st.text(max_size=40),
    authors=st.lists(st.text(max_size=20), max_size=4).map(tuple),
    year=st.none() | st.integers(1, 3000),
    kind=st.sampled_from(["", "article", "inproceedings", "book", "misc"]),
    metadata=st.dictionaries(
        st.sampled_from(
            ["venue", "journal", "booktitle", "pages", "volume", "number", "doi", "url", "arxiv", "publisher"]
        ),
        st.text(max_size=30) | st.integers() | st.just("10.1234/x") | st.just("https://a.b/c"),
        max_size=5,
    ),
)


@settings(deadline=None)
@given(st.lists(DOCUMENTS, max_size=4, unique_by=lambda work: work.id), st.sampled_from(STYLES), st.booleans())
def test_any_document_can_be_listed(works: list[Document], style: Style, markdown: bool) -> None:
    entries = sources(works, style, markdown=markdown)
    assert len(entries) == len(works)
    assert all(entry.isprintable() and entry.strip() for entry in entries)
