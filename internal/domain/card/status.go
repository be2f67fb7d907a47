package card

import "strings"

// Status is a stage in the life of a card (interface §6.1).
type Status string

// The statuses. The table meanings describes each; the manual is generated from it.
const (
	Initiated                  Status = "Initiated"
	PendingVerification        Status = "PendingVerification"
	ReissuePendingVerification Status = "ReissuePendingVerification"
	Verified                   Status = "Verified"
	Reissued                   Status = "Reissued"
	Denied                     Status = "Denied"
	Expired                    Status = "Expired"
	Archived                   Status = "Archived"
)

// meanings describes, for each status, what it means for the card and who acts next.
var meanings = map[Status]string{
	Initiated: "ordered; the processor acts next: it ships the card, or refuses it",
	PendingVerification: "shipped; the holder verifies it within the verification window of the " +
		"program, which begins whenever the card is shipped",
	ReissuePendingVerification: "as PendingVerification, but it replaces another card or was made " +
		"again; until it is shipped, its window runs from the reissue",
	Verified: "usable, unless it is locked; a digital card begins here",
	Reissued: "replaced by another card, and locked permanently",
	Denied:   "refused by the processor",
	Expired:  "not verified in time; it can be reissued",
	Archived: "archived; it can be read and nothing else",
}

// Statuses lists every status, in the order of a card's life.
var Statuses = []Status{
	Initiated, PendingVerification, ReissuePendingVerification, Verified, Reissued, Denied,
	Expired, Archived,
}

// ReissuedSpelling is the spelling that the interface uses once for ReissuePendingVerification
// (interface §6.1).
const ReissuedSpelling = "ReissuedPendingVerification"

// Filter returns the predicate for listing cards by one status or one predefined group, ignoring
// case (interface §8.4). An empty name selects all cards.
func Filter(name string) (keep func(Card) bool, known bool) {
	switch strings.ToLower(name) {
	case "", "all":
		return func(Card) bool { return true }, true
	case "default":
		return func(c Card) bool { return !c.Status.FreesNickname() && c.Status != Expired }, true
	case "hotlisted":
		return func(c Card) bool { return c.Lock.Permanent() }, true
	case "pending":
		return func(c Card) bool { return c.Status == Initiated }, true
	}
	if strings.EqualFold(name, ReissuedSpelling) {
		name = string(ReissuePendingVerification)
	}
	for _, status := range Statuses {
		if strings.EqualFold(name, string(status)) {
			return func(c Card) bool { return c.Status == status }, true
		}
	}
	return nil, false
}

// FreesNickname reports whether a card in this status can never be used again, so that its creator
// may reuse its nickname.
func (s Status) FreesNickname() bool {
	switch s {
	case Archived, Reissued, Denied:
		return true
	}
	return false
}
