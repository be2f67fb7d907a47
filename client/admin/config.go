package admin

import (
	"encoding/json"
	"time"
)

// What operators set up beside resources.go: the parts of a program, and the requests that make or
// change something.

// Product is a kind of account that a program offers. Its revision is that of the program.
type Product struct {
	ID                          int            `json:"id"`
	Revision                    int            `json:"revision"`
	Type                        string         `json:"type"`     // Checking, Savings, ForBenefitOf
	Category                    string         `json:"category"` // Checking, Savings, Prepaid
	Name                        string         `json:"name"`
	Description                 string         `json:"description,omitempty"`
	BalanceLimit                *Limit         `json:"balanceLimit,omitempty"`
	PerTransactionDepositLimit  *Limit         `json:"perTransactionDepositLimit,omitempty"`
	PerTransactionWithdrawLimit *Limit         `json:"perTransactionWithdrawLimit,omitempty"`
	InterestRates               []InterestRate `json:"interestRates,omitempty"`
	IsExternalWithdrawEnabled   *bool          `json:"isExternalWithdrawEnabled,omitempty"`
	IsInterestEnabled           *bool          `json:"isInterestEnabled,omitempty"`

	IsRecurringContributionEnabled *bool `json:"isRecurringContributionEnabled,omitempty"`

	RegDCountMax        *int `json:"perMonthRegDTransactionCountMaximum,omitempty"`
	RegDCountWithoutFee *int `json:"perMonthRegDTransactionCountWithoutFee,omitempty"`
}

// Limit is a minimum and a maximum amount, both inclusive; either may be left out.
type Limit struct {
	MinimumAmount json.Number `json:"minimumAmount,omitempty"`
	MaximumAmount json.Number `json:"maximumAmount,omitempty"`
}

// InterestRate is one tier of a product's interest.
type InterestRate struct {
	APR               json.Number `json:"apr"`
	APY               json.Number `json:"apy"`
	Description       string      `json:"description,omitempty"`
	EffectiveDate     *time.Time  `json:"effectiveDate,omitempty"`
	RateEffectiveDate *time.Time  `json:"rateEffectiveDate,omitempty"`
	MinimumAmount     json.Number `json:"minimumAmount,omitempty"`
	MaximumAmount     json.Number `json:"maximumAmount,omitempty"`
	Tier              int         `json:"tier"`
}

// ProgramAccount is an account of the program itself. Its number is written whole and read masked;
// its revision is that of the program.
type ProgramAccount struct {
	ID                  int         `json:"id"`
	Revision            int         `json:"revision"`
	AccountID           int         `json:"accountId"`
	Type                string      `json:"type"`
	Description         string      `json:"description,omitempty"`
	IsActive            bool        `json:"isActive"`
	AccountBalance      json.Number `json:"accountBalance,omitempty"`
	AccountNumber       string      `json:"accountNumber,omitempty"` // never answered
	AccountNumberMasked string      `json:"accountNumberMasked,omitempty"`
}

// ExternalAccount is an account of the program at another bank. Its number is written whole and
// read masked; its revision is that of the program.
type ExternalAccount struct {
	ID                  int    `json:"id"`
	Revision            int    `json:"revision"`
	ExternalAccountID   int    `json:"externalAccountId"`
	Type                string `json:"type"`
	RoutingNumber       string `json:"routingNumber"`
	Description         string `json:"description,omitempty"`
	NachaName           string `json:"nachaName,omitempty"`
	IsActive            bool   `json:"isActive"`
	AccountNumber       string `json:"accountNumber,omitempty"` // never answered
	AccountNumberMasked string `json:"accountNumberMasked,omitempty"`
}

// NewBank asks for a bank, under the next number where none is given.
type NewBank struct {
	ID     int    `json:"id,omitempty"`
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"`
}

// NewEncryptionKey asks for an encryption key of a bank, under the next number where none is given.
type NewEncryptionKey struct {
	ID     int    `json:"id,omitempty"`
	Status int    `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// NewBankKey asks for another key of an encryption key. Compromised says that the keys from before
// may be known to others.
type NewBankKey struct {
	Compromised bool   `json:"compromised,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// NewBin asks for a BIN of a program, under the next number where none is given.
type NewBin struct {
	ID             int    `json:"id,omitempty"`
	VendorTypeCode string `json:"vendorTypeCode"`
	Description    string `json:"description,omitempty"`
	IsActive       bool   `json:"isActive"`
	FirstBody      string `json:"firstBody"`
	LastBody       string `json:"lastBody"`
	ValidMonths    int    `json:"validMonths,omitempty"` // 48 when left out
	Reason         string `json:"reason,omitempty"`
}

// NewKey asks for a key of a caller. Without RatePerSecond and Burst it has the usual ones. Only a
// sandbox takes a chosen Secret.
type NewKey struct {
	Name          string     `json:"name"`
	Version       int        `json:"version,omitempty"`
	Allow         []string   `json:"allow"`
	RatePerSecond *float64   `json:"ratePerSecond,omitempty"`
	Burst         *int       `json:"burst,omitempty"`
	Compatibility []string   `json:"compatibility,omitempty"`
	Expires       *time.Time `json:"expires,omitempty"`
	Secret        string     `json:"secret,omitempty"`
	Reason        string     `json:"reason,omitempty"`
}

// RotateKey asks for a new secret of a key. The old one ends after the overlap, such as 24h, which
// is also what it is when it is left out.
type RotateKey struct {
	Overlap string     `json:"overlap,omitempty"`
	Expires *time.Time `json:"expires,omitempty"` // of the new secret
	Reason  string     `json:"reason,omitempty"`
}

// Reasoned is a request that says why, and nothing else.
type Reasoned struct {
	Reason string `json:"reason,omitempty"`
}

// NewWebhook asks for a subscription to events.
type NewWebhook struct {
	Name    string   `json:"name,omitempty"` // the URL when left out
	URL     string   `json:"url"`
	Types   []string `json:"types,omitempty"` // all when left out
	Paused  bool     `json:"paused,omitempty"`
	Secrets []string `json:"secrets,omitempty"` // at most two; one is made and shown when left out
	Reason  string   `json:"reason,omitempty"`
}

// NewReplay asks for events to be sent again: those of a span of time, To not included and now when
// left out, or those from a sequence on.
type NewReplay struct {
	From         *time.Time `json:"from,omitempty"`
	To           *time.Time `json:"to,omitempty"`
	FromSequence int        `json:"fromSequence,omitempty"`
	Types        []string   `json:"types,omitempty"` // all when left out
	Reason       string     `json:"reason,omitempty"`
}
