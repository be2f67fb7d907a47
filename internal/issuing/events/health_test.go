package events_test

import (
	"testing"
	"time"

	"mintmark/internal/domain/event"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/issuing/events"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestHealth distinguishes failing webhooks from those that are briefly late.
func TestHealth(t *testing.T) {
	t.Parallel()
	const minute = time.Minute
	tests := []struct {
		name   string
		hook   subscription.Webhook
		kept   map[subscription.State]time.Duration // deliveries, by age
		tries  []int                                // response statuses, oldest first
		want   events.HealthState
		since  time.Duration
		answer string
	}{
		{name: "new", want: events.Delivering},
		{name: "well", tries: []int{500, 500, 500, 204}, want: events.Delivering, answer: "204"},
		{
			name: "first failure", tries: []int{204, 500}, want: events.Behind, answer: "500",
			kept: map[subscription.State]time.Duration{subscription.Waiting: minute}, since: minute,
		},
		{
			name: "new, first failure", tries: []int{500}, want: events.Behind, answer: "500",
			kept: map[subscription.State]time.Duration{subscription.Waiting: minute}, since: minute,
		},
		{
			name: "new, second failure", tries: []int{500, 500}, want: events.Failing, answer: "500",
			kept: map[subscription.State]time.Duration{subscription.Waiting: minute}, since: minute,
		},
		{
			name: "second failure", tries: []int{204, 500, 500}, want: events.Behind, answer: "500",
			kept: map[subscription.State]time.Duration{subscription.Waiting: minute}, since: minute,
		},
		{
			name: "tries failed", tries: []int{204, 500, 500, 502}, want: events.Failing,
			kept:  map[subscription.State]time.Duration{subscription.Waiting: minute},
			since: minute, answer: "502",
		},
		{
			name: "five minutes", want: events.Behind, tries: []int{204}, answer: "204",
			kept:  map[subscription.State]time.Duration{subscription.Waiting: 5 * minute},
			since: 5 * minute,
		},
		{
			name: "longer", want: events.Failing, tries: []int{204}, answer: "204",
			kept:  map[subscription.State]time.Duration{subscription.Waiting: 5*minute + 1000*time.Millisecond},
			since: 5*minute + time.Second,
		},
		{
			name: "given up", want: events.Failing, tries: []int{204}, answer: "204",
			kept: map[subscription.State]time.Duration{
				subscription.Waiting: minute, subscription.Dead: 80 * time.Hour,
			},
			since: 80 * time.Hour,
		},
		{
			name: "paused", hook: subscription.Webhook{Paused: true}, want: events.Paused,
			kept:  map[subscription.State]time.Duration{subscription.Waiting: time.Hour},
			since: time.Hour,
		},
		{
			name: "paused by the service", want: events.Failing, tries: []int{410}, answer: "410",
			hook: subscription.Webhook{Paused: true, PausedBecause: "410 Gone"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := issuingtest.NewProduction(t)
			hook := test.hook
			hook.ProgramID, hook.Name, hook.URL = 1, "till", "https://till.example.com"
			var got events.Health
			var troubles []store.ProblemCount
			err := w.Store.Update(t.Context(), func(tx store.Tx) error {
				hook.Created = tx.Now()
				if err := tx.Webhooks().Put(&hook, 0); err != nil {
					return err
				}
				sequence := 0
				for state, age := range test.kept {
					sequence++
					err := tx.Deliveries().Put(subscription.Delivery{
						WebhookID: hook.ID, Sequence: sequence, Lane: sequence,
						Type: event.CardLocked, State: state, Since: tx.Now().Add(-age),
					})
					if err != nil {
						return err
					}
				}
				for _, status := range test.tries {
					tried := subscription.Attempt{
						WebhookID: hook.ID, Sequence: 1, At: tx.Now(), Status: status,
					}
					if status >= 300 {
						tried.Error = "not taken"
					}
					if err := tx.Deliveries().PutAttempt(tried); err != nil {
						return err
					}
				}
				var err error
				got, err = events.HealthOf(tx, hook)
				if err != nil {
					return err
				}
				troubles, err = tx.Webhooks().CountProblems(tx.Now().Add(-events.LongestWait))
				if !got.Since.IsZero() {
					test.since -= tx.Now().Sub(got.Since)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if got.State != test.want || got.Answer() != test.answer || test.since != 0 {
				t.Errorf("%s, answer %q, %v more; want %s, %q", got.State, got.Answer(),
					test.since, test.want, test.answer)
			}
			if failing := len(troubles) > 0; failing != (test.want == events.Failing) {
				t.Errorf("counted are %+v", troubles)
			}
		})
	}
}
