// Package message defines the format in which orders go to the card processor and reports come
// back, over HTTP and in files: the JSON of an order, its encrypted part, the processor's key set,
// and the lines of a file. Packages httpport, fileport and simulator transmit it; docs/processor.md
// documents it.
package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"mintmark/internal/domain/order"
	"mintmark/internal/processor"
)

// Order is the JSON that the processor receives: the body of a request, or a line of a file.
type Order struct {
	OrderID   string         `json:"orderId"`
	Sequence  int            `json:"sequence"`
	Kind      order.Kind     `json:"kind"`
	CardID    int            `json:"cardId"`
	ProgramID int            `json:"programId"`
	CreatedAt time.Time      `json:"createdAt"`
	Card      order.Snapshot `json:"card"`
	Sealed    string         `json:"sealed,omitempty"` // a JWE, see Keys.Seal
}

// Encode returns the body of an order. It encrypts the secret to the processor's key.
func Encode(m processor.Message, keys *Keys) ([]byte, error) {
	body := Order{
		OrderID: m.OrderID, Sequence: m.Sequence, Kind: m.Kind, CardID: m.CardID,
		ProgramID: m.ProgramID, CreatedAt: m.Created.UTC(), Card: withLists(m.Card),
	}
	if m.Secret != nil {
		var err error
		body.Sealed, err = keys.Seal(m.OrderID, *m.Secret)
		if err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode order %s: %w", m.OrderID, err)
	}
	return text, nil
}

// withLists returns a card whose lists of accounts are not nil, so that no member is null in JSON.
func withLists(card order.Snapshot) order.Snapshot {
	if card.Accounts == nil {
		return card
	}
	accounts := *card.Accounts
	accounts.Checking = append([]int{}, accounts.Checking...)
	accounts.Savings = append([]int{}, accounts.Savings...)
	card.Accounts = &accounts
	return card
}

// DecodeOrder parses the body of an order, as a processor does.
func DecodeOrder(text []byte) (Order, error) {
	var body Order
	err := decodeOne(text, &body)
	if err == nil && (body.OrderID == "" || body.Sequence < 1 || body.CardID < 1) {
		err = errors.New("orderId, sequence and cardId are required")
	}
	if err != nil {
		return Order{}, fmt.Errorf("decode order: %w", err)
	}
	return body, nil
}

// WithoutOrder returns the lines of a file of orders except those of one order.
func WithoutOrder(f File, orderID string) ([][]byte, error) {
	var lines [][]byte
	for _, line := range f.Lines {
		body, err := DecodeOrder(line)
		if err != nil {
			return nil, err
		}
		if body.OrderID != orderID {
			lines = append(lines, line)
		}
	}
	return lines, nil
}

// decodeOne parses one JSON value with nothing after it. It ignores unknown members, so that either
// side may send more than the other knows.
func decodeOne(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	if err := decoder.Decode(into); err != nil {
		return errors.New("it is not the expected JSON")
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data follows its end")
	}
	return nil
}
