#!/bin/sh
# Our store beside LanceDB on the same data in one run, in a venv of its own.
set -eu
cd "$(dirname "$0")/.."
venv=.bench/peers
if [ ! -e "$venv/.ready" ]; then
    ${PYTHON:-python3} -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check "lancedb>=0.40,<0.41" "numpy>=2.1,<3" "tantivy>=0.27,<0.28" "PyStemmer>=3,<4" "onnxruntime>=1.22,<2"
    touch "$venv/.ready"
fi
PYTHONPATH=src exec "$venv/bin/python" bench/peers.py "$@"
