"""A real Chromium over a real service. Every page is watched: no error, no report of the policy, no request to outside."""

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
BIN = Path(os.environ.get("PAGE_BIN", ROOT / ".venv/bin"))
AXE = (HERE.parent / "vendor/axe.js").read_text()
WATCH = """
window.reports = [];
document.addEventListener("securitypolicyviolation", (event) => window.reports.push(`${event.violatedDirective} ${event.blockedURI}`));
"""


@dataclass
class Service:
    """A service that can be killed and started again at the same address."""

    library: Path
    port: int = 0
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    process: Any = field(default=None, repr=False)

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, and wait until a question would not wait for anything."""
        known = {name: value for name, value in os.environ.items() if not name.startswith(("SCHOLARMIND_", "OPENAI_"))}
        command = [BIN / "python", "-c", "from scholarmind.cli import main; main()", "serve", "--quiet"]
        self.process = subprocess.Popen(
            [*command, "--port", str(self.port), "--library", self.library, *self.options],
            stdout=subprocess.PIPE,
            text=True,
            cwd=self.library.parent,
            env={**known, "SCHOLARMIND_EMBEDDER": "none", **self.environment},
        )
        line = self.process.stdout.readline()
        self.port = int(line.rpartition(":")[2])
        until(lambda: b"ready" in urlopen(f"{self.address}/readyz", timeout=5).read())  # noqa: S310

    def kill(self) -> None:
        """End it as a machine that loses its power does."""
        self.process.kill()
        self.end()

    def end(self) -> None:
        """Wait for its end."""
        self.process.wait()
        self.process.stdout.close()


@contextmanager
def slow_model(seconds: float) -> Iterator[str]:
    """A language model that takes its time, and says little: its address."""
    command = [BIN / "python", "-m", "scholarmind.testing", "--latency", str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


def until(holds: Callable[[], Any], seconds: float = 60) -> Any:
    """Wait until something holds."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found := holds():
                return found
        except OSError:
            pass
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.1)


def made_in(folder: Path) -> Path:
    """Make the library and the files in a folder, and return it."""
    subprocess.run([BIN / "python", HERE / "make_library.py", folder], check=True)
    return folder


@contextmanager
def browser() -> Iterator[Browser]:
    """Start the machine's own Chromium."""
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the library and the files."""
    return made_in(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="session")
def service(made: Path) -> Iterator[Service]:
    """A service for all tests that do not end it."""
    running = Service(library=made / "library")
    running.start()
    yield running
    running.process.terminate()
    running.end()


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A browser for all tests."""
    with browser() as started:
        yield started


Opened = Callable[..., Page]


@pytest.fixture
def opened(chromium: Browser, service: Service) -> Iterator[Opened]:
    """Open a place of the page. `allowed` are pieces of errors that belong to the test."""
    seen: list[tuple[Page, list[str]]] = []

    def open_page(
        place: str = "",
        *,
        at: Service = service,
        wide: int = 1280,
        high: int = 800,
        allowed: tuple[str, ...] = (),
        **more: Any,
    ) -> Page:
        context = chromium.new_context(viewport={"width": wide, "height": high}, **{"locale": "en-GB", **more})
        context.add_init_script(WATCH)
        page = context.new_page()
        page.set_default_timeout(30_000)
        wrong: list[str] = []

        def told(message: ConsoleMessage) -> None:
            if message.type in {"error", "warning"} and not any(piece in message.text for piece in allowed):
                wrong.append(f"console: {message.text}")

        def asked(request: Request) -> None:
            if not request.url.startswith((at.address, "data:", "blob:")):
                wrong.append(f"outside: {request.url}")

        page.on("console", told)
        page.on("pageerror", lambda error: wrong.append(f"error: {error}"))
        page.on("request", asked)
        seen.append((page, wrong))
        page.goto(f"{at.address}/{place}")
        return page

    yield open_page
    for page, wrong in seen:
        wrong += [f"policy: {report}" for report in page.evaluate("window.reports")]
        page.context.close()
        assert not wrong


def check_access(page: Page) -> None:
    """Have axe look at the page as it is."""
    page.evaluate("document.getAnimations().forEach((each) => { try { each.finish() } catch { each.cancel() } })")
    page.evaluate(AXE)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    told = [f"{each['id']}: {each['help']}: {node['html'][:200]}" for each in found for node in each["nodes"]]
    assert not told, "\n".join(told)


def ask(page: Page, question: str) -> None:
    """Type a question, and ask it."""
    page.locator("[data-ask]").last.fill(question)
    page.locator("[data-ask]").last.press("Enter")
