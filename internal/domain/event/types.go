package event

import (
	"slices"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
)

// Type is the type of an event.
type Type string

// The types of event.
const (
	CardInitiated       Type = "card.initiated"
	CardShipped         Type = "card.shipped"
	CardVerified        Type = "card.verified"
	CardLocked          Type = "card.locked"
	CardUnlocked        Type = "card.unlocked"
	CardHotlisted       Type = "card.hotlisted"
	CardReissued        Type = "card.reissued"
	CardRenewed         Type = "card.renewed"
	CardDenied          Type = "card.denied"
	CardExpired         Type = "card.expired"
	CardArchived        Type = "card.archived"
	CardAccountsChanged Type = "card.accounts_changed"

	PinRequested     Type = "card.pin.requested"
	PinSet           Type = "card.pin.set"
	PinTriesExceeded Type = "card.pin.tries_exceeded"

	AuthorizationApproved Type = "card.authorization.approved"
	AuthorizationDeclined Type = "card.authorization.declined"
	AuthorizationReversed Type = "card.authorization.reversed"
	AuthorizationAdvised  Type = "card.authorization.advised"
	PostingMade           Type = "card.posting.made"

	OrderFailed Type = "order.failed"

	KeyIssued         Type = "key.issued"
	KeyRotated        Type = "key.rotated"
	KeyRevoked        Type = "key.revoked"
	KeyExpiring       Type = "key.expiring"
	DocumentPublished Type = "document.published"
	DocumentEffective Type = "document.effective"
	DocumentExpired   Type = "document.expired"
	CustomerChanged   Type = "customer.changed"
	AccountChanged    Type = "account.changed"
)

// rule maps entries to a type of event. The first rule that matches an entry determines its type.
type rule struct {
	act     string
	outcome string // exact; an entry with another outcome, such as "unchanged", is not an event
	when    func(e audit.Entry) bool
	kind    Type
}

// rules is the whole table. Entries that match no rule are not events: reads, rejections, acts that
// changed nothing, and internals of the service. A row is never changed or removed, because past
// events are derived again from the table; new rows are added after the others of their act.
var rules = []rule{
	{"/card/initiate", "created", nil, CardInitiated},
	{"/card/createdigital", "created", nil, CardInitiated},
	{"/card/verify", "changed", nil, CardVerified},
	{"/card/lock", "changed", locksPermanently, CardHotlisted},
	{"/card/lock", "changed", nil, CardLocked},
	{"/card/hotlist", "changed", nil, CardHotlisted},
	{"/card/lostOrStolen", "changed", nil, CardHotlisted},
	{"/card/unlock", "changed", nil, CardUnlocked},
	{"/card/archive", "changed", nil, CardArchived},
	{"/card/reissue", "changed", nil, CardReissued},
	{"/card/reissue", "created", nil, CardInitiated}, // the replacement of the old card
	{"/card/addAccount", "changed", nil, CardAccountsChanged},
	{"/card/removeAccount", "changed", nil, CardAccountsChanged},
	{"/card/reprioritizeAccount", "changed", nil, CardAccountsChanged},
	{"/card/resetpin", "PIN ordered", nil, PinRequested},

	// The acts of operators on cards.
	{"lock card", "changed", locksPermanently, CardHotlisted},
	{"lock card", "changed", nil, CardLocked},
	{"unlock card", "changed", nil, CardUnlocked},
	{"archive card", "changed", nil, CardArchived},
	{"reissue card", "changed", nil, CardReissued},
	{"reissue card", "created", nil, CardInitiated},

	{"expire", "changed", nil, CardExpired},
	{"renew", "changed", nil, CardRenewed},
	{"key expiring", "noted", nil, KeyExpiring},
	{"issue key", "created", nil, KeyIssued},
	{"rotate key", "changed", nil, KeyRotated},
	{"revoke key", "changed", nil, KeyRevoked},
	{"document effective", "noted", nil, DocumentEffective},
	{"document expired", "noted", nil, DocumentExpired},
	{"document published", "noted", nil, DocumentPublished},

	// The results of orders to the processor, and the processor's reports. A report that the PIN is
	// set does not change the card.
	{"deliver orders", "order failed", nil, OrderFailed},
	{"report refused", "order failed", nil, OrderFailed},
	{"expire PIN", "order failed", nil, OrderFailed},
	{"deliver orders", "changed", becomesDenied, CardDenied},
	{"report shipped", "changed", nil, CardShipped},
	{"report refused", "changed", nil, CardDenied},
	{"report pinSet", "changed", nil, PinSet},
	{"report pinSet", "unchanged", nil, PinSet},
	{"report pinTriesExceeded", "changed", nil, PinTriesExceeded},
	{"report compromised", "changed", nil, CardHotlisted},

	{"authorize", "approved", nil, AuthorizationApproved},
	{"authorize", "declined", nil, AuthorizationDeclined},
	{"reverse", "reversed", nil, AuthorizationReversed},
	{"reverse", "partlyReversed", nil, AuthorizationReversed},
	{"advise", "approved", nil, AuthorizationAdvised},
	{"advise", "declined", nil, AuthorizationAdvised},
	{"post", "created", nil, PostingMade},

	{"change customer", "changed", nil, CustomerChanged},
	{"change account", "changed", nil, AccountChanged},
	{"erase customer", "changed", changesCustomer, CustomerChanged},
}

// byAct holds the rules of each act, in order.
var byAct = func() map[string][]rule {
	acts := make(map[string][]rule)
	for _, r := range rules {
		acts[r.act] = append(acts[r.act], r)
	}
	return acts
}()

// TypeOf returns the type of an audit entry's event, and whether the entry is an event.
func TypeOf(e audit.Entry) (Type, bool) {
	for _, r := range byAct[e.Act] {
		if r.outcome == e.Outcome && (r.when == nil || r.when(e)) {
			return r.kind, true
		}
	}
	return "", false
}

// Types returns the types of event, sorted by name.
func Types() []Type {
	var all []Type
	for _, r := range rules {
		all = append(all, r.kind)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// changesCustomer reports whether an entry, of an act with several entries, is about a customer.
func changesCustomer(e audit.Entry) bool { return e.Subject.Kind == audit.Customer }

// becomesDenied reports whether an entry makes a card Denied.
func becomesDenied(e audit.Entry) bool {
	return strings.Contains(e.After, `"status":"`+string(card.Denied)+`"`)
}

// locksPermanently reports whether an entry gives a card a lock reason that is permanent.
func locksPermanently(e audit.Entry) bool {
	return slices.ContainsFunc(card.Reasons, func(reason card.Reason) bool {
		return reason.Permanent() &&
			strings.Contains(e.After, `"lockReasonTypeCode":"`+string(reason)+`"`)
	})
}
