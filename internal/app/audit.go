package app

import (
	"context"
	"errors"
	"os"
	"time"

	"mintmark/internal/auditlog"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/event"
	"mintmark/internal/store"
)

// newSealer returns the job that seals the audit.
func (a *App) newSealer() *auditlog.Sealer {
	settings := auditlog.Settings{
		Node: a.node, Keys: a.vault, Clock: a.Clock, Log: a.Log, IsEvent: isEvent,
		OnSealed: a.service.Events.NoteSealed,
	}
	if a.sandbox != nil {
		settings.Rests = a.sandbox.Repeatable
	}
	return auditlog.New(a.store, settings)
}

// isEvent reports whether an audit entry gets an event sequence.
func isEvent(e audit.Entry) bool {
	_, ok := event.TypeOf(e)
	return ok
}

// The job that moves old audit entries to files. A month of a large bank takes long.
const (
	archiveJob    = "archive the audit"
	archiveWithin = 24 * time.Hour
)

// Archives configures which audit entries are moved to files, and where. With the zero value none
// are.
type Archives struct {
	Keep      time.Duration // how long entries stay in the database, at least
	Directory string        // must exist
}

func (s Archives) describe() string {
	if s.Keep == 0 {
		return ""
	}
	return s.Keep.String()
}

// archiveAudit moves the months that are old enough to a file. The audit entry about it names the
// file and the machine, because each node has its own directories.
func (a *App) archiveAudit(ctx context.Context) error {
	if a.Archives.Keep == 0 {
		return nil
	}
	machine, err := os.Hostname()
	if err != nil {
		return err
	}
	archives := auditlog.Archives{
		Directory: a.Archives.Directory, Keep: a.Archives.Keep, Keys: a.vault,
		Put: func(tx store.Tx, moved auditlog.Archived, file string) error {
			by := audit.Actor{
				Kind: audit.Job, Name: archiveJob, Reason: file + " on " + machine,
			}
			return tx.Audit().Put(moved.Entry(tx.Now(), by))
		},
	}
	moved, file, err := archives.Move(ctx, a.store)
	if errors.Is(err, auditlog.ErrNothing) {
		return nil
	}
	if err == nil {
		a.Log.InfoContext(ctx, "audit entries archived", "file", file,
			"first", moved.First, "last", moved.Last)
	}
	return err
}
