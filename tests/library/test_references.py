# ruff: noqa: E501 (an item is a line)
"""Lists of references taken apart: sixty works in ten styles, and items that go wrong elsewhere."""

import textwrap
from collections.abc import Callable

import pytest
from cited import STYLES, WORKS, Work
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.identity import letters_of
from scholarmind.library.references import parse
from scholarmind.model import Reference


def _as_it_is(item: str) -> str:
    return item


def _broken(item: str) -> str:
    return "\n".join(textwrap.wrap(item, 82))


LAYOUTS: dict[str, tuple[Callable[[str], str], str]] = {
    "an item a line": (_as_it_is, "\n"),
    "broken lines": (_broken, "\n"),
    "broken lines, blank ones between": (_broken, "\n\n"),
    "run on": (_as_it_is, " "),
}


def one(text: str) -> Reference:
    """Return the only item of a list."""
    (found,) = parse(text, 0, len(text))
    return found


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("style", STYLES)
def test_sixty_works_in_every_style(style: str, layout: str) -> None:
    shape, between = LAYOUTS[layout]
    items = [shape(STYLES[style](work, number)) for number, work in enumerate(WORKS, 1)]
    text = "The end.\n\nReferences\n" + between.join(items) + "\n\nAppendix"
    found = parse(text, text.index("References"), text.index("\n\nAppendix"))
    assert [reference.text for reference in found] == items
    right = [
        (_is_first(reference, work), reference.year == work.year, letters_of(reference.title) == letters_of(work.title))
        for reference, work in zip(found, WORKS, strict=True)
    ]
    authors, years, titles = (sum(column) for column in zip(*right, strict=True))
    assert (authors >= 59, years, titles >= 59) == (
        True,
        60,
        True,
    )  # nothing tells Karen (Spärck Jones) from (Karen Spärck) Jones


def _is_first(reference: Reference, work: Work) -> bool:
    return letters_of(reference.authors[0].split(",")[0]) == letters_of(work.authors[0][1])


# (behind the authors and the year, the title)
QUESTIONS = [
    ("How far do bees fly? Distances of workers measured by radar. Bulletin of Insectology, 73, 101-110.", 60),
    ("How far do bees fly? Distances of workers measured by radar. Bull. Insectol. 73, 101-110.", 60),
    ("How far do bees fly? Distances of workers measured by radar. In Proceedings of ICPS, pages 1-9.", 60),
    ("Stop the mowing! A plea for long grass. Grassland Science, 12, 3-9.", 38),
    ("Who reads? Books in schools. London: Penguin.", 28),
    ("How far do bees fly? Bulletin of Insectology, 73, 101-110.", 20),
    ("How far do bees fly? Bulletin of Insectology 73(2): 101-110.", 20),
    ("How far do bees fly? Journal of Experimental Biology. 2012;73(2):101-110.", 20),
    ("How far do bees fly? J. Exp. Biol. 73, 101-110.", 20),
    ("How far do bees fly? Proc. Natl. Acad. Sci. USA 108, 19288.", 20),
    ("How far do bees fly? Trends Ecol. Evol. 12, 3-4.", 20),
    ("How far do bees fly? Oxford University Press.", 20),
    ("How far do bees fly? New York: Norton.", 20),
    ("How far do bees fly? PhD thesis, University of Oxford.", 20),
    ("How far do bees fly? In Movement of Insects. Oxford University Press.", 20),
]


@pytest.mark.parametrize(("behind", "length"), QUESTIONS)
def test_a_title_goes_on_behind_its_question_but_not_into_where_it_came_out(behind: str, length: int) -> None:
    assert one(f"Marchetti, G. (2020). {behind}").title == behind[:length].rstrip(".")


@pytest.mark.parametrize("more", ["", "谐波雷达测定的觅食距离"])
@pytest.mark.parametrize("kind", ["", "[J]"])
def test_a_chinese_title_goes_on_behind_its_question(more: str, kind: str) -> None:
    stop = "." if more or kind else ""
    assert (
        one(f"王敏, 赵刚. 熊蜂能飞多远？{more}{kind}{stop} 昆虫学报, 2006, 49(2): 342-348.").title
        == f"熊蜂能飞多远？{more}"
    )


