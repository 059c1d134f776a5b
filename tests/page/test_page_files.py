"""The files of the page: whole, small, readable, of this machine alone, and given out as they should be."""

import gzip
import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

import httpx2
import pytest
from tests.service.conftest import Served, folder, start, stop, template, until

from scholarmind.service.page_api import first_modules, page_files

__all__ = ["folder", "template"]  # fixtures of the service's tests
HERE = Path(__file__).parent
PAGE = Path(__file__).parents[2] / "src/scholarmind/service/page"
OWN = sorted(path for path in PAGE.rglob("*.js") if "vendor" not in path.parts)
FIRST_PAINT = 60_000
LONGEST_MODULE = 250


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    """A service that wants a key."""
    from scholarmind.service.keys import Keys
    from scholarmind.service.service_file import ServiceFile

    with ServiceFile(folder / "service.db") as file:
        Keys(file).create(["ask"])
    running = start(folder, "--require-key", wait=False)
    yield running
    stop(running)


def texts(name: str) -> Mapping[str, str]:
    """Return the words of the page in a language."""
    found = re.findall(r'^  "([^"]+)": "((?:[^"\\]|\\.)*)",$', (PAGE / "texts" / name).read_text(), re.MULTILINE)
    return dict(found)


def places(text: str) -> set[str]:
    """Return what is filled into a text."""
    return set(re.findall(r"\{(\w+)", text))


def test_what_the_first_paint_needs_is_small() -> None:
    found = page_files()
    names = ["index.html", *first_modules(found), *(name for name in found if name.endswith(".css"))]
    assert sum(len(gzip.compress(found[name], 9)) for name in names) <= FIRST_PAINT


def test_a_browser_is_told_of_all_modules_at_once() -> None:
    index = page_files()["index.html"].decode()
    for name in first_modules(page_files()):
        assert f'/{name}">' in index
    assert "library/place.js" not in index  # that comes when the library is opened


@pytest.mark.parametrize("path", OWN, ids=lambda path: path.name)
def test_modules_are_short_and_stay_on_this_machine(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= LONGEST_MODULE or path.parent.name == "texts"
    assert not re.search(r"https?://|//[a-z]+\.|innerHTML|insertAdjacentHTML|eval\(|new Function", text)
    assert text.startswith("// ")


def test_what_others_wrote_is_what_was_looked_at() -> None:
    known = [line.split("  ") for line in (PAGE / "vendor/HASHES").read_text().splitlines()]
    for _, package, _, sha256, name in known:
        (path,) = [each / name for each in (PAGE / "vendor", HERE / "vendor") if (each / name).exists()]
        assert hashlib.sha256(path.read_bytes()).hexdigest() == sha256, package
    licensed = {path.name.removesuffix(".LICENSE") for path in PAGE.glob("vendor/*.LICENSE")}
    assert {path.name for path in PAGE.glob("vendor/*.js")} - licensed == {"hooks.js"}  # a part of preact


def test_both_languages_say_the_same_things() -> None:
    english, chinese = texts("english.js"), texts("chinese.js")
    assert set(english) == set(chinese)
    assert {key for key in english if places(english[key]) < places(chinese[key])} == set()
    lost = {key for key in english if places(chinese[key]) != places(english[key])}
    assert lost == set()
    assert not [
        key for key, text in chinese.items() if re.search(r"[\u4e00-\u9fff][,;:!?]", text)
    ]  # in Chinese they are wide


def test_every_text_that_is_used_is_there_and_the_other_way_round() -> None:
    english, code = texts("english.js"), "\n".join(path.read_text() for path in OWN if path.parent.name != "texts")
    used = set(re.findall(r'\bt\("([^"]+)"', code)) | set(re.findall(r'"((?:example|rate)\.[\w.]+)"', code))
    assert used <= set(english)
    made = {name.partition("${")[0] for name in re.findall(r"\bt\(`([^`]+)`", code)}
    named = set(re.findall(r'"([\w-]+(?:\.[\w-]+)*)"', code))
    assert not [key for key in english if key not in used | named and not key.startswith(tuple(made))]


def test_the_page_is_given_to_everybody_and_its_data_to_nobody_without_a_key(served: Served) -> None:
    with served.client() as client:
        index = client.get("/")
        policy = index.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'")
        assert "unsafe" not in policy
        assert "require-trusted-types-for 'script'" in policy
        assert index.headers["cache-control"] == "no-store"
        for address in re.findall(r'(?:href|src)="([^"]+)"', index.text):
            reply = client.get(address)
            assert reply.status_code == 200, address
            assert "immutable" in reply.headers["cache-control"]
            assert reply.headers["x-content-type-options"] == "nosniff"
        assert client.get("/api/v1/session").status_code == 401


def test_of_another_version_nothing_is_given(served: Served) -> None:
    with served.client() as client:
        home = re.search(r"/page/\w+/", client.get("/").text)
        assert home
        for wrong in (
            "/page/000000000000/main.js",
            f"{home[0]}../app.py",
            f"{home[0]}nothing.js",
            f"{home[0]}",
            "/page/",
        ):
            assert client.get(wrong).status_code >= 300, wrong


def test_files_come_packed_to_who_can_unpack_them(served: Served) -> None:
    with served.client() as client:
        packed = client.get("/", headers={"accept-encoding": "gzip"})
        plain = client.get("/", headers={"accept-encoding": "identity"})
    assert packed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert packed.text == plain.text


def test_a_key_becomes_a_session_and_the_page_learns_who_it_is(served: Served) -> None:
    key = served.key("ask", "search", name="Ada")
    with served.client() as client:
        assert client.post("/api/v1/session", headers={"authorization": f"Bearer {key}"}).status_code == 204
        cookie = {"cookie": f"scholarmind_session={client.cookies['scholarmind_session']}"}
    with httpx2.Client(base_url=served.address, headers=cookie) as client:
        assert client.get("/api/v1/session").json() == {
            "name": "Ada",
            "scopes": ["ask", "search"],
            "local": False,
            "model": False,
            "effort": "standard",
        }


def test_the_page_is_opened_in_the_browser_of_this_computer(template: Path, tmp_path: Path) -> None:
    browser, opened = tmp_path / "browser", tmp_path / "opened"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    browser.chmod(0o700)
    running = start(
        Path(shutil.copytree(template, tmp_path / "library")), "--open", wait=False, BROWSER=f"{browser} %s"
    )
    try:
        until(lambda: opened.exists() and opened.read_text() == running.address)
    finally:
        stop(running)


def test_what_the_page_works_out() -> None:
    """The page's own unit tests, in Node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("there is no node on this machine")
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    if int(version[1:].partition(".")[0]) < 20:
        pytest.skip(f"node {version.strip()} is too old; 20 is needed")
    done = subprocess.run([node, "--test", HERE / "unit"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr
    assert re.search(r"pass [1-9]\d", done.stdout)


pytestmark = [pytest.mark.allow_hosts(["127.0.0.1"]), pytest.mark.enable_socket]
