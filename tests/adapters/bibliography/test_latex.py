"""LaTeX in bibliographies, in the spellings that programs and people use, and what becomes of it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.bibliography.bibliography_text import decode_latex, paragraphs, verbatim


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"G{\"o}del", "Gödel"),
        (r"G\"{o}del", "Gödel"),
        (r"G\"odel", "Gödel"),
        (r"G{\"{o}}del", "Gödel"),
        (r"{\" o}", "ö"),
        (r"Mart{\'\i}nez", "Martínez"),
        (r"Mart{\'{\i}}nez", "Martínez"),
        (r"Mart\'{\i}nez", "Martínez"),
        (r"Mart\'\i nez", "Martínez"),
        (r"Mart\'inez", "Martínez"),
        (r"{\v C}apek, \v{C}apek, {\v{C}}apek", "Čapek, Čapek, Čapek"),
        (r"Fran\c{c}ois", "François"),
        (r"{\c S}ahin", "Şahin"),
        (r"Erd{\H{o}}s, Erd{\H o}s", "Erdős, Erdős"),
        (r"Nguy{\~{\^e}}n", "Nguyễn"),
        (r"Tr{\^{\'a}}n", "Trấn"),
        (r"{\.Z}, \.{I}", "Ż, İ"),
        (r"\k{a} \u{g} \r{u} \={a} \d{s} \b{d}", "ą ğ ů ā ṣ ḏ"),
        (r"Stra{\ss}e Stra\ss{}e Stra\ss e", "Straße Straße Straße"),
        (r"S{\o}ren S\o ren \O{}stergaard", "Søren Søren Østergaard"),
        (r"{\AA}sa \aa{} \ae \AE{}r {\oe}", "Åsa å æÆr œ"),
        (r"{\L}ukasz \L{}ukasz \l", "Łukasz Łukasz ł"),
        (r"{\dh}{\th}{\dj}{\i}", "ðþđı"),
        (r"O\'Reilly and don\'t", "O'Reilly and don't"),
        (r"\'{} \~{} \^{}", "' ~ ^"),
    ],
)
def test_accents(latex: str, expected: str) -> None:
    assert decode_latex(latex) == expected


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"1990--1995 --- ``so called''", "1990–1995 — “so called”"),
        (r"Q\&A, 50\%, a\_b, \#1, \$5, \{x\}", "Q&A, 50%, a_b, #1, $5, {x}"),
        (r"E.~coli and vs.\ others", "E. coli and vs. others"),
        (r"see \url{http://a.org/x--y_z~u}", "see http://a.org/x--y_z~u"),
        (r"\href{http://a.org}{the page}", "the page"),
        (r"\emph{in vivo} \textbf{bold {\em both}} {\sc Small}", "in vivo bold both Small"),
        (r"{BERT}: {P}re-training of {{Deep}} {LaTeX}", "BERT: Pre-training of Deep LaTeX"),
        (r"\LaTeX{} and \LaTeX\ too", "LaTeX and LaTeX too"),
        (r"Main text\footnote{not this}, {\noopsort{1973b}}1973", "Main text, 1973"),
        (r"\textsuperscript{13}C and H\textsubscript{2}O", "¹³C and H₂O"),
        (r"one\\two \newline three\-four", "one two three" + "four"),
        (r"\textendash{} \textquoteright s \textasciitilde x \ldots", "– ’s ~x …"),
        (r"\unheardof{kept} and \unheardof", "kept and unheardof"),
        ("a\n   b\tc", "a b c"),
        ("<i>In vivo</i> CO<sub>2</sub> &amp; H&#8209;bonds", "In vivo CO2 & H‑bonds"),
        ("a < b & c > d; AT&T", "a < b & c > d; AT&T"),
        ("trailing \\", "trailing"),
        ("plain text, it's fine", "plain text, it's fine"),
    ],
)
def test_signs_and_commands(latex: str, expected: str) -> None:
    assert decode_latex(latex) == expected


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"$k$-means in $O(n \log n)$", "k-means in O(n log n)"),
        (r"$\beta$-VAE $\rightarrow$ $\alpha \leq \infty$", "β-VAE → α ≤ ∞"),
        (r"CO$_2$ at 10$^{-3}$ and $n^{2}$", "CO₂ at 10⁻³ and n²"),
        (r"$x_{ij}$ and $\ell_1$ and $e^{i\pi}$", "x_ij and ℓ₁ and e^iπ"),
        (r"$\mathcal{O}(\sqrt{n})$ or $\frac{1}{2}$", "O(√n) or 1/2"),
        (r"\(x^2\) stays", "x² stays"),
        ("costs $5 and then $10 more", "costs $5 and then $10 more"),
        (r"$p < 0.05$ and $q > 3$", "p < 0.05 and q > 3"),
        ("one $ alone", "one $ alone"),
    ],
)
def test_formulas_stay_readable(latex: str, expected: str) -> None:
    assert decode_latex(latex) == expected


def test_paragraphs_of_an_abstract() -> None:
    text = "First line\nof \\emph{one}.\n\n  Second.\\par Third.<jats:p>Fourth.</jats:p>"
    assert paragraphs(text) == "First line of one.\n\nSecond.\n\nThird.\n\nFourth."


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        (r"http://a.org/\~{}me/a\_b?x=1\&y=2\%20--z", "http://a.org/~me/a_b?x=1&y=2%20--z"),
        (r"\url{http://a.org/{\textasciitilde}me}", "http://a.org/~me"),
        (r"http://a.org/$\sim$me", "http://a.org/~me"),
        (r"10.1000/a{\_}b", "10.1000/a_b"),
        ("http://a.org/~me--you", "http://a.org/~me--you"),
    ],
)
def test_addresses_keep_their_signs(latex: str, expected: str) -> None:
    assert verbatim(latex) == expected


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="\\{}$^_~'\"`-cvio aé&<>%#0\n", max_size=60))
def test_any_text_is_read_in_one_line(text: str) -> None:
    found = decode_latex(text)
    assert found == " ".join(found.split())
    assert not any(ord(character) < 32 for character in found)


@pytest.mark.parametrize(
    "piece", ["{", "\\'", "$", "\\frac{", "<i ", "``", "\\x{", "&#", " \\c", "^{", "\\textsuperscript{"]
)
def test_a_million_signs_end_soon(piece: str) -> None:
    assert len(decode_latex(piece * 30_000)) <= 30_000 * len(piece)
