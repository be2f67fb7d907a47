package program

import (
	"encoding/json"
	"time"

	"mintmark/internal/base/value"
)

// Settings is the program object of interface §5.4. A setting that is nil or empty is not
// configured and is omitted from responses; only the lists are always present.
type Settings struct {
	DecimalCount int        `json:"decimalCount"`
	FilledDate   value.Time `json:"filledDate"`

	IsInterestEnabled                   bool `json:"isInterestEnabled"`
	IsInternalToInternalTransferEnabled bool `json:"isInternalToInternalTransferEnabled"`
	IsRecurringContributionEnabled      bool `json:"isRecurringContributionEnabled"`

	Name string `json:"name"`

	PerProgramDailyDepositLimit  *Limit `json:"perProgramDailyDepositLimit,omitempty"`
	PerProgramDailyWithdrawLimit *Limit `json:"perProgramDailyWithdrawLimit,omitempty"`
	PerTransactionDepositLimit   *Limit `json:"perTransactionDepositLimit,omitempty"`
	PerTransactionWithdrawLimit  *Limit `json:"perTransactionWithdrawLimit,omitempty"`
	PerUserDailyDepositLimit     *Limit `json:"perUserDailyDepositLimit,omitempty"`
	PerUserDailyWithdrawLimit    *Limit `json:"perUserDailyWithdrawLimit,omitempty"`
	PerUserMonthlyDepositLimit   *Limit `json:"perUserMonthlyDepositLimit,omitempty"`
	PerUserMonthlyWithdrawLimit  *Limit `json:"perUserMonthlyWithdrawLimit,omitempty"`

	RegDFeeAmount       *value.Amount `json:"regDFeeAmount,omitempty"`
	RegDMonthlyCountMax *int          `json:"regDMonthlyTransactionWithdrawCountMax,omitempty"`

	TimeZone         string `json:"timeZone"`
	VerificationType string `json:"verificationType,omitempty"`
	Website          string `json:"website,omitempty"`

	Accounts         []ProgramAccount  `json:"accounts"`
	ExternalAccounts []ExternalAccount `json:"externalAccounts"`
	Products         []Product         `json:"products"`
	Bin              []PublishedBin    `json:"bin"`

	CheckingProducts map[string]Product `json:"checkingProducts,omitzero"`
	PrepaidProducts  map[string]Product `json:"prepaidProducts,omitzero"`
	SavingsProducts  map[string]Product `json:"savingsProducts,omitzero"`

	PublicKeyAlgorithms string `json:"publicKeyAlgorithms"`

	Bank                           Bank          `json:"bank"`
	ECodeProducts                  struct{}      `json:"eCodeProducts"`
	IsDebitRewardsEnabled          bool          `json:"isDebitRewardsEnabled"`
	PerUserAccountCountMax         *int          `json:"perUserAccountCountMax,omitempty"`
	PerUserExternalAccountCountMax *int          `json:"perUserExternalAccountCountMax,omitempty"`
	PerUserTotalAccountBalanceMax  *value.Amount `json:"perUserTotalAccountBalanceMax,omitempty"`
	ValidAccountTypes              []string      `json:"validAccountTypes"`
	ValidProductTypes              []string      `json:"validProductTypes"`
}

// Limit is a minimum and a maximum amount, both inclusive; either may be absent (interface §5.5).
type Limit struct {
	MinimumAmount *value.Amount `json:"minimumAmount,omitempty"`
	MaximumAmount *value.Amount `json:"maximumAmount,omitempty"`
}

// ProgramAccount is an account of the program itself (interface §5.6).
type ProgramAccount struct {
	AccountBalance      value.Amount `json:"accountBalance"`
	AccountID           int          `json:"accountId"`
	AccountNumber       string       `json:"accountNumber"`
	AccountNumberMasked string       `json:"accountNumberMasked"`
	Description         string       `json:"description,omitempty"`
	IsActive            bool         `json:"isActive"`
	ProgramAccountID    int          `json:"programAccountId"`
	Type                string       `json:"type"`
}

// ExternalAccount is an account of the program at another bank (interface §5.6).
type ExternalAccount struct {
	AccountNumber            string `json:"accountNumber"`
	AccountNumberMasked      string `json:"accountNumberMasked"`
	Description              string `json:"description,omitempty"`
	ExternalAccountID        int    `json:"externalAccountId"`
	IsActive                 bool   `json:"isActive"`
	NachaName                string `json:"nachaName,omitempty"`
	ProgramExternalAccountID int    `json:"programExternalAccountId"`
	RoutingNumber            string `json:"routingNumber"`
	Type                     string `json:"type"`
}

