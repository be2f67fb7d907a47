package importer

import (
	"fmt"
	"path"
	"strings"
	"time"

	"mintmark/internal/domain/audit"
)

// File identifies an imported file in the audit log.
type File struct {
	Name   string
	Digest string // SHA-256
}

// Entry returns the audit entry of the file itself: the person, the file and the counts. A run has
// one entry at its beginning, too (done is false), because a run that breaks off must leave a
// trace.
func (f File) Entry(
	act string, who audit.Actor, at time.Time, counts string, accepted []string, done bool,
) audit.Entry {
	state, destructive := "", ""
	if !done {
		state = "begun: "
	}
	if len(accepted) > 0 {
		destructive = ", accepted " + strings.Join(accepted, " ")
	}
	return audit.Entry{
		At: at, Actor: who, Act: act,
		Subject: audit.Subject{Kind: audit.LoadedFile, ID: f.Digest},
		Outcome: fmt.Sprintf("%s sha256:%s %s%s%s", path.Base(f.Name), f.Digest, state, counts,
			destructive),
	}
}
