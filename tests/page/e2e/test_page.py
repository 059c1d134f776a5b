"""What people do with the page, in a browser."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import expect

from conftest import BIN, Opened, Service, ask, check_access, slow_model, until

QUESTION = "Compare BERT and GPT-2 on GLUE, and who proposed each?"
PARTLY = "Who proposed BERT, and what is the capital of Mongolia?"
PLACES = (
    "",
    "#/library",
    "#/runs",
    "#/graph/default/BERT",
    "#/tree/default",
    "#/service",
    "#/tables",
    "#/drafts",
    "#/watched",
)


def test_a_question_comes_apart_is_answered_and_leads_to_its_words(opened: Opened) -> None:
    page = opened()
    expect(page.locator(".example")).to_have_count(3)
    ask(page, QUESTION)
    expect(page.locator(".part").first).to_be_visible()
    expect(page.locator(".legend")).to_be_visible()
    expect(page.locator(".completeness .row-item").first).to_contain_text("Answered")
    expect(page.locator(".meta")).to_contain_text("Complete")
    cite = page.locator("button.cite", has_text="Devlin").first
    cite.hover()
    expect(page.get_by_role("tooltip").locator("blockquote")).to_contain_text("GLUE")
    cite.click()
    expect(page.locator(".source mark").first).to_contain_text("80.5")
    expect(page.locator(".source mark").first).to_be_in_viewport()
    check_access(page)
    page.keyboard.press("Escape")
    expect(page.locator(".source")).to_have_count(0)
    expect(cite).to_be_focused()


def test_a_run_is_there_again_by_its_link_and_can_be_taken_away(opened: Opened) -> None:
    page = opened()
    ask(page, QUESTION)
    expect(page.locator(".legend")).to_be_visible()
    page.reload()
    expect(page.locator("h1")).to_have_text(QUESTION)
    expect(page.locator(".legend")).to_be_visible()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for button, piece in (("Text", "80.5"), ("Markdown", "## Completeness"), ("BibTeX", "@"), ("Link", "#/run/")):
        page.get_by_role("button", name=button, exact=True).click()
        until(lambda piece=piece: piece in page.evaluate("navigator.clipboard.readText()"))
    page.get_by_role("button", name="Costs and trace").click()
    expect(page.locator(".waterfall li").first).to_be_visible()
    check_access(page)


def test_a_plan_is_changed_and_approved_before_anything_is_looked_up(opened: Opened) -> None:
    page = opened()
    page.get_by_label("Show me the plan first").check()
    ask(page, QUESTION)
    parts = page.locator(".editor > ol > li")
    expect(parts.first).to_be_visible()
    expect(page.locator(".editor .part")).to_have_count(parts.count())
    check_access(page)
    before = parts.count()
    page.get_by_role("button", name="Add a part").click()
    parts.last.locator("textarea").fill("What is the attention of Longformer?")
    page.get_by_role("button", name="Remove part 1", exact=True).click()
    parts.last.get_by_role("button", name="2", exact=True).click()
    page.get_by_role("button", name="Move part 2 down", exact=True).click()
    expect(parts).to_have_count(before)
    expect(page.locator(".editor .part", has_text="Longformer")).to_contain_text("Waits for 2")
    page.reload()  # whoever closes the browser comes back to the plan as it was changed
    expect(parts.nth(1).locator("textarea")).to_be_visible()
    assert "What is the attention of Longformer?" in [each.input_value() for each in parts.locator("textarea").all()]
    page.get_by_role("button", name="Go ahead with my plan").click()
    expect(page.locator(".legend")).to_be_visible()
    expect(page.locator(".completeness")).to_contain_text("What is the attention of Longformer?")
    expect(page.locator(".plan")).to_contain_text("made by you")
    page.get_by_role("button", name="Change the plan").click()
    expect(parts.last.locator("textarea")).to_be_visible()
    expect(page.locator(".editor")).to_contain_text("Waits for")
    assert "What is the attention of Longformer?" in [each.input_value() for each in parts.locator("textarea").all()]


def test_what_is_missing_says_what_can_be_done(opened: Opened) -> None:
    page = opened()
    ask(page, PARTLY)
    missing = page.locator(".row-item", has_text="Mongolia")
    expect(missing).to_contain_text("Not in the library")
    missing.get_by_role("button", name="Change the question").click()
    expect(page.locator("[data-ask]")).to_have_value(re.compile("capital of Mongolia"))
    missing.get_by_role("button", name="It is not in my library").click()
    expect(missing).to_contain_text("Noted")
    before = page.url
    page.reload()
    expect(page.locator(".row-item", has_text="Mongolia")).to_contain_text("Noted")
    elsewhere = opened(page.url[page.url.index("#") :])  # a browser that keeps nothing of this one
    expect(elsewhere.locator(".row-item", has_text="Mongolia")).to_contain_text("Noted")
    other = page.locator(".row-item", has_text="BERT")
    expect(other.get_by_role("group")).to_have_count(0)
    assert page.url == before


def test_a_follow_up_keeps_what_was_read_before(opened: Opened) -> None:
    page = opened()
    ask(page, "Who proposed BERT?")
    expect(page.locator(".after")).to_be_visible()
    first = page.url
    ask(page, "What GLUE score does it obtain?")
    expect(page.locator(".earlier")).to_contain_text("Who proposed BERT?")
    expect(page.locator(".understood")).to_contain_text("BERT")
    expect(page.locator(".after")).to_be_visible()
    assert page.url != first
    page.locator(".earlier summary").click()
    expect(page.locator(".earlier .cite").first).to_be_visible()


def test_a_paper_is_added_and_its_page_is_marked_at_the_words(opened: Opened, made: Path) -> None:
    page = opened("#/library", allowed=("415",))
    page.get_by_role("button", name="Add", exact=True).click()
    page.locator("input[type=file]").set_input_files(
        [made / "files" / name for name in ("lanternfish.pdf", "program.exe", "broken.pdf")]
    )
    adding = page.locator(".adding > li")
    expect(adding.filter(has_text="lanternfish.pdf")).to_contain_text("1 added", timeout=60_000)
    expect(adding.filter(has_text="program.exe")).to_contain_text("no kind that is read")
    expect(adding.filter(has_text="broken.pdf").locator(".problems")).to_be_visible(timeout=60_000)
    page.get_by_role("searchbox").fill("lanternfish")
    expect(page.locator(".document-row")).to_have_count(1)
    page.get_by_role("link", name="Ask", exact=True).click()
    ask(page, "What accuracy does Lanternfish obtain on the Abyss benchmark?")
    page.locator("button.cite").first.click()
    picture = page.locator(".sheet img")
    expect(picture).to_be_visible()
    until(lambda: picture.evaluate("image => image.complete && image.naturalWidth > 0"))
    box = page.locator(".mark-box").first.bounding_box()
    sheet = page.locator(".sheet").bounding_box()
    assert box
    assert sheet
    top, left = (box["y"] - sheet["y"]) / sheet["height"] * 842, (box["x"] - sheet["x"]) / sheet["width"] * 595
    assert 842 - 738 - 14 < top < 842 - 738 + 2  # the first line of the second page, where it was drawn
    assert 68 < left < 76
    page.locator(".source").get_by_role("button", name="Text", exact=True).click()
    expect(page.locator(".source mark").first).to_contain_text("91.4%")
    check_access(page)


def test_a_document_is_put_right_and_leads_on(opened: Opened) -> None:
    page = opened("#/library")
    page.locator(".document-row", has_text="Longformer").first.click()
    expect(page.locator(".passages h3").first).to_be_visible()
    check_access(page)
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Year").fill("1999")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".byline")).to_contain_text("1999")
    year = page.locator(".fields > div", has_text="Year")
    expect(year).to_contain_text("from a correction by hand")
    expect(year).to_contain_text("the file says: 2020")
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Year").fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".byline")).to_contain_text("2020")
    expect(year).to_contain_text("from the file")
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("dialog")).to_contain_text("Longformer")
    check_access(page)
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Remove")).to_be_focused()


def test_whoever_goes_back_finds_the_list_as_it_was_left(opened: Opened) -> None:
    page = opened("#/library", high=400)
    expect(page.locator(".document-row").first).to_be_visible()
    page.evaluate("scrollTo(0, 64 * 25)")
    row = page.locator('.list > li[aria-posinset="26"] a')
    expect(row).to_be_in_viewport()
    before = page.evaluate("scrollY")
    row.click()
    expect(page.locator(".passages h3").first).to_be_visible()
    assert page.evaluate("scrollY") == 0
    page.go_back()
    expect(row).to_be_in_viewport()
    until(lambda: page.evaluate("scrollY") == before)


def test_passages_are_found_and_connections_proved(opened: Opened) -> None:
    page = opened("#/library")
    page.get_by_role("button", name="Text", exact=True).click()
    page.get_by_role("searchbox").fill("bidirectional self-attention")
    page.locator(".found button").first.click()
    expect(page.locator(".source mark").first).to_contain_text("attention")
    page.goto(f"{page.url.partition('#')[0]}#/graph/default/BERT")
    page.get_by_role("button", name=re.compile("proof")).first.click()
    expect(page.locator(".source h2")).to_be_visible()


def test_a_service_that_was_killed_is_waited_for(opened: Opened, made: Path, tmp_path: Path) -> None:
    own = Service(library=Path(shutil.copytree(made / "spare", tmp_path / "library")))
    own.start()
    page = opened(
        at=own,
        allowed=("ERR_CONNECTION_REFUSED", "ERR_INCOMPLETE", "503", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET"),
    )
    expect(page.locator(".example").first).to_be_visible()

    page.wait_for_timeout(1000)  # what comes after the first paint
    own.kill()
    ask(page, QUESTION)
    expect(page.locator(".away")).to_be_visible()
    expect(page.locator("[data-ask]")).to_have_value(QUESTION)
    own.start()
    expect(page.locator(".part").first).to_be_visible()
    own.kill()
    own.start()
    expect(page.locator(".legend")).to_be_visible(timeout=60_000)
    expect(page.locator(".away")).to_have_count(0)
    own.process.terminate()
    own.end()


def made_key(library: Path, *scopes: str) -> str:
    """Make a key as an operator does."""
    command = [BIN / "python", "-c", "from scholarmind.cli import main; main()", "keys", "create", "--library", library]
    done = subprocess.run([*command, "--scopes", ",".join(scopes)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_who_has_a_key_reads_and_who_has_none_is_asked_for_it(opened: Opened, made: Path, tmp_path: Path) -> None:
    own = Service(library=Path(shutil.copytree(made / "spare", tmp_path / "library")), options=("--require-key",))
    asking, searching = made_key(own.library, "ask"), made_key(own.library, "search")
    own.start()
    page = opened(at=own, allowed=("401",))
    check_access(page)
    page.get_by_label("Key").fill("sm_wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not valid")
    page.get_by_label("Key").fill(asking)
    page.keyboard.press("Enter")
    expect(page.locator(".example").first).to_be_visible()
    ask(page, "Who proposed BERT?")
    expect(page.locator(".after")).to_be_visible()
    reader = opened(at=own, allowed=("401",))
    reader.get_by_label("Key").fill(searching)
    reader.keyboard.press("Enter")
    expect(reader.locator(".document-row").first).to_be_visible()
    expect(reader.get_by_role("link", name="Ask", exact=True)).to_have_count(0)
    expect(reader.get_by_role("button", name="Add", exact=True)).to_have_count(0)
    reader.get_by_role("button", name="Sign out").click()
    expect(reader.get_by_label("Key")).to_be_visible()
    own.process.terminate()
    own.end()


def test_documents_that_nobody_should_believe_are_text(opened: Opened) -> None:
    page = opened("#/library/hostile")
    expect(page.locator(".document-row")).to_have_count(4)
    for title, piece in (
        ("Scripts", "<img src=x onerror=window.hurt=2>"),
        ("Marks", "<mark>not ours</mark>"),
        ("Turned", "hidden"),
    ):
        page.goto(f"{page.url.partition('#')[0]}#/library/hostile")
        page.locator(".document-row", has_text=title).first.click()
        expect(page.locator(".passages")).to_contain_text(piece)
        assert page.locator(".passages :is(script, img, mark, iframe)").count() == 0
        assert page.locator(".passages a[href]").count() == 0
    page.goto(f"{page.url.partition('#')[0]}#/")
    for name in ("Hostilon", "Imitaton", "Bidiron", "Longon"):
        page.goto(f"{page.url.partition('#')[0]}#/")
        ask(page, f"Who proposed {name}?")
        expect(page.locator(".after")).to_be_visible()
        page.locator("button.cite").first.click()
        expect(page.locator(".reading-frame .passage").first).to_be_visible()
        assert (
            page.locator(".prose :is(script, img, iframe, a), .source .reading-frame :is(script, iframe, a)").count()
            == 0
        )
    assert page.evaluate("window.hurt") is None


def test_by_keyboard_alone_from_the_start_to_the_words(opened: Opened) -> None:
    page = opened()
    expect(page.locator(".example").first).to_be_visible()
    page.keyboard.press("/")
    page.keyboard.type("Who proposed BERT, and what GLUE score does it obtain?")
    page.keyboard.press("Enter")
    expect(page.locator(".legend")).to_be_visible()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('button.cite')"):
            break
    expect(page.get_by_role("tooltip")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".source")).to_be_focused()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.matches('button.cite')")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-GB", "zh-CN"])
def test_every_place_is_for_everybody(opened: Opened, scheme: str, locale: str) -> None:
    page = opened(color_scheme=scheme, locale=locale)
    base = page.url.partition("#")[0]
    for place in PLACES:
        page.goto(f"{base}{place}")
        expect(page.locator("h1").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        check_access(page)
    lang = page.locator("html").get_attribute("lang")
    assert lang == ("zh-Hans" if locale == "zh-CN" else "en")


@pytest.mark.parametrize("wide", [360, 768, 1280, 2560])
def test_nothing_hangs_over_the_edge(opened: Opened, wide: int) -> None:
    page = opened(wide=wide)
    base = page.url.partition("#")[0]
    ask(page, PARTLY)
    expect(page.locator(".after")).to_be_visible()
    overhang = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(overhang) <= 0
    page.locator("button.cite").first.click()
    expect(page.locator(".source")).to_be_visible()
    assert page.evaluate(overhang) <= 0
    for place in PLACES:
        page.goto(f"{base}{place}")
        expect(page.locator("h1").first).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert page.evaluate(overhang) <= 0, place
    page.goto(f"{base}#/library/default")
    title = page.locator(".document-title").first
    expect(title).to_be_visible()
    assert title.evaluate("each => each.clientWidth / each.parentElement.clientWidth") > 0.6


def test_who_wants_no_motion_sees_none(opened: Opened) -> None:
    page = opened(reduced_motion="reduce")
    ask(page, QUESTION)
    expect(page.locator(".part").first).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0


def test_a_file_is_read_found_in_and_zoomed(opened: Opened, made: Path) -> None:
    page = opened("#/library/papers")
    page.locator("input[type=file]").set_input_files(made / "files" / "lanternfish.pdf")
    expect(page.locator(".adding > li")).to_contain_text("1 added", timeout=60_000)
    page.locator(".document-row", has_text="Lanternfish").first.click()
    page.get_by_role("link", name="Read", exact=True).click()
    sheet = page.locator(".pdf-page").first
    expect(sheet.locator(".text-layer span", has_text="Introduction")).to_be_attached()
    ink = "canvas => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((each) => each < 90)"
    until(lambda: sheet.locator("canvas").evaluate(ink))
    before = sheet.bounding_box()
    page.get_by_role("button", name="Larger").click()
    until(lambda: (sheet.bounding_box() or {})["width"] > (before or {})["width"])
    page.get_by_role("searchbox", name="Find in this file").fill("sixteen  NEIGHBOURS")
    expect(page.locator(".reader-bar")).to_contain_text("1 of 1")
    until(lambda: page.evaluate("CSS.highlights.get('current').size") > 0)
    page.get_by_role("searchbox", name="Find in this file").fill("lanternfish")
    page.get_by_role("searchbox", name="Find in this file").press("Shift+Enter")
    until(lambda: "2 of 2" in page.locator(".reader-bar").inner_text())  # the page that is seen now
    check_access(page)


def test_documents_are_narrowed_by_what_they_are(opened: Opened) -> None:
    page = opened("#/library/default")
    page.get_by_role("button", name="Narrow down").click()
    page.get_by_role("group", name="Narrow down").get_by_role("button", name=re.compile("^NeurIPS")).click()
    expect(page.locator(".list")).to_contain_text("NeurIPS")
    until(lambda: page.locator(".document-row").count() < 15)
    check_access(page)
    assert "venue=NeurIPS" in page.url
    page.reload()
    expect(page.get_by_role("button", name="Without: NeurIPS")).to_be_visible()
    page.get_by_role("button", name="Without: NeurIPS").click()
    expect(page.locator(".document-row").nth(8)).to_be_attached()


def test_a_name_is_taken_out_and_put_back(opened: Opened) -> None:
    page = opened("#/graph/default/BERT", allowed=("400",))
    other = page.locator(".names-of .chip", has_text="BERT-Small")
    expect(other).to_be_visible()
    check_access(page)
    page.get_by_role("button", name="“BERT-Small” is something else").click()
    expect(other).to_have_count(0)
    page.get_by_label("The same as").fill("BERT-Small")
    page.get_by_role("button", name="Take for one").click()
    expect(other).to_be_visible()
    page.get_by_label("The same as").fill("Nobody Knows This")
    page.get_by_role("button", name="Take for one").click()
    expect(page.get_by_role("alert")).to_be_visible()
    assert page.get_by_label("The same as").input_value() == "Nobody Knows This"


def test_numbers_that_disagree_stand_side_by_side(opened: Opened) -> None:
    page = opened()
    ask(page, "What accuracy does Lanternet obtain on the Abyss benchmark, and who proposed Zorb?")
    sides = page.locator(".disagree li")
    expect(sides).to_have_count(2)
    expect(sides.first.locator("strong")).to_have_text("91.4%")
    check_access(page)
    sides.nth(1).get_by_role("button").click()
    expect(page.locator(".source mark").first).to_contain_text("88.2%")


def test_what_would_change_an_answer_is_said_when_documents_come(opened: Opened, tmp_path: Path) -> None:
    page = opened()
    ask(page, "Who proposed Zorbatron?")
    expect(page.locator(".after")).to_be_visible()
    note = tmp_path / "zorbatron.md"
    note.write_text("# Zorbatron\n\nZorbatron was proposed by Vera Lund in 2024.\n")
    page.get_by_role("link", name="Add papers").click()
    page.locator("input[type=file]").set_input_files(note)
    expect(page.locator(".adding > li")).to_contain_text("1 added", timeout=60_000)
    page.go_back()
    expect(page.locator(".newer")).to_contain_text("1 document changed")
    check_access(page)
    page.set_viewport_size({"width": 360, "height": 800})
    assert page.locator(".newer p").first.evaluate("each => each.getBoundingClientRect().right") < 360
    page.get_by_role("button", name="See what that changes").click()
    expect(page.locator(".changes")).to_contain_text("Lund", timeout=60_000)


def test_a_part_is_stopped_and_asked_again_while_the_question_runs(opened: Opened, made: Path, tmp_path: Path) -> None:
    with slow_model(4.0) as address:
        own = Service(
            library=Path(shutil.copytree(made / "spare", tmp_path / "library")),
            environment={
                "SCHOLARMIND_LLM": f"{address}#scripted",
                "SCHOLARMIND_EFFORT": "deep",
            },  # a call for each part
        )
        own.start()
        page = opened(at=own)
        page.get_by_label("Show me the plan first").check()
        ask(page, "Who proposed the model that RoBERTa builds on?")
        page.locator(".editor textarea").first.fill(
            "Which training task does RoBERTa find to be of no use?"
        )  # nor knows the graph
        page.get_by_role("button", name="Go ahead").click()
        page.get_by_role("button", name="Ask part 1 again", exact=True).click()
        expect(page.locator(".notes")).to_contain_text("Part 1 is asked again")
        page.get_by_role("button", name="Stop part 1", exact=True).click()
        expect(page.locator(".part").first).to_contain_text("You stopped this part")
        expect(page.locator(".after")).to_be_visible(timeout=60_000)
        expect(page.locator(".row-item").first).to_contain_text("Failed")
        expect(page.locator(".row-item").first.get_by_role("group").get_by_role("button")).to_have_count(3)
        check_access(page)
        own.process.terminate()
        own.end()


def test_keys_are_made_used_and_revoked_by_who_runs_the_service(opened: Opened, made: Path, tmp_path: Path) -> None:
    own = Service(library=Path(shutil.copytree(made / "spare", tmp_path / "library")))
    own.start()
    page = opened("#/service", at=own)
    expect(page.get_by_text("There are no keys")).to_be_visible()
    expect(page.get_by_text("No language model is set")).to_be_visible()
    page.get_by_role("button", name="New key").click()
    page.get_by_label("Whose it is").fill("Ada")
    page.get_by_role("button", name="Add documents").click()
    check_access(page)
    page.get_by_role("button", name="Make the key").click()
    expect(page.locator(".key-shown")).to_have_text(re.compile("^sm_"))
    expect(page.locator(".keys")).to_contain_text("Ask, Add documents, Search and read")
    page.get_by_role("button", name="Revoke").click()
    page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    expect(page.locator(".keys")).to_contain_text("revoked")
    own.process.terminate()
    own.end()
