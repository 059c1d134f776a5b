"""BibTeX and BibLaTeX as people and programs write it: what is used, and what is told with which line."""

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import scholarmind
from scholarmind.adapters.readers.bibliography.bibtex_reader import BibtexReader
from scholarmind.citing.citation_styles import people, work_of
from scholarmind.citing.reference_export import export
from scholarmind.errors import ReadError
from scholarmind.model import BibEntry, Document, Problem

LIMIT = 50_000_000
FIRST = "@article{first,\n  title = {The {First} One},\n  author = {Doe, Jane},\n  year = 2001\n}\n\n"
THIRD = "@article{third,\n  title = {The Third},\n  author = {Roe, Richard},\n  year = {2003}\n}\n"


def read(folder: Path, content: str | bytes) -> list[BibEntry | Problem]:
    """Write the file and return all that its reader gives."""
    path = folder / "library.bib"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(BibtexReader(LIMIT).entries(path))


def entries(folder: Path, content: str | bytes) -> list[BibEntry]:
    """Return the entries."""
    return [item for item in read(folder, content) if isinstance(item, BibEntry)]


def entry(folder: Path, content: str | bytes) -> BibEntry:
    """Return the one entry, which nothing is wrong with."""
    (found,) = read(folder, content)
    assert isinstance(found, BibEntry)
    return found


def problems(folder: Path, content: str | bytes) -> list[tuple[str, str]]:
    """Return the line and the reason of each problem. All of them last: reading again changes nothing."""
    found = [item for item in read(folder, content) if isinstance(item, Problem)]
    assert all(item.lasting and item.advice for item in found)
    return [(item.where.removeprefix(f"{folder / 'library.bib'}, "), item.reason) for item in found]


# -- what an entry says


def test_an_article(tmp_path: Path) -> None:
    found = entry(
        tmp_path,
        r"""% Encoding: UTF-8
@Article{Goedel:1931,
  author    = {Kurt G{\"o}del and others},
  title     = {{\"U}ber formal unentscheidbare {S}{\"a}tze -- Teil~I},
  Journal   = "Monatshefte f{\"u}r Mathematik",
  year      = 1931,
  volume    = 38,
  number    = {1},
  pages     = {173--198},
  doi       = {https://doi.org/10.1007/BF01700692},
  url       = {http://example.org/\~{}a\_b},
  keywords  = {logic, proofs},
  language  = {ngerman},
  abstract  = {First \emph{line}
               of it.

               Second.},
  file      = {:papers/goedel.pdf:PDF},
  groups    = {mine},
  timestamp = {2020.01.01},
}
""",
    )
    assert (found.key, found.line, found.files) == ("Goedel:1931", 2, ("papers/goedel.pdf",))
    assert found.abstract == "First line of it.\n\nSecond."
    assert found.document == Document(
        id="Goedel:1931",
        title="Über formal unentscheidbare Sätze – Teil I",
        authors=("Kurt Gödel", "others"),
        year=1931,
        origin=str(tmp_path / "library.bib"),
        language="de",
        kind="article",
        metadata={
            "doi": "10.1007/BF01700692",
            "journal": "Monatshefte für Mathematik",
            "volume": "38",
            "number": "1",
            "pages": "173–198",
            "url": "http://example.org/~a_b",
            "keywords": ("logic", "proofs"),
        },
    )


def test_biblatex(tmp_path: Path) -> None:
    found = entry(
        tmp_path,
        "@article{a, author={A, B}, title={Title}, subtitle={Sub}, date={2019-05-03}, journaltitle={Long Journal}, shortjournal={L.J.},\n"
        "  location={Berlin}, eprint={1810.04805}, eprinttype={arxiv}, eprintclass={cs.CL}, langid={english}}",
    )
    assert (found.document.title, found.document.year, found.document.language) == ("Title: Sub", 2019, "en")
    work = work_of(found.document)
    assert (work.venue, work.place, work.arxiv, work.form) == ("Long Journal", "Berlin", "1810.04805", "journal")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("year = {2019a}", 2019),
        ("year = {c. 1998}", 1998),
        ("year = {[1984] 2003}", 2003),
        ("year = {[1984]}", 1984),
        ("year = {in press}", None),
        ("year = {}, date = {2017}", 2017),
        ("year = 2019", 2019),
        ('year = "1998--1999"', 1998),
        ("date = {2019/2020}", 2019),
        ("date = {2019-05-03/2020-01-01}", 2019),
        ("year = {２０１９年}", 2019),
        ("year = {20190503}", None),
        ("urldate = {2020-01-01}", None),
    ],
)
def test_years(tmp_path: Path, fields: str, expected: int | None) -> None:
    assert entry(tmp_path, f"@misc{{a, title = {{T}}, {fields}}}").document.year == expected


