r"""A LaTeX draft: what it says and cites, and a copy with `\todo`s."""

from pathlib import Path

from scholarmind.adapters.readers.draft_files import annotated_tex, escaped_tex, read_tex

SOURCE = r"""\documentclass{article}
\newcommand{\br}{Arnholm bridge} % ours
\begin{document}
\section{History}
The \br{} is \emph{412} metres long~\cite[p.~4]{calder,brandt}. It has --- a tower.
\begin{table}\caption{No claim \cite{calder}}\end{table}
\begin{itemize}
\item \citet{brandt} weighs 50\% of it.
\end{itemize}
\input{gone}
\end{document}
"""


def test_paragraphs_know_what_they_cite_and_where_they_stand(tmp_path: Path) -> None:
    path = tmp_path / "draft.tex"
    path.write_text(SOURCE)
    found = read_tex(path, 10**6)
    assert [" ".join(one.text.split()) for one in found.paragraphs] == [
        "The Arnholm bridge is 412 metres long . It has — a tower.",
        "weighs 50% of it.",
    ]
    first, second = (one.mentions[0] for one in found.paragraphs)
    assert (first.keys, first.locator, first.textual) == (("calder", "brandt"), "p. 4", False)
    assert (second.keys, second.textual) == (("brandt",), True)
    assert (found.paragraphs[0].section, found.missing) == (("History",), ("gone",))
    end = found.paragraphs[0].text.index(".")
    assert found.source[: found.paragraphs[0].places[end]].endswith(r"\cite[p.~4]{calder,brandt}.")


def test_remarks_are_escaped_and_the_package_is_loaded_once(tmp_path: Path) -> None:
    path = tmp_path / "draft.tex"
    path.write_text(SOURCE)
    found = read_tex(path, 10**6)
    place = found.source.index(" It has")
    once = annotated_tex(found, {place: ("50% of $x_1 & {y}", False)})
    assert once.count(r"\usepackage{todonotes}") == 1
    assert once.index("todonotes") < once.index(r"\begin{document}")
    assert r"\todo{50\% of \$x\_1 \& \{y\}} It has" in once
    assert annotated_tex(found, {}) == found.source


def test_letters_that_the_source_cannot_print_are_left_out() -> None:
    assert escaped_tex("ж é “q”", native=False) == "? e ``q''"
    assert escaped_tex("水", native=True) == "水"


def test_chinese_in_a_remark_stays_and_the_copy_says_what_compiles_it(tmp_path: Path) -> None:
    path = tmp_path / "draft.tex"
    path.write_text(SOURCE)
    found = read_tex(path, 10**6)
    place = found.source.index(" It has")
    copy = annotated_tex(found, {place: ("桥长412米，很长。", False)})
    assert r"\todo{桥长412米，很长。} It has" in copy
    hint = next(line for line in copy.splitlines() if line.startswith("%"))
    assert "XeLaTeX or LuaLaTeX" in hint
    assert "ctex" in hint
    assert "ctex" not in annotated_tex(found, {place: ("412 metres", False)})
