package admin

import (
	"encoding/json"
	"time"
)

// Authorization is a card-based transfer that the card processor asked Mintmark to decide, or
// decided alone.
type Authorization struct {
	ID          string      `json:"id"` // chosen by the processor
	ProgramID   int         `json:"programId,omitempty"`
	CardID      int         `json:"cardId,omitempty"`
	CustomerID  int         `json:"customerId,omitempty"` // the creator of the card
	Kind        string      `json:"kind"`                 // purchase, withdrawal or deposit
	Category    string      `json:"category,omitempty"`   // Checking or Savings
	Amount      json.Number `json:"amount"`
	Currency    string      `json:"currency,omitempty"`
	Original    *Original   `json:"original,omitempty"`
	Merchant    *Merchant   `json:"merchant,omitempty"`
	Partial     bool        `json:"partial,omitempty"` // a partial approval is acceptable
	HoldUntil   *time.Time  `json:"holdUntil,omitempty"`
	IncrementOf string      `json:"incrementOf,omitempty"`
	At          *time.Time  `json:"at,omitempty"` // according to the processor

	Outcome        string      `json:"outcome"` // approved or declined
	DecidedBy      string      `json:"decidedBy"`
	Decided        time.Time   `json:"decided"`
	Reason         string      `json:"reason"`              // reason in the response
	WouldHave      string      `json:"wouldHave,omitempty"` // Mintmark's reason, if others decided
	Why            string      `json:"why"`                 // a sentence
	ApprovedAmount json.Number `json:"approvedAmount,omitempty"`
	AccountID      int         `json:"accountId,omitempty"` // account that pays
	HoldID         string      `json:"holdId,omitempty"`
	Reversed       json.Number `json:"reversed,omitempty"`

	Obstacle *Obstacle      `json:"obstacle,omitempty"`
	Limit    *ExceededLimit `json:"limit,omitempty"`
	Tried    []Tried        `json:"tried,omitempty"`
}

// AuthorizationDetail is an authorization with its hold.
type AuthorizationDetail struct {
	Authorization
	Hold *HoldDetail `json:"hold,omitempty"`
}

// Original is the amount that the card holder saw.
type Original struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

// Merchant is the place where a card was used.
type Merchant struct {
	ID      string `json:"id,omitempty"`
	Name    string `json:"name"`
	City    string `json:"city,omitempty"`
	Country string `json:"country"`
	MCC     string `json:"mcc"`
}

// Obstacle is the cause of a decline that did not depend on the amount, as it was at that time.
type Obstacle struct {
	CardStatus         string `json:"cardStatus,omitempty"`
	LockTypeCode       string `json:"lockTypeCode,omitempty"`
	LockReasonTypeCode string `json:"lockReasonTypeCode,omitempty"`
	LastMonth          string `json:"lastMonth,omitempty"`  // of validity, such as 2026-06
	CustomerID         int    `json:"customerId,omitempty"` // customer who could not pay
	Customer           string `json:"customer,omitempty"`   // why this customer could not pay
	Currency           string `json:"currency,omitempty"`   // of the program
}

// ExceededLimit is a limit that did not allow an amount.
type ExceededLimit struct {
	Name          string      `json:"name"` // member of the program
	MinimumAmount json.Number `json:"minimumAmount,omitempty"`
	MaximumAmount json.Number `json:"maximumAmount,omitempty"`
	Sum           json.Number `json:"sum"` // sum that was compared, including the amount
}

// Tried is an account that was considered for payment, as it was at that time.
type Tried struct {
	AccountID        int         `json:"accountId"`
	Status           string      `json:"status"`
	AvailableBalance json.Number `json:"availableBalance"`
}

// HoldDetail is an amount that an authorization reserves or reserved. Some members of an ended hold
// are unknown.
type HoldDetail struct {
	ID              string      `json:"id"`
	ProgramID       int         `json:"programId"`
	CardID          int         `json:"cardId"`
	AccountID       int         `json:"accountId"`
	AuthorizationID string      `json:"authorizationId,omitempty"`
	Kind            string      `json:"kind"`
	State           string      `json:"state"` // open, posted, released or expired
	Amount          json.Number `json:"amount,omitempty"`
	Currency        string      `json:"currency,omitempty"`
	Merchant        *Merchant   `json:"merchant,omitempty"`
	Placed          *time.Time  `json:"placed,omitempty"`
	Ends            *time.Time  `json:"ends,omitempty"`
	Ended           *time.Time  `json:"ended,omitempty"`
}
