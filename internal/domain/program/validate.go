package program

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

// WithDefaults returns a new program with defaults for what the operator omitted.
func (p Program) WithDefaults() Program {
	p.VerificationWindowDays = cmp.Or(p.VerificationWindowDays, DefaultVerificationWindowDays)
	return p
}

// Validate returns the problems of a program that an operator wants to store. Outside the sandbox
// PINs must be encrypted. It compares list entries only if each member is valid by itself.
func (p Program) Validate(sandbox bool) problem.List {
	problems := problem.Check(p)
	s := p.Settings
	for name := range strings.SplitSeq(s.PublicKeyAlgorithms, ",") {
		if name == PlainPins && !sandbox {
			problems.Add("publicKeyAlgorithms", "NONE leaves PINs unencrypted: it is for the "+
				"sandbox only")
		}
	}
	start, end := s.Bank.MaintenanceStartDate, s.Bank.MaintenanceEndDate
	if start != nil && end != nil && end.Before(start.Time) {
		problems.Add("bank.maintenanceEndDate", "lies before maintenanceStartDate")
	}
	if s.RegDFeeAmount != nil && s.RegDFeeAmount.TenThousandths < 0 {
		problems.Add("regDFeeAmount", "must not be negative")
	}
	s.checkLimits(&problems)
	s.EachPath(func(path string, a value.Amount) {
		if s.DecimalCount >= 0 && a.Digits() > s.DecimalCount {
			problems.Add(path, "has more decimal digits than the program's %d", s.DecimalCount)
		}
	})
	if len(problems) > 0 {
		return problems
	}
	if s.Bank.TimeZone != s.TimeZone {
		problems.Add("bank.timeZone", "must be %s, the timeZone of the program", s.TimeZone)
	}
	s.checkProducts(&problems)
	s.checkAccounts(&problems)
	p.checkBins(&problems)
	return problems
}

// checkBins compares the BINs of a program with each other. The caller must compare them with those
// of other programs.
func (p Program) checkBins(problems *problem.List) {
	for i, bin := range p.Bins {
		path := fmt.Sprintf("bins[%d]", i)
		for _, wrong := range bin.checkRange() {
			problems.Add(problem.Join(path, wrong.Path), "%s", wrong.Text)
		}
		if bin.ProgramID != p.ID {
			problems.Add(path+".programId", "is not that of the enclosing program")
		}
		for j, earlier := range p.Bins[:i] {
			switch {
			case earlier.ID == bin.ID:
				problems.Add(path+".binId", "is the same as in bins[%d]", j)
			case earlier.Overlaps(bin):
				problems.Add(path+".firstBody", "the range shares numbers with that of bin %d",
					earlier.ID)
			}
		}
	}
}

func (s Settings) checkLimits(problems *problem.List) {
	s.PerProgramDailyDepositLimit.check("perProgramDailyDepositLimit", problems)
	s.PerProgramDailyWithdrawLimit.check("perProgramDailyWithdrawLimit", problems)
	s.PerTransactionDepositLimit.check("perTransactionDepositLimit", problems)
	s.PerTransactionWithdrawLimit.check("perTransactionWithdrawLimit", problems)
	s.PerUserDailyDepositLimit.check("perUserDailyDepositLimit", problems)
	s.PerUserDailyWithdrawLimit.check("perUserDailyWithdrawLimit", problems)
	s.PerUserMonthlyDepositLimit.check("perUserMonthlyDepositLimit", problems)
	s.PerUserMonthlyWithdrawLimit.check("perUserMonthlyWithdrawLimit", problems)
}

// check records a problem for a limit that no amount can meet.
func (l *Limit) check(path string, problems *problem.List) {
	if l != nil {
		checkSpan(path, l.MinimumAmount, l.MaximumAmount, problems)
	}
}

func checkSpan(path string, minimum, maximum *value.Amount, problems *problem.List) {
	switch {
	case minimum != nil && minimum.TenThousandths < 0:
		problems.Add(path+".minimumAmount", "must not be negative")
		return
	case maximum != nil && maximum.TenThousandths < 0:
		problems.Add(path+".maximumAmount", "must not be negative")
		return
	}
	if minimum != nil && maximum != nil && maximum.TenThousandths < minimum.TenThousandths {
		problems.Add(path+".maximumAmount", "is less than the minimum")
	}
}

