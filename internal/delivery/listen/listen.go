// Package listen follows the events of a running service and forwards each to a program of a
// developer, signed as a webhook is, so that a machine without a public address receives them. It
// uses the operators' interface, as any other program does. Package webhook delivers events in
// production, with subscriptions, stored attempts and a schedule of days.
//
//	Run -> next (the service) -> deliver -> post (forward.go) -> Told
//
// Events are forwarded one after the other, in their order. The place in the log moves on when an
// event was taken or dropped, so a receiver that restarts misses none.
package listen

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"mintmark/client/admin"
)

// FromNow, as the After of settings, begins with what happens next.
const FromNow = -1

// Settings say what is followed, and where it is forwarded to.
type Settings struct {
	Client *admin.Client
	Filter url.Values // of GET events: programId, cardId, type
	After  int        // the sequence behind which to begin, or FromNow
	Limit  int        // ends after so many events; 0 for never

	To      string // where events are posted to; empty to only show them
	Secrets []Secret

	Ready func(after int)          // called once, when what follows will be told
	Told  func(Delivery) error     // called for each event; its error ends Run
	Say   func(string, ...any)     // what a person should know
	pause func(time.Duration) bool // nil: wait; false ends
}

// Event holds the members of an event that a line about it shows.
type Event struct {
	ID         string    `json:"id"`
	Sequence   int       `json:"sequence"`
	Type       string    `json:"type"`
	At         time.Time `json:"at"`
	CardID     int       `json:"cardId"`
	CustomerID int       `json:"customerId"`
}

// Delivery is an event and what became of it.
type Delivery struct {
	Event   Event
	Body    []byte            // as a webhook is sent it
	Headers map[string]string // as it was signed last
	Status  int               // that the receiver has answered, 0 without a receiver
	Took    time.Duration     // of the last try
	Tries   int
}

// Taken reports whether a receiver has taken the event.
func (d Delivery) Taken() bool { return d.Status >= 200 && d.Status <= 299 }

// events are an answer of the service, with the bodies as they are.
type events struct {
	Items []json.RawMessage `json:"items"`
	After int               `json:"after"` // to go on with
}

// How long the service is asked to wait for an event, and how long to wait before it is asked again
// when it has not.
const (
	patience = 15 * time.Second
	breath   = time.Second
	tooSoon  = 100 * time.Millisecond
)

// Run follows events until the context ends, which is no error, or the limit is reached. A service
// that cannot be reached at first, and any refusal, is an error; one that goes away later is waited
// for.
func Run(ctx context.Context, s Settings) error {
	r := run{Settings: s, sender: newSender()}
	err := r.follow(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// run is where a Run stands.
type run struct {
	Settings
	sender *sender
	told   int
	away   bool // the service does not answer, which was said
}

func (r *run) follow(ctx context.Context) error {
	at := r.After
	first, err := r.ask(ctx, at, 0)
	if err != nil {
		return err
	}
	if at == FromNow {
		at = first.After
		first.Items = nil
	}
	r.Ready(at)
	list := first
	for {
		next, done, err := r.take(ctx, at, list)
		if err != nil || done {
			return err
		}
		at = next
		list, err = r.next(ctx, at)
		if err != nil {
			return err
		}
	}
}

// take delivers what was found behind a place, and returns the place behind that.
func (r *run) take(ctx context.Context, at int, list events) (int, bool, error) {
	if list.After < at {
		r.Say("The log ends at event %d now: the sandbox was reset or restored.", list.After)
		return list.After, false, nil
	}
	for _, body := range list.Items {
		d := Delivery{Body: body}
		if err := json.Unmarshal(body, &d.Event); err != nil {
			return at, false, fmt.Errorf("%w: an event: %w", admin.ErrBrokenAnswer, err)
		}
		if err := r.deliver(ctx, &d); err != nil {
			return at, false, err
		}
		if err := r.Told(d); err != nil {
			return at, false, err
		}
		r.told++
		if r.told == r.Limit {
			return at, true, nil
		}
	}
	return list.After, false, nil
}

// next waits for what happens behind a place. A service that does not answer is asked again.
func (r *run) next(ctx context.Context, at int) (events, error) {
	for {
		began := time.Now()
		list, err := r.ask(ctx, at, patience)
		var refused *admin.Problem
		lasting := errors.As(err, &refused) && refused.Name() != admin.Unavailable
		switch {
		case ctx.Err() != nil:
			return events{}, ctx.Err()
		case lasting:
			return events{}, err
		case err != nil && !r.away:
			r.away = true
			r.Say("The service does not answer; trying again until it does. (%v)", err)
		case err == nil:
			if r.away {
				r.away = false
				r.Say("The service answers again.")
			}
			if len(list.Items) > 0 || list.After != at || time.Since(began) > tooSoon {
				return list, nil
			}
		}
		if !r.wait(ctx, breath) {
			return events{}, ctx.Err()
		}
	}
}

// ask asks for what lies behind a place.
func (r *run) ask(ctx context.Context, at int, wait time.Duration) (events, error) {
	query := url.Values{}
	for name, values := range r.Filter {
		query[name] = values
	}
	query.Set("wait", wait.String())
	if at != FromNow {
		query.Set("after", strconv.Itoa(at))
	}
	return admin.Do[events](ctx, r.Client,
		admin.Request{Method: "GET", Path: "events", Query: query})
}

// wait lets some time pass, and reports whether there is more to do.
func (r *run) wait(ctx context.Context, d time.Duration) bool {
	if r.pause != nil {
		return r.pause(d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
