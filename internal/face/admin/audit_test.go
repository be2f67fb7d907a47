package admin

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// later is long after the demo data is loaded.
const later = 20 * 365 * 24 * time.Hour

func itoa(n int) string { return strconv.Itoa(n) }

// TestAuditList filters the acts of operators, both as an auditor of all banks and as an auditor of
// one.
func TestAuditList(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clock.Advance(later) // the demo data is loaded at wall-clock time
	now := start.Add(later)
	day := func(days int) string { return now.AddDate(0, 0, days).Format(time.DateOnly) }
	w.add("of bank 1", 30, operator.Scope{Banks: []int{1}}, operator.Auditor)
	w.add("of bank 4", 31, operator.Scope{Banks: []int{4}}, operator.Auditor)
	draft := w.draft("de-AT")
	done[wire.Document](w, testRequest{"administrator", "POST",
		documents + "/" + itoa(draft.ID) + "/publish", `{"reason":"new fees"}`, nil}, 200)
	w.problem(testRequest{"support", "POST", documents, `{}`, nil}, "not-allowed")
	err := w.kept.Update(t.Context(), func(tx store.Tx) error {
		return errors.Join(
			tx.Audit().Put(audit.Entry{
				At: now, Act: "rotate", Subject: audit.Of(audit.PciKey, 77),
				Actor: audit.Actor{Kind: audit.Operator, Name: "vera"},
			}),
			tx.Audit().Put(audit.Entry{
				At: now, Act: "change key",
				Subject: audit.Subject{Kind: audit.Key, ID: "my key"},
				Actor:   audit.Actor{Kind: audit.Operator, Name: "vera"},
			}))
	})
	if err != nil {
		t.Fatal(err)
	}
	list := func(token, query string) []wire.Entry {
		t.Helper()
		return done[wire.List[wire.Entry]](w, testRequest{token, "GET", "audit" + query, "", nil},
			http.StatusOK).Items
	}
	acts := func(entries []wire.Entry) string {
		var names []string
		for _, e := range entries {
			if e.Act != "load" {
				names = append(names, e.Act+" by "+e.Actor.Name)
			}
		}
		return strings.Join(names, ", ")
	}
	const (
		refused   = "POST /admin/v1/banks/{id}/documents by support"
		told      = "document published by administrator"
		published = "publish document by administrator"
		created   = "create document by configurator"
	)
	all := strings.Join([]string{"change key by vera", "rotate by vera", refused, told, published, created}, ", ")
	for _, row := range []struct{ token, query, want string }{
		{"auditor", "", all},
		{"administrator", "?actor=token:administrator", told + ", " + published},
		{"auditor", "?actor=configurator", created}, {"auditor", "?actor=Configurator", created},
		{"auditor", "?actor=Token:Configurator", created},
		{"auditor", "?actor=key:configurator", ""},
		{"auditor", "?subject=document:" + itoa(draft.ID),
			told + ", " + published + ", " + created},
		{"auditor", "?subject=Document+" + itoa(draft.ID),
			told + ", " + published + ", " + created},
		{"auditor", "?subject=card:5001", ""},
		{"auditor", "?subject=pciKey:77", "rotate by vera"},
		{"auditor", "?subject=pcikey+77", "rotate by vera"},
		{"auditor", "?subject=key:my+key", "change key by vera"},
		{"auditor", "?subject=key+my+key", "change key by vera"},
		{"auditor", "?programId=1", told},
		{"auditor", "?programId=999", ""},
		{"auditor", "?from=" + day(0) + "&to=" + day(1), all},
		{"auditor", "?to=" + day(0), ""},
		{"auditor", "?from=" + now.Add(time.Millisecond).Format(time.RFC3339Nano), ""},
		{"auditor", "?act=Publish+doc", published}, {"auditor", "?act=none,+publish+doc,", published},
		{"auditor", "?outcome=refused", refused},
		{"auditor", "?reason=NEW", told + ", " + published},
		{"auditor", "?withoutReads=true", all},
		{"of bank 1", "", told + ", " + published + ", " + created},
		{"of bank 1", "?actor=support", ""},
		{"of bank 4", "", ""},
		{"of bank 4", "?programId=1", ""},
		{"of bank 4", "?subject=document:" + itoa(draft.ID), ""},
	} {
		if got := acts(list(row.token, row.query)); got != row.want {
			t.Errorf("%s reads at %q: %s\nwant %s", row.token, row.query, got, row.want)
		}
	}
	for _, e := range list("of bank 1", "?actor=administrator") {
		if e.BankID != 1 || e.Sequence != 0 || !e.At.Equal(now) || e.ID == 0 {
			t.Errorf("the entry is %+v", e)
		}
	}
	about := "audit?limit=2&subject=document:" + itoa(draft.ID)
	page := done[wire.List[wire.Entry]](w, testRequest{"auditor", "GET", about, "", nil}, 200)
	next := done[wire.List[wire.Entry]](w, testRequest{"auditor", "GET", about + "&cursor=" + page.Next,
		"", nil}, 200)
	if len(page.Items) != 2 || acts(next.Items) != created || next.Next != "" {
		t.Errorf("the pages are %+v and %+v", page, next)
	}
	bare := w.problem(testRequest{"auditor", "GET", "audit?subject=5001", "", nil}, "invalid")
	if text := bare.Errors[0].Detail; !strings.Contains(text, "such as card 5001") {
		t.Errorf("a number alone is told %q", text)
	}
	for _, query := range []string{"?subject=card", "?from=yesterday", "?programId=x", "?limit=0"} {
		w.problem(testRequest{"auditor", "GET", "audit" + query, "", nil}, "invalid")
	}
	for _, path := range []string{"1", "1/proof", "checkpoint", "export"} {
		w.problem(testRequest{"auditor", "GET", "audit/" + path, "", nil}, "not-found")
	}
	key := w.ask(testRequest{"auditor", "GET", "audit/key", "", nil})
	if !strings.HasPrefix(key.Body.String(), "mintmark-log/") {
		t.Errorf("the key is %s", key.Body)
	}
}
