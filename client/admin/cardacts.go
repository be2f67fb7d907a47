package admin

// CardSearch asks for the card with a whole number. The number stands in the body alone: never in
// an address.
type CardSearch struct {
	Number string `json:"number"`
}

// LockCard asks for a card to be locked by the system: ADM or PIN until the lock is cleared, FRD,
// LST or STL for good.
type LockCard struct {
	LockReasonTypeCode string `json:"lockReasonTypeCode"`
	Reason             string `json:"reason,omitempty"`
}

// ReissueCard asks for a card to be made anew (DMG), or to be replaced by one with another number
// (LST, STL, FRD).
type ReissueCard struct {
	ReissueReasonTypeCode string `json:"reissueReasonTypeCode"`
	Reason                string `json:"reason,omitempty"`
}

// PlainAct asks for an act that needs nothing but a reason.
type PlainAct struct {
	Reason string `json:"reason,omitempty"`
}

// PutAccess says what a customer may do with an account: FULL, RDONLY or NONE.
type PutAccess struct {
	Access string `json:"access"`
	Reason string `json:"reason,omitempty"`
}

// Found are the cards and the customers that a search has found: the first 25 of each.
type Found struct {
	Cards         []Card     `json:"cards"`
	Customers     []Customer `json:"customers"`
	MoreCards     bool       `json:"moreCards"`
	MoreCustomers bool       `json:"moreCustomers"`
}
