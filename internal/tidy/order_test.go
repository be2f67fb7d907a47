package tidy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"testing"
)

// order is how a package is read: its files from the top down, tests left out. A file may use the
// functions, variables and constants of the files below it. The types of a package, and their
// fields, are known in all of its files.
var order = map[string][]string{
	"internal/web": {
		"pages.go", "inprocess.go", "problem.go", "raw.go", "web.go", "limits.go", "body.go",
		"response.go", "patient.go",
		"transport.go", "log.go", "exchange.go", "observer.go", "deadline.go", "address.go",
		"path.go", "idempotency.go",
	},
	"internal/api": {
		"refuse.go", "server.go", "idempotency.go", "trial.go", "authenticate.go", "operations.go",
		"routes.go", "route.go", "router.go", "cardcache.go", "settingscache.go", "list.go",
		"document.go", "card.go", "envelope.go", "request.go", "faults.go", "buffer.go", "json.go",
	},
	"internal/issuing": {
		"service.go", "due.go", "cardacts.go", "adjust.go",
		"initiate.go", "reissue.go", "lock.go", "archive.go", "verify.go",
		"reports.go", "authorize.go", "post.go", "release.go", "transfer.go",
		"lanes.go",
		"account.go", "pin.go", "expire.go", "renew.go", "notices.go", "oldpins.go",
		"erase.go", "erasetraces.go",
		"overview.go", "cardsheet.go", "cardlist.go", "customers.go", "customeracts.go", "feed.go",
		"reconcile.go", "orderreport.go",
		"accountacts.go", "orderacts.go", "orderlist.go",
		"orders.go", "knownorders.go", "reportrules.go", "document.go",
		"auditlog.go", "trail.go", "publish.go", "draft.go",
		"world.go", "refusals.go",
		"token.go", "people.go",
		"programparts.go", "bins.go", "settings.go", "joblist.go", "resealprogress.go",
		"bankkeys.go", "redigest.go", "reseal.go", "banks.go",
		"keys.go",
		"deliverylist.go", "replay.go", "webhook.go", "webhooklist.go",
		"find.go",
		"delivery.go", "hook.go", "events.go", "signal.go",
		"documentacts.go", "configure.go",
		"seen.go",
		"approval.go", "place.go",
		"operator.go",
		"writetx.go", "outbox.go", "peopleinaudit.go",
		"optimistic.go", "digests.go",
		"operatorrequest.go", "idempotency.go", "retention.go", "readtx.go", "bankkeyuse.go",
		"programs.go", "places.go",
		"jobs.go",
		"backlog.go",
		"audit.go", "ready.go", "random.go", "trial.go", "fault.go",
	},
	"internal/store": {
		"store.go", "turn.go", "program.go", "bankkeys.go", "apikey.go", "customer.go",
		"document.go", "card.go", "pan.go", "cardindex.go", "searchtext.go", "issuance.go",
		"order.go", "file.go", "report.go", "money.go", "idempotency.go", "gate.go", "people.go",
		"audit.go", "trail.go", "log.go", "feed.go", "webhook.go", "job.go", "agenda.go",
		"lease.go", "privacy.go", "installation.go", "worlds.go", "errors.go",
	},
	"internal/store/cached": {
		"open.go", "worlds.go", "cached.go", "parts.go", "tx.go", "writeset.go", "memory.go",
		"key.go", "foreign.go",
	},
	"internal/store/sqlstore": {
		"sqlstore.go", "batch.go", "issuance.go", "cardview.go", "cards.go", "cardrows.go",
		"cardcolumns.go", "slots.go", "pans.go", "attempts.go", "programs.go",
		"banks.go", "accounts.go", "access.go", "customers.go", "documents.go", "keys.go",
		"idempotency.go", "installation.go", "rows.go", "tx.go",
	},
	"internal/store/sqlstore/sqlite": {
		"memory.go", "engine.go", "commitqueue.go", "look.go", "users.go", "check.go", "session.go",
		"foreign.go", "pool.go", "breakage.go", "migrate.go", "connection.go", "settings.go",
		"errors.go",
	},
	"internal/store/sqlstore/postgres": {
		"look.go", "copy.go", "engine.go", "update.go", "turns.go", "sweep.go", "outcome.go",
		"commit.go", "listen.go",
		"migrate.go", "secure.go", "session.go", "token.go", "scan.go", "text.go", "config.go",
		"errors.go",
	},
	"internal/store/sqlstore/db":   {"findmany.go", "db.go", "columns.go", "readonly.go"},
	"internal/store/sqlstore/dump": {"server.go", "file.go", "dump.go"},
	"internal/store/sqlstore/jobs": {"agenda.go", "due.go", "jobs.go", "leases.go"},
	"internal/store/sqlstore/examine": {
		"examine.go", "server.go", "jobs.go", "bankkeys.go", "clock.go",
	},
	"internal/store/sqlstore/gate": {"approvals.go", "answers.go", "places.go"},
	"internal/store/sqlstore/listing": {
		"cards.go", "customers.go", "sources.go", "search.go", "numbers.go",
	},
	"internal/store/sqlstore/money": {
		"authorizations.go", "holds.go", "postings.go", "usages.go", "balances.go", "money.go",
	},
	"internal/store/sqlstore/outbox": {"claim.go", "span.go", "orders.go"},
	"internal/store/sqlstore/people": {
		"credentials.go", "sessions.go", "tokens.go", "people.go",
	},
	"internal/store/sqlstore/privacy":     {"keys.go", "traces.go"},
	"internal/store/sqlstore/reconciling": {"reconciling.go", "compared.go"},
	"internal/store/sqlstore/resealing":   {"keys.go", "texts.go"},
	"internal/store/sqlstore/sealing": {
		"history.go", "trail.go", "log.go", "batches.go", "rows.go", "audit.go",
	},
	"internal/store/sqlstore/webhooks": {
		"endpoints.go", "lanes.go", "deliveries.go", "attempts.go", "replays.go", "webhooks.go",
	},
	"internal/store/sqlstore/worlds": {
		"worlds.go", "tables.go", "postgres.go", "sqlite.go", "schema.go",
	},
	"internal/store/storetest": {
		"storetest.go", "roundtrip.go", "roundtrip_trail.go", "bulk.go", "sentinels.go",
		"change.go", "revisions.go", "casing.go", "issuance.go", "outbox.go", "outboxraces.go",
		"jobs.go", "agenda.go", "readonly.go", "keys.go", "bankkeys.go", "files.go",
		"deliveries.go", "feeds.go", "reconciliations.go", "reports.go", "money.go",
		"contention.go", "people.go", "cardview.go", "order.go", "privacy.go", "gate.go",
		"webhooks.go", "listing.go", "digests.go", "trail.go", "log.go", "worlds.go",
		"constraints.go", "close.go", "transactions.go", "leases.go", "outboxsteps.go",
		"fixtures.go", "helpers.go",
	},
}