@pytest.mark.parametrize("style", STYLES)
def test_every_author_is_named_or_stands_for_others(style: str) -> None:
    text = "\n".join(STYLES[style](work, number) for number, work in enumerate(WORKS, 1))
    for reference, work in zip(parse(text, 0, len(text)), WORKS, strict=True):
        named = [author for author in reference.authors if author != "others"]
        assert len(named) == len(work.authors) or reference.authors[-1] == "others"


ODD = [
    # (item, label, first authors, year, title)
    pytest.param(
        "[12] J. Devlin, M.-W. Chang, K. Lee, and K. Toutanova, “BERT: Pre-training of deep bidirectional transformers,” in Proc. NAACL, 2019, pp. 1998-2010.",
        (
            "12",
            ("Devlin, J.", "Chang, M.-W.", "Lee, K.", "Toutanova, K."),
            2019,
            "BERT: Pre-training of deep bidirectional transformers",
        ),
        id="pages that look like years",
    ),
    pytest.param(
        "[3] T. Mikolov et al., “ImageNet 2012 revisited,” arXiv preprint arXiv:1301.3781, 2013.",
        ("3", ("Mikolov, T.", "others"), 2013, "ImageNet 2012 revisited"),
        id="a year in the title",
    ),
    pytest.param(
        "[4] D. E. Knuth, The Art of Computer Programming, vol. 1, 3rd ed. Reading, MA: Addison-Wesley, 1997.",
        ("4", ("Knuth, D. E.",), 1997, "The Art of Computer Programming"),
        id="IEEE book",
    ),
    pytest.param(
        "[5] A. Einstein, B. Podolsky, and N. Rosen, Phys. Rev. 47, 777 (1935).",
        ("5", ("Einstein, A.", "Podolsky, B.", "Rosen, N."), 1935, ""),
        id="physics leaves titles out",
    ),
    pytest.param(
        "[6] OpenAI, “GPT-4 technical report,” arXiv:2303.08774, 2023.",
        ("6", ("OpenAI",), 2023, "GPT-4 technical report"),
        id="company",
    ),
    pytest.param(
        "[DCLT19] Jacob Devlin, Ming-Wei Chang, Kenton Lee, and Kristina Toutanova. BERT: Pre-training. In NAACL, 2019.",
        (
            "DCLT19",
            ("Devlin, Jacob", "Chang, Ming-Wei", "Lee, Kenton", "Toutanova, Kristina"),
            2019,
            "BERT: Pre-training",
        ),
        id="alpha",
    ),
    pytest.param(
        "[Knu84] Donald E. Knuth. The TeXbook. Addison-Wesley, 1984.",
        ("Knu84", ("Knuth, Donald E.",), 1984, "The TeXbook"),
        id="one-word title",
    ),
    pytest.param(
        "[VSP+17] Ashish Vaswani, Noam Shazeer, Niki Parmar, et al. Attention is all you need. In NeurIPS, 2017.",
        ("VSP+17", ("Vaswani, Ashish", "Shazeer, Noam", "Parmar, Niki", "others"), 2017, "Attention is all you need"),
        id="alpha with a plus",
    ),
    pytest.param(
        "[Devlin et al., 2019] Devlin, J., Chang, M.-W., and Lee, K. (2019). BERT: Pre-training. In NAACL.",
        ("Devlin et al., 2019", ("Devlin, J.", "Chang, M.-W.", "Lee, K."), 2019, "BERT: Pre-training"),
        id="natbib label",
    ),
    pytest.param(
        "1. LeCun, Y., Bengio, Y. & Hinton, G. Deep learning. Nature 521, 436–444 (2015).",
        ("1", ("LeCun, Y.", "Bengio, Y.", "Hinton, G."), 2015, "Deep learning"),
        id="Nature",
    ),
    pytest.param(
        "7. Watson JD, Crick FH. Molecular structure of nucleic acids. Nature. 1953 Apr 25;171(4356):737-8.",
        ("7", ("Watson, JD", "Crick, FH"), 1953, "Molecular structure of nucleic acids"),
        id="Vancouver with a date",
    ),
    pytest.param(
        "(8) Hohenberg, P.; Kohn, W. Inhomogeneous Electron Gas. Phys. Rev. 1964, 136, B864–B871.",
        ("8", ("Hohenberg, P.", "Kohn, W."), 1964, "Inhomogeneous Electron Gas"),
        id="American Chemical Society",
    ),
    pytest.param(
        "3. Ronneberger, O., Fischer, P., Brox, T.: U-Net: convolutional networks for biomedical image segmentation. In: Navab, N., "
        "Hornegger, J., Wells, W.M., Frangi, A.F. (eds.) MICCAI 2015. LNCS, vol. 9351, pp. 234–241. Springer, Cham (2015). "
        "https://doi.org/10.1007/978-3-319-24574-4_28",
        (
            "3",
            ("Ronneberger, O.", "Fischer, P.", "Brox, T."),
            2015,
            "U-Net: convolutional networks for biomedical image segmentation",
        ),
        id="LNCS with editors",
    ),
    pytest.param(
        "Devlin, J., Chang, M.-W., Lee, K., & Toutanova, K. (2019, June). BERT: Pre-training. In NAACL (pp. 4171–4186).",
        ("", ("Devlin, J.", "Chang, M.-W.", "Lee, K.", "Toutanova, K."), 2019, "BERT: Pre-training"),
        id="APA with a month",
    ),
    pytest.param(
        "Deng, J., Dong, W., Socher, R., . . . Fei-Fei, L. (2009a). ImageNet: A large-scale hierarchical image database. CVPR.",
        (
            "",
            ("Deng, J.", "Dong, W.", "Socher, R.", "Fei-Fei, L."),
            2009,
            "ImageNet: A large-scale hierarchical image database",
        ),
        id="APA leaves authors out",
    ),
    pytest.param(
        "World Health Organization. (2020). Global status report on alcohol and health 2018. Geneva: Author.",
        ("", ("World Health Organization",), 2020, "Global status report on alcohol and health 2018"),
        id="organisation",
    ),
    pytest.param(
        "Bender, E. M., & Koller, A. (in press). Climbing towards NLU. Computational Linguistics.",
        ("", ("Bender, E. M.", "Koller, A."), None, "Climbing towards NLU"),
        id="in press",
    ),
    pytest.param(
        "van den Oord, A., Li, Y., & Vinyals, O. (2018). Representation learning with contrastive predictive coding. arXiv:1807.03748",
        (
            "",
            ("van den Oord, A.", "Li, Y.", "Vinyals, O."),
            2018,
            "Representation learning with contrastive predictive coding",
        ),
        id="particles in small letters",
    ),
    pytest.param(
        "García Márquez, G., & O'Neill, P. (1967). Cien años de soledad. Sudamericana.",
        ("", ("García Márquez, G.", "O'Neill, P."), 1967, "Cien años de soledad"),
        id="two family names, apostrophe",
    ),
    pytest.param(
        "King, M. L., Jr. (1964). Why we can't wait. Harper & Row.",
        ("", ("King, M. L., Jr.",), 1964, "Why we can't wait"),
        id="junior",
    ),
    pytest.param(
        "Kahneman, D. (2011). Thinking, fast and slow (2nd ed.). Farrar, Straus and Giroux.",
        ("", ("Kahneman, D.",), 2011, "Thinking, fast and slow"),
        id="APA book",
    ),
    pytest.param(
        "Bender, E. M. (2021). Can language models be too big? In FAccT (pp. 610–623).",
        ("", ("Bender, E. M.",), 2021, "Can language models be too big?"),
        id="a question",
    ),
    pytest.param(
        "Wei Zhang, Xiaoming Li, and Na Wang. 2021b. Towards Chinese word segmentation. In ACL.",
        ("", ("Zhang, Wei", "Li, Xiaoming", "Wang, Na"), 2021, "Towards Chinese word segmentation"),
        id="Chinese names in Latin letters",
    ),
    pytest.param(
        "Wen-tau Yih and Jean-Luc Le Roux. 2015. U.S. politics vs. language. In ACL, pages 1–9.",
        ("", ("Yih, Wen-tau", "Le Roux, Jean-Luc"), 2015, "U.S. politics vs. language"),
        id="abbreviations in a title",
    ),
    pytest.param(
        "OpenAI. 2023. GPT-4 technical report. ArXiv, abs/2303.08774.",
        ("", ("OpenAI",), 2023, "GPT-4 technical report"),
        id="ACL company",
    ),
    pytest.param(
        "Barocas, Solon, and Andrew D. Selbst. 2016. “Big Data’s Disparate Impact.” California Law Review 104 (3): 671–732.",
        ("", ("Barocas, Solon", "Selbst, Andrew D."), 2016, "Big Data’s Disparate Impact"),
        id="Chicago",
    ),
    pytest.param(
        "Barocas, Solon, and Andrew D. Selbst. “Big Data’s Disparate Impact.” California Law Review, vol. 104, no. 3, 2016, pp. 671–732.",
        ("", ("Barocas, Solon", "Selbst, Andrew D."), 2016, "Big Data’s Disparate Impact"),
        id="MLA",
    ),
    pytest.param(
        "Barocas, S. and Selbst, A.D. (2016) ‘Big data’s disparate impact’, California Law Review, 104(3), pp. 671–732.",
        ("", ("Barocas, S.", "Selbst, A.D."), 2016, "Big data’s disparate impact"),
        id="Harvard",
    ),
    pytest.param(
        "[1] 张伟, 李娜, 王芳, 等. 基于深度学习的文本分类方法研究[J]. 计算机学报, 2020, 43(3): 1-9.",
        ("1", ("张伟", "李娜", "王芳", "others"), 2020, "基于深度学习的文本分类方法研究"),
        id="GB/T journal",
    ),
    pytest.param(
        "[2] 周志华. 机器学习[M]. 北京: 清华大学出版社, 2016: 121-139.",
        ("2", ("周志华",), 2016, "机器学习"),
        id="GB/T book",
    ),
    pytest.param(
        "［3］欧阳明，李小娜．知识图谱研究综述［J］．软件学报，2019，30（2）：1998-2010．",
        ("3", ("欧阳明", "李小娜"), 2019, "知识图谱研究综述"),
        id="GB/T in wide signs",
    ),
    pytest.param(
        "[4] VASWANI A, SHAZEER N, PARMAR N, et al. Attention is all you need[C]//NIPS. Long Beach, 2017: 5998-6008.",
        ("4", ("Vaswani, A", "Shazeer, N", "Parmar, N", "others"), 2017, "Attention is all you need"),
        id="GB/T of an English work",
    ),
    pytest.param(
        "[5] 中国互联网络信息中心. 第45次中国互联网络发展状况统计报告[R/OL]. (2020-04-28)[2021-05-06]. http://www.cnnic.net.cn/x.pdf.",
        ("5", ("中国互联网络信息中心",), 2020, "第45次中国互联网络发展状况统计报告"),
        id="GB/T report of an institution",
    ),
    pytest.param(
        "张伟，李娜（2020）．文本分类研究．计算机学报，43(3)，1–9．",
        ("", ("张伟", "李娜"), 2020, "文本分类研究"),
        id="Chinese by author and year",
    ),
    pytest.param(
        "Vaswani A, Shazeer N (2017) Attention is all you need. Adv Neural Inf Process Syst 30:5998–6008",
        ("", ("Vaswani, A", "Shazeer, N"), 2017, "Attention is all you need"),
        id="Springer by author and year",
    ),
    pytest.param(
        "Blei, D.M., Ng, A.Y., Jordan, M.I., 2003. Latent Dirichlet allocation. J. Mach. Learn. Res. 3, 993–1022.",
        ("", ("Blei, D.M.", "Ng, A.Y.", "Jordan, M.I."), 2003, "Latent Dirichlet allocation"),
        id="Elsevier by author and year",
    ),
    pytest.param(
        "[9] Python Software Foundation. Python language reference, version 3.11. Available at http://www.python.org (accessed 12 May 2023).",
        ("9", ("Python Software Foundation",), None, "Python language reference, version 3.11"),
        id="the year of a visit is none",
    ),
    pytest.param(
        "[13] M. Abramowitz and I. A. Stegun, Eds., Handbook of Mathematical Functions (Series 55). Washington, DC: NBS, 1964, pp. 32-33.",
        ("13", ("Abramowitz, M.", "Stegun, I. A."), 1964, "Handbook of Mathematical Functions (Series 55)"),
        id="editors",
    ),
    pytest.param(
        "[14] B. Klaus and P. Horn, Robot Vision. Cambridge, MA: MIT Press, 1986.",
        ("14", ("Klaus, B.", "Horn, P."), 1986, "Robot Vision"),
        id="a title that looks like a name",
    ),
    pytest.param(
        "[15] Westinghouse Electric Corporation (Aerospace Div.), Integrated Electronic Systems. Englewood Cliffs, NJ: Prentice-Hall, 1970.",
        ("15", ("Westinghouse Electric Corporation",), 1970, "Integrated Electronic Systems"),
        id="company with a division",
    ),
    pytest.param(
        "16. Sutton, R.S.; Barto, A.G. Reinforcement Learning: An Introduction; MIT Press: Cambridge, MA, USA, 2018.",
        ("16", ("Sutton, R.S.", "Barto, A.G."), 2018, "Reinforcement Learning: An Introduction"),
        id="MDPI book",
    ),
    pytest.param(
        "[17] L. v. d. Maaten and G. Hinton, “Visualizing data using t-SNE,” JMLR, vol. 9, 2008.",
        ("17", ("v. d. Maaten, L.", "Hinton, G."), 2008, "Visualizing data using t-SNE"),
        id="particles cut short",
    ),
    pytest.param("[10] Attention is all you need. 2017.", ("10", (), 2017, "Attention is all you need"), id="nobody"),
    pytest.param(
        "[11] Yu. V. Matiyasevich. Enumerable sets are Diophantine. Doklady 191:279–282, 1970.",
        ("11", ("Matiyasevich, Yu. V.",), 1970, "Enumerable sets are Diophantine"),
        id="initial of two letters",
    ),
    pytest.param(
        "[12] R. Ferrer i Cancho and R. V. Solé, “The small world of human language,” Proc. R. Soc. B, vol. 268, pp. 2261–2265, 2001.",
        ("12", ("Ferrer i Cancho, R.", "Solé, R. V."), 2001, "The small world of human language"),
        id="Catalan",
    ),
    pytest.param(
        "[2]张伟，刘洋，赵敏，等．芦苇湿地脱氮效果研究［J］．环境科学学报，2012，32（5）：1021－1028．",
        ("2", ("张伟", "刘洋", "赵敏", "others"), 2012, "芦苇湿地脱氮效果研究"),
        id="GB/T 7714 in wide signs, with others",
    ),
]


