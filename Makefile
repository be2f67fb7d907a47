# Commands for work on Mintmark. `make` alone lists them.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
export CGO_ENABLED ?= 0

FUZZ_TIME ?= 2m

# Many tests wait rather than compute: for a lease, a job, a page.
PARALLEL ?= 6

# Not in a go.mod: golangci-lint depends on 200 modules that nothing else needs.
LINTER := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.12

.DEFAULT_GOAL := help

## Running

.PHONY: setup
setup: ## Install what the tests need, as far as permitted, and report what was done
	@scripts/setup

.PHONY: run
run: ## Serve a sandbox on 127.0.0.1:8080
	go run ./cmd/mintmark sandbox

.PHONY: build
build: ## Build the program into bin/mintmark
	go build -ldflags='-s -w' -o bin/mintmark ./cmd/mintmark

.PHONY: dist
dist: ## Build programs, Debian packages, OCI images and SBOMs into dist/, with checksums; the bytes are reproducible
	@scripts/dist

.PHONY: deb
deb: ## Build only the Debian packages, amd64 and arm64, into dist/
	@PLATFORMS='linux/amd64 linux/arm64' PARTS=deb scripts/dist

## Checking

.PHONY: test-tools
test-tools: # Install what make test needs besides Go: PostgreSQL, Chromium, curl and openssl
	@scripts/need postgres chromium curl

.PHONY: check-tools
check-tools: test-tools # Install what the longer targets need in addition
	@scripts/need axe strace promtool
	@scripts/need recipes || echo 'Recipes whose language is missing are left out.'
	@command -v gcc >/dev/null || { echo 'the race detector needs gcc, which is not here'; exit 1; }

# The packages except those that start the program or a browser.
PACKAGES = $(shell go list ./... | grep -v '^mintmark/e2e')

# vet runs in lint; here it would take a tenth of a cold run.
.PHONY: quick
quick: ## Test the packages, without the program and without a browser
	@scripts/need postgres
	time scripts/with-postgres go test -vet=off -timeout=10m $(PACKAGES)

.PHONY: test
test: test-tools ## Run the tests (under 8 minutes on 2 cores): those of the whole program on the embedded store, and also on PostgreSQL where the promise depends on the database
	time scripts/with-postgres go test -vet=off -timeout=20m -parallel=$(PARALLEL) ./...

.PHONY: lint
lint: ## Run the linters of .golangci.yml, and lint the workflows; long functions and long lines are warnings
	go run $(LINTER) run --disable=funlen,lll
	go -C bench run $(LINTER) run --disable=funlen,lll
	go run -exec 'env GOOS=windows' $(LINTER) run ./internal/base/platform
	go run $(LINTER) run --enable-only=funlen,lll --issues-exit-code=0
	go run $(ACTIONLINT)

.PHONY: check
check: check-tools lint ## Check everything that must pass before a commit: format, linters, and every test in full, on both stores, with the race detector
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo 'gofmt would change these files'; exit 1; }
	go -C tools vet ./...
	go test -C tools ./...
	go run -C tools ./scopes
	go run -C tools ./texts -broken
	MINTMARK_TEST_FULL=1 CGO_ENABLED=1 \
		scripts/with-postgres go test -race -tags check -timeout=60m -parallel=$(PARALLEL) ./...
	CGO_ENABLED=1 go -C bench test -race -tags check -timeout=20m ./...

check-long crash: export MINTMARK_TEST_FULL = 1

