package sqlstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// TestOlderAuditRows reads audit rows without a kind of actor, as programs of the previous version
// still write them.
func TestOlderAuditRows(t *testing.T) {
	t.Parallel()
	card := audit.Of(audit.Card, 7)
	wants := map[string]audit.Entry{
		"example1": {Actor: audit.Actor{Kind: audit.APIKey, Name: "example1"}, Subject: card},
		"[expiry]": {
			Actor: audit.Actor{Kind: audit.Job, Name: "expire unverified cards"}, Subject: card,
		},
		"[old PINs]": {
			Actor: audit.Actor{Kind: audit.Job, Name: "destroy old PINs"}, Subject: card,
		},
		"[load] bob": {Actor: audit.Actor{Kind: audit.CommandLine, Name: "bob"}, Subject: card},
		"[init] ann, signed in as bob": {
			Actor:   audit.Actor{Kind: audit.CommandLine, Name: "ann, signed in as bob"},
			Subject: card,
		},
	}
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			driver, place := e.connect(t)
			kept, err := e.open(place)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := kept.Close(); err != nil {
					t.Error(err)
				}
			}()
			db := connected(t, driver, place)
			for name, want := range wants {
				_, err := db.ExecContext(t.Context(), `INSERT INTO audit (acted_at, key_name,
						address, route, request_id, program_id, customer_id, card_id, outcome,
						card_before, card_after)
					VALUES (0, $1, '', '/card/lock', '', 1, 1001, 7, 'changed', '', '')`, name)
				if err != nil {
					t.Fatal(err)
				}
				want.At, want.Act = time.Unix(0, 0).UTC(), "/card/lock"
				want.ProgramID, want.CustomerID, want.Outcome = 1, 1001, "changed"
				var entries []audit.Entry
				err = kept.View(context.Background(), func(r store.Tx) error {
					var err error
					entries, err = r.Audit().List(1, 7, 1)
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]audit.Entry{want}, entries); diff != "" {
					t.Errorf("the row of %s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}
