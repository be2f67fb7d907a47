package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"
)

// operation is an operation of callers or of the card processor, named as in the tables of the
// report.
type operation struct {
	name string
	work func(on *server, cards int) work
	// once means that each card is used once, so that the operation needs more of them.
	once     bool
	prepare  func(db *sql.DB) error // nil if the data needs no preparation
	settings string                 // lines of the settings file
	check    func(db *sql.DB) error // of the result; nil where the response is enough
}

// cards returns the number of cards in the database of the operation; others is the usual number.
func (op operation) cards(others int) int {
	if op.once {
		return 3 * others
	}
	return others
}

// called adapts the work of an operation of callers.
func called(of func(address string, cards int) work) func(*server, int) work {
	return func(on *server, cards int) work { return of(on.address, cards) }
}

// operations lists the operations in the report.
var operations = []operation{
	{name: "get a card", work: called(reading)},
	{name: "get a card by its tag", work: called(byTag)},
	{name: "list the ten cards of a customer", work: called(listing)},
	{name: "get the program", work: called(programs)},
	{name: "initiate a card", work: called(ordering)},
	{name: "verify a card", work: called(verifying), once: true, prepare: unverify},
	{name: "lock and unlock a card", work: called(locking)},
	{
		name: "authorize a purchase", work: authorizing, prepare: enrich("WithdrawLimit"),
		settings: reportSecrets, check: noneDeclined,
	},
	{ // every authorization changes the sum of the program
		name: "authorize under a program's limit", work: authorizing,
		prepare: enrich("perTransactionWithdrawLimit", "perUser"), settings: reportSecrets,
		check: noneDeclined,
	},
}

// connections are the numbers of concurrent callers for the operations.
var connections = []int{1, 16, 64}

// many is the number of connections for the ratios of reads.
const many = 64

// scattered returns the id of a card from all over the database. It repeats only after all others.
func scattered(cards, connection, turn int) int {
	const large = 7_368_787 // a prime, so that neighbors in time are far apart
	return (connection*104_729 + turn) * large % cards
}

// reading reads cards from all over the database.
func reading(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		n := scattered(cards, connection, turn)
		return fmt.Sprintf("/card/get/%d/%d", firstCustomer+n/perCustomer, firstCard+n)
	})}
}

// byTag reads the same cards by their tags.
func byTag(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		n := scattered(cards, connection, turn)
		return fmt.Sprintf("/card/getbytag/%d/bench-%d", firstCustomer+n/perCustomer, n)
	})}
}

// listing lists the cards of one customer after the other.
func listing(address string, cards int) work {
	return work{address: address, request: get(func(connection, turn int) string {
		n := scattered(cards/perCustomer, connection, turn)
		return fmt.Sprintf("/card/list/%d", firstCustomer+n)
	})}
}

// programs reads the settings of the program.
func programs(address string, _ int) work {
	return work{address: address, request: get(func(int, int) string { return "/program/get" })}
}

// nthCard returns the card that a connection writes to at a turn: each twice, then the next. No two
// connections share one.
func nthCard(cards, connection, turn int) int {
	const stride = 31
	return (turn/2*stride%(cards/many))*many + connection
}

// locking locks and unlocks a card, and continues with the next.
func locking(address string, cards int) work {
	return work{address: address, request: post(
		func(_, turn int) string { return "/card/" + turned(turn) },
		func(connection, turn int) string {
			return lockBody(firstCard+nthCard(cards, connection, turn), turn)
		})}
}

// turned returns the act on a card at a turn.
func turned(turn int) string { return []string{"lock", "unlock"}[turn%2] }

// lockBody returns the request body for it.
func lockBody(card, turn int) string {
	reason := ""
	if turn%2 == 0 {
		reason = `,"lockReasonTypeCode":"TMP"`
	}
	return fmt.Sprintf(`{"customerId":%d,"cardId":%d%s}`, customerOf(card), card, reason)
}

// lockOnce locks a card, or unlocks it, according to the turn.
func lockOnce(address string, card, turn int) error {
	w := work{address: address, request: func(to []byte, _, sent int) []byte {
		if sent > 0 {
			return to
		}
		return postTo("/card/"+turned(turn),
			func(int, int) string { return lockBody(card, turn) })(to, 0, 0)
	}}
	reached, err := w.run(1, time.Minute)
	if err == nil && reached.refused > 0 {
		err = fmt.Errorf("card %d is refused a %s", card, turned(turn))
	}
	return err
}

// authorized counts the authorizations of the run, for unique identifiers.
var authorized atomic.Int64

// reportSecret is the secret that signs the messages of the card processor.
const (
	reportSecret  = "whsec_YmVuY2ggYmVuY2ggYmVuY2ggYmVuY2ggYmVuY2g="
	reportSecrets = "processor: {reportSecrets: [" + reportSecret + "]}\n"
)

