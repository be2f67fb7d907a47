package installation

import (
	"context"
	"errors"
	"fmt"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// Initialized is the result of Init.
type Initialized struct {
	Installation store.InstallationRecord

	MadeKeyset, MadePinKey, MadeProcessorKey, MadeDatabase bool
	// Remembered reports that the database has recorded the fingerprints, or another PIN key.
	Remembered bool
}

// Init creates the missing keys and the missing database of a production installation, and records
// the keys in the database. Running it again changes nothing. A lost or different PIN key is
// replaced only with acceptPinKey.
func Init(ctx context.Context, l Location, acceptPinKey bool) (Initialized, error) {
	problems, err := l.Inspect(ctx)
	if err != nil {
		return Initialized{}, err
	}
	initialized, err := l.mayMake(problems.Installation, problems.Programs, acceptPinKey)
	if err != nil {
		return Initialized{}, err
	}
	if err := MarkDirectory(ctx, l.Data, store.Production); err != nil {
		return Initialized{}, err
	}
	settings, err := l.KeySettings(ctx, 0)
	if err != nil {
		return Initialized{}, err
	}
	keys, err := vault.Open(settings)
	if err != nil {
		return Initialized{}, err
	}
	c := Claim{
		Location: l, Environment: store.Production, Keys: keys, keySettings: settings,
		newPinKey: acceptPinKey,
	}
	if err := c.look(ctx); err != nil {
		return Initialized{}, err
	}
	kept, err := c.Open(ctx, sqlite.Options{})
	if err != nil {
		return Initialized{}, err
	}
	before := store.InstallationRecord{}
	if problems.Installation != nil {
		before = *problems.Installation
	}
	initialized.Installation, err = installationOf(ctx, kept)
	initialized.MadeDatabase = !problems.Tables
	initialized.Remembered = initialized.Installation != before
	return initialized, errors.Join(err, kept.Close())
}

// mayMake returns an error if new keys would be created although the database needs existing ones.
func (l Location) mayMake(
	remembered *store.InstallationRecord, programs int, acceptPinKey bool,
) (Initialized, error) {
	keyset, pinKey, processorKey := vault.Present(l.Data)
	if keyset {
		if err := l.checkCustody(); err != nil {
			return Initialized{}, err
		}
	}
	if remembered != nil && remembered.Environment != store.Production {
		return Initialized{}, fmt.Errorf("the database %s belongs to a %s", l,
			remembered.Environment)
	}
	if !keyset && remembered != nil {
		return Initialized{}, fmt.Errorf("the database %s remembers the keyset %s and the PIN "+
			"key %s, and there is no keyset in %s: copy keyset.json and pin-private.pem from a "+
			"backup or from another node", l, remembered.Keyset, JoinPinKeys(remembered.PinKey),
			l.Data)
	}
	if !keyset && programs > 0 {
		return Initialized{}, fmt.Errorf("the database %s is in use, and there is no keyset in "+
			"%s: copy keyset.json and pin-private.pem from a backup", l, l.Data)
	}
	if !pinKey && remembered != nil && !acceptPinKey {
		return Initialized{}, fmt.Errorf("the database %s remembers the PIN key %s, and there "+
			"is none in %s: copy pin-private.pem from a backup or from another node, or make "+
			"a new one with --accept-pin-key", l, JoinPinKeys(remembered.PinKey), l.Data)
	}
	return Initialized{
		MadeKeyset: !keyset, MadePinKey: !pinKey, MadeProcessorKey: !processorKey,
	}, nil
}

// checkCustody returns an error if init would have to wrap existing keys: that changes files which
// a backup may have unwrapped, and has a command of its own.
func (l Location) checkCustody() error {
	if len(l.Custody.Custodians) == 0 {
		return nil
	}
	state, err := CustodyOf(l)
	if err != nil {
		return err
	}
	if !sameNames(state.Custodians, l.Custody.Custodians) {
		return fmt.Errorf("the keys in %s already exist; mintmark custody wrap and mintmark "+
			"custody rewrap change who opens them", l.Data)
	}
	return nil
}

func installationOf(ctx context.Context, kept store.Store) (store.InstallationRecord, error) {
	return store.ViewOf(ctx, kept, func(r store.Tx) (store.InstallationRecord, error) {
		return r.Installation().Find()
	})
}
