# make serve, make test: each does all it needs on a machine with Python 3.11 or later and make.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check \
       --constraint constraints.txt
PORT ?= 5006
# Two files at a time; those of the browser have servers and a browser to themselves.
TWICE := -n 2 --dist loadfile --no-loadscope-reorder
DEPENDENCIES := pyproject.toml constraints.txt

.PHONY: serve test test-all bench lint format clean install chromium glmnet

serve: $(VENV)/.installed
	$(if $(PUBLIC),FWCORE_PUBLIC=1) $(BIN)/panel serve app --port $(PORT) --warm \
		$(if $(PUBLIC),,--address localhost)

test: $(VENV)/.installed-test chromium lint
	$(BIN)/python -m pytest --ignore tests/browser -m "not slow" $(TWICE) --durations=10
	$(BIN)/python -m pytest tests/browser -m "not slow" $(TWICE) --durations=10

test-all: $(VENV)/.installed-test $(VENV)/.installed-lab chromium lint
	$(BIN)/python -m pytest --ignore tests/browser $(TWICE) --durations=10
	$(BIN)/python -m pytest tests/browser --durations=10

# adelie asks for numpy below 2, which it does not need, copt for what is there: hence without
# dependencies. glmnet is a package of R.
bench: $(VENV)/.installed-test $(VENV)/.installed-bench chromium glmnet
	$(PIP) --no-deps adelie copt
	$(BIN)/python tests/benchmarks/run.py $(PARTS) $(if $(CASES),--cases $(CASES)) \
		$(if $(PEERS),--peers $(PEERS))

lint: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

install: $(VENV)/.installed

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo "Python 3.11 or later is needed: make PYTHON=..."; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(VENV)/bin/python $(DEPENDENCIES)
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-%: $(VENV)/bin/python $(DEPENDENCIES)
	$(PIP) --editable ".[$*]"
	@touch $@ $(VENV)/.installed

glmnet:
	@command -v Rscript > /dev/null \
	|| { command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] \
	     && apt-get update --quiet=2 \
	     && apt-get install --quiet=2 --yes --no-install-recommends r-cran-glmnet > /dev/null; } \
	|| echo "No R: glmnet will be left out. Install it, on Debian: sudo apt-get install r-cran-glmnet"

# The browser tests drive Debian's Chromium; where there is none and none can be installed they are
# skipped, with the reason.
chromium:
	@command -v chromium chromium-browser google-chrome > /dev/null \
	|| { command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] \
	     && apt-get update --quiet=2 && apt-get install --quiet=2 --yes chromium > /dev/null; } \
	|| echo "No Chromium: the browser tests will be skipped." \
		"Install it, on Debian: sudo apt-get install chromium"
