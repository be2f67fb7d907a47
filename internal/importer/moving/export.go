package moving

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"mintmark/internal/auditlog"
	"mintmark/internal/base/version"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/operator"
	"mintmark/internal/importer"
	"mintmark/internal/store"
)

// errAgain ends an export whose snapshot the database has lost.
var errAgain = errors.New("the database ended the snapshot: export again")

// Export writes a program from one snapshot, and then its entries of the sealed audit log.
func Export(
	ctx context.Context, kept store.Store, vault Vault, programID int, to io.Writer,
) (Tallies, error) {
	w := &writer{to: to, counting: make(counting)}
	err := kept.View(ctx, func(r store.Tx) error {
		if w.begun {
			return errAgain
		}
		p, err := r.Programs().Find(programID)
		if err != nil {
			return err
		}
		if err := checkLists(r, programID); err != nil {
			return err
		}
		installation, err := r.Installation().Find()
		if err != nil {
			return err
		}
		if err := w.write(headKind, Head{
			Format: Format, Program: programID, Name: p.Settings.Name,
			Environment: installation.Environment, Keyset: installation.Keyset,
			Version: version.Current().Version, At: r.Now(),
		}); err != nil {
			return err
		}
		s := &source{r: r, vault: vault, program: p}
		for _, k := range kinds {
			err := k.list(s, func(row any) error { return w.write(k.name, row) })
			if err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	part := auditlog.Part{Sees: func(e audit.Entry) bool { return e.ProgramID == programID }}
	err = auditlog.ExportPart(ctx, kept, part, func() io.Writer { return &auditWriter{writer: w} })
	if err != nil && !errors.Is(err, auditlog.ErrEmpty) {
		return nil, err
	}
	tallies := w.counting.tallies()
	return tallies, w.write(endKind, tallies)
}

// checkLists refuses to export a program with an unfinished list of compromised card numbers: lists
// do not move, so their cards would stay usable. A list that waits for a second operator counts
// until its request for approval lapses.
func checkLists(r store.Tx, programID int) error {
	lists, err := r.Compromises().ListOpen()
	for _, l := range lists {
		lapsed := l.State == compromise.Waiting && r.Now().Sub(l.Changed) >= operator.ApprovalLifetime
		if l.ProgramID == programID && !lapsed {
			return fmt.Errorf("compromise %d (%s) is %s, with %d cards left, and would stay behind: export "+
				"when it is done", l.ID, l.Name, l.State, l.Cards-l.Next())
		}
	}
	return err
}

// writer writes lines and counts them.
type writer struct {
	to       io.Writer
	begun    bool
	counting counting
}

func (w *writer) write(kind string, value any) error {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	return w.writeText(kind, bytes.TrimSuffix(text.Bytes(), []byte("\n")))
}

func (w *writer) writeText(kind string, value []byte) error {
	w.begun = true
	w.counting.add(kind, value)
	_, err := fmt.Fprintf(w.to, `{"kind":%q,"value":%s}`+"\n", kind, value)
	return err
}

// auditWriter copies the lines of an audit export unchanged.
type auditWriter struct {
	*writer
	rest []byte // beginning of an unfinished line
}

func (w *auditWriter) Write(text []byte) (int, error) {
	w.rest = append(w.rest, text...)
	for {
		value, rest, ended := bytes.Cut(w.rest, []byte("\n"))
		if !ended {
			return len(text), nil
		}
		if err := w.writeText(auditKind, value); err != nil {
			return 0, err
		}
		w.rest = rest
	}
}

// exportAct is the act of an export in the audit log. No rule of package event turns it into an
// event.
const exportAct = "export program"

// AuditExport stores the audit entry of an exported file.
func AuditExport(
	ctx context.Context, kept store.Store, who audit.Actor, programID int, file importer.File,
	tallies Tallies,
) error {
	return kept.Update(ctx, func(tx store.Tx) error {
		entry := file.Entry(exportAct, who, tx.Now(), tallies.short(), nil, true)
		entry.ProgramID = programID
		return tx.Audit().Put(entry)
	})
}
