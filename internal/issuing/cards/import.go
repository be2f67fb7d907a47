package cards

import (
	"context"

	"mintmark/internal/importer"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing"
)

const importCardsAct = "import cards"

// ImportCards imports the cards of a file into a program of the operator's scope, each with its old
// number. A file needs a second operator if the program demands one: the report that is returned
// with issuing.ErrNeedsApproval identifies the file.
func (s *Service) ImportCards(
	ctx context.Context, who issuing.Operator, file *importer.Rows, accept []string,
) (*feed.Report, error) {
	return feed.ImportCards(ctx, s.Store, file, s.Vault, feed.Options{
		Actor: who.Actor, Accept: accept, InServer: s.OneWriter, DryRun: who.DryRun,
		Admit: func(programID int) error {
			_, err := s.ProgramInScope(ctx, who, programID)
			return err
		},
		Guard: func(of feed.Head) error {
			return s.Act(ctx, who, issuing.InProgram(of.ProgramID), importCardsAct,
				(*issuing.Tx).Guard)
		},
	})
}

// BeginImport allows a file that a second operator has approved to be applied, once it is sent
// again.
func (s *Service) BeginImport(
	ctx context.Context, who issuing.Operator, of feed.Head, digest string, accept []string,
) error {
	return s.Act(ctx, who, issuing.InProgram(of.ProgramID), importCardsAct,
		issuing.Guarded(func(tx *issuing.Tx) error { return feed.Begin(tx, of, digest, accept) }))
}