def test_what_a_year_says_that_is_none_is_kept(tmp_path: Path) -> None:
    assert entry(tmp_path, "@misc{a, title={T}, year={in press}}").document.metadata == {"pubstate": "in press"}


def test_abbreviations_and_pieces(tmp_path: Path) -> None:
    text = (
        '@STRING{jacm = "Journal of the " # {ACM}}\n@string(pub = {Pub} # " House")\n'
        '@article{a, title={T} # " and " # {U # V}, journal=JACM, publisher = pub, month = 10 # "~" # jan, author={A, B}}\n'
        '@article(b, title={In parentheses (x)}, author="C {\\"O} D", journal = unheard, note = unheard)\n'
    )
    first, second = entries(tmp_path, text)
    assert (first.document.title, second.document.title) == ("T and U # V", "In parentheses (x)")
    assert first.document.metadata == {"journal": "Journal of the ACM", "publisher": "Pub House", "month": "10 jan"}
    assert second.document.metadata["journal"] == "unheard"
    assert problems(tmp_path, text) == [
        ("line 4", "entry 'b': the abbreviation 'unheard' is not defined; it is used as it stands")
    ]


def test_parts_inherit_from_their_whole(tmp_path: Path) -> None:
    text = (
        "@inproceedings{paper, title={Paper}, author={A, B}, crossref={CONF}, pages={1--3}, xdata={acm}}\n"
        "@proceedings{conf, title={Proc of Conf}, editor={Ed, E. and Di, D.}, year=2019, doi={10.1000/proc}, abstract={Whole}}\n"
        "@xdata{acm, publisher={ACM}, location={New York}}\n"
        "@inbook{one, title={One}, crossref={two}}\n@inbook{two, title={Two}, crossref={one}}\n"
        "@incollection{lost, title={Lost}, author={A, B}, crossref={nowhere}}\n"
    )
    found = {item.key: item for item in entries(tmp_path, text)}
    assert list(found) == ["paper", "conf", "one", "two", "lost"]
    work = work_of(found["paper"].document)
    assert (work.title, work.venue, work.year, work.publisher, work.place, work.doi) == (
        "Paper",
        "Proc of Conf",
        "2019",
        "ACM",
        "New York",
        "",
    )
    assert (found["paper"].document.authors, found["conf"].document.authors) == (("A, B",), ("Ed, E.", "Di, D."))
    assert found["paper"].abstract == ""
    assert problems(tmp_path, text) == [
        ("line 6", "the crossref of entry 'lost' points at 'nowhere', which is not in this file")
    ]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@misc{a, title={T}, url={http://arxiv.org/abs/1810.04805v2}}", ("preprint", "1810.04805", "")),
        (
            "@misc{a, title={T}, doi={10.48550/arXiv.1810.04805}, publisher={arXiv}, number={arXiv:1810.04805}}",
            ("preprint", "1810.04805", ""),
        ),
        ("@article{a, title={T}, journal={arXiv preprint arXiv:1810.04805}}", ("preprint", "1810.04805", "")),
        ("@misc{a, title={T}, eprint={cs/0112017}, archiveprefix={arXiv}}", ("preprint", "cs/0112017", "")),
        ("@article{a, title={T}, journal={Cell}, eprint={123456}, eprinttype={pubmed}}", ("journal", "", "Cell")),
        ("@article{a, title={T}, journal={Cell}, note={extends arXiv:1111.22222}}", ("journal", "", "Cell")),
        ("@phdthesis{a, title={T}, school={ETH}, type={PhD thesis}}", ("thesis", "", "")),
        ("@techreport{a, title={T}, institution={NASA}, type={Working paper}}", ("report", "", "")),
        ("@online{a, title={T}, url={http://a.org}}", ("web", "", "")),
        ("@incollection{a, title={T}, booktitle={Book}}", ("chapter", "", "Book")),
    ],
)
def test_kinds_and_preprints(tmp_path: Path, source: str, expected: tuple[str, str, str]) -> None:
    work = work_of(entry(tmp_path, source).document)
    assert (work.form, work.arxiv, work.venue) == expected


