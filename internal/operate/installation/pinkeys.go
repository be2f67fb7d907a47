package installation

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// PinKeyState lists the PIN keys by fingerprint.
type PinKeyState struct {
	Published  string   `json:"published"`  // given to callers
	Remembered []string `json:"remembered"` // needed by every node
	Used       []string `json:"used"`       // decrypt PINs here
	Held       []string `json:"held"`       // in the data directory
}

// PinKeysOf returns the state of an installation's PIN keys.
func PinKeysOf(ctx context.Context, l Location) (PinKeyState, error) {
	c, err := l.Claim(ctx, store.Production)
	if err != nil {
		return PinKeyState{}, err
	}
	return c.pinKeyState(), nil
}

func (c *Claim) pinKeyState() PinKeyState {
	used := c.Keys.PinKeys()
	return PinKeyState{
		Published: used[0], Remembered: strings.Fields(c.Record().PinKey), Used: used,
		Held: c.Keys.AllPinKeys(),
	}
}

// RotatePinKey creates a second PIN key in an installation and returns its fingerprint. From its
// next start on, a node that has the file decrypts PINs with it, too. Callers get it once it is
// published.
func RotatePinKey(ctx context.Context, l Location) (string, error) {
	keyID := ""
	makeKey := func(c *Claim) error {
		if held := c.Keys.AllPinKeys(); len(held) > 1 {
			return fmt.Errorf("there are already two PIN keys, %s and %s: publish the new one, "+
				"or retire the other", held[0], held[1])
		}
		var err error
		keyID, err = vault.AddPinKey(c.keySettings)
		return err
	}
	return keyID, l.changePinKeys(ctx, pinKeyChange{
		before: makeKey,
		decide: func(_ *Claim, now []string) ([]string, string, error) {
			return now, "PIN key " + keyID + " made", nil
		},
	})
}

// PublishPinKey makes the nodes give a PIN key to callers, each node from its next start on. The
// previous key decrypts PINs until it is retired. From now on a node without both keys does not
// start.
func PublishPinKey(ctx context.Context, l Location, id string) error {
	decide := func(c *Claim, now []string) ([]string, string, error) {
		if !slices.Contains(c.Keys.AllPinKeys(), id) {
			return nil, "", fmt.Errorf("%w: %s", vault.ErrPinKey, id)
		}
		if now[0] == id {
			return nil, "", fmt.Errorf("the PIN key %s is already published", id)
		}
		return []string{id, now[0]}, fmt.Sprintf("PIN key %s → %s", now[0], id), nil
	}
	return l.changePinKeys(ctx, pinKeyChange{decide: decide})
}

// RetirePinKey retires a PIN key that is not published: it is removed from the database, so that no
// node decrypts PINs with it from its next start on, and its file is removed here. The file goes
// last: a node does not start without a key that the database remembers.
func RetirePinKey(ctx context.Context, l Location, id string) error {
	decide := func(c *Claim, now []string) ([]string, string, error) {
		if now[0] == id {
			return nil, "", fmt.Errorf("the PIN key %s is published: publish the other one "+
				"first, which mintmark pin-key rotate creates", id)
		}
		if !slices.Contains(c.Keys.AllPinKeys(), id) && !slices.Contains(now, id) {
			return nil, "", fmt.Errorf("%w: %s", vault.ErrPinKey, id)
		}
		return now[:1], fmt.Sprintf("PIN key %s retired", id), nil
	}
	drop := func(c *Claim) error {
		if !slices.Contains(c.Keys.AllPinKeys(), id) {
			return nil
		}
		return vault.DropPinKey(c.keySettings, id)
	}
	return l.changePinKeys(ctx, pinKeyChange{decide: decide, after: drop})
}

// pinKeyChange is a change of the PIN keys. Decide gets the recorded keys, the published one first,
// and returns those to record and the outcome for the audit. It runs in a transaction, possibly
// more than once; before and after, which change files, run once and may be nil.
type pinKeyChange struct {
	before, after func(*Claim) error
	decide        func(c *Claim, now []string) (next []string, outcome string, err error)
}

func (l Location) changePinKeys(ctx context.Context, change pinKeyChange) error {
	unlock, err := l.lockKeys(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return l.inProduction(ctx, func(c *Claim, kept store.Store) error {
		return c.changePinKeys(ctx, kept, change)
	})
}

func (c *Claim) changePinKeys(ctx context.Context, kept store.Store, change pinKeyChange) error {
	if change.before != nil {
		if err := change.before(c); err != nil {
			return err
		}
	}
	err := kept.Update(ctx, func(tx store.Tx) error {
		record, err := tx.Installation().Find()
		if err != nil {
			return err
		}
		next, outcome, err := change.decide(c, strings.Fields(record.PinKey))
		if err != nil {
			return err
		}
		record.PinKey = strings.Join(next, " ")
		c.pinKeys = record.PinKey
		entry := entryAbout(record, outcome)
		entry.Act, entry.At = "pin-key", tx.Now()
		return putRecord(tx, record, entry)
	})
	if err != nil {
		return err
	}
	if change.after != nil {
		if err := change.after(c); err != nil {
			return err
		}
	}
	// Opening the keys proves that they work, and UsePinKeys updates the file of the public key.
	opened, err := openKeys(c.keySettings)
	if err != nil {
		return err
	}
	return opened.UsePinKeys(strings.Fields(c.pinKeys))
}

// PublicPinKey returns the key that callers encrypt PINs with, as PEM.
func PublicPinKey(ctx context.Context, l Location) ([]byte, error) {
	if _, err := os.Stat(l.Data); err != nil {
		return nil, fmt.Errorf("%w: the data directory: %w", ErrNotInitialized, err)
	}
	settings, err := l.KeySettings(ctx, 0)
	if err != nil {
		return nil, err
	}
	keys, err := openKeys(settings)
	if err != nil {
		return nil, err
	}
	if len(keys.AllPinKeys()) == 1 {
		return keys.PublicPinKeyPEM(), nil
	}
	// The database knows which of the two is published.
	c := &Claim{Location: l, Environment: store.Production, Keys: keys, keySettings: settings}
	if err := c.look(ctx); err != nil {
		return nil, err
	}
	return keys.PublicPinKeyPEM(), nil
}
