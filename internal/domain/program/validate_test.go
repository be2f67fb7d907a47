package program

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

func money(tenThousandths int64) *value.Amount {
	return &value.Amount{TenThousandths: tenThousandths}
}

func moment(day int) *value.Time {
	return &value.Time{Time: time.Date(2026, 1, day, 0, 0, 0, 0, time.UTC)}
}

// valid returns a valid program that has one of everything. No two share memory.
func valid() Program {
	ten, count := Limit{money(0), money(100000)}, 3
	return Program{
		Issuing: Issuing{
			ID: 1, BankID: 1, VerificationWindowDays: DefaultVerificationWindowDays,
			Bins: []Bin{visa(1, "400000000000000", "400000000000999"),
				visa(2, "400000000001000", "400000000001999")},
		},
		Settings: Settings{
			DecimalCount: 2, Name: "Everyday", TimeZone: "America/New_York",
			VerificationType: "V", Website: "https://a.example",
			PerUserDailyDepositLimit: &ten, RegDFeeAmount: money(102500),
			RegDMonthlyCountMax: &count,
			PublicKeyAlgorithms: "RSA-OAEP-SHA512-MGF1,RSA-OAEP-SHA256-MGF1",
			Bank: Bank{
				Name: "First", TimeZone: "America/New_York", MaintenanceStartDate: moment(1),
				MaintenanceEndDate: moment(1),
			},
			Accounts: []ProgramAccount{{
				AccountID: 1, AccountNumber: "0123", ProgramAccountID: 1, Type: "CardSettlement",
			}},
			ExternalAccounts: []ExternalAccount{{
				AccountNumber: "12345678901234567", ExternalAccountID: 1,
				ProgramExternalAccountID: 1, RoutingNumber: "021000021", Type: "InterestFund",
			}},
			Products: []Product{
				{ProductID: 1, Type: "Savings", Category: "Savings", Name: "High Yield",
					BalanceLimit: &Limit{money(0), money(10000)},
					InterestRates: []InterestRate{
						{Tier: 1, ProductID: 1}, {Tier: 1, ProductID: 1, EffectiveDate: moment(2)},
					}},
				{ProductID: 2, Type: "Checking", Category: "Checking", Name: "High Yield"},
			},
			ValidAccountTypes: []string{"Checking", "Savings"},
		},
	}
}

func visa(id int, first, last string) Bin {
	return Bin{
		ID: id, ProgramID: 1, Vendor: pan.Visa, FirstBody: first, LastBody: last,
		ValidMonths: DefaultValidMonths,
	}
}

func long(most int) string { return strings.Repeat("é", most+1) }

const (
	required = "a value is required"
	noNumber = "must not hold a card number" // the audit shows what changes
	noID     = "must be a whole number from 1 to 2147483647"
	noSite   = "must be an http or https address, such as www.example.com or " +
		"https://www.example.com"
	wrongNum = "must have 4 to 17 digits and nothing else"
)

