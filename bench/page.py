"""How quick the page is, in a real Chromium over a real service: `make bench-page`.

First paint (nothing cached), from a click on a citation to its marked words, the slowest interaction while an answer streams, scrolling
through 10,000 documents, and memory over 50 questions. The stream and the 10,000 documents are made up in the browser: they measure the
page. The library is the demo's notes, read by words alone.
"""

import argparse
import json
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).parents[1] / "tests/page/e2e"))

from playwright.sync_api import Browser, CDPSession, Page, Route

from conftest import Service, ask, browser, made_in

QUESTION = "Compare BERT and GPT-2 on GLUE, and who proposed each?"
STREAM = """
const real = window.fetch;
const END = ". A sentence begins. [Ada et al., 1843]\\n\\n";
window.fetch = (address, given) => {
  if (!String(address).endsWith("/events")) return real(address, given);
  let number = 0;
  const say = (event) => new TextEncoder().encode(`id: ${number}\\nevent: ${event.type}\\ndata: ${JSON.stringify(event)}\\n\\n`);
  const text = "Part of a question that is long enough for two lines";
  const part = (id) => ({ id, text, depends_on: id > 6 ? [1, 2] : [], role: "find", asks: [] });
  const plan = { question: "?", parts: [1, 2, 3, 4, 5, 6, 7].map(part), decided_by: "model" };
  const body = new ReadableStream({
    start(to) {
      to.enqueue(say({ type: "planned", plan, estimate: null, number: ++number, at: 0 }));
      const timer = setInterval(() => {
        if (number > 1500) return clearInterval(timer);
        for (let word = 0; word < 2; word += 1)
          to.enqueue(say({ type: "answer_piece", text: number % 40 ? " word" : END, draft: 1, number: ++number, at: number / 50 }));
      }, 20);
    },
  });
  return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
};
window.slow = [];
new PerformanceObserver((list) => window.slow.push(...list.getEntries().filter((each) => each.interactionId).map((each) => each.duration)))
  .observe({ type: "event", durationThreshold: 16, buffered: true });
"""
FRAMES = """async () => {
  const frames = []; let last = performance.now(); let at = 0; const end = document.documentElement.scrollHeight - innerHeight;
  await new Promise((done) => { const next = (now) => {
    frames.push(now - last); last = now; at += 400; scrollTo(0, at % end);
    frames.length < 300 ? requestAnimationFrame(next) : done(); }; requestAnimationFrame(next); });
  const known = frames.slice(5).sort((a, b) => a - b);
  const rows = document.querySelectorAll(".list > li").length;
  return { median: known[known.length >> 1], most: known[Math.floor(known.length * 0.99)], rows };
}"""


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=50)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        service = Service(library=made_in(Path(folder) / "made") / "library")
        service.start()
        try:
            with browser() as chromium:
                paints = sorted(first_paint(chromium, service) for _ in range(options.times))
                print(
                    f"first paint: median {paints[len(paints) // 2]:.0f} ms, slowest {paints[-1]:.0f} ms of {len(paints)}"
                )
                print(f"citation to marked words: {sorted(citation(chromium, service, options.times))} ms")
                print(f"slowest interaction while an answer streams: {streaming(chromium, service):.0f} ms")
                scrolled = scrolling(chromium, service)
                print(
                    f"10,000 documents: a frame takes {scrolled['median']:.0f} ms at the median, {scrolled['most']:.0f} ms at the "
                    f"99th percentile; {scrolled['rows']} rows are on the page"
                )
                memory(chromium, service, options.questions)
        finally:
            service.process.terminate()
            service.end()


def first_paint(chromium: Browser, service: Service) -> float:
    """Return the milliseconds to the first contentful paint, with nothing cached."""
    page = chromium.new_context().new_page()
    page.goto(service.address)
    page.locator("h1").wait_for()
    found = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    page.context.close()
    return found


