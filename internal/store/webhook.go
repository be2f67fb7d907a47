package store

import (
	"time"

	"mintmark/internal/domain/subscription"
)

// Webhooks are the subscriptions of programs to events.
type Webhooks interface {
	// Find returns a webhook of any program.
	Find(id int) (subscription.Webhook, error)
	// List returns the webhooks of a program, of all programs for the number 0, by their numbers.
	List(programID int) ([]subscription.Webhook, error)
	// CountTrouble counts the orders that failed and the webhooks that fail, by program; one program
	// may be listed twice. A webhook fails that the service has paused, and one with events that it
	// has not taken whose last three tries failed, or of which one is dead or was kept before a
	// moment.
	CountTrouble(keptBefore time.Time) ([]Trouble, error)
	// Put inserts a webhook, whose ID must be 0, under the next number, with an endpoint at a
	// position; or it replaces the revision that was read, and leaves the endpoint alone.
	Put(w *subscription.Webhook, position int) error
	// Delete removes a webhook with its endpoint and replays, and leaves its deliveries and attempts,
	// which nothing finds any more, to DeleteRemains. It fails with ErrLostUpdate when the stored
	// row has another revision or is gone.
	Delete(w subscription.Webhook) error
	// DeleteRemains removes at most limit deliveries and as many attempts of webhooks that were
	// deleted, and returns the greater number of both.
	DeleteRemains(limit int) (int, error)

	// An endpoint says which node delivers to a webhook, and how far it has come.

	ListEndpoints() ([]subscription.Endpoint, error)
	// ChangeEndpoint stores the node of an endpoint and until when it has it, if the endpoint is
	// still as it was read. Otherwise it fails with ErrLostUpdate. The position stays.
	ChangeEndpoint(before, after subscription.Endpoint) error
	// PutPosition stores how far a node has come. It fails with ErrLostUpdate when another node has
	// the endpoint, or the endpoint has come further.
	PutPosition(webhookID int, node string, position int) error
}

// Deliveries are the events that a webhook has not taken, with all attempts of some time.
type Deliveries interface {
	// Find returns one delivery.
	Find(webhookID, sequence int) (subscription.Delivery, error)
	// List returns at most limit deliveries of a state below a sequence, newest first; without a
	// state those of all, with the sequence 0 the newest of all.
	List(
		webhookID int, state subscription.State, below, limit int,
	) ([]subscription.Delivery, error)
	// Put inserts a delivery, or replaces the one of its event.
	Put(d subscription.Delivery) error
	// Delete removes a delivery; one that is gone already is no error.
	Delete(webhookID, sequence int) error
	// Count counts the deliveries of a webhook.
	Count(webhookID int) (DeliveryCount, error)
	// DeleteDead removes at most limit deliveries that are dead and were kept first before a
	// moment, and returns how many.
	DeleteDead(before time.Time, limit int) (int, error)

	// The deliveries of a lane wait, and are sent in the order of their events.

	// ListEndpointsDue returns the webhooks that have a delivery due at a moment.
	ListEndpointsDue(at time.Time) ([]int, error)
	// ListDue returns at most limit deliveries of a webhook that are due at a moment, by their
	// times.
	ListDue(webhookID int, at time.Time, limit int) ([]subscription.Delivery, error)
	// ListOfLane returns at most limit deliveries of a lane that wait, in the order of their
	// events.
	ListOfLane(webhookID, lane, limit int) ([]subscription.Delivery, error)
	// ListWaiting returns those of some lanes that have a delivery that waits.
	ListWaiting(webhookID int, lanes []int) ([]int, error)

	// An attempt is a try to deliver an event.

	// ListAttempts returns at most limit attempts, newest first: those of an event, or of all
	// events for the sequence 0.
	ListAttempts(webhookID, sequence, limit int) ([]subscription.Attempt, error)
	// ListTriedEvents returns the sequences of at most limit events that were tried, below a
	// sequence and newest first; with the sequence 0 the newest of all.
	ListTriedEvents(webhookID, below, limit int) ([]int, error)
	// FindSuccess returns the newest attempt that has succeeded.
	FindSuccess(webhookID int) (subscription.Attempt, error)
	PutAttempt(a subscription.Attempt) error
	// CountAttempts counts the attempts from one moment to before another by webhook, hour and
	// label: Succeeded or Failed.
	CountAttempts(from, to time.Time) ([]HourlyCount, error)
	// DeleteAttemptsBefore removes at most limit attempts that were made before a moment, and
	// returns how many.
	DeleteAttemptsBefore(moment time.Time, limit int) (int, error)

	// A replay sends events again.

	// ListReplays returns the replays of a webhook, newest first.
	ListReplays(webhookID, limit int) ([]subscription.Replay, error)
	// ListOpenReplays returns the replays that are at work, oldest first: those of a webhook, or of
	// all for the number 0.
	ListOpenReplays(webhookID int) ([]subscription.Replay, error)
	// PutReplay inserts a replay, whose ID must be 0, under the next number, or stores how far one
	// has come.
	PutReplay(r *subscription.Replay) error
}

// The labels of attempts and of requests.
const (
	Succeeded = "succeeded"
	Refused   = "refused" // by a rule; of requests alone
	Failed    = "failed"
)

// DeliveryCount says how many events a webhook has not taken.
type DeliveryCount struct {
	Waiting, Dead int
	// OldestWaiting and OldestDead are when the oldest of them was kept first; zero without any.
	OldestWaiting, OldestDead time.Time
}
