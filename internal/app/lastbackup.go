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

// installationEntries is how many entries about the installation are looked at. There are few
// others than those about backups.
const installationEntries = 50

// lastBackup finds when the newest backup was made by the audit. Before the first backup it is the
// moment of the installation, so that one that never gets a backup is noticed, too; zero when the
// audit knows of neither any more.
func (a *App) lastBackup(r store.Tx) (at time.Time, err error) {
	entries, err := r.Trail().List(store.TrailQuery{
		Subject: audit.Subject{
			Kind: audit.Installation, ID: digests.Fingerprint(a.installation.Keyset),
		},
		Limit: installationEntries,
	})
	for _, e := range entries { // the newest first
		at = e.At
		if e.Act == backup.Act {
			break
		}
	}
	return at, err
}