@pytest.mark.parametrize(
    ("field", "expected"),
    [
        ("doi = {10.1000/x}", "10.1000/x"),
        ("doi = {doi:10.1000/x}", "10.1000/x"),
        ("doi = {http://dx.doi.org/10.1000/x.}", "10.1000/x"),
        (r"doi = {10.1000/a\_b{\_}c}", "10.1000/a_b_c"),
        ("doi = {10.1000/a%28b%29}", "10.1000/a(b)"),
        ("url = {https://doi.org/10.1000/x}", "10.1000/x"),
        ("doi = {none}", ""),
    ],
)
def test_dois(tmp_path: Path, field: str, expected: str) -> None:
    assert entry(tmp_path, f"@misc{{a, title = {{T}}, {field}}}").document.metadata.get("doi", "") == expected


def test_what_programs_keep_for_themselves_is_left_out(tmp_path: Path) -> None:
    text = "@misc{a, title={T}, groups={g}, owner={me}, date-added={x}, bdsk-url-1={u}, author+an={1=x}, annote={long}, comment={z}}"
    assert entry(tmp_path, text).document.metadata == {}


def test_ids_can_be_typed_and_are_unique(tmp_path: Path) -> None:
    text = "@misc{a b(c), title={T}}\n@misc{a-b-c, title={U}}\n@misc{DBLP:x/Y, title={V}}\n@misc{-x, title={W}}\n@misc{M:ü, title={X}}\n"
    long = "@misc{" + "k" * 500 + ", title={Y}}\n@misc{，, title={Z}}"
    found = entries(tmp_path, text + long)
    assert [item.document.id for item in found][:5] == ["a-b-c", "a-b-c-2", "DBLP:x/Y", "x", "M:ü"]
    assert [item.key for item in found][:2] == ["a b(c)", "a-b-c"]
    assert len({item.document.id for item in found}) == 7
    assert all(0 < len(item.document.id) <= 102 for item in found)


# -- what is wrong with a file, or odd


@pytest.mark.parametrize(
    ("broken", "told", "title"),
    [
        pytest.param(
            "@article{b,\n  title = {Second,\n  author = {Poe, E.},\n  year = {2002}\n}\n",
            "entry 'b': field 'title' (line 8) has a brace that nothing closes; it was read as it must have been meant",
            "Second",
            id="brace of a field missing",
        ),
        pytest.param(
            "@article{b,\n  title = {A {Second}},\n  author = {Poe, E.,\n  year = {2002}\n}\n",
            "entry 'b': field 'author' (line 9) has a brace that nothing closes; it was read as it must have been meant",
            "A Second",
            id="brace of the authors missing",
        ),
        pytest.param(
            "@article{b,\n  title = {Second}},\n  author = {Poe, E.},\n  year = {2002}\n}\n",
            "entry 'b': field 'title' (line 8) has a closing brace too much; it was read as it must have been meant",
            "Second",
            id="brace too much",
        ),
        pytest.param(
            "@article{b,\n  title = {Second},\n  author = {Poe, E.},\n  year = {2002}\n",
            "entry 'b': its closing brace, or that of its last field, is missing; it was read as it must have been meant",
            "Second",
            id="last brace missing",
        ),
        pytest.param(
            '@article{b,\n  title = "Second,\n  author = "Poe, E.",\n  year = 2002\n}\n',
            "entry 'b': field 'title' (line 8) has a quotation mark that nothing closes; it was read as it must have been meant",
            "Second",
            id="quotation mark missing",
        ),
        pytest.param(
            "@article{b,\n  title = {Second}\n  author = {Poe, E.},\n  year = {2002}\n}\n",
            "entry 'b': a comma is missing; it was read as it must have been meant",
            "Second",
            id="comma missing",
        ),
    ],
)
def test_a_broken_entry_is_told_and_read_as_it_was_meant(tmp_path: Path, broken: str, told: str, title: str) -> None:
    found = entries(tmp_path, f"{FIRST}{broken}\n{THIRD}")
    assert [(item.key, item.document.title) for item in found] == [
        ("first", "The First One"),
        ("b", title),
        ("third", "The Third"),
    ]
    assert (found[1].document.authors, found[1].document.year, found[1].line) == (("Poe, E.",), 2002, 7)
    assert problems(tmp_path, f"{FIRST}{broken}\n{THIRD}") == [("line 7", told)]


