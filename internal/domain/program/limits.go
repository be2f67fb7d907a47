package program

import (
	"math"
	"net/url"
	"slices"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/customer"
)

// Maximum lengths in characters.
const (
	MaxName             = 50
	MaxTimeZone         = 50
	MaxVerificationType = 50
	MaxWebsite          = 50
	MaxAlgorithms       = 200 // all names and their commas
	MaxBankName         = 50
	MaxBankPhone        = 50
	MaxWebURL           = 255
	MaxProductName      = 50
	MaxDescription      = 255 // of a product or an interest rate
	MaxBinDescription   = 100
)

// RoutingDigits is the number of digits of a routing number.
const RoutingDigits = 9

// MaxDecimalCount is the maximum number of decimal places of a program's amounts.
const MaxDecimalCount = value.AmountDigits

// The verification window: the number of days that a card may stay unverified before it expires.
// The default applies if a program sets none; the maximum catches slips.
const (
	DefaultVerificationWindowDays = 90
	MaxVerificationWindowDays     = 3650
)

// The number of months for which a card is valid: the default for a BIN that sets none, and the
// maximum.
const (
	DefaultValidMonths = 48
	MaxValidMonths     = 240
)

// PlainPins is the algorithm of PINs that are not encrypted. Only a sandbox accepts it.
const PlainPins = "NONE"

// The categories of products. Callers get the products of each in a separate dictionary.
const (
	CheckingCategory = "Checking"
	SavingsCategory  = "Savings"
	PrepaidCategory  = "Prepaid"
)

// Codes of settings. The interface does not say that its list of codes is complete; Mintmark allows
// no others, because a misspelt code would otherwise go unnoticed.
var (
	Algorithms = []string{
		"RSA-OAEP-SHA512-MGF1", "RSA-OAEP-SHA256-MGF1", "RSA-OAEP-SHA1-MGF1", PlainPins,
	}
	Categories          = []string{CheckingCategory, SavingsCategory, PrepaidCategory}
	ProgramAccountTypes = []string{
		"ProgramClearingAccount", "ProgramReserve", "InterestExpense", "InterestAccrual",
		"BackupWithholdingAccount", "CardSettlement",
	}
	ExternalAccountTypes = []string{
		"VerificationFund", "InterestFund", "BackupWithholdingAccount", "Miscellaneous",
		"BankIncomeAccount", "ProgramExternalAccount",
	}
)

// Rules checks each member of a bank.
func (i Institution) Rules(r *problem.Rules) {
	r.ID("bankId", i.ID)
	r.Name("name", i.Name, MaxBankName)
}

// Rules checks each member of an encryption key.
func (k PciKey) Rules(r *problem.Rules) {
	r.ID("pciKeyId", k.ID)
	r.Number("status", int(k.Status), int(EncryptAndDecrypt), int(Retired))
}

// Rules checks each member of a BIN.
func (b Bin) Rules(r *problem.Rules) {
	r.ID("binId", b.ID)
	r.ID("programId", b.ProgramID)
	problem.OneOf(r, "vendorTypeCode", b.Vendor, pan.Vendors)
	r.OptionalName("description", b.Description, MaxBinDescription)
	r.Require("firstBody", b.FirstBody != "")
	r.Require("lastBody", b.LastBody != "")
	r.Number("validMonths", b.ValidMonths, 1, MaxValidMonths)
}

// Rules checks each member of a program, including its settings.
func (p Program) Rules(r *problem.Rules) {
	r.ID("programId", p.ID)
	r.ID("bankId", p.BankID)
	r.Number("verificationWindowDays", p.VerificationWindowDays, 1, MaxVerificationWindowDays)
	problem.OneOf(r, "renewal", p.Renewal.OrDefault(), Renewals)
	problem.OneOf(r, "balances", p.Balances.OrDefault(), BalanceOwners)
	if p.Currency != "" && !IsCurrency(p.Currency) {
		r.Add("currency", "must be three capital letters, such as USD")
	}
	p.Settings.rules(r)
	for i, bin := range p.Bins {
		bin.Rules(r.Entry("bins", i))
	}
}

