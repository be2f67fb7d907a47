package admin

import (
	"encoding/json"
	"time"
)

// Types for the configuration beyond resources.go: the parts of a program, and the bodies of
// requests that create or change something.

// Product is a type of account that a program offers. Its revision is that of the program.
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

// Limit is a minimum and a maximum amount, both inclusive and both optional.
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

// ProgramAccount is an account of the program itself. Its account number is write-only and returned
// masked; its revision is that of the program.
type ProgramAccount struct {
	ID                  int         `json:"id"`
	Revision            int         `json:"revision"`
	AccountID           int         `json:"accountId"`
	Type                string      `json:"type"`
	Description         string      `json:"description,omitempty"`
	IsActive            bool        `json:"isActive"`
	AccountBalance      json.Number `json:"accountBalance,omitempty"`
	AccountNumber       string      `json:"accountNumber,omitempty"` // write-only
	AccountNumberMasked string      `json:"accountNumberMasked,omitempty"`
}

// ExternalAccount is an account of the program at another bank. Its account number is write-only
// and returned masked; its revision is that of the program.
type ExternalAccount struct {
	ID                  int    `json:"id"`
	Revision            int    `json:"revision"`
	ExternalAccountID   int    `json:"externalAccountId"`
	Type                string `json:"type"`
	RoutingNumber       string `json:"routingNumber"`
	Description         string `json:"description,omitempty"`
	NachaName           string `json:"nachaName,omitempty"`
	IsActive            bool   `json:"isActive"`
	AccountNumber       string `json:"accountNumber,omitempty"` // write-only
	AccountNumberMasked string `json:"accountNumberMasked,omitempty"`
}

// NewBank creates a bank. Without an ID it gets the next number.
type NewBank struct {
	ID     int    `json:"id,omitempty"`
	Name   string `json:"name"`
	Reason string `json:"reason,omitempty"`
}

// NewEncryptionKey creates an encryption key of a bank. Without an ID it gets the next number.
type NewEncryptionKey struct {
	ID     int    `json:"id,omitempty"`
	Status int    `json:"status"`
	Reason string `json:"reason,omitempty"`
}

// NewBankKey creates a new key for an encryption key. Compromised marks the previous keys as
// possibly known to others.
type NewBankKey struct {
	Compromised bool   `json:"compromised,omitempty"`
	Reason      string `json:"reason,omitempty"`
}

// NewBin creates a BIN of a program. Without an ID it gets the next number.
type NewBin struct {
	ID             int    `json:"id,omitempty"`
	VendorTypeCode string `json:"vendorTypeCode"`
	Description    string `json:"description,omitempty"`
	IsActive       bool   `json:"isActive"`
	FirstBody      string `json:"firstBody"`
	LastBody       string `json:"lastBody"`
	ValidMonths    *int   `json:"validMonths,omitempty"` // default 48
	Reason         string `json:"reason,omitempty"`
}

// NewKey creates an API key. RatePerSecond and Burst have defaults. Only a sandbox accepts a
// Secret.
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

// RotateKey creates a new secret for an API key. The old secret ends after Overlap, which defaults
// to 24h.
type RotateKey struct {
	Overlap string     `json:"overlap,omitempty"`
	Expires *time.Time `json:"expires,omitempty"` // of the new secret
	Reason  string     `json:"reason,omitempty"`
}

// Reasoned is a request that consists of its reason.
type Reasoned struct {
	Reason string `json:"reason,omitempty"`
}

// NewWebhook creates a subscription to events.
type NewWebhook struct {
	Name    string   `json:"name,omitempty"` // default: the URL
	URL     string   `json:"url"`
	Types   []string `json:"types,omitempty"` // default: all
	Paused  bool     `json:"paused,omitempty"`
	Secrets []string `json:"secrets,omitempty"` // at most two; default: a new one, which is returned
	Reason  string   `json:"reason,omitempty"`
}

// NewReplay sends events again: those of a time span, or those from a sequence on. To is exclusive
// and defaults to the current time.
type NewReplay struct {
	From         *time.Time `json:"from,omitempty"`
	To           *time.Time `json:"to,omitempty"`
	FromSequence int        `json:"fromSequence,omitempty"`
	Types        []string   `json:"types,omitempty"` // default: all
	Reason       string     `json:"reason,omitempty"`
}
