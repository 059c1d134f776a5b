"""An installation that has lost the files of its models: a copy of the package without them."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import scholarmind

_PACKAGE = Path(scholarmind.__file__).parent

_READING = """
from scholarmind.adapters.e5.reader import E5Reader
from scholarmind.errors import ModelError
try:
    E5Reader()("Who?", [("A title", ("A sentence.",))])
except ModelError as error:
    print(error)
"""

_EMBEDDING = """
import asyncio, sys
from pathlib import Path
from scholarmind.adapters import minilm
model = minilm.MiniLM(threads=1)
async def main():
    return await asyncio.gather(*(model.embed([text]) for text in "abc"), return_exceptions=True)
errors = asyncio.run(main())
print(*map(repr, errors), sep="\\n")
(Path(minilm.__file__).parent / "weights").symlink_to(sys.argv[1])
print(*(type(item).__name__ for item in asyncio.run(main())))
"""


@pytest.fixture(scope="module")
def without_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import the package from."""
    folder = tmp_path_factory.mktemp("installation")
    shutil.copytree(_PACKAGE, folder / "scholarmind", ignore=shutil.ignore_patterns("weights", "__pycache__"))
    return folder


def _run(folder: Path, program: str, *arguments: object) -> list[str]:
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, {str(folder)!r})\n{program}",
        *map(str, arguments),
    ]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout.splitlines()


def test_the_reader_names_the_file_and_the_remedy(without_weights: Path) -> None:
    (line,) = _run(without_weights, _READING)
    assert "'pieces.tsv' is missing" in line
    assert line.endswith("install scholarmind again")


def test_the_embedder_tells_everyone_and_the_next_may_try_again(without_weights: Path) -> None:
    *errors, then = _run(without_weights, _EMBEDDING, _PACKAGE / "adapters" / "minilm" / "weights")
    assert len(errors) == 3
    assert all(line.startswith("ModelError(") and "'vocab.txt' is missing" in line for line in errors)
    assert then == "Embeddings Embeddings Embeddings"
