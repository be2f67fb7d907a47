package sqlstore

import (
	"context"
	"time"

	"mintmark/internal/store"
)

// question is a query, and what is done with each row that it finds.
type question struct {
	each func(scan) error
	text string
	args []any
}

// listing is the query for a list.
func listing[T any](into *[]T, read func(scan) (T, error), text string, args ...any) question {
	return question{text: text, args: args, each: func(row scan) error {
		one, err := read(row)
		*into = append(*into, one)
		return err
	}}
}

// one is the query for a single row, whose values go into where they belong.
func one(into []any, text string, args ...any) question {
	return question{text: text, args: args, each: func(row scan) error { return row(into...) }}
}

// together asks several queries over one stable picture. A server that is far away gets all of
// them in one trip.
func (r *reader) together(questions ...question) error {
	several, ok := r.session.(interface {
		together(ctx context.Context, questions ...question) error
	})
	if ok {
		return several.together(r.ctx, questions...)
	}
	return inTurn(r.ctx, r.session, questions)
}

func inTurn(ctx context.Context, one session, questions []question) error {
	for _, a := range questions {
		if err := one.query(ctx, a.each, a.text, a.args...); err != nil {
			return err
		}
	}
	return nil
}

// Glance runs a closure in which each find sees a stable picture of its own.
func (s *Store) Glance(ctx context.Context, fn func(store.Reader) error) error {
	one, err := s.take(ctx, s.readers)
	if err != nil {
		return err
	}
	defer func() { s.readers <- one }()
	return fn(&reader{
		ctx: ctx, session: apart{one, s.dialect.beginView}, began: beganAt(s.time()),
	})
}

// apart is a session without a transaction. One statement sees a stable picture by itself; only
// several need a transaction around them.
type apart struct {
	session
	begin string
}

func (a apart) together(ctx context.Context, questions ...question) error {
	if len(questions) == 1 {
		return inTurn(ctx, a.session, questions)
	}
	if _, err := a.exec(ctx, a.begin); err != nil {
		return err
	}
	// Nothing was written, so it does not matter how the transaction ends.
	defer func() { _, _ = a.exec(context.WithoutCancel(ctx), "ROLLBACK") }()
	return inTurn(ctx, a.session, questions)
}

// Glance runs a closure in which each find sees a stable picture of its own.
func (p *Postgres) Glance(ctx context.Context, fn func(store.Reader) error) error {
	one, err := p.take(ctx)
	if err != nil {
		return err
	}
	defer one.release()
	one.apart = true
	return fn(&reader{ctx: ctx, session: one, began: p.viewTime()})
}

// viewTime is the time of a transaction that only reads.
func (p *Postgres) viewTime() began {
	now := time.Now
	if p.clock != nil {
		now = p.clock
	}
	return beganAt(now().UTC().Truncate(time.Millisecond))
}
