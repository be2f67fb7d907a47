package console

import (
	"encoding/json"
	"strconv"
	"strings"

	wire "mintmark/client/admin"
)

// settingsOf returns all members of a program by their names.
func settingsOf(p wire.Program) map[string]json.RawMessage {
	values := map[string]json.RawMessage{}
	whole, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(whole, &values)
	}
	if err != nil {
		panic(err) // it was read as JSON
	}
	return values
}

// setting is a member of a program that operators set.
type setting struct {
	name, label, help string
	kind              settingKind
	choices           []option
}

type settingKind int

const (
	plainSetting settingKind = iota // a text
	numberSetting
	idSetting // a number that names something
	amountSetting
	truthSetting
	listSetting  // of texts
	limitSetting // a least and a greatest amount
)

// settingsGroup is a heading and the settings below it.
type settingsGroup struct {
	name     string
	settings []setting
}

// programSettings are the settings in the order in which they are shown.
var programSettings = []settingsGroup{
	{"In general", []setting{
		{name: "name", label: "Name"},
		{name: "website", label: "Website"},
		{name: "timeZone", label: "Time zone", help: "Of all dates; such as America/Chicago."},
		{name: "verificationType", label: "How a new customer is verified"},
	}},
	{"Cards", []setting{
		{name: "verificationWindowDays", label: "Days to verify a card", kind: numberSetting,
			help: "A card that is not verified by then expires."},
		{name: "renewal", label: "Renewal", choices: []option{
			{Value: "automatic", Label: "Automatic", Help: "Made again before they expire"},
			{Value: "manual", Label: "Manual", Help: "On request only"},
		}},
		{name: "publicKeyAlgorithms", label: "Algorithms for PINs",
			help: "Separated by commas."},
	}},
	{"Control", []setting{
		{name: "fourEyes", label: "Four eyes", kind: truthSetting,
			help: "A second operator confirms new keys, clearing SYS locks, changed addresses."},
		{name: "balances", label: "Who owns balances", choices: []option{
			{Value: "core", Label: "The core banking system"},
			{Value: "mintmark", Label: "Mintmark"},
		}},
	}},
	{"Money", []setting{
		{name: "decimalCount", label: "Digits behind the point", kind: numberSetting},
		{name: "isInterestEnabled", label: "Interest accrues", kind: truthSetting},
		{name: "isInternalToInternalTransferEnabled",
			label: "Transfers between own accounts", kind: truthSetting},
		{name: "isRecurringContributionEnabled", label: "Recurring contributions",
			kind: truthSetting},
		{name: "isDebitRewardsEnabled", label: "Debit rewards", kind: truthSetting},
	}},
	{"Limits", []setting{
		{name: "perTransactionDepositLimit", label: "One deposit", kind: limitSetting},
		{name: "perTransactionWithdrawLimit", label: "One withdrawal", kind: limitSetting},
		{name: "perUserDailyDepositLimit", label: "A customer's deposits of a day",
			kind: limitSetting},
		{name: "perUserDailyWithdrawLimit", label: "A customer's withdrawals of a day",
			kind: limitSetting},
		{name: "perUserMonthlyDepositLimit", label: "A customer's deposits of a month",
			kind: limitSetting},
		{name: "perUserMonthlyWithdrawLimit", label: "A customer's withdrawals of a month",
			kind: limitSetting},
		{name: "perProgramDailyDepositLimit", label: "All deposits of a day",
			kind: limitSetting},
		{name: "perProgramDailyWithdrawLimit", label: "All withdrawals of a day",
			kind: limitSetting},
	}},
	{"Counts and sums", []setting{
		{name: "perUserAccountCountMax", label: "Accounts of a customer", kind: numberSetting},
		{name: "perUserExternalAccountCountMax", label: "External accounts of a customer",
			kind: numberSetting},
		{name: "perUserTotalAccountBalanceMax", label: "Sum of a customer's balances",
			kind: amountSetting},
		{name: "regDMonthlyTransactionWithdrawCountMax",
			label: "Withdrawals of a month before a fee", kind: numberSetting},
		{name: "regDFeeAmount", label: "Fee on each above", kind: amountSetting},
		{name: "validAccountTypes", label: "Types of account", kind: listSetting},
		{name: "validProductTypes", label: "Types of product", kind: listSetting},
	}},
}

// limitOf reads a least and a greatest amount.
func limitOf(raw json.RawMessage) (least, greatest string) {
	var limit struct {
		MinimumAmount json.Number `json:"minimumAmount"`
		MaximumAmount json.Number `json:"maximumAmount"`
	}
	// A limit that is not set has no bounds.
	_ = json.Unmarshal(raw, &limit)
	return limit.MinimumAmount.String(), limit.MaximumAmount.String()
}

