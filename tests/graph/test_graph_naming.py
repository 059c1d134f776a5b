"""Which names are one, which are variants, and which authors of one name are one person."""

import pytest

from scholarmind.graph.name_matching import AuthorName, Byline, family, key_of, proven, variants, written_as_authors
from scholarmind.relations import NodeKind

SAME: list[tuple[NodeKind, str, str]] = [
    ("method", "the Transformer", "Transformers"),
    ("method", "GPT-2", "gpt 2"),
    ("method", "MobileNetV2", "MobileNet-v2"),
    ("method", "β-VAE", "beta-VAE"),
    ("method", "BERT模型", "BERT"),
    ("method", "ＢＥＲＴ", "BERT"),
    ("dataset", "SQuAD 2.0", "the SQuAD2 dataset"),
    ("dataset", "SQuAD v1.1", "SQuAD 1.1"),
    ("metric", "Accuracy (%)", "准确率"),
    ("metric", "F1-score", "f1"),
    ("author", "Devlin, Jacob", "Jacob Devlin"),
    ("author", "Oğuz, Barlas", "Barlas Oguz"),
    ("author", "Петров, Иван", "Иван Петров"),
    ("author", "张 伟", "张伟"),
    (
        "venue",
        "NAACL-HLT 2019",
        "Conference of the North American Chapter of the Association for Computational Linguistics",
    ),
    ("venue", "Advances in Neural Information Processing Systems 30", "NeurIPS"),
    ("venue", "arXiv preprint arXiv:1810.04805", "CoRR"),
    ("paper", "“Attention Is All You Need”", "Attention is all you need."),
    ("institution", "The University of Tokyo", "University of Tokyo"),
]
OTHER: list[tuple[NodeKind, str, str]] = [
    ("method", "GPT-2", "GPT"),
    ("method", "GPT-3.5", "GPT-35"),
    ("method", "C++", "C#"),
    ("method", "A* search", "search"),
    ("method", "language model", "language"),
    ("method", "किताब", "कतब"),
    ("method", "が", "か"),
    ("dataset", "SQuAD 1.1", "SQuAD 2.0"),
    ("dataset", "WNLI", "WNL"),
    ("author", "J. Devlin", "Jacob Devlin"),
    ("author", "Иван Петров", "Петр Иванов"),
    ("paper", "Attention", "Attention Is All You Need"),
]


@pytest.mark.parametrize(("kind", "one", "other"), SAME)
def test_names_are_one_whoever_writes_them(kind: NodeKind, one: str, other: str) -> None:
    assert key_of(kind, one) == key_of(kind, other) != ""


@pytest.mark.parametrize(("kind", "one", "other"), OTHER)
def test_names_that_are_nearly_the_same_stay_two(kind: NodeKind, one: str, other: str) -> None:
    assert key_of(kind, one) != key_of(kind, other)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BERT-base", "BERT"),
        ("BERT-Large, Uncased", "BERT"),
        ("BERTLARGE", "BERT"),
        ("Llama-2-7b-chat-hf", "Llama-2"),
        ("ViT-B/16", "ViT"),
        ("ResNet-50", "ResNet"),
        ("BERT基础版", "BERT"),
        ("Transformer-XL", ""),
        ("GPT-2", ""),
        ("FlashAttention-2", ""),
        ("Claude-2024", ""),
        ("knowledge base", ""),
        ("DATABASE", ""),
        ("as large", ""),
    ],
)
def test_a_size_is_a_variant_and_a_version_is_not(name: str, expected: str) -> None:
    assert family("method", name) == expected


def test_a_data_set_has_no_variants() -> None:
    assert family("dataset", "CIFAR-100") == ""


def test_what_stands_for_itself_is_no_variant() -> None:
    found = list(variants(["BERT-base", "Longformer-large"], own=["bert base"]))
    assert [(merged.name, merged.into) for merged in found] == [("Longformer-large", "Longformer")]


def test_papers_are_named_by_author_and_year() -> None:
    assert written_as_authors("Devlin et al. (2019)") == ("Devlin", 2019)
    assert written_as_authors("崔一鸣等（2021）") == ("崔一鸣", 2021)
    assert written_as_authors("GPT-2") is None


