package sqlstore

import (
	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// feeds implements store.Feeds on the table feeds.
type feeds struct{ *tx }

var _ store.Feeds = feeds{}

const (
	feedColumns = `program_id, source, sequence, running, digest, line, report, changed_at,
			revision`

	findFeed  = `SELECT ` + feedColumns + ` FROM feeds WHERE program_id = $1 AND source = $2`
	listFeeds = `SELECT ` + feedColumns + ` FROM feeds WHERE program_id = $1 ORDER BY source`
)

func scanFeed(row db.Scan) (store.Feed, error) {
	var f store.Feed
	err := row(&f.ProgramID, &f.Source, &f.Sequence, &f.Running, &f.Digest, &f.Line, &f.Report,
		db.Time{To: &f.Changed}, &f.Revision)
	return f, err
}

// Find returns the progress of a source.
func (t feeds) Find(programID int, source string) (store.Feed, error) {
	return db.One(t.session, scanFeed, findFeed, programID, source)
}

// List returns the progress of the sources of a program.
func (t feeds) List(programID int) ([]store.Feed, error) {
	return db.List(t.session, scanFeed, listFeeds, programID)
}

const (
	insertFeed = `INSERT INTO feeds (sequence, running, digest, line, report, changed_at,
			program_id, source)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`
	updateFeed = `UPDATE feeds SET sequence = $1, running = $2, digest = $3, line = $4,
			report = $5, changed_at = $6, revision = revision + 1
		WHERE program_id = $7 AND source = $8 AND revision = $9`
)

// Put inserts or replaces the progress of a source.
func (t feeds) Put(f store.Feed) error {
	values := []any{f.Sequence, f.Running, f.Digest, f.Line, db.OrEmpty(f.Report),
		f.Changed.UnixMilli(), f.ProgramID, f.Source}
	return db.Put(t.session, f.Revision, insertFeed, updateFeed, values...)
}

// On PostgreSQL a sum of integers is a decimal, which cannot be scanned into a Go integer.
const countAccounts = `SELECT COUNT(*), CAST(COALESCE(SUM(balance), 0) AS BIGINT) FROM accounts
	WHERE program_id = $1 AND status <> 'Closed'`

// Count counts the accounts of a program that are not closed, and adds up their balances.
func (t feeds) Count(programID int) (customer.AccountTotals, error) {
	var totals customer.AccountTotals
	_, err := db.Find(t.session, []any{&totals.Accounts, &totals.Balance}, countAccounts, programID)
	return totals, err
}

const (
	cardNotEnded        = `status NOT IN ('Archived', 'Reissued', 'Denied')`
	countCardsOfAccount = `SELECT COUNT(*) FROM card_slots s JOIN cards c ON c.card_id = s.card_id
		WHERE s.account_id = $1 AND c.` + cardNotEnded
	countCustomerUses = `SELECT (SELECT COUNT(*) FROM cards WHERE customer_id = $1 AND ` +
		cardNotEnded + `)
			+ (SELECT COUNT(*) FROM cards WHERE holder_id = $1 AND customer_id <> $1
				AND ` + cardNotEnded + `),
		(SELECT COUNT(*) FROM accounts WHERE customer_id = $1 AND status <> 'Closed')`
)

// CountCards counts the cards that draw on an account.
func (t feeds) CountCards(accountID int) (int, error) {
	count := 0
	_, err := db.Find(t.session, []any{&count}, countCardsOfAccount, accountID)
	return count, err
}

// CountUses counts the cards and accounts that a customer still has.
func (t feeds) CountUses(customerID int) (customer.Uses, error) {
	var uses customer.Uses
	_, err := db.Find(t.session, []any{&uses.Cards, &uses.Accounts}, countCustomerUses, customerID)
	return uses, err
}