func (s Settings) rules(r *problem.Rules) {
	r.Number("decimalCount", s.DecimalCount, 0, MaxDecimalCount)
	r.Name("name", s.Name, MaxName)
	count(r, "regDMonthlyTransactionWithdrawCountMax", s.RegDMonthlyCountMax)
	r.Text("timeZone", s.TimeZone, MaxTimeZone)
	r.Zone("timeZone", s.TimeZone)
	r.OptionalName("verificationType", s.VerificationType, MaxVerificationType)
	r.OptionalName("website", s.Website, MaxWebsite)
	siteAddress(r, "website", s.Website)
	r.Text("publicKeyAlgorithms", s.PublicKeyAlgorithms, MaxAlgorithms)
	problem.AllOneOf(r, "publicKeyAlgorithms", strings.Split(s.PublicKeyAlgorithms, ","),
		Algorithms)
	count(r, "perUserAccountCountMax", s.PerUserAccountCountMax)
	count(r, "perUserExternalAccountCountMax", s.PerUserExternalAccountCountMax)
	accountTypes(r, "validAccountTypes", s.ValidAccountTypes)
	accountTypes(r, "validProductTypes", s.ValidProductTypes)
	for _, name := range []string{
		"filledDate", "bin", "checkingProducts", "prepaidProducts", "savingsProducts",
	} {
		r.Computed(name)
	}

	r.Require("bank", s.Bank != (Bank{}))
	if s.Bank != (Bank{}) {
		s.Bank.Rules(r.In("bank"))
	}
	for i, account := range s.Accounts {
		account.Rules(r.Entry("accounts", i))
	}
	for i, account := range s.ExternalAccounts {
		account.Rules(r.Entry("externalAccounts", i))
	}
	for i, product := range s.Products {
		product.Rules(r.Entry("products", i))
	}
}

// count checks an optional count.
func count(r *problem.Rules, name string, n *int) { r.OptionalNumber(name, n, 0, math.MaxInt32) }

// siteAddress checks the optional address of a site.
func siteAddress(r *problem.Rules, name, text string) {
	const demand = "an http or https address, such as www.example.com or https://www.example.com"
	wrong := ""
	if text != "" && !isSite(text) {
		wrong = "must be " + demand
	}
	r.Must(name, demand, wrong)
}

// isSite reports whether a text is the address of a site. Without "//", it is read as if "https://"
// came first. A name before a colon must then contain a dot: callers may show the text as a link,
// where javascript:1/alert(2) is a script and not a host with a port.
func isSite(text string) bool {
	if !strings.Contains(text, "//") {
		name, _, hasColon := strings.Cut(text, ":")
		if hasColon && !strings.Contains(name, ".") {
			return false
		}
		text = "https://" + text
	}
	address, err := url.Parse(text)
	return err == nil && address.Hostname() != "" &&
		slices.Contains([]string{"http", "https"}, address.Scheme)
}

func accountTypes(r *problem.Rules, name string, types []string) {
	var allowed []string
	for _, accountType := range customer.AccountTypes {
		allowed = append(allowed, string(accountType))
	}
	problem.AllOneOf(r, name, types, allowed)
	problem.Distinct(r, name, types)
}

// Rules checks each member of the bank of a program.
func (b Bank) Rules(r *problem.Rules) {
	r.Name("name", b.Name, MaxBankName)
	r.OptionalText("phone", b.Phone, MaxBankPhone)
	r.Text("timeZone", b.TimeZone, MaxTimeZone)
	r.Zone("timeZone", b.TimeZone)
	r.OptionalName("webUrl", b.WebURL, MaxWebURL)
	siteAddress(r, "webUrl", b.WebURL)
}

// Rules checks each member of an account of a program.
func (a ProgramAccount) Rules(r *problem.Rules) {
	r.ID("accountId", a.AccountID)
	r.Digits("accountNumber", a.AccountNumber, customer.MinAccountDigits,
		customer.MaxAccountDigits)
	r.ID("programAccountId", a.ProgramAccountID)
	problem.OneOf(r, "type", a.Type, ProgramAccountTypes)
}

// Rules checks each member of an account at another bank.
func (a ExternalAccount) Rules(r *problem.Rules) {
	r.Digits("accountNumber", a.AccountNumber, customer.MinAccountDigits,
		customer.MaxAccountDigits)
	r.ID("externalAccountId", a.ExternalAccountID)
	r.ID("programExternalAccountId", a.ProgramExternalAccountID)
	r.Digits("routingNumber", a.RoutingNumber, RoutingDigits, RoutingDigits)
	problem.OneOf(r, "type", a.Type, ExternalAccountTypes)
}

// Rules checks each member of a product.
func (p Product) Rules(r *problem.Rules) {
	r.ID("productId", p.ProductID)
	problem.OneOf(r, "type", customer.AccountType(p.Type), customer.AccountTypes)
	problem.OneOf(r, "category", p.Category, Categories)
	r.Name("name", p.Name, MaxProductName)
	r.OptionalName("description", p.Description, MaxDescription)
	count(r, "perMonthRegDTransactionCountMaximum", p.RegDCountMax)
	count(r, "perMonthRegDTransactionCountWithoutFee", p.RegDCountWithoutFee)
	for i, rate := range p.InterestRates {
		rate.Rules(r.Entry("interestRates", i))
	}
}

// Rules checks each member of an interest rate.
func (i InterestRate) Rules(r *problem.Rules) {
	r.Given("apr")
	r.Given("apy")
	r.OptionalName("description", i.Description, MaxDescription)
	r.ID("productId", i.ProductID)
	r.ID("tier", i.Tier)
}

// IsCurrency reports whether a string has the form of an ISO 4217 code.
func IsCurrency(code string) bool {
	return len(code) == 3 && strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
