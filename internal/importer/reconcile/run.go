package reconcile

import (
	"context"

	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

// pageRows is the number of cards or accounts that are read in one snapshot.
const pageRows = 512

// Run compares a list with the store, without writing. Each page is read from a separate snapshot.
// An invalid list is an *importer.Problems. Digits is the number of fraction digits that the
// program shows.
func Run(ctx context.Context, kept store.Viewer, l *List, digits int) (reconciled.Report, error) {
	t := &tally{bySort: make(map[reconciled.DifferenceKind]int)}
	var err error
	if l.Kind == reconciled.Balances {
		err = t.balances(ctx, kept, l, digits)
	} else {
		err = t.cards(ctx, kept, l)
	}
	if err != nil {
		return reconciled.Report{}, err
	}
	return reconciled.Report{
		ProgramID: l.ProgramID, Kind: l.Kind, At: l.At, Counts: t.Counts, BySort: t.bySort,
		Differences: t.kept,
	}, nil
}

func (t *tally) cards(ctx context.Context, kept store.Viewer, l *List) error {
	here := paged(func(after int) ([]reconciled.Card, error) {
		return store.ViewOf(ctx, kept, func(r store.Tx) ([]reconciled.Card, error) {
			return r.Reconciliations().ListCards(l.ProgramID, after, pageRows, l.At)
		})
	}, func(c reconciled.Card) int { return c.ID })
	return merged(l.cards(), here,
		func(c Card) int { return c.ID }, func(c reconciled.Card) int { return c.ID },
		func(there *Card, here *reconciled.Card) {
			if differences, explained, compared := compareCards(there, here, l.At); compared {
				t.add(differences, explained)
			}
		})
}

func (t *tally) balances(ctx context.Context, kept store.Viewer, l *List, digits int) error {
	here := paged(func(after int) ([]reconciled.Account, error) {
		return store.ViewOf(ctx, kept, func(r store.Tx) ([]reconciled.Account, error) {
			return r.Reconciliations().ListAccounts(l.ProgramID, after, pageRows)
		})
	}, func(a reconciled.Account) int { return a.ID })
	return merged(l.balances(), here,
		func(a Account) int { return a.ID }, func(a reconciled.Account) int { return a.ID },
		func(there *Account, here *reconciled.Account) {
			differences, explained, compared := compareAccounts(there, here, l.At, digits)
			if compared {
				t.add(differences, explained)
			}
		})
}
