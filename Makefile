# Linecard. `make` lists what can be made. Needs Python 3.11+, Rust, a C compiler and make; pip fetches the rest.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
LINECARD := $(BIN)/linecard
# One target directory for the extension, the tests and the checks, so that they share what they can.
export CARGO_TARGET_DIR ?= $(CURDIR)/target
# The extension is loaded by Python and must not be linked against its library.
export PYO3_BUILD_EXTENSION_MODULE := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# A snapshot in Rust that differs fails its test, and nothing is written.
export INSTA_UPDATE ?= no

SOURCES := pyproject.toml Cargo.toml Cargo.lock $(shell find crates presets -type f 2>/dev/null)
CAPTURE := examples/captures/edge-mix.pcap.gz

.DEFAULT_GOAL := help
.PHONY: help run setup test test-web lint bytes bench check check-long fuzz campaign faults soak sanitize outside reproduce scorecard robustness correlation rtl docs gallery site wheel clean

help: ## List what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: $(VENV)/.run ## Build, then simulate an IXP1200 under the shipped capture and print the result
	$(LINECARD) run ixp1200 --program l3fwd16 --trace $(CAPTURE)

setup: $(VENV)/.dev ## Build with every optional extra and the development tools into .venv

test: $(VENV)/.tested ## Run all tests of Rust and Python; ends with "N passed, N failed"
	$(BIN)/python .ci/tests.py

test-web: $(VENV)/.tested ## Test what pages do in a real browser; installs Chromium (a Debian package, as root or through sudo)
	@command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || { \
		echo "missing: chromium; installing it"; \
		sudo=$$([ "$$(id -u)" = 0 ] || echo sudo); \
		$$sudo apt-get update -q && $$sudo apt-get install -y -q chromium; \
	}
	LINECARD_NEED_BROWSER=1 $(BIN)/python -m pytest python/tests/report

lint: $(VENV)/.tested ## Check formats, lints and types of Rust and Python, and the wording of documents, docstrings and messages
	@status=0; \
	for step in \
		"cargo fmt --all --check" \
		"cargo clippy --workspace --all-targets --locked --quiet -- -D warnings" \
		"cargo clippy --package linecard-platform --no-default-features --locked --quiet -- -D warnings" \
		"$(BIN)/ruff format --check python tools .ci bench rtl programs fuzz outside studies docs/conf.py docs/python_pages.py docs/gallery/draw.py" \
		"$(BIN)/ruff check python tools .ci bench rtl programs fuzz outside studies docs/conf.py docs/python_pages.py docs/gallery/draw.py" \
		"$(BIN)/mypy" \
		"$(BIN)/lint-imports --no-cache" \
		"$(BIN)/python -m tools.prose"; \
	do echo "$$step"; $$step || { status=1; echo "failed: $$step"; }; done; exit $$status

check: lint test ## Everything that has to pass before a change goes in

check-long: $(VENV)/.dev ## The tests that take minutes: long ones of Python, every fuzz target, random requests, faults
	$(BIN)/python -m pytest -m long
	$(BIN)/python fuzz/run.py --runs 1000
	$(BIN)/python fuzz/readers.py --seconds 5
	$(BIN)/python fuzz/campaign.py --cases 2000 --chips 1000 --lines 100
	$(BIN)/python fuzz/misuse.py --calls 1000 --stores 100 --files 500
	$(BIN)/python fuzz/faults.py --kills 20 --rounds 2
	$(BIN)/python fuzz/soak.py --rounds 40

fuzz: $(VENV)/.dev ## Fuzz every reader, SECONDS=60 each (needs a C++ compiler); TARGET=pnml for one, MERGE=1 to keep what was reached
	$(BIN)/python fuzz/run.py $(if $(MERGE),--merge,--seconds $(or $(SECONDS),60)) $(addprefix --target ,$(TARGET))
	$(if $(TARGET)$(MERGE),,$(BIN)/python fuzz/readers.py --seconds $(or $(SECONDS),60))

