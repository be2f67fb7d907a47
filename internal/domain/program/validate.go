package program

import (
	"fmt"
	"strings"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
)

// Validate returns what is wrong with a program that an operator wants kept. Outside the sandbox
// PINs must be encrypted. Rules that compare members are asked only when each member is right by
// itself.
func (p Program) Validate(sandbox bool) problem.List {
	found := problem.Check(p)
	if len(found) > 0 {
		return found
	}
	s := p.Settings
	for name := range strings.SplitSeq(s.PublicKeyAlgorithms, ",") {
		if name == PlainPins && !sandbox {
			found.Add("publicKeyAlgorithms", "NONE leaves PINs unencrypted: it is for the "+
				"sandbox only")
		}
	}
	if s.Bank.TimeZone != s.TimeZone {
		found.Add("bank.timeZone", "must be %s, the timeZone of the program", s.TimeZone)
	}
	start, end := s.Bank.MaintenanceStartDate, s.Bank.MaintenanceEndDate
	if start != nil && end != nil && end.Before(start.Time) {
		found.Add("bank.maintenanceEndDate", "lies before maintenanceStartDate")
	}
	if s.RegDFeeAmount != nil && s.RegDFeeAmount.TenThousandths < 0 {
		found.Add("regDFeeAmount", "must not be negative")
	}
	s.checkLimits(&found)
	s.checkProducts(&found)
	s.checkAccounts(&found)
	s.EachPath(func(path string, a value.Amount) {
		if a.Digits() > s.DecimalCount {
			found.Add(path, "has more decimal digits than the program's %d", s.DecimalCount)
		}
	})
	p.checkBins(&found)
	return found
}

// checkBins compares the BINs of a program with each other. Those of other programs must be
// compared where they are known.
func (p Program) checkBins(found *problem.List) {
	for i, bin := range p.Bins {
		path := fmt.Sprintf("bins[%d]", i)
		for _, wrong := range bin.checkRange() {
			found.Add(problem.Join(path, wrong.Path), "%s", wrong.Text)
		}
		if bin.ProgramID != p.ID {
			found.Add(path+".programId", "is not that of the enclosing program")
		}
		for j, earlier := range p.Bins[:i] {
			switch {
			case earlier.ID == bin.ID:
				found.Add(path+".binId", "is the same as in bins[%d]", j)
			case earlier.Overlaps(bin):
				found.Add(path+".firstBody", "the range shares numbers with that of bin %d",
					earlier.ID)
			}
		}
	}
}

func (s Settings) checkLimits(found *problem.List) {
	s.PerProgramDailyDepositLimit.check("perProgramDailyDepositLimit", found)
	s.PerProgramDailyWithdrawLimit.check("perProgramDailyWithdrawLimit", found)
	s.PerTransactionDepositLimit.check("perTransactionDepositLimit", found)
	s.PerTransactionWithdrawLimit.check("perTransactionWithdrawLimit", found)
	s.PerUserDailyDepositLimit.check("perUserDailyDepositLimit", found)
	s.PerUserDailyWithdrawLimit.check("perUserDailyWithdrawLimit", found)
	s.PerUserMonthlyDepositLimit.check("perUserMonthlyDepositLimit", found)
	s.PerUserMonthlyWithdrawLimit.check("perUserMonthlyWithdrawLimit", found)
}

// check notes a limit that no amount could meet.
func (l *Limit) check(path string, found *problem.List) {
	if l != nil {
		checkSpan(path, l.MinimumAmount, l.MaximumAmount, found)
	}
}

func checkSpan(path string, minimum, maximum *value.Amount, found *problem.List) {
	switch {
	case minimum != nil && minimum.TenThousandths < 0:
		found.Add(path+".minimumAmount", "must not be negative")
		return
	case maximum != nil && maximum.TenThousandths < 0:
		found.Add(path+".maximumAmount", "must not be negative")
		return
	}
	if minimum != nil && maximum != nil && maximum.TenThousandths < minimum.TenThousandths {
		found.Add(path+".maximumAmount", "is less than minimumAmount")
	}
}

// checkProducts holds that each product is found by its number, and by its name in the dictionary
// of its category.
func (s Settings) checkProducts(found *problem.List) {
	numbers, names := make(map[int]string), make(map[[2]string]string)
	for i, product := range s.Products {
		path := fmt.Sprintf("products[%d]", i)
		once(numbers, product.ProductID, path, ".productId", found)
		once(names, [2]string{product.Category, lowerCamel(product.Name)}, path, ".name", found)
		product.BalanceLimit.check(path+".balanceLimit", found)
		product.PerTransactionDepositLimit.check(path+".perTransactionDepositLimit", found)
		product.PerTransactionWithdrawLimit.check(path+".perTransactionWithdrawLimit", found)
		tiers := make(map[[2]int64]string)
		for j, rate := range product.InterestRates {
			at := fmt.Sprintf("%s.interestRates[%d]", path, j)
			if rate.ProductID != product.ProductID {
				found.Add(at+".productId", "is not that of the enclosing product")
			}
			if rate.APR.IsNegative() {
				found.Add(at+".apr", "must not be negative")
			}
			if rate.APY.IsNegative() {
				found.Add(at+".apy", "must not be negative")
			}
			checkSpan(at, rate.MinimumAmount, rate.MaximumAmount, found)
			once(tiers, [2]int64{int64(rate.Tier), effective(rate)}, at, ".tier", found)
		}
	}
}

// effective is the moment from which a tier has its rate. It may have another rate later.
func effective(rate InterestRate) int64 {
	if rate.EffectiveDate == nil {
		return 0
	}
	return rate.EffectiveDate.UnixMilli()
}

func (s Settings) checkAccounts(found *problem.List) {
	own, external := make(map[int]string), make(map[int]string)
	for i, account := range s.Accounts {
		once(own, account.ProgramAccountID, fmt.Sprintf("accounts[%d]", i), ".programAccountId",
			found)
	}
	for i, account := range s.ExternalAccounts {
		once(external, account.ProgramExternalAccountID, fmt.Sprintf("externalAccounts[%d]", i),
			".programExternalAccountId", found)
	}
}

// once notes that an earlier entry has the same identity.
func once[K comparable](
	seen map[K]string, identity K, path, field string, found *problem.List,
) {
	if earlier, taken := seen[identity]; taken {
		found.Add(path+field, "is the same as in %s", earlier)
		return
	}
	seen[identity] = path
}

// Validate returns what is wrong with a bank that an operator wants kept.
func (i Institution) Validate() problem.List { return problem.Check(i) }

// Validate returns what is wrong with an encryption key that an operator wants kept.
func (k PciKey) Validate() problem.List { return problem.Check(k) }

// Validate returns what is wrong with a BIN that an operator wants kept.
func (b Bin) Validate() problem.List {
	found := problem.Check(b)
	if len(found) > 0 {
		return found
	}
	return b.checkRange()
}

func (b Bin) checkRange() problem.List {
	var found problem.List
	if _, err := b.Numbers(""); err != nil {
		found.Add("firstBody", "%s", err)
		return found
	}
	for _, end := range []struct{ name, body string }{
		{"firstBody", b.FirstBody}, {"lastBody", b.LastBody},
	} {
		if wrong := pan.CheckVendor(b.Vendor, end.body); wrong != "" {
			found.Add(end.name, "%s", wrong)
		}
	}
	return found
}

// Overlaps reports whether two BINs share a number. Bodies are of one length, so they compare as
// texts.
func (b Bin) Overlaps(other Bin) bool {
	return b.FirstBody <= other.LastBody && other.FirstBody <= b.LastBody
}
