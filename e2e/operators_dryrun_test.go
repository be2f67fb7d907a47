package e2e

import (
	"cmp"
	"database/sql"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestDryRunsKeepNothing sends each change of admin.openapi.yaml as a dry run, several times with
// generated values, and checks that no table has changed, except the audit and those that the
// service changes in the background.
func TestDryRunsKeepNothing(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{TokensApprove: true})
	db := ledger.Open(t, world.Dir)
	right := rightChanges(t, world, db)
	before := tablesOf(t, db)
	if len(before) < 20 {
		t.Fatalf("only %d tables are compared", len(before))
	}
	done := map[string]bool{}
	for _, op := range operatorsDocument(t) {
		if op.method == http.MethodGet || op.path == "/admin/v1/cards/search" {
			continue
		}
		g := &operatorGenerator{generator: generator{Rand: randomOf(op.ID)}, always: true}
		for range 12 {
			request := g.request(t, op, world.App.AdminURL())
			request.Header.Set("If-Match", `"1"`)
			done[op.ID] = tries(t, op, request, "") == http.StatusOK || done[op.ID]
		}
		if known, there := right[op.ID]; there {
			status := tries(t, op, known.request(t, op, world.App.AdminURL()), known.token)
			if status != http.StatusOK {
				t.Errorf("the right change %s is answered %d", op.ID, status)
			}
			done[op.ID] = true
		}
	}
	after := tablesOf(t, db)
	for name, rows := range after {
		if rows != before[name] {
			t.Errorf("a dry run has changed the table %s:\n%s\nwas\n%s", name, rows, before[name])
		}
	}
	for id, succeeded := range done {
		if !succeeded {
			t.Errorf("no dry run of %s succeeded", id)
		}
	}
}

// randomOf returns a separate random source for each operation: a new operation does not change the
// values of the others.
func randomOf(id string) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(id))
	return rand.New(rand.NewPCG(hash.Sum64(), 1))
}

// tries sends a request as a dry run, with a token or as an administrator.
func tries(t *testing.T, op operatorRow, request *http.Request, token string) (status int) {
	t.Helper()
	request.URL.RawQuery = url.Values{"dryRun": {"true"}}.Encode()
	request.Header.Set("Authorization", "Bearer "+cmp.Or(token, "sandbox-administrator"))
	request.Header.Set("Mintmark-Reason", "tried")
	status, problem := op.exchange(t, request)
	if problem != "" || status == http.StatusCreated {
		t.Errorf("%s %s: %d %s", request.Method, request.URL, status, problem)
	}
	return status
}

// busyTables lists the name prefixes of tables that the service writes in the background, that
// record requests, or that count uses.
var busyTables = []string{
	"audit", "leases", "jobs", "notices", "key_uses", "operator_tokens", "sealed_", "goose",
	"sqlite_", "commit_", "webhook_endpoints", "card_packing", "hourly",
}

// tablesOf returns the rows of the tables, by table name.
func tablesOf(t *testing.T, db *sql.DB) map[string]string {
	t.Helper()
	names := `SELECT name FROM sqlite_schema WHERE type = 'table'`
	if ledger.On() != ledger.SQLite {
		names = `SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'
			AND table_type = 'BASE TABLE'`
	}
	values := map[string]string{}
	for _, row := range rowsOf(t, db, names) {
		name := strings.Trim(row, "[]")
		busy := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if !slices.ContainsFunc(busyTables, busy) {
			rows := rowsOf(t, db, `SELECT * FROM `+name)
			slices.Sort(rows)
			values[name] = strings.Join(rows, "\n")
		}
	}
	return values
}

func rowsOf(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var operations []string
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		operations = append(operations, fmt.Sprint(values))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return operations
}
