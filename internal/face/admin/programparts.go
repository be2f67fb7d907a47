package admin

import (
	"context"
	"encoding/json"
	"strconv"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/program"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/programs"
)

// programPart is a list in the settings of a program with its own address: T is an entry in the
// domain, A on the wire. The members of both have the same names, except for the number of the
// entry. A change of an entry is a change of its program, and the entry has the program's revision.
type programPart[T, A any] struct {
	path   string // below the program
	one    string // in summaries
	many   string
	made   string // members of the example that adds an entry, and of that which changes it
	change string
	of     programs.ProgramPart[T]
	number string   // name of the entry's number in the domain
	hidden []string // members that are never returned
}

func (d *Desk) products() *Resource {
	r := partOf(d, programPart[program.Product, wire.Product]{
		path: "products", one: "a product", many: "products of a program",
		of: programs.Products, number: "productId",
		made:   "--set type=Savings --set category=Savings --set name=Gold",
		change: `--set name="Everyday"`,
	}, Resource{
		Noun: "product", Help: "Products of programs.",
		Empty:   "A product says what an account may hold and move.",
		Columns: []string{"id", "type", "category", "name", "description", "revision"},
		Fields: []Field{
			{Name: "id", Label: "Number", On: WireOnly, Help: "The next number when left out."},
			{Name: "name", Label: "Name", Required: true},
			{Name: "description", Label: "Description"},
			{Name: "type", Label: "Type of account", Required: true, Choices: []Choice{
				{Value: "Checking", Label: "Checking"}, {Value: "Savings", Label: "Savings"},
				{Value: "ForBenefitOf", Label: "For benefit of"},
			}},
			{Name: "category", Label: "Category", Required: true, Choices: []Choice{
				{Value: "Checking", Label: "Checking"}, {Value: "Savings", Label: "Savings"},
				{Value: "Prepaid", Label: "Prepaid"},
			}},
			{Name: "balanceLimit", Label: "Balance"},
			{Name: "perTransactionDepositLimit", Label: "Per-transaction deposit"},
			{Name: "perTransactionWithdrawLimit", Label: "Per-transaction withdrawal"},
			{Name: "interestRates", Label: "Interest rates", On: WireOnly,
				Help: "On the command line: --set interestRates=JSON."},
			{Name: "isInterestEnabled", Label: "Interest accrues"},
			{Name: "isExternalWithdrawEnabled", Label: "Withdrawals to other banks"},
			{Name: "isRecurringContributionEnabled", Label: "Recurring contributions"},
			{Name: "perMonthRegDTransactionCountMaximum", Label: "Withdrawals per month"},
			{Name: "perMonthRegDTransactionCountWithoutFee",
				Label: "Free withdrawals per month"},
		},
	})
	r.Create.Effect = "Interest rates are set on the command line: --set interestRates=JSON."
	r.Change.Effect = r.Create.Effect
	return r
}

func (d *Desk) programAccounts() *Resource {
	return partOf(d, programPart[program.ProgramAccount, wire.ProgramAccount]{
		path: "accounts", one: "an account of the program itself", many: "accounts of a program",
		of:     programs.ProgramAccounts,
		made:   "--set accountId=7 --set type=CardSettlement --set accountNumber=1234567",
		change: "--set isActive=false",
		number: "programAccountId", hidden: []string{"accountNumber"},
	}, Resource{
		Noun: "program-account", Help: "Accounts of programs.",
		Empty: "Callers read them with the program: where the program keeps its own money.",
		Columns: []string{
			"id", "accountId", "type", "description", "isActive", "accountNumberMasked",
			"accountBalance", "revision",
		},
		Fields: []Field{
			{Name: "id", Label: "Number", On: WireOnly, Help: "The next number when left out."},
			{Name: "accountId", Label: "Number of the account", Required: true},
			{Name: "type", Label: "Used for", Required: true, Choices: choices(
				"ProgramClearingAccount", "ProgramReserve", "InterestExpense", "InterestAccrual",
				"BackupWithholdingAccount", "CardSettlement")},
			wholeNumber, maskedNumber,
			{Name: "description", Label: "Description"},
			{Name: "isActive", Label: "In use"},
			{Name: "accountBalance", Label: "Balance"},
		},
	})
}

