package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
)

// The media types of the audit.
const (
	plainText = "text/plain; charset=utf-8"
	jsonLines = "application/x-ndjson"
)

// spanned are the filters for a time span.
var spanned = []Field{
	{Name: "from", Label: "From", Help: "Since a moment, such as 2026-03-14T15:09:26Z, or a " +
		"day, such as 2026-03-14"},
	{Name: "to", Label: "To", Help: "Before a moment, or before a day"},
}

func (d *Desk) audit() *Resource {
	return &Resource{
		Noun: "audit", Path: "audit", Item: "audit/{sequence}",
		ID:      Param{Name: "sequence", Help: "Sequence of the entry.", Number: true},
		Nav:     Nav{"Watch", "Audit"},
		Roles:   operator.Roles{operator.Auditor},
		Columns: []string{"sequence", "at", "actor", "act", "subject", "outcome", "reason"},
		Fields: []Field{
			{Name: "id", Label: "Number", On: Shown},
			{Name: "sequence", Label: "Sequence", On: Shown,
				Help: "Place in the log; left out until the entry is sealed."},
			{Name: "at", Label: "At", On: Shown, Help: "The moment of the act."},
			{Name: "actor", Label: "Actor", On: Shown},
			{Name: "address", Label: "Address that the request came from", On: Shown},
			{Name: "act", Label: "Act", On: Shown},
			{Name: "subject", Label: "Subject", On: Shown, Help: "Such as card:5001."},
			{Name: "customerId", Label: "Customer that a caller acted for", On: Shown},
			{Name: "outcome", Label: "Outcome", On: Shown, Help: "Such as done or refused."},
			{Name: "reason", Label: "Reason", On: Shown},
			{Name: "before", Label: "Before", On: Shown, Help: "The members that the act changed."},
			{Name: "after", Label: "After", On: Shown, Help: "The same members after the act."},
		},
		List: list(Op{
			Summary: "List entries of the audit, the newest first",
			Example: "mintmark audit list --subject card:5001 --from 24h",
			Filters: append([]Field{
				{Name: "subject", Label: "Subject",
					Help: "Subject of the entry, such as card:5001 or card 5001"},
				{Name: "actor", Label: "Actor",
					Help: "A name, or a kind and a name, such as operator:anna"},
				{Name: "act", Label: "Act",
					Help: "Or a part of it, such as lock, or several: hotlist,lostOrStolen"},
				{Name: "outcome", Label: "Outcome", Help: "Or its beginning, such as changed, refused or declined"},
				{Name: "reason", Label: "Reason", Help: "A part of the reason that was given, or " +
					"why a transfer was declined, such as limit"},
				{Name: "withoutReads", Label: "Reads", Help: "Leave out what was only read",
					Any: "Included", Choices: []Choice{{Value: "true", Label: "Excluded"}}},
				{Name: "programId", Label: "Program", Help: "Of a program"},
			}, spanned...),
		}, d.listAudit),
		CollectionActs: []*Op{
			download(Op{
				Name: "export", Summary: "Export the sealed log, the checkpoint last",
				Filters: spanned,
			}, jsonLines, d.exportAudit),
			download(Op{
				Name: "checkpoint", Summary: "Read the newest checkpoint, a signed note",
			}, plainText, d.checkpoint),
			download(Op{
				Name: "key", Summary: "Read the key that checkpoints are verified with",
			}, plainText, d.auditKey),
		},
		Show: get(Op{Summary: "Read a sealed entry", Example: "mintmark audit get 17"},
			d.auditEntry),
		Acts: []*Op{
			get(Op{
				Name: "proof", Summary: "Read a sealed entry with the proof that it is in the log",
			}, d.auditProof),
		},
	}
}

func (d *Desk) listAudit(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Entry, string, error) {
	span := c.span()
	q := events.AuditQuery{
		ProgramID: c.number("programId"), From: span.From, To: span.To, Act: c.query.Get("act"),
		Outcome: c.query.Get("outcome"), Reason: c.query.Get("reason"),
		WithoutReads: c.flag("withoutReads"),
	}
	if text := c.query.Get("subject"); text != "" {
		kind, id, named := strings.Cut(text, ":")
		if !named {
			kind, id, named = strings.Cut(text, " ")
		}
		switch {
		case !named && strings.Trim(text, "0123456789") == "":
			return nil, "", invalidQuery("subject", "must also say of what kind, such as card "+text)
		case !named || kind == "" || id == "":
			return nil, "", invalidQuery("subject", "must be a kind and a name, such as card 5001")
		}
		q.Subject = audit.Subject{Kind: parseSubjectKind(kind), ID: id}
	}
	q.Kind, q.Actor = parseActor(c.query.Get("actor"))
	return convertAll(entryOf)(d.acts.Events.AuditEntries(ctx, c.who, q, page))
}

