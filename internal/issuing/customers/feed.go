package customers

import (
	"context"

	"mintmark/internal/importer"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Feed applies the rows of a core banking system to a program of the operator's scope. It takes
// turns with the requests of this process and of others: see package feed. A dry run reports each
// change.
func (s *Service) Feed(
	ctx context.Context, who issuing.Operator, file *importer.Rows, accept []string,
	tell func(feed.Change),
) (*feed.Report, error) {
	return feed.Run(ctx, s.Store, file, feed.Options{
		Actor: who.Actor, Accept: accept, InServer: s.OneWriter, DryRun: who.DryRun, Tell: tell,
		Admit: func(programID int) error {
			_, err := s.ProgramInScope(ctx, who, programID)
			return err
		},
	})
}

// Feeds returns the progress of each source that feeds a program of the operator's scope.
func (s *Service) Feeds(
	ctx context.Context, who issuing.Operator, programID int, page issuing.Page,
) (feeds []store.Feed, last string, err error) {
	err = s.View(ctx, who, programID, func(r store.Tx) error {
		feeds, err = r.Feeds().List(programID)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	feeds, last = issuing.PageBy(feeds, page, page.After,
		func(f store.Feed) string { return f.Source })
	return feeds, last, nil
}