@pytest.mark.parametrize(
    ("broken", "told"),
    [
        pytest.param(
            "@article{b, title = {Second, author = {Poe, E.}, year = {2002}}\n",
            "entry 'b' cannot be read: a brace or a quotation mark is not closed before the next entry begins; it is not used",
            id="on one line",
        ),
        pytest.param(
            "@article{b\n", "entry 'b' cannot be read: there is no comma behind its key; it is not used", id="no fields"
        ),
        pytest.param(
            "@article{b,\n  title {Second}\n}\n",
            "entry 'b' cannot be read: there is no '=' behind the name of a field; it is not used",
            id="no sign",
        ),
        pytest.param(
            "@article{b,\n  note = {n}\n}\n",
            "entry 'b' has neither a title nor authors; it is not used",
            id="nothing to cite",
        ),
        pytest.param("@article{b}\n", "entry 'b' has neither a title nor authors; it is not used", id="empty"),
    ],
)
def test_an_entry_that_cannot_be_read_costs_only_itself(tmp_path: Path, broken: str, told: str) -> None:
    assert [item.key for item in entries(tmp_path, f"{FIRST}{broken}\n{THIRD}")] == ["first", "third"]
    assert problems(tmp_path, f"{FIRST}{broken}\n{THIRD}") == [("line 7", told)]


def test_a_file_that_ends_early(tmp_path: Path) -> None:
    found = entries(tmp_path, f"{FIRST}@article{{b,\n  title = {{Second}},\n  author = {{Poe, Ed")
    assert [(item.key, item.document.authors) for item in found] == [("first", ("Doe, Jane",)), ("b", ("Poe, Ed",))]


def test_the_first_of_two_keys_stays(tmp_path: Path) -> None:
    assert len(entries(tmp_path, FIRST + FIRST + THIRD)) == 2
    assert problems(tmp_path, FIRST + FIRST + THIRD) == [
        ("line 7", "the key 'first' is taken by the entry in line 1; the one in line 7 is not used")
    ]


def test_the_first_of_two_fields_stays(tmp_path: Path) -> None:
    text = "@article{a, title = {One}, Year = {2001},\n  title = {Two},\n  year = {2001}, note = {}, note = {kept}}"
    (found,) = entries(tmp_path, text)
    assert (found.document.title, found.document.metadata["note"]) == ("One", "kept")
    assert problems(tmp_path, text) == [
        ("line 1", "entry 'a': the field 'title' stands there twice; the one in line 2 is not used")
    ]


def test_entries_without_keys_and_titles(tmp_path: Path) -> None:
    body = '\n  title = {On Second Thoughts},\n  author = {G{\\"o}del, K.},\n  year = {2002}\n}\n'
    text = f"@article{{{body}@article{{,{body}@article{{c, author = {{Poe, E.}}}}"
    assert [(item.key, item.document.title) for item in entries(tmp_path, text)] == [
        ("godel2002second", "On Second Thoughts"),
        ("godel2002second-2", "On Second Thoughts"),
        ("c", ""),
    ]
    assert problems(tmp_path, text) == [
        ("line 1", "the entry has no key; it is used as 'godel2002second'"),
        ("line 6", "the entry has no key; it is used as 'godel2002second-2'"),
        ("line 11", "entry 'c' has no title; it is used without one"),
    ]


def test_thousands_of_entries_without_keys(tmp_path: Path) -> None:
    found = entries(tmp_path, "@misc{, title={Same}}\n" * 5_000)
    assert (len(found), found[-1].key) == (5_000, "same-5000")


def test_comments_and_what_is_no_work(tmp_path: Path) -> None:
    text = (
        "Exported for me@example {home}, do not edit!\n% @article{old, title={Old}}\n"
        + FIRST
        + '@comment{jabref-meta: databaseType:bibtex;}\n@Comment{@article{x, title={No}}}\n@preamble{"\\newcommand{\\x}{y}"}\n'
        + "@CONTROL{REVTEX41Control}\n@article{b,\n  % a remark, with = signs\n  title = {50% of it @ {home}}, % more\n"
        + "  author = {Poe, E.},\n  %year = {1999},\n  year = {2002}\n}\n"
    )
    assert [(item.key, item.document.year) for item in entries(tmp_path, text)] == [("first", 2001), ("b", 2002)]
    assert entries(tmp_path, text)[1].document.title == "50% of it @ home"
    assert problems(tmp_path, text) == []


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("", id="empty"),
        pytest.param(" \n\n", id="blank"),
        pytest.param("Just some text, me@example (home).\n" * 5, id="text"),
        pytest.param("<html><style>@media (x) { a = {b} } @page{x}</style><body>me@home {x}</body></html>", id="HTML"),
        pytest.param("@comment{only}\n@string{a = {b}}", id="no entries"),
        pytest.param(b"%PDF-1.4\n" + bytes(range(32)) * 50, id="binary"),
    ],
)
def test_what_is_no_bibliography(tmp_path: Path, content: str | bytes) -> None:
    with pytest.raises(ReadError):
        read(tmp_path, content)


