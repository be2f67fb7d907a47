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
	// Remembered says that the database has recorded the fingerprints, or another PIN key.
	Remembered bool
}

// Init makes the missing keys and the missing database of a production place, and records the keys
// in the database. Running it again changes nothing. A lost or different PIN key is replaced only
// with acceptPinKey.
func Init(ctx context.Context, p Location, acceptPinKey bool) (Initialized, error) {
	found, err := p.Look(ctx)
	if err != nil {
		return Initialized{}, err
	}
	made, err := p.mayMake(found.Installation, found.Programs, acceptPinKey)
	if err != nil {
		return Initialized{}, err
	}
	if err := MarkDirectory(ctx, p.Data, store.Production); err != nil {
		return Initialized{}, err
	}
	settings, err := p.KeySettings(ctx, 0)
	if err != nil {
		return Initialized{}, err
	}
	keys, err := vault.Open(settings)
	if err != nil {
		return Initialized{}, err
	}
	c := Claim{
		Location: p, Environment: store.Production, Keys: keys, keySettings: settings,
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
	if found.Installation != nil {
		before = *found.Installation
	}
	made.Installation, err = installationOf(ctx, kept)
	made.MadeDatabase = !found.Tables
	made.Remembered = made.Installation != before
	return made, errors.Join(err, kept.Close())
}

// mayMake refuses to make new keys when the database needs existing ones.
func (p Location) mayMake(
	remembered *store.InstallationRecord, programs int, acceptPinKey bool,
) (Initialized, error) {
	keyset, pinKey, processorKey := vault.Present(p.Data)
	if keyset {
		if err := p.checkCustody(); err != nil {
			return Initialized{}, err
		}
	}
	if remembered != nil && remembered.Environment != store.Production {
		return Initialized{}, fmt.Errorf("the database %s belongs to a %s", p,
			remembered.Environment)
	}
	if !keyset && remembered != nil {
		return Initialized{}, fmt.Errorf("the database %s remembers the keyset %s and the PIN "+
			"key %s, and there is no keyset in %s: bring keyset.json and pin-private.pem from a "+
			"backup or from another node", p, remembered.Keyset, JoinPinKeys(remembered.PinKey), p.Data)
	}
	if !keyset && programs > 0 {
		return Initialized{}, fmt.Errorf("the database %s is in use, and there is no keyset in "+
			"%s: bring keyset.json and pin-private.pem from a backup", p, p.Data)
	}
	if !pinKey && remembered != nil && !acceptPinKey {
		return Initialized{}, fmt.Errorf("the database %s remembers the PIN key %s, and there "+
			"is none in %s: bring pin-private.pem from a backup or from another node, or have "+
			"another one made with --accept-pin-key", p, JoinPinKeys(remembered.PinKey), p.Data)
	}
	return Initialized{
		MadeKeyset: !keyset, MadePinKey: !pinKey, MadeProcessorKey: !processorKey,
	}, nil
}

// checkCustody refuses to wrap keys that are there already: that changes files which a backup may
// have in the clear, and has a command of its own.
func (p Location) checkCustody() error {
	if len(p.Custody.Custodians) == 0 {
		return nil
	}
	state, err := CustodyOf(p)
	if err != nil {
		return err
	}
	if !sameNames(state.Custodians, p.Custody.Custodians) {
		return fmt.Errorf("the keys in %s exist already; mintmark custody wrap and mintmark "+
			"custody rewrap change who opens them", p.Data)
	}
	return nil
}

func installationOf(ctx context.Context, kept store.Store) (store.InstallationRecord, error) {
	var found store.InstallationRecord
	err := kept.View(ctx, func(r store.Tx) error {
		var err error
		found, err = r.Installation().Find()
		return err
	})
	return found, err
}