// parseSubjectKind parses a subject kind, ignoring case.
func parseSubjectKind(name string) audit.SubjectKind {
	for _, kind := range audit.SubjectKinds {
		if strings.EqualFold(name, string(kind)) {
			return kind
		}
	}
	return audit.SubjectKind(name)
}

// parseActor parses an actor's name, which may have the actor's kind and a colon before it.
func parseActor(text string) (audit.Kind, string) {
	before, name, both := strings.Cut(text, ":")
	kind := audit.Kind(strings.ToLower(before))
	switch kind {
	case audit.APIKey, audit.Operator, audit.ByToken, audit.Processor, audit.Job,
		audit.CommandLine:
		if both {
			return kind, name
		}
	}
	return "", text
}

func entryOf(e issuing.AuditEntry) wire.Entry {
	entry := wire.Entry{
		ID: e.Row, Sequence: e.Sequence, At: e.At,
		Actor: wire.Actor{
			Kind: string(e.Kind), ID: e.Actor.ID, Name: e.Name, KeyName: e.KeyLabel,
		},
		Address: e.Address, RequestID: e.RequestID, Act: e.Act,
		ProgramID: e.ProgramID, BankID: e.BankID, CustomerID: e.CustomerID,
		Outcome: e.Outcome, Reason: e.Reason,
		Before: shownState(e.Before), After: shownState(e.After),
	}
	if (e.Subject != audit.Subject{}) {
		entry.Subject = string(e.Subject.Kind) + ":" + e.Subject.ID
	}
	return entry
}

// shownState returns a state as JSON. Damaged text becomes a JSON string.
func shownState(text string) json.RawMessage {
	if text == "" || json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return nil
	}
	return quoted
}

func (d *Desk) auditEntry(ctx context.Context, c *call) (wire.Entry, error) {
	return convert(entryOf)(d.acts.Events.AuditEntry(ctx, c.who, c.id("sequence")))
}

func (d *Desk) auditProof(ctx context.Context, c *call) (wire.Proof, error) {
	p, err := d.acts.Events.AuditProof(ctx, c.who, c.id("sequence"))
	if err != nil {
		return wire.Proof{}, err
	}
	entry, err := p.Entry.Append(nil)
	if err != nil {
		return wire.Proof{}, err
	}
	proof := wire.Proof{
		Entry: entry, Index: int(p.Index), Size: int(p.Size), Hashes: []string{},
		Checkpoint: p.Checkpoint,
	}
	for _, hash := range p.Hashes {
		proof.Hashes = append(proof.Hashes, hash.String())
	}
	return proof, nil
}

func (d *Desk) checkpoint(ctx context.Context, _ *call) (web.Response, error) {
	note, err := d.acts.Events.AuditCheckpoint(ctx)
	return web.Response{Body: []byte(note)}, unsealedProblem(err)
}

// unsealedProblem returns the problem of a log without sealed entries.
func unsealedProblem(err error) error {
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	p := web.NotFound()
	p.Detail = "Nothing of the log is sealed yet."
	return p
}

func (d *Desk) auditKey(context.Context, *call) (web.Response, error) {
	return web.Response{Body: []byte(d.acts.Events.AuditKey() + "\n")}, nil
}

// exportAudit streams the log for as long as the client reads. A failed export lacks its last line,
// the checkpoint, and its connection is aborted.
func (d *Desk) exportAudit(ctx context.Context, c *call) (web.Response, error) {
	write, err := d.acts.Events.AuditExport(ctx, c.who, c.span())
	if err != nil {
		return web.Response{}, unsealedProblem(err)
	}
	request := c.request.Sender.WithoutDeadline()
	return web.Response{Stream: func(to io.Writer) {
		if err := write(request, web.WithRenewedDeadline(to)); err != nil {
			panic(http.ErrAbortHandler)
		}
	}}, nil
}