func (d *Desk) externalAccounts() *Resource {
	return partOf(d, programPart[program.ExternalAccount, wire.ExternalAccount]{
		path: "externalAccounts", one: "an account of the program at another bank",
		many: "accounts of a program at other banks", of: programs.ExternalAccounts,
		made: "--set externalAccountId=7 --set type=Miscellaneous --set routingNumber=011000015 " +
			"--set accountNumber=1234567",
		change: "--set isActive=false",
		number: "programExternalAccountId", hidden: []string{"accountNumber"},
	}, Resource{
		Noun: "external-account", Help: "Accounts of programs at other banks.",
		Empty: "Callers read them with the program: where money is sent to, and from.",
		Columns: []string{
			"id", "externalAccountId", "type", "routingNumber", "accountNumberMasked",
			"description", "isActive", "revision",
		},
		Fields: []Field{
			{Name: "id", Label: "Number", On: WireOnly, Help: "The next number when left out."},
			{Name: "externalAccountId", Label: "Number of the account", Required: true},
			{Name: "type", Label: "Used for", Required: true, Choices: choices(
				"VerificationFund", "InterestFund", "BackupWithholdingAccount", "Miscellaneous",
				"BankIncomeAccount", "ProgramExternalAccount")},
			{Name: "routingNumber", Label: "Routing number", Required: true},
			wholeNumber, maskedNumber,
			{Name: "nachaName", Label: "Name for NACHA"},
			{Name: "description", Label: "Description"},
			{Name: "isActive", Label: "In use"},
		},
	})
}

var (
	wholeNumber = Field{
		Name: "accountNumber", Label: "Account number",
		Help: "Given in full, shown masked. Unchanged when left empty.",
	}
	maskedNumber = Field{Name: "accountNumberMasked", Label: "Account number", On: Shown}
)

// choices returns choices whose labels are their values.
func choices[T ~string](values ...T) []Choice {
	all := make([]Choice, len(values))
	for i, value := range values {
		all[i] = Choice{Value: string(value), Label: string(value)}
	}
	return all
}

// partOf returns the resource of a part of programs.
func partOf[T, A any](d *Desk, p programPart[T, A], r Resource) *Resource {
	r.Path = "programs/{id}/" + p.path
	r.Item = r.Path + "/{entryId}"
	r.In, r.ID = ofProgram, Param{Name: "entryId", Help: "Number of the entry.", Number: true}
	r.Roles = configuratorRoles
	example := func(words string) string { return "mintmark " + r.Noun + " " + words }
	read := func(ctx context.Context, c *call) (A, error) {
		return p.answer(p.of.Find(ctx, d.acts.Programs, c.who, c.id("id"), c.id("entryId")))
	}
	r.List = list(Op{
		Summary: "List the " + p.many, Example: example("list --program 1"),
	}, func(ctx context.Context, c *call, page issuing.Page) ([]A, string, error) {
		return p.list(p.of.List(ctx, d.acts.Programs, c.who, c.id("id"), page))
	})
	r.Show = get(Op{Summary: "Read " + p.one, Example: example("get 1 --program 1")}, read)
	r.Create = create(Op{
		Summary: "Add " + p.one, Members: true, Example: example("create --program 1 " + p.made),
	}, func(ctx context.Context, c *call, a A) (A, error) {
		entry, err := p.wanted(a)
		if err != nil {
			return a, err
		}
		return p.answer(p.of.Create(ctx, d.acts.Programs, c.who, c.id("id"), entry))
	})
	r.Change = patch(Op{
		Summary: "Change " + p.one, Example: example("update 1 --program 1 " + p.change),
	}, read, func(ctx context.Context, c *call, after A) (A, error) {
		entry, err := p.wanted(after)
		if err != nil {
			return after, err
		}
		return p.answer(
			p.of.Change(ctx, d.acts.Programs, c.who, c.id("id"), c.revision, entry))
	})
	r.Remove = remove(Op{
		Summary: "Remove " + p.one, Example: example("remove 1 --program 1 --dry-run"),
		Risky: true, Effect: "Callers of the program no longer see it.",
	}, func(ctx context.Context, c *call) error {
		return p.of.Delete(ctx, d.acts.Programs, c.who, c.id("id"), c.revision, c.id("entryId"))
	})
	return &r
}

// list converts a page of entries.
func (p programPart[T, A]) list(
	entries programs.ProgramParts[T], err error,
) (items []A, last string, _ error) {
	if err != nil {
		return nil, "", err
	}
	for _, entry := range entries.Items {
		item, err := p.answer(entry, entries.Revision, nil)
		if err != nil {
			return nil, "", err
		}
		items = append(items, item)
	}
	return items, entries.Last, nil
}

// answer converts an entry to its resource.
func (p programPart[T, A]) answer(entry T, revision int, err error) (A, error) {
	var a A
	if err != nil {
		return a, renamed(err, p.number, "id")
	}
	members, err := membersOf(entry, p.hidden...)
	if err != nil {
		return a, err
	}
	members["id"], members["revision"] = members[p.number], json.RawMessage(strconv.Itoa(revision))
	return a, shown(members, &a)
}

// wanted converts a resource to its entry, without the members that have another form in the
// domain.
func (p programPart[T, A]) wanted(a A) (T, error) {
	var none T
	members, err := membersOf(a, "revision", "accountNumberMasked")
	if err != nil {
		return none, err
	}
	members[p.number] = members["id"]
	delete(members, "id")
	entry, problems := settings[T](members)
	if len(problems) > 0 {
		return none, web.Invalid(problems)
	}
	return entry, nil
}
