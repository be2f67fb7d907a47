// Package processor is the port to the card processor: what an order says on its way, and what the
// processor answers. Packages httpport, fileport and simulator are ports; the simulator lets a
// sandbox run through a card's whole life within one second. Package issuing writes the orders.
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

// Port carries orders to the card processor.
type Port interface {
	// Submit sends one order. An order that is sent again has the same OrderID, and the processor
	// does it once. An error means that the order has to be sent again later; it wraps
	// ErrUnreachable when the processor has not answered at all.
	Submit(ctx context.Context, m Message) (Answer, error)
}

// Predicting is a Port whose answers can be known before an order is sent. Only the simulator
// inside a sandbox is one.
type Predicting interface {
	Port
	// Predict returns what Submit will answer to an order that was not sent yet, and false where
	// that may depend on what reaches the processor before. The order needs no OrderID.
	Predict(m Message) (Answer, bool)
}

// ErrUnreachable says that the processor was not reached, so that another order would fare no
// better.
var ErrUnreachable = errors.New("the card processor is not reached")

// Message is an order on its way to the processor.
type Message struct {
	OrderID   string
	Sequence  int // among the orders of the card
	Kind      order.Kind
	CardID    int
	ProgramID int
	Created   time.Time
	Card      order.Snapshot
	Secret    *Secret // nil when the order needs none
}

// Secret is what only the processor may read of an order. It prints as ***.
type Secret struct {
	Number      pan.Number
	ExpireMonth int
	ExpireYear  int
	Pin         *vault.Pin // nil when no PIN is to be set
}

const hidden = "***"

// String hides the secret.
func (Secret) String() string { return hidden }

// GoString hides the secret.
func (Secret) GoString() string { return hidden }

// LogValue hides the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }

// MarshalJSON hides the secret: only a port that seals it may write it, field by field.
func (Secret) MarshalJSON() ([]byte, error) { return json.Marshal(hidden) }

// Outcome is what the processor has answered to an order.
type Outcome string

// The outcomes of an order that was sent.
const (
	Done     Outcome = "done"
	Accepted Outcome = "accepted" // the outcome comes in a report
	Refused  Outcome = "refused"  // for good
)

// Answer is the processor's answer to an order.
type Answer struct {
	Outcome Outcome
	Reason  string // of a refusal
	// File is the number of the file that an accepted order waits in until the processor fetches
	// it; 0 when the processor has the order.
	File int

	// Reports are what the processor has to say about the card already. Only the simulator inside
	// a sandbox answers with any.
	Reports []order.Report
}
