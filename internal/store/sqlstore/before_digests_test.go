package sqlstore_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
)

// TestNumbersWithPreviousVersion lets the previous version store card numbers during a rotation of
// the digest key. Until the key is retired, it stores them, rejects a duplicate, and the job finds
// those without a second digest. From then on it cannot store any.
func TestNumbersWithPreviousVersion(t *testing.T) {
	t.Parallel()
	for name, e := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, db := e.openWithOldRows(t)
			must := func(err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
			}
			exec := func(statement string) error {
				_, err := db.ExecContext(t.Context(), statement)
				return err
			}
			// put runs the statement of the previous version.
			put := func(digest string, cardID string) error {
				return exec(`INSERT INTO card_numbers (digest, sealed, last_four, bin_id, card_id)
					VALUES ('` + digest + `', 'sealed', '1111', 1, ` + cardID + `)`)
			}
			change := func(step func(digests.State) (digests.State, error)) {
				t.Helper()
				must(kept.Update(context.Background(), func(tx store.Tx) error {
					state, err := tx.CardNumbers().FindDigestState()
					if err != nil {
						return err
					}
					state, err = step(state)
					return errors.Join(err, tx.CardNumbers().PutDigestState(state))
				}))
			}
			left := func() (sealed []digests.Sealed) {
				must(kept.View(context.Background(), func(r store.Tx) (err error) {
					sealed, err = r.CardNumbers().ListUndigested(0, 9)
					return err
				}))
				return sealed
			}
			must(exec(`DELETE FROM card_numbers WHERE card_id = 10001`))
			at := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
			change(func(s digests.State) (digests.State, error) {
				return s.Rotate(digests.Key{ID: 7, Wrapped: []byte{1}}, at)
			})
			if err := put("digest 1", "10001"); err == nil {
				t.Error("a number is kept that is taken")
			}
			must(put("digest 2", "10001"))
			if sealed := left(); len(sealed) != 2 {
				t.Errorf("%d numbers have no second digest, want 2", len(sealed))
			}
			must(kept.Update(context.Background(), func(tx store.Tx) error {
				return errors.Join(tx.CardNumbers().PutSecondDigest(5001, []byte("next 1")),
					tx.CardNumbers().PutSecondDigest(10001, []byte("next 2")))
			}))
			change(func(s digests.State) (digests.State, error) {
				return s.Retire(at.Add(digests.Settling))
			})
			must(exec(`DELETE FROM card_numbers WHERE card_id = 10001`))
			for _, digest := range []string{"digest 1", "digest 2", "digest 3"} {
				err := put(digest, "10001")
				if err == nil || digest != "digest 1" &&
					!strings.Contains(err.Error(), "the digest key 0 is retired") {
					t.Errorf("%s under the retired key: %v", digest, err)
				}
			}
		})
	}
}
