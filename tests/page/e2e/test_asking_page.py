"""What the page tells before a question is asked, of files while they are added, and of answers beside one another."""

import json
import shutil
from pathlib import Path

from playwright.sync_api import Route, expect

from conftest import Opened, Service, ask, check_access, slow_model


def test_an_effort_says_what_it_would_cost_and_a_stopped_question_what_can_be_done(
    opened: Opened, made: Path, tmp_path: Path
) -> None:
    with slow_model(8.0) as address:
        own = Service(
            library=Path(shutil.copytree(made / "spare", tmp_path / "library")),
            environment={"SCHOLARMIND_LLM": f"{address}#scripted"},
        )
        own.start()
        page = opened(at=own)
        expect(page.get_by_label("Answer in")).to_be_visible()
        page.locator("[data-ask]").fill("Who proposed BERT, and what is the capital of Mongolia?")
        expect(page.locator(".expected")).to_contain_text("calls to the model")
        usual = page.locator(".expected").inner_text()
        page.get_by_label("Effort").select_option("fast")
        expect(page.locator(".expected")).to_contain_text("About 1 call to the model")
        assert page.locator(".expected").inner_text() != usual
        expect(page.get_by_label("Effort").locator("option").nth(1)).to_have_text("Fast · 1 call")
        check_access(page)
        page.locator("[data-ask]").press("Enter")
        expect(page.locator(".row-item", has_text="Mongolia")).to_contain_text("Nothing found so far")
        page.get_by_role("button", name="Stop", exact=True).click()
        expect(page.locator(".meta")).to_contain_text("Stopped")
        expect(page.get_by_role("button", name="Go on")).to_be_visible()
        missing = page.locator(".row-item", has_text="Mongolia").get_by_role("group")
        missing.get_by_role("button", name="Change the question").click()
        own.process.terminate()
        own.end()


def test_every_file_of_many_says_how_it_went(opened: Opened, made: Path, tmp_path: Path) -> None:
    for name in ("otters", "herons"):
        (tmp_path / f"{name}.md").write_text(
            f"# {name.title()}\n\nAll {name} of the lower shore sleep while it rains.\n"
        )
    page = opened("#/library/several")
    page.locator("input[type=file]").set_input_files(
        [tmp_path / "otters.md", made / "files/broken.pdf", tmp_path / "herons.md"]
    )
    files = page.locator(".adding .problems li")
    expect(files.first).to_contain_text("broken.pdf", timeout=60_000)
    expect(files.first).to_contain_text("it is broken or cut short")
    expect(files.nth(1)).to_contain_text("otters.md read")
    expect(page.locator(".adding > li")).to_contain_text("2 added")
    check_access(page)


def test_what_is_being_added_is_seen_by_whoever_opens_the_page_meanwhile(opened: Opened) -> None:
    looked = []
    job = {"id": "job-1", "state": "running", "created": 0, "finished": None, "files": ["a.pdf", "b.pdf"], "error": ""}
    job |= {"progress": {"files": 2, "read": 1}, "report": None}

    def told(route: Route) -> None:
        looked.append(route.request.url)
        report = {"added": 2, "replaced": 0, "unchanged": 0, "problems": [], "matches": None}
        over = {"state": "done", "report": report} if len(looked) > 3 else {}
        route.fulfill(body=json.dumps(job | over), content_type="application/json")

    page = opened()
    page.route("**/api/v1/jobs?*", lambda route: route.fulfill(json={"items": [job], "next": None}))
    page.route("**/api/v1/jobs/job-1", told)
    page.reload()
    expect(page.locator(".adding")).to_contain_text("Reading: 1 of 2")
    expect(page.locator(".adding li li")).to_have_count(2)
    expect(page.locator(".adding")).to_contain_text("2 added")


def test_two_answers_stand_side_by_side(opened: Opened) -> None:
    page = opened()
    for question in ("Who proposed BERT, and what is the capital of Mongolia?", "Who proposed BERT?"):
        page.goto(f"{page.url.partition('#')[0]}#/")
        ask(page, question)
        expect(page.locator(".after")).to_be_visible()
    page.goto(f"{page.url.partition('#')[0]}#/runs")
    page.get_by_role("button", name="Compare").first.click()
    expect(page.get_by_role("status").first).to_contain_text("Who proposed BERT?")
    page.get_by_role("button", name="With this").first.click()
    row = page.locator(".compared tr", has_text="Mongolia").last
    expect(row.locator("td").first).to_have_text("Not in the library")
    expect(row.locator("td").nth(1)).to_have_text("–")
    expect(page.locator(".two-answers .answer")).to_have_count(2)
    check_access(page)
    page.locator(".two-answers button.cite").first.click()
    expect(page.locator(".source h2")).to_be_visible()
    check_access(page)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_names_to_begin_with_are_offered(opened: Opened) -> None:
    page = opened("#/graph/default")
    page.get_by_role("link", name="Longformer", exact=True).click()
    expect(page.locator(".around h2")).to_contain_text("Longformer")
    boxes = page.locator(".around-box")
    expect(boxes.first).to_be_visible()
    check_access(page)
    page.goto(f"{page.url.partition('#')[0]}#/graph/default/BERT")
    boxes.filter(has_text="DistilBERT").get_by_role("button").click()  # one of whose proofs is what it states of itself
    expect(page.locator(".source h2")).to_contain_text("DistilBERT")
    check_access(page)
    page.set_viewport_size({"width": 360, "height": 800})
    page.keyboard.press("Escape")
    same = page.get_by_label("The same as")
    assert same.evaluate("each => each.getBoundingClientRect().right") <= 360
    page.goto(f"{page.url.partition('#')[0]}#/tree/default")
    expect(page.locator(".summary").nth(1)).to_be_visible()  # all of it, and what it is made of
