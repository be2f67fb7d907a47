package order

import (
	"crypto/subtle"
	"strconv"
	"strings"
)

// PublicID is the identifier of the order outside of Mintmark: its number and its token. The number
// finds the order, the token keeps the identifier of another order from being guessed.
func (o Order) PublicID() string { return strconv.Itoa(o.ID) + "-" + o.Token }

// ParseID reads the number of an order from its public identifier.
func ParseID(public string) (orderID int, ok bool) {
	number, token, known := strings.Cut(public, "-")
	orderID, err := strconv.Atoi(number)
	return orderID, err == nil && orderID > 0 && known && token != ""
}

// Is reports whether a public identifier is that of the order. An order that was never claimed by
// this version has none.
func (o Order) Is(public string) bool {
	return o.Token != "" && subtle.ConstantTimeCompare([]byte(public), []byte(o.PublicID())) == 1
}
