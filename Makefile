# Understudy. `make run` is all that is needed to see it work.

SHELL := /bin/bash
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory

GOLANGCI_LINT_VERSION := v2.15.0
LINTER := .cache/bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
GOVULNCHECK_VERSION := v1.9.0
GOVULNCHECK := .cache/bin/govulncheck-$(GOVULNCHECK_VERSION)
# The database of known vulnerabilities; file:///… is a copy of one's own.
VULN_DB ?= https://vuln.go.dev
# Packages that wait for servers and browsers leave room for others: three at a time
# keep two cores at work.
TEST_FLAGS ?= -timeout 60m -p 3

# How long each fuzz target runs.
FUZZ_TIME ?= 10m

# The npm clients that conformance runs, in a folder named by their versions.
DB_CLIENT_VERSION := 6.2.1
KURRENTDB_CLIENT_VERSION := 1.3.1
NPM_CLIENTS := .cache/npm-clients/db-client-$(DB_CLIENT_VERSION)-kurrentdb-client-$(KURRENTDB_CLIENT_VERSION)

.PHONY: help run try build test race attack fuzz lint vulncheck conformance chaos bench bench-validity selftest screenshots gym release setup setup-test clean fuzz-api

help: ## say what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## */  \1\t/' | expand -t 17

run: setup build ## serve on UNDERSTUDY_LISTEN (127.0.0.1:8080), data in UNDERSTUDY_DATA_DIR (./data)
	@# Local work tests local pages: loopback is allowed unless you say otherwise.
	@export UNDERSTUDY_EGRESS_ALLOW="$${UNDERSTUDY_EGRESS_ALLOW-127.0.0.0/8,::1/128}"; \
	  export UNDERSTUDY_LOG_LEVEL="$${UNDERSTUDY_LOG_LEVEL-warn}"; exec bin/understudy serve

try: setup build ## test a page of yours and end: make try URL=https://example.com/ TASK="Find out what it costs"
	@bin/understudy test "$(URL)" --task "$(TASK)" $(TEST_ARGS)

build:
	@mkdir -p bin
	@go build -ldflags "$$(.ci/ldflags)" -o bin/understudy ./cmd/understudy

release: setup build ## archives, .deb packages, SBOMs and checksums into dist/ (TARGETS="linux/amd64 …"), up to half an hour
	@.ci/release

test: setup-test ## vet and test everything, with real Postgres and Chromium
	go vet -tags attack ./...
	@# The browser's tests measure how long pages take, and have the machine to themselves;
	@# of the others the longest come first.
	go test $(TEST_FLAGS) ./adapters/browser; alone=$$?; \
	  go test $(TEST_FLAGS) ./test/e2e ./test/validity $$(go list ./... | grep -v '/adapters/browser$$') && exit $$alone

race: setup-test ## the same under Go's race detector, the service too; a race ends what has it (needs gcc)
	GOFLAGS=-race GORACE=halt_on_error=1 $(MAKE) test

attack: setup-test ## what is too long for test: 300 MB texts, floods, slow clients, idle sockets, hostile bodies; a quarter of an hour
	go test -tags attack -p 1 -timeout 30m -v -run '^TestAttack|^TestHostilePages$$|^TestALookIsBounded$$|^TestWhatChromiumSaysIsBounded$$' ./adapters/browser
	go test -p 1 -v -run '^TestARefusalIsBounded|^TestBodiesHaveBounds$$' ./adapters/httpapi
	go test -p 1 -v -run 'Slow|AcceptsNothing' ./adapters/streamhub
	go test -tags attack -p 1 -timeout 30m -v -run '^TestAttack|^TestIdleSockets' ./test/e2e

# What one of them and its toolchain may take of the address space, in KiB: 8 GiB.
FUZZ_SPACE := 8388608
fuzz: setup ## every fuzz target, FUZZ_TIME (10m) each and as many at a time as there are processors
	@git grep -n '^func Fuzz' -- '*_test.go' | sed -E 's|^(.*)/[^/]*:[0-9]+:func (Fuzz[A-Za-z]+).*|\1 \2|' | xargs -P "$$(nproc)" -n 2 bash -c \
	  'ulimit -v $(FUZZ_SPACE); out=$$(go test -run "^$$" -fuzz "^$$2$$" -fuzztime $(FUZZ_TIME) -fuzzminimizetime 2s -parallel 1 "./$$1" 2>&1); rc=$$?; echo "$$2: $$(echo "$$out" | tail -n $$((rc ? 40 : 3)))"; exit $$rc' fuzz

