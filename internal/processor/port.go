// Package processor defines the port to the card processor: the content of an order in transit, and
// the processor's response. Packages httpport, fileport and simulator are ports; with the
// simulator, a sandbox can run a card's whole life within one second. Package issuing writes the
// orders.
package processor

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/order"
	"mintmark/internal/vault"
)

// Port sends orders to the card processor.
type Port interface {
	// Submit sends an order. An order that is sent again has the same OrderID, and the processor
	// carries it out once. An error means that the order must be sent again later; it wraps
	// ErrUnreachable if the processor did not respond at all.
	Submit(ctx context.Context, m Message) (Answer, error)
}

// Predicting is a Port whose responses are known before an order is sent. Only the simulator inside
// a sandbox is one.
type Predicting interface {
	Port
	// Predict returns what Submit will return for an order that was not sent yet, or false if that
	// may depend on what reaches the processor before it. The order needs no OrderID.
	Predict(m Message) (Answer, bool)
}

// ErrUnreachable means that the processor was not reached, so that other orders would fail too.
var ErrUnreachable = errors.New("the card processor is not reached")

// Message is an order in transit to the processor.
type Message struct {
	OrderID   string
	Sequence  int // among the orders of the card
	Kind      order.Kind
	CardID    int
	ProgramID int
	Created   time.Time
	Card      order.Snapshot
	Secret    *Secret // nil if the order needs none
}

// Secret is the part of an order that only the processor may read. It prints as ***.
type Secret struct {
	Number      pan.Number
	ExpireMonth int
	ExpireYear  int
	Pin         *vault.Pin // nil unless the order sets a PIN
}

const hidden = "***"

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret.
func (Secret) GoString() string { return hidden }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON hides the secret: only a port that encrypts it may write it, field by field.
func (Secret) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }

// Outcome is the outcome in the processor's response to an order.
type Outcome string

// The outcomes of an order that was sent.
const (
	Done     Outcome = "done"
	Accepted Outcome = "accepted" // a report gives the outcome
	Refused  Outcome = "refused"  // permanently
)

// Answer is the processor's response to an order.
type Answer struct {
	Outcome Outcome
	Reason  string // for a refusal
	// File is the number of the file that contains an accepted order until the processor fetches
	// it; 0 if the processor has the order.
	File int

	// Reports are reports about the card that come with the response. Only the simulator inside a
	// sandbox returns any.
	Reports []order.Report
}
