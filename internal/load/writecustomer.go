package load

import (
	"mintmark/internal/customer"
	"mintmark/internal/program"
	"mintmark/internal/value"
)

func (w *writer) putCustomer(at located[customerEntry], p *program.Program) error {
	e := at.entry
	return w.tx.PutCustomer(customer.Customer{
		ID: e.CustomerID, ProgramID: p.ID,
		Status: customer.Status(e.Status), AccessType: customer.AccessType(e.AccessType),
		IsActive: orDefault(e.IsActive, true), IsLocked: e.IsLocked,
		Deceased: utc(e.DeceasedDate), Birth: utc(e.BirthDate),
		FirstName: e.FirstName, LastName: e.LastName,
		MobilePhone: e.MobilePhone, HomePhone: e.HomePhone,
		Mailing: e.MailingAddress, Residence: e.ResidenceAddress,
	})
}

func (w *writer) putAccount(at located[accountEntry], p *program.Program) error {
	e := at.entry
	known, err := w.customer(at.path+".customerId", p.ID, e.CustomerID)
	if err != nil {
		return err
	}
	fits := w.checkBalances(at, p)
	if !known || !fits {
		return nil
	}
	account := customer.Account{
		ID: e.AccountID, ProgramID: p.ID, CustomerID: e.CustomerID,
		Type:   customer.AccountType(e.Type),
		Status: customer.AccountStatus(e.Status), Name: e.Name, Tag: e.Tag,
		NumberMasked: maskAccount(e.AccountNumber), Balance: e.AccountBalance,
		AvailableBalance: e.AvailableBalance, PendingBalance: e.PendingBalance,
		BalanceModified: utc(e.BalanceLastModifiedDate), Modified: utc(e.LastModifiedDate),
	}
	if account.BalanceModified.IsZero() {
		account.BalanceModified = w.tx.Now()
	}
	if account.Modified.IsZero() {
		account.Modified = w.tx.Now()
	}
	return w.tx.PutAccount(account)
}

// checkBalances notes the balances that have more decimal digits than the program.
func (w *writer) checkBalances(at located[accountEntry], p *program.Program) bool {
	fits := true
	for name, balance := range map[string]value.Amount{
		"accountBalance":   at.entry.AccountBalance,
		"availableBalance": at.entry.AvailableBalance,
		"pendingBalance":   at.entry.PendingBalance,
	} {
		if balance.Digits() > p.Settings.DecimalCount {
			w.problems.add(at.path+"."+name, tooManyDigits, p.Settings.DecimalCount)
			fits = false
		}
	}
	return fits
}

func (w *writer) putAccess(at located[accessEntry], p *program.Program) error {
	e := at.entry
	customerKnown, err := w.customer(at.path+".customerId", p.ID, e.CustomerID)
	if err != nil {
		return err
	}
	_, err = w.tx.FindAccount(p.ID, e.AccountID)
	accountKnown, err := w.found(at.path+".accountId", "account", e.AccountID, err)
	if err != nil || !customerKnown || !accountKnown {
		return err
	}
	return w.tx.PutAccess(customer.Access{
		CustomerID: e.CustomerID, AccountID: e.AccountID, Type: customer.AccountAccess(e.Type),
	})
}

// customer reports whether a program has a customer, and notes a problem where it has not.
func (w *writer) customer(path string, programID, customerID int) (bool, error) {
	_, err := w.tx.FindCustomer(programID, customerID)
	return w.found(path, "customer", customerID, err)
}