// broken has a row for each rule about a program.
var broken = []struct {
	path, text string
	change     func(*Program)
}{
	{"programId", noID, func(p *Program) { p.ID = 0 }},
	{"bankId", noID, func(p *Program) { p.BankID = 0 }},
	{"verificationWindowDays", "must be a whole number from 1 to 3650",
		func(p *Program) { p.VerificationWindowDays = MaxVerificationWindowDays + 1 }},
	{"decimalCount", "must be a whole number from 0 to 4",
		func(p *Program) { p.Settings.DecimalCount = 5 }},
	{"name", required, func(p *Program) { p.Settings.Name = "" }},
	{"name", "must have at most 50 characters",
		func(p *Program) { p.Settings.Name = long(MaxName) }},
	{"timeZone", `"Mars/Base" is not a known time zone, such as America/New_York`,
		func(p *Program) { p.Settings.TimeZone = "Mars/Base" }},
	{"verificationType", "must have at most 50 characters",
		func(p *Program) { p.Settings.VerificationType = long(MaxVerificationType) }},
	{"website", noSite, func(p *Program) { p.Settings.Website = "javascript:alert(1)" }},
	{"bank.webUrl", noSite, func(p *Program) { p.Settings.Bank.WebURL = "data:text/html,x" }},
	{"website", noNumber, func(p *Program) { p.Settings.Website = "a.example/4005511234567892" }},
	{"verificationType", noNumber,
		func(p *Program) { p.Settings.VerificationType = "4005 5112 3456 7892" }},
	{"bank.webUrl", noNumber,
		func(p *Program) { p.Settings.Bank.WebURL = "https://a.example/?4005511234567892" }},
	{"bins[0].description", noNumber,
		func(p *Program) { p.Bins[0].Description = "card 4005511234567892" }},
	{"products[0].description", noNumber,
		func(p *Program) { p.Settings.Products[0].Description = "card 4005511234567892" }},
	{"website", "must have at most 50 characters",
		func(p *Program) { p.Settings.Website = long(MaxWebsite) }},
	{"regDMonthlyTransactionWithdrawCountMax", "must be a whole number from 0 to 2147483647",
		func(p *Program) { *p.Settings.RegDMonthlyCountMax = -1 }},
	{"publicKeyAlgorithms", required, func(p *Program) { p.Settings.PublicKeyAlgorithms = "" }},
	{"publicKeyAlgorithms", `"DES" is not one of: RSA-OAEP-SHA512-MGF1, RSA-OAEP-SHA256-MGF1, ` +
		"RSA-OAEP-SHA1-MGF1, NONE", func(p *Program) { p.Settings.PublicKeyAlgorithms += ",DES" }},
	{"publicKeyAlgorithms", "NONE leaves PINs unencrypted: it is for the sandbox only",
		func(p *Program) { p.Settings.PublicKeyAlgorithms += ",NONE" }},
	{"validAccountTypes", "Savings appears twice", func(p *Program) {
		p.Settings.ValidAccountTypes = []string{"Savings", "Savings"}
	}},
	{"validProductTypes", `"Loan" is not one of: Checking, Savings, ForBenefitOf`,
		func(p *Program) { p.Settings.ValidProductTypes = []string{"Loan"} }},
	{"regDFeeAmount", "must not be negative",
		func(p *Program) { p.Settings.RegDFeeAmount = money(-100) }},
	{"regDFeeAmount", "has more decimal digits than the program's 2",
		func(p *Program) { p.Settings.RegDFeeAmount = money(10) }},
	{"perUserDailyDepositLimit.maximumAmount", "is less than the minimum",
		func(p *Program) { p.Settings.PerUserDailyDepositLimit.MinimumAmount = money(100100) }},
	{"perProgramDailyWithdrawLimit.maximumAmount", "must not be negative",
		func(p *Program) { p.Settings.PerProgramDailyWithdrawLimit = &Limit{nil, money(-100)} }},

	{"bank", required, func(p *Program) { p.Settings.Bank = Bank{} }},
	{"bank.name", required, func(p *Program) { p.Settings.Bank.Name = "" }},
	{"bank.phone", "must have at most 50 characters",
		func(p *Program) { p.Settings.Bank.Phone = long(MaxBankPhone) }},
	{"bank.timeZone", required, func(p *Program) { p.Settings.Bank.TimeZone = "" }},
	{"bank.timeZone", "must be America/New_York, the timeZone of the program",
		func(p *Program) { p.Settings.Bank.TimeZone = "UTC" }},
	{"bank.webUrl", "must have at most 255 characters",
		func(p *Program) { p.Settings.Bank.WebURL = long(MaxWebURL) }},
	{"bank.maintenanceEndDate", "lies before maintenanceStartDate",
		func(p *Program) { p.Settings.Bank.MaintenanceStartDate = moment(2) }},

	{"accounts[0].accountId", noID, func(p *Program) { p.Settings.Accounts[0].AccountID = 0 }},
	{"accounts[0].accountNumber", wrongNum,
		func(p *Program) { p.Settings.Accounts[0].AccountNumber = "12x4" }},
	{"accounts[0].programAccountId", noID,
		func(p *Program) { p.Settings.Accounts[0].ProgramAccountID = 0 }},
	{"accounts[0].type", required, func(p *Program) { p.Settings.Accounts[0].Type = "" }},
	{"accounts[1].programAccountId", "is the same as in accounts[0]", func(p *Program) {
		p.Settings.Accounts = append(p.Settings.Accounts, p.Settings.Accounts[0])
	}},
	{"externalAccounts[0].accountNumber", wrongNum,
		func(p *Program) { p.Settings.ExternalAccounts[0].AccountNumber = "123" }},
	{"externalAccounts[0].externalAccountId", noID,
		func(p *Program) { p.Settings.ExternalAccounts[0].ExternalAccountID = 0 }},
	{"externalAccounts[0].routingNumber", "must have 9 digits and nothing else",
		func(p *Program) { p.Settings.ExternalAccounts[0].RoutingNumber = "02100002" }},
	{"externalAccounts[0].type", required,
		func(p *Program) { p.Settings.ExternalAccounts[0].Type = "" }},

	{"products[1].productId", noID, func(p *Program) { p.Settings.Products[1].ProductID = 0 }},
	{"products[1].productId", "is the same as in products[0]",
		func(p *Program) { p.Settings.Products[1].ProductID = 1 }},
	{"products[0].type", `"Loan" is not one of: Checking, Savings, ForBenefitOf`,
		func(p *Program) { p.Settings.Products[0].Type = "Loan" }},
	{"products[0].category", `"Loan" is not one of: Checking, Savings, Prepaid`,
		func(p *Program) { p.Settings.Products[0].Category = "Loan" }},
	{"products[0].name", required, func(p *Program) { p.Settings.Products[0].Name = "" }},
	{"products[1].name", "is the same as in products[0]", func(p *Program) {
		p.Settings.Products[1].Category, p.Settings.Products[1].Name = "Savings", "high-yield"
	}},
	{"products[1].description", "must have at most 255 characters",
		func(p *Program) { p.Settings.Products[1].Description = long(MaxDescription) }},
	{"products[0].balanceLimit.minimumAmount", "must not be negative",
		func(p *Program) { p.Settings.Products[0].BalanceLimit.MinimumAmount = money(-100) }},
	{"products[0].interestRates[0].productId", "is not that of the enclosing product",
		func(p *Program) { p.Settings.Products[0].InterestRates[0].ProductID = 2 }},
	{"products[0].interestRates[0].tier", noID,
		func(p *Program) { p.Settings.Products[0].InterestRates[0].Tier = 0 }},
	{"products[0].interestRates[1].tier", "is the same as in products[0].interestRates[0]",
		func(p *Program) { p.Settings.Products[0].InterestRates[1].EffectiveDate = nil }},

	{"bins[0].validMonths", "must be a whole number from 1 to 240",
		func(p *Program) { p.Bins[0].ValidMonths = 0 }},
	{"bins[0].description", "must have at most 100 characters",
		func(p *Program) { p.Bins[0].Description = long(MaxBinDescription) }},
	{"bins[1].programId", "is not that of the enclosing program",
		func(p *Program) { p.Bins[1].ProgramID = 2 }},
	{"bins[1].binId", "is the same as in bins[0]", func(p *Program) { p.Bins[1].ID = 1 }},
	{"bins[1].firstBody", "the range shares numbers with that of bin 1",
		func(p *Program) { p.Bins[1].FirstBody = "400000000000999" }},
	{"bins[1].lastBody", "a Visa number begins with 4",
		func(p *Program) { p.Bins[1].LastBody = "500000000000000" }},
}

