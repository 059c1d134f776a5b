"""Tables, drafts, what to read next and followed questions, as people use them in a browser."""

import re
import shutil
from pathlib import Path

from playwright.sync_api import Page, expect

from conftest import Opened, Service, ask, check_access, until

DRAFT = r"""\documentclass{article}\begin{document}
\section{Background}
BERT-Large has 24 layers and 16 heads \cite{devlin2019bert}. BERT-Large has 99 layers and 16 heads \cite{devlin2019bert}.
Nobody knows much about gardens \cite{devlin2018bert}.
\end{document}
"""
BIBLIOGRAPHY = """@article{devlin2019bert, title={BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding},
  author={Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina}, year={2019}}
"""
REVIEW = r"""\documentclass{article}\title{Shore Birds}\author{Mira Stone}\date{2022}\begin{document}\maketitle
\section{Flight}
Terns fly over the shore at dusk \cite{quill}. Gulls stay on land \cite{vale}.
\begin{thebibliography}{9}
\bibitem{quill} A. Quill and N. Hale. The dusk flight of terns. In \emph{Shores}, 2015.
\bibitem{vale} T. Vale. Gulls that stay on land. In \emph{Shores}, 2017.
\end{thebibliography}\end{document}
"""


def fits(page: Page) -> None:
    """Nothing hangs over the edge, and axe is content."""
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    check_access(page)


def saved(page: Page, name: str) -> str:
    """Choose a form from the menu, and return the name of the file that comes."""
    page.locator(".menu summary").first.click()
    with page.expect_download() as download:
        page.get_by_role("button", name=name, exact=True).click()
    return download.value.suggested_filename


def test_a_table_fills_shows_its_words_and_is_put_right(opened: Opened) -> None:
    page = opened("#/tables")
    page.get_by_label("Columns", exact=True).fill("heads (number) = How many heads does BERT-Large have?")
    page.get_by_role("button", name="year", exact=True).click()
    page.get_by_label("Only papers that pass").fill("year <= 2019")
    page.get_by_label("Name").fill("heads")
    check_access(page)
    page.get_by_role("button", name="Make the table").click()
    expect(page.locator(".filling")).to_have_count(0, timeout=60_000)
    row = page.locator(".matrix tbody tr", has_text="Devlin")
    expect(row.locator("td").first).to_contain_text("16")
    row.locator("td button").first.click()
    expect(page.locator(".source mark").first).to_contain_text("16 heads")
    expect(page.locator(".source mark").first).to_be_in_viewport()
    fits(page)
    page.get_by_role("button", name="Correct", exact=True).click()
    page.get_by_label("What is right").fill("17")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(row.locator("td").first).to_contain_text("17 by hand")
    page.locator(".cell-pane").press("Escape")
    expect(page.locator(".cell-pane")).to_have_count(0)
    head = page.get_by_role("columnheader", name="year")
    head.get_by_role("button").click()
    expect(head).to_have_attribute("aria-sort", "ascending")
    head.get_by_role("button").click()
    expect(page.locator(".matrix tbody tr").first.locator("td").last).to_contain_text("2019")
    assert saved(page, "Excel") == "heads.xlsx"
    page.locator(".matrix td button").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate(
        "[document.activeElement.closest('td').cellIndex, document.activeElement.closest('tr').rowIndex]"
    ) == [2, 2]
    page.get_by_role("button", name="Add columns").click()
    page.get_by_label("Columns").fill("language")
    page.locator(".widen").get_by_role("button", name="Add columns").click()
    expect(page.get_by_role("columnheader", name="language")).to_be_visible()
    expect(page.locator(".filling")).to_have_count(0, timeout=60_000)
    chinese = opened("#/tables/heads", wide=360, high=740, locale="zh-CN", color_scheme="dark")
    expect(chinese.locator(".matrix tbody tr").first).to_be_visible()
    fits(chinese)
    chinese.locator(".matrix tbody tr", has_text="Devlin").locator("td button").first.click()
    expect(chinese.locator(".cell-pane")).to_contain_text("人工更正")
    fits(chinese)


def test_a_table_that_was_killed_goes_on(opened: Opened, made: Path, tmp_path: Path) -> None:
    own = Service(library=Path(shutil.copytree(made / "spare", tmp_path / "library")))
    own.start()
    page = opened(
        "#/tables", at=own, allowed=("ERR_CONNECTION", "ERR_INCOMPLETE", "503", "ERR_EMPTY_RESPONSE", "ERR_NETWORK")
    )
    page.get_by_role("button", name="Make the table").click()
    until(lambda: re.match(r"[1-9]", page.locator(".filling").inner_text()))
    own.kill()
    expect(page.locator(".away")).to_be_visible()
    own.start()
    expect(page.locator(".matrix")).to_be_visible()
    expect(page.locator(".filling")).to_have_count(0, timeout=300_000)
    expect(page.locator('.matrix td[data-state="open"]')).to_have_count(0)
    own.process.terminate()
    own.end()


