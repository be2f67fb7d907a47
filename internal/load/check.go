package load

import (
	"fmt"
	"strings"

	"mintmark/internal/card"
	"mintmark/internal/pan"
	"mintmark/internal/program"
	"mintmark/internal/value"
)

// located is an entry and where it stands.
type located[T any] struct {
	path  string
	entry *T
}

// list returns the entries of a list with their paths.
func list[T any](path string, entries []T) []located[T] {
	all := make([]located[T], len(entries))
	for i := range entries {
		all[i] = located[T]{fmt.Sprintf("%s[%d]", path, i), &entries[i]}
	}
	return all
}

// allBins returns the BINs inside programs, then those that stand alone.
func (e *entries) allBins() []located[binEntry] {
	var all []located[binEntry]
	for _, p := range list("programs", e.Programs) {
		all = append(all, list(p.path+".bins", p.entry.Bins)...)
	}
	return append(all, list("bins", e.Bins)...)
}

// unique notes every entry whose identity an earlier one has. An entry without any has nil.
func unique[T any](say report, field string, all []located[T], identity func(*T) any) {
	first := make(map[any]string)
	for _, at := range all {
		key := identity(at.entry)
		if key == nil || key == 0 || key == "" {
			continue
		}
		earlier, taken := first[key]
		if taken {
			say(join(at.path, field), "is the same as in %s", earlier)
			continue
		}
		first[key] = at.path
	}
}

// checkFile checks what entries say together.
func checkFile(e *entries, say report) {
	banks, programs := list("banks", e.Banks), list("programs", e.Programs)
	unique(say, "bankId", banks, func(b *bankEntry) any { return b.BankID })
	unique(say, "programId", programs, func(p *programEntry) any { return p.ProgramID })
	unique(say, "binId", e.allBins(), func(b *binEntry) any { return b.BinID })
	unique(say, "name", list("keys", e.Keys), func(k *keyEntry) any { return k.Name })
	unique(say, "customerId", list("customers", e.Customers),
		func(c *customerEntry) any { return c.CustomerID })
	unique(say, "accountId", list("accounts", e.Accounts),
		func(a *accountEntry) any { return a.AccountID })
	unique(say, "accountId", list("access", e.Access),
		func(a *accessEntry) any { return [2]int{a.CustomerID, a.AccountID} })
	unique(say, "documentId", list("documents", e.Documents),
		func(d *documentEntry) any { return d.DocumentID })
	checkCards(list("cards", e.Cards), say)

	var pciKeys []located[pciKeyEntry]
	for _, bank := range banks {
		pciKeys = append(pciKeys, list(bank.path+".pciKeys", bank.entry.PciKeys)...)
	}
	unique(say, "pciKeyId", pciKeys, func(k *pciKeyEntry) any { return k.PciKeyID })

	for _, bin := range list("bins", e.Bins) {
		if bin.entry.ProgramID == 0 {
			say(bin.path+".programId", "a value is required")
		}
	}
	zones := make(map[int]string)
	for _, p := range programs {
		zone := p.entry.TimeZone
		if known := zones[p.entry.BankID]; known != "" && zone != "" && known != zone {
			say(p.path+".timeZone", "must be %s, as in the bank's other programs", known)
		}
		zones[p.entry.BankID] = zone
	}
}

// checkCards checks what is unique among cards beside their number: a tag in its program, and a
// nickname among the creator's cards that may still be used.
func checkCards(cards []located[cardEntry], say report) {
	type named struct {
		owner int
		name  string
	}
	unique(say, "cardId", cards, func(c *cardEntry) any { return c.CardID })
	unique(say, "tag", cards, func(c *cardEntry) any {
		if c.Tag == "" {
			return nil
		}
		return named{c.ProgramID, c.Tag}
	})
	unique(say, "nickName", cards, func(c *cardEntry) any {
		if card.Status(c.Status).Past() {
			return nil
		}
		return named{c.CustomerID, strings.ToLower(c.NickName)}
	})
}

