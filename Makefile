# SPDX-License-Identifier: MIT
# Thin doors to the build, which is Meson's. Each installs what it needs and finds missing.
#
#   make build     the command, at build/sheaf, and the library
#   make demo      build, and a short tour
#   make check     build, and all tests
#   make check-all the same with no call, allocation and limit left out, and whether time follows size
#   make check-faults  every call on files fails in turn, for every command on each format (SHARE=I/N: a part)
#   make mutants   switches on COUNT small changes in one build, one after the other: do the tests find them?
#   make lint      clang-tidy, cppcheck, shellcheck
#   make sanitize  all tests under the address and undefined-behaviour sanitizers
#   make tsan      the tests of threads, and the command with four threads, under the thread sanitizer
#   make msan      all tests under the memory sanitizer, with kernels in plain C
#   make check-32  all tests in a build for i386, whose packages go into build-32 alone
#   make check-aarch64, make check-s390x  the tests of the library in a build for 64-bit ARM, and for a
#                  machine of big-endian numbers, under qemu-user: it writes the same bytes; packages as above
#   make fuzz      each format's fuzzer for SECONDS seconds (FORMAT=name: only that one); runs add up
#   make check-pages  reports in a browser: no requests, contrast, names and roles; pictures in $(BUILD)/pages
#   make pictures  draws the picture of a report that README.md shows
#   make bench     measures against plain loops and the bare system (docs/performance.md)
#   make bench-peers  races against SciPy, pandas, Polars, DuckDB and others in a venv, in fixed versions
#   make bench-growth  time and memory of each command and format at sizes that are ten times apart
#   make check-engines      partitions with Dask, Ray and Spark in local mode, in a venv; Spark needs Java
#   make soak      10^8 small sequences in batches: memory must stay flat
#   make wheel     the Python package, into dist (docs/python.md)
#   make check-python       its tests that need NumPy alone; a part of make check
#   make check-python-full  all of them, with torch, Polars, DuckDB, pyarrow, JAX and others in a venv, mypy,
#                           pyright, and Python 3.9 and 3.13
#   make install   into PREFIX (and DESTDIR)
#   make clean     removes what all of these have built

BUILD ?= build
PREFIX ?= /usr/local
WERROR ?= false
SECONDS ?= 1800
SHARE ?= 1/1
FORMAT ?= all
COUNT ?= 300
PATIENCE ?= 4
SEED ?= 1

# The system's Meson and Ninja come first: others on PATH may lack a Python to run in.
MESON = NINJA="$$(command -v /usr/bin/ninja || command -v ninja)" \
	"$$(command -v /usr/bin/meson || command -v meson)"

.NOTPARALLEL:
.PHONY: build demo check check-all check-faults check-32 check-aarch64 check-s390x check-python
.PHONY: check-python-full check-engines check-pages mutants lint sanitize tsan msan fuzz bench bench-peers
.PHONY: bench-growth soak tables pictures wheel install clean

build: needs-build $(BUILD)/build.ninja
	@$(MESON) compile -C $(BUILD)

demo: build
	@SHEAF="$(abspath $(BUILD))/sheaf" examples/demo.sh

check: needs-check $(BUILD)/build.ninja
	@test -d $(BUILD)/tests || $(MESON) configure $(BUILD) -Dtests=true
	@$(MESON) compile -C $(BUILD)
	@$(call run_tests,$(BUILD))

# The same tests; those that take every call, allocation and limit in turn leave none out.
check-all: export FAULTS = all
check-all: export PEERS_PYTHON := $(or $(PEERS_PYTHON),$(PEERS),$(abspath build-python/peers/bin/python))
check-all: needs-check $(BUILD)/build.ninja
	@[ -x "$$PEERS_PYTHON" ] || tools/python_venv build-python/peers peers
	@test -d $(BUILD)/tests || $(MESON) configure $(BUILD) -Dtests=true
	@$(MESON) compile -C $(BUILD)
	@$(call run_tests,$(BUILD),0)
	@SHEAF=$(BUILD)/sheaf tests/growth.py

