"""Time whole processes: what a user waits for before anything happens. Medians of many runs, by turns.

The first run of each, which is not counted, writes the byte code that an installed package has.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

RUNS = 20
SCRIPT = str(Path(sys.executable).with_name("scholarmind"))
COMMANDS = {
    "python alone": [sys.executable, "-c", "pass"],
    "import scholarmind": [sys.executable, "-c", "import scholarmind"],
    "import Library": [sys.executable, "-c", "from scholarmind import Library"],
    "scholarmind --help": [SCRIPT, "--help"],
    "scholarmind search --help": [SCRIPT, "search", "--help"],
}


def main() -> None:
    spent: dict[str, list[float]] = {name: [] for name in COMMANDS}
    with tempfile.TemporaryDirectory() as compiled:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": compiled, "PYTHONDONTWRITEBYTECODE": ""}
        for _ in range(1 + RUNS):
            for name, command in COMMANDS.items():
                start = time.perf_counter()
                subprocess.run(command, check=True, capture_output=True, env=environment)
                spent[name].append((time.perf_counter() - start) * 1e3)
    print(json.dumps({name: round(median(times[1:])) for name, times in spent.items()}, indent=1))


if __name__ == "__main__":
    main()
