package cli

import "context"

// AuditExport exports the sealed log of a service.
type AuditExport struct {
	Remote
	From string `placeholder:"MOMENT" help:"From a moment (RFC 3339), a day, or so long ago, such as 30d. Only with a service." group:"Filter"`
	To   string `placeholder:"MOMENT" help:"Until a moment. Only with a service." group:"Filter"`
}

// Run prints the log line by line, regardless of --output.
func (a AuditExport) Run(ctx context.Context, t Terminal) error {
	from, err := moment("--from", a.From)
	if err != nil {
		return err
	}
	to, err := moment("--to", a.To)
	if err != nil {
		return err
	}
	return a.copy(ctx, t, pathOf("audit/export", query("from", from, "to", to)))
}

// AuditNote prints what an auditor stores elsewhere: a checkpoint, or the key of the log.
type AuditNote struct{ Remote }

// Checkpoint prints the newest checkpoint of a service, a signed note.
func (a AuditNote) Checkpoint(ctx context.Context, t Terminal) error {
	return a.text(ctx, t, "audit/checkpoint")
}

// Key prints the key of the log of a service.
func (a AuditNote) Key(ctx context.Context, t Terminal) error { return a.text(ctx, t, "audit/key") }

// text prints a plain-text response.
func (a AuditNote) text(ctx context.Context, t Terminal, path string) error {
	answer, err := a.ask(ctx, pathOf(path, nil))
	if err != nil {
		return err
	}
	if a.Output == "json" {
		return printJSON(t.Out, string(answer.Body))
	}
	_, err = t.Out.Write(answer.Body)
	return err
}

// Proof prints an entry with the proof that it is in the log of a service.
func (r Remote) Proof(ctx context.Context, t Terminal, sequence int) error {
	r.Output = "json" // a proof is for programs
	return r.get(ctx, t, path("audit", sequence, "proof"))
}