check-faults: needs-check $(BUILD)/build.ninja
	@test -d $(BUILD)/tests || $(MESON) configure $(BUILD) -Dtests=true
	@$(MESON) compile -C $(BUILD)
	@export FAULTS=all FAULTS_SHARE=$(SHARE); $(call run_tests,$(BUILD),0,faults power)

# What survived is listed at the end; build-mutants/results.jsonl has all of them.
mutants: needs-check
	@tools/mutants --count $(COUNT) --seed $(SEED) build-mutants

lint: needs-lint $(BUILD)/build.ninja
	@test -d $(BUILD)/tests || $(MESON) configure $(BUILD) -Dtests=true
	@$(MESON) compile -C $(BUILD)
	@tools/check_layers
	@tools/check_statuses
	@mpi=$$(grep -o -m 1 -w 'mpi/main.c' $(BUILD)/compile_commands.json | xargs -r dirname); \
		find src bench fuzz examples $$mpi -name '*.c' ! -name 'peers_no_*' -print0 | \
		xargs -0 -n 1 -P "$$(nproc)" clang-tidy --quiet -p $(BUILD) 2>/dev/null
	@cppcheck --quiet --project=$(BUILD)/compile_commands.json $(CPPCHECK)
	@find . \( -name 'build*' -o -name .git \) -prune -o -type f -exec awk \
		'/^#!.*\/(env )?(ba|da)?sh( |$$)/ {print FILENAME} {nextfile}' {} + | xargs shellcheck -x
	@echo "lint: nothing found"

sanitize: needs-check build-asan/build.ninja
	@$(MESON) compile -C build-asan
	@$(call run_tests,build-asan,$(PATIENCE))

# Of what tests try at random or in all combinations, one in eight.
tsan msan check-aarch64 check-s390x: export SHEAF_TESTS_ONE_IN ?= 8
check-aarch64 check-s390x: export SHEAF_FILES_ONE_IN ?= 8

tsan: needs-check build-tsan/build.ninja
	@$(MESON) compile -C build-tsan
	@$(MESON) test -C build-tsan --no-rebuild --timeout-multiplier $(PATIENCE) $(addprefix sheaf:,$(THREADED))
	@SHEAF_FILES_THREADS=4 SHEAF_FILES_ONE_IN=8 \
		$(MESON) test -C build-tsan --no-rebuild --timeout-multiplier $(PATIENCE) sheaf:files

# Whoever reads bytes that nobody wrote. What other libraries write is declared at their doors
# (src/base/third/filled.h); the sanitizer knows fstat, but not the fstat64 that _FILE_OFFSET_BITS makes of
# it.
msan: needs-msan build-msan/build.ninja
	@$(MESON) compile -C build-msan
	@$(call run_tests,build-msan,$(PATIENCE))

# size_t has 32 bits, and no type has 128.
check-32: needs-check-32 build-32/build.ninja
	@$(MESON) compile -C build-32
	@$(call run_tests,build-32,$(PATIENCE))

# The tests in C, and the command beside that of this machine.
check-aarch64 check-s390x: check-%: needs-check-% build-%/build.ninja build
	@$(MESON) compile -C build-$* sheaf $(addprefix test_,$(FOREIGN))
	@test -d $(BUILD)/tests || $(MESON) configure $(BUILD) -Dtests=true
	@$(MESON) compile -C $(BUILD) box_tool
	@SHEAF=$(BUILD)/sheaf BOX_TOOL=$(BUILD)/tests/box_tool \
		tests/machines.py qemu-$* -L /usr/$*-linux-gnu build-$*/sheaf
	@$(call run_tests,build-$*,$(or $(PATIENCE),10),$(FOREIGN))

# New inputs, logs, sums, and what breaks stay in build-fuzz, from run to run.
fuzz: needs-fuzz build-fuzz/build.ninja
	@$(MESON) compile -C build-fuzz fuzzers
	@tools/fuzz build-fuzz $(SECONDS) $(filter-out all,$(FORMAT))