@pytest.mark.parametrize(("item", "wanted"), ODD)
def test_an_item_is_taken_apart(item: str, wanted: tuple[str, tuple[str, ...], int | None, str]) -> None:
    found = one(item)
    assert (found.label, found.authors, found.year, found.title) == wanted
    assert (found.text, found.start, found.end) == (item, 0, len(item))


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("doi:10.1038/nature14539.", "10.1038/nature14539"),
        ("https://doi.org/10.1145/3292500. 3330701", "10.1145/3292500.3330701"),
        ("https://doi.org/10.18653/v1/N19-\n1423", "10.18653/v1/N19-1423"),
        ("https://doi.org/10.1038/ nature14539", "10.1038/nature14539"),
        ("(doi: 10.1016/0022-0000(79)90044-8)", "10.1016/0022-0000(79)90044-8"),
        ("DOI 10.1007/978-3-319-24574-4_28, 2015.", "10.1007/978-3-319-24574-4_28"),
        ("doi:10.48550/arXiv.1810.04805", ""),
        ("no DOI at all", ""),
    ],
)
def test_dois(written: str, doi: str) -> None:
    assert one(f"[1] J. Doe, “A title of some length,” Journal, 2015. {written}").doi == doi


@pytest.mark.parametrize(
    ("written", "arxiv"),
    [
        ("arXiv preprint arXiv:1810.04805v2", "1810.04805"),
        ("CoRR abs/1810.04805", "1810.04805"),
        ("https://arxiv.org/pdf/1810.04805.pdf", "1810.04805"),
        ("arXiv: 1810. 04805", "1810.04805"),
        ("arXiv:hep-th/9711200", "hep-th/9711200"),
        ("doi:10.48550/arXiv.1810.04805", "1810.04805"),
        ("arXiv preprint 2310.11511", "2310.11511"),
        ("Nature 521", ""),
    ],
)
def test_arxiv_ids(written: str, arxiv: str) -> None:
    assert one(f"[1] J. Doe, “A title of some length,” {written}, 2018.").arxiv == arxiv


