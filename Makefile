# Entry point for users, developers and CI. `make` alone lists the targets.
# The steps themselves are scripts under packaging/, so that they also work without make.

PYTHON ?=
ARGS ?=
CASES ?= assets/measurements/cases.csv
BIN := .venv/bin
MEASURED := tests/loads tests/machine/telemetry tests/cards
# In three passes: burn-in workers run at low priority and would starve beside tests that compute, and the journeys of a
# window beside those of others. No test of these judges seconds: it waits for a state, for minutes if it must, so that a
# busy machine takes longer and answers the same. What must hold seconds is in `make bench` and `make soak`. A test
# process that dies fails the pass at once: a replacement can leave pytest-xdist waiting forever for what that one had.
TESTS := QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest \
	--dist loadfile --no-loadscope-reorder --max-worker-restart=0
# One more than processors: a test of a window or a command waits now and then.
WORKERS := $(shell n=$$(nproc); echo $$((n < 4 ? n + 1 : 4)))
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help run check test lint bench gpu soak coverage fuzz messages manual validate deb wheel prepare prepare-tests clean

help: ## List the targets
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  make run ARGS="check build.rig.json" runs a command without the window; make itself exits with 0 or 2.'
	@echo '  packaging/run.sh check build.rig.json exits with the exact code of the command.'
	@echo '  PYTHON=python3.12 selects the interpreter for the environment in .venv.'

run: prepare ## Open the window, or run a command: ARGS="check build.rig.json"
	@$(BIN)/rigwright $(ARGS) || { code=$$?; echo "rigwright ended with code $$code." >&2; exit $$code; }

check: prepare-tests ## For daily work, under a minute: lint, type checks and the tests that the change affects
	@packaging/check.sh

test: lint ## Run lint, type checks, import contracts and all tests
	$(TESTS) -n $(WORKERS) -m "not (process or journey or soak or fuzz)" < /dev/null
	$(TESTS) -n 4 -m "process and not (journey or soak or fuzz)" < /dev/null
	$(TESTS) -n 2 -m "journey and not (soak or fuzz)" < /dev/null

lint: prepare-tests ## Run lint, type checks, import contracts and the search for unused code
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python packaging/unused.py

bench: prepare-tests ## Measure everything that has a time limit; run it on an otherwise idle machine
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest tests/benchmarks --benchmark-enable < /dev/null

gpu: ## Measure this machine's cards in eight minutes, without a network; write a page for each
	@packaging/gpu.sh $(ARGS) || { code=$$?; echo "The measurement ended with code $$code." >&2; exit $$code; }

soak: prepare-tests ## Inject ten thousand faults, try more examples of every property, pass every line of [tool.covered] (minutes)
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest -m soak < /dev/null
	HYPOTHESIS_PROFILE=soak $(TESTS) -n logical --maxprocesses 4 -m "hypothesis and not (process or journey or soak or fuzz)" < /dev/null
	$(BIN)/python packaging/covered.py

coverage: prepare-tests ## Report line coverage of loads and telemetry in all processes, with stand-ins for cards (minutes)
	$(BIN)/coverage erase
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/coverage run -m pytest $(MEASURED) -m "not (soak or fuzz or gpu)" < /dev/null
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/coverage run -m pytest tests/cards -m soak < /dev/null
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

fuzz: prepare-tests ## Feed hostile input to every reader on two cores for FUZZ_SECONDS (300)
	FUZZ_SECONDS=$${FUZZ_SECONDS:-300} QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest tests/fuzz -n 2 -m fuzz -rP < /dev/null

messages: prepare-tests ## Collect the program's messages into the language catalogues and list missing translations
	@$(BIN)/python packaging/messages.py $(ARGS)

manual: prepare-tests ## Write what the manual lists of commands and stages
	@$(BIN)/python packaging/manual.py

validate: prepare ## Compare predictions with measured cases: CASES=cases.csv
	@$(BIN)/rigwright validate $(CASES)

deb: ## Build a package for this release of Debian or Ubuntu, in dist/
	@packaging/deb.sh

wheel: prepare ## Build a wheel, in dist/
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

prepare: ## Create the environment in .venv and install missing system packages
	@packaging/system-packages.sh window
	@packaging/prepare.sh run

prepare-tests:
	@packaging/system-packages.sh test
	@packaging/prepare.sh dev

clean: ## Remove .venv, caches and everything else that make created
	rm -rf .venv .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .benchmarks dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
