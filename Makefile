# Names for the project's commands; each is short enough to type by hand.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV ?= .venv
BIN := $(VENV)/bin
# with the extras in the lock: pip takes a name with an extra for unpinned as soon as a newer release is out
LOCK := --universal --generate-hashes --no-header --no-annotate -q --no-strip-extras
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input

.PHONY: help demo model wheel test injections nightly check static collected lint types layers javascript unit bench chaos eval lock pictures schemas vectors clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/'

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Bullpen needs Python 3.11 or newer. Install one, or name it: make demo PYTHON=/path/to/python3.12"; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo-ready: requirements.lock pyproject.toml | $(BIN)/python
	$(PIP) install -q --no-compile --require-hashes -r requirements.lock
	$(PIP) install -q --no-deps --no-build-isolation -e .
	@touch $@

# a lock that holds all of the other: installed at once rather than after it
$(VENV)/.dev-ready: requirements-dev.lock pyproject.toml | $(BIN)/python
	$(PIP) install -q --no-compile --require-hashes -r requirements-dev.lock
	$(PIP) install -q --no-deps --no-build-isolation -e .
	@touch $(VENV)/.demo-ready $@

$(VENV)/.dbt-ready: requirements-dbt.lock | $(BIN)/python
	$(BIN)/python -m venv $(VENV)/dbt
	$(VENV)/dbt/bin/python -m pip --disable-pip-version-check --no-input install -q --no-compile --require-hashes -r requirements-dbt.lock \
		&& touch $@ || { rm -rf $(VENV)/dbt; echo "dbt does not install here; the tests that run it are skipped."; }

demo: $(VENV)/.demo-ready  ## set everything up and run a real job to its end
	@$(BIN)/bullpen demo $(ARGS)

model: $(VENV)/.demo-ready  ## fetch a small open model (1.1 GB) and serve it here, for those without a key
	@$(BIN)/python -m workers.local.model

wheel: $(VENV)/.demo-ready  ## build the wheel of this checkout, dist/bullpen_fleet-*.whl, to install elsewhere
	$(BIN)/python -m hatchling build -t wheel

test: export PYTHONDONTWRITEBYTECODE :=  # the suite starts Python some hundred times: what it imports is compiled once
test: $(VENV)/.dev-ready $(VENV)/.dbt-ready  ## the whole suite against real servers
	$(BIN)/python -m pytest -n 4 --durations=20 --reruns 1

nightly: export PYTHONDONTWRITEBYTECODE :=
nightly: export BULLPEN_CAMPAIGN ?= 10
nightly: $(VENV)/.dev-ready $(VENV)/.dbt-ready  ## the long forms of the tests: more random cases, whole samples, ten times the crashes; takes hours
	$(BIN)/python -m pytest -n 2 --timeout=3600 --hypothesis-profile=nightly

injections: $(VENV)/.dev-ready  ## all SQL injections of the evaluation data, as statements and as values, against each engine that is installed
	BULLPEN_CAMPAIGN=10 $(BIN)/python -m pytest -q tests/integration/test_sources_sessions.py tests/integration/test_sources_queries.py -k injections --timeout=3600

lint: $(VENV)/.dev-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.dev-ready
	$(BIN)/pyright --pythonpath $(BIN)/python

layers: $(VENV)/.dev-ready
	$(BIN)/lint-imports

# the checker of the console's JavaScript; the machine needs Node for it, and the product does not
$(VENV)/.javascript-ready: tests/javascript/package.json tests/javascript/package-lock.json | $(BIN)/python
	@mkdir -p $(VENV)/javascript && cp $^ $(VENV)/javascript
	@if ! command -v npm >/dev/null; then echo "Without npm the types of the console's JavaScript are not checked."; \
	elif npm ci --prefix $(VENV)/javascript --no-audit --no-fund --loglevel=error; then touch $@; \
	else echo "TypeScript does not install here; the types of the console's JavaScript are not checked."; fi

javascript: $(VENV)/.javascript-ready  ## the types of the console's JavaScript, by TypeScript's checker
	@test ! -e $(VENV)/.javascript-ready || $(VENV)/javascript/node_modules/.bin/tsc --project tests/javascript

collected: export PYTHONDONTWRITEBYTECODE :=
collected: $(VENV)/.dev-ready  # imports every test once, so that the processes of the suite find all of it compiled
	@said=$$($(BIN)/python -m pytest --collect-only -qq 2>&1) || { echo "$$said" | tail -n 60; exit 1; }

static:  # all that needs no server; the longest first, and the packages of dbt meanwhile
	$(MAKE) -j2 types collected lint layers javascript $(VENV)/.dbt-ready

check:  ## what CI runs: lint, types, import layers, tests
	$(MAKE) static
	$(MAKE) test

bench: $(VENV)/.dev-ready  ## measure: ours beside Celery, LangGraph, DBOS (BENCH_DBOS_PYTHON) and the floor; a diagnoser's step; the what-if replay; what the boss's tests notice
	$(BIN)/python -m tests.bench --layout one
	$(BIN)/python -m tests.bench --layout halves --only "chain,ours,langgraph"
	$(BIN)/python -m tests.bench --layout roles --only "chain,ours"
	$(BIN)/python -m tests.bench.mutation

chaos: $(VENV)/.dev-ready  ## fifteen kinds of faults on the real fleet, 1,000 jobs each: lost, doubled, stuck, effects twice
	$(BIN)/python -m tests.bench.chaos

vectors: $(VENV)/.dev-ready  ## make the vectors of documents, experience and samples that ship (workers/llm/kept_vectors.bin)
	$(BIN)/python -m tests.support.kept_vectors

schemas: $(VENV)/.dev-ready  ## write contracts/schema/, docs/settings.md and the prompts of tests/golden
	$(BIN)/python -m tests.support.generated
	$(BIN)/python -m tests.support.prompt_cases

pictures: $(VENV)/.dev-ready  ## pictures of every page of the console, in both languages and themes, for a person to look at
	$(BIN)/python -m tests.console_pictures .pictures

lock:  ## compile the lock files (needs uv)
	uv pip compile pyproject.toml --extra embedded --extra s3 --group build --group dev --group bench $(LOCK) -o requirements-dev.lock
	uv pip compile pyproject.toml --extra embedded --group build -c requirements-dev.lock $(LOCK) -o requirements.lock
	uv pip compile pyproject.toml --extra embedded --extra s3 --group build -c requirements-dev.lock $(LOCK) -o requirements-s3.lock
	uv pip compile --group dbt $(LOCK) -o requirements-dbt.lock

clean:  ## remove the environment and what tools left
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis .import_linter_cache .bench
