package console

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
)

// piece is a list in the settings of a program whose entries have pages of their own. All of them
// have the revision of the program.
type piece struct {
	path    string // in the console
	part    string // in the interface, below the program
	title   string
	one     string // an entry, such as "product"
	command string
	example string // what makes an entry on the command line
	note    string // beside the form of an entry
	columns []string
	asked   []setting
}

// pieceRows are the rows of all of them.
func pieceRows() []row {
	var rows []row
	for _, p := range []piece{products(), ownAccounts(), externalAccounts()} {
		rows = append(rows, reserved(slices.Concat(
			form(p.path+"/new", "programs", "form", p.showNew, p.add),
			form(p.path+"/{entry}/remove", "programs", "act", p.showRemove, p.remove),
		), "configurator")...)
		pages := slices.Concat(
			[]row{page(p.path, "programs", "pieces", p.list)},
			form(p.path+"/{entry}", "programs", "form", p.show, p.change),
		)
		rows = append(rows, forReaders(pages)...)
	}
	return rows
}

// forReaders keeps pages from operators whom the interface would refuse, and the forms on them from
// those who read only.
func forReaders(rows []row) []row {
	for i := range rows {
		roles := []string{"configurator", "auditor"}
		if rows[i].method == http.MethodPost {
			roles = roles[:1]
		}
		reserved(rows[i:i+1], roles...)
	}
	return rows
}

func products() piece {
	kinds := []option{
		{Value: "Checking", Label: "Checking"}, {Value: "Savings", Label: "Savings"},
		{Value: "ForBenefitOf", Label: "For benefit of"},
	}
	categories := []option{
		{Value: "Checking", Label: "Checking"}, {Value: "Savings", Label: "Savings"},
		{Value: "Prepaid", Label: "Prepaid"},
	}
	return piece{
		path: "products", part: "products", title: "Products", one: "product",
		command: "product", example: "--set type=Savings --set category=Savings --set name=Gold",
		note:    "Interest rates are set on the command line: --set interestRates=JSON.",
		columns: []string{"name", "type", "category", "description"},
		asked: []setting{
			{name: "name", label: "Name"},
			{name: "description", label: "Description"},
			{name: "type", label: "Type of account", choices: kinds},
			{name: "category", label: "Category", choices: categories},
			{name: "balanceLimit", label: "Balance", kind: limitSetting},
			{name: "perTransactionDepositLimit", label: "One deposit", kind: limitSetting},
			{name: "perTransactionWithdrawLimit", label: "One withdrawal", kind: limitSetting},
			{name: "isInterestEnabled", label: "Interest accrues", kind: truthSetting},
			{name: "isExternalWithdrawEnabled", label: "Withdrawals to other banks",
				kind: truthSetting},
			{name: "isRecurringContributionEnabled", label: "Recurring contributions",
				kind: truthSetting},
			{name: "perMonthRegDTransactionCountMaximum", label: "Withdrawals of a month",
				kind: numberSetting},
			{name: "perMonthRegDTransactionCountWithoutFee",
				label: "Withdrawals of a month without a fee", kind: numberSetting},
		},
	}
}

// wholeNumber is the setting of a number that is written and never shown.
func wholeNumber() setting {
	return setting{
		name: "accountNumber", label: "Account number",
		help: "Written whole and shown masked. Left empty, it stays.",
	}
}

func ownAccounts() piece {
	return piece{
		path: "program-accounts", part: "accounts", title: "Program accounts",
		one: "program account", command: "program-account",
		example: "--set accountId=7 --set type=CardSettlement",
		columns: []string{"accountId", "type", "accountNumberMasked", "description", "isActive"},
		asked: []setting{
			{name: "accountId", label: "Number of the account", kind: idSetting},
			{name: "type", label: "Used for", choices: named("ProgramClearingAccount",
				"ProgramReserve", "InterestExpense", "InterestAccrual",
				"BackupWithholdingAccount", "CardSettlement")},
			wholeNumber(),
			{name: "description", label: "Description"},
			{name: "isActive", label: "In use", kind: truthSetting},
			{name: "accountBalance", label: "Balance", kind: amountSetting},
		},
	}
}

