"""Install the project as a user would, into an empty venv, and measure what that brings: megabytes, packages, seconds."""

import importlib.metadata
import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_OF_THE_VENV = {"pip", "setuptools"}


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="scholarmind-install-") as folder:
        print(json.dumps(measure(Path(folder)), indent=1))


def measure(folder: Path) -> dict[str, Any]:
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    before = size(folder)
    start = time.perf_counter()
    command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", str(ROOT)]
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - start
    site = next((folder / "lib").glob("python3*/site-packages"))
    found = {item.name for item in importlib.metadata.distributions(path=[str(site)])} - _OF_THE_VENV
    script = "import scholarmind, sys; scholarmind.Library; print('torch' in sys.modules)"
    has_torch = subprocess.run([python, "-c", script], check=True, capture_output=True, text=True).stdout.strip()
    largest = sorted(((size(path) / 1e6, path.name) for path in site.iterdir()), reverse=True)[:6]
    return {
        "python": sys.version.split()[0],
        "seconds": round(seconds, 1),
        "megabytes": round((size(folder) - before) / 1e6),
        "packages": len(found),
        "torch": has_torch,
        "largest": {name: round(megabytes) for megabytes, name in largest},
    }


def size(path: Path) -> int:
    return sum(file.lstat().st_size for file in ([path] if path.is_file() else path.rglob("*")) if file.is_file())


if __name__ == "__main__":
    main()
