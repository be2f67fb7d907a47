// Package event defines which audit entries are events, and which parts of its entry an event
// shows. Programs that subscribe to webhooks, and operators, read events. An event is not stored:
// it is derived from its sealed entry each time, always with the same result. Package issuing reads
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

// Event is an act that subscribers may want to know about.
type Event struct {
	ID         string    `json:"id"`
	Sequence   int       `json:"sequence"` // among events only: 1, 2, 3 without gaps
	Entry      int       `json:"entry"`    // sequence of its entry in the audit
	Type       Type      `json:"type"`
	At         time.Time `json:"at"`
	ProgramID  int       `json:"programId,omitempty"`
	CardID     int       `json:"cardId,omitempty"`
	CustomerID int       `json:"customerId,omitempty"`
	Actor      Actor     `json:"actor"`
	Data       Data      `json:"data"`
	RequestID  string    `json:"requestId,omitempty"`
}

// Actor identifies the performer of the act.
type Actor struct {
	Kind audit.Kind `json:"kind"`
	Name string     `json:"name"`
}

// LogPosition is the position of an entry in the sealed log.
type LogPosition struct {
	Entry int // among all entries
	Event int // among the entries that are events
}

// New returns the event of a sealed entry, and whether the entry is an event. origin names the
// installation, so that event IDs of different installations differ.
func New(origin string, at LogPosition, e audit.Entry) (Event, bool) {
	kind, ok := TypeOf(e)
	if !ok {
		return Event{}, false
	}
	data := Data{shownMembers(e.Before), shownMembers(e.After)}
	maps.DeleteFunc(data.Before, func(_ string, value json.RawMessage) bool {
		return string(value) == `""` // for example, a date that was not set
	})
	data.After.name(e.Subject)
	return Event{
		ID: idOf(origin, at.Event), Sequence: at.Event, Entry: at.Entry, Type: kind,
		At: e.At.UTC(), ProgramID: e.ProgramID, CardID: e.Subject.Number(audit.Card),
		CustomerID: customerOf(e), Actor: Actor{e.Kind, e.Name},
		Data: data, RequestID: e.RequestID,
	}, true
}

// idOf derives the ID of an event from its position, so that it is the same each time.
func idOf(origin string, sequence int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "mintmark event\n%s\n%d\n", origin, sequence))
	return "evt_" + strconv.Itoa(sequence) + "_" + hex.EncodeToString(digest[:8])
}

// customerOf returns the customer that the act was about, or on whose behalf a caller acted.
func customerOf(e audit.Entry) int {
	if id := e.Subject.Number(audit.Customer); id != 0 {
		return id
	}
	return e.CustomerID
}

// Lane returns the key within which events are delivered in order: that of the card. An event
// without a card has a separate lane.
func (e Event) Lane() int {
	if e.CardID != 0 {
		return e.CardID
	}
	return -e.Sequence
}

// Body returns the event as it is sent. It is the same, byte for byte, every time.
func (e Event) Body() ([]byte, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return nil, fmt.Errorf("write event %d: %w", e.Sequence, err)
	}
	return body, nil
}

// SequenceOf returns the sequence in an event ID. It also accepts a sequence alone.
func SequenceOf(id string) (sequence int, known bool) {
	if rest, ok := strings.CutPrefix(id, "evt_"); ok {
		id, _, _ = strings.Cut(rest, "_")
	}
	sequence, err := strconv.Atoi(id)
	return sequence, err == nil && sequence > 0
}
