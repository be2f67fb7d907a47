package store

import (
	"time"

	"mintmark/internal/domain/subscription"
)

// Webhooks are the subscriptions of programs to events.
type Webhooks interface {
	// Find returns a webhook of any program.
	Find(id int) (subscription.Webhook, error)
	// List returns the webhooks of a program, or of all programs for 0, by ID.
	List(programID int) ([]subscription.Webhook, error)
	// CountProblems counts the failed orders and the failing webhooks by program; it may list a
	// program twice. A webhook is failing if the service has paused it. It is also failing if it
	// has undelivered events and its last three attempts failed, or both of a new webhook, or one of
	// the events is dead or was stored before keptBefore.
	CountProblems(keptBefore time.Time) ([]ProblemCount, error)
	// Put inserts a webhook, whose ID must be 0, under the next number, with an endpoint at a
	// position; or it replaces the revision that was read, and leaves the endpoint unchanged.
	Put(w *subscription.Webhook, position int) error
	// Delete removes a webhook with its endpoint and replays. Its deliveries and attempts, which no
	// method finds any more, are left to DeleteRemains. It fails with ErrLostUpdate when the stored
	// row has another revision or is gone.
	Delete(w subscription.Webhook) error
	// DeleteRemains removes at most limit deliveries and at most limit attempts of deleted
	// webhooks, and returns the greater of both counts.
	DeleteRemains(limit int) (int, error)

	// An endpoint records which node delivers to a webhook, and its position in the log.

	ListEndpoints() ([]subscription.Endpoint, error)
	// ChangeEndpoint stores the node of an endpoint and the end of its lease, if the endpoint is
	// unchanged since it was read. Otherwise it fails with ErrLostUpdate. The position stays.
	ChangeEndpoint(before, after subscription.Endpoint) error
	// PutPosition stores how far a node has delivered. It fails with ErrLostUpdate when another
	// node has the endpoint, or its position is greater.
	PutPosition(webhookID int, node string, position int) error
}

// Deliveries are the events that a webhook has not accepted, and recent attempts to deliver.
type Deliveries interface {
	// Find returns one delivery.
	Find(webhookID, sequence int) (subscription.Delivery, error)
	// List returns at most limit deliveries in a state with sequences below one, newest first. An
	// empty state selects all states, and the sequence 0 starts at the newest.
	List(
		webhookID int, state subscription.State, below, limit int,
	) ([]subscription.Delivery, error)
	// Put inserts a delivery, or replaces the one for the same event.
	Put(d subscription.Delivery) error
	// Delete removes a delivery. It is no error if it is gone.
	Delete(webhookID, sequence int) error
	// Count counts the deliveries of a webhook.
	Count(webhookID int) (DeliveryCount, error)
	// DeleteDead removes at most limit dead deliveries that were first stored before a time, and
	// returns how many.
	DeleteDead(before time.Time, limit int) (int, error)

	// The waiting deliveries of a lane are sent in the order of their events.

	// ListEndpointsDue returns the webhooks that have a delivery due at a time.
	ListEndpointsDue(at time.Time) ([]int, error)
	// ListDue returns at most limit deliveries of a webhook that are due at a time, earliest due
	// first.
	ListDue(webhookID int, at time.Time, limit int) ([]subscription.Delivery, error)
	// ListOfLane returns at most limit waiting deliveries of a lane, in the order of their events.
	ListOfLane(webhookID, lane, limit int) ([]subscription.Delivery, error)
	// ListWaiting returns those of the given lanes that have a waiting delivery.
	ListWaiting(webhookID int, lanes []int) ([]int, error)

	// An attempt is one attempt to deliver an event.

	// ListAttempts returns at most limit attempts, newest first: for one event, or for all events
	// if the sequence is 0.
	ListAttempts(webhookID, sequence, limit int) ([]subscription.Attempt, error)
	// ListAttemptedEvents returns the sequences of at most limit events with attempts, below a
	// sequence and newest first; the sequence 0 starts at the newest.
	ListAttemptedEvents(webhookID, below, limit int) ([]int, error)
	// FindSuccess returns the newest attempt that succeeded.
	FindSuccess(webhookID int) (subscription.Attempt, error)
	PutAttempt(a subscription.Attempt) error
	// CountAttempts counts the attempts from one time up to, but not including, another by webhook,
	// hour and label: Succeeded or Failed.
	CountAttempts(from, to time.Time) ([]HourlyCount, error)
	// DeleteAttemptsBefore removes at most limit attempts made before a time, and returns how many.
	DeleteAttemptsBefore(moment time.Time, limit int) (int, error)

	// A replay sends events again.

	// ListReplays returns the replays of a webhook, newest first.
	ListReplays(webhookID, limit int) ([]subscription.Replay, error)
	// ListOpenReplays returns the running replays, oldest first: of a webhook, or of all webhooks
	// for 0.
	ListOpenReplays(webhookID int) ([]subscription.Replay, error)
	// PutReplay inserts a replay, whose ID must be 0, under the next number, or stores the progress
	// of one.
	PutReplay(r *subscription.Replay) error
}

// The labels of attempts and of requests.
const (
	Succeeded = "succeeded"
	Refused   = "refused" // by a rule; only for requests
	Failed    = "failed"
)

// DeliveryCount is how many events a webhook has not accepted.
type DeliveryCount struct {
	Waiting, Dead int
	// OldestWaiting and OldestDead are the times at which the oldest of them was first stored; zero
	// without any.
	OldestWaiting, OldestDead time.Time
}