func externalAccounts() piece {
	return piece{
		path: "external-accounts", part: "externalAccounts", title: "External accounts",
		one: "external account", command: "external-account",
		example: "--set externalAccountId=7 --set type=Miscellaneous",
		columns: []string{"externalAccountId", "type", "routingNumber", "accountNumberMasked",
			"description", "isActive"},
		asked: []setting{
			{name: "externalAccountId", label: "Number of the account", kind: idSetting},
			{name: "type", label: "Used for", choices: named("VerificationFund", "InterestFund",
				"BackupWithholdingAccount", "Miscellaneous", "BankIncomeAccount",
				"ProgramExternalAccount")},
			{name: "routingNumber", label: "Routing number"},
			wholeNumber(),
			{name: "nachaName", label: "Name for NACHA"},
			{name: "description", label: "Description"},
			{name: "isActive", label: "In use", kind: truthSetting},
		},
	}
}

// named are options whose labels are their values.
func named(values ...string) []option {
	var options []option
	for _, one := range values {
		options = append(options, option{Value: one, Label: one})
	}
	return options
}

// pieceList is the page of a list.
type pieceList struct {
	piece
	Heads []string
	Items []pieceLine
	Next  string
}

type pieceLine struct {
	ID    string
	Cells []settingLine
}

// Path, Title and One are what the template shows of the list.
func (p piece) Path() string  { return p.path }
func (p piece) Title() string { return p.title }
func (p piece) One() string   { return p.one }

func (p piece) list(ctx context.Context, v *visit) (pieceList, error) {
	path, err := v.ofProgram(p.part)
	if err != nil {
		return pieceList{}, err
	}
	found, err := readPage[properties](ctx, v, path, v.filter("limit"))
	if err != nil {
		return pieceList{}, err
	}
	list := pieceList{piece: p, Next: found.Next}
	for _, name := range p.columns {
		list.Heads = append(list.Heads, p.setting(name).label)
	}
	for _, entry := range found.Items {
		line := pieceLine{ID: text(entry["id"])}
		for _, name := range p.columns {
			line.Cells = append(line.Cells, p.setting(name).line(entry))
		}
		list.Items = append(list.Items, line)
	}
	v.crumbs(p.title, "Programs", "programs", v.Program.Name, "programs/"+itoa(v.Program.ID))
	v.command(p.command+" list", v.programFlag())
	return list, nil
}

// setting returns the setting of a member.
func (p piece) setting(name string) setting {
	for _, one := range p.asked {
		if one.name == name {
			return one
		}
	}
	return setting{name: name, label: "Account number"} // the masked one
}

func (p piece) fields(entry properties) *fieldset {
	f := &fieldset{Groups: []group{{}}}
	for _, one := range p.asked {
		f.Groups[0].Fields = append(f.Groups[0].Fields, one.fields(entry)...)
	}
	return f
}

func (p piece) showNew(_ context.Context, v *visit) (asking, error) {
	if v.Program == nil {
		return asking{}, notFound()
	}
	title := "Add " + article(p.one)
	v.crumbs(title, "Programs", "programs", p.title, p.path)
	v.command(p.command+" create", v.programFlag(), p.example)
	fresh := properties{}
	if slices.ContainsFunc(p.asked, func(s setting) bool { return s.name == "isActive" }) {
		fresh.set("isActive", true)
	}
	return asking{
		Fields: p.fields(fresh).refused(v), Once: v.once(), Button: title, Note: p.note,
		Back: v.To(p.path), BackText: "Back to the list",
	}, nil
}

