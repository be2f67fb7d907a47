package events

import (
	"slices"
	"strconv"
	"time"

	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

// Health is the state of a webhook's deliveries.
type Health struct {
	State HealthState
	Since time.Time            // when the oldest event that it has not accepted was first attempted
	Last  subscription.Attempt // the newest; zero if none is stored
	store.DeliveryCount
}

// HealthState names the state of a webhook's deliveries.
type HealthState string

// States of a webhook.
const (
	Delivering HealthState = "delivering"
	Behind     HealthState = "behind"  // some events wait, but not for long yet
	Failing    HealthState = "failing" // see HealthOf
	Paused     HealthState = "paused"  // by an operator
)

// A webhook fails after this number of consecutive failed attempts, a new one after its first two,
// or when an event waits for so long. CountProblems of the store, which counts failing webhooks,
// follows the same rule.
const (
	failedTries = 3
	firstTries  = 2
	LongestWait = 5 * time.Minute
)

// HealthOf returns a webhook's health. It is Failing if the last attempts failed, if the oldest
// event waits for more than five minutes or was given up, or if the service has paused the webhook.
func HealthOf(r store.Tx, hook subscription.Webhook) (Health, error) {
	counted, err := r.Deliveries().Count(hook.ID)
	if err != nil {
		return Health{}, err
	}
	tries, err := r.Deliveries().ListAttempts(hook.ID, 0, failedTries)
	if err != nil {
		return Health{}, err
	}
	health := Health{State: Delivering, Since: counted.OldestWaiting, DeliveryCount: counted}
	if len(tries) > 0 {
		health.Last = tries[0]
	}
	if dead := counted.OldestDead; health.Since.IsZero() || counted.Dead > 0 && dead.Before(health.Since) {
		health.Since = dead
	}
	missed := counted.Waiting+counted.Dead > 0
	failed := len(tries) >= firstTries && !slices.ContainsFunc(tries,
		func(a subscription.Attempt) bool { return a.Error == "" })
	late := counted.Waiting > 0 && r.Now().Sub(counted.OldestWaiting) > LongestWait
	switch {
	case hook.PausedBecause != "":
		health.State = Failing
	case hook.Paused:
		health.State = Paused
	case missed && (failed || late || counted.Dead > 0):
		health.State = Failing
	case missed:
		health.State = Behind
	}
	return health, nil
}

// Answer returns the status of the last attempt, or why there was no response.
func (h Health) Answer() string {
	if h.Last.Status != 0 {
		return strconv.Itoa(h.Last.Status)
	}
	return h.Last.Error
}
