package app

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/overview"
	"mintmark/internal/operate/backup"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testinstall"
	"mintmark/internal/testkit/testrun"
)

// startProduction starts a new production installation with a clock that the test moves.
func startProduction(t *testing.T) *App {
	t.Helper()
	location := installation.Location{Data: filepath.Join(t.TempDir(), "data")}
	testinstall.Init(t, location)
	return startAt(t, location, func(s *Settings) { s.Clock = clock.New(clock.Setting{}) })
}

// startAt starts a server on a production installation, with archives of the audit log.
func startAt(t *testing.T, location installation.Location, change ...func(*Settings)) *App {
	t.Helper()
	settings := Settings{
		Data: location.Data, Database: location.Database,
		Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0",
		PublicURL: "https://cards.example.com",
		Archives: Archives{
			Keep: 90 * 24 * time.Hour, Directory: filepath.Join(t.TempDir(), "archives"),
		},
	}
	for _, apply := range change {
		apply(&settings)
	}
	running := start(t, settings)
	t.Cleanup(func() { stop(t, running) })
	return running
}

// TestArchivesOfAServer runs the job that archives the audit log. Without its directory it must
// fail and remove nothing; with it, the audit entry about the archive must name the file and the
// machine.
func TestArchivesOfAServer(t *testing.T) {
	t.Parallel()
	testinstall.OnBothDatabases(t, func(w testinstall.Installation) {
		t := w.T
		running := startAt(t, w.Location)
		if err := running.sealer.SealAll(t.Context()); err != nil {
			t.Fatal(err)
		}
		testrun.Within(t, "the job has run", func() bool { return archived(t, running) })
		if err := running.archiveAudit(t.Context()); err != nil {
			t.Fatalf("nothing is old enough: %v", err)
		}
		w.Exec(`UPDATE sealed_batches SET sealed_at = 1`)
		if err := running.archiveAudit(t.Context()); !errors.Is(err, os.ErrNotExist) {
			t.Fatalf("without its directory: %v", err)
		}
		if err := os.Mkdir(running.Archives.Directory, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := running.archiveAudit(t.Context()); err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(running.Archives.Directory, "*"))
		if err != nil || len(files) != 1 {
			t.Fatalf("the directory holds %q, error %v", files, err)
		}
		machine, _ := os.Hostname()
		err = running.store.View(t.Context(), func(r store.Tx) error {
			entries, err := r.Trail().List(store.TrailQuery{Actor: archiveJob, Limit: 10})
			if len(entries) != 1 || entries[0].Actor.Kind != audit.Job ||
				entries[0].Actor.Reason != files[0]+" on "+machine {
				t.Errorf("the entries of the job are %+v", entries)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// archived reports whether the server's own run of the job is done; the next is due in an hour.
func archived(t *testing.T, running *App) bool {
	t.Helper()
	backlog, err := running.service.Overview.Backlog(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(backlog.Jobs, func(j store.JobState) bool {
		return j.Name == archiveJob && j.Done
	})
}

// TestBackupIsWatched checks the time of the newest backup in the metrics: before the first, it is
// the creation of the installation. A sandbox shows none.
func TestBackupIsWatched(t *testing.T) {
	t.Parallel()
	running := startProduction(t)
	shown := func() float64 { return shownBackup(t, running) }
	shownTime := shown()
	if age := float64(time.Now().Unix()) - shownTime; age < -1 || age > 600 {
		t.Errorf("a new installation seems to have no backup for %v seconds", age)
	}
	running.Clock.Advance(time.Minute)
	enter := func(act string) {
		err := running.store.Update(t.Context(), func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: tx.Now(), Actor: installation.Person(), Act: act, Outcome: "done",
				Subject: audit.Subject{
					Kind: audit.Installation, ID: running.installation.Keyset,
				},
			})
		})
		if err != nil {
			t.Fatal(err)
		}
		running.Clock.Advance(time.Minute)
	}
	enter(backup.Act)
	newest := shown()
	if newest <= shownTime {
		t.Errorf("a backup leaves %v, which was %v", newest, shownTime)
	}
	enter("restore")
	if now := shown(); now != newest {
		t.Errorf("a restore counts as a backup: %v, which was %v", now, newest)
	}
	if lacksBackup(t, running) {
		t.Error("the overview misses a backup that was just made")
	}
	running.Clock.Advance(49 * time.Hour)
	if !lacksBackup(t, running) {
		t.Error("the overview does not name an old backup")
	}
	sandbox := start(t, sandboxIn(dataDir(t)))
	defer stop(t, sandbox)
	sandbox.Clock.Advance(49 * time.Hour)
	if strings.Contains(scrape(t, sandbox), "mintmark_backup") || lacksBackup(t, sandbox) {
		t.Error("a sandbox shows backups")
	}
}

// lacksBackup reports whether the overview shows an old backup.
func lacksBackup(t *testing.T, running *App) bool {
	t.Helper()
	all := operator.Scope{All: true}
	o, err := running.service.Overview.Overview(
		t.Context(), issuing.Operator{Scope: all}, operator.Identity{Scope: all}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(o.Attention, func(a overview.Attention) bool {
		return a.Kind == overview.OldBackup
	})
}

// shownBackup returns the time of the newest backup in the metrics.
func shownBackup(t *testing.T, running *App) float64 {
	t.Helper()
	match := regexp.MustCompile(`(?m)^mintmark_backup_timestamp_seconds (\S+)$`).
		FindStringSubmatch(scrape(t, running))
	if match == nil {
		t.Fatal("no backup is shown")
	}
	seconds, err := strconv.ParseFloat(match[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return seconds
}

// TestBackupIsWatchedAfterRetire rotates the digest key, which changes the record of the
// installation: a server must still find the entries about it and about backups.
func TestBackupIsWatchedAfterRetire(t *testing.T) {
	t.Parallel()
	w := testinstall.New(t, "")
	if _, err := installation.RotateDigestKey(t.Context(), w.Location); err != nil {
		t.Fatal(err)
	}
	w.Exec(`UPDATE number_digests SET changed_at = changed_at - 60000`)
	if err := installation.RetireDigestKey(t.Context(), w.Location, 0); err != nil {
		t.Fatal(err)
	}
	running := startAt(t, w.Location)
	before := shownBackup(t, running)
	if before == 0 {
		t.Error("without a backup the moment of the installation is not shown")
	}
	_, err := backup.Create(t.Context(), w.Location, filepath.Join(t.TempDir(), "a.backup"))
	if err != nil {
		t.Fatal(err)
	}
	if newest := shownBackup(t, running); newest <= before {
		t.Errorf("a backup leaves %v, which was %v", newest, before)
	}
}