def test_a_preprint_without_a_year_is_dated_by_its_number() -> None:
    assert one("[1] J. Doe, “A title of some length,” arXiv:1810.04805.").year == 2018


def test_a_dash_repeats_the_authors_above() -> None:
    text = "Knuth, D. E. (1984). The TeXbook. Addison-Wesley.\n———. (1997). The art of computer programming. Addison-Wesley.\n"
    found = parse(text, 0, len(text))
    assert [(reference.authors, reference.year, reference.title) for reference in found] == [
        (("Knuth, D. E.",), 1984, "The TeXbook"),
        (("Knuth, D. E.",), 1997, "The art of computer programming"),
    ]


def test_a_missing_label_and_a_number_at_the_head_of_a_line_do_not_confuse_the_count() -> None:
    text = "[1] A. Smith, “First work of all,” 2001.\n[2] B. Jones, “The second, vol.\n12. Springer,” 2002.\n[4] C. Brown, “The fourth work,” 2004."
    assert [reference.label for reference in parse(text, 0, len(text))] == ["1", "2", "4"]


def test_a_second_list_may_begin_at_one() -> None:
    lines = [f"{number}. Smith J. Work number {number}. Nature. 200{number};1:1-2." for number in (1, 2, 3, 4, 1, 2)]
    text = "\n".join(lines)
    assert [reference.label for reference in parse(text, 0, len(text))] == ["1", "2", "3", "4", "1", "2"]


