package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

var constraints = []test{
	{"PossibleCards", constraintPossible},
	{"ImpossibleCards", constraintImpossible},
	{"Locks", constraintLocks},
	{"MissingParents", constraintParents},
	{"Values", constraintValues},
	{"Ranges", constraintRanges},
}

// possible gives a card the dates that its status asks for, and no other.
func possible(c card.Card) card.Card {
	c.Verified, c.Reissued, c.Denied = time.Time{}, time.Time{}, time.Time{}
	c.Expired, c.Archived = time.Time{}, time.Time{}
	switch c.Status {
	case card.Verified:
		c.Verified = made
	case card.Reissued:
		c.Reissued = made
	case card.Denied:
		c.Denied = made
	case card.Expired:
		c.Expired = made
	case card.Archived:
		c.Archived = made
	}
	return c
}

func constraintPossible(t *testing.T, s store.Store) {
	background(t, s)
	for _, status := range card.Statuses {
		c := plain(string(status))
		c.Status = status
		kept(t, s, possible(c))
	}
}

// constraintImpossible stores cards that are wrong in one way each. None of it may be kept, and
// the answer is none of the sentinels: such a card is a fault of the program.
func constraintImpossible(t *testing.T, s store.Store) {
	background(t, s)
	wrong := map[string]func(c *card.Card){
		"unknown status":        func(c *card.Card) { c.Status = "Lost" },
		"status in lower case":  func(c *card.Card) { c.Status = "initiated" },
		"verified without date": func(c *card.Card) { c.Status = card.Verified },
		"reissued without date": func(c *card.Card) { c.Status = card.Reissued },
		"denied without date":   func(c *card.Card) { c.Status = card.Denied },
		"denied date":           func(c *card.Card) { c.Denied = made },
		"expired without date":  func(c *card.Card) { c.Status = card.Expired },
		"archived without date": func(c *card.Card) { c.Status = card.Archived },
		"archived date":         func(c *card.Card) { c.Archived = made },
		"changed before made":   func(c *card.Card) { c.Modified = made.Add(-time.Millisecond) },
		"never made":            func(c *card.Card) { c.Created = time.Time{} },
		"type":                  func(c *card.Card) { c.Type = "dbt" },
		"vendor":                func(c *card.Card) { c.Vendor = "AX" },
		"month 0":               func(c *card.Card) { c.ExpireMonth = 0 },
		"month 13":              func(c *card.Card) { c.ExpireMonth = 13 },
		"year of two digits":    func(c *card.Card) { c.ExpireYear = 30 },
		"number 2^31":           func(c *card.Card) { c.ID = 1 << 31 },
		"category":              func(c *card.Card) { c.PrimaryCategory = customer.ForBenefitOf },
		"five accounts":         func(c *card.Card) { c.Slots.Checking = accountIDs["Checking"] },
	}
	for name, spoil := range wrong {
		c := plain(name)
		spoil(&c)
		wantRefused(t, s, name, func(tx store.Tx) error { return tx.Cards().Put(&c) })
	}
	// An account has one place on a card.
	twice := plain("twice")
	twice.Slots.Savings = []int{201}
	err := s.Update(context.Background(), func(tx store.Tx) error { return tx.Cards().Put(&twice) })
	wantError(t, "an account in two places", err, store.ErrExists)

	if cards := listCards(t, s, creatorID); len(cards) > 0 {
		t.Errorf("%d of the cards were kept", len(cards))
	}
}

// wantRefused runs an Update that must fail in a way that has no sentinel.
func wantRefused(t *testing.T, s store.Store, name string, fn func(store.Tx) error) {
	t.Helper()
	err := s.Update(context.Background(), fn)
	if err == nil {
		t.Errorf("%s: it was kept", name)
	}
	for _, sentinel := range []error{
		store.ErrExists, store.ErrNotFound, store.ErrLostUpdate, store.ErrUnavailable,
	} {
		if errors.Is(err, sentinel) {
			t.Errorf("%s: got the error %v", name, err)
		}
	}
}

