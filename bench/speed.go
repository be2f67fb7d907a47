package main

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// speedOf is the speed of one operation with a number of connections.
type speedOf struct {
	store, operation string
	connections      int
	perSecond        float64
	p50, p99         time.Duration
}

// speedCards is the size of the database for the operations in the report.
const speedCards = 100_000

// speed measures every operation with every number of connections, and takes the median of the
// rounds.
func (b *bench) speed(e engine) error {
	cards := min(speedCards, slices.Max(b.sizes))
	for _, op := range operations {
		batches := [][]int{connections}
		if op.once { // each number of connections needs all of the cards
			batches = slices.Collect(slices.Chunk(connections, 1))
		}
		for _, batch := range batches {
			if err := b.speedOf(e, op, op.cards(cards), batch); err != nil {
				return fmt.Errorf("%s: %w", op.name, err)
			}
		}
	}
	return nil
}

// speedOf measures an operation on separate data with several numbers of connections.
func (b *bench) speedOf(e engine, op operation, cards int, connections []int) (err error) {
	serving, err := b.servedFor(e, op, cards, b.program, "speed")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	w := op.work(serving, cards)
	for _, callers := range connections {
		var rates []float64
		var p50, p99 []time.Duration
		for round := range b.rounds + 1 {
			reached, err := b.answered(w, callers)
			if err != nil {
				return err
			}
			if round == 0 {
				continue // it warms up
			}
			rates = append(rates, reached.perSecond)
			p50, p99 = append(p50, reached.p50), append(p99, reached.p99)
		}
		b.report.measured(speedOf{
			store: b.report.store, operation: op.name, connections: callers,
			perSecond: median(rates), p50: median(p50), p99: median(p99),
		})
	}
	return op.verify(e, serving)
}

// verify checks the data of a server after a measurement.
func (op operation) verify(e engine, on *server) error {
	if op.check == nil {
		return nil
	}
	db, err := e.open(on.data)
	if err != nil {
		return err
	}
	defer db.Close()
	return op.check(db)
}

// servedFor starts a program on data prepared for an operation.
func (b *bench) servedFor(
	e engine, op operation, cards int, program, purpose string,
) (*server, error) {
	directory, err := b.data(e, cards, fmt.Sprintf("%s-%d", purpose, b.databases.Add(1)))
	if err != nil {
		return nil, err
	}
	if op.prepare != nil {
		db, err := e.open(directory)
		if err != nil {
			return nil, err
		}
		defer db.Close()
		if err := op.prepare(db); err != nil {
			return nil, err
		}
		if err := e.settle(db); err != nil {
			return nil, err
		}
	}
	return startServer(program, directory, e.settings(directory)+op.settings)
}

// answered runs a load in which no request may be refused, because a refused one costs less.
func (b *bench) answered(w work, callers int) (outcome, error) {
	reached, err := w.run(callers, b.lasting)
	if err == nil && reached.refused > 0 {
		err = fmt.Errorf("%d requests were refused, the first with %s", reached.refused, reached.refusal)
	}
	return reached, err
}
