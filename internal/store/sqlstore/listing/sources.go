package listing

import (
	"slices"

	"mintmark/internal/domain/card"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// source returns the numbers of at most count cards that may be in a list, all of them smaller than
// a number, the greatest first. No number means that there are no more.
type source func(before, count int) ([]int, error)

// How many candidates a list looks at after the first page did not fill it.
const (
	fewCandidates  = 256
	mostCandidates = 4096
)

// The index by status holds every card, but serves only a query that says so: c.card_id > 0. So it
// changes the plan of no other query.
const (
	newest = `SELECT c.card_id FROM cards c WHERE c.card_id < $1
		ORDER BY c.card_id DESC LIMIT 0 + $2`
	byCreator = `SELECT c.card_id FROM cards c WHERE c.customer_id = $1 AND c.card_id < $2
		ORDER BY c.card_id DESC LIMIT 0 + $3`
	byHolder = `SELECT c.card_id FROM cards c WHERE c.holder_id = $1 AND c.card_id < $2
		ORDER BY c.card_id DESC LIMIT 0 + $3`
	byTag = `SELECT c.card_id FROM cards c
		WHERE c.program_id = $1 AND c.tag = $2 AND c.card_id < $3
		ORDER BY c.card_id DESC LIMIT 0 + $4`
	byStatus = `SELECT c.card_id FROM cards c
		WHERE c.program_id = $1 AND c.status = $2 AND c.card_id > 0 AND c.card_id < $3
		ORDER BY c.card_id DESC LIMIT 0 + $4`
	byLock = `SELECT l.card_id FROM locked_cards l WHERE l.program_id = $1 AND l.card_id < $2
		ORDER BY l.card_id DESC LIMIT 0 + $3`
)

// source chooses where the candidates of a list come from. Filters that leave few cards come first.
func (t Cards) source(of store.CardQuery) (source, error) {
	locked := of.LockType != "" && of.LockType != card.Unlocked ||
		of.LockReason != "" && of.LockReason != card.Unknown
	switch {
	case of.CardID != 0:
		return only(of.CardID), nil
	case of.CustomerID != 0:
		return t.merged(lane{byCreator, []any{of.CustomerID}},
			lane{byHolder, []any{of.CustomerID}}), nil
	case of.Tag != "":
		return t.ofPrograms(of, byTag, of.Tag)
	case of.Text != "" || of.LastFour != "":
		return t.searchFirst(of)
	case locked:
		return t.ofPrograms(of, byLock)
	case of.Status != "":
		return t.ofPrograms(of, byStatus, string(of.Status))
	case of.Programs != nil:
		return t.ofEachStatus(of)
	}
	return t.merged(lane{newest, nil}), nil
}

// searchFirst is a source of the cards with a text. When those are many and few of them fit, the
// source by lock or status goes on, which may have fewer.
func (t Cards) searchFirst(of store.CardQuery) (source, error) {
	found := t.search(of)
	of.Text, of.LastFour = "", ""
	if of.LockType == "" && of.LockReason == "" && of.Status == "" {
		return found, nil
	}
	others, err := t.source(of)
	looked := 0
	return func(before, count int) ([]int, error) {
		if looked > mostCandidates {
			return others(before, count)
		}
		numbers, err := found(before, count)
		looked += len(numbers)
		return numbers, err
	}, err
}

// only is a source of one card.
func only(cardID int) source {
	return func(before, _ int) ([]int, error) {
		if cardID >= before {
			return nil, nil
		}
		return []int{cardID}, nil
	}
}

// lane is a query for numbers of cards, with its arguments but for the last two: the number that
// all are smaller than, and how many.
type lane struct {
	text string
	args []any
}

// merged is a source out of several lanes. Each returns as many numbers as are asked for, so the
// greatest of all are the greatest there are.
func (t Cards) merged(lanes ...lane) source {
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
		if err := t.Session.Query(queries...); err != nil {
			return nil, err
		}
		numbers = descending(numbers)
		return numbers[:min(count, len(numbers))], nil
	}
}

// ofPrograms is a source with a lane for each program.
func (t Cards) ofPrograms(of store.CardQuery, text string, args ...any) (source, error) {
	programIDs, err := programsOf(t.Session, of.Programs)
	if err != nil {
		return nil, err
	}
	var lanes []lane
	for _, id := range programIDs {
		lanes = append(lanes, lane{text, append([]any{id}, args...)})
	}
	return t.merged(lanes...), nil
}

// ofEachStatus is a source of all cards of some programs: the index by status in all of its parts.
func (t Cards) ofEachStatus(of store.CardQuery) (source, error) {
	var lanes []lane
	for _, id := range of.Programs {
		for _, status := range card.Statuses {
			lanes = append(lanes, lane{byStatus, []any{id, string(status)}})
		}
	}
	return t.merged(lanes...), nil
}