// TestValidate breaks one rule at a time.
func TestValidate(t *testing.T) {
	if problems := valid().Validate(false); problems != nil {
		t.Fatalf("a good program: %v", problems)
	}
	for _, b := range broken {
		p := valid()
		b.change(&p)
		if got, want := p.Validate(false).String(), b.path+": "+b.text; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	plain := valid()
	plain.Settings.PublicKeyAlgorithms = PlainPins
	if problems := plain.Validate(true); problems != nil {
		t.Errorf("plain PINs in the sandbox: %v", problems)
	}
}

// TestValidateAnyLimits checks programs with any numbers within the ranges.
func TestValidateAnyLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := valid()
		p.ID = rapid.IntRange(1, problem.MaxID).Draw(t, "id")
		p.VerificationWindowDays = rapid.IntRange(1, MaxVerificationWindowDays).Draw(t, "days")
		p.Settings.DecimalCount = rapid.IntRange(2, MaxDecimalCount).Draw(t, "digits")
		p.Settings.Name = rapid.StringOfN(rapid.Rune(), 1, MaxName, -1).Draw(t, "name")
		*p.Settings.RegDMonthlyCountMax = rapid.IntRange(0, math.MaxInt32).Draw(t, "count")
		least := rapid.Int64Range(0, 1e12).Draw(t, "least")
		most := rapid.Int64Range(least, 2e12).Draw(t, "most")
		p.Settings.PerTransactionDepositLimit = &Limit{money(100 * least), money(100 * most)}
		for i := range p.Bins {
			p.Bins[i].ProgramID = p.ID
			p.Bins[i].ValidMonths = rapid.IntRange(1, MaxValidMonths).Draw(t, "months")
		}
		if problems := p.Validate(false); problems != nil {
			t.Errorf("%v", problems)
		}
	})
}

