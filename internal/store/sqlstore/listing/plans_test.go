package listing

import (
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/plantest"
)

// TestPlans holds that each source of a list reads what it needs, and by the index that is there
// for it.
func TestPlans(t *testing.T) {
	t.Parallel()
	const numbered = "SEARCH c USING INTEGER PRIMARY KEY"
	uses := map[string]string{
		newest:        numbered,
		byCreator:     "cards_customer",
		byHolder:      "cards_holder",
		byTag:         "cards_tag",
		byStatus:      "cards_by_status",
		byLock:        "autoindex_locked_cards_1 (program_id=? AND card_id<?)",
		countByStatus: "COVERING INDEX cards_by_status",
		countLocked:   "autoindex_locked_cards_1 (program_id=?)",

		findSummaries + "($1, $2)": numbered + " (rowid=?)",

		listUnpacked:   numbered,
		listLate:       numbered + " (rowid=?)",
		listLateCards:  numbered + " (rowid=?)",
		listSettled:    numbered,
		listBlocks:     "card_texts",
		listCustomers:  "customers",
		listAccountsOf: "accounts_customer",
	}
	of := plantest.Queries{
		Small:   []string{"late_cards"},
		Control: `SELECT card_id FROM cards WHERE nickname = $1`,
	}
	for text := range uses {
		of.Texts = append(of.Texts, text)
	}
	for text, steps := range plantest.Check(t, of) {
		if !strings.Contains(steps, uses[text]) {
			t.Errorf("the plan has no %s:\n%s\n%s", uses[text], steps, text)
		}
		if strings.Contains(steps, "TEMP B-TREE") {
			t.Errorf("the database sorts:\n%s\n%s", steps, text)
		}
	}
}
