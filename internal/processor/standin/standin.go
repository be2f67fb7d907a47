// Package standin is a card processor as a separate program, for tests and for engineers who have
// none at hand: it accepts orders over HTTP or from files, and reports over HTTP or in files, as
// docs/processor.md describes. Package simulator makes the decisions; this package transmits,
// stores and signs. It must not be trusted with real cards.
package standin

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
	"mintmark/internal/processor/folder"
	"mintmark/internal/processor/message"
	"mintmark/internal/processor/simulator"
)

// Settings configures a stand-in.
type Settings struct {
	Listen     string // address for orders and commands
	Keys       string // directory of its keys and secrets; missing ones are created
	Data       string // directory of its journal; without it a restart forgets everything
	Folder     string // folder for files; without it there are none
	ReportURLs []string
	Mode       simulator.Mode // of the first start
	Log        *slog.Logger

	// CrashAt is the step, counted from 1, at which Crash is called, so that tests can stop the
	// process between any two steps.
	CrashAt int
	// Crash ends the process without cleanup.
	Crash func()
}

// Standin is a running card processor.
type Standin struct {
	Settings
	keys     *keys
	client   *http.Client
	listener net.Listener
	folder   *folder.Folder

	mu      sync.Mutex
	journal *journal
	machine *simulator.Machine
	results map[string]order.ReportResult
	took    int    // number of the last file of orders
	wrote   int    // number of the last file of reports
	decided *batch // a file of reports that is decided and may not be written yet
	steps   atomic.Int64
	news    chan struct{} // signals that there is something to report
}

// Open opens a processor and replays its journal.
func Open(s Settings) (*Standin, error) {
	p := &Standin{
		Settings: s, client: &http.Client{Timeout: reportTimeout},
		results: map[string]order.ReportResult{}, news: make(chan struct{}, 1),
	}
	var err error
	if s.Folder != "" {
		p.folder, err = folder.Open(s.Folder, time.Now())
		if err != nil {
			return nil, err
		}
		p.folder.Before = func(step string) error { p.step(step); return nil }
	}
	p.keys, err = openKeys(s.Keys)
	if err != nil {
		return nil, fmt.Errorf("open keys: %w", err)
	}
	var events []event
	p.journal, events, err = openJournal(s.Data)
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	for i, e := range events {
		if _, err := p.apply(e); err != nil {
			return nil, errors.Join(fmt.Errorf("line %d of the journal: %w", i+1, err),
				p.journal.close())
		}
	}
	if len(events) == 0 {
		name := "standin-" + strings.ToLower(rand.Text()[:12])
		if _, err := p.record(event{Begun: &begun{Name: name, Mode: s.Mode}}); err != nil {
			return nil, errors.Join(err, p.journal.close())
		}
	}
	p.listener, err = net.Listen("tcp", s.Listen)
	if err != nil {
		return nil, errors.Join(err, p.journal.close())
	}
	return p, nil
}

// URL returns the URL for orders.
func (p *Standin) URL() string { return "http://" + p.listener.Addr().String() }

// Run runs the processor until the context ends.
func (p *Standin) Run(ctx context.Context) error {
	server := &http.Server{Handler: p.handler(), ReadHeaderTimeout: reportTimeout}
	var working sync.WaitGroup
	working.Go(func() { p.reportOn(ctx) })
	if p.folder != nil {
		working.Go(func() { p.exchangeOn(ctx) })
	}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	err := server.Serve(p.listener)
	stopped()
	working.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, p.journal.close())
}

// step counts a step at which a crash can occur.
func (p *Standin) step(string) {
	if p.steps.Add(1) == int64(p.CrashAt) && p.Crash != nil {
		p.Crash()
	}
}

// done is the result of an event.
type done struct {
	answer   processor.Answer
	repeated bool
	report   order.Report
}

// record stores an event that was already checked, and applies it. The caller holds mu, except for
// Open.
func (p *Standin) record(e event) (done, error) {
	e.At = time.Now().UTC().Truncate(time.Millisecond)
	p.step("keep")
	if err := p.journal.add(e); err != nil {
		return done{}, fmt.Errorf("write to the journal: %w", err)
	}
	p.step("kept")
	result, err := p.apply(e)
	select {
	case p.news <- struct{}{}:
	default:
	}
	return result, err
}

// apply applies an event. The same events lead to the same state.
func (p *Standin) apply(e event) (done, error) {
	switch {
	case e.Begun != nil:
		p.machine = simulator.New(e.Begun.Name, e.Begun.Mode)
	case e.Order != nil:
		return p.receive(*e.Order, e.At)
	case e.Orders != nil:
		for _, o := range e.Orders.Orders {
			taken, err := p.receive(o, e.At)
			if err != nil {
				return done{}, err
			}
			p.refuseByReport(o, taken, e.At)
		}
		p.took = e.Orders.Sequence
	case e.Say != nil:
		report, err := p.machine.Report(e.Say.CardID, e.Say.Kind, e.Say.Reason, e.At)
		return done{report: report}, err
	case e.Mode != "":
		return done{}, p.machine.SetMode(e.Mode)
	case e.Deviate != nil:
		return done{}, p.machine.Deviate(e.Deviate.ProgramID, e.Deviate.CardID, e.Deviate.State)
	case e.Batch != nil:
		p.decided = e.Batch
	case e.Written != 0:
		p.wrote = e.Written
		p.machine.Delivered(p.decided.IDs...)
		p.decided = nil
	case e.Delivered != nil:
		for _, d := range e.Delivered {
			p.results[d.ReportID] = d.ReportResult
			p.machine.Delivered(d.ReportID)
		}
	}
	return done{}, nil
}

// receive processes an order and queues its immediate reports.
func (p *Standin) receive(body message.Order, at time.Time) (done, error) {
	taken, err := p.open(body)
	if err != nil {
		return done{}, err
	}
	answer, repeated := p.machine.Receive(taken, at)
	if !repeated {
		p.machine.Queue(answer.Reports...)
	}
	return done{answer: answer, repeated: repeated}, nil
}

// refuseByReport reports the refusal of an order from a file, because a file has no response.
func (p *Standin) refuseByReport(body message.Order, taken done, at time.Time) {
	if taken.answer.Outcome != processor.Refused || taken.repeated || body.Kind != order.Make {
		return
	}
	p.machine.Queue(order.Report{
		ID: body.OrderID + "-refused", OrderID: body.OrderID, CardID: body.CardID,
		Kind: order.Refused, At: at, Reason: taken.answer.Reason,
	})
}

// open decrypts the secret of an order.
func (p *Standin) open(body message.Order) (simulator.Order, error) {
	opened := simulator.Order{
		ID: body.OrderID, Sequence: body.Sequence, Kind: body.Kind, CardID: body.CardID,
		ProgramID: body.ProgramID, Card: body.Card,
	}
	if body.Sealed != "" {
		secret, err := message.Open(p.keys.private, body.OrderID, body.Sealed)
		if err != nil {
			return simulator.Order{}, fmt.Errorf("order %s: %w", body.OrderID, err)
		}
		opened.Secret = &secret
	}
	return opened, nil
}
