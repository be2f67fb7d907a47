package admin

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	wire "mintmark/client/admin"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/transfers"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testworld"
	"mintmark/internal/vault"
)

const ending = card.SandboxEnding

// start is the initial time of a test's clock.
var start = testworld.Start

// world is the face over its own database, with the tokens that may use it.
type world struct {
	t       testing.TB
	desk    *Desk
	handler http.Handler
	acts    *acts.Service
	kept    store.Store
	keys    *vault.Vault
	clock   *clock.Clock
	path    string // of the database
	known   tokens
	two     bool // four eyes for acts outside any program
	named   int  // number of names returned by fresh
}

// tokens maps token texts to identities.
type tokens map[string]operator.Identity

func (k tokens) AuthenticateToken(
	_ context.Context, text string,
) (operator.Identity, bool, error) {
	who, known := k[text]
	return who, known, nil
}

func (k tokens) Current(
	_ context.Context, who operator.Identity,
) (operator.Identity, bool, error) {
	now, known := k[who.Name]
	return now, known, nil
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := &world{
		t: t, clock: clock.FrozenAt(start), known: tokens{}, keys: testworld.Keys(t),
		path: testworld.DemoFile(t),
	}
	w.kept = testworld.File(t, w.path, w.clock)
	w.acts = acts.New(w.kept, w.keys, issuing.Settings{
		Mode: card.Sandbox, Ending: ending, Random: rand.Reader, Clock: w.clock,
		FourEyes:      func() bool { return w.two },
		TokensApprove: func() bool { return true },
	})
	for i, role := range operator.AllRoles {
		w.add(string(role), i+1, operator.Scope{All: true}, role)
	}
	w.add("other", 20, operator.Scope{All: true}, operator.Administrator)
	w.add("elsewhere", 21, operator.Scope{Banks: []int{4}}, operator.Administrator)
	w.desk = NewDesk(w.acts, w.known, About{Environment: "sandbox", Node: "test", Version: "1"})
	host := web.NewHost(slog.New(slog.NewTextHandler(os.Stderr, nil)), uuid.NewString,
		web.Settings{BodyLimit: MaxBodyBytes})
	w.handler = host.Handler(New(w.desk))
	return w
}

// add registers a token for a person: the text is the name, and the token, its ID and its owner
// share one number.
func (w *world) add(name string, id int, scope operator.Scope, roles ...operator.Role) {
	w.known[name] = operator.Identity{
		Name: name, ID: id, IsToken: true, Roles: roles, Scope: scope,
		Owner: operator.Owner{Kind: operator.OwnedByPerson, ID: id},
	}
}

// requireFourEyes turns on four eyes for program 1.
func (w *world) requireFourEyes() {
	w.t.Helper()
	program := read[wire.Program](w, "configurator", "programs/1")
	done[wire.Program](w, as("configurator", "PATCH", "programs/1", `{"fourEyes":true}`,
		at(program.Revision)...), http.StatusOK)
}

// serve adds routes of a test.
func (w *world) serve(routes ...*Op) { w.desk.routes = append(w.desk.routes, routes...) }

// testRequest is a request of a test.
type testRequest struct {
	token, method, path, body string
	header                    map[string]string
}

// ask sends a request to the face and returns the response.
func (w *world) ask(a testRequest) *httptest.ResponseRecorder {
	w.t.Helper()
	var request *http.Request
	if a.body == "" {
		request = httptest.NewRequest(a.method, wire.Prefix+a.path, http.NoBody)
	} else {
		request = httptest.NewRequest(a.method, wire.Prefix+a.path, strings.NewReader(a.body))
	}
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	for name, value := range a.header {
		request.Header.Set(name, value)
	}
	answer := deadlines{httptest.NewRecorder()}
	w.handler.ServeHTTP(answer, request)
	return answer.ResponseRecorder
}

// deadlines is a recorder that accepts deadlines.
type deadlines struct{ *httptest.ResponseRecorder }

func (deadlines) SetReadDeadline(time.Time) error  { return nil }
func (deadlines) SetWriteDeadline(time.Time) error { return nil }

// problem sends a request, checks that the response is a well-formed problem with this name, and
// returns it.
func (w *world) problem(a testRequest, name string) wire.Problem {
	w.t.Helper()
	answer := w.ask(a)
	var told wire.Problem
	if err := json.Unmarshal(answer.Body.Bytes(), &told); err != nil {
		w.t.Fatalf("%s %s: %v: %s", a.method, a.path, err, answer.Body)
	}
	if told.Name() != name || told.Status != answer.Code || told.RequestID == "" ||
		told.Title == "" || told.Detail == "" || answer.Header().Get("Content-Type") != web.ProblemType {
		w.t.Errorf("%s %s: want %s, got %d %s", a.method, a.path, name, answer.Code, answer.Body)
	}
	return told
}

// done sends a request, checks the status and decodes the response.
func done[A any](w *world, a testRequest, status int) A {
	w.t.Helper()
	answer := w.ask(a)
	var decoded A
	if answer.Code != status {
		w.t.Fatalf("%s %s: want %d, got %d %s", a.method, a.path, status, answer.Code, answer.Body)
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &decoded); err != nil {
		w.t.Fatalf("%s %s: %v: %s", a.method, a.path, err, answer.Body)
	}
	return decoded
}

// dumpTables returns all rows of all tables except those of the audit and its log.
func (w *world) dumpTables() string {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	var b strings.Builder
	for _, table := range queryColumn(w.t, db, `SELECT name FROM sqlite_schema WHERE type = 'table'
		AND name NOT LIKE 'audit%' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'goose%'
		ORDER BY name`) {
		rows, err := db.QueryContext(w.t.Context(), `SELECT * FROM `+table)
		if err != nil {
			w.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			w.t.Fatal(err)
		}
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		for rows.Next() {
			if err := rows.Scan(into...); err != nil {
				w.t.Fatal(err)
			}
			fmt.Fprintln(&b, table, values)
		}
		if err := rows.Err(); err != nil {
			w.t.Fatal(err)
		}
		rows.Close()
	}
	return b.String()
}

// execSQL executes a statement directly on the database, bypassing the program.
func (w *world) execSQL(statement string, args ...any) {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(w.t.Context(), statement, args...); err != nil {
		w.t.Fatal(err)
	}
}

// entries returns the operators' audit entries with name, act, outcome and reason, oldest first.
func (w *world) entries() []string {
	w.t.Helper()
	db, err := sql.Open("sqlite", w.path)
	if err != nil {
		w.t.Fatal(err)
	}
	defer db.Close()
	return queryColumn(w.t, db, `SELECT key_name || ': ' || route || ', ' || outcome || ', ' || reason
		FROM audit WHERE actor_kind IN ('operator', 'token') ORDER BY audit_id`)
}

func queryColumn(t testing.TB, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return names
}

// authorize has the processor request the authorization of a purchase.
func (w *world) authorize(cardID int, id, amount string) transfers.Authorized {
	w.t.Helper()
	a, err := value.ParseAmount(amount)
	if err != nil {
		w.t.Fatal(err)
	}
	authorized, err := w.acts.Transfers.Authorize(w.t.Context(),
		audit.Actor{Kind: audit.Processor, Name: "processor"}, authorization.Request{
			ID: id, CardID: cardID, At: start,
			Transfer: authorization.Transfer{Kind: authorization.Purchase, Amount: a},
		})
	if err != nil {
		w.t.Fatal(err)
	}
	return authorized
}