def test_words_cut_at_the_end_of_a_line_are_whole_again() -> None:
    text = "[1] J. Doe, “Representa-\ntion learning with self-\nattention,” in Proc. ICML, 2019."
    assert one(text).title == "Representation learning with selfattention"


def test_an_empty_list_and_a_heading_alone_have_no_items() -> None:
    assert (parse("", 0, 0), parse("References\n\n", 0, 12), parse("text", 9, 3)) == ([], [], [])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("A" * 100_000, id="one word"),
        pytest.param("A. " * 33_000, id="initials"),
        pytest.param("Smith, J., " * 9_000, id="authors without end"),
        pytest.param("Smith J and " * 8_000, id="and"),
        pytest.param("de la van der " * 7_000, id="particles"),
        pytest.param("[1] " * 25_000, id="labels"),
        pytest.param("2019 " * 20_000, id="years"),
        pytest.param("Jean-" * 20_000, id="hyphens"),
        pytest.param("“" * 100_000, id="quotes"),
        pytest.param("10.1234/" * 12_000, id="DOIs"),
        pytest.param("((((" * 25_000, id="brackets"),
        pytest.param(" " * 100_000, id="spaces"),
        pytest.param("Smith J. 2019. A. " * 5_500, id="starts everywhere"),
        pytest.param("Smith, J. (2019). Foo. " * 4_300, id="items run on"),
        pytest.param("Smith, J. (2019).\n" * 5_500, id="short lines"),
        pytest.param("张伟" * 50_000, id="Chinese"),
        pytest.param("www." * 25_000, id="addresses"),
        pytest.param("Aa " * 33_000, id="capital words"),
    ],
)
@pytest.mark.timeout(120)
def test_no_text_holds_it_up(text: str) -> None:
    for start, end in _spans(parse(text, 0, len(text))):
        assert 0 <= start < end <= len(text)


def _spans(found: list[Reference]) -> list[tuple[int, int]]:
    return [(reference.start, reference.end) for reference in found]


_PIECES = st.sampled_from(
    "[1] |[2]|3. |(4) |[DCLT19] |Smith, J.|J. Smith|Jane Doe|张伟|，|, | and |. | (2019)|2019a|“|”|\n|\n\n|———|et al.|In: |[J]|10.1/x|"
    "arXiv:1810.04805|Title words|?|等|-|\u00ad|e\u0301| ".split("|")
)


@settings(max_examples=150, deadline=None)
@given(st.lists(_PIECES, max_size=40).map("".join), st.integers(-3, 60), st.integers(-3, 200))
def test_items_lie_in_order_within_the_stretch(text: str, start: int, end: int) -> None:
    spans = _spans(parse(text, start, end))
    borders = [max(0, start), *(place for span in spans for place in span), max(0, start, min(len(text), end))]
    assert borders == sorted(borders)
    assert all(first < last for first, last in spans)
