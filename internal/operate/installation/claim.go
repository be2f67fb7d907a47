package installation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// Claim is a database that is about to be used with a set of keys, for an environment.
type Claim struct {
	Location
	Environment store.Environment
	Keys        *vault.Vault
	found       inspect.Found

	Server postgres.Options // of a database server, except the clock
	// Guard wraps the engine of the database; nil for no wrapper.
	Guard func(db.Engine) db.Engine

	// newPinKey accepts a PIN key other than the recorded one.
	newPinKey bool

	keySettings vault.Settings // used to open the keys
	// pinKeys holds the fingerprints of the recorded PIN keys, the published one first, if the keys
	// of this claim include them; else it is empty.
	pinKeys string
	// digestKey is the id of the recorded digest key; empty for that of the keyset.
	digestKey string
}

// look examines the database, and returns an error for keys or an environment that do not belong to
// it. It judges a database of a version that recorded no installation by its contents.
func (c *Claim) look(ctx context.Context) error {
	var err error
	c.found, err = c.Location.Inspect(ctx)
	if err != nil {
		return err
	}
	if c.found.Installation != nil {
		return c.compare(*c.found.Installation)
	}
	if err := c.useOwnPinKey(); err != nil {
		return err
	}
	// An earlier version created the tables of production, and nothing has been loaded yet. The
	// tables of a sandbox are empty only during its first start.
	unused := c.found.Tables && c.found.Programs == 0 && !c.found.HasInstallationTable
	if c.Environment == store.Sandbox && unused && c.Database.URL != "" {
		return fmt.Errorf("the database %s does not belong to a sandbox: it has tables, but no "+
			"demo data", c.Location)
	}
	return c.tryNumber()
}

// tryNumber decrypts a stored card number as a test of the keys. A database without one is an error
// only for a sandbox, whose demo data has cards.
func (c *Claim) tryNumber() error {
	n := c.found.PAN
	if n == nil && c.Environment == store.Sandbox && c.found.Programs > 0 {
		return fmt.Errorf("the database %s does not belong to a sandbox: it has programs, but no "+
			"cards", c.Location)
	}
	if n == nil {
		return nil
	}
	if opened, err := c.Keys.OpenNumber(n.Sealed, n.CardID); err == nil &&
		string(c.Keys.DigestNumber(opened)) == string(n.Digest.First) {
		return nil
	}
	return fmt.Errorf("the database %s does not belong to the keys in %s: they cannot decrypt "+
		"the number of card %d", c.Location, c.keysetPath(), n.CardID)
}

func (c *Claim) keysetPath() string {
	if c.Data == "" {
		return "memory"
	}
	return c.Data
}

// Open opens the database and records the installation in it.
func (c *Claim) Open(ctx context.Context, options sqlite.Options) (*Storage, error) {
	kept, err := openStore(ctx, c.Data, c.Database, options, c.Server, c.Guard)
	if err != nil {
		return nil, err
	}
	kept.DigestEntries(func(e audit.Entry) []byte {
		return c.Keys.DigestEntry(e.AppendContent(nil))
	})
	if c.found.Installation == nil || *c.found.Installation != c.Record() {
		err = RetryingStore{kept}.Update(ctx, c.remember)
	}
	if err == nil {
		err = c.checkDigestKeys(ctx, kept)
	}
	if err != nil {
		return nil, errors.Join(err, kept.Close())
	}
	if c.found.Installation == nil && c.Environment == store.Production {
		// Keys without the mark count as production's, so a failure to write the mark is harmless.
		_ = MarkDirectory(ctx, c.Data, store.Production)
	}
	return kept, nil
}

