"""Every route of a service that runs, tried by its own description: no error of ours, and no reply that is not described.

Streams are tried apart, in the tests. `python bench/service_fuzz.py --schemathesis PROGRAM [--examples 100] [--seed 1]`
"""

import argparse
import subprocess
import sys
import tempfile
from importlib.resources import as_file, files
from pathlib import Path

from scholarmind import Library, Settings
from service import begin, end

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--schemathesis", required=True, help="the program")
    parser.add_argument("--examples", type=int, default=100, help="requests for each route")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="a part of the path of the routes to try")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="scholarmind-fuzz-") as place:
        library = Path(place) / "library"
        with (
            Library(Settings(library=library, embedder="none")) as opened,
            as_file(files("scholarmind.demo") / "notes") as notes,
        ):
            opened.add([notes / "bert.md", notes / "gpt-2.md"])
        served = begin(library, "--questions", "10000", embedder="none")
        try:
            command = [
                Path(options.schemathesis).absolute(),
                "run",
                f"{served.address}/api/v1/openapi.json",
                "--checks",
                CHECKS,
            ]
            command += [
                "--max-examples",
                str(options.examples),
                "--seed",
                str(options.seed),
                "--phases",
                "examples,coverage,fuzzing",
            ]
            command += [
                "--exclude-path-regex",
                "/events$|^/v1/responses$|^/v1/chat",
                "--continue-on-failure",
                "--no-color",
            ]
            command += ["--include-path-regex", options.only] if options.only else []
            sys.exit(subprocess.run(command, check=False, cwd=place).returncode)
        finally:
            end(served)


if __name__ == "__main__":
    main()
