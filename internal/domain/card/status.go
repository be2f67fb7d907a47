package card

import "strings"

// Status is where a card stands in its life (interface §6.1).
type Status string

// The statuses. What each means stands in the table below, from which the manual is printed.
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

// meanings says of each status what it means for the card, and who acts next.
var meanings = map[Status]string{
	Initiated: "The card was ordered. The processor acts next: it takes the order and ships the " +
		"card, or refuses it. The simulated processor of the sandbox ships at once, so that the " +
		"answer of /card/initiate still says Initiated and the next request finds the card in " +
		"PendingVerification.",
	PendingVerification: "The card is on its way to the holder, who acts next by verifying it. " +
		"If it is not verified within the verification window of the program, it becomes " +
		"Expired. The window begins when the card is shipped, and again when it is shipped again.",
	ReissuePendingVerification: "The card replaces another, or was made anew, and is on its way. " +
		"The holder acts next, as in PendingVerification; until the card is shipped, its window " +
		"runs from the reissue. The interface also writes " +
		"ReissuedPendingVerification: so does the answer of /card/reissue to keys with " +
		"earlier-clients, and the list by status takes both.",
	Verified: "The card is usable, unless it is locked. A digital card begins here.",
	Reissued: "Another card has replaced this one, which is locked for ever. It stays as it is " +
		"until it is archived.",
	Denied:   "The processor refused the order. The card stays as it is until it is archived.",
	Expired:  "The card was not verified in time. It can be reissued or archived.",
	Archived: "The card is put away for ever. It can be read and nothing else.",
}

// Statuses lists every status, in the order of a card's life.
var Statuses = []Status{
	Initiated, PendingVerification, ReissuePendingVerification, Verified, Reissued, Denied,
	Expired, Archived,
}

// ReissuedSpelling is how the interface once names ReissuePendingVerification (interface §6.1).
const ReissuedSpelling = "ReissuedPendingVerification"

// Filter returns the test that a list by status applies to each card, for one status or one
// predefined group in any letter case (interface §8.4). An empty name means all cards.
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
// may give its nickname to another card.
func (s Status) FreesNickname() bool {
	switch s {
	case Archived, Reissued, Denied:
		return true
	}
	return false
}
