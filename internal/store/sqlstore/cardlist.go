package sqlstore

import (
	"math"
	"slices"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// cardSearch implements store.CardSearch: it lists the table cards, and searches it by text
// (cardsearch.go).
type cardSearch struct{ *tx }

// List takes candidates from the source with the fewest, in descending order of their IDs, and
// keeps those that match.
func (t cardSearch) List(of store.CardQuery) ([]store.CardSummary, error) {
	from, err := t.source(of)
	if err != nil {
		return nil, err
	}
	before := of.Before
	if before == 0 {
		before = math.MaxInt32 + 1
	}
	var summaries []store.CardSummary
	for count := of.Limit; len(summaries) < of.Limit; {
		candidates, err := from(before, count)
		if err != nil || len(candidates) == 0 {
			return summaries, err
		}
		summaries, err = t.fitting(summaries, of, candidates)
		if err != nil {
			return nil, err
		}
		before = candidates[len(candidates)-1]
		count = min(max(fewCandidates, 2*count), maxCandidates)
	}
	return summaries[:of.Limit], nil
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

// fitting appends the candidates that match the query, in their order.
func (t cardSearch) fitting(
	summaries []store.CardSummary, of store.CardQuery, candidates []int,
) ([]store.CardSummary, error) {
	rows, err := db.FindMany(t.session, scanSummary, findSummaries, candidates)
	if err != nil {
		return nil, err
	}
	byID := make(map[int]store.CardSummary, len(rows))
	for _, c := range rows {
		byID[c.ID] = c
	}
	for _, id := range candidates {
		if c, there := byID[id]; there && of.Fits(c) {
			summaries = append(summaries, c)
		}
	}
	return summaries, nil
}

// Each program is counted separately, in the order of the index.
const (
	countByStatus = `SELECT c.status, COUNT(*) FROM cards c
		WHERE c.program_id = $1 AND c.card_id > 0 GROUP BY c.status`
	countLocked = `SELECT COUNT(*) FROM locked_cards l JOIN cards c ON c.card_id = l.card_id
		WHERE l.program_id = $1 AND c.lock_type <> 'UNL'
			AND c.status NOT IN ('Archived', 'Reissued', 'Denied', 'Expired')`
)

func (t cardSearch) Count(programIDs []int) (store.CardCounts, error) {
	counts := store.CardCounts{ByStatus: make(map[card.Status]int)}
	programIDs, err := programsOf(t.session, programIDs)
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
	return counts, t.session.Query(queries...)
}

// cardSource returns the IDs of at most count cards that may be in a list, all below before, in
// descending order. No IDs means that there are no more.
type cardSource func(before, count int) ([]int, error)

// Bounds on the number of candidates that a list examines at a time, after the first round has not
// filled the page.
const (
	fewCandidates = 256
	maxCandidates = 4096
)

// The index on statuses holds every card, but serves only a query that says c.card_id > 0. So it
// changes the plan of no other query.
const (
	listNewestCards = `SELECT c.card_id FROM cards c WHERE c.card_id < $1
		ORDER BY c.card_id DESC LIMIT 0 + $2`
	listByCreator = `SELECT c.card_id FROM cards c WHERE c.customer_id = $1 AND c.card_id < $2
		ORDER BY c.card_id DESC LIMIT 0 + $3`
	listByHolder = `SELECT c.card_id FROM cards c WHERE c.holder_id = $1 AND c.card_id < $2
		ORDER BY c.card_id DESC LIMIT 0 + $3`
	listByTag = `SELECT c.card_id FROM cards c
		WHERE c.program_id = $1 AND c.tag = $2 AND c.card_id < $3
		ORDER BY c.card_id DESC LIMIT 0 + $4`
	listByLastFour = `SELECT c.card_id FROM cards c WHERE c.last_four = $1 AND c.card_id < $2
		ORDER BY c.card_id DESC LIMIT 0 + $3`
	listByStatus = `SELECT c.card_id FROM cards c
		WHERE c.program_id = $1 AND c.status = $2 AND c.card_id > 0 AND c.card_id < $3
		ORDER BY c.card_id DESC LIMIT 0 + $4`
	listByLock = `SELECT l.card_id FROM locked_cards l WHERE l.program_id = $1 AND l.card_id < $2
		ORDER BY l.card_id DESC LIMIT 0 + $3`
)

// source chooses where the candidates of a list come from. The most selective filters come first.
func (t cardSearch) source(of store.CardQuery) (cardSource, error) {
	locked := of.LockType != "" && of.LockType != card.Unlocked ||
		of.LockReason != "" && of.LockReason != card.Unknown
	switch {
	case of.CardID != 0:
		return onlyCard(of.CardID), nil
	case of.CustomerID != 0:
		return t.merged(laneQuery{listByCreator, []any{of.CustomerID}},
			laneQuery{listByHolder, []any{of.CustomerID}}), nil
	case of.HolderIDs != nil:
		var lanes []laneQuery
		for _, id := range of.HolderIDs {
			lanes = append(lanes, laneQuery{listByHolder, []any{id}})
		}
		return t.merged(lanes...), nil
	case of.Tag != "":
		return t.programSource(of, listByTag, of.Tag)
	case of.LastFour != "":
		return t.merged(laneQuery{listByLastFour, []any{of.LastFour}}), nil
	case of.Text != "":
		return t.searchFirst(of)
	case locked:
		return t.programSource(of, listByLock)
	case of.Status != "":
		return t.programSource(of, listByStatus, string(of.Status))
	case of.Programs != nil:
		return t.statusSource(of)
	}
	return t.merged(laneQuery{listNewestCards, nil}), nil
}

// searchFirst returns a source of the cards with a text. If there are many and few of them match,
// it continues with the source by lock or status, which may have fewer.
func (t cardSearch) searchFirst(of store.CardQuery) (cardSource, error) {
	c := t.search(of.Text)
	of.Text = ""
	if of.LockType == "" && of.LockReason == "" && of.Status == "" {
		return c, nil
	}
	others, err := t.source(of)
	looked := 0
	return func(before, count int) ([]int, error) {
		if looked > maxCandidates {
			return others(before, count)
		}
		numbers, err := c(before, count)
		looked += len(numbers)
		return numbers, err
	}, err
}

// onlyCard returns a source of a single card.
func onlyCard(cardID int) cardSource {
	return func(before, _ int) ([]int, error) {
		if cardID >= before {
			return nil, nil
		}
		return []int{cardID}, nil
	}
}

// laneQuery is a query for IDs with its arguments, except those that all lanes share: for cards the
// last two, the exclusive upper bound of the IDs and the limit; for customers and accounts the
// first, the program.
type laneQuery struct {
	text string
	args []any
}

// merged returns a source that merges several lanes. Each lane returns as many IDs as requested, so
// the greatest of them are the greatest of all.
func (t cardSearch) merged(lanes ...laneQuery) cardSource {
	return func(before, count int) ([]int, error) {
		var numbers []int
		var queries []db.Query
		for _, l := range lanes {
			args := append(slices.Clone(l.args), before, count)
			queries = append(queries, db.Rows(&numbers, scanNumber, l.text, args...))
		}
		if len(queries) == 0 {
			return nil, nil
		}
		if err := t.session.Query(queries...); err != nil {
			return nil, err
		}
		numbers = descending(numbers)
		return numbers[:min(count, len(numbers))], nil
	}
}

// programSource returns a source with a lane for each program.
func (t cardSearch) programSource(of store.CardQuery, text string, args ...any) (cardSource, error) {
	programIDs, err := programsOf(t.session, of.Programs)
	if err != nil {
		return nil, err
	}
	var lanes []laneQuery
	for _, id := range programIDs {
		lanes = append(lanes, laneQuery{text, append([]any{id}, args...)})
	}
	return t.merged(lanes...), nil
}

// statusSource returns a source of all cards of the programs: it reads the index on statuses, one
// lane for each status.
func (t cardSearch) statusSource(of store.CardQuery) (cardSource, error) {
	var lanes []laneQuery
	for _, id := range of.Programs {
		for _, status := range card.Statuses {
			lanes = append(lanes, laneQuery{listByStatus, []any{id, string(status)}})
		}
	}
	return t.merged(lanes...), nil
}