// remember records the installation in the database, with an audit entry. Another process may have
// recorded one first, even of the other environment.
func (c *Claim) remember(tx store.Tx) error {
	remembered, err := tx.Installation().Find()
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	if err != nil {
		mine := c.Record()
		mine.Made = tx.Now()
		outcome := "created"
		if c.found.Tables {
			outcome = "adopted" // a database of a version that recorded no installation
		}
		entry := entryAbout(mine, outcome)
		entry.At = tx.Now()
		return putRecord(tx, mine, entry)
	}
	if err := c.compare(remembered); err != nil {
		return err
	}
	mine := c.Record()
	mine.Made = remembered.Made
	err = tx.Installation().Put(mine)
	if err != nil || c.Environment == store.Sandbox || remembered.PinKey == mine.PinKey {
		return err
	}
	// The audit log must show that another key decrypts PINs from now on.
	entry := entryAbout(mine, fmt.Sprintf("PIN key %s → %s", remembered.PinKey, mine.PinKey))
	entry.At = tx.Now()
	return tx.Audit().Put(entry)
}

// Record returns the installation record of this use of the database.
func (c *Claim) Record() store.InstallationRecord {
	prints := c.Keys.Fingerprints()
	mine := store.InstallationRecord{
		Environment: c.Environment, Keyset: digests.Record(prints.Keyset, c.digestKey),
		PinKey: prints.PinKey,
	}
	mine.PinKey = cmp.Or(c.pinKeys, mine.PinKey)
	if c.found.Installation != nil {
		mine.Made = c.found.Installation.Made
	}
	return mine
}

// compare returns an error for an installation other than the recorded one. Every recorded PIN key
// must be present. A sandbox may have another PIN key, because its PINs need no protection.
func (c *Claim) compare(remembered store.InstallationRecord) error {
	mine, prints := c.Record(), c.Keys.Fingerprints()
	if remembered.Keyset == inspect.Unfinished {
		return fmt.Errorf("a restore of the database %s was not finished: repeat it with "+
			"mintmark restore", c.Location)
	}
	if remembered.Environment != mine.Environment {
		return fmt.Errorf("the database %s belongs to a %s installation; the keys in %s do not",
			c.Location, remembered.Environment, c.keysetPath())
	}
	if fingerprint := digests.Fingerprint(remembered.Keyset); fingerprint != prints.Keyset {
		return fmt.Errorf("the database %s remembers the keyset %s, and %s holds %s: use the "+
			"keyset.json that belongs to the database",
			c.Location, fingerprint, c.keysetPath(), prints.Keyset)
	}
	_, c.digestKey = digests.Recorded(remembered.Keyset)
	c.pinKeys = ""
	err := c.Keys.UsePinKeys(strings.Fields(remembered.PinKey))
	if err == nil {
		c.pinKeys = remembered.PinKey
		return nil
	}
	if !errors.Is(err, vault.ErrPinKey) {
		return err
	}
	if !c.newPinKey && c.Environment == store.Production {
		return fmt.Errorf("the database %s remembers the PIN key %s, and %s is %s: use the one "+
			"that belongs to the database, or replace the PIN key of every node by it with "+
			"mintmark init --accept-pin-key",
			c.Location, JoinPinKeys(remembered.PinKey), filepath.Join(c.Data, "pin-private.pem"),
			strings.Join(c.Keys.AllPinKeys(), " and "))
	}
	return c.useOwnPinKey()
}

// useOwnPinKey publishes the first available PIN key.
func (c *Claim) useOwnPinKey() error { return c.Keys.UsePinKeys(c.Keys.AllPinKeys()[:1]) }

// JoinPinKeys returns recorded PIN keys as text.
func JoinPinKeys(pinKeys string) string { return strings.Join(strings.Fields(pinKeys), " and ") }

// putRecord stores the record of an installation with the audit entry of its change.
func putRecord(tx store.Tx, record store.InstallationRecord, entry audit.Entry) error {
	if err := tx.Installation().Put(record); err != nil {
		return err
	}
	return tx.Audit().Put(entry)
}

// entryAbout returns an audit entry about the installation. Its subject is the keyset.
func entryAbout(i store.InstallationRecord, outcome string) audit.Entry {
	return audit.Entry{
		Actor: Person(), Act: "init", Outcome: outcome,
		Subject: audit.Subject{Kind: audit.Installation, ID: digests.Fingerprint(i.Keyset)},
	}
}