func checkProgram(p *programEntry, say report) {
	unique(say, "productId", list("products", p.Products),
		func(product *program.Product) any { return product.ProductID })
	// The deprecated dictionaries hold products by name.
	unique(say, "name", list("products", p.Products),
		func(product *program.Product) any { return product.Name })
	unique(say, "programAccountId", list("accounts", p.Accounts),
		func(a *program.ProgramAccount) any { return a.ProgramAccountID })
	unique(say, "programExternalAccountId", list("externalAccounts", p.ExternalAccounts),
		func(a *program.ExternalAccount) any { return a.ProgramExternalAccountID })

	for i := range p.Accounts {
		fillMasked(&p.Accounts[i].AccountNumberMasked, p.Accounts[i].AccountNumber)
	}
	for i := range p.ExternalAccounts {
		fillMasked(&p.ExternalAccounts[i].AccountNumberMasked, p.ExternalAccounts[i].AccountNumber)
	}
	for _, bin := range list("bins", p.Bins) {
		if bin.entry.ProgramID != 0 && bin.entry.ProgramID != p.ProgramID {
			say(bin.path+".programId", "is not that of the program around it")
		}
		bin.entry.ProgramID = p.ProgramID
	}
}

func checkProgramBank(b *program.Bank, say report) {
	start, end := b.MaintenanceStartDate, b.MaintenanceEndDate
	if start != nil && end != nil && end.Before(start.Time) {
		say("maintenanceEndDate", "lies before maintenanceStartDate")
	}
}

func checkLimit(l *program.Limit, say report) {
	checkSpan(l.MinimumAmount, l.MaximumAmount, say)
}

func checkRate(r *program.InterestRate, say report) {
	checkSpan(r.MinimumAmount, r.MaximumAmount, say)
}

func checkSpan(minimum, maximum *value.Amount, say report) {
	if minimum == nil || maximum == nil {
		return
	}
	if maximum.TenThousandths < minimum.TenThousandths {
		say("maximumAmount", "is less than minimumAmount")
	}
}

func checkProduct(p *program.Product, say report) {
	for i := range p.InterestRates {
		rate := &p.InterestRates[i]
		if rate.ProductID != 0 && rate.ProductID != p.ProductID {
			say(fmt.Sprintf("interestRates[%d].productId", i),
				"is not that of the product around it")
		}
		rate.ProductID = p.ProductID
	}
}

func checkBin(b *binEntry, say report) {
	if b.FirstNumber == "" || b.LastNumber == "" {
		return
	}
	_, err := pan.NewSpace(b.FirstNumber, b.LastNumber, "")
	if err != nil {
		say("firstNumber", "%s", err)
	}
}

func checkKey(k *keyEntry, say report) {
	if k.PerSecond != nil && *k.PerSecond < 0 {
		say("perSecond", "must not be negative; 0 stands for no limit")
	}
	if k.Burst != nil && *k.Burst < 1 {
		say("burst", "must be at least 1")
	}
}

func checkCustomer(c *customerEntry, say report) {
	if !c.DeceasedDate.IsZero() && c.DeceasedDate.Before(c.BirthDate.Time) {
		say("deceasedDate", "lies before birthDate")
	}
}

func checkDocument(d *documentEntry, say report) {
	if !d.ExpireDate.IsZero() && !d.ExpireDate.After(d.EffectiveDate.Time) {
		say("expireDate", "does not lie behind effectiveDate")
	}
}

// fillMasked derives the masked form of an account number where none is given.
func fillMasked(masked *string, number string) {
	if *masked == "" {
		*masked = maskAccount(number)
	}
}

// maskAccount shows the last four digits of an account number and nothing else of it.
func maskAccount(number string) string {
	shown := max(0, len(number)-4)
	return strings.Repeat("*", shown) + number[shown:]
}
