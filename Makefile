# Every target makes what it needs first: .venv (Python 3.13, hashed lock), node_modules, and for the tests a browser.
# Stamps remember it, so the second run starts at once.
PY := .venv/bin/python
STAMP_PY := .venv/.installed
STAMP_NODE := node_modules/.installed
STAMP_BROWSER := .cache/browser
# No package is taken from the network by name: what the lock does not list is not installed.
PIP := $(PY) -m pip --disable-pip-version-check --no-input
PORT := 8000
export NO_MKDOCS_2_WARNING := 1

.PHONY: help serve site test lint setup lock clean
.DEFAULT_GOAL := help

help:
	@echo "make serve   build the book and serve it; the address is printed (PORT=8001 for another port)"
	@echo "make site    build the book into site/"
	@echo "make test    run every test (ARGS='-k word' selects some)"
	@echo "make lint    check the sources"
	@echo "make setup   only what the above do first"
	@echo "make lock    write the lock files again after a change in pyproject.toml or package.json"
	@echo "make clean   remove what was built and installed"

serve: site
	@$(PY) scripts/serve.py --watch --port $(PORT)

site: $(STAMP_PY) $(STAMP_NODE)
	@echo "[site] building the book into site/"
	$(PY) -m mkdocs build --strict --site-dir site
	@echo "[site] done: site/"

test: $(STAMP_PY) $(STAMP_NODE) $(STAMP_BROWSER)
	$(PY) -m pytest $(ARGS)

lint: $(STAMP_PY) $(STAMP_NODE)
	@echo "[lint] ruff"
	@$(PY) -m ruff check .
	@echo "[lint] JavaScript parses"
	@sh scripts/checks/javascript.sh
	@for check in $(sort $(wildcard scripts/checks/*.py)); do \
	  echo "[lint] $$check"; $(PY) "$$check" || exit 1; done
	@echo "[lint] done"

setup: $(STAMP_PY) $(STAMP_NODE) $(STAMP_BROWSER)

.venv/bin/python:
	@sh scripts/setup_python.sh

$(STAMP_PY): requirements.txt pyproject.toml setup.py | .venv/bin/python
	@echo "[setup] installing the locked Python packages into .venv"
	@$(PIP) install -q --require-hashes -r requirements.txt
	@$(PIP) install -q --no-deps --no-build-isolation --no-index -e .
	@touch $@

$(STAMP_NODE): package.json package-lock.json
	@sh scripts/setup_node.sh
	@touch $@

$(STAMP_BROWSER): scripts/setup_browser.py | $(STAMP_PY)
	@mkdir -p .cache
	@$(PY) scripts/setup_browser.py
	@touch $@

lock:
	@sh scripts/setup_lock.sh

clean:
	rm -rf .venv .cache node_modules site build *.egg-info
