// Package event says which entries of the audit are events, and what an event shows of its entry:
// the programs that subscribe to webhooks, and operators, read them. An event has no row of its
// own: it is made from the sealed entry each time, and is the same each time. Package issuing reads
// the entries and lists events; package webhook delivers them.
package event

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/domain/audit"
)

// Event is an act that somebody outside may want to hear of.
type Event struct {
	ID         string    `json:"id"`
	Sequence   int       `json:"sequence"` // among events alone: 1, 2, 3 without gaps
	Entry      int       `json:"entry"`    // the sequence of its entry in the audit
	Type       Type      `json:"type"`
	At         time.Time `json:"at"`
	ProgramID  int       `json:"programId,omitempty"`
	CardID     int       `json:"cardId,omitempty"`
	CustomerID int       `json:"customerId,omitempty"`
	Actor      Actor     `json:"actor"`
	Data       Data      `json:"data"`
	RequestID  string    `json:"requestId,omitempty"`
}

// Actor is who performed the act.
type Actor struct {
	Kind audit.Kind `json:"kind"`
	Name string     `json:"name"`
}

// LogPosition is the position of an entry in the sealed log.
type LogPosition struct {
	Entry int // among all entries
	Event int // among those that are events
}

// New returns the event of a sealed entry, and whether the entry is one. The origin names the
// installation: it makes identifiers of two installations differ.
func New(origin string, at LogPosition, e audit.Entry) (Event, bool) {
	kind, ok := TypeOf(e)
	if !ok {
		return Event{}, false
	}
	data := Data{shownMembers(e.Before), shownMembers(e.After)}
	maps.DeleteFunc(data.Before, func(_ string, value json.RawMessage) bool {
		return string(value) == `""` // such as a date that was not set
	})
	data.After.name(e.Subject)
	return Event{
		ID: idOf(origin, at.Event), Sequence: at.Event, Entry: at.Entry, Type: kind,
		At: e.At.UTC(), ProgramID: e.ProgramID, CardID: e.Subject.Number(audit.Card),
		CustomerID: customerOf(e), Actor: Actor{e.Kind, e.Name},
		Data: data, RequestID: e.RequestID,
	}, true
}

// idOf derives the identifier of an event from its place, so that an event that is made again has
// the one it had.
func idOf(origin string, sequence int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "mintmark event\n%s\n%d\n", origin, sequence))
	return "evt_" + strconv.Itoa(sequence) + "_" + hex.EncodeToString(digest[:8])
}

// customerOf is the customer whom the act was about, or in whose name a caller acted.
func customerOf(e audit.Entry) int {
	if id := e.Subject.Number(audit.Customer); id != 0 {
		return id
	}
	return e.CustomerID
}

// Lane names what events keep their order for: those of one card are told in order. An event
// without a card has a lane of its own.
func (e Event) Lane() int {
	if e.CardID != 0 {
		return e.CardID
	}
	return -e.Sequence
}

// Body is the event as it is sent. The same event has the same body, byte for byte.
func (e Event) Body() ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("write event %d: %w", e.Sequence, err)
	}
	return body, nil
}

// SequenceOf returns the sequence that the identifier of an event names, or the text itself where
// it is a sequence.
func SequenceOf(id string) (sequence int, known bool) {
	if rest, ok := strings.CutPrefix(id, "evt_"); ok {
		id, _, _ = strings.Cut(rest, "_")
	}
	sequence, err := strconv.Atoi(id)
	return sequence, err == nil && sequence > 0
}
