#!/bin/sh
# Our client against a real llama.cpp server, which serves a model of random numbers: nothing is downloaded but the server itself.
set -eu
cd "$(dirname "$0")/.."
venv=.bench/llama
if [ ! -e "$venv/.ready" ]; then
    if ! { ${PYTHON:-python3} -m venv --clear "$venv" &&
        "$venv/bin/pip" install -qq --disable-pip-version-check "xllamacpp==2026.10.11549" "gguf>=0.19,<0.20" "numpy>=2.1,<3" &&
        "$venv/bin/python" -c 'import xllamacpp'; }; then
        echo "skipped: the server (xllamacpp) could not be installed here, for the reason above"
        exit 0
    fi
    touch "$venv/.ready"
fi
"$venv/bin/python" bench/llama/weights.py "$venv/random.gguf"
PYTHONPATH=src exec "${VENV:-.venv}/bin/python" bench/llama/conform.py "$venv/bin/python" bench/llama/server.py "$venv/random.gguf"
