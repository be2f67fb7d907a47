package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"mintmark/internal/base/progress"
	"mintmark/internal/cli"
	"mintmark/internal/operate/sealedlog"
)

// localOrRemoteHelp begins the help of a command that works both on this machine and over the
// network.
const localOrRemoteHelp = "With --data or --config it reads the database on this machine; otherwise it " +
	"asks a service.\n\n"

// auditByHand holds the commands of auditors that also work on the machine itself. docs/audit.md
// explains their purpose.
type auditByHand struct {
	Verify     auditVerifyCommand     `cmd:"" help:"Rebuild the sealed log from its entries, and name the first bad one."`
	Checkpoint auditCheckpointCommand `cmd:"" help:"Print the newest checkpoint, a signed note to keep elsewhere."`
	Key        auditKeyCommand        `cmd:"" help:"Print the key that checkpoints are verified with."`
	Proof      auditProofCommand      `cmd:"" help:"Print an entry with the proof that it is in the log."`
	Export     auditExportCommand     `cmd:"" help:"Print the sealed log, an entry a line, the checkpoint last."`
	Archive    auditArchiveCommand    `cmd:"" help:"Move old entries to a file that still verifies."`
}

// auditVerifyCommand verifies the log in a database, or in exports and archives without one.
type auditVerifyCommand struct {
	place
	Checkpoint []string `type:"existingfile" help:"Checkpoint that was kept elsewhere. May be repeated."`
	Archive    []string `type:"existingfile" help:"Archive file with entries that the database does not hold. May be repeated."`
	Backup     []string `type:"existingfile" help:"Backup to authenticate and to compare with the log. May be repeated."`
	Export     []string `type:"existingfile" help:"Verify this export, without a database. Name archives before it, in order."`
	Key        string   `type:"existingfile" help:"Key of the log, for --export."`
}

func (auditVerifyCommand) Help() string {
	return "The exit code is 1 when anything was changed, removed, added or moved.\n\n" +
		"mintmark audit verify --data DIR --checkpoint note-of-january.txt\n\n" +
		"mintmark audit verify --export audit.jsonl --key audit-key.txt"
}

func (a auditVerifyCommand) Run(ctx context.Context, c console) error {
	files := sealedlog.Files{
		Checkpoints: a.Checkpoint, Archives: a.Archive, Backups: a.Backup, Exports: a.Export,
		Key: a.Key,
	}
	ctx, end := c.progress(ctx, "entries")
	report, err := a.verify(ctx, files)
	end()
	if err != nil {
		return err
	}
	if err := report.Err(); err != nil {
		return err
	}
	if report.Part {
		fmt.Fprintf(c.out, "Entries as they were sealed: %d of a part of the log. Entries missing "+
			"from a part cannot be found.\n", report.Entries)
	} else {
		fmt.Fprintf(c.out, "%d entries are as they were sealed.\n", report.Entries)
	}
	if report.Archived > 0 {
		fmt.Fprintf(c.out, "%d of them are archived, and were verified by their hashes alone; "+
			"--archive FILE verifies the entries.\n", report.Archived)
	}
	if report.Undigested > 0 {
		fmt.Fprintf(c.out, "%d have no digest, because an earlier version wrote them; the last is "+
			"entry %d.\n", report.Undigested, report.LastUndigested)
	}
	if report.Waiting > 0 {
		fmt.Fprintf(c.out, "%d more wait to be sealed, the oldest since %s.\n", report.Waiting,
			report.Oldest.UTC().Format(time.RFC3339))
	}
	fmt.Fprint(c.out, report.Checkpoint)
	return nil
}

func (a auditVerifyCommand) verify(
	ctx context.Context, files sealedlog.Files,
) (*sealedlog.Report, error) {
	if len(files.Exports) == 0 {
		at, err := a.where()
		if err != nil {
			return nil, err
		}
		return sealedlog.Verify(ctx, at, files)
	}
	if a.Key == "" || len(a.Archive)+len(a.Backup) > 0 || a.Data != "" || a.Config != "" {
		return nil, errors.New("--export needs --key and no database; name archives with " +
			"--export, too")
	}
	return sealedlog.VerifyExport(files)
}

