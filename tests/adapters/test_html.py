"""Web pages: which text is the page's, how it is written out, what the page says of itself, what tries to break it."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.html import HtmlReader, compose
from scholarmind.adapters.readers.web_pages import parse
from scholarmind.errors import ReadError
from scholarmind.model import Fact, Problem, Reading

LIMIT = 10_000_000
PROSE = "The model reads every word of the sentence and weighs the others by how much they matter, which takes time. "


def read(folder: Path, content: str | bytes, name: str = "page.html") -> list[Reading | Problem]:
    """Write the page and return all that its reader gives."""
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return list(HtmlReader(LIMIT).read(path))


def reading(folder: Path, content: str | bytes) -> Reading:
    """Return the document of a page."""
    (found,) = (item for item in read(folder, content) if isinstance(item, Reading))
    check(found)
    return found


def text(folder: Path, body: str) -> str:
    """Return the text of a page with this body."""
    return reading(folder, f"<html><body>{body}</body></html>").text


def regions(found: Reading) -> list[tuple[str, str]]:
    """Return kind and text of each region."""
    return [(region.kind, found.text[region.start : region.end]) for region in found.regions]


def check(found: Reading) -> None:
    """Headings stand where they are said to; regions are in order, apart, and between paragraphs."""
    for section in found.sections:
        assert found.text[section.heading : section.start] == section.path[-1]
    borders = [place for region in found.regions for place in (region.start, region.end)]
    assert borders == sorted(borders)
    for region in found.regions:
        assert found.text[: region.start].endswith("\n\n") or region.start == 0
        assert found.text[region.end :].startswith("\n\n") or region.end == len(found.text)


# -- what is written


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p>One\n  line<p>and  another", "One line\n\nand another"),
        ("<p>broken<br>line, then<br><br>a paragraph", "broken line, then\n\na paragraph"),
        ("<p>注意力\n机制是\n方法，\n重要 的", "注意力机制是方法，重要 的"),
        ("<p>a <b>bold</b><i>ly</i> <a href=x>set</a> word", "a boldly set word"),
        ("<p>soft\u00adhyphen and a wide&nbsp;space", "softhyphen and a wide space"),
        ("text<div>in a div</div>tail", "text\n\nin a div\n\ntail"),
        ("<ul><li>one<li>two <b>x</b><ul><li>deep</ul></ul>after", "one\ntwo x\ndeep\n\nafter"),
        ("<ol><li><p>one</p><p>more</p><li>two</ol>", "one more\ntwo"),
        ("<dl><dt>term<dd>what it means</dl>", "term\nwhat it means"),
        ("<pre>def f():\n    return 1</pre>", "def f():\n    return 1"),
        ("<p>use <code>a_b</code> and 10<sup>6</sup>, the 1<sup>st</sup>", "use a_b and 10^6, the 1st"),
        ("<p>as shown<sup><a href='#ref-CR3'>3</a></sup> and<sup><a href='#note1'>1</a></sup>", "as shown [3] and"),
        ("<p>as shown<sup><a href='#cite_note-1'>[1]</a></sup>.", "as shown[1]."),
        ("<p>One.<sup>1</sup> Two.<sup>1, 2</sup>", "One.^1 Two.^1, 2^"),
        ("<ruby>漢字<rp>(</rp><rt>かんじ</rt></ruby>", "漢字"),
        ("<p>A<script>alert('x')</script>B<style>p{}</style><template>t</template><noscript>n</noscript>", "AB"),
        ("<p>a</p><!-- comment <p>b</p> --><p>c", "a\n\nc"),
        ("<blockquote><p>said</p></blockquote>", "said"),
        ("<p>&lt;b&gt; &amp; &#8364; &euro; &nosuch;", "<b> & € € &nosuch;"),
    ],
)
def test_text(tmp_path: Path, body: str, expected: str) -> None:
    assert text(tmp_path, body) == expected


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (r'<math alttext="\alpha^{2}"><mi>α</mi></math>', r"\alpha^{2}"),
        (r'<math alttext="{\displaystyle x+1}"><mi>x</mi></math>', "x+1"),
        (
            "<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>x_1</annotation></semantics></math>",
            "x_1",
        ),
        ("<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", "x=1"),
        ('<script type="math/tex">y^2</script>', "y^2"),
        ('<img class="tex" alt="z_3" src="z.png">', "z_3"),
        ('<span class="katex"><span class="katex-html">x1</span></span>', ""),
    ],
)
def test_formulas_are_given_as_they_were_written(tmp_path: Path, formula: str, expected: str) -> None:
    assert text(tmp_path, f"<p>where {formula} holds") == " ".join(f"where {expected} holds".split())


def test_headings_become_sections(tmp_path: Path) -> None:
    found = reading(
        tmp_path, "<h1>A <i>b</i><a class=headerlink href=#a>¶</a></h1>x<h3>C</h3>y<h2>D</h2>z<h2> </h2><h1>E</h1>"
    )
    assert found.text == "A b\n\nx\n\nC\n\ny\n\nD\n\nz\n\nE"
    assert [section.path for section in found.sections] == [("A b",), ("A b", "C"), ("A b", "D"), ("E",)]


def test_tables_with_a_header(tmp_path: Path) -> None:
    found = reading(
        tmp_path,
        "<p>before<table><caption>Table 1: Scores</caption><thead><tr><th rowspan=2>Model<th colspan=2>Score<tr><th>A<th>B</thead>"
        "<tr><td>BERT<td>1<td>2<tr><td rowspan=2>GPT<td>3<td>4<tr><td>5<td></table><p>after",
    )
    rows = "Model: BERT; Score A: 1; Score B: 2\nModel: GPT; Score A: 3; Score B: 4\nModel: GPT; Score A: 5"
    assert regions(found) == [("caption", "Table 1: Scores"), ("table", rows)]
    assert found.text == f"before\n\nTable 1: Scores\n\n{rows}\n\nafter"


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ("<tr><td>a<td>b<tr><td>c<td>d", "a | b\nc | d"),
        ("<tr><th>Born<td>1912<tr><th>Died<td>1954", "Born: 1912\nDied: 1954"),
        ("<tr><th>A<th>B<tr><td>1<td>2<td>3", "A: 1; B: 2; 3"),
        ("<tr><th>A<th>B<tr><td colspan=2>Group<tr><td>1<td>2", "Group\nA: 1; B: 2"),
        ("<tr><th>A<th>B", "A | B"),
    ],
)
def test_tables(tmp_path: Path, table: str, expected: str) -> None:
    assert regions(reading(tmp_path, f"<table class=data>{table}</table>")) == [("table", expected)]


def test_a_table_that_places_the_page_is_no_table(tmp_path: Path) -> None:
    found = reading(tmp_path, f"<table><tr><td><h1>Title</h1></td><td><p>{PROSE}</td></tr></table>")
    assert found.text == f"Title\n\n{PROSE.strip()}"
    assert found.regions == ()


def test_captions_are_regions(tmp_path: Path) -> None:
    found = reading(
        tmp_path, "<p>a<figure><img src=x alt=photo><figcaption>Figure 1: <b>What</b> it is</figcaption></figure><p>b"
    )
    assert regions(found) == [("caption", "Figure 1: What it is")]


@pytest.mark.parametrize(
    "listed",
    [
        "<h2>5. References</h2><ol><li>Foo, B. 2019.<li>Bar, C. 2020.</ol>",
        "<h2>参考文献</h2><ol><li>Foo, B. 2019.<li>Bar, C. 2020.</ol>",
        "<ol class=references><li>Foo, B. 2019.<li><b>^</b> Bar, C. 2020.</ol>",
        (
            "<section class=ltx_bibliography><ul><li><span class=ltx_tag>[1]</span> <span class=ltx_bibblock>Foo, B.</span>"
            "<span class=ltx_bibblock> 2019.</span><li><span class=ltx_tag>[2]</span> Bar, C. 2020.</ul></section>"
        ),
        "<h2>Bibliography</h2><p>[1] Foo, B. 2019.<p>[2] Bar, C. 2020.",
        (
            "<div class=csl-bib-body><div class=csl-entry><div class=csl-left-margin>[1]</div>"
            " <div class=csl-right-inline>Foo, B. 2019.</div>"
            "</div><div class=csl-entry><div class=csl-left-margin>[2]</div> <div class=csl-right-inline>Bar, C. 2020.</div></div></div>"
        ),
    ],
)
def test_references_are_one_a_line(tmp_path: Path, listed: str) -> None:
    found = reading(tmp_path, f"<h1>T</h1><p>{PROSE}{listed}<h2>Appendix</h2><p>more")
    assert regions(found) == [("references", "[1] Foo, B. 2019.\n[2] Bar, C. 2020.")]
    assert found.text.endswith("Appendix\n\nmore")


def test_the_abstract_is_a_region(tmp_path: Path) -> None:
    by_heading = reading(tmp_path, "<h1>T</h1><h2>Abstract</h2><p>We show.<p>It works.<h2>Introduction</h2><p>First")
    by_class = reading(tmp_path, "<h1>T</h1><div class=ltx_abstract><p>We show.</p><p>It works.</p></div><p>First")
    assert regions(by_heading) == regions(by_class) == [("abstract", "We show.\n\nIt works.")]


def test_footnotes_stand_behind_their_paragraph(tmp_path: Path) -> None:
    note = "<span class='ltx_note ltx_role_footnote'><sup class=ltx_note_mark>1</sup><span class=ltx_note_content>A note.</span></span>"
    found = reading(tmp_path, f"<p>One{note} line.<p>Two")
    assert found.text == "One line.\n\nA note.\n\nTwo"
    assert regions(found) == [("footnote", "A note.")]


# -- which part of the page

MENU = "<ul>" + "".join(f"<li><a href=/{n}>Menu {n}</a>" for n in range(12)) + "</ul>"


@pytest.mark.parametrize(
    "page",
    [
        "<nav>{menu}</nav><main>{body}</main><footer>Imprint</footer>",
        "<header><a href=/>Site</a></header><article>{body}</article><aside>Also read</aside>",
        "<div class=navbar>{menu}</div><div id=content>{body}</div><div class='cookie-banner'>We use cookies <button>OK</button></div>",
        "<div>{menu}</div><div><div><div>{body}</div></div><div>{menu}</div></div>",
        "<form><table><tr><td>{menu}</td><td>{body}</td></tr></table></form>",
        "<div role=navigation>{menu}</div>{body}<div role=contentinfo>Imprint</div>",
        "<div hidden>secret</div><div style='display: none'>secret</div>{body}",
        "<main>{body}<div class='share-buttons'>Share</div><div class=related>Related</div></main>",
    ],
)
def test_only_the_main_text_is_read(tmp_path: Path, page: str) -> None:
    body = f"<h1>Title</h1><p>{PROSE * 3}</p><h2>Next</h2><p>{PROSE * 4}</p>"
    expected = f"Title\n\n{(PROSE * 3).strip()}\n\nNext\n\n{(PROSE * 4).strip()}"
    assert text(tmp_path, page.format(menu=MENU, body=body)) == expected


def test_sections_beside_each_other_are_all_read(tmp_path: Path) -> None:
    found = text(tmp_path, "".join(f"<div class=s><h2>S{n}</h2><p>{PROSE * 2}</p></div>" for n in range(5)))
    assert [f"S{n}" in found for n in range(5)] == [True] * 5


def test_a_section_on_related_work_is_no_menu(tmp_path: Path) -> None:
    found = text(
        tmp_path,
        f"<section id=related><h2>Related work</h2><p>{PROSE}</p></section><section><p>{PROSE * 9}</p></section>",
    )
    assert "Related work" in found


def test_a_list_of_links_in_the_main_text_stays(tmp_path: Path) -> None:
    assert "Menu 11" in text(tmp_path, f"<main><p>{PROSE * 9}</p><h2>Further reading</h2>{MENU}</main>")


@pytest.mark.parametrize(
    "body", ["<p>Hello.", "Hello.", "<nav>Hello.</nav>", "<form>Hello.</form>", "<footer>Hello.</footer>"]
)
def test_a_short_page_is_read_whole(tmp_path: Path, body: str) -> None:
    assert text(tmp_path, body) == "Hello."


# -- what the page says of itself


def test_highwire_metadata(tmp_path: Path) -> None:
    tags = {
        "citation_title": "Attention &amp; Memory",
        "citation_journal_title": "Journal of Tests",
        "citation_publication_date": "2019/06/01",
        "citation_doi": "10.1000/xyz.1",
        "citation_arxiv_id": "1906.01234",
        "og:title": "Attention | Site",
    }
    head = "".join(f'<meta name="{name}" content="{content}">' for name, content in tags.items())
    head += '<meta name=citation_author content="Müller, Jürgen"><meta name=citation_author content="王伟">'
    found = reading(tmp_path, f"<html lang=en-GB><head>{head}<title>x</title></head><body>{PROSE}</body></html>")
    document = found.document
    assert (document.title, document.authors, document.year) == ("Attention & Memory", ("Müller, Jürgen", "王伟"), 2019)
    assert (document.source, document.language, document.kind) == ("Journal of Tests", "en", "paper")
    assert document.metadata == {"doi": "10.1000/xyz.1", "arxiv": "1906.01234"}
    assert Fact(field="title", value="Attention & Memory", source="document properties", sure=0.9) in found.facts
    assert Fact(field="title", value="page", source="file name", sure=0.2) in found.facts


def test_json_ld(tmp_path: Path) -> None:
    record = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "Organization", "name": "Site"},
            {
                "@type": ["NewsArticle"],
                "headline": "Found it",
                "author": [{"name": "Ada L."}, "Grace H."],
                "datePublished": "2021-02-03T04:05",
                "publisher": {"name": "The Paper"},
            },
        ],
    }
    found = reading(tmp_path, f'<script type="application/ld+json">{json.dumps(record)}</script><p>{PROSE}').document
    assert (found.title, found.authors, found.year, found.source) == (
        "Found it",
        ("Ada L.", "Grace H."),
        2021,
        "The Paper",
    )


@pytest.mark.parametrize(
    "record", ["{", "[" * 100_000, '"text"', "[1, null]", '{"@type": "Article", "author": 3}', "1" * 10_000]
)
def test_broken_json_ld_says_nothing(tmp_path: Path, record: str) -> None:
    assert reading(tmp_path, f'<script type="application/ld+json">{record}</script><p>{PROSE}').document.authors == ()


def test_dublin_core(tmp_path: Path) -> None:
    head = '<meta name="DC.title" content="T"><meta name="DC.creator" content="A B; C D"><meta name="DC.date" content="1999-01">'
    found = reading(tmp_path, f"<head>{head}</head><p>{PROSE}").document
    assert (found.title, found.authors, found.year) == ("T", ("A B", "C D"), 1999)


@pytest.mark.parametrize(
    ("head", "body", "expected"),
    [
        ("<title>A paper | The Site</title>", "<h1>A paper</h1>", "A paper"),
        ("<title>A paper</title>", "<p>x", "A paper"),
        ("<title>The Site</title>", "<h1>A paper</h1>", "A paper"),
        (
            "<title>tool(1)</title>",
            f"<div id=header><h1>tool(1) Manual</h1></div><div><h2>SYNOPSIS</h2><p>{PROSE * 4}</div>",
            "tool(1)",
        ),
        ("<title>The Site</title>", f"<h2>A post</h2><p>{PROSE}", "A post"),
        ("", "<p>x", "page"),
        ("<title> </title>", "<p>x", "page"),
    ],
)
def test_titles(tmp_path: Path, head: str, body: str, expected: str) -> None:
    assert reading(tmp_path, f"<head>{head}</head><body>{body}").document.title == expected


# -- encodings

WORDS = "注意力机制是深度学习中的一种重要方法"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"<meta charset=gb2312><p>{WORDS}".encode("gb18030"), WORDS),
        (f"<meta http-equiv=content-type content='text/html; charset=big5'><p>{'測試' * 9}".encode("big5"), "測試" * 9),
        ("<meta charset=iso-8859-1><p>“café”".encode("cp1252"), "“café”"),
        ("<meta charset=iso-8859-1><p>café".encode(), "café"),
        ("<meta charset=shift_jis><p>日本語の文章です".encode("shift_jis"), "日本語の文章です"),
        ("<meta charset=iso-2022-jp><p>日本語の文章です".encode("iso-2022-jp"), "日本語の文章です"),
        (f"<meta charset=latin1><p>{WORDS}".encode("utf-8-sig"), WORDS),
        (f"<p>{WORDS}".encode("utf-16"), WORDS),
        (f"<?xml version='1.0' encoding='gbk'?><html><body><p>{WORDS}".encode("gbk"), WORDS),
        (b"<meta charset=nonsense><p>caf\xe9 and some more words", "café and some more words"),
        (b"<meta charset=rot13><p>caf\xe9 and some more words", "café and some more words"),
        ("<p>имя वर्ण اسم 名字 이름 όνομα שם 😀".encode(), "имя वर्ण اسم 名字 이름 όνομα שם 😀"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, expected: str) -> None:
    assert reading(tmp_path, content).text == expected


@pytest.mark.parametrize("charset", ["utf-7", "hex", "base64", "idna", "punycode", "unicode_escape", "zlib"])
def test_no_encoding_breaks_it(tmp_path: Path, charset: str) -> None:
    assert "plain words" in reading(tmp_path, f"<meta charset={charset}><p>plain words \u00e9".encode("latin-1")).text


# -- what tries to break it


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b" \n ", "it is empty"),
        (b"%PDF-1.7 ...", "it is a PDF, not HTML"),
        (b"PK\x03\x04...", "it is a zip archive, not HTML"),
        (b"\x89PNG...", "it is a PNG image, not HTML"),
        (b"<!-- nothing -->", "it has no text"),
        (
            b"<html><head><title>T</title></head><body><script>app()</script></body></html>",
            "it has no text, only code or pictures",
        ),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: bytes, reason: str) -> None:
    with pytest.raises(ReadError) as error:
        read(tmp_path, content)
    assert error.value.reason == reason
    assert error.value.advice


@pytest.mark.parametrize("tag", ["div", "span", "font", "b", "table><tr><td", "ul><li", "blockquote", "section"])
def test_a_hundred_thousand_levels(tmp_path: Path, tag: str) -> None:
    items = read(tmp_path, f"<p>before{f'<{tag}>' * 100_000}inside<p>after")
    assert isinstance(items[0], Reading)
    assert items[0].text.split() == ["before", "inside", "after"]
    assert isinstance(items[1], Problem)
    assert items[1].lasting


def test_a_thousand_levels_are_fine(tmp_path: Path) -> None:
    assert text(tmp_path, f"{'<div>' * 1_000}inside{'</div>' * 1_000}<p>after") == "inside\n\nafter"


def test_of_a_huge_table_the_first_rows_are_read() -> None:
    rows = "".join(f"<tr><td>a{n}<td>b{n}" for n in range(5_000))
    content = f"<table><tr><th>A<th>B{rows}</table><p>after"
    page = parse(content, most_rows=50)
    written = compose(content, page).text
    assert written.count("\n") == 48 + 2
    assert written.endswith("A: a48; B: b48\n\nafter")
    assert [reason for reason, _ in page.losses] == ["its tables have 5,001 rows: the first 50 are read"]


def test_of_a_huge_page_the_beginning_is_read() -> None:
    page = parse("<p>word" * 60_000, most_tags=10_000)
    assert 9_000 < len(page.root.findall(".//p")) < 30_000
    ((reason, _),) = page.losses
    assert reason.startswith("it has more than 5,000 elements")


@pytest.mark.parametrize(
    "piece",
    ["<", "<a ", "<!--", "<script>", "<table>", "<tr>", "<td colspan=999>", "&#x110000;", "</p>", "<h1>", "<li>"],
)
def test_endless_repetition(tmp_path: Path, piece: str) -> None:
    assert "start" in reading(tmp_path, f"<p>start</p>{piece * 20_000}").text


def test_cells_that_claim_the_whole_world(tmp_path: Path) -> None:
    cell = "<td rowspan=99999 colspan=99999>x"
    found = reading(tmp_path, f"<table class=data>{f'<tr>{cell * 10}' * 500}</table>")
    assert len(found.text) < 50_000


def test_the_self_closed_title_of_xhtml(tmp_path: Path) -> None:
    page = '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="x"/></head><p>Text</p></html>'
    assert reading(tmp_path, page).text == "Text"


def test_nothing_is_expanded_and_nothing_is_fetched(tmp_path: Path) -> None:
    page = '<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd">]><html><body><p>a &x; b<iframe src="http://127.0.0.1/"></iframe>'
    assert "root:" not in reading(tmp_path, page).text


TAGS = st.sampled_from("p div table tr td th li ul ol h1 h2 pre a sup math br caption figure main section span".split())
PIECES = st.one_of(
    TAGS.map("<{}>".format),
    TAGS.map("</{}>".format),
    st.sampled_from(["word ", "字\n", "<!--", "-->", "&amp;", "References"]),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=60))
def test_whatever_the_tags_the_words_stay_and_the_offsets_hold(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("html", numbered=True)
    path = folder / "page.html"
    path.write_text(f"{''.join(pieces)}--></pre><p>last")
    for item in HtmlReader(LIMIT).read(path):
        if isinstance(item, Reading):
            check(item)
            assert "last" in item.text


@pytest.mark.timeout(20)  # the parser alone takes minutes
@pytest.mark.parametrize("attribute", [' a{}="v"', ' a{}=">"', " a{}='<'", " a{}", "/a{}", " a{}=/b/"])
def test_an_element_with_very_many_attributes_is_read_without_them(tmp_path: Path, attribute: str) -> None:
    crowd = "".join(map(attribute.format, range(200_000)))
    found, told = read(tmp_path, f'<html><body><p{crowd}>{PROSE}</p><p class="x">And more.</p></body></html>')
    assert isinstance(found, Reading)
    assert found.text.split("\n") == [PROSE.strip(), "", "And more."]
    assert isinstance(told, Problem)
    assert told.reason == "an element has more than 1,000 attributes: they are left out"


def test_long_attributes_are_not_many(tmp_path: Path) -> None:
    words = " ".join(f"c{n}" for n in range(5_000))
    (found,) = read(tmp_path, f"<p class='{words}' style=\"{words}\">{PROSE}</p><img src='data:{'A=' * 50_000}'>")
    assert isinstance(found, Reading)
    assert found.text == PROSE.strip()
