# What one does with diffabled. On a fresh machine with Swift and make, `make run` and `make test` do all the rest.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=

bindir = $(DESTDIR)$(PREFIX)/bin
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd
sysusersdir = $(DESTDIR)$(PREFIX)/lib/sysusers.d
configdir = $(DESTDIR)$(SYSCONFDIR)/diffabled

# The Swift libraries go into the binaries, so what is installed needs no Swift runtime.
release = -c release --static-swift-stdlib
# Where what is installed was built.
built = .build/release
shell_scripts = .ci/run Fuzzing/run $(wildcard scripts/*)

# The one that can draw, if there is one.
python = $(shell for python in python3 /usr/bin/python3; do $$python -c 'import matplotlib' 2>/dev/null && echo $$python && exit; done; echo python3)
python_sources = Benchmarks/guard $(wildcard Benchmarks/harness/*.py Tests/IntegrationTests/*/*.py)

.PHONY: run test soak guard fuzz demo build set-up lint format bench bench-quick install uninstall clean

# Serves in the foreground, with a list to look at.
run: build
	@scripts/run

test:
	@scripts/set-up python3
	swift test

# Random clients, crashes and restarts against the real daemon, and every promise of a subscription checked afterwards,
# for as long as one likes: SECONDS=3600. SEED=1 repeats what a run with that seed did.
soak:
	@scripts/set-up python3
	DIFFABLED_SOAK=$(or $(SECONDS),600) $(if $(SEED),DIFFABLED_SEED=$(SEED)) swift test --filter ConformanceTests

# Fails when the core executes more instructions than it did: counts, not times.
guard:
	@scripts/set-up python3 valgrind
	@python3 -B Benchmarks/guard

# Feeds what reads lines, files and the disk with mutated input, under AddressSanitizer, and times the longest lines.
# RUNS=1000000 is the number of inputs for each sort, by default some minutes in all; TARGET=view takes one sort only.
fuzz:
	@Fuzzing/run $(if $(RUNS),--runs $(RUNS)) $(TARGET)

# A tour of half a minute that ends by itself.
demo: build
	@scripts/demo

build: set-up
	swift build $(release)

# Installs what is missing, and does nothing when nothing is.
set-up:
	@scripts/set-up

lint:
	swift format lint --strict --parallel --recursive Sources Tests $(wildcard Benchmarks Fuzzing) Package.swift
	@for script in $(shell_scripts); do \
	    case "$$(head -n 1 $$script)" in \
	        '#!/bin/sh'*) sh -n $$script || exit ;; \
	        *bash*) bash -n $$script || exit ;; \
	    esac; \
	done
	@if command -v shellcheck >/dev/null; then shellcheck $(shell_scripts); fi
	@python3 -c 'import ast, sys; [ast.parse(open(path).read(), path) for path in sys.argv[1:]]' $(python_sources)
	@if command -v ruff >/dev/null; then ruff check --line-length 120 $(python_sources); fi

format:
	swift format --in-place --parallel --recursive Sources Tests $(wildcard Benchmarks Fuzzing) Package.swift

# Measures beside redis, mosquitto, jq and sqlite3, in about 20 minutes, and writes docs/performance.md.
# ONLY=fanout,durable measures some parts, ROUNDS=3 fewer rounds; then the table is only printed.
bench: build
	@scripts/set-up python3
	swift build -c release --package-path Benchmarks
	@$(python) -B Benchmarks/harness $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(QUICK),--quick)

bench-quick:
	@$(MAKE) bench QUICK=1 ROUNDS=3

# Installs what `make build` built: no building as root, no users made, nothing started.
install:
	@test -x $(built)/diffabled || { echo "Nothing is built yet: run make build first." >&2; exit 1; }
	install -D -s -m 755 -t $(bindir) $(built)/diffabled $(built)/diffablectl
	install -d $(unitdir)/system $(unitdir)/user
	for unit in diffabled.socket diffabled.service; do \
	    sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/$$unit > $(unitdir)/system/$$unit && \
	    sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/user/$$unit > $(unitdir)/user/$$unit && \
	    chmod 644 $(unitdir)/system/$$unit $(unitdir)/user/$$unit || exit; \
	done
	install -D -m 644 systemd/sysusers.conf $(sysusersdir)/diffabled.conf
	test -e $(configdir)/diffabled.yaml || install -D -m 644 -t $(configdir) config/diffabled.yaml

# Leaves the lists and a changed configuration.
uninstall:
	rm -f $(bindir)/diffabled $(bindir)/diffablectl
	for unit in diffabled.socket diffabled.service; do \
	    rm -f $(unitdir)/system/$$unit $(unitdir)/user/$$unit; \
	done
	rm -f $(sysusersdir)/diffabled.conf
	if cmp -s config/diffabled.yaml $(configdir)/diffabled.yaml; then \
	    rm $(configdir)/diffabled.yaml && rmdir --ignore-fail-on-non-empty $(configdir); \
	fi

clean:
	rm -rf .build Benchmarks/.build Fuzzing/.build Fuzzing/.build-fuzz
