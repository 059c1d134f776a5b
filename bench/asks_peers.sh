#!/bin/sh
# Peers of the product on the same question, each in a venv of its own, beside one scripted server. One that cannot be installed is left out.
set -eu
cd "$(dirname "$0")/.."

prepare() { # the peer's name, and what pip shall install
    venv=.bench/asks-$1
    name=$1
    shift
    [ -e "$venv/.ready" ] && return
    if ${PYTHON:-python3} -m venv --clear "$venv" && "$venv/bin/pip" install -qq --disable-pip-version-check "$@"; then
        touch "$venv/.ready"
    else
        echo "left out: $name could not be installed (see above)" >&2
    fi
}

prepare llama-index "llama-index-core>=0.14.25,<0.15" "llama-index-llms-openai-like>=0.8,<0.9" "openai<3"
prepare langchain "langchain-classic>=1.0.8,<1.1" "langchain-openai>=1.7,<1.8" "numpy>=2.1,<3"
prepare langgraph "langgraph>=1.2,<1.3" "langchain-openai>=1.7,<1.8" "numpy>=2.1,<3"
prepare paper-qa "paper-qa==2026.8.12" "fhlmi<2" "fhaviary<0.38" "litellm<1.85" "openai<3"
PYTHONPATH=src exec "${VENV:-.venv}/bin/python" bench/asks_peers/run.py "$@"
