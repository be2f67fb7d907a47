package installation

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/gofrs/flock"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Signed returns why a checkpoint is not signed by the keys of a location, or nil if it is.
func (l Location) Signed(settings vault.Settings, checkpoint string) error {
	settings.MustExist, settings.ReadOnly = true, true
	keys, err := vault.Open(settings)
	if err != nil {
		return err
	}
	_, err = audit.OpenCheckpoint(checkpoint, keys.LogVerifier())
	return err
}

// CheckKeys describes the keys that belong to the database of an installation, or returns why the
// present keys do not. It writes nothing.
func (l Location) CheckKeys(ctx context.Context, settings vault.Settings) (string, error) {
	environment, err := l.MarkedEnvironment()
	if err != nil {
		return "", err
	}
	settings.MustExist, settings.ReadOnly = true, true
	keys, err := vault.Open(settings)
	if err != nil {
		return "", err
	}
	c := &Claim{Location: l, Environment: environment, Keys: keys}
	if err := c.look(ctx); err != nil {
		return "", err
	}
	if c.found.Installation == nil && c.found.PAN == nil {
		return "", fmt.Errorf("%w: the database %s remembers no keys", ErrNotInitialized, l)
	}
	mine := c.Record()
	return fmt.Sprintf("%s, keyset %s, PIN key %s", mine.Environment, mine.Keyset,
		JoinPinKeys(mine.PinKey)), nil
}

// CheckProductionKeys is Belong for a settings file, which only commands of production read.
func (l Location) CheckProductionKeys(
	ctx context.Context, settings vault.Settings,
) (string, error) {
	environment, err := l.MarkedEnvironment()
	if err != nil {
		return "", err
	}
	if environment != store.Production {
		return "", fmt.Errorf("the database %s belongs to a %s, which serve does not accept",
			l, environment)
	}
	return l.CheckKeys(ctx, settings)
}

// Holder returns the description of the process that serves from the embedded database, or "". It
// briefly takes a shared lock.
func (l Location) Holder() (string, error) {
	path, err := l.lockFile()
	if err != nil {
		return "", err
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY))
	defer lock.Close()
	free, err := lock.TryRLock()
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil || free {
		return "", err
	}
	return holder(path), nil
}
