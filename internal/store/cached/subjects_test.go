package cached_test

import (
	"cmp"
	"fmt"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// subject is a write and a read of the same number, where the read may be answered from the cache.
type subject struct {
	name  string
	write func(tx store.Tx, number int) error
	read  func(tx store.Tx) (int, error)
}

// subjects lists all pairs of a write and a read that shows it.
var subjects = []subject{
	{"card in a view", writeYear, readView(yearOf)},
	{"card in a list", writeYear, readList(func(l store.CustomerCards) int {
		return l.Cards[0].ExpireYear - 2000
	})},
	{"customer in a view", writeCustomer, readView(birthOf)},
	{"customer in a list", writeCustomer, readList(func(l store.CustomerCards) int {
		return int(l.Customer.Birth.Sub(since).Hours() / 24)
	})},
	{"account in a view", writeAccount, readView(balanceOf)},
	{"balance in a view", writeBalance, readView(balanceOf)},
	{"balance in a list", writeBalance, readList(func(l store.CustomerCards) int {
		return int(l.Accounts[accountID].Balance.TenThousandths)
	})},
	{"account in a list", writeAccount, readList(func(l store.CustomerCards) int {
		return int(l.Accounts[accountID].Balance.TenThousandths)
	})},
	{"new card in a list", writeNewCard, readList(func(l store.CustomerCards) int {
		return len(l.Cards) - 2
	})},
	{"slots in a view", writeSlots, readView(func(v store.CardView) int {
		return int(v.Accounts[v.Card.Slots.Checking[0]].Balance.TenThousandths)
	})},
	{"program", func(tx store.Tx, number int) error {
		return putProgram(tx, programID, number)
	}, readProgram(func(p program.Issuing) int { return p.VerificationWindowDays })},
	{"BIN", func(tx store.Tx, number int) error {
		return putBin(tx, programID, number)
	}, readProgram(func(p program.Issuing) int { return p.Bins[0].ValidMonths })},
	{"encryption key", func(tx store.Tx, number int) error {
		return tx.Banks().PutPciKey(program.PciKey{ID: number, BankID: 1, Status: 1})
	}, readProgram(func(p program.Issuing) int { return len(p.PciKeys) })},
	{"everything in a view", writeAll, readAll},
	{"card and then account in a view", func(tx store.Tx, number int) error {
		return cmp.Or(writeYear(tx, number), writeAccount(tx, number))
	}, readView(balanceOf)},
	{"program and customer", func(tx store.Tx, number int) error {
		return cmp.Or(putProgram(tx, programID, number), putCustomer(tx, customerID, number))
	}, readProgramAndCustomer},
}

func writeYear(tx store.Tx, number int) error     { return setYear(tx, cardID, number) }
func writeCustomer(tx store.Tx, number int) error { return putCustomer(tx, customerID, number) }
func writeAccount(tx store.Tx, number int) error  { return putAccount(tx, accountID, number) }

func writeBalance(tx store.Tx, number int) error {
	a, err := tx.Balances().Find(accountID)
	if err != nil {
		return err
	}
	a.Balance.TenThousandths = int64(number)
	return tx.Balances().Change(a)
}

func writeNewCard(tx store.Tx, number int) error {
	c := newCard(cardID)
	c.ID, c.NickName = 0, fmt.Sprint("new ", number)
	return tx.Cards().Put(&c)
}

// writeSlots links the card to an account that no card has drawn on.
func writeSlots(tx store.Tx, number int) error {
	account := 1000 + number
	return cmp.Or(putAccount(tx, account, number), changeCard(tx, cardID, func(c *card.Card) {
		c.Slots = card.Slots{Checking: []int{account}}
	}))
}

// writeAll writes everything that a view shows. The order of the writes depends on the number.
func writeAll(tx store.Tx, number int) error {
	steps := []func(store.Tx, int) error{writeAccount, writeYear, writeCustomer}
	for i := range steps {
		if err := steps[(i+number)%len(steps)](tx, number); err != nil {
			return err
		}
	}
	return nil
}

func yearOf(v store.CardView) int  { return v.Card.ExpireYear - 2000 }
func birthOf(v store.CardView) int { return int(v.Customer.Birth.Sub(since).Hours() / 24) }
func balanceOf(v store.CardView) int {
	return int(v.Accounts[accountID].Balance.TenThousandths)
}

func readView(number func(store.CardView) int) func(store.Tx) (int, error) {
	return func(tx store.Tx) (int, error) {
		view, err := tx.Cards().FindView(programID, customerID, store.CardKey{ID: cardID})
		if err != nil {
			return 0, err
		}
		return number(view), nil
	}
}

func readAll(tx store.Tx) (int, error) {
	view, err := tx.Cards().FindView(programID, customerID, store.CardKey{ID: cardID})
	if err != nil {
		return 0, err
	}
	number := yearOf(view)
	if birthOf(view) != number || balanceOf(view) != number {
		return 0, fmt.Errorf("a card of %d beside a customer of %d and an account of %d",
			number, birthOf(view), balanceOf(view))
	}
	return number, nil
}

func readList(number func(store.CustomerCards) int) func(store.Tx) (int, error) {
	return func(tx store.Tx) (int, error) {
		cards, err := tx.Cards().ListByCustomer(programID, customerID, store.NoLimit)
		if err != nil {
			return 0, err
		}
		return number(cards), nil
	}
}

func findIssuance(tx store.Tx) (store.IssuanceView, error) {
	return tx.Issuance().FindView(store.IssuanceQuery{
		ProgramID: programID, CreatorID: customerID, HolderID: customerID,
	})
}

func readProgram(number func(program.Issuing) int) func(store.Tx) (int, error) {
	return func(tx store.Tx) (int, error) {
		view, err := findIssuance(tx)
		if err != nil {
			return 0, err
		}
		return number(view.Program), nil
	}
}

func readProgramAndCustomer(tx store.Tx) (int, error) {
	view, err := findIssuance(tx)
	if err != nil {
		return 0, err
	}
	number := view.Program.VerificationWindowDays
	if born := int(view.Creator.Birth.Sub(since).Hours() / 24); born != number {
		return 0, fmt.Errorf("a program of %d beside a customer of %d", number, born)
	}
	return number, nil
}
