package app

import (
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/digests"
	"mintmark/internal/operate/backup"
	"mintmark/internal/store"
)

var backupMade = describe("backup_timestamp_seconds",
	"When the newest backup was made; without one, when the installation was made; "+
		"0 if the audit knows of neither.")

// installationEntries is how many entries about the installation are examined. Few of them are not
// about backups.
const installationEntries = 50

// lastBackup returns the time of the newest backup in the audit. Before the first backup that is
// the time of the installation, so that an installation that never gets a backup is noticed, too.
// It is zero when the audit no longer has either.
func (a *App) lastBackup(r store.Tx) (at time.Time, err error) {
	entries, err := r.Trail().List(store.TrailQuery{
		Subject: audit.Subject{
			Kind: audit.Installation, ID: digests.Fingerprint(a.installation.Keyset),
		},
		Limit: installationEntries,
	})
	for _, e := range entries { // newest first
		at = e.At
		if e.Act == backup.Act {
			break
		}
	}
	return at, err
}
