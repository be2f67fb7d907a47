package overview

import (
	"context"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

// Backlog is the state of everything that is queued, for a monitoring system.
type Backlog struct {
	Orders   []store.OrderCount
	Locks    store.UnconfirmedLocks
	Jobs     []store.JobState
	Webhooks []WebhookBacklog
	Keys     []KeyEnd // with an expiry
	At       time.Time

	Reconciliations []reconciled.Report // the newest of each program and kind
}

// WebhookBacklog is the progress of a webhook.
type WebhookBacklog struct {
	ID       int
	Paused   bool
	Gone     bool // the service has paused it, because its receiver wants no more events
	Position int  // the last event that was sent, or stored to be sent
	Late     bool // a failed delivery is due again
	Waiting  int  // deliveries that will be retried
	Dead     int  // deliveries that were given up
}

// maxReconciled limits the programs and kinds of lists that are watched.
const maxReconciled = 1000

// KeyEnd is the time until which callers may use a key.
type KeyEnd struct {
	ProgramID int
	Name      string
	Label     string
	Expires   time.Time // of the secret that expires last
}

// Backlog returns the state of everything that is queued, in all programs, from one snapshot.
func (s *Service) Backlog(ctx context.Context) (Backlog, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (backlog Backlog, err error) {
		backlog.At = r.Now()
		if backlog.Orders, err = r.Orders().Count(nil); err != nil {
			return backlog, err
		}
		if backlog.Locks, err = countOpenLocks(r, nil); err != nil {
			return backlog, err
		}
		if backlog.Jobs, err = r.Jobs().List(); err != nil {
			return backlog, err
		}
		if backlog.Keys, err = keyEnds(r); err != nil {
			return backlog, err
		}
		if backlog.Reconciliations, err = newestReports(r); err != nil {
			return backlog, err
		}
		backlog.Webhooks, err = webhookBacklogs(r)
		return backlog, err
	})
}

// newestReports returns the newest reconciliation of each program and kind.
func newestReports(r store.Tx) ([]reconciled.Report, error) {
	return r.Reconciliations().List(reconciled.Query{Last: true, Limit: maxReconciled})
}

func keyEnds(r store.Tx) ([]KeyEnd, error) {
	keys, err := r.Keys().List()
	var states []KeyEnd
	for _, key := range keys {
		if end, ok := key.Ends(); ok {
			states = append(states, KeyEnd{
				ProgramID: key.ProgramID, Name: key.Name, Label: key.Title(), Expires: end,
			})
		}
	}
	return states, err
}

func webhookBacklogs(r store.Tx) ([]WebhookBacklog, error) {
	hooks, err := r.Webhooks().List(0)
	if err != nil {
		return nil, err
	}
	endpoints, err := r.Webhooks().ListEndpoints()
	if err != nil {
		return nil, err
	}
	due, err := r.Deliveries().ListEndpointsDue(r.Now())
	if err != nil {
		return nil, err
	}
	of := make(map[int]subscription.Endpoint, len(endpoints))
	for _, endpoint := range endpoints {
		of[endpoint.WebhookID] = endpoint
	}
	late := make(map[int]bool, len(due))
	for _, id := range due {
		late[id] = true
	}
	states := make([]WebhookBacklog, len(hooks))
	for i, hook := range hooks {
		states[i] = WebhookBacklog{
			ID: hook.ID, Paused: hook.Paused, Gone: hook.PausedBecause != "",
			Position: of[hook.ID].Position, Late: late[hook.ID],
		}
		counted, err := r.Deliveries().Count(hook.ID)
		if err != nil {
			return nil, err
		}
		states[i].Waiting, states[i].Dead = counted.Waiting, counted.Dead
	}
	return states, nil
}
