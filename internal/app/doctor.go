package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/gofrs/flock"

	"mintmark/internal/domain/audit"
	"mintmark/internal/operate/doctor"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Examine examines an installation and changes nothing. The settings come from a settings file, if
// it could be read; otherwise they hold a directory and a database only.
func Examine(
	ctx context.Context, file string, settings Settings, settingsErr error, deep bool,
	backup string,
) doctor.Report {
	place := settings.Place()
	keys, err := place.keySettings(ctx, 0)
	settingsErr = errors.Join(settingsErr, err)
	belong := func(ctx context.Context) (string, error) { return place.belong(ctx, keys) }
	if file != "" {
		belong = func(ctx context.Context) (string, error) {
			return place.belongToProduction(ctx, keys)
		}
	}
	p := doctor.Patient{
		Settings: file, SettingsErr: settingsErr,
		Data: settings.Data, Keys: keys, File: databaseFile, URL: settings.Database.URL,
		TLSCert: settings.TLSCert, TLSKey: settings.TLSKey,
		Insecure: settings.Insecure, Warnings: settings.Warnings,
		Belong: belong, Holder: place.holder, Signed: place.signed,
		Deep: deep, Now: settings.Clock.Now(),
	}
	if file != "" && settingsErr == nil {
		p.PublicURL, p.Proxies = settings.PublicURL, settings.TrustedProxies
		limits := settings.Limits.filled()
		p.Connections, p.Files = limits.Connections+limits.AdminConnections, limits.files()
		p.ProcessorFolder, p.OpenID = settings.Processor.Folder, settings.OpenID.Issuer != ""
		p.FourEyes = settings.FourEyes
	}
	if backup != "" {
		p.Backup = func(ctx context.Context) (string, error) {
			return place.describeBackup(ctx, backup)
		}
	}
	return doctor.Examine(ctx, p)
}

// describeBackup describes a backup that was made under the keys of a place.
func (p Place) describeBackup(ctx context.Context, file string) (string, error) {
	_, from, err := p.openBackup(ctx, file)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s is of %s, and whole", file, from.Made.Format(time.RFC3339)),
		from.Close()
}

// signed reports why a checkpoint is not signed by the keys of a place.
func (p Place) signed(checkpoint string) error {
	keys, err := vault.Open(vault.Settings{
		Dir: p.Data, MustExist: true, AllowReadable: p.Insecure, ReadOnly: true,
	})
	if err != nil {
		return err
	}
	_, err = audit.OpenCheckpoint(checkpoint, keys.LogVerifier())
	return err
}

// belong describes the keys that belong to the database of a place, or why the keys there do not.
// It writes nothing.
func (p Place) belong(ctx context.Context, settings vault.Settings) (string, error) {
	environment, err := p.environment()
	if err != nil {
		return "", err
	}
	settings.MustExist, settings.ReadOnly = true, true
	keys, err := vault.Open(settings)
	if err != nil {
		return "", err
	}
	c := &claim{Place: p, environment: environment, keys: keys}
	if err := c.look(ctx); err != nil {
		return "", err
	}
	if c.found.Installation == nil && c.found.PAN == nil {
		return "", fmt.Errorf("%w: the database %s remembers no keys", ErrNotInitialized, p)
	}
	mine := c.installation()
	return fmt.Sprintf("%s, keyset %s, PIN key %s", mine.Environment, mine.Keyset,
		several(mine.PinKey)), nil
}

// belongToProduction is belong for a settings file, which only commands of production read.
func (p Place) belongToProduction(
	ctx context.Context, settings vault.Settings,
) (string, error) {
	environment, err := p.environment()
	if err != nil {
		return "", err
	}
	if environment != store.Production {
		return "", fmt.Errorf("the database %s belongs to a %s, which serve refuses",
			p, environment)
	}
	return p.belong(ctx, settings)
}

// holder names the process that serves from the embedded database; empty when there is none. It
// takes a shared lock for a moment.
func (p Place) holder() (string, error) {
	path, err := p.lockFile()
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
