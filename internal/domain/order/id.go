package order

import (
	"crypto/subtle"
	"strconv"
	"strings"
)

// PublicID returns the ID of the order outside Mintmark: its ID and its token. The ID finds the
// order, and the token prevents guessing the public ID of another order.
func (o Order) PublicID() string { return strconv.Itoa(o.ID) + "-" + o.Token }

// ParseID returns the ID in an order's public ID.
func ParseID(public string) (orderID int, ok bool) {
	number, token, known := strings.Cut(public, "-")
	orderID, err := strconv.Atoi(number)
	return orderID, err == nil && orderID > 0 && known && token != ""
}

// Is reports whether public is the public ID of the order. An order that this version has never
// claimed has none.
func (o Order) Is(public string) bool {
	return o.Token != "" && subtle.ConstantTimeCompare([]byte(public), []byte(o.PublicID())) == 1
}