func TestValidateBin(t *testing.T) {
	const visaOnly = "a Visa number begins with 4"
	const mastercardOnly = "a Mastercard number begins with 51 to 55 or 2221 to 2720"
	for _, c := range []struct{ vendor, first, last, want string }{
		{"VS", "400000000000000", "499999999999999", ""},
		{"VS", "500000000000000", "500000000000000",
			"firstBody: " + visaOnly + "\nlastBody: " + visaOnly},
		{"VS", "400000000000000", "500000000000000", "lastBody: " + visaOnly},
		{"MC", "510000000000000", "559999999999999", ""},
		{"MC", "222100000000000", "272099999999999", ""},
		{"MC", "222000000000000", "272100000000000",
			"firstBody: " + mastercardOnly + "\nlastBody: " + mastercardOnly},
		{"VS", "400000000000001", "400000000000000",
			"firstBody: the range 400000000000001 to 400000000000000 is empty"},
		{"VS", "4000", "400000000000000", "firstBody: a range end has 15 digits (a card number " +
			`without its check digit), not "4000"`},
		{"VS", "40000000000000x", "5", "firstBody: a range end has 15 digits (a card number without " +
			`its check digit), not "40000000000000x"` + "\nlastBody: a range end has 15 digits (a card " +
			`number without its check digit), not "5"`},
		{"AX", "400000000000000", "400000000000000", `vendorTypeCode: "AX" is not one of: VS, MC`},
		{"VS", "", "", "firstBody: a value is required\nlastBody: a value is required"},
	} {
		b := visa(1, c.first, c.last)
		b.Vendor = c.vendor
		if got := b.Validate().String(); got != c.want {
			t.Errorf("%v: got %q", c, got)
		}
	}
}

func TestValidateBankAndKey(t *testing.T) {
	for want, problems := range map[string]problem.List{
		"":                          (Institution{1, "First"}).Validate(),
		"name: a value is required": (Institution{1, ""}).Validate(),
		"bankId: " + noID:           (Institution{0, "First"}).Validate(),
		"pciKeyId: " + noID:         PciKey{ID: 0, Status: Retired}.Validate(),
		"status: must be a whole number from 1 to 3": PciKey{ID: 1, Status: 4}.Validate(),
	} {
		if got := problems.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if problems := (PciKey{ID: 1, Status: DecryptOnly}).Validate(); problems != nil {
		t.Errorf("a good key: %v", problems)
	}
}

// TestSites holds which texts are the address of a site.
func TestSites(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"": true, "www.example.com": true, "www.example.com:8080": true, "example.com/a:b": true,
		"https://www.example.com": true, "http://localhost:8080/": true,
		"HTTPS://EXAMPLE.COM": true,

		"ftp://example.com": false, "//example.com": false, "https://": false, "n/a:": false,
		"https://:80": false, "javascript:alert(1)": false, "javascript:1/alert(1)": false,
		"javascript:alert(1)+'@example.com'": false, "javascript:1//example.com": false,
		"data:text/html,x": false, "mailto:info@example.com": false, "https:example.com": false,
	} {
		p := valid()
		p.Settings.Website = text
		if got := len(p.Validate(true)) == 0; got != want {
			t.Errorf("%q is a site: %t", text, got)
		}
	}
}

func TestOverlaps(t *testing.T) {
	bin := func(first, last string) Bin { return Bin{FirstBody: first, LastBody: last} }
	b := bin("400000000000100", "400000000000199")
	for _, other := range []Bin{
		b, bin("400000000000199", "400000000000300"), bin("400000000000000", "400000000000100"),
		bin("400000000000000", "499999999999999"), bin("400000000000150", "400000000000160"),
	} {
		if !b.Overlaps(other) || !other.Overlaps(b) {
			t.Errorf("%v and %v are apart", b, other)
		}
	}
	if b.Overlaps(bin("400000000000200", "400000000000300")) {
		t.Error("neighbours overlap")
	}
}
