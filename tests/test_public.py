"""What programs may use, and what an import costs them."""

import subprocess
import sys
from importlib import import_module
from importlib.util import find_spec

import pytest

import scholarmind

NAMES = {
    "AllOf",
    "Answer",
    "AnyOf",
    "Ask",
    "BatchQuestion",
    "BatchResult",
    "Budget",
    "Changes",
    "Citation",
    "Claim",
    "Compare",
    "Concepts",
    "Counts",
    "Document",
    "Engine",
    "Evidence",
    "Filter",
    "Finding",
    "Found",
    "Judged",
    "Library",
    "Models",
    "Not",
    "Options",
    "Passage",
    "Plan",
    "Problem",
    "Progress",
    "Proposal",
    "Report",
    "Retrieved",
    "Review",
    "Roadmap",
    "Row",
    "ScholarMindError",
    "Scored",
    "Scores",
    "Settings",
    "SubQuestion",
    "Turn",
    "connect",
    "parse_filter",
}
HEAVY = [
    "numpy",
    "onnxruntime",
    "tantivy",
    "rich",
    "click",
    "httpx2",
    "yaml",
    "charset_normalizer",
    "Stemmer",
    "fastapi",
]
GUESTS = {
    "ipython": "IPython",
    "langchain": "langchain_core",
    "langgraph": "langgraph",
    "llamaindex": "llama_index",
}  # by module: the framework that it needs


def test_the_public_names() -> None:
    assert set(scholarmind.__all__) == NAMES


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(scholarmind, name).__module__.startswith(("scholarmind.", "types"))


def test_a_star_import_gives_the_public_names() -> None:
    found: dict[str, object] = {}
    exec("from scholarmind import *", found)  # noqa: S102  (only possible at the top of a module otherwise)
    assert set(found) - {"__builtins__"} == NAMES


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'scholarmind' has no attribute 'Librarian'"):
        _ = scholarmind.Librarian


def imported(code: str) -> list[str]:
    """Return the heavy modules that a fresh interpreter has loaded after this code."""
    told = f"{code}\nimport sys\nprint([name for name in {[*HEAVY, *GUESTS.values()]!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.strip().strip("[]").replace("'", "").split(", ") if done.stdout.strip() != "[]" else []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("import scholarmind", [], id="the package"),
        pytest.param("from scholarmind import Answer, Document, Plan, Settings, parse_filter", [], id="plain data"),
        pytest.param("from scholarmind.cli import main", ["click"], id="the command line"),
        pytest.param("import scholarmind.service.keys", [], id="the keys of a service"),
    ],
)
def test_an_import_loads_nothing_heavy(code: str, expected: list[str]) -> None:
    assert imported(code) == expected


@pytest.mark.parametrize(("guest", "framework"), GUESTS.items())
def test_a_guest_without_its_framework_says_what_to_install(guest: str, framework: str) -> None:
    if find_spec(framework):
        pytest.skip(f"{framework} is installed")
    with pytest.raises(
        ImportError, match=rf"needs \w+, which is not installed; run: pip install 'scholarmind\[{guest}\]'"
    ) as caught:
        import_module(f"scholarmind.{guest}")
    assert isinstance(caught.value, scholarmind.ScholarMindError)
