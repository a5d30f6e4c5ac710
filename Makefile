# What one does with diffabled. On a fresh machine with Swift and make, `make run` and `make test` do all the rest.

PREFIX ?= /usr/local
SYSCONFDIR ?= /etc
DESTDIR ?=

# Every build by this Makefile treats warnings as errors (see Package.swift).
export DIFFABLED_STRICT = 1

bindir = $(DESTDIR)$(PREFIX)/bin
unitdir = $(DESTDIR)$(PREFIX)/lib/systemd
sysusersdir = $(DESTDIR)$(PREFIX)/lib/sysusers.d
configdir = $(DESTDIR)$(SYSCONFDIR)/diffabled
sharedir = $(DESTDIR)$(PREFIX)/share
docdir = $(sharedir)/doc/diffabled

# The Swift libraries go into the binaries, so what is installed needs no Swift runtime, and looks for no libraries
# beside itself. What nothing refers to is left out, which takes a linker that need not export what is there.
release = -c release --static-swift-stdlib --disable-local-rpath -Xswiftc -use-ld=lld -Xlinker --no-export-dynamic
# Where what is installed was built: the programs, and their man pages and completions.
built ?= .build/release
pages ?= .build/pages
# The same of diffabled-etcd.
hosts_built ?= Hosts/.build/release
hosts_pages ?= Hosts/.build/pages

programs = diffabled diffablectl diffable-feed diffable-web
units = system/diffabled.socket system/diffabled.service system/diffable-feed.service user/diffabled.socket \
    user/diffabled.service user/diffable-feed.service user/diffable-web.socket user/diffable-web.service \
    system/diffable-web@.socket system/diffable-web@.service
shared = man/man1/diffablectl.1 man/man1/diffable-feed.1 man/man1/diffable-web.1 man/man5/diffabled.yaml.5 man/man5/feeds.yaml.5 \
    man/man7/diffabled-protocol.7 man/man8/diffabled.8 \
    $(programs:%=bash-completion/completions/%) $(programs:%=zsh/site-functions/_%) \
    $(programs:%=fish/vendor_completions.d/%.fish)
