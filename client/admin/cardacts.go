package admin

// CardSearch requests the card with a card number. The number is sent only in the body, never in an
// address.
type CardSearch struct {
	Number string `json:"number"`
}

// LockCard requests a lock by the system: ADM or PIN until the lock is cleared, FRD, LST or STL
// permanently.
type LockCard struct {
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
	Reason             string `json:"reason,omitempty"`
}

// ReissueCard requests new plastic for a card (DMG), or a replacement with another card number
// (LST, STL, FRD).
type ReissueCard struct {
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode"`
	Reason                string `json:"reason,omitempty"`
}

// PlainAct requests an act that takes only a reason.
type PlainAct struct {
	Reason string `json:"reason,omitempty"`
}

// PutAccess sets a customer's access to an account: FULL, RDONLY or NONE.
type PutAccess struct {
	Access string `json:"access"`
	Reason string `json:"reason,omitempty"`
}

// Found holds the results of a search: the first 25 cards and the first 25 customers.
type Found struct {
	Cards         []Card     `json:"cards"`
	Customers     []Customer `json:"customers"`
	MoreCards     bool       `json:"moreCards"`
	MoreCustomers bool       `json:"moreCustomers"`
}