check-pages: needs-pages build
	@SHEAF=$(BUILD)/sheaf tests/browse.py $(BUILD)/pages && echo "look at them: $(BUILD)/pages/*.png"

pictures: needs-pages build
	@SHEAF=$(BUILD)/sheaf tests/browse.py --picture docs/pictures/report.png

# The tables of docs/formats.md, from what the command does.
tables: build
	@$(COMMAND_TESTS) python3 tests/keeps.py --write

# Meson looks again for the library of a peer, which may have been installed just now.
bench: needs-bench $(BUILD)/build.ninja
	@$(MESON) configure --clearcache $(BUILD)
	@$(MESON) compile -C $(BUILD) sheaf:executable sheaf-bench
	@BENCH_DIR="$${BENCH_DIR:-$(BUILD)/bench/data}" $(BUILD)/bench/sheaf-bench $(BUILD)/sheaf
	@case ",$${BENCH_ONLY:-python}," in *,python,*) $(MESON) compile -C $(BUILD) && \
		BENCH_DIR="$${BENCH_DIR:-$(BUILD)/bench/data}" $(PYTHON_TESTS) $(BENCH_PYTHON) bench/python.py ;; esac

# That of check-python-full has the peers.
BENCH_PYTHON ?= $(if $(wildcard $(VENV)/bin/python),$(VENV)/bin/python,python3)

bench-growth: $(BUILD)/build.ninja
	@$(MESON) compile -C $(BUILD) sheaf:executable
	@bench/growth.py $(BUILD)

# PEERS: a Python that has the peers already.
bench-peers: $(BUILD)/build.ninja
	@$(MESON) compile -C $(BUILD) sheaf:executable sheaf-bench-sum
	@[ -n "$(PEERS)" ] || tools/python_venv build-python/peers peers
	@"$(or $(PEERS),build-python/peers/bin/python)" bench/peers.py $(BUILD)

# One wheel for all versions of Python, in dist, with the libraries that it needs; then tried by each Python
# that is here. pip gets what it builds with (pyproject.toml); VENV is made where it is not there.
VENV ?= build-python/venv
wheel: needs-build
	@tools/python_venv build-python/wheel wheel
	@rm -rf build-python/made dist/sheaf_io-*.whl
	@build-python/wheel/bin/python -m build --wheel --outdir build-python/made .
	@PATH="$(abspath build-python/wheel/bin):$$PATH" \
		auditwheel repair --wheel-dir dist build-python/made/sheaf_io-*.whl
	@tools/python_wheel dist/sheaf_io-*.whl python3 $(PYTHONS)

check-python: needs-check $(BUILD)/build.ninja
	@test -d $(BUILD)/tests || $(MESON) configure $(BUILD) -Dtests=true
	@$(MESON) compile -C $(BUILD)
	@$(MESON) test -C $(BUILD) --no-rebuild --verbose python_layout python_package

# Pinned versions (tools/python_venv), so that what fails is ours.
check-python-full: build
	@tools/python_venv $(VENV) full
	@$(PYTHON_TESTS) $(VENV)/bin/python python/tests/run.py
	@for python in $(PYTHONS); do folder=build-python/$$(basename "$$python"); \
		tools/python_venv "$$folder" numpy "$$python" && \
		$(PYTHON_TESTS) "$$folder/bin/python" python/tests/run.py || exit 1; done

check-engines: needs-engines build
	@tools/python_venv build-python/engines engines
	@for part in engines ray_train; do RAY_DISABLE_MEMORY_MONITOR=1 $(PYTHON_TESTS) \
		build-python/engines/bin/python python/tests/run.py "$$part" || exit 1; done

# The oldest version of Python and a new one, where they are here: on PATH, or pyenv's.
PYTHONS ?= $(shell for v in 3.9 3.13; do \
	for p in python$$v "$${PYENV_ROOT:-$$HOME/.pyenv}"/versions/$$v.*/bin/python$$v; do \
	"$$p" -c 1 2>/dev/null && echo "$$p" && break; done; done)
