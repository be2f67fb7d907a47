package events

import (
	"context"
	"errors"
	"fmt"
	"io"

	"mintmark/internal/auditlog"
	"mintmark/internal/domain/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit name and outcome of an export of the audit.
const (
	ExportAct = "export audit"
	Exported  = "exported"
)

// AuditExport returns a function that writes the sealed entries of a span in the operator's scope.
// auditlog.Export writes the whole log, auditlog.ExportPart any part of it. The request is recorded
// in the audit. If nothing is sealed yet, AuditExport returns store.ErrNotFound.
func (s *Service) AuditExport(
	ctx context.Context, who issuing.Operator, span issuing.Span,
) (write func(ctx context.Context, to io.Writer) error, err error) {
	if !span.From.IsZero() && !span.To.IsZero() && !span.From.Before(span.To) {
		return nil, issuing.Invalid("to", "must come after from")
	}
	if _, err := s.AuditCheckpoint(ctx); err != nil {
		return nil, err
	}
	reader, err := s.auditReader(ctx, who.Scope)
	if err != nil {
		return nil, err
	}
	err = s.Act(ctx, who, issuing.InInstallation, ExportAct, func(tx *issuing.Tx) error {
		return tx.PutEntry(audit.Entry{
			Subject: audit.Subject{Kind: audit.Log, ID: "log"}, Outcome: Exported,
			After: audit.Members("from", audit.Moment(span.From), "to", audit.Moment(span.To)),
		})
	})
	if err != nil {
		return nil, err
	}
	if who.Scope.All && span == (issuing.Span{}) {
		return func(ctx context.Context, to io.Writer) error {
			return auditlog.Export(ctx, s.Store, to)
		}, nil
	}
	part := auditlog.Part{From: span.From, To: span.To, Sees: reader.mayRead}
	return func(ctx context.Context, to io.Writer) error {
		return auditlog.ExportPart(ctx, s.Store, part, func() io.Writer { return to })
	}, nil
}

// AuditCheckpoint returns the newest checkpoint, a signed note. If nothing is sealed yet, it
// returns store.ErrNotFound.
func (s *Service) AuditCheckpoint(ctx context.Context) (string, error) {
	note, err := auditlog.Checkpoint(ctx, s.Store)
	if errors.Is(err, auditlog.ErrEmpty) {
		err = fmt.Errorf("%w: %w", err, store.ErrNotFound)
	}
	return note, err
}

// AuditProof returns a sealed entry of the operator's scope with the proof that it is in the log.
func (s *Service) AuditProof(
	ctx context.Context, who issuing.Operator, sequence int,
) (auditlog.Proof, error) {
	if _, err := s.AuditEntry(ctx, who, sequence); err != nil {
		return auditlog.Proof{}, err
	}
	proof, err := auditlog.Prove(ctx, s.Store, sequence)
	return proof, err
}

// AuditKey returns the key that verifies checkpoints, as a string.
func (s *Service) AuditKey() string { return s.Vault.LogKey() }