// authorizing requests small purchases with cards from all over the database, none of which is
// locked.
func authorizing(on *server, cards int) work {
	signer, err := standardwebhooks.NewWebhook(reportSecret)
	if err != nil {
		panic(err) // the secret is the one above
	}
	return work{address: on.admin, request: func(to []byte, connection, turn int) []byte {
		body := fmt.Sprintf(`{"authorizationId":"bench-%d","cardId":%d,"amount":0.01,`+
			`"kind":"purchase","at":"2026-06-01T12:00:00Z"}`, authorized.Add(1),
			firstCard+nthCard(cards, connection, 2*turn))
		now := time.Now()
		signature, err := signer.Sign("bench", now, []byte(body))
		if err != nil {
			panic(err) // only its key is needed
		}
		return fmt.Appendf(to, "POST /processor/v1/authorizations HTTP/1.1\r\nHost: localhost\r\n"+
			"webhook-id: bench\r\nwebhook-timestamp: %d\r\nwebhook-signature: %s\r\n"+
			"Content-Length: %d\r\n\r\n%s", now.Unix(), signature, len(body), body)
	}}
}

// ordering orders cards, each with a new name and tag.
func ordering(address string, cards int) work {
	return work{address: address, request: postTo("/card/initiate",
		func(connection, turn int) string {
			n := ordered.Add(1)
			customer := spread(int(n), cards/perCustomer)
			return fmt.Sprintf(`{"customerId":%d,"cardHolderCustomerId":%d,"vendorTypeCode":"VS",`+
				`"primaryAccountId":%d,"firstName":"Jane","lastName":"Sample",`+
				`"nickName":"New %d","tag":"new-%d"}`, firstCustomer+customer,
				firstCustomer+customer, firstAccount+customer, n, n)
		})}
}

// ordered counts the orders of the run, for unique names.
var ordered atomic.Int64

// spread visits count things once each, in leaps. Neighbors share pages of an index, on which
// transactions of PostgreSQL collide, and the customers of a bank do not arrive in the order of
// their numbers.
func spread(n, count int) int {
	const leap = 99_991 // a prime that divides no count in the measurements
	return int(int64(n) * leap % int64(count))
}

// verifying verifies each card once, until none is left.
func verifying(address string, cards int) work {
	var next atomic.Int64
	return work{address: address, request: func(to []byte, connection, turn int) []byte {
		n := int(next.Add(1) - 1)
		if n >= cards {
			return to
		}
		n = spread(n, cards)
		return postTo("/card/verify", func(int, int) string {
			return fmt.Sprintf(`{"customerId":%d,"cardId":%d,"birthDate":"1985-03-14",`+
				`"cardNumberMasked":"1111"}`, firstCustomer+n/perCustomer, firstCard+n)
		})(to, connection, turn)
	}}
}

// unverified makes all cards of a database wait for verification since $1, as if a card processor
// had produced them.
const unverified = `UPDATE cards SET status = 'PendingVerification', verified_at = NULL,
	last_four = '1111', created_at = $1, requested_at = $1, modified_at = $1
	WHERE card_id >= 10000000`

func unverify(db *sql.DB) error {
	_, err := db.Exec(unverified, time.Now().UnixMilli())
	return err
}

// noneDeclined checks that no authorization was declined: declines are answered like approvals but
// cost less.
func noneDeclined(db *sql.DB) error {
	var declined int
	err := db.QueryRow("SELECT COUNT(*) FROM authorizations WHERE reason <> 'approved'").Scan(
		&declined)
	if err == nil && declined > 0 {
		err = fmt.Errorf("%d authorizations were declined", declined)
	}
	return err
}

// enrich gives every account enough for all authorizations, and removes the program settings whose
// names contain one of the given words.
func enrich(limits ...string) func(*sql.DB) error {
	return func(db *sql.DB) error { return enrichWithout(db, limits) }
}

func enrichWithout(db *sql.DB, limits []string) error {
	var text string
	err := db.QueryRow("SELECT settings FROM programs WHERE program_id = 1").Scan(&text)
	if err != nil {
		return err
	}
	var settings map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &settings); err != nil {
		return err
	}
	maps.DeleteFunc(settings, func(name string, _ json.RawMessage) bool {
		return strings.HasSuffix(name, "WithdrawLimit") &&
			slices.ContainsFunc(limits, func(limit string) bool { return strings.Contains(name, limit) })
	})
	changed, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	_, err = db.Exec("UPDATE programs SET settings = $1 WHERE program_id = 1", string(changed))
	if err != nil {
		return err
	}
	_, err = db.Exec(
		"UPDATE accounts SET balance = 10000000000000, available_balance = 10000000000000")
	return err
}
