package doctor

import (
	"context"

	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/installation"
)

// At returns the patient at a location. Settings is the path of a settings file, empty if only a
// directory is given. BackupFile is a backup to authenticate under the location's keys, or empty.
func At(
	ctx context.Context, l installation.Location, settings, backupFile string,
) (Installation, error) {
	keys, err := l.KeySettings(ctx, 0)
	belong := l.CheckKeys
	if settings != "" {
		belong = l.CheckProductionKeys
	}
	p := Installation{
		Settings: settings, Data: l.Data, File: installation.DatabaseFile, URL: l.Database.URL,
		Exposed: l.Accepted(), Keys: keys, Holder: l.Holder,
		Belong: func(ctx context.Context) (string, error) { return belong(ctx, keys) },
		Signed: func(checkpoint string) error { return l.Signed(keys, checkpoint) },
	}
	if backupFile != "" {
		p.Backup = func(ctx context.Context) (string, error) {
			return backup.Describe(ctx, l, backupFile)
		}
	}
	return p, err
}
