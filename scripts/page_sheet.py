"""A picture of every state of the page, on one sheet: `make page-sheet` writes docs/page.jpg."""

import base64
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/page/e2e"))

from playwright.sync_api import Browser, Page  # noqa: E402

from conftest import Service, ask, browser, made_in  # noqa: E402

QUESTION = "Compare BERT and GPT-2 on GLUE, explain their attention mechanisms, and who proposed each?"
PARTLY = "Who proposed the model that RoBERTa builds on, and what is the capital of Mongolia?"
CHINESE = "BERT和GPT-2各由谁提出, 它们在GLUE上的得分是多少?"
DRAFT = r"""\documentclass{article}\begin{document}
\section{Background}
BERT-Large has 24 layers and 16 heads \cite{devlin2019bert}. BERT-Large has 99 layers and 16 heads \cite{devlin2019bert}.

Longformer combines a sliding window with global attention on a few tokens. Nobody knows much about gardens \cite{devlin2018bert}.
\end{document}
"""
BIBLIOGRAPHY = """@article{devlin2019bert, title={BERT: Pre-training of Deep Bidirectional Transformers for Language Understanding},
  author={Devlin, Jacob and Chang, Ming-Wei and Lee, Kenton and Toutanova, Kristina}, year={2019}}
"""
WIDE, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 800}


def main() -> None:
    """Make the sheet."""
    with tempfile.TemporaryDirectory() as folder:
        made = made_in(Path(folder) / "made")
        service = Service(library=made / "library")
        service.start()
        try:
            with browser() as chromium:
                shots = taken(chromium, service, made)
                sheet = chromium.new_page(viewport={"width": 2640, "height": 1000})
                sheet.set_content(laid_out(shots))
                sheet.screenshot(path=ROOT / "docs/page.jpg", type="jpeg", quality=72, full_page=True)
        finally:
            service.process.terminate()
            service.end()
    size = (ROOT / "docs/page.jpg").stat().st_size
    print(f"docs/page.jpg: {len(shots)} states, {size:,} bytes")


