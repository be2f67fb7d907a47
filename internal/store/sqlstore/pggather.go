package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"mintmark/internal/customer"
	"mintmark/internal/store"
)

// gatherer answers requests for standings that come at the same time with one statement. What a
// server does for a statement costs more than to find the rows, and so does the way there and
// back, so those that would have to wait for their turn travel together. A request that is alone
// travels alone, and at once.
type gatherer struct {
	// ask finds out what is wanted, whatever the requests do in the meantime that want it.
	ask func(all []*wanted)

	lock    sync.Mutex
	waiting []*wanted
	asking  int // how many statements are under way
}

// wanted is a standing that a request waits for.
type wanted struct {
	programID, customerID int
	of                    store.CardKey

	done     chan struct{} // closed when the rest is known
	standing store.Standing
	err      error
}

// askingMost is how many statements are under way at once. Fewer gather more requests into each,
// which saves work; more make better use of a server that is far away.
const askingMost = 2

// find waits until what is wanted is known. Whoever is asked for together with others began to
// wait before that statement was sent, so the answer is never older than the request.
func (g *gatherer) find(ctx context.Context, one *wanted) (store.Standing, error) {
	if err := ctx.Err(); err != nil {
		return store.Standing{}, err
	}
	one.done = make(chan struct{})
	g.lock.Lock()
	g.waiting = append(g.waiting, one)
	if g.asking < askingMost {
		g.asking++
		go g.work()
	}
	g.lock.Unlock()
	select {
	case <-one.done:
		return one.standing, one.err
	case <-ctx.Done():
		return store.Standing{}, ctx.Err()
	}
}

// work asks for those that wait until nobody does.
func (g *gatherer) work() {
	for {
		g.lock.Lock()
		all := g.waiting
		g.waiting = nil
		if len(all) == 0 {
			g.asking--
			g.lock.Unlock()
			return
		}
		g.lock.Unlock()
		g.answer(all)
	}
}

// errNotAsked is what requests are told when the asking for them has panicked. The process must
// not end with it, as little as it does when a single request panics.
var errNotAsked = errors.New("sqlstore: what is wanted was not found out")

func (g *gatherer) answer(all []*wanted) {
	defer func() {
		trouble := recover()
		for _, one := range all {
			if trouble != nil {
				one.err = fmt.Errorf("%w: %v", errNotAsked, trouble)
			}
			close(one.done)
		}
	}()
	g.ask(all)
}

// The statements for many take the programs, customers and cards that are asked for as arrays,
// and each row that they find says for which place in them it is.
var (
	standingsByID  = standingsBy("card_id", "BIGINT")
	standingsByTag = standingsBy("tag", "TEXT")
)

func standingsBy(key, kind string) string {
	return `SELECT k.place, ` + standingColumns + `
	FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS ` + kind + `[]))
		WITH ORDINALITY AS k (program_id, customer_id, card_key, place)
	JOIN customers u ON u.program_id = k.program_id AND u.customer_id = k.customer_id
	JOIN cards c ON c.program_id = k.program_id AND c.` + key + ` = k.card_key` + withAccounts +
		`ORDER BY k.place`
}

// findStandings finds what one has asked for, or with one statement what many have.
func (r *reader) findStandings(text string, all []*wanted) error {
	if len(all) == 1 {
		one := all[0]
		one.standing, one.err = r.FindStanding(one.programID, one.customerID, one.of)
		return nil
	}
	programs, customers := make([]int, len(all)), make([]int, len(all))
	ids, tags := make([]int, len(all)), make([]string, len(all))
	for i, one := range all {
		programs[i], customers[i] = one.programID, one.customerID
		ids[i], tags[i] = one.of.ID, escaped(one.of.Tag)
	}
	key := any(ids)
	if all[0].of.ID == 0 {
		key = tags
	}
	var place, last int
	var asks customer.Customer
	var found gathering
	into := append([]any{&place}, found.into(&asks)...)
	err := r.session.query(r.ctx, func(row scan) error {
		if err := row(into...); err != nil {
			return err
		}
		if place != last {
			last = place
			found.clear()
		}
		found.keep()
		all[place-1].standing = found.standing(asks)
		return nil
	}, text, programs, customers, key)
	if err != nil {
		return err
	}
	return r.lookAgain(all)
}

// lookAgain takes the second look for those whose card or customer was not found, like findAround
// does for one.
func (r *reader) lookAgain(all []*wanted) error {
	missing := slices.DeleteFunc(slices.Clone(all), func(one *wanted) bool {
		return one.standing.Card.ID != 0
	})
	if len(missing) == 0 {
		return nil
	}
	asks, found := make([]customer.Customer, len(missing)), make([]gathering, len(missing))
	var questions []question
	for i, one := range missing {
		text, args := standingQuery(one.programID, one.customerID, one.of)
		questions = append(questions,
			found[i].question(&asks[i], text, args...),
			briefly(&asks[i], findBrief, one.programID, one.customerID))
	}
	if err := r.together(questions...); err != nil {
		return err
	}
	for i, one := range missing {
		one.standing = found[i].standing(asks[i])
		if asks[i].ID == 0 {
			one.err = store.ErrNotFound
		}
	}
	return nil
}
