// Package reconcile compares what is kept here with a list of somebody else: the cards of a program
// with those of the card processor, and the balances of its accounts with those of the core banking
// system. It owns the form of the lists, says line by line what is wrong with one, and decides what
// agrees, what differs, and what differs only because an order is on its way. What is compared
// comes from package store/reconciled; package issuing keeps the report.
//
//	importer.Rows -> Begin (list.go): the head, the rows, the totals
//	              -> Run (run.go): a sorted merge (merge.go) of the list and what is kept
//	                 -> card.go, account.go: in what two rows differ
package reconcile

import (
	"mintmark/internal/store/reconciled"
)

// MaxDifferences is how many differences of a sort a report keeps. All are counted. A thousand
// cards that a list leaves out do not push aside the stolen one that still works.
const MaxDifferences = 1000

// tally adds up what a comparison finds.
type tally struct {
	reconciled.Counts
	bySort map[reconciled.Sort]int
	kept   []reconciled.Difference
}

// add counts a row that was compared: its differences, and those of them that are explained.
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
