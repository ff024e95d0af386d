# Everything a user, a developer or CI does starts here. `make` alone lists it.
# The steps themselves are scripts under packaging/, so that they also work without make.

PYTHON ?=
ARGS ?=
CASES ?= assets/measurements/cases.csv
BIN := .venv/bin
MEASURED := tests/loads tests/telemetry tests/cards
# In three turns: workers of a burn-in give way to whatever else runs and would starve beside tests that compute,
# and what must be done within seconds is tested with nothing beside it. A test process that dies fails the turn at once:
# a new one in its place can leave pytest-xdist waiting for ever for the tests that the dead one had.
TESTS := QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest \
	--dist loadfile --no-loadscope-reorder --max-worker-restart=0
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help run check test lint bench gpu soak fuzz messages validate deb wheel prepare prepare-tests clean

help: ## List the targets
	@awk -F ': .*## ' '/^[a-z-]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo '  make run ARGS="check build.rig.json" runs a job without a window; make itself ends with 0 or 2.'
	@echo '  packaging/run.sh check build.rig.json ends with the exact code of the verdict.'
	@echo '  PYTHON=python3.12 chooses the interpreter of the environment in .venv.'

run: prepare ## Start Rigwright, or one job of it: ARGS="check build.rig.json"
	@$(BIN)/rigwright $(ARGS) || { code=$$?; echo "rigwright ended with code $$code." >&2; exit $$code; }

check: prepare-tests ## For daily work, within a minute: lint, types and the tests of what changed
	@packaging/check.sh

test: lint ## Lint, check types and import contracts, run all tests
	$(TESTS) -n logical --maxprocesses 4 -m "not (process or journey or prompt or soak or fuzz)" < /dev/null
	$(TESTS) -n 3 -m "process and not (journey or prompt or soak or fuzz)" < /dev/null
	$(TESTS) -m "(journey or prompt) and not (soak or fuzz)" < /dev/null

lint: prepare-tests ## Lint, check types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: prepare-tests ## Measure what has a time limit
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest tests/benchmarks --benchmark-enable < /dev/null

gpu: ## Measure the cards at hand within eight minutes, without network: a page of each
	@packaging/gpu.sh $(ARGS) || { code=$$?; echo "The measurement ended with code $$code." >&2; exit $$code; }

soak: prepare-tests ## Inject ten thousand faults and find every one, try more examples of every property: minutes
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest -m soak < /dev/null
	HYPOTHESIS_PROFILE=soak $(TESTS) -n logical --maxprocesses 4 -m "hypothesis and not (process or journey or prompt or soak or fuzz)" < /dev/null

coverage: prepare-tests ## Which lines of loads and telemetry the tests run, in all processes, on cards that are stand-ins: minutes
	$(BIN)/coverage erase
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/coverage run -m pytest $(MEASURED) -m "not (soak or fuzz or gpu)" < /dev/null
	QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/coverage run -m pytest tests/cards -m soak < /dev/null
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

fuzz: prepare-tests ## Feed hostile input to every reader for five minutes on two cores: FUZZ_SECONDS=300
	FUZZ_SECONDS=$${FUZZ_SECONDS:-300} QT_QPA_PLATFORM=$${QT_QPA_PLATFORM:-offscreen} $(BIN)/python -m pytest tests/fuzz -n 2 -m fuzz -rP < /dev/null

messages: prepare-tests ## Gather the program's messages into the catalogues of languages, and tell what they lack
	@$(BIN)/python packaging/messages.py $(ARGS)

validate: prepare ## Hold the predictions to measured cases: CASES=cases.csv
	@$(BIN)/rigwright validate $(CASES)

deb: ## Build a Debian package for this release of Debian or Ubuntu, in dist/
	@packaging/deb.sh

wheel: prepare ## Build a wheel, in dist/
	$(BIN)/python -m pip --disable-pip-version-check wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	@ls dist/*.whl

prepare: ## Make the environment in .venv and install missing system packages
	@packaging/system-packages.sh window
	@packaging/prepare.sh run

prepare-tests:
	@packaging/system-packages.sh test
	@packaging/prepare.sh dev

clean: ## Remove .venv, caches and everything else that make made
	rm -rf .venv .coverage .coverage.* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .benchmarks dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
