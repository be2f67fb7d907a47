// Package listing is the SQL of what operators look for: lists of cards with filters, cards by a
// part of a text, customers and accounts. It owns the tables of package migrations that exist for
// these lists alone; the rows of cards and customers are written by package sqlstore.
package listing

import (
	"math"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Cards are the rows of the table cards, as they are listed.
type Cards struct{ Session db.Session }

var _ store.CardIndex = Cards{}

// List takes candidates from the source that has the fewest, the greatest numbers first, and keeps
// those that fit.
func (t Cards) List(of store.CardQuery) ([]store.CardSummary, error) {
	from, err := t.source(of)
	if err != nil {
		return nil, err
	}
	before := of.Before
	if before == 0 {
		before = math.MaxInt32 + 1
	}
	var found []store.CardSummary
	for count := of.Limit; len(found) < of.Limit; {
		candidates, err := from(before, count)
		if err != nil || len(candidates) == 0 {
			return found, err
		}
		found, err = t.fitting(found, of, candidates)
		if err != nil {
			return nil, err
		}
		before = candidates[len(candidates)-1]
		count = min(max(fewCandidates, 2*count), mostCandidates)
	}
	return found[:of.Limit], nil
}

const findSummaries = `SELECT c.card_id, c.revision, c.program_id, c.customer_id, c.holder_id,
		h.first_name, h.last_name, c.type, c.vendor, c.bin_id, c.status, c.lock_type,
		c.lock_reason, c.tag, c.nickname, c.first_name, c.middle_name, c.last_name, c.last_four,
		c.expire_month, c.expire_year, c.is_digital_only, c.created_at, c.verified_at,
		c.modified_at
	FROM cards c JOIN customers h ON h.customer_id = c.holder_id WHERE c.card_id IN `

func scanSummary(row db.Scan) (store.CardSummary, error) {
	var c store.CardSummary
	err := row(&c.ID, &c.Revision, &c.ProgramID, &c.CustomerID, &c.HolderID, &c.HolderFirst,
		&c.HolderLast, &c.Type, &c.Vendor, &c.BinID, &c.Status, &c.Lock.Type, &c.Lock.Reason,
		&c.Tag, &c.NickName, &c.Name.First, &c.Name.Middle, &c.Name.Last, &c.LastFour,
		&c.ExpireMonth, &c.ExpireYear, &c.DigitalOnly, db.Time{To: &c.Created},
		db.Time{To: &c.Verified}, db.Time{To: &c.Modified})
	return c, err
}

// fitting appends those of some candidates that fit, in their order.
func (t Cards) fitting(
	found []store.CardSummary, of store.CardQuery, candidates []int,
) ([]store.CardSummary, error) {
	rows, err := db.FindMany(t.Session, scanSummary, findSummaries, candidates)
	if err != nil {
		return nil, err
	}
	byID := make(map[int]store.CardSummary, len(rows))
	for _, c := range rows {
		byID[c.ID] = c
	}
	for _, id := range candidates {
		if c, there := byID[id]; there && of.Fits(c) {
			found = append(found, c)
		}
	}
	return found, nil
}

// Each program is counted by itself, in the order of the index.
const (
	countByStatus = `SELECT c.status, COUNT(*) FROM cards c
		WHERE c.program_id = $1 AND c.card_id > 0 GROUP BY c.status`
	countLocked = `SELECT COUNT(*) FROM locked_cards l JOIN cards c ON c.card_id = l.card_id
		WHERE l.program_id = $1 AND c.lock_type <> 'UNL'`
)

// Count counts the cards of programs.
func (t Cards) Count(programIDs []int) (store.CardCounts, error) {
	counts := store.CardCounts{ByStatus: make(map[card.Status]int)}
	programIDs, err := programsOf(t.Session, programIDs)
	if err != nil {
		return counts, err
	}
	var queries []db.Query
	for _, id := range programIDs {
		queries = append(queries, db.Query{
			Text: countByStatus, Args: []any{id}, Each: func(row db.Scan) error {
				var status card.Status
				var count int
				err := row(&status, &count)
				counts.ByStatus[status] += count
				return err
			},
		}, db.Query{
			Text: countLocked, Args: []any{id}, Each: func(row db.Scan) error {
				var count int
				err := row(&count)
				counts.Locked += count
				return err
			},
		})
	}
	if len(queries) == 0 {
		return counts, nil
	}
	return counts, t.Session.Query(queries...)
}