func (p piece) add(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram(p.part)
	if err != nil {
		return outcome{}, err
	}
	f, body := p.fields(properties{}).fill(v.form), properties{}
	for _, one := range p.asked {
		one.write(body, f)
	}
	for name, value := range body {
		if string(value) == "null" {
			delete(body, name)
		}
	}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	_, err = create[properties](ctx, v, path, body)
	return lead(v.To(p.path)), err
}

// find finds the entry that the address names.
func (p piece) find(ctx context.Context, v *visit) (entry properties, path string, err error) {
	path, err = v.ofProgram(p.part + "/" + v.param("entry"))
	if err != nil {
		return nil, "", err
	}
	entry, err = read[properties](ctx, v, path)
	return entry, path, err
}

func (p piece) show(ctx context.Context, v *visit) (asking, error) {
	entry, _, err := p.find(ctx, v)
	if err != nil {
		return asking{}, err
	}
	id, revision := text(entry["id"]), number(entry["revision"])
	v.crumbs(p.titleOf(id), "Programs", "programs", p.title, p.path)
	v.command(p.command+" update", id, v.programFlag(), "--set NAME=VALUE --revision",
		itoa(revision))
	shown := asking{
		Fields: p.fields(entry).refused(v), Revision: revision, Note: p.note,
		Facts: p.facts(entry), Back: v.To(p.path), BackText: "Back to the list",
	}
	if v.May("configurator") {
		shown.Button = "Change " + p.one + " " + id
		shown.Risk = crumb{Text: "Take away…", To: v.To(p.path + "/" + id + "/remove")}
	}
	return shown, nil
}

func (p piece) titleOf(id string) string {
	return string(p.one[0]-'a'+'A') + p.one[1:] + " " + id
}

func (p piece) facts(entry properties) []fact {
	var facts []fact
	for _, name := range p.columns {
		line := p.setting(name).line(entry)
		facts = append(facts, fact{Name: line.Label, Text: line.Value})
	}
	return append(facts, fact{Name: "Revision", Text: text(entry["revision"])})
}

func (p piece) change(ctx context.Context, v *visit) (outcome, error) {
	entry, path, err := p.find(ctx, v)
	if err != nil {
		return outcome{}, err
	}
	f, body := p.fields(entry).fill(v.form), properties{}
	for _, one := range p.asked {
		p.into(body, f, one, entry)
	}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	if len(body) > 0 {
		_, err = patch[properties](ctx, v, path, body)
	}
	return lead(v.To(p.path)), err
}

// into puts what the form says of a setting into a patch, unless the entry has it so.
func (p piece) into(body properties, f *fieldset, one setting, entry properties) {
	before := properties{}
	one.write(before, p.fields(entry))
	one.write(body, f)
	if string(before[one.name]) == string(body[one.name]) {
		delete(body, one.name)
	}
}

func (p piece) showRemove(ctx context.Context, v *visit) (actPage, error) {
	entry, _, err := p.find(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id, revision := text(entry["id"]), number(entry["revision"])
	title := "Take " + p.one + " " + id + " away"
	v.crumbs(title, "Programs", "programs", p.title, p.path)
	v.command(p.command+" remove", id, v.programFlag(), "--revision", itoa(revision))
	return actPage{
		asking: asking{
			Confirm: noSecond,
			Fields:  ask(reasonField("Why, and who was told.")).refused(v),
			Facts:   p.facts(entry), Revision: revision, Button: title,
			Back: v.To(p.path + "/" + id), BackText: "Back to it",
		},
		Risky: true, Effect: "Callers of " + v.Program.Name + " do not see it any more.",
	}, nil
}

func (p piece) remove(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofProgram(p.part + "/" + v.param("entry"))
	if err != nil {
		return outcome{}, err
	}
	return lead(v.To(p.path)), remove(ctx, v, path)
}

// number is a member that is a number.
func number(raw json.RawMessage) int {
	var n int
	// Any other member counts as 0.
	_ = json.Unmarshal(raw, &n)
	return n
}
