package sqlstore

import (
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/plantest"
	"mintmark/internal/store/sqlstore/sqlite"
)

// TestPlans checks that no query of a request scans a whole table.
func TestPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findViewByID, findViewByTag, findViewByTags, listByCustomer,
			findCard, listUnverified, listAttempts,
			findIssuance, findNamesTaken, findTaken,
			findStanding, findCreator, findCustomer, findAccountFor, findAccess,
			findProgram, findIssuing, listProgramPciKeys, listBins,
			hasPAN, hasPANOfEach, findPAN, findRecord,
			listDocuments, measureInForce, listInForce, findDocument,
		},
		// No index covers the nickname alone.
		Control: `SELECT card_id FROM cards WHERE nickname = $1`,
	})
	// Unverified cards are few, and their partial index holds no others.
	if waiting := plans[listUnverified]; !strings.Contains(waiting, "cards_unverified") {
		t.Errorf("cards that wait are found in another way:\n%s", waiting)
	}
	if byTags := plans[findViewByTags]; !strings.Contains(byTags, "cards_tag") {
		t.Errorf("a card is found by one of two tags in another way:\n%s", byTags)
	}
	// In these rows the forms come before the dates, and must not be read.
	const dated = "INDEX documents_in_force (bank_id=? AND effective_at<?)"
	if inForce := plans[listInForce]; strings.Count(inForce, dated) != 2 {
		t.Errorf("documents in force are found in another way:\n%s", inForce)
	}
}

// TestCardNumberPlans checks that the job finds the rest of a rotation without scanning the numbers
// of all cards.
func TestCardNumberPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{findDigestState, updateDigestState, listUndigested, putSecondDigest,
			moveSecondDigests},
		Small:   []string{"card_numbers_second"}, // it holds only what is left to move
		Control: `SELECT card_id FROM card_numbers WHERE second_digest IS NULL`,
	})
	if plan := plans[moveSecondDigests]; !strings.Contains(plan, "card_numbers_second") {
		t.Errorf("what is left to be moved is found in another way:\n%s", plan)
	}
}

// TestApprovalPlans checks that console pages and requests read approvals by an index: approvals
// are stored for months.
func TestApprovalPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findApproval, listApprovals, listApprovalsWaiting, listApprovalsOfOwner, endApproval,
			listApprovalsWaitingOfBank, deleteApprovalResults,
			deleteApprovals, findOperatorAnswer, updateOperatorAnswer, deleteOperatorAnswers,
		},
		Control: `SELECT approval_id FROM approvals WHERE state = $1`,
	})
	for query, index := range map[string]string{
		listApprovalsWaiting: "approvals_waiting", listApprovalsOfOwner: "approvals_owner",
		deleteApprovals: "approvals_lapses", listApprovalsWaitingOfBank: "approvals_waiting",
	} {
		if !strings.Contains(plans[query], index) {
			t.Errorf("%s is not read:\n%s", index, plans[query])
		}
	}
}

// TestDuePlans checks that the queries of jobs use the indexes made for them.
func TestDuePlans(t *testing.T) {
	t.Parallel()
	statements := map[string]string{
		findJob: "sqlite_autoindex_jobs", listExpiringCards: "cards_expiring",
		listEffectiveDocuments: "documents_effective", listExpiredDocuments: "documents_expires",
		hasNotice: "sqlite_autoindex_notices", nextPin: "orders_pins", nextHold: "holds_due",
		nextUnverified: "cards_unverified", nextExpiring: "cards_expiring",
		nextEffective: "documents_effective", nextExpiry: "documents_expires",
		nextCallerAnswer: "replays_answered", nextOperatorAnswer: "operator_answers_answered",
		nextUnreadResult: "approvals_unread", nextUrgentOrder: "orders_due",
		nextOtherOrder: "orders_due",
	}
	queries := plantest.Queries{
		// Installations have few programs and few unreached orders; n and w are subqueries.
		Small:   []string{"p", "programs", "orders_unreached", "n", "w"},
		Control: `SELECT card_id FROM cards WHERE nickname = $1`,
	}
	for text := range statements {
		queries.Texts = append(queries.Texts, text)
	}
	for text, steps := range plantest.Check(t, queries) {
		if !strings.Contains(steps, statements[text]) {
			t.Errorf("%s:\n%s", steps, text)
		}
	}
}