// ordered are the packages that need an order, besides the packages of the store.
var ordered = []string{"internal/web", "internal/api", "internal/issuing"}

// TestFilesCallDownward checks the order of a package's files.
func TestFilesCallDownward(t *testing.T) {
	sources := goSources(t)
	for _, group := range byPackage(sources) {
		report(t, checkPackage(group, order))
	}
	for dir := range order {
		if !slices.ContainsFunc(sources, func(s source) bool { return s.dir() == dir }) {
			t.Errorf("the order has a package %s that is not there", dir)
		}
	}
}

// TestOrdersAreDemanded holds that a package of the store, of any depth, needs an order as soon as
// it has two files besides its tests.
func TestOrdersAreDemanded(t *testing.T) {
	pair := func(dir string) []source {
		return []source{
			parse(t, dir+"/a_test.go", "package a\n"),
			parse(t, dir+"/below.go", "package a\n\nconst limit = top\n"),
			parse(t, dir+"/top.go", "package a\n\nconst top = 10\n"),
		}
	}
	const without = ":1: the package has 2 files and no order"
	for _, dir := range []string{"internal/store", "internal/store/a/b", "internal/web"} {
		expect(t, checkPackage(pair(dir), nil), dir+"/below.go"+without)
		// An order that is there is followed.
		expect(t, checkPackage(pair(dir), map[string][]string{dir: {"top.go", "below.go"}}),
			dir+"/below.go:3: top stands above, in top.go")
	}
	expect(t, checkPackage(pair("internal/storeroom"), nil))
	expect(t, checkPackage(pair("internal/store")[:2], nil))
	tests := []source{
		parse(t, "internal/store/a_test.go", "package a\n"),
		parse(t, "internal/store/b_test.go", "package a\n"),
	}
	expect(t, checkPackage(tests, nil))
}