type auditCheckpointCommand struct {
	place
	cli.AuditNote
}

func (auditCheckpointCommand) Help() string {
	return localOrRemoteHelp + "mintmark audit checkpoint --data DIR > note.txt\n\n" +
		"mintmark audit checkpoint"
}

func (a auditCheckpointCommand) Run(ctx context.Context, c console) error {
	if a.elsewhere() {
		return a.Checkpoint(ctx, c.terminal())
	}
	at, err := a.where()
	if err != nil {
		return err
	}
	text, err := sealedlog.Checkpoint(ctx, at)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(c.out, text)
	return err
}

type auditKeyCommand struct {
	place
	cli.AuditNote
}

func (auditKeyCommand) Help() string {
	return localOrRemoteHelp + "mintmark audit key --data DIR > audit-key.txt\n\nmintmark audit key"
}

func (a auditKeyCommand) Run(ctx context.Context, c console) error {
	if a.elsewhere() {
		return a.AuditNote.Key(ctx, c.terminal())
	}
	at, err := a.where()
	if err != nil {
		return err
	}
	key, err := sealedlog.Key(ctx, at)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, key)
	return err
}

type auditProofCommand struct {
	place
	cli.Remote
	Sequence int `arg:"" help:"Sequence of the entry."`
}

func (auditProofCommand) Help() string {
	return localOrRemoteHelp + "mintmark audit proof --data DIR 17\n\nmintmark audit proof 17"
}

func (a auditProofCommand) Run(ctx context.Context, c console) error {
	if a.elsewhere() {
		return a.Proof(ctx, c.terminal(), a.Sequence)
	}
	at, err := a.where()
	if err != nil {
		return err
	}
	proof, err := sealedlog.Prove(ctx, at, a.Sequence)
	if err != nil {
		return err
	}
	return c.printJSON(proof)
}

type auditExportCommand struct {
	place
	cli.AuditExport
}

func (auditExportCommand) Help() string {
	return localOrRemoteHelp + "mintmark audit export --data DIR > audit.jsonl\n\n" +
		"mintmark audit export --from 30d"
}

func (a auditExportCommand) Run(ctx context.Context, c console) error {
	if a.elsewhere() {
		return a.AuditExport.Run(ctx, c.terminal())
	}
	at, err := a.where()
	if err != nil {
		return err
	}
	if !progress.IsTerminal(c.out) {
		var end func()
		ctx, end = c.progress(ctx, "entries")
		defer end()
	}
	out := bufio.NewWriter(c.out)
	if err := sealedlog.Export(ctx, at, out); err != nil {
		return err
	}
	return out.Flush()
}

type auditArchiveCommand struct {
	place
	Before string `required:"" help:"Entries that were sealed before this day, or moment (RFC 3339), UTC." placeholder:"2026-01-31"`
	Out    string `required:"" type:"path" help:"Archive file, which must not exist."`
}

func (auditArchiveCommand) Help() string {
	return "The log is verified first, and the file before anything is removed. Keep the file: " +
		"it is the only copy of its entries.\n\n" +
		"mintmark audit archive --data DIR --before 2026-01-01 --out audit-2025.jsonl"
}

func (a auditArchiveCommand) Run(ctx context.Context, c console) error {
	before, err := moment(a.Before)
	if err != nil {
		return err
	}
	at, err := a.where()
	if err != nil {
		return err
	}
	if _, err := os.Lstat(a.Out); err == nil {
		return fmt.Errorf("%s exists", a.Out)
	}
	ctx, end := c.progress(ctx, "entries")
	first, last, err := sealedlog.Archive(ctx, at, before, a.Out)
	end()
	if err != nil {
		return err
	}
	fmt.Fprintf(c.out, "Entries %d to %d are in %s, and no longer in the database.\n",
		first, last, a.Out)
	return nil
}

// moment parses a time (RFC 3339), or a day, which begins at midnight UTC.
func moment(text string) (time.Time, error) {
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fmt.Errorf("--before: %q is neither a date nor a time (RFC 3339)", text)
	}
	return at, nil
}