// TestListPlans checks that each source of a list reads only what it needs, by its index.
func TestListPlans(t *testing.T) {
	t.Parallel()
	const numbered = "SEARCH c USING INTEGER PRIMARY KEY"
	uses := map[string]string{
		listNewestCards: numbered,
		listByCreator:   "cards_customer",
		listByHolder:    "cards_holder",
		listByTag:       "cards_tag",
		listByLastFour:  "COVERING INDEX cards_last_four (last_four=? AND card_id<?)",
		listByStatus:    "cards_by_status",
		listByLock:      "autoindex_locked_cards_1 (program_id=? AND card_id<?)",
		countByStatus:   "COVERING INDEX cards_by_status",
		countLocked:     "autoindex_locked_cards_1 (program_id=?)",

		findSummaries + "($1, $2)": numbered + " (rowid=?)",
		findBlocks + "($1, $2)":    "SEARCH card_texts USING INTEGER PRIMARY KEY (rowid=?)",
		findNamed + "($1, $2)":     "SEARCH u USING INTEGER PRIMARY KEY (rowid=?)",

		listUnpackedCards: numbered,
		listLateUnpacked:  numbered + " (rowid=?)",
		listLateCards:     numbered + " (rowid=?)",
		listSettledCards:  numbered,
		listBlocks:        "COVERING INDEX card_texts_numbers (last_card<?)",
		listSlices:        "autoindex_card_grams_1 (part=?)",
		listParts:         "card_grams_segment (segment=?)",
		listCustomers:     "customers",
		listAccountsOf:    "accounts_customer",

		listByFirstName:   "COVERING INDEX customers_first (program_id=? AND <expr>>? AND <expr><?)",
		listByLastName:    "COVERING INDEX customers_last (program_id=? AND <expr>>? AND <expr><?)",
		listByLastWord:    "COVERING INDEX customers_last_of_last (program_id=? AND <expr>>? AND <expr><?)",
		listByMobilePhone: "customers_mobile (program_id=? AND <expr>=?)",
		listByHomePhone:   "customers_home (program_id=? AND <expr>=?)",
	}
	of := plantest.Queries{
		Small:   []string{"late_cards", "p"}, // p is a subquery
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

// TestTransferPlans checks that no query of a transfer scans a whole table.
func TestTransferPlans(t *testing.T) {
	t.Parallel()
	plantest.Check(t, plantest.Queries{
		Texts: []string{
			findDecisionByID, findDecisionByDigest, findDecisionByEach, findUsagesByID,
			findUsagesByDigest,
			findUsagesByEach, findAuthorization,
			findAuthorizations + db.Places(1),
			findBalance, findHold, findHoldUsages, findHoldEnd, listHoldEnds, listHolds,
			listDueHolds,
			findPosting, sumUsages, listUsages, changeAuthorization, changeHold, deleteHoldEnd, closeHoldEnd,
			findReversal, listMarks, deleteMark, deleteReversal,
		},
		Control: `SELECT hold_id FROM holds WHERE amount = $1`,
	})
}

// TestDeskPlans checks that a list of authorizations or holds reads one index from its end.
func TestDeskPlans(t *testing.T) {
	t.Parallel()
	uses := map[string]string{
		listAuthorizations:       "authorizations_program (program_id=?",
		listDeclined:             "authorizations_declined (program_id=?",
		listDeclinedFor:          "authorizations_reason (program_id=? AND reason=?",
		findFirstDeclined:        "authorizations_reason (program_id=? AND reason=? AND decided_at>?)",
		listAuthorizationsOfCard: "authorizations_card (card_id=?",
		listCardsOfPerson:        "COVERING INDEX cards_holder (holder_id=?",
		listHoldsOfProgram:       "holds_due (program_id=?",
	}
	of := plantest.Queries{Control: `SELECT hold_id FROM holds WHERE amount = $1`}
	for text := range uses {
		of.Texts = append(of.Texts, text)
	}
	for text, steps := range plantest.Check(t, of) {
		if !strings.Contains(steps, uses[text]) {
			t.Errorf("the plan has no %s:\n%s\n%s", uses[text], steps, text)
		}
	}
}

// TestOperatorPlans checks the embedded database's plans for the queries of each request and
// sign-in of an operator. None may scan a whole table.
func TestOperatorPlans(t *testing.T) {
	t.Parallel()
	engine, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "mintmark.db"),
		sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	queries := []string{
		findPerson, findPersonNamed, findPersonOpenID, findCredential, changeTOTPStep,
		findInvitation, findToken,
		findTokenByDigest, putTokenUse, findSession, deleteSession, deleteSessions,
		listSignInsOfAccount, listSignInsOfAddress,
		deleteSignIn, deleteSignIns,
	}
	err = engine.View(t.Context(), func(s db.Session) error {
		for _, text := range queries {
			if steps := planOf(t, s, text); strings.Contains(steps, "SCAN") {
				t.Errorf("%s:\n%s", steps, text)
			}
		}
		if !strings.Contains(planOf(t, s, listTokens+` LIMIT $1`), "SCAN") {
			t.Error("a full table scan went undetected")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func planOf(t *testing.T, s db.Session, text string) string {
	t.Helper()
	var args []any
	for strings.Contains(text, "$"+strconv.Itoa(len(args)+1)) {
		args = append(args, 1)
	}
	steps, err := db.List(s, func(row db.Scan) (step string, err error) {
		var id, parent, unused int
		err = row(&id, &parent, &unused, &step)
		return step, err
	}, "EXPLAIN QUERY PLAN "+text, args...)
	if err != nil || len(steps) == 0 {
		t.Errorf("steps %q, error %v:\n%s", steps, err, text)
	}
	return strings.Join(steps, "\n")
}

// TestErasurePlans checks that no query that looks for copies of personal data scans a table that
// grows forever. Approvals, answers to operators and blocks of search text are few.
func TestErasurePlans(t *testing.T) {
	t.Parallel()
	plantest.Check(t, plantest.Queries{
		Texts: []string{
			findPersonKeys + "($1)", deletePersonKey, listCallerAnswersOfPeople, emptyCallerAnswer,
			emptyOperatorAnswer, emptyApproval,
			emptyAttempts, changeBlock, listSnapshots, emptySnapshot,
		},
		Control: `SELECT order_id FROM orders WHERE snapshot = $1`,
	})
}

// TestReconciliationPlans checks that a page of cards or accounts begins where the last one ended,
// and that the orders of a day, and those in files, are found without reading all others.
func TestReconciliationPlans(t *testing.T) {
	t.Parallel()
	statements := map[string]string{
		findReconciliation:           "USING INTEGER PRIMARY KEY",
		findCompromise:               "USING INTEGER PRIMARY KEY",
		listCompromises:              "USING INTEGER PRIMARY KEY",
		listCompromisesOfProgram:     "compromises_program",
		findSameCompromise:           "sqlite_autoindex_compromises",
		listOpenCompromises:          "SCAN compromises",
		listRunningCompromises:       "compromises_running",
		findCompromisedCards:         "sqlite_autoindex_compromised_cards",
		deleteCompromisedCards:       "sqlite_autoindex_compromised_cards",
		deleteCompromise:             "USING INTEGER PRIMARY KEY",
		findCardsByNumber:            "sqlite_autoindex_card_numbers",
		findCardsBySecond:            "card_numbers_second",
		listReconciliations:          "USING INTEGER PRIMARY KEY",
		listReconciliationsOfProgram: "reconciliations", listCardPage: "USING INTEGER PRIMARY KEY",
		listCards: "USING INTEGER PRIMARY KEY", listPANs: "sqlite_autoindex_card_numbers",
		listOrdersOpen: "orders_card", listOrdersAnswered: "orders_card",
		listReported:    "reports_card",
		listAccountPage: "USING INTEGER PRIMARY KEY", countOrdersInSpan: "orders_created",
		listUnansweredInSpan: "orders_open", listFailedInSpan: "orders_failed",
		listOrderFiles: "orders_in_file", listOrdersInFile: "orders_in_file",
	}
	queries := plantest.Queries{
		// Open and failed orders are few among all orders; lists of compromised numbers are few.
		Small: []string{
			"orders_open", "orders_failed", "orders_in_file", "compromises", "compromises_running",
		},
		Control: `SELECT card_id FROM cards WHERE nickname = $1`,
	}
	for text := range statements {
		queries.Texts = append(queries.Texts, text)
	}
	for text, steps := range plantest.Check(t, queries) {
		if !strings.Contains(steps, statements[text]) {
			t.Errorf("%s:\n%s", steps, text)
		}
	}
}

// TestBankKeyPlans checks that data encrypted under a key is found by the prefix that names the
// key, and that neither the job nor an act scans the numbers of all cards or all orders.
func TestBankKeyPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findBankKey, countSealedNumbers, countSealedPins, hasSealedText, listSealedNumbers,
			listSealedPins, changeSealedNumber,
			changeSealedPin,
		},
		Control: `SELECT card_id FROM card_numbers WHERE sealed = $1`,
	})
	for _, text := range []string{countSealedNumbers, hasSealedText, listSealedNumbers} {
		if plan := plans[text]; !strings.Contains(plan, "card_numbers_key") {
			t.Errorf("%s\nfinds the numbers in another way:\n%s", text, plan)
		}
	}
	for _, text := range []string{countSealedPins, hasSealedText, listSealedPins} {
		if plan := plans[text]; !strings.Contains(plan, "orders_pin_key") {
			t.Errorf("%s\nfinds the PINs in another way:\n%s", text, plan)
		}
	}
}

// TestDeliveryPlans checks that no query about deliveries, of which there may be many, scans a
// whole table. The partial index holds only deliveries with a due time, which wait for no other.
func TestDeliveryPlans(t *testing.T) {
	t.Parallel()
	plans := plantest.Check(t, plantest.Queries{
		Texts: []string{
			findWebhook, findDelivery, listDeliveries, listDeliveriesOfState, listEndpointsDue, listDueDeliveries,
			listDeliveriesOfLane,
			hasWaitingDelivery, hasWaitingInLane, listDeliveryAttempts, listDeliveryAttemptsOf,
			listReplays, deleteDeadDeliveries,
			deleteDeliveryAttempts, changeEndpoint, putPosition, deleteDelivery, updateReplay,
			listDeleted, deleteDeliveriesOf, deleteAttemptsOf, deleteEmptyWebhook,
			listEmptied, findUnemptied, emptyAttempts, putEmptied,
			listErased, changeErased, deleteErased,
		},
		// Installations have few webhooks and few unfinished erasures; next is a page.
		Small:   []string{"deliveries_due", "webhooks", "e", "next"},
		Control: `SELECT event FROM deliveries WHERE last_error = $1`,
	})
	ofState := plans[listDeliveriesOfState]
	if !strings.Contains(ofState, "deliveries_state (webhook_id=? AND state=? AND event<?)") {
		t.Errorf("deliveries of a state are found in another way:\n%s", ofState)
	}
}