# Below docdir they lie as they do here, so that their links to each other lead there too.
documents = README.md CHANGELOG.md ARCHITECTURE.md GLOSSARY.md SECURITY.md CONTRIBUTING.md LICENSE config/diffabled.yaml Web/diffable.d.ts $(wildcard docs/*.md docs/*/*.svg docs/openrpc.json) \
    $(filter-out examples/check examples/outline examples/scores examples/systemd examples/view examples/web,\
    $(wildcard examples/* examples/outline/* examples/scores/* examples/systemd/* examples/view/* examples/web/*))

shell_scripts = .ci/run Fuzzing/run $(wildcard debian/*.postinst debian/*.postrm) \
    $(addprefix examples/,alarms both-ways check open-tasks pick unit-manager waybar-tasks web/departures web/jobs web/todo) $\
    $(filter-out $(python_sources),$(wildcard scripts/*))

# Without what lies in links, and what protoc wrote.
hosts_sources = $(addprefix Hosts/,Package.swift Sources/EtcdClient Sources/SharedLog Sources/diffabled-etcd Tests)

# The one that can draw, if there is one.
python = $(shell for python in python3 /usr/bin/python3; do $$python -c 'import matplotlib' 2>/dev/null && echo $$python && exit; done; echo python3)
python_sources = Benchmarks/guard Benchmarks/web.py scripts/man-pages scripts/look-pictures scripts/protocol scripts/web-files scripts/soak-feeds $\
    scripts/soak-past $(wildcard examples/*.py Benchmarks/harness/*.py Tests/*/*/*.py Tests/WebTests/*.py $(attacks)/*.py) $\
    $(wildcard Hosts/soak/*.py Hosts/soak/tests/*.py)
attacks = Tests/Attacks
python_client = $(wildcard clients/python/src/diffable/*.py clients/python/tests/*.py)

.PHONY: run tests test test-python test-web test-browsers test-release soak soak-web soak-feeds soak-past soak-hosts soak-hosts-briefly simulate-hosts attack attack-briefly guard measure-house fuzz demo both-ways tour pictures build programs pages hosts tests-hosts test-hosts demo-hosts install-hosts set-up lint format bench bench-quick docs install uninstall deb deb-hosts clean

# Serves in the foreground, with a list to look at.
run: programs
	@scripts/run

# What `make test` runs, and `make docs` reads: optimized, with all checks, as Package.swift says.
tests: set-up
	@scripts/set-up libvterm-dev
	DIFFABLED_OPTIMIZED=1 swift build --build-tests

# Every test, the Python client's, those in a browser, some seconds of the soak of pasts, the bounded version of the attacks, and the
# first program of docs/swift.md from nothing.
test:
	@scripts/set-up curl python3 lowdown libvterm-dev tmux
	scripts/test
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory test-web
	@DIFFABLED_BINARIES=$${DIFFABLED_BINARIES:-$(CURDIR)/.build/debug} scripts/soak-past 5
	@DIFFABLED_BINARIES=$${DIFFABLED_BINARIES:-$(CURDIR)/.build/debug} $(MAKE) --no-print-directory attack-briefly
	@scripts/first-program

# The Python client's, beside the daemon that was built last, or the one where DIFFABLED_BINARIES says.
test-python:
	PYTHONPATH=clients/python/src python3 -B -W error -m unittest discover -s clients/python/tests -t clients/python

# Those of the page and its modules, in headless Chromium, with the programs that were built last.
test-web:
	scripts/test-web

# Some of them in Firefox ESR and WebKitGTK, which no other target does.
test-browsers:
	scripts/test-web --browsers

# Ten thousand random changes, lost connections and windows, and the page compared with the daemon at each rest: STEPS=10000. SEED=1
# repeats the choices of a run.
soak-web:
	@STEPS=$(or $(STEPS),10000) $(if $(SEED),SEED=$(SEED)) scripts/test-web RandomTests

# The tests that start programs, with those of a release, as they are installed.
test-release: programs
	@scripts/set-up curl python3 lowdown libvterm-dev tmux
	DIFFABLED_BINARIES=$(CURDIR)/.build/release scripts/test --filter IntegrationTests
	@DIFFABLED_BINARIES=$(CURDIR)/.build/release $(MAKE) --no-print-directory test-python

# What `make test` tries a part of, wholly: 20,000 flipped bits on disk, 200,000 contents held to schemas beside Python's
# jsonschema, 100,000 frames on a terminal, a million keys and changes in the viewer, every fault of storage, a cut at every byte. Then random clients, crashes and
# restarts against the real daemon, and random askers and handlers, and every promise checked afterwards, for as long as one
# likes: SECONDS=3600. SEED=1 repeats what a run with that seed did.
sweeps = StorageFaultTests|CutConnectionTests|CrashTests|ExactlyOnceTests|FollowingTests|KillCycleTests|RealInputTests|$\
    DamageTests|UnitTests|ViewTests|MuteHandlerTests
soak:
	@scripts/set-up python3 python3-jsonschema libvterm-dev
	DIFFABLED_FLIPS=$(or $(FLIPS),20000) $(if $(SEED),DIFFABLED_SEED=$(SEED)) scripts/test --filter FlippedBitTests
	DIFFABLED_SOAK=1 $(if $(SEED),DIFFABLED_SEED=$(SEED)) scripts/test --filter "RandomFrameTests|RandomViewerTests"
	DIFFABLED_PAIRS=200000 $(if $(SEED),DIFFABLED_SEED=$(SEED)) scripts/test --filter SchemaConformanceTests
	DIFFABLED_SOAK=1 scripts/test --filter '[./]($(sweeps))/'
	DIFFABLED_SOAK=$(or $(SECONDS),600) $(if $(SEED),DIFFABLED_SEED=$(SEED)) scripts/test --filter ConformanceTests

# Commits to SQLite databases in four journal modes, with copies of the log and VACUUM between, and looks whether the lists of feeds
# are right and how soon: COMMITS=10000. SEED=1 repeats what a run with that seed did.
soak-feeds: programs
	@scripts/set-up python3
	@$(if $(SEED),DIFFABLED_SEED=$(SEED)) scripts/soak-feeds $(or $(COMMITS),10000)

# Random changes, stops and kills, and looks into the past of lists beside a model that keeps every state: SECONDS=60. SEED=1 begins
# as a run with that seed did.
soak-past: programs
	@scripts/set-up python3
	@$(if $(SEED),DIFFABLED_SEED=$(SEED)) scripts/soak-past $(or $(SECONDS),60)

# Three hosts with etcd in network namespaces, clients on each, and one fault after the other, as Hosts/README.md says; every promise is
# checked afterwards. SECONDS=60 for each fault, SEED=1 repeats the choices of a run, ONLY=leader,killed tries some. As root.
soak-hosts: programs
	@scripts/set-up python3 etcd etcdctl ip nft strace faketime
	swift build --package-path Hosts $(release) --product diffabled-etcd
	@python3 -B Hosts/soak $(if $(SECONDS),--seconds $(SECONDS)) $(if $(SEED),--seed $(SEED)) $(if $(ONLY),--only $(ONLY))

# The faults that find most, for some seconds each, with what `make programs` and `make test-hosts` built. Where there is no etcd, or
# no network namespace can be made, it says so and does nothing.
soak-hosts-briefly:
	@scripts/set-up python3 etcd etcdctl ip nft || echo "Something is missing that soak-hosts needs."
	@HOSTS_BINARIES=$(CURDIR)/Hosts/.build/debug python3 -B Hosts/soak --briefly $(if $(SEED),--seed $(SEED))

# Attacks a daemon as a second user, measures the requests of a third user, and prints a table of all attacks. Takes about 15 minutes,
# as root. ONLY=searches,disk runs the attacks whose names contain one of these words. DIFFABLED_BINARIES names other programs.
attack:
	@scripts/set-up python3
	@[ -n "$$DIFFABLED_BINARIES" ] || $(MAKE) --no-print-directory programs
	@python3 -B $(attacks) $(if $(ONLY),--only "$(ONLY)")

# The bounded version, which takes about 40 seconds, with the programs that were built last.
attack-briefly:
	@python3 -B $(attacks) --briefly $(if $(ONLY),--only "$(ONLY)")

# Draws the pictures of lists anew that the tests of DiffableView compare. The first run fails, because each is new: look at
# what `git diff` shows then.
snapshots:
	rm -f Tests/DiffableViewTests/Layout/Snapshots/*.txt
	-scripts/test --filter DiffableViewTests
	scripts/test --filter DiffableViewTests

# Fails when the core executes more instructions than it did: counts, not times.
guard:
	@scripts/set-up python3 valgrind
	@python3 -B Benchmarks/guard

# Measures of the source that show how hard it is to maintain.
measure-house:
	@$(python) -B Benchmarks/house.py

# Feeds what reads lines, files and the disk, and what draws lists, with mutated input, under AddressSanitizer, and times the longest lines.
# RUNS=1000000 is the number of inputs for each sort, by default some minutes in all; TARGET=view takes one sort only.
fuzz:
	@Fuzzing/run $(if $(RUNS),--runs $(RUNS)) $(TARGET)

# Lists to look at, in the terminal viewer.
demo: programs
	@scripts/set-up jq
	@scripts/demo

# One outline in a terminal, a Swift program and a window, each of which changes it; the daemon is killed meanwhile.
both-ways: programs
	@scripts/set-up tmux
	swift build $(release) --product outline
	@examples/both-ways

# A tour of half a minute that ends by itself.
tour: programs
	@scripts/tour

# Draws the pictures of docs/appearance.md from what the viewer shows.
pictures: programs
	@scripts/set-up python3 tmux
	@scripts/look-pictures

# What `make install` installs.
build: programs
	@$(MAKE) --no-print-directory pages

# One after the other, because all there is would be the examples and what tests need, too.
programs: set-up
	for program in $(programs); do swift build $(release) --product $$program || exit; done

# The man pages and completions, which the programs tell themselves.
pages:
	@scripts/set-up python3 lowdown
	@scripts/man-pages $(built) $(pages)

# diffabled-etcd, which shares lists with other hosts, with its man page and completions. Who does not want it builds and
# fetches nothing of what it needs.
hosts: set-up
	@scripts/set-up python3 lowdown
	swift build --package-path Hosts $(release) --product diffabled-etcd
	@scripts/man-pages $(hosts_built) $(hosts_pages) hosts

# A thousand hosts in a time of their own, with everything going wrong that can, and every promise checked, as Hosts/README.md says. Each
# run says its seed: SEED=7 repeats it. HOSTS=30 for fewer, SEEDS=10 for more runs, FLAGS=--help says what else there is.
simulate-hosts: set-up
	@scripts/set-up python3
	CC=$(CURDIR)/scripts/cached-clang swift build --package-path Hosts --product simulate-hosts
	@Hosts/.build/debug/simulate-hosts $(if $(HOSTS),--hosts $(HOSTS)) $(if $(SEEDS),--seeds $(SEEDS)) $(if $(SEED),--seed $(SEED)) $(FLAGS)

# Its tests, built; and run: those that need a real etcd are skipped where there is none.
tests-hosts: set-up
	CC=$(CURDIR)/scripts/cached-clang swift build --package-path Hosts --build-tests

# Its tests, and those of the checker of `make soak-hosts`; those that need a real etcd are skipped where there is none.
test-hosts:
	@scripts/set-up python3
	python3 -B -W error -m unittest discover -s Hosts/soak/tests
	@scripts/set-up etcd || echo "Without etcd its tests are skipped."
	CC=$(CURDIR)/scripts/cached-clang swift test --package-path Hosts

# Three hosts and three members of etcd in network namespaces of this machine; the leader is killed. As root.
demo-hosts: programs
	@scripts/set-up etcd etcdctl ip
	swift build --package-path Hosts $(release) --product diffabled-etcd
	@scripts/demo-hosts

# Installs what `make hosts` built, beside what `make install` installs.
install-hosts:
	install -D -s -m 755 -t $(bindir) $(hosts_built)/diffabled-etcd
	install -d $(unitdir)/system
	sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/system/diffabled-etcd.service > $(unitdir)/system/diffabled-etcd.service
	for file in man/man8/diffabled-etcd.8 bash-completion/completions/diffabled-etcd zsh/site-functions/_diffabled-etcd \
	    fish/vendor_completions.d/diffabled-etcd.fish; do \
	    install -D -m 644 $(hosts_pages)/$$file $(sharedir)/$$file || exit; \
	done

# Installs what is missing, and does nothing when nothing is.
set-up:
	@scripts/set-up

lint:
	swift format lint --strict --parallel --recursive Sources Tests examples/outline examples/scores $(wildcard Benchmarks Fuzzing) $(hosts_sources) Package.swift
	@python3 -B scripts/protocol --check
	@python3 -B scripts/web-files --check
	@for script in $(shell_scripts); do \
	    case "$$(head -n 1 $$script)" in \
	        '#!/bin/sh'*) sh -n $$script || exit ;; \
	        *bash*) bash -n $$script || exit ;; \
	    esac; \
	done
	@if command -v shellcheck >/dev/null; then shellcheck $(shell_scripts); fi
	@python3 -c 'import ast, sys; [ast.parse(open(path).read(), path) for path in sys.argv[1:]]' $(python_sources) $(python_client)
	@if command -v ruff >/dev/null; then ruff check --select E,F,W,I --line-length 132 $(python_sources) && ruff check clients/python; fi
	@if command -v mypy >/dev/null; then (cd clients/python && mypy && PYTHONPATH=src python3 -B -m tests.typed_examples) && \
	    cd $(attacks) && mypy --strict *.py; fi

format:
	swift format --in-place --parallel --recursive Sources Tests examples/outline examples/scores $(wildcard Benchmarks Fuzzing) $(hosts_sources) Package.swift

# The pages of both Swift libraries, by DocC, in .build/docs. Fails when a public symbol has no comment, or a link leads nowhere.
docs: set-up
	DIFFABLED_OPTIMIZED=1 swift build --target DiffableClient
	@scripts/docs

# Measures beside redis, mosquitto, jq and sqlite3, in about 50 minutes, and writes Benchmarks/results.md.
# ONLY=fanout,durable measures some parts, ROUNDS=3 fewer rounds; then the table is only printed.
bench: programs
	@scripts/set-up python3
	swift build $(release) --product FollowingBenchmark
	swift build -c release --package-path Benchmarks
	@$(if $(findstring hosts,$(or $(ONLY),hosts)),scripts/set-up etcd etcdctl ip && \
	    swift build --package-path Hosts $(release) --product diffabled-etcd || echo "Shared lists are left out.")
	@$(if $(findstring web,$(or $(ONLY),web)),scripts/test-web --set-up || echo "The browser is left out.")
	@$(python) -B Benchmarks/harness $(if $(ONLY),--only $(ONLY)) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(QUICK),--quick)

bench-quick:
	@$(MAKE) bench QUICK=1 ROUNDS=3

# Installs what `make build` built: no building as root, no users made, nothing started.
install:
	@for file in $(programs:%=$(built)/%) $(shared:%=$(pages)/%); do \
	    test -e $$file || { echo "There is no $$file yet: run make build first." >&2; exit 1; }; \
	done
	install -D -s -m 755 -t $(bindir) $(programs:%=$(built)/%)
	install -d $(unitdir)/system $(unitdir)/user
	for unit in $(units); do \
	    sed 's|/usr/bin/|$(PREFIX)/bin/|' systemd/$$unit > $(unitdir)/$$unit && chmod 644 $(unitdir)/$$unit || exit; \
	done
	install -D -m 644 systemd/sysusers.conf $(sysusersdir)/diffabled.conf
	test -e $(configdir)/diffabled.yaml || install -D -m 644 -t $(configdir) config/diffabled.yaml
	for file in $(shared); do install -D -m 644 $(pages)/$$file $(sharedir)/$$file || exit; done
	for file in $(documents); do install -D -m $$(test -x $$file && echo 755 || echo 644) $$file $(docdir)/$$file || exit; done
	install -D -m 644 -t $(docdir) debian/copyright

# Leaves the lists and a changed configuration.
uninstall:
	rm -f $(programs:%=$(bindir)/%) $(units:%=$(unitdir)/%) $(sysusersdir)/diffabled.conf
	rm -f $(shared:%=$(sharedir)/%) $(documents:%=$(docdir)/%) $(docdir)/copyright
	if cmp -s config/diffabled.yaml $(configdir)/diffabled.yaml; then rm $(configdir)/diffabled.yaml; fi
	for directory in $(docdir) $(configdir); do \
	    if test -d $$directory; then find $$directory -depth -type d -empty -delete || exit; fi; \
	done

# The Debian packages, in .build/deb. With diffabled-etcd's: `make deb-hosts`.
deb: build
	@scripts/set-up lintian dh dh_python3 dpkg-buildpackage
	@scripts/deb

deb-hosts: build hosts
	@scripts/set-up lintian dh dh_python3 dpkg-buildpackage
	@hosts_built=$(hosts_built) hosts_pages=$(hosts_pages) scripts/deb

clean:
	rm -rf .build Benchmarks/.build Fuzzing/.build Fuzzing/.build-fuzz Hosts/.build