def test_a_draft_has_its_remarks_beside_its_sentences(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "paper.tex").write_text(DRAFT)
    (tmp_path / "refs.bib").write_text(BIBLIOGRAPHY)
    page = opened("#/drafts", allowed=("415", "422"))
    expect(page.locator("h1")).to_be_visible()
    check_access(page)
    page.locator("input[type=file]").set_input_files(tmp_path / "refs.bib")
    expect(page.get_by_role("alert")).to_contain_text("0 drafts")
    page.locator("input[type=file]").set_input_files([tmp_path / "paper.tex", tmp_path / "refs.bib"])
    remarks = page.locator(".remark")
    expect(remarks).to_have_count(2, timeout=60_000)
    expect(remarks.first).to_contain_text("Contradicted")
    expect(remarks.first).to_contain_text("99")
    expect(remarks.nth(1)).to_contain_text("Did you mean devlin2019bert?")
    page.locator(".draft-claim").first.click()
    expect(remarks.first).to_have_attribute("data-here", "true")
    fits(page)
    page.get_by_role("button", name="All that cite").click()
    expect(remarks).to_have_count(3)
    remarks.first.locator(".said-there").first.click()
    expect(page.locator(".source mark").first).to_contain_text("24 layers")
    expect(page.locator(".source mark").first).to_be_in_viewport()
    check_access(page)
    page.keyboard.press("Escape")
    assert saved(page, "LaTeX") == "paper.checked.tex"
    assert saved(page, "With its keys put right") == "paper.fixed.tex"
    chinese = opened(
        page.url.partition("/")[2].partition("/")[2].partition("/")[2], wide=360, locale="zh-CN", color_scheme="dark"
    )
    expect(chinese.locator(".remark").first).to_contain_text("与文献矛盾")
    fits(chinese)
    page.goto(f"{page.url.partition('#')[0]}#/drafts")
    page.get_by_role("button", name="Forget the draft paper.tex").click()
    page.get_by_role("dialog").get_by_role("button", name="Forget").click()
    expect(page.locator(".run-list li")).to_have_count(0)


def test_beside_an_answer_stand_what_to_read_next_and_its_files(opened: Opened, tmp_path: Path) -> None:
    (tmp_path / "birds.tex").write_text(REVIEW)
    page = opened("#/library/birds")
    page.locator("input[type=file]").set_input_files(tmp_path / "birds.tex")
    expect(page.locator(".adding > li")).to_contain_text("1 added", timeout=60_000)
    page.get_by_role("link", name="Ask", exact=True).click()
    ask(page, "When do terns fly over the shore?")
    page.get_by_role("button", name="Read next").click()
    works = page.locator(".next-works ol > li")
    expect(works.first).to_contain_text("The dusk flight of terns")
    expect(works.first).to_contain_text("Cited beside what answers, by 1 of 1")
    check_access(page)
    works.first.locator(".said-there").click()
    expect(page.locator(".source mark").first).to_contain_text("Terns fly")
    page.keyboard.press("Escape")
    page.locator(".menu summary").click()
    check_access(page)
    page.keyboard.press("Escape")
    for name, ending in (("LaTeX", "tex"), ("Word", "docx"), ("PDF", "pdf"), ("Obsidian notes", "obsidian.zip")):
        assert saved(page, name).endswith(f".{ending}")


def test_a_followed_question_has_news_when_documents_come(opened: Opened, tmp_path: Path) -> None:
    page = opened()
    ask(page, "Who proposed Quillonet?")
    page.get_by_role("button", name="Follow this question").click()
    page.get_by_role("link", name="You follow this question").click()
    followed = page.locator(".followed > li", has_text="Quillonet")
    expect(followed).to_contain_text("Nothing new so far")
    note = tmp_path / "quillonet.md"
    note.write_text("# Quillonet\n\nQuillonet was proposed by Vera Lund in 2024.\n")
    page.goto(f"{page.url.partition('#')[0]}#/library/default?add=1")
    page.locator("input[type=file]").set_input_files(note)
    expect(page.locator(".adding > li")).to_contain_text("1 added", timeout=60_000)

    def told() -> bool:
        page.goto(f"{page.url.partition('#')[0]}#/runs")
        page.goto(f"{page.url.partition('#')[0]}#/watched")
        followed.wait_for()
        return followed.locator(".news li").count() > 0

    until(told)
    expect(followed.locator(".news li")).to_contain_text("Answered now")
    fits(page)
    followed.locator(".said-there").first.click()
    expect(page.locator(".source mark").first).to_contain_text("Vera Lund")
    page.keyboard.press("Escape")
    assert saved(page, "Feed (Atom)") == "news.atom"
    followed.get_by_role("button", name="Ask again now").click()
    expect(page.locator(".notes")).to_contain_text("Asked again: 0 pieces")
    chinese = opened("#/watched", wide=360, locale="zh-CN", color_scheme="dark")
    expect(chinese.locator(".news li").first).to_contain_text("现在有了答案")
    fits(chinese)
    followed.get_by_role("button", name="Stop following").click()
    page.get_by_role("dialog").get_by_role("button", name="Stop following").click()
    expect(followed).to_have_count(0)
