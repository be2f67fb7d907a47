package console

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/admin"
)

// settings are the members of a program that operators set, flat as on the wire.
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
	Currency               string   `json:"currency"`
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

// newSettings returns the defaults of a new program.
func newSettings() settings {
	days, digits := 90, 2
	types := []string{"Checking", "Savings"}
	return settings{
		TimeZone: "America/New_York", DecimalCount: &digits, VerificationWindowDays: &days,
		Renewal: "manual", Balances: "core", PublicKeyAlgorithms: "RSA-OAEP-SHA256-MGF1",
		ValidAccountTypes: types, ValidProductTypes: types,
	}
}

// fieldGroup holds settings under a heading.
type fieldGroup struct {
	name   string
	fields []admin.Field
}

// settingGroups returns the settings in the order of their display. Those without a label are
// fields of the resource; the others are members of the program object in the callers' interface.
var settingGroups = sync.OnceValue(func() []fieldGroup {
	groups := []fieldGroup{
		{"In general", []admin.Field{
			{Name: "name"},
			{Name: "website", Label: "Website"},
			{Name: "timeZone", Label: "Time zone", Help: "Of all dates; such as America/Chicago."},
			{Name: "verificationType", Label: "How a new customer is verified"},
		}},
		{"Cards", []admin.Field{
			{Name: "verificationWindowDays"},
			{Name: "renewal"},
			{Name: "publicKeyAlgorithms", Label: "Algorithms for PINs", Help: "Separated by commas."},
		}},
		{"Control", []admin.Field{{Name: "fourEyes"}, {Name: "balances"}}},
		{"Money", []admin.Field{
			{Name: "decimalCount", Label: "Decimal places"},
			{Name: "currency"},
			{Name: "isInterestEnabled", Label: "Interest accrues"},
			{Name: "isInternalToInternalTransferEnabled", Label: "Transfers between own accounts"},
			{Name: "isRecurringContributionEnabled", Label: "Recurring contributions"},
			{Name: "isDebitRewardsEnabled", Label: "Debit rewards"},
		}},
		{"Limits", []admin.Field{
			{Name: "perTransactionDepositLimit", Label: "Per-transaction deposit"},
			{Name: "perTransactionWithdrawLimit", Label: "Per-transaction withdrawal"},
			{Name: "perUserDailyDepositLimit", Label: "Customer daily deposits"},
			{Name: "perUserDailyWithdrawLimit", Label: "Customer daily withdrawals"},
			{Name: "perUserMonthlyDepositLimit", Label: "Customer monthly deposits"},
			{Name: "perUserMonthlyWithdrawLimit", Label: "Customer monthly withdrawals"},
			{Name: "perProgramDailyDepositLimit", Label: "Program daily deposits"},
			{Name: "perProgramDailyWithdrawLimit", Label: "Program daily withdrawals"},
		}},
		{"Counts and sums", []admin.Field{
			{Name: "perUserAccountCountMax", Label: "Max accounts per customer"},
			{Name: "perUserExternalAccountCountMax", Label: "Max external accounts per customer"},
			{Name: "perUserTotalAccountBalanceMax", Label: "Max total balance per customer"},
			{Name: "regDMonthlyTransactionWithdrawCountMax", Label: "Free withdrawals per month (transfers)"},
			{Name: "regDFeeAmount", Label: "Reg D excess fee"},
			{Name: "validAccountTypes", Label: "Types of account"},
			{Name: "validProductTypes", Label: "Types of product"},
		}},
	}
	resource := resourceAt("programs")
	for _, group := range groups {
		for i, f := range group.fields {
			if f.Label == "" {
				group.fields[i] = resource.Field(f.Name)
			}
		}
	}
	return groups
})

// settingGroupsOf returns the groups for a program, whose currency the labels of amounts name.
func settingGroupsOf(s settings) []fieldGroup {
	groups := slices.Clone(settingGroups())
	members := strictjson.Fields(reflect.TypeOf(s))
	for i := range groups {
		groups[i].fields = slices.Clone(groups[i].fields)
		for j, f := range groups[i].fields {
			kind := members[f.Name].Type
			if s.Currency != "" && (kind == amountType || kind == reflect.PointerTo(limitType)) {
				groups[i].fields[j].Label += " (" + s.Currency + ")"
			}
		}
	}
	return groups
}

// settingInputs returns the inputs for all settings, with the values of a program.
func (v *visit) settingInputs(s settings) (inputs, *fieldset) {
	var all inputs
	f := &fieldset{}
	for _, g := range settingGroupsOf(s) {
		in := v.inputsOf(g.fields, admin.Changing, reflect.TypeOf(s), s)
		for _, c := range in.controls() {
			c.MayBeEmpty = true
		}
		f.Groups = append(f.Groups, group{Name: g.name, Fields: in.controls()})
		all = append(all, in...)
	}
	return all, f
}

// bounds formats a minimum and a maximum amount.
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