.PHONY: check-long
check-long: check-tools ## Run the longer tests, on both stores: 20,000 generated requests of callers, of operators and to two equal sandboxes, 1,000 resets, 500 races, 10,000 runs of a lossy processor, 20 histories, 10,000 cards re-encrypted over 20 kills, 100,000 customers fed over 20 kills, 100,000 cards compared with a list, the digest key rotated over kills, old versions, every alert seen to fire, every platform built twice with the same bytes
	MINTMARK_REQUESTS=20000 CGO_ENABLED=1 \
		go test -race -count=1 -timeout=60m -v ./e2e -run '^TestGenerated(Requests|Operators)$$'
	MINTMARK_REQUESTS=20000 go test -count=1 -timeout=60m -v ./e2e -run '^TestTwins$$'
	MINTMARK_RESETS=1000 go test -count=1 -timeout=30m -v ./internal/app -run '^TestManyResets$$'
	MINTMARK_ROUNDS=500 go test -count=1 -timeout=60m -v ./e2e -run '^TestOneTagAtOnce$$'
	MINTMARK_LOSSY_RUNS=10000 MINTMARK_INTERLEAVED=5 go test -count=1 -timeout=300m -v \
		./internal/issuing/transfers -run '^Test(TwoBooks|Interleavings)$$'
	MINTMARK_HISTORIES=20 go test -count=1 -timeout=60m -v ./e2e -run '^Test(Not)?Linearizable$$'
	MINTMARK_WEBHOOK_CYCLES=20 go test -count=1 -timeout=60m -v ./e2e -run '^TestWebhooksOverKills$$'
	MINTMARK_RESEALED_CARDS=10000 MINTMARK_RESEAL_KILLS=20 \
		go test -count=1 -timeout=60m -v ./e2e -run '^TestReseal$$'
	MINTMARK_FEED_CUSTOMERS=100000 MINTMARK_FEED_KILLS=10 \
		go test -count=1 -timeout=60m -v ./e2e -run '^TestFeed$$'
	MINTMARK_RECONCILED_CARDS=100000 \
		go test -count=1 -timeout=60m -v ./e2e -run '^TestReconciliation$$'
	go test -tags long -count=1 -timeout=20m -v ./e2e -run '^TestDigestKeyOverKills$$'
	go test -tags long -count=1 -v ./internal/issuing/auth -run '^TestCredentialsTakeTheSameTime$$'
	go test -tags long -count=1 -timeout=20m -v ./e2e -run '^TestAlertsFire$$'
	MINTMARK_PLATFORMS=all \
		go test -tags check -count=1 -timeout=60m -v ./cmd/mintmark -run '^TestEveryPlatformBuilds$$'
	go test -tags long -count=1 -timeout=120m -v ./e2e/install
	go test -count=1 -timeout=30m -v ./e2e \
		-run '^Test(Processor|ProcessorInTime|FirstWhenItIsBack|ClaimsOfAKilledNode|Canary)$$'

.PHONY: bench
bench: build ## Measure against the limits of the machine, in turns; writes docs/performance.md
	@scripts/need postgres || echo 'PostgreSQL is left out.'
	go -C bench run . -out ../docs/performance.md

.PHONY: bench-against
bench-against: build ## Measure every operation in turns with the program of the revision OLD: is anything slower?
	@scripts/need postgres || echo 'PostgreSQL is left out.'
	scripts/bench-against $(OLD)

.PHONY: crash
crash: check-tools ## While callers write: 200 kills, 100 of server and card processor on each store, 40 of PostgreSQL, 50 failed syncs, 2000 power cuts; check that no acknowledged change is lost
	MINTMARK_CRASH_CYCLES=25 go test -count=8 -timeout=60m -v ./e2e -run '^TestCrash$$'
	MINTMARK_PROCESSOR_CRASHES=100 \
		go test -count=1 -timeout=60m -v ./e2e -run '^TestProcessorCrash'
	MINTMARK_FAULTS=20 go test -count=1 -timeout=30m -v ./internal/store/sqlstore/postgres ./e2e \
		-run '^TestCrashedServer'
	MINTMARK_TEST_ENGINE=sqlite MINTMARK_SYNC_FAILURES=50 \
		go test -tags check -count=1 -timeout=60m -v ./e2e -run '^TestFailedSync'
	MINTMARK_POWER_CUTS=2000 \
		go test -tags check -count=1 -timeout=60m -v ./internal/store/sqlstore/sqlite -run '^TestPowerCut'

.PHONY: soak-failover
soak-failover: ## Crash and kill the leader of two PostgreSQL servers under load, and report the cost
	@scripts/need patroni
	go test -tags soak -count=1 -timeout=20m -v ./e2e/failover

.PHONY: compare-answers
compare-answers: check-tools ## Compare every HTTP response of the end-to-end tests with that at the revision OLD
	scripts/compare-answers $(OLD)

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZ_TIME (2m)
	scripts/fuzz $(FUZZ_TIME)

.PHONY: test-list
test-list: ## Print every test and the targets that run it
	@scripts/test-list

.PHONY: faults
faults: ## Insert mistakes into the code, one at a time: the tests named for each must fail
	@scripts/need postgres
	go run -C tools ./faults

## Documents

.PHONY: docs
docs: ## Regenerate the documents that are printed from tables
	go test ./internal/store/sqlstore/sqlite/tables -update
	go test ./internal/domain/fault ./internal/domain/card ./internal/app/demo ./internal/importer/load -run 'Manual|Golden|Documents' -update
	go test ./e2e -run '^TestExamples$$' -update
	go test ./internal/face/openapi -run '^Test(GoldenDocument|GoldenOperatorsDocument|ManualOfTheInterface)$$' -update
	go test ./internal/operate/doctor -run '^TestManual$$' -update
	go test ./cmd/mintmark -run '^TestSettingsManual$$' -update

.PHONY: screenshots
screenshots: ## Retake the pictures of the console in docs/console, in a browser
	@scripts/need chromium
	go test -count=1 -tags screenshots ./e2e -run '^TestScreenshots$$'

.PHONY: help
help: ## Print this help
	@awk 'BEGIN { FS = ":.*## " } \
		/^## / { printf "\n%s\n", substr($$0, 4) } \
		/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