// checkProducts checks that IDs and, within a category, names in lower camel case are unique among
// the products.
func (s Settings) checkProducts(problems *problem.List) {
	numbers, names := make(map[int]string), make(map[[2]string]string)
	for i, product := range s.Products {
		path := fmt.Sprintf("products[%d]", i)
		checkUnique(numbers, product.ProductID, path, ".productId", problems)
		checkUnique(names, [2]string{product.Category, lowerCamel(product.Name)}, path, ".name", problems)
		product.BalanceLimit.check(path+".balanceLimit", problems)
		product.PerTransactionDepositLimit.check(path+".perTransactionDepositLimit", problems)
		product.PerTransactionWithdrawLimit.check(path+".perTransactionWithdrawLimit", problems)
		tiers := make(map[[2]int64]string)
		for j, rate := range product.InterestRates {
			at := fmt.Sprintf("%s.interestRates[%d]", path, j)
			if rate.ProductID != product.ProductID {
				problems.Add(at+".productId", "is not that of the enclosing product")
			}
			if rate.APR.IsNegative() {
				problems.Add(at+".apr", "must not be negative")
			}
			if rate.APY.IsNegative() {
				problems.Add(at+".apy", "must not be negative")
			}
			checkSpan(at, rate.MinimumAmount, rate.MaximumAmount, problems)
			checkUnique(tiers, [2]int64{int64(rate.Tier), effective(rate)}, at, ".tier", problems)
		}
	}
}

// effective returns the time from which a tier has its rate. The tier may have another rate later.
func effective(rate InterestRate) int64 {
	if rate.EffectiveDate == nil {
		return 0
	}
	return rate.EffectiveDate.UnixMilli()
}

func (s Settings) checkAccounts(problems *problem.List) {
	own, external := make(map[int]string), make(map[int]string)
	for i, account := range s.Accounts {
		checkUnique(own, account.ProgramAccountID, fmt.Sprintf("accounts[%d]", i), ".programAccountId",
			problems)
	}
	for i, account := range s.ExternalAccounts {
		checkUnique(external, account.ProgramExternalAccountID, fmt.Sprintf("externalAccounts[%d]", i),
			".programExternalAccountId", problems)
	}
}

// checkUnique records a problem if an earlier entry has the same identity.
func checkUnique[K comparable](
	seen map[K]string, identity K, path, field string, problems *problem.List,
) {
	if earlier, taken := seen[identity]; taken {
		problems.Add(path+field, "is the same as in %s", earlier)
		return
	}
	seen[identity] = path
}

// Validate returns the problems of a bank that an operator wants to store.
func (i Institution) Validate() problem.List { return problem.Check(i) }

// Validate returns the problems of an encryption key that an operator wants to store.
func (k PciKey) Validate() problem.List { return problem.Check(k) }

// Validate returns the problems of a BIN that an operator wants to store.
func (b Bin) Validate() problem.List {
	problems := problem.Check(b)
	for _, wrong := range b.checkRange() {
		if !slices.ContainsFunc(problems, func(p problem.Problem) bool { return p.Path == wrong.Path }) {
			problems = append(problems, wrong)
		}
	}
	return problems
}

func (b Bin) checkRange() problem.List {
	var problems problem.List
	for _, end := range []struct{ name, body string }{
		{"firstBody", b.FirstBody}, {"lastBody", b.LastBody},
	} {
		if wrong := pan.CheckVendor(b.Vendor, end.body); wrong != "" {
			problems.Add(end.name, "%s", wrong)
		}
	}
	if _, err := b.Numbers(""); err != nil && len(problems) == 0 {
		problems.Add("firstBody", "%s", err)
	}
	return problems
}

// Overlaps reports whether two BINs share a card number. The bodies have the same length, so
// comparing them as strings is enough.
func (b Bin) Overlaps(other Bin) bool {
	return b.FirstBody <= other.LastBody && other.FirstBody <= b.LastBody
}