class Papers:
    """Bylines, each name a node of its own, as they are before anybody compares them."""

    def __init__(self) -> None:
        self.count = 0
        self.nodes = 0

    def by(self, *names: str, place: str = "", cites: frozenset[int] = frozenset()) -> Byline:
        self.count += 1
        writers = [self._writer(name) for name in names]
        places = {place: place} if place else {}
        return Byline(
            document=self.count,
            scope=str(self.count),
            writers=writers,
            size=len(writers),
            institutions=places,
            cites=cites,
        )

    def _writer(self, name: str) -> AuthorName:
        self.nodes += 1
        return AuthorName(key=key_of("author", name), name=name, node=self.nodes)


def named(new: list[Byline], known: list[Byline]) -> list[tuple[str, str, str]]:
    return [(merged.name, merged.scope, merged.into_scope) for merged in proven(new, known)]


class TestPeople:
    def test_two_of_one_name_are_two_until_something_proves_them_one(self) -> None:
        papers = Papers()
        first, second = papers.by("张伟", "李娜"), papers.by("张伟", "王芳")
        assert named([second], [first]) == []

    def test_a_co_author_proves_both_names(self) -> None:
        papers = Papers()
        first, second = papers.by("张伟", "李娜"), papers.by("李娜", "张 伟")
        found = list(proven([second], [first]))
        assert [(merged.name, merged.into) for merged in found] == [("李娜", "李娜"), ("张 伟", "张伟")]
        assert found[1].reason == "wrote both with 李娜"

    def test_an_institution_or_a_citation_proves_a_name(self) -> None:
        papers = Papers()
        first = papers.by("Wei Zhang", place="Tsinghua University")
        second = papers.by("Wei Zhang", place="Tsinghua University")
        third = papers.by("Wei Zhang", cites=frozenset({first.document}))
        assert named([second, third], [first]) == [("Wei Zhang", "2", "1"), ("Wei Zhang", "3", "1")]

    def test_initials_prove_nothing_by_themselves(self) -> None:
        papers = Papers()
        first, second = papers.by("W. Zhang", place="CERN"), papers.by("W. Zhang", place="CERN")
        assert named([second], [first]) == []

    def test_a_name_that_very_many_have_needs_a_co_author(self) -> None:
        papers = Papers()
        known = [papers.by("Wei Zhang", f"Person Number{number}", place="Big University") for number in range(30)]
        new = papers.by("Wei Zhang", "Person Number7", place="Big University")
        assert named([new], known) == [("Wei Zhang", "31", "8"), ("Person Number7", "31", "8")]

    def test_who_was_told_apart_does_not_stand_between_two_others(self) -> None:
        papers = Papers()
        apart, one, other = (papers.by("Wei Zhang", "Ada Lovelace") for _ in range(3))
        refused = {apart.scope}
        found = proven([one, other], [apart], lambda merged: refused.isdisjoint({merged.scope, merged.into_scope}))
        assert [(merged.scope, merged.into_scope) for merged in found] == [(one.scope, other.scope)] * 2

    def test_a_company_is_itself_everywhere(self) -> None:
        papers = Papers()
        assert (
            len(named([papers.by("DeepSeek-AI"), papers.by("清华大学")], [papers.by("DeepSeek-AI", "清华大学")])) == 2
        )

    def test_a_list_of_thousands_shares_names_with_anybody(self) -> None:
        papers = Papers()
        crowd = papers.by("张伟", "王芳", *(f"Given Family{number}" for number in range(4998)), place="CERN")
        small = papers.by("张伟", "王芳", "Ada Lovelace", place="CERN")
        assert named([small], [crowd]) == []

    def test_collaborations_of_thousands_are_known_again_without_comparing_everybody_with_everybody(self) -> None:
        papers = Papers()
        names = [f"Given Family{number}" for number in range(5000)]
        found = named([papers.by(*names[100:])], [papers.by(*names)])
        assert len(found) == 4900
        assert {into for _, _, into in found} == {"2"}
