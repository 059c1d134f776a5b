"""Time whole processes: what a user waits for before anything happens. Medians of many runs, by turns."""

import json
import subprocess
import sys
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
    for _ in range(RUNS):
        for name, command in COMMANDS.items():
            start = time.perf_counter()
            subprocess.run(command, check=True, capture_output=True)
            spent[name].append((time.perf_counter() - start) * 1e3)
    print(json.dumps({name: round(median(times)) for name, times in spent.items()}, indent=1))


if __name__ == "__main__":
    main()