# How many requests fuzz-api sends, and what they are made of; without a seed others each time.
REQUESTS ?= 100000
SEED ?= 0
fuzz-api: setup ## send REQUESTS (100000) made from the OpenAPI document, right and wrong ones, to the service: no failure, every answer as documented
	go test ./test/fuzzapi -count=1 -v -timeout 3h -args -requests $(REQUESTS) -seed $(SEED)

lint: $(LINTER) ## gofmt and golangci-lint
	@unformatted=$$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); \
	  if [ -n "$$unformatted" ]; then echo "not formatted (run gofmt -w):"; echo "$$unformatted"; exit 1; fi
	$(LINTER) run ./...

$(LINTER):
	@echo "compiling golangci-lint $(GOLANGCI_LINT_VERSION), once, a few minutes" >&2
	@mkdir -p .cache/bin
	@GOBIN=$(CURDIR)/.cache/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	@mv .cache/bin/golangci-lint $@

vulncheck: ## look the code's calls up in Go's database of vulnerabilities; fails on a finding, not where the database cannot be reached
	@if ! curl -fsSL --max-time 20 -o /dev/null $(VULN_DB)/index/db.json; then \
	  echo "vulncheck: NOT CHECKED: $(VULN_DB) cannot be reached from here" >&2; \
	else $(MAKE) $(GOVULNCHECK) && $(GOVULNCHECK) -db $(VULN_DB) ./...; fi

$(GOVULNCHECK):
	@mkdir -p .cache/bin
	@GOBIN=$(CURDIR)/.cache/bin go install golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	@mv .cache/bin/govulncheck $@

conformance: setup build $(NPM_CLIENTS) ## run the official Go client's own tests and two npm clients on the event store node, a minute
	@go run ./test/conformance -binary bin/understudy -npm $(NPM_CLIENTS)

$(NPM_CLIENTS):
	@echo "fetching the npm clients of EventStoreDB and KurrentDB" >&2
	@mkdir -p $@.part
	@npm install --silent --no-save --no-audit --no-fund --ignore-scripts --prefix $@.part \
	  @eventstore/db-client@$(DB_CLIENT_VERSION) @kurrent/kurrentdb-client@$(KURRENTDB_CLIENT_VERSION) >&2
	@mv $@.part $@

chaos: setup ## kill the event store 300 times under load, the service 100 times while it delivers, and break a split one 120 times: is anything lost? half an hour (CHAOS_FLAGS="-only split -for 10m -seed 7")
	@go run ./test/chaos $(CHAOS_FLAGS)

bench: setup build ## measure speed and memory on this machine: one table, half an hour
	@go run ./test/bench -binary bin/understudy $(BENCH_FLAGS)

bench-validity: setup-test ## measure how true the simulation is: every aim with its interval, about two and a half hours
	@go run ./test/validity/bench $(BENCH_FLAGS)

selftest: setup build ## have the product test its own dashboard: four errands of 20 sessions (SELFTEST_FLAGS="-sessions 4 -only key"), traces and reports in .cache/selftest
	@go run ./test/selftest -binary bin/understudy -out .cache/selftest $(SELFTEST_FLAGS)

screenshots: setup-test ## take pictures of every page of the dashboard, on a desk and a phone, light and dark, into SHOTS (screenshots)
	@go test ./test/e2e -run TestEveryPage -count=1 -v -args -shots $(abspath $(or $(SHOTS),screenshots))

gym: setup-test ## install the sites of others that test/gym measures on (Debian's as root), five minutes; its README says how
	@go run ./test/gym -setup

setup: ## install what is missing (Debian, as root) or say what to install
	@.ci/setup

setup-test: ## setup, and what only the tests need: pages of others, Python
	@.ci/setup --test

clean: ## remove what was built, not the data
	rm -rf bin dist .cache/bin
	go clean -testcache