func TestFileOrderIsChecked(t *testing.T) {
	top := parse(t, "a/top.go", `package a

type exchange struct{ name string }

func (x *exchange) Name() string { return x.name + below(nil) + limit }

const limit = "10"
`)
	bottom := parse(t, "a/bottom.go", `package a

import "strings"

func below(of interface{ Name() string }) string {
	if of == nil {
		return strings.ToUpper("")
	}
	return (&exchange{name: limit}).Name() + of.Name()
}
`)
	test := parse(t, "a/a_test.go", "package a\n\nvar _ = below\n")
	all := []source{top, bottom, test}
	expect(t, checkOrder(all, []string{"top.go", "bottom.go"}),
		"a/bottom.go:9: Name stands above, in top.go",
		"a/bottom.go:9: limit stands above, in top.go")
	expect(t, checkOrder(all, []string{"bottom.go", "top.go"}),
		"a/top.go:5: below stands above, in bottom.go")
	expect(t, checkOrder(all, []string{"bottom.go", "gone.go"}),
		"a/gone.go:1: the order names it, but it is not there",
		"a/top.go:1: it has no place in the order")
}

// checkPackage checks one package, and that it has an order if it needs one.
func checkPackage(group []source, orders map[string][]string) []string {
	dir := group[0].dir()
	if files, there := orders[dir]; there {
		return checkOrder(group, files)
	}
	var files []source
	for _, s := range group {
		if !s.isTest() {
			files = append(files, s)
		}
	}
	if len(files) < 2 || !within(dir, "internal/store") && !slices.Contains(ordered, dir) {
		return nil
	}
	return []string{files[0].finding(1,
		fmt.Sprintf("the package has %d files and no order", len(files)))}
}

// checkOrder checks the uses in one package.
func checkOrder(group []source, files []string) []string {
	var findings []string
	var parsed []*ast.File
	fset, places := token.NewFileSet(), make(map[string]int)
	for _, s := range group {
		if s.isTest() {
			continue
		}
		name := path.Base(s.path)
		place := slices.Index(files, name)
		if place < 0 {
			findings = append(findings, s.finding(1, "it has no place in the order"))
			continue
		}
		places[name] = place
		file, err := parser.ParseFile(fset, s.path, s.text, parser.SkipObjectResolution)
		if err != nil {
			return append(findings, err.Error())
		}
		parsed = append(parsed, file)
	}
	for _, name := range files {
		if _, there := places[name]; !there {
			findings = append(findings, fmt.Sprintf(
				"%s/%s:1: the order names it, but it is not there", group[0].dir(), name))
		}
	}
	findings = append(findings, upward(fset, parsed, places)...)
	slices.Sort(findings)
	return slices.Compact(findings)
}

// noImports finds no package.
type noImports struct{}

func (noImports) Import(path string) (*types.Package, error) {
	return nil, fmt.Errorf("%s is not looked at", path)
}

// upward returns the uses of names that are declared in a file above. Names of other packages need
// not be resolved.
func upward(fset *token.FileSet, files []*ast.File, places map[string]int) []string {
	uses := make(map[*ast.Ident]types.Object) // methods and fields behind a dot as well
	checking := types.Config{
		Importer: noImports{},
		Error:    func(error) {}, // about other packages; the compiler reports those of this one
	}
	pkg, _ := checking.Check("checked", fset, files, &types.Info{Uses: uses})
	var findings []string
	for name, used := range uses {
		if used.Pkg() != pkg || !isCalled(used) {
			continue
		}
		from, to := fset.Position(name.Pos()), fset.Position(used.Pos())
		if places[path.Base(to.Filename)] < places[path.Base(from.Filename)] {
			findings = append(findings, fmt.Sprintf("%s:%d: %s stands above, in %s",
				from.Filename, from.Line, name.Name, path.Base(to.Filename)))
		}
	}
	return findings
}

// isCalled leaves out types and fields.
func isCalled(used types.Object) bool {
	switch object := used.(type) {
	case *types.Func, *types.Const:
		return true
	case *types.Var:
		return !object.IsField()
	}
	return false
}