def taken(chromium: Browser, service: Service, made: Path) -> list[tuple[str, bytes]]:
    """Return the pictures, each with what it shows."""
    shots: list[tuple[str, bytes]] = []

    def take(name: str, page: Page) -> None:
        page.wait_for_timeout(500)
        shots.append((name, page.screenshot()))

    def opened(place: str = "", **more: Any) -> Page:
        page = chromium.new_context(**{"viewport": WIDE, "locale": "en-GB", **more}).new_page()
        page.goto(f"{service.address}/{place}")
        page.wait_for_load_state("networkidle")
        return page

    page = opened()
    page.locator(".example").first.wait_for()
    take("Where one begins", page)
    page.get_by_label("Show me the plan first").check()
    ask(page, QUESTION)
    page.locator(".editor li").first.wait_for()
    take("The plan, before it is carried out", page)
    page.get_by_role("button", name="Go ahead").click()
    page.locator(".legend").wait_for()
    take("Answered: the plan, the answer, the table of completeness", page)
    page.locator("button.cite").nth(2).hover()
    take("The words behind a citation", page)
    page.locator("button.cite").nth(2).click()
    page.locator(".source mark").first.wait_for()
    take("The source beside the answer, at its words", page)
    page = opened("#/library")
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator("input[type=file]").set_input_files(
        [made / "files" / name for name in ("lanternfish.pdf", "broken.pdf")]
    )
    page.locator(".adding > li", has_text="1 added").wait_for(timeout=60_000)
    take("The library, while papers are added", page)
    page.get_by_role("link", name="Ask", exact=True).click()
    page.get_by_label("Show me the plan first").uncheck()
    ask(page, "What accuracy does Lanternfish obtain on the Abyss benchmark, and who proposed it?")
    page.locator("button.cite").first.click()
    page.locator(".mark-box").first.wait_for()  # that is there when the picture is
    take("A page of a PDF, marked at the words", page)
    page.get_by_role("button", name="File", exact=True).click()
    page.locator(".text-layer span").first.wait_for(state="attached")
    page.get_by_role("searchbox", name="Find in this file").fill("lanternfish")
    page.locator(".reader-bar").get_by_text("of 2").first.wait_for()
    take("The file itself, with words found in it", page)
    page = opened()
    ask(page, "What accuracy does Lanternet obtain on the Abyss benchmark?")
    page.locator(".disagree li").first.wait_for()
    take("Numbers that disagree, side by side", page)
    page = opened("#/library/default")
    page.get_by_role("button", name="Narrow down").click()
    page.locator(".year-bar").first.wait_for()
    take("The library, narrowed down", page)
    page = opened("#/service")
    page.get_by_role("button", name="New key").click()
    take("Keys and the model, for who runs the service", page)
    for name, place, ready in (
        ("A document", "#/library", ".document-row"),
        ("Connections, each with its proof", "#/graph/default/BERT", ".around"),
        ("Topics", "#/tree/default", ".summary"),
        ("Questions", "#/runs", ".run-list"),
    ):
        page = opened(place)
        page.locator(ready).first.wait_for()
        if ready == ".document-row":
            page.locator(ready, has_text="Longformer").first.click()
            page.locator(".passages h3").first.wait_for()
        take(name, page)
    page = opened("#/runs")
    page.get_by_role("button", name="Compare").first.click()
    page.get_by_role("button", name="With this").first.click()
    page.locator(".compared").wait_for()
    take("Two answers side by side", page)
    page = opened("#/tables")
    page.get_by_label("Name").fill("models")
    take("A new table", page)
    page.get_by_role("button", name="Make the table").click()
    page.locator(".matrix").wait_for()
    take("A table that fills", page)
    page.locator(".filling").wait_for(state="detached", timeout=120_000)
    page.locator('.matrix td[data-state="said"] button').first.click()
    page.locator(".source mark").first.wait_for()
    take("A cell, and its words in the paper", page)
    page = opened("#/drafts")
    page.locator("input[type=file]").set_input_files(
        [
            {"name": "paper.tex", "mimeType": "text/plain", "buffer": DRAFT.encode()},
            {"name": "refs.bib", "mimeType": "text/plain", "buffer": BIBLIOGRAPHY.encode()},
        ]
    )
    page.locator(".remark").first.wait_for(timeout=60_000)
    take("A draft, with remarks beside its sentences", page)
    page = opened()
    ask(page, "Who proposed BERT?")
    page.get_by_role("button", name="Follow this question").click()
    page.get_by_role("link", name="You follow this question").wait_for()
    page.get_by_role("button", name="Read next").click()
    page.locator(".next-works h2").wait_for()
    page.locator(".menu summary").click()
    take("What can be taken away from an answer, and what to read next", page)
    page = opened("#/watched")
    page.locator(".followed > li").first.wait_for()
    take("Followed questions", page)
    page = opened(color_scheme="dark")
    ask(page, PARTLY)
    page.locator(".owed").wait_for()
    page.get_by_role("button", name="Hide").click()
    take("Dark; a part that is not in the library, and what to do", page)
    page = opened(locale="zh-CN")
    ask(page, CHINESE)
    page.locator(".legend").wait_for()
    take("Chinese", page)
    page = opened("#/tables/models", viewport=PHONE, color_scheme="dark", locale="zh-CN", has_touch=True)
    page.locator(".matrix td").first.wait_for()
    take("A phone: a table", page)
    for scheme, locale, question in (("light", "en-GB", QUESTION), ("dark", "zh-CN", CHINESE)):
        page = opened(viewport=PHONE, color_scheme=scheme, locale=locale, has_touch=True)
        take("A phone", page)
        ask(page, question)
        page.locator(".legend").wait_for()
        take("A phone: the plan as a list", page)
        page.locator("button.cite").first.click()
        page.locator(".source mark, .source .banner").first.wait_for()
        take("A phone: a source", page)
    return shots


def laid_out(shots: list[tuple[str, bytes]]) -> str:
    """Return a page that shows all of them with their names."""
    figures = "".join(
        f'<figure><img src="data:image/png;base64,{base64.b64encode(picture).decode()}"><figcaption>{name}</figcaption></figure>'
        for name, picture in shots
    )
    return (
        "<style>body{display:flex;flex-wrap:wrap;gap:32px;margin:32px;background:#dcdad4;font:20px sans-serif}"
        "figure{margin:0}img{display:block;height:500px;border-radius:8px;box-shadow:0 2px 12px #0003}"
        f"figcaption{{padding:10px 2px;color:#333}}</style>{figures}"
    )


if __name__ == "__main__":
    main()
