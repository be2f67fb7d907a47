package program

import (
	"fmt"
	"strings"

	"mintmark/internal/pan"
	"mintmark/internal/problem"
	"mintmark/internal/value"
)

// PlainPins among the algorithms stands for PINs that are not encrypted. Only a sandbox takes them.
const PlainPins = "NONE"

// Validate returns what is wrong with a program that an operator wants kept: what its settings say
// together. Outside the sandbox PINs must be encrypted.
func (p Program) Validate(sandbox bool) problem.List {
	var found problem.List
	s := p.Settings
	for name := range strings.SplitSeq(s.PublicKeyAlgorithms, ",") {
		if name == PlainPins && !sandbox {
			found.Add("publicKeyAlgorithms", "NONE leaves PINs unencrypted: it is for the "+
				"sandbox only")
		}
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
	return found
}

func (s Settings) checkLimits(found *problem.List) {
	for name, limit := range map[string]*Limit{
		"perProgramDailyDepositLimit":  s.PerProgramDailyDepositLimit,
		"perProgramDailyWithdrawLimit": s.PerProgramDailyWithdrawLimit,
		"perTransactionDepositLimit":   s.PerTransactionDepositLimit,
		"perTransactionWithdrawLimit":  s.PerTransactionWithdrawLimit,
		"perUserDailyDepositLimit":     s.PerUserDailyDepositLimit,
		"perUserDailyWithdrawLimit":    s.PerUserDailyWithdrawLimit,
		"perUserMonthlyDepositLimit":   s.PerUserMonthlyDepositLimit,
		"perUserMonthlyWithdrawLimit":  s.PerUserMonthlyWithdrawLimit,
	} {
		limit.check(name, found)
	}
}

// check refuses a limit that nothing could keep.
func (l *Limit) check(path string, found *problem.List) {
	if l != nil {
		checkSpan(path, l.MinimumAmount, l.MaximumAmount, found)
	}
}

func checkSpan(path string, minimum, maximum *value.Amount, found *problem.List) {
	for name, amount := range map[string]*value.Amount{
		"minimumAmount": minimum, "maximumAmount": maximum,
	} {
		if amount != nil && amount.TenThousandths < 0 {
			found.Add(path+"."+name, "must not be negative")
			return
		}
	}
	if minimum != nil && maximum != nil && maximum.TenThousandths < minimum.TenThousandths {
		found.Add(path+".maximumAmount", "is less than minimumAmount")
	}
}

// checkProducts holds that each product is found by its number, and by its name in the dictionary
// of its category.
func (s Settings) checkProducts(found *problem.List) {
	numbers, names := make(map[any]string), make(map[any]string)
	for i, product := range s.Products {
		path := fmt.Sprintf("products[%d]", i)
		once(numbers, product.ProductID, path, ".productId", found)
		if product.Name != "" {
			once(names, [2]string{product.Category, lowerCamel(product.Name)}, path, ".name",
				found)
		}
		product.BalanceLimit.check(path+".balanceLimit", found)
		product.PerTransactionDepositLimit.check(path+".perTransactionDepositLimit", found)
		product.PerTransactionWithdrawLimit.check(path+".perTransactionWithdrawLimit", found)
		tiers := make(map[any]string)
		for j, rate := range product.InterestRates {
			at := fmt.Sprintf("%s.interestRates[%d]", path, j)
			if rate.ProductID != product.ProductID {
				found.Add(at+".productId", "is not that of the product around it")
			}
			for name, percent := range map[string]value.Rate{"apr": rate.APR, "apy": rate.APY} {
				if percent.IsNegative() {
					found.Add(at+"."+name, "must not be negative")
				}
			}
			checkSpan(at, rate.MinimumAmount, rate.MaximumAmount, found)
			once(tiers, [2]any{rate.Tier, effective(rate)}, at, ".tier", found)
		}
	}
}

// effective is since when a tier has its rate: it may have another one later.
func effective(rate InterestRate) int64 {
	if rate.EffectiveDate == nil {
		return 0
	}
	return rate.EffectiveDate.UnixMilli()
}

func (s Settings) checkAccounts(found *problem.List) {
	own, external := make(map[any]string), make(map[any]string)
	for i, account := range s.Accounts {
		once(own, account.ProgramAccountID, fmt.Sprintf("accounts[%d]", i), ".programAccountId",
			found)
	}
	for i, account := range s.ExternalAccounts {
		once(external, account.ProgramExternalAccountID, fmt.Sprintf("externalAccounts[%d]", i),
			".programExternalAccountId", found)
	}
}

// once notes that an earlier entry has the same identity. A zero stands for one that is missing.
func once(seen map[any]string, identity any, path, field string, found *problem.List) {
	if identity == 0 {
		return
	}
	if earlier, taken := seen[identity]; taken {
		found.Add(path+field, "is the same as in %s", earlier)
		return
	}
	seen[identity] = path
}

// Validate returns what is wrong with a BIN that an operator wants kept.
func (b Bin) Validate() problem.List {
	var found problem.List
	if b.FirstBody == "" || b.LastBody == "" {
		return nil
	}
	if _, err := pan.NewSpace(b.FirstBody, b.LastBody, ""); err != nil {
		found.Add("firstNumber", "%s", err)
		return found
	}
	for name, body := range map[string]string{
		"firstNumber": b.FirstBody, "lastNumber": b.LastBody,
	} {
		switch {
		case b.Vendor == "VS" && body[0] != '4':
			found.Add(name, "a Visa number begins with 4")
		case b.Vendor == "MC" && !isMastercard(body):
			found.Add(name, "a Mastercard number begins with 51 to 55 or 2221 to 2720")
		}
	}
	return found
}

func isMastercard(body string) bool {
	return body[:2] >= "51" && body[:2] <= "55" || body[:4] >= "2221" && body[:4] <= "2720"
}

// Overlaps reports whether two BINs share a number. Bodies are of one length, so they compare as
// texts.
func (b Bin) Overlaps(other Bin) bool {
	return b.FirstBody <= other.LastBody && other.FirstBody <= b.LastBody
}
