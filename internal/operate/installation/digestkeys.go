package installation

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/domain/digests"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/vault"
)

// DigestKeyState describes the keys of the digests of card numbers in a database, and the progress
// of a rotation. Key 0 is that of keyset.json.
type DigestKeyState struct {
	Phase   string    `json:"phase"`
	Key     int       `json:"key"`            // in use for look-ups
	Next    int       `json:"next,omitempty"` // its successor
	Since   time.Time `json:"since,omitzero"` // when the phase began
	Numbers int64     `json:"numbers"`
	// Left is the number of card numbers that the phase still has to change.
	Left int64 `json:"left"`
}

// DigestKeyOf returns the state of an installation's digest keys.
func DigestKeyOf(ctx context.Context, l Location) (shown DigestKeyState, err error) {
	if err := l.CheckTables(ctx); err != nil {
		return shown, err
	}
	err = l.inProduction(ctx, func(_ *Claim, kept store.Store) error {
		return kept.View(ctx, func(r store.Tx) error {
			state, err := r.CardNumbers().FindDigestState()
			if err != nil {
				return err
			}
			numbers, seconds, err := r.CardNumbers().CountDigests()
			shown = DigestKeyState{
				Phase: string(state.Phase), Key: state.Key.ID, Next: state.Next.ID,
				Since: state.Changed, Numbers: numbers, Left: seconds,
			}
			if state.Phase == digests.TwoKeys {
				shown.Left = numbers - seconds
			}
			return err
		})
	})
	return shown, err
}

// RotateDigestKey creates the next digest key of an installation and returns its id. From now on
// new numbers get a second digest under it, and a job of the nodes adds that digest to all others.
func RotateDigestKey(ctx context.Context, l Location) (id int, err error) {
	err = l.inProduction(ctx, func(c *Claim, kept store.Store) error {
		next, wrapped, err := c.Keys.MakeDigestKey()
		if err != nil {
			return err
		}
		id = next
		return kept.Update(ctx, func(tx store.Tx) error {
			state, err := tx.CardNumbers().FindDigestState()
			if err != nil {
				return err
			}
			after, err := state.Rotate(digests.Key{ID: id, Wrapped: wrapped}, tx.Now())
			if err != nil {
				return fmt.Errorf("the digest key %d: %w, which mintmark digest-key status shows",
					state.Key.ID, err)
			}
			return c.putDigestKeys(tx, after, fmt.Sprintf("digest key %d made", id))
		})
	})
	return id, err
}

// RetireDigestKey retires the digest key in use for look-ups. From now on the next one is used. A
// program of an earlier version finds no number then: it does not start, and must not run.
func RetireDigestKey(ctx context.Context, l Location, id int) error {
	return l.inProduction(ctx, func(c *Claim, kept store.Store) error {
		var checked digests.State
		var left []digests.Sealed
		var now time.Time
		err := kept.View(ctx, func(r store.Tx) error {
			var err error
			now = r.Now()
			if checked, err = r.CardNumbers().FindDigestState(); err != nil {
				return err
			}
			left, err = r.CardNumbers().ListUndigested(0, 1)
			return err
		})
		if err != nil {
			return err
		}
		if err := retirable(checked, id, left, now); err != nil {
			return err
		}
		if err := l.noEarlierNodes(ctx); err != nil {
			return err
		}
		return kept.Update(ctx, func(tx store.Tx) error {
			state, err := tx.CardNumbers().FindDigestState()
			if err != nil {
				return err
			}
			if state.Generation != checked.Generation {
				return errors.New("another command has changed the digest keys: try again")
			}
			after, err := state.Retire(tx.Now())
			if err != nil {
				return err
			}
			return c.putDigestKeys(tx, after, fmt.Sprintf("digest key %d → %d", id, after.Key.ID))
		})
	})
}

// retirable returns an error if a key is still needed. Left lists numbers without a second digest.
func retirable(
	state digests.State, id int, left []digests.Sealed, now time.Time,
) error {
	_, err := state.Retire(now)
	switch {
	case id != state.Key.ID:
		return fmt.Errorf("the digest key in use is %d, not %d", state.Key.ID, id)
	case errors.Is(err, digests.ErrNoNextKey):
		return fmt.Errorf("the digest key %d: %w: make one with mintmark digest-key rotate", id,
			err)
	case len(left) > 0:
		return fmt.Errorf("some numbers have no digest under the key %d yet: the nodes compute "+
			"the digests, and mintmark digest-key status counts these numbers", state.Next.ID)
	}
	return err
}

// noEarlierNodes returns an error while a program that knows only one digest per number is
// connected. The embedded database has a single server, for which programs of other versions would
// wait.
func (l Location) noEarlierNodes(ctx context.Context) error {
	if l.Database.URL == "" {
		return nil
	}
	from, err := inspect.EarlierNodes(ctx, l.Database.URL)
	if err != nil || len(from) == 0 {
		return err
	}
	return fmt.Errorf("programs of an earlier version use the database, from %s: replace them "+
		"first, because they could not find cards by number", strings.Join(from, ", "))
}

// putDigestKeys stores a change of the digest keys with its audit entry. The installation record
// names the key in use, so that a program from before digest keys rejects the database.
func (c *Claim) putDigestKeys(tx store.Tx, state digests.State, outcome string) error {
	record, err := tx.Installation().Find()
	if err != nil {
		return err
	}
	c.digestKey = ""
	if state.Key.ID != digests.DefaultKeyID {
		c.digestKey = strconv.Itoa(state.Key.ID)
	}
	record.Keyset = digests.Record(digests.Fingerprint(record.Keyset), c.digestKey)
	entry := entryAbout(record, outcome)
	entry.Act, entry.At = keys.DigestKeyAct, tx.Now()
	if err := tx.CardNumbers().PutDigestState(state); err != nil {
		return err
	}
	return putRecord(tx, record, entry)
}

// checkDigestKeys returns an error for digest keys that the keyset does not decrypt, or that belong
// to another database.
func (c *Claim) checkDigestKeys(ctx context.Context, kept store.Store) error {
	state, err := store.ViewOf(ctx, kept, func(r store.Tx) (digests.State, error) {
		return r.CardNumbers().FindDigestState()
	})
	if err != nil {
		return err
	}
	named := ""
	if state.Key.ID != vault.KeysetKey {
		named = strconv.Itoa(state.Key.ID)
	}
	if c.Environment == store.Production && named != c.digestKey {
		return fmt.Errorf("the database %s remembers the digest key %q and uses %q: it was "+
			"assembled from two databases", c.Location, c.digestKey, named)
	}
	for _, key := range []digests.Key{state.Key, state.Next} {
		if err := c.Keys.CheckDigestKey(key.ID, key.Wrapped); err != nil {
			return fmt.Errorf("the database %s: %w (with the keyset in %s)", c.Location, err,
				c.keysetPath())
		}
	}
	return nil
}