campaign: $(VENV)/.dev ## Random requests (CASES=10000), chips (CHIPS=5000), command lines (LINES=500) and misuse (CALLS=5000), from SEED=1
	$(BIN)/python fuzz/campaign.py --cases $(or $(CASES),10000) --chips $(or $(CHIPS),5000) --lines $(or $(LINES),500) --seed $(or $(SEED),1)
	$(BIN)/python fuzz/misuse.py --calls $(or $(CALLS),5000) --stores 500 --files 2000 --seed $(or $(SEED),1)

faults: $(VENV)/.dev ## Kill (KILLS=200), fill disks, fail reads, change inputs
	$(BIN)/python fuzz/faults.py --kills $(or $(KILLS),200)

soak: $(VENV)/.dev ## Simulate for MINUTES=60 in one process, whose memory must not grow
	$(BIN)/python fuzz/soak.py --minutes $(or $(MINUTES),60)

sanitize: $(VENV)/.dev ## Test the bindings under AddressSanitizer (needs a nightly compiler)
	$(BIN)/python fuzz/sanitize.py

outside: $(VENV)/.dev ## Run what others publish from DIR=...: riscv-tests, contest nets, DRAM results; says what it skips
	$(BIN)/python outside/run.py "$(DIR)"

bytes: $(VENV)/.dev ## Say which results moved; RUNS=1 leaves out studies, MATRIX=1 has the core's matrix alone, UPDATE=1 records
	$(BIN)/python .ci/bytes.py $(if $(RUNS),--runs) $(if $(MATRIX),--matrix) $(if $(UPDATE),--update)

bench: $(VENV)/.dev ## Measure speed: seconds and instructions, beside the targets
	$(BIN)/python bench/speed.py

reproduce: $(VENV)/.dev ## Reproduce Hasan 2003 in full into results/hasan2003 and check its limits
	$(LINECARD) reproduce hasan2003 --check

scorecard: $(VENV)/.dev ## Hold the five studies that have limits, in full, against every limit; keep the rows and write the documents
	$(BIN)/python -m tools.scorecard --keep

robustness: $(VENV)/.dev ## Run the same studies, quickly, with eight seeds and each calibrated value a tenth up and down; keep it and write the page
	$(BIN)/python -m tools.robustness --quick --keep

correlation: $(VENV)/.dev ## Predict every published rate of devices, with bands; keep it and write the page with its pictures
	$(BIN)/python -m tools.correlation --keep

rtl: ## Check, test and synthesise the queuing cache; installs Verilator, Icarus and Yosys
	$(MAKE) -C rtl/queuing_cache

docs: $(VENV)/.dev ## Write the parts of the documents that follow from the code, and build the site
	$(BIN)/python -m tools.documents
	$(MAKE) site

gallery: $(VENV)/.dev ## Draw the pictures of docs/gallery again by the commands on its page; that of a report needs Chromium
	$(BIN)/python docs/gallery/draw.py

wheel: ## Build a wheel for any Linux into target/wheels, and try it in a fresh environment
	$(PYTHON) .ci/wheel.py

site: $(VENV)/.dev ## Build the site of the documents into target/site; warnings are errors
	$(BIN)/python -m sphinx -q -W --keep-going -b html -c docs . target/site
	@echo "target/site/index.html"

clean: ## Remove the environment, builds and results
	rm -rf $(VENV) target results python/linecard/_core*.so

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Linecard needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)

# Install the package in place: $(call install,PROFILE,EXTRAS). Every locked crate is fetched, so that nothing later needs a
# network.
define install
	cargo fetch --locked --quiet
	$(BIN)/python -m pip install --quiet --editable '.$(2)' --config-settings=build-args="--profile=$(1)"
endef

# One extension serves three purposes: the first result (compiled soonest), tests (with checks, of the same compiled crates as
# the tests in Rust), and work (fastest). A build for a later purpose serves the earlier ones as well.
$(VENV)/.run: $(BIN)/python $(SOURCES)
	$(call install,quick)
	@touch $@

$(VENV)/.tested: $(BIN)/python $(SOURCES)
	$(call install,checked,[dev])
	@touch $@ $(VENV)/.run

$(VENV)/.dev: $(BIN)/python $(SOURCES)
	$(call install,release,[dev])
	@touch $@ $(VENV)/.tested $(VENV)/.run
