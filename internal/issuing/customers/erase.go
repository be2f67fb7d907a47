package customers

import (
	"context"
	"fmt"
	"math"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// eraseCustomerAct is the name of the act in the audit.
const eraseCustomerAct = "erase customer"

// EraseCustomer removes all personal data from a customer, its accounts and the cards that it
// created or holds, and deletes the keys of the personal data in the audit. Numbers, dates of the
// bank and amounts remain. It is refused while a card can be used, an order is open, or money is
// left. revision is that of the customer, 0 for any.
//
// Copies in stored answers, approvals and attempts are emptied after the transaction, because
// reading them inside it would collide with acts of callers. If the context ends before that is
// done, RedactPeople continues, and so does erasing the customer again.
func (s *Service) EraseCustomer(
	ctx context.Context, who issuing.Operator, customerID, revision int,
) (customer.Customer, error) {
	c, err := s.FindCustomer(ctx, who, customerID)
	if err != nil {
		return customer.Customer{}, err
	}
	var e *erasure
	err = s.Act(ctx, who, issuing.InProgram(c.ProgramID), eraseCustomerAct,
		issuing.Guarded(func(tx *issuing.Tx) error {
			before, err := tx.Customers().Find(c.ProgramID, customerID)
			if err == nil {
				err = issuing.CheckRevisionIf("the customer", before.Revision, revision)
			}
			if err != nil {
				return err
			}
			e = &erasure{Tx: tx, customer: before}
			if err := e.run(); err != nil {
				return err
			}
			return tx.Erasure().PutErased(customerID)
		}))
	if err != nil {
		return customer.Customer{}, err
	}
	if who.DryRun {
		return e.customer, nil
	}
	if err := s.emptyTraces(ctx, customerID, func(store.Tx) error { return nil }); err != nil {
		return customer.Customer{}, fmt.Errorf("%w: %w", issuing.Refuse(fmt.Sprintf(
			"Customer %d is erased, but not every copy of the data. Erase the customer again.",
			customerID)), err)
	}
	return e.customer, nil
}

// erasure is one run of the transaction that erases a customer.
type erasure struct {
	*issuing.Tx
	customer customer.Customer
	cards    []card.Card // that the customer created or holds
	accounts []customer.Account

	obstacles []string // sentences: the reasons why the customer cannot be erased yet
}

// maxObstacles limits the obstacles that a refusal names.
const maxObstacles = 10

func (e *erasure) run() error {
	if err := e.load(); err != nil {
		return err
	}
	for _, c := range e.cards {
		if err := e.eraseCard(c); err != nil {
			return err
		}
	}
	for _, a := range e.accounts {
		if err := e.eraseAccount(a); err != nil {
			return err
		}
	}
	if err := e.eraseCustomer(); err != nil || len(e.obstacles) == 0 {
		return err
	}
	named := e.obstacles[:min(len(e.obstacles), maxObstacles)]
	if others := len(e.obstacles) - len(named); others > 0 {
		named = append(named, fmt.Sprintf("%d more.", others))
	}
	return issuing.Refuse(strings.Join(named, " "))
}

// refuse records an obstacle. The transaction will be rolled back, so it may continue with the next
// one.
func (e *erasure) refuse(format string, values ...any) {
	e.obstacles = append(e.obstacles, fmt.Sprintf(format, values...))
}

// load loads the cards and accounts of the customer.
func (e *erasure) load() error {
	programID, customerID := e.customer.ProgramID, e.customer.ID
	listed, err := e.Cards().ListByCustomer(programID, customerID, store.NoLimit)
	if err != nil {
		return err
	}
	e.cards = listed.Cards
	ids, err := e.Accounts().List(store.AccountQuery{
		Programs: []int{programID}, CustomerID: customerID, Limit: math.MaxInt32,
	})
	if err != nil {
		return err
	}
	byID, err := e.Accounts().FindMany(ids)
	if err != nil {
		return err
	}
	e.accounts = ordered(byID, func(a customer.Account) int { return a.ID })
	return nil
}

// eraseCard removes the names from a card and its orders, and deletes the key of its personal data.
func (e *erasure) eraseCard(before card.Card) error {
	if !before.IsOver() {
		e.refuse("Card %d is %s. Archive it first.", before.ID, before.Status)
	}
	holds, err := e.Holds().List(before.ID)
	if err != nil {
		return err
	}
	if len(holds) > 0 {
		e.refuse("Card %d has a hold on account %d. Wait until it ends.", before.ID, holds[0].AccountID)
	}
	if err := e.eraseOrders(before); err != nil {
		return err
	}
	if err := e.Audit().DeletePersonKey(before.ID); err != nil {
		return err
	}
	after := before.WithoutPeople(e.Now())
	err = e.Erasure().PutSearchText(store.CardSummary{
		ID: after.ID, LastFour: after.LastFour, Tag: after.Tag, NickName: after.NickName,
		Name: after.Name,
	})
	if err != nil || before.Equal(&after) {
		return err
	}
	if err := e.Cards().Change(before, &after); err != nil {
		return err
	}
	entry := issuing.NewCardEntry(after.ID, 0, issuing.OutcomeChanged)
	entry.Before = audit.Members("nameOnCard", concealed, "nickName", concealed)
	entry.After = entry.Before
	return e.PutEntry(entry)
}

// concealed replaces a value that the audit does not show.
const concealed = "***"

// eraseOrders removes the names and the address from the orders of a card.
func (e *erasure) eraseOrders(c card.Card) error {
	orders, err := e.Orders().List(store.OrderQuery{CardID: c.ID, Limit: math.MaxInt32})
	if err != nil {
		return err
	}
	for _, before := range orders {
		if before.State != order.Done && before.Dropped.IsZero() {
			e.refuse("Order %d of card %d is %s. It must be done or dropped first.",
				before.ID, c.ID, before.State)
		}
		after := before
		after.Snapshot, after.LastError, after.Tries = before.Snapshot.WithoutPeople(), "", nil
		if after.Snapshot == before.Snapshot && before.LastError == "" && before.Tries == nil {
			continue
		}
		if err := e.Orders().Change(before, &after); err != nil {
			return err
		}
	}
	return nil
}

// eraseAccount removes the names from an account.
func (e *erasure) eraseAccount(before customer.Account) error {
	switch {
	case before.Held.TenThousandths != 0:
		e.refuse("Account %d has holds. Wait until they end.", before.ID)
	case before.Balance.TenThousandths != 0 && before.Status != customer.Closed:
		e.refuse("Account %d is %s and has money. Close it, or pay it out, first.", before.ID,
			before.Status)
	}
	after := before.WithoutPeople()
	if after == before {
		return nil
	}
	after.Modified = e.Now()
	open := []string{"programId", "customerId", "type", "status"}
	return e.PutPrivate(audit.Of(audit.Account, after.ID), accountMembers(before),
		accountMembers(after), open, &after.Revision,
		func() error { return e.Accounts().Put(after) })
}

// eraseCustomer stores the customer without personal data.
func (e *erasure) eraseCustomer() error {
	waiting, err := e.Approvals().List(store.ApprovalQuery{
		WaitingAt: e.Now(), Limit: math.MaxInt32,
	})
	if err != nil {
		return err
	}
	for _, a := range waiting {
		if e.people().approval(a) && !strings.HasSuffix(a.Path, "/erase") {
			e.refuse("Approval %d, which is about the customer, waits. End it first.", a.ID)
		}
	}
	before := customerMembers(e.customer)
	e.customer = e.customer.Erased()
	open := []string{"programId", "status", "accessType", "isActive", "isLocked"}
	return e.PutPrivate(audit.Of(audit.Customer, e.customer.ID), before,
		customerMembers(e.customer), open, &e.customer.Revision,
		func() error { return e.Customers().Put(e.customer) })
}

// people returns the identifiers by which copies of the customer's data are found.
func (e *erasure) people() people {
	p := people{customerID: e.customer.ID}
	for _, c := range e.cards {
		p.cards = append(p.cards, c.ID)
	}
	for _, a := range e.accounts {
		p.accounts = append(p.accounts, a.ID)
	}
	return p
}