def test_a_page_of_the_web_with_entries(tmp_path: Path) -> None:
    assert entry(tmp_path, f"<html><body><pre>{THIRD}</pre></body></html>").key == "third"


# -- encodings and sizes


@pytest.mark.parametrize(
    "content",
    [
        pytest.param((FIRST + THIRD).replace("\n", "\r\n"), id="CRLF"),
        pytest.param((FIRST + THIRD).replace("\n", "\r"), id="CR"),
        pytest.param("\ufeff" + FIRST + THIRD, id="BOM"),
        pytest.param((FIRST + THIRD).encode("utf-16"), id="UTF-16"),
    ],
)
def test_line_ends_and_marks(tmp_path: Path, content: str | bytes) -> None:
    assert [(item.key, item.line) for item in entries(tmp_path, content)] == [("first", 1), ("third", 7)]


def test_encodings_are_mixed(tmp_path: Path) -> None:
    content = (
        "@misc{a, title={Größe und 中文}, author={Müller, Jürgen}}\n".encode()
        + "@misc{b, title={Schöne Grüße}, author={Jäger, Götz}}\n".encode("cp1252")
        + "@misc{c, title={Ελληνικά και ελληνικά κείμενα".encode()[:-1]
        + b"}}\n"
        + "@misc{d, title={Naïve Bayes – «état»}}\n".encode("cp1252")
    )
    assert [(item.document.title, item.line) for item in entries(tmp_path, content)] == [
        ("Größe und 中文", 1),
        ("Schöne Grüße", 2),
        ("Ελληνικά και ελληνικά κείμεν\ufffd", 3),
        ("Naïve Bayes – «état»", 4),
    ]


@pytest.mark.parametrize(
    ("encoding", "title", "author"),
    [
        ("gbk", "基于深度学习的文本分类方法研究与应用", "王小明"),
        ("big5", "基於深度學習的文本分類方法研究與應用綜述", "陳大文"),
        ("shift_jis", "ニューラルネットワークにおける注意機構の研究", "山田太郎"),
        ("latin-1", "Über die Schönheit großer Bücher und Häuser für Mädchen", "Jürgen Müller"),
    ],
)
def test_whole_files_in_other_encodings(tmp_path: Path, encoding: str, title: str, author: str) -> None:
    found = entry(tmp_path, f"@misc{{a, title={{{title}}}, author={{{author}}}, year=2019}}\n".encode(encoding))
    assert (found.document.title, found.document.authors) == (title, (author,))


def test_jabref_says_its_encoding(tmp_path: Path) -> None:
    content = "% Encoding: ISO8859_2\n\n@misc{a, title={Żółć gęślą jaźń}}\n".encode("iso8859-2")
    assert entry(tmp_path, content).document.title == "Żółć gęślą jaźń"


def test_fields_of_a_megabyte_are_cut_and_told(tmp_path: Path) -> None:
    long = "x {a} \\'e " * 100_000
    author, abstract = "y" * 1_000_000, "word " * 200_000
    text = f"{FIRST}@misc{{big, title={{{long}}}, author={{{author}}}, abstract={{{abstract}}}, note={{{long}}}}}\n\n{THIRD}"
    found = {item.key: item for item in entries(tmp_path, text)}
    assert list(found) == ["first", "big", "third"]
    assert (len(found["big"].document.title), len(found["big"].abstract), len(found["big"].document.authors[0])) == (
        2_000,
        50_000,
        300,
    )
    assert [reason.split(";")[0] for _, reason in problems(tmp_path, text)] == [
        "the title of entry 'big' is too long",
        "the abstract of entry 'big' is too long",
        "entry 'big' has more than 5,000 authors, or names of 300 characters",
    ]