// constraintLocks tries every type of lock with every reason.
func constraintLocks(t *testing.T, s store.Store) {
	background(t, s)
	types := []card.LockType{card.Unlocked, card.Customer, card.System, "XXX", ""}
	reasons := append([]card.Reason{"XXX", ""}, card.Reasons...)
	for _, lockType := range types {
		for _, reason := range reasons {
			known := reason != "" && reason != "XXX"
			var allowed bool
			switch lockType {
			case card.Unlocked:
				allowed = reason == card.Unknown
			case card.Customer:
				allowed = known && reason != card.PinRetries
			case card.System:
				allowed = known
			}
			name := strings.Join([]string{string(lockType), string(reason)}, "/")
			c := plain(name)
			c.Lock = card.Lock{Type: lockType, Reason: reason}
			if allowed {
				kept(t, s, c)
				continue
			}
			wantRefused(t, s, name, func(tx store.Tx) error { return tx.Cards().Put(&c) })
		}
	}
}

// constraintParents puts things whose parents do not exist, or belong to another program.
func constraintParents(t *testing.T, s store.Store) {
	background(t, s)
	wrong := map[string]func(c *card.Card){
		"program":         func(c *card.Card) { c.ProgramID = 404 },
		"creator":         func(c *card.Card) { c.CustomerID = 404 },
		"holder":          func(c *card.Card) { c.HolderID = 404 },
		"foreign creator": func(c *card.Card) { c.CustomerID = foreignID },
		"foreign holder":  func(c *card.Card) { c.HolderID = foreignID },
		"BIN":             func(c *card.Card) { c.BinID = 404 },
		"foreign BIN":     func(c *card.Card) { c.BinID = otherBin },
		"account":         func(c *card.Card) { c.Slots.Checking = []int{404} },
	}
	for name, spoil := range wrong {
		c := plain(name)
		spoil(&c)
		wantRefused(t, s, name, func(tx store.Tx) error { return tx.Cards().Put(&c) })
	}
	c := kept(t, s, plain("parents"))
	orphanKey := key("orphan")
	orphanKey.ProgramID = 404
	orphan := account(404, customer.Checking)
	orphan.CustomerID = foreignID
	for name, write := range map[string]func(tx store.Tx) error{
		"program's bank": func(tx store.Tx) error {
			return tx.Programs().Put(program.Program{Issuing: program.Issuing{ID: 5, BankID: 404}})
		},
		"encryption key's bank": func(tx store.Tx) error {
			return tx.Banks().PutPciKey(program.PciKey{ID: 5, BankID: 404, Status: 1})
		},
		"document's bank": func(tx store.Tx) error {
			return tx.Documents().Put(bankdoc.Document{ID: 5, BankID: 404})
		},
		"BIN's program":      func(tx store.Tx) error { return tx.Programs().PutBin(bin(5, 404)) },
		"key's program":      func(tx store.Tx) error { return tx.Keys().Put(orphanKey) },
		"customer's program": func(tx store.Tx) error { return tx.Customers().Put(person(5, 404)) },
		"account's customer": func(tx store.Tx) error { return tx.Accounts().Put(orphan) },
		"access to an account": func(tx store.Tx) error {
			return tx.Access().Put(customer.Access{
				CustomerID: creatorID, AccountID: 404, Type: customer.FullAccess,
			})
		},
		"access of a customer": func(tx store.Tx) error {
			return tx.Access().Put(customer.Access{
				CustomerID: 404, AccountID: 201, Type: customer.FullAccess,
			})
		},
		"number's card": func(tx store.Tx) error {
			return tx.PANs().Put(store.SealedPAN{CardID: 404, BinID: binID})
		},
		"number's BIN": func(tx store.Tx) error {
			return tx.PANs().Put(store.SealedPAN{CardID: c.ID, BinID: 404})
		},
		"attempt's card": func(tx store.Tx) error { return tx.Attempts().Put(404, store.PinTaken) },
		"order's card": func(tx store.Tx) error {
			return tx.Orders().Put(anOrder(404, 1, order.SetPin))
		},
		"replay's key": func(tx store.Tx) error {
			return tx.Idempotency().Put(store.IdempotencyRecord{
				IdempotencyScope: store.IdempotencyScope{APIKey: "nobody"}, At: made,
			})
		},
	} {
		wantRefused(t, s, name, write)
	}
}

