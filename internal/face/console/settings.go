package console

import (
	"encoding/json"
	"reflect"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

// settings are the members of a program that operators set, beside each other as on the wire.
type settings struct {
	BankID                 int      `json:"bankId"`
	Name                   string   `json:"name"`
	Website                string   `json:"website"`
	TimeZone               string   `json:"timeZone"`
	VerificationType       string   `json:"verificationType"`
	VerificationWindowDays *int     `json:"verificationWindowDays"`
	Renewal                string   `json:"renewal"`
	PublicKeyAlgorithms    string   `json:"publicKeyAlgorithms"`
	FourEyes               bool     `json:"fourEyes"`
	Balances               string   `json:"balances"`
	DecimalCount           *int     `json:"decimalCount"`
	IsInterestEnabled      bool     `json:"isInterestEnabled"`
	InternalTransfers      bool     `json:"isInternalToInternalTransferEnabled"`
	RecurringContributions bool     `json:"isRecurringContributionEnabled"`
	DebitRewards           bool     `json:"isDebitRewardsEnabled"`
	ValidAccountTypes      []string `json:"validAccountTypes"`
	ValidProductTypes      []string `json:"validProductTypes"`

	Deposit              *wire.Limit `json:"perTransactionDepositLimit"`
	Withdraw             *wire.Limit `json:"perTransactionWithdrawLimit"`
	UserDailyDeposit     *wire.Limit `json:"perUserDailyDepositLimit"`
	UserDailyWithdraw    *wire.Limit `json:"perUserDailyWithdrawLimit"`
	UserMonthlyDeposit   *wire.Limit `json:"perUserMonthlyDepositLimit"`
	UserMonthlyWithdraw  *wire.Limit `json:"perUserMonthlyWithdrawLimit"`
	ProgramDailyDeposit  *wire.Limit `json:"perProgramDailyDepositLimit"`
	ProgramDailyWithdraw *wire.Limit `json:"perProgramDailyWithdrawLimit"`

	AccountCountMax         *int        `json:"perUserAccountCountMax"`
	ExternalAccountCountMax *int        `json:"perUserExternalAccountCountMax"`
	TotalBalanceMax         json.Number `json:"perUserTotalAccountBalanceMax"`
	RegDCountMax            *int        `json:"regDMonthlyTransactionWithdrawCountMax"`
	RegDFee                 json.Number `json:"regDFeeAmount"`
}

func settingsOf(p wire.Program) (settings, error) {
	var s settings
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	return s, err
}

// newSettings are those that a new program begins with.
func newSettings() settings {
	days, digits := 90, 2
	types := []string{"Checking", "Savings"}
	return settings{
		TimeZone: "America/New_York", DecimalCount: &digits, VerificationWindowDays: &days,
		Renewal: "manual", Balances: "core", PublicKeyAlgorithms: "RSA-OAEP-SHA256-MGF1",
		ValidAccountTypes: types, ValidProductTypes: types,
	}
}

// settingGroups are the settings in the order in which they are shown.
var settingGroups = []struct {
	name   string
	fields []admin.Field
}{
	{"In general", []admin.Field{
		{Name: "name", Label: "Name"},
		{Name: "website", Label: "Website"},
		{Name: "timeZone", Label: "Time zone", Help: "Of all dates; such as America/Chicago."},
		{Name: "verificationType", Label: "How a new customer is verified"},
	}},
	{"Cards", []admin.Field{
		{Name: "verificationWindowDays", Label: "Days to verify a card",
			Help: "A card that is not verified by then expires."},
		{Name: "renewal", Label: "Renewal", Choices: []admin.Choice{
			{Value: "automatic", Label: "Automatic", Help: "Made again before they expire"},
			{Value: "manual", Label: "Manual", Help: "On request only"},
		}},
		{Name: "publicKeyAlgorithms", Label: "Algorithms for PINs", Help: "Separated by commas."},
	}},
	{"Control", []admin.Field{
		{Name: "fourEyes", Label: "Four eyes",
			Help: "A second operator confirms new keys, clearing SYS locks, changed addresses."},
		{Name: "balances", Label: "Source of balances", Choices: []admin.Choice{
			{Value: "core", Label: "The core banking system"},
			{Value: "mintmark", Label: "Mintmark"},
		}},
	}},
	{"Money", []admin.Field{
		{Name: "decimalCount", Label: "Decimal places"},
		{Name: "isInterestEnabled", Label: "Interest accrues"},
		{Name: "isInternalToInternalTransferEnabled", Label: "Transfers between own accounts"},
		{Name: "isRecurringContributionEnabled", Label: "Recurring contributions"},
		{Name: "isDebitRewardsEnabled", Label: "Debit rewards"},
	}},
	{"Limits", []admin.Field{
		{Name: "perTransactionDepositLimit", Label: "One deposit"},
		{Name: "perTransactionWithdrawLimit", Label: "One withdrawal"},
		{Name: "perUserDailyDepositLimit", Label: "A customer's deposits of a day"},
		{Name: "perUserDailyWithdrawLimit", Label: "A customer's withdrawals of a day"},
		{Name: "perUserMonthlyDepositLimit", Label: "A customer's deposits of a month"},
		{Name: "perUserMonthlyWithdrawLimit", Label: "A customer's withdrawals of a month"},
		{Name: "perProgramDailyDepositLimit", Label: "All deposits of a day"},
		{Name: "perProgramDailyWithdrawLimit", Label: "All withdrawals of a day"},
	}},
	{"Counts and sums", []admin.Field{
		{Name: "perUserAccountCountMax", Label: "Accounts of a customer"},
		{Name: "perUserExternalAccountCountMax", Label: "External accounts of a customer"},
		{Name: "perUserTotalAccountBalanceMax", Label: "Max total balance of a customer"},
		{Name: "regDMonthlyTransactionWithdrawCountMax", Label: "Free withdrawals of a month"},
		{Name: "regDFeeAmount", Label: "Fee on each above"},
		{Name: "validAccountTypes", Label: "Types of account"},
		{Name: "validProductTypes", Label: "Types of product"},
	}},
}

// settingInputs ask for every setting, with the values of a program.
func (v *visit) settingInputs(s settings) (inputs, *fieldset) {
	var all inputs
	asked := &fieldset{}
	for _, g := range settingGroups {
		in := v.inputsOf(g.fields, admin.Changing, reflect.TypeOf(s), s)
		for _, c := range in.controls() {
			c.Asks = true
		}
		asked.Groups = append(asked.Groups, group{Name: g.name, Fields: in.controls()})
		all = append(all, in...)
	}
	return all, asked
}

// bounds writes a least and a greatest amount.
func bounds(least, greatest string) string {
	switch {
	case least == "" && greatest == "":
		return ""
	case least == "":
		return "at most " + money(json.Number(greatest))
	case greatest == "":
		return "at least " + money(json.Number(least))
	}
	return money(json.Number(least)) + " to " + money(json.Number(greatest))
}