def test_pointers_cannot_multiply_without_end(tmp_path: Path) -> None:
    all_of_them = ",".join(f"b{n}" for n in range(40))
    webs = "".join(f"@xdata{{b{n}, xdata={{{all_of_them}}}, volume={{{n}}}}}\n" for n in range(40))
    (found,) = entries(tmp_path, f"@misc{{a, title={{T}}, xdata={{{all_of_them}}}}}\n{webs}")
    assert found.document.metadata == {"volume": "0"}


def test_abbreviations_cannot_multiply_without_end(tmp_path: Path) -> None:
    strings = "".join(f"@string{{a{n} = {' # '.join([f'a{n - 1}'] * 9)}}}\n" for n in range(1, 40))
    found = entries(
        tmp_path, f"@string{{a0 = {{{'x' * 50}}}}}\n{strings}@misc{{m, title = a39, author = {{A, B}}}}\n{THIRD}"
    )
    assert found[-1].key == "third"


@pytest.mark.parametrize(
    "piece",
    ["@", "@a{", "@a{\n", "@a{b,\n", "{", "}", '"', "@a{b,c={", "@string{a=", "\n%", '@a(b,c="', "@a{b,c={d}}\n"],
)
def test_files_of_one_sign(tmp_path: Path, piece: str) -> None:
    try:
        found = read(tmp_path, piece * 3_000)
    except ReadError:
        return
    assert all(isinstance(item, Problem) for item in found)


_PIECES = [
    "@article{",
    "@misc(",
    "@string{",
    "a",
    "key,",
    "title",
    " = ",
    "{",
    "}",
    '"',
    ",",
    "#",
    "\n",
    "\\",
    "%",
    "2019",
    "and",
    "é",
    "王",
    "crossref={a}",
    ")",
]


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(_PIECES), max_size=60))
def test_any_file_gives_entries_problems_or_a_read_error(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    try:
        found = read(tmp_path_factory.getbasetemp(), "".join(pieces))
    except ReadError:
        return
    assert all(isinstance(item, (BibEntry, Problem)) for item in found)


def test_damaged_libraries(tmp_path: Path) -> None:
    source = Path(scholarmind.__file__).parent / "demo/library.bib"
    text = source.read_text(encoding="utf-8")
    whole = len(entries(tmp_path, text))
    dice = random.Random(4)
    for _ in range(20):
        place = dice.randrange(len(text))
        damaged = text[:place] + dice.choice(["", "{", "}", '"', "@", ",", "=", "\\", "\n@"]) + text[place + 1 :]
        assert len(entries(tmp_path, damaged)) >= whole - 2


# -- files of our own


def test_the_demo_library(tmp_path: Path) -> None:
    source = Path(scholarmind.__file__).parent / "demo/library.bib"
    found = list(BibtexReader(LIMIT).entries(source))
    assert len(found) == source.read_text(encoding="utf-8").count("\n@") + 1
    assert all(isinstance(item, BibEntry) and item.files and item.document.year for item in found)


def test_our_own_export_comes_back_as_the_same_works(tmp_path: Path) -> None:
    source = Path(scholarmind.__file__).parent / "demo/library.bib"
    documents = [item.document for item in BibtexReader(LIMIT).entries(source) if isinstance(item, BibEntry)]
    documents += [
        Document(
            id="x",
            title=r"a } b { c \ 50% & #1 ~ ^ $x_1$ GPT-2",
            authors=("Smith and Sons, Inc.", "Ludwig van Beethoven", "others"),
        ),
        Document(
            id="y",
            title="注意力机制综述",
            authors=("王小明", "清华大学", "Martin King, Jr."),
            year=2020,
            metadata={"journal": "软件学报", "pages": "1–9"},
        ),
        Document(
            id="z",
            title="Thesis",
            kind="phdthesis",
            authors=("Æsa Þórðardóttir",),
            year=2001,
            metadata={"school": "Háskóli Íslands"},
        ),
        Document(
            id="w",
            title="Report",
            kind="techreport",
            year=2001,
            metadata={"institution": "NASA", "url": "http://a.org/~b_c%20d"},
        ),
    ]
    back = [item.document for item in entries(tmp_path, export(documents))]
    assert [work_of(document) for document in back] == [work_of(document) for document in documents]
    assert [people(document.authors) for document in back] == [people(document.authors) for document in documents]