// constraintValues puts values that stand in no list.
func constraintValues(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("values"))
	badStatus, badAccess := person(5, programID), person(5, programID)
	badStatus.Status, badAccess.AccessType = "Lost", "full"
	badType, badState := account(5, "Credit"), account(5, customer.Checking)
	badState.Status = "Frozen"
	badVersion := key("version")
	badVersion.Version = 3
	badVendor := bin(5, programID)
	badVendor.Vendor = "AX"
	for name, write := range map[string]func(tx store.Tx) error{
		"customer status": func(tx store.Tx) error { return tx.Customers().Put(badStatus) },
		"access type":     func(tx store.Tx) error { return tx.Customers().Put(badAccess) },
		"account type":    func(tx store.Tx) error { return tx.Accounts().Put(badType) },
		"account status":  func(tx store.Tx) error { return tx.Accounts().Put(badState) },
		"key version":     func(tx store.Tx) error { return tx.Keys().Put(badVersion) },
		"BIN vendor":      func(tx store.Tx) error { return tx.Programs().PutBin(badVendor) },
		"access": func(tx store.Tx) error {
			return tx.Access().Put(customer.Access{CustomerID: creatorID, AccountID: 201})
		},
		"encryption key status": func(tx store.Tx) error {
			return tx.Banks().PutPciKey(program.PciKey{ID: 5, BankID: bankID, Status: 4})
		},
		"attempt": func(tx store.Tx) error { return tx.Attempts().Put(c.ID, "guess") },
		"order": func(tx store.Tx) error {
			return tx.Orders().Put(anOrder(c.ID, 1, "burn"))
		},
		"order's state": func(tx store.Tx) error {
			lost := anOrder(c.ID, 1, order.Lock)
			lost.State = "lost"
			return tx.Orders().Put(lost)
		},
		"order's sequence": func(tx store.Tx) error {
			return tx.Orders().Put(anOrder(c.ID, -1, order.Lock))
		},
		"order done before it was made": func(tx store.Tx) error {
			done := anOrder(c.ID, 1, order.Lock)
			done.State, done.Ended = order.Done, made.Add(-time.Second)
			return tx.Orders().Put(done)
		},
	} {
		wantRefused(t, s, name, write)
	}
}

// constraintRanges puts numbers that no caller could name, and quantities below nothing.
func constraintRanges(t *testing.T, s store.Store) {
	background(t, s)
	for _, id := range []int{0, -1, 1 << 31} {
		for name, write := range map[string]func(tx store.Tx) error{
			"bank": func(tx store.Tx) error { return tx.Banks().Put(store.Bank{ID: id}) },
			"program": func(tx store.Tx) error {
				return tx.Programs().Put(program.Program{Issuing: program.Issuing{
					ID: id, BankID: bankID,
				}})
			},
			"BIN": func(tx store.Tx) error { return tx.Programs().PutBin(bin(id, programID)) },
			"document": func(tx store.Tx) error {
				return tx.Documents().Put(document(id, "en-US"))
			},
			"customer": func(tx store.Tx) error {
				return tx.Customers().Put(person(id, programID))
			},
			"account": func(tx store.Tx) error {
				return tx.Accounts().Put(account(id, "Savings"))
			},
		} {
			wantRefused(t, s, fmt.Sprint(name, " ", id), write)
		}
	}
	window := program.Program{Issuing: program.Issuing{
		ID: 5, BankID: bankID, VerificationWindowDays: -1,
	}}
	renewal, balances := program.Program{}, program.Program{}
	renewal.ID, renewal.BankID, renewal.Renewal = 6, bankID, "sometimes"
	balances.ID, balances.BankID, balances.Balances = 7, bankID, "somebody"
	months := bin(5, programID)
	months.ValidMonths = -1
	rate, burst := key("rate"), key("burst")
	rate.PerSecond, burst.Burst = -0.1, -1
	for name, write := range map[string]func(tx store.Tx) error{
		"window":   func(tx store.Tx) error { return tx.Programs().Put(window) },
		"renewal":  func(tx store.Tx) error { return tx.Programs().Put(renewal) },
		"balances": func(tx store.Tx) error { return tx.Programs().Put(balances) },
		"months":   func(tx store.Tx) error { return tx.Programs().PutBin(months) },
		"rate":     func(tx store.Tx) error { return tx.Keys().Put(rate) },
		"burst":    func(tx store.Tx) error { return tx.Keys().Put(burst) },
	} {
		wantRefused(t, s, name, write)
	}
}
