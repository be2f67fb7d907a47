// Package listen follows the events of a running service and forwards each to a developer's
// program, signed like a webhook, so that a machine without a public address receives them. It uses
// the operators' interface like any other client. Package webhook delivers events in production,
// with subscriptions, stored attempts and retries over days.
//
//	Run -> next (the service) -> deliver -> post (forward.go) -> Told
//
// Events are forwarded in order, one after the other. The position in the log advances only after
// an event is accepted or dropped, so a receiver that restarts misses none.
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

// FromNow, as Settings.After, starts with the next event that happens.
const FromNow = -1

// Settings configures which events Run follows, and where it forwards them.
type Settings struct {
	Client *admin.Client
	Filter url.Values // query parameters of GET events: programId, cardId, type
	After  int        // the sequence after which to start, or FromNow
	Limit  int        // the number of events after which Run ends; 0 for no limit

	To      string // the URL to post events to; empty to only show them
	Secrets []Secret

	Ready       func(after int)          // called once, with the position from which Run follows
	OnDelivered func(Delivery) error     // called for each event; an error ends Run
	Say         func(string, ...any)     // prints a message for the user
	pause       func(time.Duration) bool // replaces waiting unless nil; false ends Run
}

// Event holds the members of an event that the output shows.
type Event struct {
	ID         string    `json:"id"`
	Sequence   int       `json:"sequence"`
	Type       string    `json:"type"`
	At         time.Time `json:"at"`
	CardID     int       `json:"cardId"`
	CustomerID int       `json:"customerId"`
}

// Delivery is an event and the outcome of its delivery.
type Delivery struct {
	Event   Event
	Body    []byte            // as a webhook receives it
	Headers map[string]string // as signed for the last attempt
	Status  int               // status of the receiver's last response; 0 for none
	Took    time.Duration     // duration of the last attempt
	Tries   int
}

// Taken reports whether the receiver accepted the event.
func (d Delivery) Taken() bool { return d.Status >= 200 && d.Status <= 299 }

// events is a response of the service; the bodies of its events stay encoded.
type events struct {
	Items []json.RawMessage `json:"items"`
	After int               `json:"after"` // the position to continue from
}

// patience is how long the service may hold a request until an event arrives. If a response without
// events arrives within tooSoon, the service did not wait. breath is the pause before the next
// request in that case, and after an error.
const (
	patience   = 15 * time.Second
	retryPause = time.Second
	tooSoon    = 100 * time.Millisecond
)

// Run follows events until the context ends, which is not an error, or the limit is reached. It
// returns an error if the service cannot be reached at the start or rejects a request; it waits for
// a service that goes away later.
func Run(ctx context.Context, s Settings) error {
	r := run{Settings: s, sender: newSender()}
	err := r.follow(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// run is the state of a call of Run.
type run struct {
	Settings
	sender *sender
	told   int
	away   bool // the service does not answer, and the user was informed
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

// take delivers the events of a response that follow a position. It returns the next position, and
// whether the limit is reached.
func (r *run) take(ctx context.Context, at int, list events) (int, bool, error) {
	if list.After < at {
		r.Say("The log ends at event %d now: the sandbox was reset or restored.", list.After)
		return list.After, false, nil
	}
	for _, body := range list.Items {
		d := Delivery{Body: body}
		if err := json.Unmarshal(body, &d.Event); err != nil {
			return at, false, fmt.Errorf("%w: decode event: %w", admin.ErrBrokenAnswer, err)
		}
		if err := r.deliver(ctx, &d); err != nil {
			return at, false, err
		}
		if err := r.OnDelivered(d); err != nil {
			return at, false, err
		}
		r.told++
		if r.told == r.Limit {
			return at, true, nil
		}
	}
	return list.After, false, nil
}

// next waits for events after a position. It retries a service that does not answer.
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
		if !r.wait(ctx, retryPause) {
			return events{}, ctx.Err()
		}
	}
}

// ask requests the events after a position.
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

// wait pauses, and reports whether the run continues.
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
