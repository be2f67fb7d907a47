package load

import (
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/card"
)

// cardEntry has no card number: a new one is drawn. The first account is the primary one, and the
// slots of each category are filled in the order of the list.
type cardEntry struct {
	CardID             int    `json:"cardId"`
	ProgramID          int    `json:"programId"`
	CustomerID         int    `json:"customerId"`
	HolderID           int    `json:"cardHolderCustomerId"`
	BinID              int    `json:"binId"`
	TypeCode           string `json:"typeCode"`
	Status             string `json:"status"`
	LockTypeCode       string `json:"lockTypeCode"`
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
	Tag                string `json:"tag"`
	NickName           string `json:"nickName"`
	FirstName          string `json:"firstName"`
	MiddleName         string `json:"middleName"`
	LastName           string `json:"lastName"`
	card.Attributes
	IsDigitalOnly bool       `json:"isDigitalOnly"`
	AccountIDs    []int      `json:"accountIds"`
	CreatedDate   value.Time `json:"createdDate"`
	RequestedDate value.Time `json:"requestedDate"`
	VerifiedDate  value.Time `json:"verifiedDate"`
	ReissuedDate  value.Time `json:"reissuedDate"`
	DeniedDate    value.Time `json:"deniedDate"`
	ExpiredDate   value.Time `json:"expiredDate"`
	ArchivedDate  value.Time `json:"archivedDate"`
}

var cardForm = form{
	title: "cards",
	says:  "A file never changes a stored card. An impossible status, lock or date is refused.",

	members: withAttributes(map[string]string{
		"cardId": "Number of the card. Mintmark's own numbers begin with 10001; stay " +
			"below.",
		"programId":  "Program of the card.",
		"customerId": "Customer who created it.",
		"cardHolderCustomerId": "Customer who holds it; the one who created it when " +
			"left out.",
		"binId":    "BIN that its new number is drawn from.",
		"typeCode": "Debit or credit; " + card.Debit + " when left out.",
		"status":   "Status of the card.",
		"lockTypeCode": "UNL unlocked, CST locked by a customer, SYS by the system; UNL when " +
			"left out.",
		"lockReasonTypeCode": "Why it is locked. Needed with a lock; PIN only with SYS; UNK, and " +
			"nothing else, with UNL.",
		"tag":           "The caller's own key of the card, unique in the program.",
		"nickName":      "Name to show, unique among the creator's cards in use.",
		"firstName":     "First name on the card.",
		"middleName":    "Middle name on the card.",
		"lastName":      "Last name on the card.",
		"isDigitalOnly": "Whether it was never printed; false when left out.",
		"accountIds": "Accounts that it draws on: the first is the primary one, the others " +
			"follow in the order of their priorities.",
		"createdDate":   "When it was created; the time of the loading when left out.",
		"requestedDate": "When it was ordered from the card processor.",
		"verifiedDate":  "When it was verified. Needed for Verified.",
		"reissuedDate":  "When it was made again or replaced. Needed for Reissued.",
		"deniedDate":    "When the card processor refused it. Needed for Denied.",
		"expiredDate":   "When it expired. Needed for Expired.",
		"archivedDate":  "When it was archived. Needed for Archived.",
	}),
	rules: problem.Describe(card.Card{}, card.AccountIDs{}),
	filled: []string{
		"cardHolderCustomerId", "typeCode", "lockTypeCode", "lockReasonTypeCode", "createdDate",
	},
}

// withAttributes adds the descriptions of a card's attributes.
func withAttributes(members map[string]string) map[string]string {
	for _, rule := range card.AttributeRules {
		members[rule.Name] = rule.Says
	}
	return members
}

// fill sets the defaults of members that were left out.
func (e *cardEntry) fill(now time.Time) {
	if e.CreatedDate.IsZero() {
		e.CreatedDate = value.Time{Time: now}
	}
	if e.HolderID == 0 {
		e.HolderID = e.CustomerID
	}
	if e.TypeCode == "" {
		e.TypeCode = card.Debit
	}
	if e.LockTypeCode == "" {
		e.LockTypeCode = string(card.Unlocked)
	}
	if e.LockTypeCode == string(card.Unlocked) && e.LockReasonTypeCode == "" {
		e.LockReasonTypeCode = string(card.Unknown)
	}
}

// card returns the card without the values from its BIN and without slots.
func (e *cardEntry) card() card.Card {
	c := card.Card{
		ID: e.CardID, ProgramID: e.ProgramID, CustomerID: e.CustomerID, HolderID: e.HolderID,
		BinID: e.BinID, Type: e.TypeCode, Status: card.Status(e.Status),
		Lock: card.Lock{
			Type: card.LockType(e.LockTypeCode), Reason: card.Reason(e.LockReasonTypeCode),
		},
		Tag: e.Tag, NickName: e.NickName, Attributes: e.Attributes,
		Name:        card.NewName(e.FirstName, e.MiddleName, e.LastName),
		DigitalOnly: e.IsDigitalOnly,
		Created:     e.CreatedDate.UTC(), Requested: e.RequestedDate.UTC(),
		Verified: e.VerifiedDate.UTC(), Reissued: e.ReissuedDate.UTC(),
		Denied: e.DeniedDate.UTC(), Expired: e.ExpiredDate.UTC(),
		Archived: e.ArchivedDate.UTC(),
	}
	c.Modified = c.LastDated()
	return c
}
