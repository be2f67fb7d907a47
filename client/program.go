package client

import (
	"context"
	"encoding/json"
	"time"

	"github.com/shopspring/decimal"
)

// Program is the program object, interface §5.4: the read-only settings of the program that the API
// key belongs to.
type Program struct {
	DecimalCount int `json:"decimalCount"`
	// FilledDate is the time at which the settings were read; they are at most five minutes old.
	FilledDate                          time.Time `json:"filledDate,omitzero"`
	IsInterestEnabled                   bool      `json:"isInterestEnabled"`
	IsInternalToInternalTransferEnabled bool      `json:"isInternalToInternalTransferEnabled"`
	IsRecurringContributionEnabled      bool      `json:"isRecurringContributionEnabled"`
	IsDebitRewardsEnabled               bool      `json:"isDebitRewardsEnabled"`
	Name                                string    `json:"name"`

	PerProgramDailyDepositLimit    Limit `json:"perProgramDailyDepositLimit"`
	PerProgramDailyWithdrawLimit   Limit `json:"perProgramDailyWithdrawLimit"`
	PerTransactionDepositLimit     Limit `json:"perTransactionDepositLimit"`
	PerTransactionWithdrawLimit    Limit `json:"perTransactionWithdrawLimit"`
	PerUserDailyDepositLimit       Limit `json:"perUserDailyDepositLimit"`
	PerUserDailyWithdrawLimit      Limit `json:"perUserDailyWithdrawLimit"`
	PerUserMonthlyDepositLimit     Limit `json:"perUserMonthlyDepositLimit"`
	PerUserMonthlyWithdrawLimit    Limit `json:"perUserMonthlyWithdrawLimit"`
	PerUserAccountCountMax         int   `json:"perUserAccountCountMax,omitzero"`
	PerUserExternalAccountCountMax int   `json:"perUserExternalAccountCountMax,omitzero"`

	RegDMonthlyTransactionWithdrawCountMax int `json:"regDMonthlyTransactionWithdrawCountMax"`
	// A nil amount is not set, as opposed to zero.
	PerUserTotalAccountBalanceMax *decimal.Decimal  `json:"perUserTotalAccountBalanceMax,omitempty"`
	RegDFeeAmount                 *decimal.Decimal  `json:"regDFeeAmount,omitempty"`
	TimeZone                      string            `json:"timeZone"`
	VerificationType              string            `json:"verificationType,omitzero"`
	Website                       string            `json:"website,omitzero"`
	Bank                          Bank              `json:"bank"`
	Accounts                      []ProgramAccount  `json:"accounts"`
	ExternalAccounts              []ExternalAccount `json:"externalAccounts"`
	Products                      []Product         `json:"products"`
	Bins                          []Bin             `json:"bin"`
	ValidAccountTypes             []string          `json:"validAccountTypes"`
	ValidProductTypes             []string          `json:"validProductTypes"`
	// PublicKeyAlgorithms lists the accepted PIN encryptions, separated by commas.
	PublicKeyAlgorithms string `json:"publicKeyAlgorithms"`
	// The next three are deprecated: filter Products by category instead. Keys of version 2 do not
	// get them.
	CheckingProducts map[string]Product `json:"checkingProducts,omitzero"`
	PrepaidProducts  map[string]Product `json:"prepaidProducts,omitzero"`
	SavingsProducts  map[string]Product `json:"savingsProducts,omitzero"`
	// The interface does not define the type of this member, so it stays raw.
	ECodeProducts json.RawMessage `json:"eCodeProducts,omitzero"`
}

// Limit bounds an amount, inclusively, interface §5.5. A nil bound does not limit.
//
// Amounts use omitempty: omitzero would omit a bound of zero, too.
type Limit struct {
	MinimumAmount *decimal.Decimal `json:"minimumAmount,omitempty"`
	MaximumAmount *decimal.Decimal `json:"maximumAmount,omitempty"`
}

