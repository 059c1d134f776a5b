"""LaTeX sources: what they say, how their parts are written out, what is broken in them."""

import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scholarmind.adapters.readers.latex_reader import LatexReader
from scholarmind.errors import ReadError
from scholarmind.model import Problem, Reading

LIMIT = 10_000_000


def read(path: Path) -> tuple[Reading, list[Problem]]:
    """Return the document, and what was wrong with it."""
    first, *others = LatexReader(LIMIT).read(path)
    assert isinstance(first, Reading)
    check(first)
    return first, [item for item in others if isinstance(item, Problem)]


def check(found: Reading) -> None:
    """Headings stand where they are said to; regions are in order, and between paragraphs."""
    for section in found.sections:
        assert found.text[section.heading : section.start] == section.path[-1]
    borders = [place for region in found.regions for place in (region.start, region.end)]
    assert borders == sorted(borders)
    for region in found.regions:
        assert found.text[region.end :].startswith("\n\n") or region.end == len(found.text)


def source(folder: Path, body: str, preamble: str = "") -> Path:
    """Write an article with this body."""
    path = folder / "paper.tex"
    path.write_text(
        f"\\documentclass{{article}}\n{preamble}\n\\begin{{document}}\n{body}\n\\end{{document}}\nnever read"
    )
    return path


def text(folder: Path, body: str, preamble: str = "") -> str:
    """Return the text of an article."""
    return read(source(folder, body, preamble))[0].text


def regions(found: Reading) -> list[tuple[str, str]]:
    """Return kind and text of each region."""
    return [(region.kind, found.text[region.start : region.end]) for region in found.regions]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("One\nline.\n\nTwo.", "One line.\n\nTwo."),
        ("A % comment\nB 5\\% C%\n  D", "A B 5% CD"),
        ("``Quoted'' text---with -- dashes and~ties", "“Quoted” text—with – dashes and ties"),
        (r"\emph{a} \textbf{b \textit{c}} {\bf d} \textcolor{red}{e}", "a b c d e"),
        (r"na\"{\i}ve caf\'e \v{C}apek Erd\H{o}s Gr\o nland stra\ss e \c{c}a \AA{} \ae", "naïve café Čapek Erdős Grønland straße ça Å æ"),
        (r"Sm\o{}rrebr\o d, M\"uller, {\"O}zt{\"u}rk", "Smørrebrød, Müller, Öztürk"),
        (r"where $x_i \in \{1, 2\}$ and \(y\) cost \$5", r"where $x_i \in \{1, 2\}$ and $y$ cost $5"),
        ("so\n\\begin{equation}\\label{e}\na = b\n\\end{equation}\nholds \\[ c \\] and $$d$$ too", "so a = b holds c and d too"),
        (r"\url{http://a.b/c_d%20e} and \href{http://x.y}{this}", "http://a.b/c_d%20e and this"),
        (r"\verb|a_{b|, \texttt{c\_d}", "a_{b, c_d"),
        (r"a\\b\\[2pt]c \newline d", "a b c d"),
        (r"\LaTeX{} and \ldots\ so", "LaTeX and … so"),
        (r"\unknown{kept} \vspace{2cm}\label{x}\includegraphics[width=1cm]{p.png} end", "kept end"),
        ("\\begin{itemize}\\item one \\item[Two] two\n more\\begin{enumerate}\\item deep\\end{enumerate}\\end{itemize}after",
         "one\nTwo two more\ndeep\n\nafter"),
        (r"\begin{quote}said\end{quote}after", "said\n\nafter"),
        (r"\paragraph{Setup.} We do. \paragraph{Why} It is.", "Setup. We do.\n\nWhy. It is."),
        ("a\n\\begin{verbatim}\nx % {\n  y\n\\end{verbatim}\nb", "a\n\nx % {\n  y\n\nb"),
        ("\\begin{lstlisting}[language=C]\nint a; // 5%\n\\end{lstlisting}", "int a; // 5%"),
        (r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}shown", "shown"),
        (r"\iffalse hidden \fi shown", "shown"),
        ("注意力\n机制，\\emph{重要}", "注意力机制，重要"),
        (r"имя \textbf{वर्ण} اسم 이름 😀", "имя वर्ण اسم 이름 😀"),
    ],
)  # fmt: skip
def test_text(tmp_path: Path, body: str, expected: str) -> None:
    assert text(tmp_path, body) == expected


