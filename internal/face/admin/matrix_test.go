package admin

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/domain/operator"
	"mintmark/internal/testkit/golden"
)

// TestRoles compares the roles that may use each route with a readable golden table. The table is
// generated from the routes: check each new line against the rules for roles.
func TestRoles(t *testing.T) {
	var text bytes.Buffer
	fmt.Fprintf(&text, "%-7s%-62s", "", "")
	for _, role := range operator.AllRoles {
		fmt.Fprintf(&text, " %-13s", role)
	}
	fmt.Fprintln(&text)
	for _, row := range newWorld(t).desk.routes {
		fmt.Fprintf(&text, "%-7s%-62s", row.Method, row.Path)
		for _, role := range operator.AllRoles {
			may := "-"
			if row.allows(operator.Roles{role}) {
				may = "yes"
			}
			fmt.Fprintf(&text, " %-13s", may)
		}
		fmt.Fprintln(&text)
	}
	lines := strings.Split(strings.TrimRight(text.String(), "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	golden.Compare(t, "testdata/roles.txt", []byte(strings.Join(lines, "\n")+"\n"))
}

// TestAuditorsChangeNothing checks the rules that the table above must follow.
func TestAuditorsChangeNothing(t *testing.T) {
	own := []string{
		"approvals/{id}/approve", "approvals/{id}/reject", "approvals/{id}/withdraw",
		"approvals/{id}/result",
	}
	for _, row := range newWorld(t).desk.routes {
		may := row.allows(operator.Roles{operator.Auditor})
		if may && row.Changes() && !slices.Contains(own, row.Path) {
			t.Errorf("an auditor may %s %s", row.Method, row.Path)
		}
		if !may && row.Method == http.MethodGet {
			t.Errorf("an auditor may not read %s", row.Path)
		}
		if !row.allows(operator.Roles{operator.Administrator}) {
			t.Errorf("an administrator may not %s %s", row.Method, row.Path)
		}
	}
}

// samples holds the ID of a resource of bank 1 for each collection.
var samples = map[string]string{
	"banks": "1", "programs": "1", "customers": "1001", "accounts": "2001", "cards": "5001",
}

// address fills in the path parameters of a route.
func (o *Op) address() string {
	segments := slices.Clone(o.segments())
	for i, segment := range segments {
		switch {
		case !strings.HasPrefix(segment, "{"):
		case i == 1 && samples[segments[0]] != "":
			segments[i] = samples[segments[0]]
		case segment == "{customerId}":
			segments[i] = "1002"
		default:
			segments[i] = "1"
		}
	}
	return strings.Join(segments, "/")
}

// TestMatrix sends a request to every route without a token, with a caller's credentials, from a
// page of another origin, as each role, and out of scope. Refused requests change nothing. The
// bodies of changes are invalid, so that requests of permitted roles fail after the role check.
func TestMatrix(t *testing.T) {
	w := newWorld(t)
	before := w.dumpTables()
	for _, row := range w.desk.routes {
		request := testRequest{method: row.Method, path: row.address()}
		if row.Changes() {
			request.body = "[]"
		}
		for name, header := range map[string]map[string]string{
			"no token":     nil,
			"a caller":     {"Authorization": "Basic ZXhhbXBsZTE6ZXhhbXBsZTE="},
			"its secret":   {"Authorization": "Bearer example1"},
			"another word": {"Authorization": "Bearer"},
			"a session":    {"Cookie": "__Host-mintmark=administrator"},
		} {
			refused := request
			refused.header = header
			if answer := w.ask(refused); answer.Code != http.StatusUnauthorized {
				t.Errorf("%s %s with %s: %d", row.Method, row.Path, name, answer.Code)
			}
		}
		if row.Method != http.MethodGet {
			forged := request
			forged.token = "administrator"
			forged.header = map[string]string{"Origin": "https://elsewhere.example"}
			w.problem(forged, "not-allowed")
			forged.header = map[string]string{"Sec-Fetch-Site": "cross-site"}
			w.problem(forged, "not-allowed")
		}
		for _, role := range operator.AllRoles {
			request.token = string(role)
			answer := w.ask(request)
			allowed := answer.Code != http.StatusForbidden
			if allowed != row.allows(operator.Roles{role}) ||
				answer.Code == http.StatusUnauthorized || answer.Code >= 500 {
				t.Errorf("%s %s as %s: %d %s", row.Method, row.Path, role, answer.Code,
					answer.Body)
			}
			if row.Changes() && answer.Code < 400 {
				t.Errorf("%s %s as %s takes a list for a body: %d", row.Method, row.Path, role,
					answer.Code)
			}
		}
		_, placed := samples[row.segments()[0]]
		if placed && len(row.segments()) > 1 && strings.HasPrefix(row.segments()[1], "{") {
			request.token = "elsewhere"
			w.problem(request, "not-found")
		}
	}
	if after := w.dumpTables(); after != before {
		t.Errorf("refused requests have changed something:\n%s", firstDifference(before, after))
	}
}

func firstDifference(before, after string) string {
	was, now := strings.Split(before, "\n"), strings.Split(after, "\n")
	for i := range now {
		if i >= len(was) || was[i] != now[i] {
			return now[i]
		}
	}
	return "rows are gone"
}
