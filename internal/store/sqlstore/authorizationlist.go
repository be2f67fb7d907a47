package sqlstore

import (
	"math"
	"slices"
	"time"

	"mintmark/internal/domain/authorization"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// Each of these statements reads one index from its end. The conditions of partial indexes are
// written as in the migration.
const (
	placedBetween = `decided_at >= $2 AND (decided_at, authorization_id) < ($3, $4)
		ORDER BY decided_at DESC, authorization_id DESC LIMIT 0 + $5`
	chosenAuthorizations = `SELECT ` + authorizationColumns + ` FROM authorizations WHERE `

	listAuthorizations = chosenAuthorizations + `program_id = $1 AND ` + placedBetween
	listDeclined       = chosenAuthorizations + `program_id = $1 AND advised_amount = 0
		AND (reason <> 'approved' OR advised_by <> '') AND ` + placedBetween
	listDeclinedFor = chosenAuthorizations + `program_id = $1 AND reason = $6
		AND reason <> 'approved' AND ` + placedBetween
	findFirstDeclined = `SELECT decided_at FROM authorizations
		WHERE program_id = $1 AND reason = $2 AND reason <> 'approved' AND decided_at >= $3
		ORDER BY decided_at LIMIT 1`
	listAuthorizationsOfCard = chosenAuthorizations + `card_id = $1 AND ` + placedBetween

	listCardsOfPerson = `SELECT card_id FROM cards WHERE customer_id = $1
		UNION SELECT card_id FROM cards WHERE holder_id = $1`
)

// maxLookedAt bounds the number of rows that a list examines for one page. If a customer has more
// than maxCards cards, the list examines the authorizations of the program instead.
const (
	maxLookedAt = 2_000
	maxCards    = 30
)

// List takes candidates from the sources with the fewest and keeps those that match.
func (t authorizations) List(of store.AuthorizationQuery) (
	list []authorization.Authorization, next authorization.ListKey, err error,
) {
	sources, ofPerson, err := t.sources(of)
	if err != nil || len(sources) == 0 {
		return nil, next, err
	}
	looked := 0
	for count := of.Limit; ; count = 2 * count {
		count = max(of.Limit, min(count, (maxLookedAt-looked)/len(sources)))
		candidates, err := t.candidates(sources, of, count)
		if err != nil {
			return nil, next, err
		}
		for _, a := range candidates {
			if of.Fits(a) && (of.CustomerID == 0 || slices.Contains(ofPerson, a.CardID)) {
				list = append(list, a)
			}
			if of.Before = a.ListKey(); len(list) == of.Limit {
				return list, authorization.ListKey{}, nil
			}
		}
		looked += count * len(sources)
		switch {
		case len(candidates) < count:
			return list, authorization.ListKey{}, nil
		case looked >= maxLookedAt:
			return list, of.Before, nil
		}
	}
}

// source is a query for candidates, with its first argument and, if it has six, the last one.
type source struct {
	text string
	of   int
	last []any
}

// sources returns the queries that together find every authorization that may match exactly once,
// and the cards of the customer.
func (t authorizations) sources(
	of store.AuthorizationQuery,
) (sources []source, ofPerson []int, err error) {
	if of.CustomerID != 0 {
		if ofPerson, err = db.List(t.session, scanNumber, listCardsOfPerson, of.CustomerID); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case of.CardID != 0:
		return []source{{text: listAuthorizationsOfCard, of: of.CardID}}, ofPerson, nil
	case of.CustomerID != 0 && len(ofPerson) <= maxCards:
		for _, id := range ofPerson {
			sources = append(sources, source{text: listAuthorizationsOfCard, of: id})
		}
		return sources, ofPerson, nil
	}
	programs, err := programsOf(t.session, of.Programs)
	if of.Programs == nil {
		programs = append(programs, 0)
	}
	from := source{text: listAuthorizations}
	switch {
	case of.Reason != "" && of.Reason != authorization.Approved:
		from = source{text: listDeclinedFor, last: []any{string(of.Reason)}}
	case of.Outcome == authorization.Decisions[1]:
		from.text = listDeclined
	}
	for _, program := range programs {
		from.of = program
		sources = append(sources, from)
	}
	return sources, ofPerson, err
}

// candidates returns the next candidates of all sources.
func (t authorizations) candidates(
	sources []source, of store.AuthorizationQuery, count int,
) ([]authorization.Authorization, error) {
	before := of.Before
	if before.At.IsZero() || !of.To.IsZero() && before.At.After(of.To) {
		before = authorization.ListKey{At: of.To}
	}
	from := int64(math.MinInt64)
	if !of.From.IsZero() {
		from = roundedUp(of.From)
	}
	var list []authorization.Authorization
	queries := make([]db.Query, len(sources))
	for i, s := range sources {
		args := append([]any{s.of, from, behind(before.At), before.ID, count}, s.last...)
		queries[i] = db.Rows(&list, scanAuthorization, s.text, args...)
	}
	if err := t.session.Query(queries...); err != nil {
		return nil, err
	}
	slices.SortFunc(list, func(a, b authorization.Authorization) int {
		return a.ListKey().Compare(b.ListKey())
	})
	return list[:min(len(list), count)], nil
}

// FindFirstDeclined queries each program for its first declined authorization and returns the
// earliest.
func (t authorizations) FindFirstDeclined(
	of []int, reason authorization.Reason, since time.Time,
) (time.Time, error) {
	programs, err := programsOf(t.session, of)
	if err != nil {
		return time.Time{}, err
	}
	if of == nil {
		programs = append(programs, 0)
	}
	var firsts []time.Time
	queries := make([]db.Query, len(programs))
	for i, id := range programs {
		queries[i] = db.Rows(
			&firsts, scanTime, findFirstDeclined, id, string(reason), roundedUp(since))
	}
	if err := t.session.Query(queries...); err != nil || len(firsts) == 0 {
		return time.Time{}, err
	}
	return slices.MinFunc(firsts, time.Time.Compare), nil
}

// behind returns the time before which a list begins, in milliseconds. The zero time is no bound.
func behind(at time.Time) int64 {
	if at.IsZero() {
		return math.MaxInt64
	}
	return roundedUp(at)
}

// roundedUp returns a time in milliseconds, rounded up.
func roundedUp(at time.Time) int64 { return at.Add(time.Millisecond - 1).UnixMilli() }