def test_sections(tmp_path: Path) -> None:
    found, _ = read(source(tmp_path, r"\section{A \emph{b}}x\subsection*{C}y\subsubsection[s]{D}z\section{E}w"))
    assert found.text == "A b\n\nx\n\nC\n\ny\n\nD\n\nz\n\nE\n\nw"
    assert [section.path for section in found.sections] == [("A b",), ("A b", "C"), ("A b", "C", "D"), ("E",)]


def test_the_front(tmp_path: Path) -> None:
    preamble = r"""\title[Short]{A \textbf{Great} Paper\thanks{Funded.}\\ on $n$-grams}
\author{Jürgen M\"uller$^{1,*}$ \and Ana Mar\'{\i}a L\'opez\thanks{Equal} \\ University of X \\ \texttt{a@b.c} \And
 Wei Zhang, Li Wang and Bo Chen\\ Google Research}
\date{March 2021}"""
    found, _ = read(source(tmp_path, r"\maketitle\begin{abstract}We \emph{show}.\end{abstract}Text.", preamble))
    document = found.document
    assert document.title == "A Great Paper on $n$-grams"
    assert document.authors == ("Jürgen Müller", "Ana María López", "Wei Zhang", "Li Wang", "Bo Chen")
    assert (document.year, document.kind, document.metadata) == (2021, "paper", {})
    assert found.text == "We show.\n\nText."
    assert regions(found) == [("abstract", "We show.")]


@pytest.mark.parametrize(
    ("authors", "expected"),
    [
        (r"\author{\IEEEauthorblockN{Jo Ann Doe}\IEEEauthorblockA{Some Lab\\City} \and \IEEEauthorblockN{A. B. Cee, Dee Eff}}",
         ("Jo Ann Doe", "A. B. Cee", "Dee Eff")),
        (r"\author{Jo Doe}\affiliation{X}\author{王伟}\email{a@b}", ("Jo Doe", "王伟")),
        (r"\author[1]{Jo van Doe}\author[2]{Ann-Marie O'Neil}\affil[1]{University}", ("Jo van Doe", "Ann-Marie O'Neil")),
        (r"\author{Jo Doe\inst{1}\orcidID{0000-1} \and Ann Lee\inst{2}}\institute{X}", ("Jo Doe", "Ann Lee")),
        (r"\author{{\bf Jo Doe}, \textbf{Ann Lee}}", ("Jo Doe", "Ann Lee")),
        (r"\author{}", ()),
    ],
)  # fmt: skip
def test_authors(tmp_path: Path, authors: str, expected: tuple[str, ...]) -> None:
    assert read(source(tmp_path, "Text.", authors))[0].document.authors == expected


def test_floats_stand_behind_the_paragraph_that_they_interrupt(tmp_path: Path) -> None:
    found, _ = read(
        source(
            tmp_path,
            "A sentence that\n\\begin{figure}\\caption[s]{What \\emph{it} is}\\label{f}\\end{figure}\ngoes on, see Figure~\\ref{f}.",
        )
    )
    assert found.text == "A sentence that goes on, see Figure 1.\n\nFigure 1: What it is"
    assert regions(found) == [("caption", "Figure 1: What it is")]