// Bank is what a program publishes about its bank (interface §5.6).
type Bank struct {
	MaintenanceStartDate *value.Time `json:"maintenanceStartDate,omitempty"`
	MaintenanceEndDate   *value.Time `json:"maintenanceEndDate,omitempty"`
	Name                 string      `json:"name"`
	Phone                string      `json:"phone,omitempty"`
	TimeZone             string      `json:"timeZone"`
	WebURL               string      `json:"webUrl,omitempty"`
}

// Product is a kind of account that the program offers (interface §5.6).
type Product struct {
	ProductID                   int            `json:"productId"`
	Type                        string         `json:"type"`
	Category                    string         `json:"category"`
	Name                        string         `json:"name"`
	Description                 string         `json:"description,omitempty"`
	BalanceLimit                *Limit         `json:"balanceLimit,omitempty"`
	PerTransactionDepositLimit  *Limit         `json:"perTransactionDepositLimit,omitempty"`
	PerTransactionWithdrawLimit *Limit         `json:"perTransactionWithdrawLimit,omitempty"`
	InterestRates               []InterestRate `json:"interestRates,omitempty"`
	IsExternalWithdrawEnabled   *bool          `json:"isExternalWithdrawEnabled,omitempty"`
	IsInterestEnabled           *bool          `json:"isInterestEnabled,omitempty"`
	IsRecurringContribution     *bool          `json:"isRecurringContributionEnabled,omitempty"`

	// The Reg D counts are for withdrawals.
	RegDCountMax        *int `json:"perMonthRegDTransactionCountMaximum,omitempty"`
	RegDCountWithoutFee *int `json:"perMonthRegDTransactionCountWithoutFee,omitempty"`
}

// InterestRate is a tier of a product's interest (interface §5.6).
type InterestRate struct {
	APR               value.Rate    `json:"apr"`
	APY               value.Rate    `json:"apy"`
	Description       string        `json:"description,omitempty"`
	EffectiveDate     *value.Time   `json:"effectiveDate,omitempty"`
	RateEffectiveDate *value.Time   `json:"rateEffectiveDate,omitempty"`
	MinimumAmount     *value.Amount `json:"minimumAmount,omitempty"`
	MaximumAmount     *value.Amount `json:"maximumAmount,omitempty"`
	ProductID         int           `json:"productId"`
	Tier              int           `json:"tier"`
}

// PublishedBin is the part of a BIN that callers may see; its digits are not published.
type PublishedBin struct {
	BinID          int    `json:"binId"`
	Description    string `json:"description,omitempty"`
	IsActive       bool   `json:"isActive"`
	VendorTypeCode string `json:"vendorTypeCode"`
}

// Snapshot returns the settings for a response at a time: amounts with the program's decimal
// places, dates in its time zone, the deprecated dictionaries filled.
func (p Program) Snapshot(now time.Time) (Settings, error) {
	// A round trip through JSON makes a deep copy, so that the program does not change.
	text, err := json.Marshal(p.Settings)
	if err != nil {
		return Settings{}, err
	}
	var s Settings
	if err := json.Unmarshal(text, &s); err != nil {
		return Settings{}, err
	}
	s.Each(func(a *value.Amount) { *a = a.Fixed(s.DecimalCount) }, func(t *value.Time) {
		t.Time = t.In(p.Location())
	})
	s.FilledDate = value.Time{Time: now.In(p.Location())}
	s.Bin = make([]PublishedBin, 0, len(p.Bins))
	for _, bin := range p.Bins {
		s.Bin = append(s.Bin, PublishedBin{bin.ID, bin.Description, bin.IsActive, bin.Vendor})
	}
	s.fillLists()
	s.CheckingProducts = s.productsOf(CheckingCategory)
	s.PrepaidProducts = s.productsOf(PrepaidCategory)
	s.SavingsProducts = s.productsOf(SavingsCategory)
	return s, nil
}

// fillLists replaces each nil list with an empty one, because JSON would encode it as null.
func (s *Settings) fillLists() {
	s.Accounts = append([]ProgramAccount{}, s.Accounts...)
	s.ExternalAccounts = append([]ExternalAccount{}, s.ExternalAccounts...)
	s.Products = append([]Product{}, s.Products...)
	s.ValidAccountTypes = append([]string{}, s.ValidAccountTypes...)
	s.ValidProductTypes = append([]string{}, s.ValidProductTypes...)
}

// WithoutDeprecated returns the settings for callers of version 2, which omits what the interface
// marks as deprecated (interface §2.5).
func (s Settings) WithoutDeprecated() Settings {
	s.CheckingProducts, s.PrepaidProducts, s.SavingsProducts = nil, nil, nil
	return s
}

// productsOf returns the products of a category by their name in lower camel case. The map is empty
// but not nil if there are none.
func (s Settings) productsOf(category string) map[string]Product {
	products := make(map[string]Product)
	for _, product := range s.Products {
		if product.Category == category {
			products[lowerCamel(product.Name)] = product
		}
	}
	return products
}