// Bank is the bank of the program, interface §5.6.
type Bank struct {
	Name                 string    `json:"name"`
	Phone                string    `json:"phone,omitzero"`
	TimeZone             string    `json:"timeZone,omitzero"`
	WebURL               string    `json:"webUrl,omitzero"`
	MaintenanceStartDate time.Time `json:"maintenanceStartDate,omitzero"`
	MaintenanceEndDate   time.Time `json:"maintenanceEndDate,omitzero"`
}

// ProgramAccount is an account of the program itself, interface §5.6.
type ProgramAccount struct {
	ProgramAccountID    int             `json:"programAccountId"`
	AccountID           int             `json:"accountId"`
	AccountBalance      decimal.Decimal `json:"accountBalance"`
	AccountNumber       string          `json:"accountNumber"`
	AccountNumberMasked string          `json:"accountNumberMasked"`
	Description         string          `json:"description,omitzero"`
	IsActive            bool            `json:"isActive"`
	Type                string          `json:"type"`
}

// ExternalAccount is an account of the program at another bank: programExternalAccount in interface
// §5.6.
type ExternalAccount struct {
	ProgramExternalAccountID int    `json:"programExternalAccountId"`
	ExternalAccountID        int    `json:"externalAccountId"`
	AccountNumber            string `json:"accountNumber"`
	AccountNumberMasked      string `json:"accountNumberMasked"`
	RoutingNumber            string `json:"routingNumber"`
	NachaName                string `json:"nachaName,omitzero"`
	Description              string `json:"description,omitzero"`
	IsActive                 bool   `json:"isActive"`
	Type                     string `json:"type"`
}

// Product is a type of account that the program offers, interface §5.6. A product has only some of
// the members.
type Product struct {
	ProductID   int    `json:"productId"`
	Type        string `json:"type"`
	Category    string `json:"category"`
	Name        string `json:"name"`
	Description string `json:"description,omitzero"`

	BalanceLimit                Limit `json:"balanceLimit,omitzero"`
	PerTransactionDepositLimit  Limit `json:"perTransactionDepositLimit,omitzero"`
	PerTransactionWithdrawLimit Limit `json:"perTransactionWithdrawLimit,omitzero"`

	InterestRates []InterestRate `json:"interestRates,omitzero"`

	IsExternalWithdrawEnabled      bool `json:"isExternalWithdrawEnabled"`
	IsInterestEnabled              bool `json:"isInterestEnabled"`
	IsRecurringContributionEnabled bool `json:"isRecurringContributionEnabled"`

	PerMonthRegDTransactionCountMaximum    int `json:"perMonthRegDTransactionCountMaximum"`
	PerMonthRegDTransactionCountWithoutFee int `json:"perMonthRegDTransactionCountWithoutFee"`
}

// InterestRate is the interest that a product pays on balances within its bounds, interface §5.6.
// Rates have up to eleven fraction digits.
type InterestRate struct {
	ProductID         int              `json:"productId"`
	Tier              int              `json:"tier"`
	APR               decimal.Decimal  `json:"apr"`
	APY               decimal.Decimal  `json:"apy"`
	Description       string           `json:"description,omitzero"`
	EffectiveDate     time.Time        `json:"effectiveDate,omitzero"`
	RateEffectiveDate time.Time        `json:"rateEffectiveDate,omitzero"`
	MinimumAmount     *decimal.Decimal `json:"minimumAmount,omitempty"`
	MaximumAmount     *decimal.Decimal `json:"maximumAmount,omitempty"`
}

// Bin is a range of card numbers for new cards. Its digits are not published.
type Bin struct {
	BinID          int    `json:"binId"`
	Description    string `json:"description,omitzero"`
	IsActive       bool   `json:"isActive"`
	VendorTypeCode string `json:"vendorTypeCode"`
}

// ProgramGet reads all settings of the program.
func (c *Client) ProgramGet(ctx context.Context) (Program, error) {
	return get[Program](ctx, c, "/program/get")
}
