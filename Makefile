# Two commands: `make demo` and `make test`. Both work from nothing with Python 3.11 or later.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(shell command -v uv 2>/dev/null)
ifdef UV
  MAKE_VENV = uv venv --seed --quiet --python $(PYTHON) $(VENV)
  INSTALL = uv pip install --quiet --python $(BIN)/python
else
  MAKE_VENV = $(PYTHON) -m venv $(VENV)
  INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
endif
JOBS ?= 3
KERNEL := $(filter-out engine/kernel/wide_%,$(wildcard engine/kernel/*.pxd))
KERNEL += $(KERNEL:.pxd=.py)
SAY_IF_NOT_COMPILED = @ls engine/kernel/moves*.so >/dev/null 2>&1 || echo "The kernel is not compiled, the engine plays with its readable search, much weaker; install a C compiler and Python's headers (Debian: gcc libc6-dev python3-dev) and run make again after make clean."

.PHONY: demo test lint unit soak pictures texts wheels acceptance bench clean

demo: $(VENV)/run.done ## a whole station on simulated boards; options in ARGS, e.g. make demo ARGS="--variant russian"
	$(BIN)/dambord demo $(ARGS)

test: lint unit ## everything that must hold, from nothing

lint: $(VENV)/test.done
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	PATH=$(CURDIR)/$(BIN):$$PATH lint-imports --no-logo

unit: $(VENV)/test.done
	@for tool in chromium mosquitto espeak-ng; do command -v $$tool >/dev/null || echo "$$tool is not installed: its tests are skipped (Debian: apt-get install $$tool)"; done
	$(BIN)/python -m pytest -n $(JOBS) $(ARGS)

soak: $(VENV)/test.done ## what takes longer than a test run may: many kills, all games, long simulations
	$(BIN)/python -m pytest -m soak $(ARGS)

pictures: $(VENV)/test.done ## the pictures of docs/guide.md, taken anew in a real browser
	$(BIN)/python docs/pictures/take.py

texts: $(VENV)/test.done ## catalogues brought up to date with the English, and what is to be translated
	$(BIN)/python -m station.texts

wheels: $(VENV)/python.done ## wheels for this kind of machine and for 64-bit Raspberry Pis, with all they need, into dist/
	deploy/wheels.sh --with-dependencies

acceptance: $(VENV)/python.done ## as root: a fresh Debian with systemd in a container; install, play, cut the power, update, go back, take off
	deploy/wheels.sh --with-dependencies $(shell uname -m)
	deploy/debian.sh
	$(PYTHON) -m tests.acceptance $(ARGS)

bench: $(VENV)/test.done
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script; done

$(VENV)/python.done:
	$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Dambord needs Python 3.11 or later, found " + sys.version.split()[0])'
	$(MAKE_VENV)
	touch $@

$(VENV)/run.done: $(VENV)/python.done pyproject.toml setup.py $(KERNEL)
	$(INSTALL) -e .
	$(SAY_IF_NOT_COMPILED)
	touch $@

# One build for both: it compiles the kernel, which takes half a minute.
$(VENV)/test.done: $(VENV)/python.done pyproject.toml setup.py $(KERNEL)
	$(INSTALL) -e ".[test,lint]"
	$(SAY_IF_NOT_COMPILED)
	touch $(VENV)/run.done $@

clean:
	rm -rf engine/kernel/*.so engine/kernel/wide_* $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -prune -exec rm -rf {} +