COMMAND_TESTS = SHEAF=$(abspath $(BUILD))/sheaf SHEAF_TESTS=$(abspath tests)
PYTHON_TESTS = PYTHONPATH=$(abspath $(BUILD))/python SHEAF_LIBRARY=$(abspath $(BUILD))/libsheaf.so \
	$(COMMAND_TESTS) SHEAF_TOOLS=$(abspath tools) BOX_TOOL=$(abspath $(BUILD))/tests/box_tool

soak: build
	@tools/soak $(BUILD)/sheaf

install: build
	@grep -qx 'prefix=$(abspath $(PREFIX))' $(BUILD)/meson-private/sheaf.pc || \
		$(MESON) configure $(BUILD) --prefix=$(abspath $(PREFIX))
	@$(MESON) compile -C $(BUILD)
	@$(MESON) install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) build-* dist

needs-%:
	@tools/install_needs $*

# The build folders. `build` goes without tests until somebody checks: a first build needs no test library.
SETUP = --prefix=$(abspath $(PREFIX)) -Dwerror=$(WERROR) \
	-Dtests=$(if $(filter check check-faults lint,$(MAKECMDGOALS)),true,false)
$(BUILD)/build.ninja:
	@$(MESON) setup $(BUILD) $(SETUP)

build-asan/build.ninja:
	@$(MESON) setup build-asan -Dwerror=$(WERROR) -Dbuildtype=debug -Doptimization=1 \
		-Db_sanitize=address,undefined -Db_lundef=false -Dc_args=-fno-sanitize-recover=all

build-tsan/build.ninja:
	@$(MESON) setup build-tsan -Dwerror=$(WERROR) -Dbuildtype=debug -Doptimization=1 \
		-Db_sanitize=thread -Db_lundef=false

build-msan/build.ninja:
	@CC=clang CXX=clang++ $(MESON) setup build-msan -Dwerror=$(WERROR) -Dtests=true \
		-Dbuildtype=debug -Doptimization=1 -Db_sanitize=memory -Db_lundef=false -Ddefault_library=static \
		-Dc_args='-fno-omit-frame-pointer -fno-sanitize-recover=memory -U_FILE_OFFSET_BITS'

build-32/build.ninja:
	@tools/foreign_packages build-32/packages i386
	@$(MESON) setup build-32 --cross-file build-32/packages/i386.ini -Dwerror=$(WERROR) \
		-Dtests=true

build-aarch64/build.ninja: DEBIANS = arm64
build-s390x/build.ninja: DEBIANS = s390x
build-aarch64/build.ninja build-s390x/build.ninja:
	@tools/foreign_packages $(@D)/packages $(DEBIANS)
	@$(MESON) setup $(@D) --cross-file $(@D)/packages/$(DEBIANS).ini -Dwerror=$(WERROR) -Dtests=true

build-fuzz/build.ninja:
	@CC=clang $(MESON) setup build-fuzz -Dfuzz=true -Dtests=false -Ddefault_library=static

# Without the mutator, which changes numbers in this machine's order.
FOREIGN = $(filter-out mutator,$(patsubst tests/test_%.c,%,$(wildcard tests/test_*.c)))
THREADED = alloc base context batches box cbf conversion ctf dataset delimited exchange io limits making \
	matrices npz packing pieces roundtrip scidb tensors threads views

# Runs the tests $(3), or all, of a build folder, with $(2) times the usual time: sanitizers are slow, and 0
# is as much as they take. The count decides, not Meson: it knows of skips.
run_tests = rm -f $(1)/meson-logs/testlog.json; \
	$(MESON) test -C $(1) --no-rebuild --timeout-multiplier $(or $(2),1) $(3); \
	tools/count_tests $(1)/meson-logs/testlog.json

CPPCHECK = -itests --std=c11 --enable=warning,performance,portability --inline-suppr \
	--suppress=duplicateAssignExpression --error-exitcode=1