def test_tables(tmp_path: Path) -> None:
    body = r"""\begin{table}\caption{Scores}\begin{tabular}{l|cc}\toprule
\multirow{2}{*}{Model} & \multicolumn{2}{c}{Score} \\ \cmidrule(lr){2-3} & A & B\\ \midrule
BERT & \textbf{1} & 2 \\ \multirow{2}{*}{GPT} & 3 & 4\\ & 5 & 6\&7 \\ \bottomrule\end{tabular}\end{table}"""
    rows = (
        "Model: BERT; Score A: 1; Score B: 2\nModel: GPT; Score A: 3; Score B: 4\nModel: GPT; Score A: 5; Score B: 6&7"
    )
    assert regions(read(source(tmp_path, body))[0]) == [("caption", "Table 1: Scores"), ("table", rows)]


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (r"\begin{tabular}{cc}a & b \\ c & d\end{tabular}", "a | b\nc | d"),
        (
            r"\begin{tabular}{|c|c|}\hline A & B \\ \hline 1 & 2 \\ \hline 3 & 4 \\ \hline\end{tabular}",
            "A: 1; B: 2\nA: 3; B: 4",
        ),
        (r"\begin{tabular*}{\textwidth}{cc}a & {b & c} \\\end{tabular*}", "a | b & c"),
        (r"\begin{tabularx}{5cm}{X}only \\ \end{tabularx}", "only"),
    ],
)
def test_more_tables(tmp_path: Path, table: str, expected: str) -> None:
    assert regions(read(source(tmp_path, table))[0]) == [("table", expected)]


def test_footnotes_stand_behind_their_paragraph(tmp_path: Path) -> None:
    found, _ = read(source(tmp_path, "One\\footnote{A \\emph{note}.} line.\n\nTwo."))
    assert found.text == "One line.\n\nA note.\n\nTwo."
    assert regions(found) == [("footnote", "A note.")]


def test_numbers_of_sections_and_theorems(tmp_path: Path) -> None:
    body = r"""\section{A}\subsection{B}\label{b}x\begin{thm}[Big]\label{t}All.\end{thm} See \ref{b}, \cref{t}, \eqref{no}.
\appendix\section{C}\label{c}\ref{c}"""
    found = text(tmp_path, body, r"\newtheorem{thm}{Theorem}")
    assert "Theorem (Big). All.\n\nSee 1.1, Theorem 1, ([no])." in found
    assert found.endswith("C\n\nA")


# -- citations

ITEMS = (
    r"\begin{thebibliography}{9}\bibitem{a} A.~Bee. \newblock First. 2001."
    "\n\\bibitem{c} C. Dee. \\emph{Second}. 2002.\\end{thebibliography}"
)


def test_citations_by_number(tmp_path: Path) -> None:
    found, _ = read(source(tmp_path, rf"As \cite{{c}}, \cite[p.~3]{{a,c}} and \cite{{x}} say.{ITEMS}"))
    assert (
        found.text
        == "As [2], [1, 2, p. 3] and [x] say.\n\nReferences\n\n[1] A. Bee. First. 2001.\n[2] C. Dee. Second. 2002."
    )
    assert [kind for kind, _ in regions(found)] == ["references"]


def test_citations_without_a_list_keep_their_keys(tmp_path: Path) -> None:
    found, problems = read(source(tmp_path, r"As \citep{devlin2019,x} says. \bibliography{refs}"))
    assert (found.text, problems) == ("As [devlin2019, x] says.", [])


def test_citations_by_author_and_year(tmp_path: Path) -> None:
    (tmp_path / "paper.bbl").write_text(
        r"\begin{thebibliography}{2}\bibitem[{Bee et~al.(2001)Bee, Dee}]{a} A. Bee. First."
        r"\bibitem[Dee and M{\"u}ller(2002{\natexlab{a}})]{c} C. Dee. Second.\end{thebibliography}"
    )
    found, _ = read(
        source(tmp_path, r"\citet{a}; \citep[see][p. 2]{a,c}; \citeauthor{c}; \citeyearpar{a} \bibliography{refs}")
    )
    assert found.text.startswith(
        "Bee et al. (2001); (see Bee et al., 2001; Dee and Müller, 2002a, p. 2); Dee and Müller; (2001)"
    )
    assert regions(found) == [("references", "A. Bee. First.\nC. Dee. Second.")]


