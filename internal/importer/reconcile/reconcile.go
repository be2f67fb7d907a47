// Package reconcile compares the store with a list from another system: the cards of a program with
// those of the card processor, and the balances of its accounts with those of the core banking
// system. It owns the format of the lists, reports their problems line by line, and decides what
// agrees, what differs, and what differs only because an order is on its way. The data to compare
// comes from package store/reconciled; package issuing stores the report.
//
//	importer.Rows -> Begin (list.go): the head, the rows, the totals
//	              -> Run (run.go): a sorted merge (merge.go) of the list and the store
//	                 -> card.go, account.go: the differences of two rows
package reconcile

import (
	"mintmark/internal/store/reconciled"
)

// MaxDifferences is the maximum number of listed differences of a sort; all are counted. The limit
// is per sort so that a thousand cards missing from a list do not displace the stolen one that
// still works.
const MaxDifferences = 1000

// tally adds up the results of a comparison.
type tally struct {
	reconciled.Counts
	bySort map[reconciled.DifferenceKind]int
	kept   []reconciled.Difference
}

// add counts a compared row by its unexplained and explained differences.
func (t *tally) add(differences, explained []reconciled.Difference) {
	t.Compared++
	switch {
	case len(differences) > 0:
		t.Different++
	case len(explained) > 0:
		t.InFlight++
	default:
		t.Equal++
	}
	for _, difference := range differences {
		t.bySort[difference.Sort]++
		if t.bySort[difference.Sort] <= MaxDifferences {
			t.kept = append(t.kept, difference)
		}
	}
}
