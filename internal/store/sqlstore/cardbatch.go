package sqlstore

import (
	"context"
	"slices"

	"mintmark/internal/domain/customer"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// batchedCards implements store.Cards with views found by the batcher.
type batchedCards struct{ cards }

// FindView looks up an alternative tag without the batcher: only older callers send one.
func (t batchedCards) FindView(
	programID, customerID int, of store.CardKey,
) (store.CardView, error) {
	if of.AltTag != "" {
		return t.cards.FindView(programID, customerID, of)
	}
	return t.batch.find(t.ctx, viewKey{programID, customerID, of})
}

// batcher answers concurrent lookups of card views with one statement.
type batcher struct {
	byID, byTag lookupBatcher[viewKey, store.CardView]
}

// viewKey identifies a card view.
type viewKey struct {
	programID, customerID int
	of                    store.CardKey
}

type pendingView = lookup[viewKey, store.CardView]

func newBatcher(engine db.Engine) *batcher {
	b := &batcher{}
	b.byID.Answer = answerBy(engine, findViewsByID)
	b.byTag.Answer = answerBy(engine, findViewsByTag)
	return b
}

func answerBy(engine db.Engine, text string) func(context.Context, []*pendingView) error {
	return func(ctx context.Context, all []*pendingView) error {
		return engine.Read(ctx, func(s db.Session) error {
			return findViews(&tx{session: s}, text, all)
		})
	}
}

func (b *batcher) find(ctx context.Context, key viewKey) (store.CardView, error) {
	if key.of.ID != 0 {
		return b.byID.Find(ctx, key)
	}
	return b.byTag.Find(ctx, key)
}

// The statements for many lookups, for PostgreSQL only. They take programs, customers and cards as
// arrays; each row has its place in them.
var (
	findViewsByID = `SELECT k.place, ` + viewColumns + `
		FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS BIGINT[]))
			WITH ORDINALITY AS k (program_id, customer_id, card_id, place)
		JOIN customers u ON u.program_id = k.program_id AND u.customer_id = k.customer_id
		JOIN cards c ON c.program_id = k.program_id AND c.card_id = k.card_id
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		ORDER BY k.place`
	findViewsByTag = `SELECT k.place, ` + viewColumns + `
		FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS BIGINT[]), CAST($3 AS TEXT[]))
			WITH ORDINALITY AS k (program_id, customer_id, tag, place)
		JOIN customers u ON u.program_id = k.program_id AND u.customer_id = k.customer_id
		JOIN cards c ON c.program_id = k.program_id AND c.tag = k.tag
		LEFT JOIN card_slots s ON s.card_id = c.card_id
		LEFT JOIN accounts a ON a.account_id = s.account_id
		ORDER BY k.place`
)

// findViews answers one lookup, or many with one statement.
func findViews(t *tx, text string, all []*pendingView) error {
	if len(all) == 1 {
		view := all[0]
		view.Value, view.Err = cards{t}.FindView(
			view.Key.programID, view.Key.customerID, view.Key.of)
		return nil
	}
	programs, customers := make([]int, len(all)), make([]int, len(all))
	ids, tags := make([]int, len(all)), make([]string, len(all))
	for i, view := range all {
		programs[i], customers[i] = view.Key.programID, view.Key.customerID
		ids[i], tags[i] = view.Key.of.ID, view.Key.of.Tag
	}
	key := any(ids)
	if all[0].Key.of.ID == 0 {
		key = tags
	}
	var place, last int
	var asks customer.Standing
	var rows cardRows
	into := append([]any{&place}, rows.into(&asks)...)
	err := t.session.Query(db.Query{Text: text, Args: []any{programs, customers, key},
		Each: func(row db.Scan) error {
			if err := row(into...); err != nil {
				return err
			}
			if place != last {
				last = place
				rows.clear()
			}
			rows.add()
			all[place-1].Value = rows.view(asks)
			return nil
		}})
	if err != nil {
		return err
	}
	return findMissing(t, all)
}

// findMissing does for many lookups what findAround does for one that finds no card.
func findMissing(t *tx, all []*pendingView) error {
	missing := slices.DeleteFunc(slices.Clone(all), func(view *pendingView) bool {
		return view.Value.Card.ID != 0
	})
	if len(missing) == 0 {
		return nil
	}
	asks, rows := make([]customer.Standing, len(missing)), make([]cardRows, len(missing))
	var queries []db.Query
	for i, view := range missing {
		text, args := viewQuery(view.Key.programID, view.Key.customerID, view.Key.of)
		queries = append(queries,
			rows[i].query(&asks[i], text, args...),
			db.Row(standingInto(&asks[i]), findStanding, view.Key.programID, view.Key.customerID))
	}
	if err := t.session.Query(queries...); err != nil {
		return err
	}
	for i, view := range missing {
		view.Value = rows[i].view(asks[i])
		if asks[i].ID == 0 {
			view.Err = store.ErrNotFound
		}
	}
	return nil
}