def test_the_list_of_biblatex(tmp_path: Path) -> None:
    (tmp_path / "paper.bbl").write_text(
        '\\entry{a}{article}{}\n\\name{author}{1}{}{%\n{{hash=1}{family={M\\"uller},\n familyi={M.},\n given={Ada},\n giveni={A.}}}%\n}\n'
        "\\strng{namehash}{1}\n\\field{title}{First}\n\\field{year}{2001}\n\\endentry\n"
    )
    found, _ = read(source(tmp_path, r"As \parencite{a}. \printbibliography"))
    assert found.text == "As [1].\n\nReferences\n\n[1] Ada Müller. First. 2001"


# -- macros


def test_macros_without_arguments_are_written_out(tmp_path: Path) -> None:
    preamble = r"\newcommand{\model}{Trans\-former\xspace}\def\us{we}\newcommand\R{\mathbb{R}}\newcommand{\bold}[1]{\textbf{#1}}"
    assert text(tmp_path, r"\us{} use \model in $\R$, \bold{so}", preamble) == r"we use Transformer in $\mathbb{R}$, so"


def test_macros_that_multiply_are_bounded(tmp_path: Path) -> None:
    preamble = "".join(f"\\newcommand{{\\{chr(98 + n)}x}}{{{f'{chr(92)}{chr(97 + n)}x' * 10}}}" for n in range(10))
    assert len(text(tmp_path, r"start \kx \loop end", preamble + r"\def\loop{\loop\loop}")) < 2_000_000


# -- files


def test_inclusions_are_followed_and_stay_inside(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    (folder / "parts").mkdir(parents=True)
    (tmp_path / "secret.tex").write_text("SECRET")
    (folder / "parts" / "one.tex").write_text(r"First. \input{parts/two}")
    (folder / "parts" / "two.tex").write_text(r"Second. \input{paper} \include{parts/one}")
    body = "\\input{parts/one.tex}\\input{../secret}\\include{/etc/passwd}\\input parts/two \n\nEnd."
    found, problems = read(source(folder, body))
    assert found.text == "First. Second. Second. First.\n\nEnd."
    assert [problem.reason for problem in problems] == [
        "files that it includes are not there: '../secret', '/etc/passwd'"
    ]
    assert problems[0].lasting


def test_what_is_hidden_is_not_included(tmp_path: Path) -> None:
    folder = tmp_path / "paper"
    (folder / ".private").mkdir(parents=True)
    for name in (".secret.tex", ".private/secret.tex", ".private/key"):
        (folder / name).write_text("SECRET")
    body = r"\input{.secret}\input{.private/secret}\input{sub/../.private/key}\import{.private/}{secret} End."
    assert "SECRET" not in text(folder, body)


def test_links_that_lead_out_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "source"
    folder.mkdir()
    (tmp_path / "secret.tex").write_text("SECRET")
    (folder / "inner.tex").symlink_to(tmp_path / "secret.tex")
    assert "SECRET" not in text(folder, r"\input{inner} End.")


def test_inclusions_that_multiply_are_bounded(tmp_path: Path) -> None:
    for n in range(15):
        (tmp_path / f"f{n}.tex").write_text(f"word {f'{chr(92)}input{{f{n + 1}}}' * 10}")
    assert text(tmp_path, r"\input{f0}").count("word") < 2_000


def test_an_archive_of_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "source.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "p/appendix.tex",
            r"\documentclass{article}\begin{document}Only the appendix, which is longer.\end{document}",
        )
        archive.writestr(
            "p/main.tex",
            r"\documentclass{article}\title{T}\begin{document}\input{intro}\input{../../x}\bibliography{r}\cite{a}\end{document}",
        )
        archive.writestr("p/intro.tex", "Words.")
        archive.writestr("p/main.bbl", ITEMS)
        archive.writestr("../x.tex", "evil")
        archive.writestr("p/figure.png", b"\x89PNG")
    found, problems = read(path)
    assert found.document.title == "T"
    assert found.text == "Words.\n\nReferences\n\n[1] A. Bee. First. 2001.\n[2] C. Dee. Second. 2002.\n\n[1]"
    assert [problem.where for problem in problems] == [f"{path}, p/main.tex"]