def citation(chromium: Browser, service: Service, times: int) -> list[int]:
    """Return the milliseconds from a click on a citation to its words, with nothing fetched before."""
    found: list[int] = []
    for _ in range(times):
        page = chromium.new_context().new_page()
        page.goto(service.address)
        ask(page, QUESTION)
        cite = page.locator("button.cite").first
        cite.wait_for()
        found.append(
            page.evaluate(
                """async () => { const began = performance.now(); document.querySelector("button.cite").click();
                while (!document.querySelector(".source mark")) await new Promise(requestAnimationFrame);
                return Math.round(performance.now() - began); }"""
            )
        )
        page.context.close()
    return found


def streaming(chromium: Browser, service: Service) -> float:
    """Return the milliseconds that the slowest interaction took."""
    page = chromium.new_context().new_page()
    page.add_init_script(STREAM)
    page.route("**/api/v1/runs/made-up", lambda route: route.fulfill(json=run_record("running")))
    page.goto(f"{service.address}/#/run/made-up")
    page.locator(".prose p").first.wait_for()
    deadline = time.monotonic() + 12
    while time.monotonic() < deadline:
        page.locator(".plan button").first.click()
        page.keyboard.press("Tab")
        page.wait_for_timeout(150)
    return max(page.evaluate("window.slow"), default=0.0)


def run_record(state: str) -> dict[str, object]:
    """Return a run as the service tells of it."""
    return {
        "id": "made-up",
        "question": QUESTION,
        "state": state,
        "created": time.time(),
        "finished": None,
        "attempts": 1,
        "error": "",
        "plan": None,
        "answer": None,
        "conversation": "",
        "changes": None,
    }


def scrolling(chromium: Browser, service: Service) -> dict[str, float]:
    """Return how long frames take while 10,000 documents are scrolled through."""
    page = chromium.new_context(viewport={"width": 1280, "height": 800}).new_page()
    counts = [{"name": "default", "documents": 10_000, "passages": 0, "waiting": 0}]
    page.route("**/api/v1/collections", lambda route: route.fulfill(json=counts))

    def listed(route: Route) -> None:
        start = int(parse_qs(urlsplit(route.request.url).query).get("cursor", ["0"])[0] or 0)
        items = [document(number) for number in range(start, min(10_000, start + 200))]
        route.fulfill(body=json.dumps({"items": items, "next": str(start + 200) if start < 9_800 else None}))

    page.route("**/api/v1/collections/default/documents?*", listed)
    page.goto(f"{service.address}/#/library")
    page.locator(".document-row").first.wait_for()
    found = page.evaluate(FRAMES)
    page.context.close()
    return found


def document(number: int) -> dict[str, object]:
    """Return a document as the service tells of it."""
    return {
        "id": f"d{number}",
        "collection": "default",
        "title": f"Paper {number}: On the Number {number * 7919 % 10_007}",
        "authors": ["Ada Lovelace", "Alan Turing"],
        "year": 1990 + number % 35,
        "source": "",
        "language": "en",
        "kind": "paper",
        "metadata": {},
        "file": None,
    }


def memory(chromium: Browser, service: Service, questions: int) -> None:
    """Say how much the page holds after some questions, and after many."""
    page = chromium.new_context().new_page()
    page.goto(service.address)
    told = page.context.new_cdp_session(page)
    told.send("Performance.enable")
    for number in range(1, questions + 1):
        page.goto(f"{service.address}/#/")
        ask(page, f"Who proposed BERT, and what is number {number}?")
        page.locator(".after").wait_for()
        if number in {5, questions}:
            print(f"memory after {number} questions: {held(page, told):.1f} MB")


def held(page: Page, told: CDPSession) -> float:
    """Return the megabytes that the page's own objects take."""
    send = told.send
    send("HeapProfiler.collectGarbage")
    page.wait_for_timeout(500)
    send("HeapProfiler.collectGarbage")
    metrics = {each["name"]: each["value"] for each in send("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"] / 1e6


if __name__ == "__main__":
    main()