// textOf is a setting as a field shows it.
func textOf(raw json.RawMessage) string {
	var list []string
	if json.Unmarshal(raw, &list) == nil {
		return strings.Join(list, "\n")
	}
	if string(raw) == "null" {
		return ""
	}
	return text(raw)
}

// line shows a setting.
func (s setting) line(values map[string]json.RawMessage) settingLine {
	shown := settingLine{Label: s.label, Name: s.name, Value: textOf(values[s.name])}
	for _, one := range s.choices {
		if one.Value == shown.Value {
			shown.Value = one.Label
		}
	}
	switch s.kind {
	case truthSetting:
		shown.Value = map[string]string{"true": "Yes"}[shown.Value]
		if shown.Value == "" {
			shown.Value = "No"
		}
	case listSetting:
		shown.Value = strings.ReplaceAll(shown.Value, "\n", ", ")
	case limitSetting:
		least, greatest := limitOf(values[s.name])
		shown.Value = bounds(least, greatest)
	case amountSetting, numberSetting:
		if shown.Value != "" {
			shown.Value = money(json.Number(shown.Value))
		}
	case plainSetting, idSetting:
	}
	return shown
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

// fields ask for a setting.
func (s setting) fields(values map[string]json.RawMessage) []*control {
	one := &control{Name: s.name, Label: s.label, Help: s.help, Kind: textField,
		Value: textOf(values[s.name]), Asks: true}
	switch {
	case len(s.choices) > 0:
		one.Kind, one.Options = pickField, choose(s.choices, one.Value)
	case s.kind == truthSetting:
		one.Kind = switchField
	case s.kind == numberSetting || s.kind == amountSetting || s.kind == idSetting:
		one.Kind = numberField
	case s.kind == listSetting:
		one.Kind = areaField
	case s.kind == limitSetting:
		least, greatest := limitOf(values[s.name])
		return []*control{
			{Name: s.name + ".minimumAmount", Label: s.label + ", least", Kind: numberField,
				Value: least, Asks: true},
			{Name: s.name + ".maximumAmount", Label: s.label + ", greatest", Kind: numberField,
				Value: greatest, Asks: true},
		}
	}
	return []*control{one}
}

// programFields ask for every setting, with the values of a program.
func programFields(values map[string]json.RawMessage) *fieldset {
	f := &fieldset{}
	for _, g := range programSettings {
		asked := group{Name: g.name}
		for _, one := range g.settings {
			asked.Fields = append(asked.Fields, one.fields(values)...)
		}
		f.Groups = append(f.Groups, asked)
	}
	return f
}

// into puts what the form says of a setting into a patch, unless it is what the program has.
func (s setting) into(body properties, f *fieldset, values map[string]json.RawMessage) {
	before := properties{}
	s.write(before, programFields(values))
	s.write(body, f)
	if string(before[s.name]) == string(body[s.name]) {
		delete(body, s.name)
	}
}

// write puts what a form says of a setting into a patch.
func (s setting) write(body properties, f *fieldset) {
	said := f.value(s.name)
	switch s.kind {
	case truthSetting:
		body.set(s.name, said == "true")
	case listSetting:
		body.set(s.name, append([]string{}, f.lines(s.name)...))
	case numberSetting, amountSetting, idSetting:
		body[s.name] = f.amount(s.name)
	case limitSetting:
		limit := properties{
			"minimumAmount": f.amount(s.name + ".minimumAmount"),
			"maximumAmount": f.amount(s.name + ".maximumAmount"),
		}
		if string(limit["minimumAmount"]) == "null" && string(limit["maximumAmount"]) == "null" {
			body[s.name] = json.RawMessage("null")
			return
		}
		body.set(s.name, limit)
	case plainSetting:
		if len(s.choices) > 0 {
			said = strings.Join(f.chosen(s.name), "")
		}
		if said == "" {
			body[s.name] = json.RawMessage("null")
			return
		}
		body.set(s.name, said)
	}
}

// amount returns what a field for a number holds as JSON, null for an empty one.
func (f *fieldset) amount(name string) json.RawMessage {
	said := strings.ReplaceAll(f.value(name), ",", "")
	if said == "" {
		return json.RawMessage("null")
	}
	if _, err := strconv.ParseFloat(said, 64); err != nil || !json.Valid([]byte(said)) {
		f.accuse("/"+strings.ReplaceAll(name, ".", "/"), "must be a number")
		return json.RawMessage("null")
	}
	return json.RawMessage(said)
}