def test_an_archive_without_a_document(tmp_path: Path) -> None:
    path = tmp_path / "source.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("notes.tex", "Words.")
    with pytest.raises(ReadError, match="no LaTeX document"):
        list(LatexReader(LIMIT).read(path))


def test_a_document_in_an_example_is_no_document(tmp_path: Path) -> None:
    path = tmp_path / "chapter.tex"
    path.write_text("Before.\n\\begin{lstcode}\n\\title{No}\\begin{document}x\\end{document}\n\\end{lstcode}\nAfter.")
    found, _ = read(path)
    assert found.document.title == "chapter"
    assert found.text.startswith("Before.")
    assert found.text.endswith("After.")


# -- broken and hostile


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (
            "\\section{Open\nFirst words.\n\n\\section{Next}Second words.",
            ["Open", "First words.", "Next", "Second words."],
        ),
        ("First \\textbf{words.\n\n\\section{Next}Second words.", ["First words.", "Next", "Second words."]),
        ("First words.}\n\n\\section{Next}Second words.", ["First words.", "Next", "Second words."]),
        ("A\\footnote{note\nFirst words.\n\nSecond words.", ["note", "First words.", "Second words."]),
        ("\\begin{tabular}{c}a & b\n\nFirst words.", ["First words."]),
        ("\\begin{itemize}\\item a\n\nFirst words.", ["a", "First words."]),
        ("\\end{itemize}First words.\\end{nothing}", ["First words."]),
        ("cost $5 First words.\n\nSecond words.", ["First words.", "Second words."]),
    ],
)
def test_broken_sources_are_read_as_well_as_it_goes(tmp_path: Path, body: str, words: list[str]) -> None:
    found, problems = read(source(tmp_path, body))
    assert [word for word in words if word not in found.text] == []
    assert all(problem.lasting for problem in problems)
    assert any("braces" in problem.reason for problem in problems) == (body.count("{") != body.count("}"))


REPEATED = r"{ } $ \( \begin{table} \begin{a} \footnote{ \'{ \[ \item[ \begin{verbatim} \iffalse & \\ \def\a{ \bibitem[ % \verb| ^^".split()


@pytest.mark.parametrize("piece", REPEATED)
def test_endless_repetition(tmp_path: Path, piece: str) -> None:
    assert "start" in text(tmp_path, f"start {piece * 5_000} end")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "it is empty"),
        (b"\\relax", "it has no text, only commands"),
        (b"\x00\x01\x02\x03" * 99, "it holds binary data"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes(content)
    with pytest.raises(ReadError) as error:
        list(LatexReader(LIMIT).read(path))
    assert error.value.reason == reason


def test_latin_1_sources(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_bytes("Die Größe der Schönheit überrascht für Mädchen überall sehr.".encode("latin-1"))
    assert read(path)[0].text == "Die Größe der Schönheit überrascht für Mädchen überall sehr."


PIECES = st.sampled_from(
    r"""word|\section{S}|{|}|\begin{figure}|\end{figure}|\caption{c}|\begin{tabular}{cc}|\end{tabular}|&|\\|$|\footnote{n}|%|\item|
\begin{itemize}|\end{itemize}|\cite{k}|\bibitem{k}|\'|[|]|\input{x}|\begin{abstract}|\end{abstract}|\begin{verbatim}|\end{verbatim}|字""".split(
        "|"
    )
)


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECES, max_size=50), st.sampled_from(["", " ", "\n", "\n\n"]))
def test_whatever_the_commands_the_offsets_hold(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str], joint: str
) -> None:
    path = source(tmp_path_factory.mktemp("tex"), f"{joint.join(pieces)}\n\nlast words")
    for item in LatexReader(LIMIT).read(path):
        if isinstance(item, Reading):
            check(item)
            assert "last words" in item.text or "%" in pieces or r"\begin{verbatim}" in pieces
