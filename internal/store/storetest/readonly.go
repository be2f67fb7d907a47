package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

var readOnly = []test{
	{"AllWrites", readOnlyAllWrites},
	{"Refused", readOnlyRefused},
	{"Lease", readOnlyLease},
}

// oldScope is where an answer is kept that a write deletes, newScope where one is to be kept.
var (
	oldScope = store.IdempotencyScope{APIKey: keyName, Route: "/card/lock", Key: "old"}
	newScope = store.IdempotencyScope{APIKey: keyName, Route: "/card/lock", Key: "new"}
)

// aNotice is one that is to be given.
var aNotice = store.Notice{Kind: store.KeyExpiring, Subject: "k1/00", Moment: made}

// writes is every write of the contract, each of which changes something. The card of the number
// is there.
func writes(cardID int) map[string]func(store.Tx) error {
	all := writesAbout(cardID)
	maps.Copy(all, writesOf(cardID))
	maps.Copy(all, writesOfMoney(cardID))
	maps.Copy(all, webhookWrites())
	maps.Copy(all, peopleWrites())
	maps.Copy(all, gateWrites())
	maps.Copy(all, writesForLists())
	maps.Copy(all, draftWrites())
	maps.Copy(all, privacyWrites())
	maps.Copy(all, bankKeyWrites())
	maps.Copy(all, feedWrites())
	maps.Copy(all, reconciliationWrites())
	maps.Copy(all, digestWrites(cardID))
	return all
}

// writesOf is every write of what cards are made of, and of cards.
func writesOf(cardID int) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Reports.Put": func(tx store.Tx) error { return tx.Reports().Put(report("written")) },
		"Banks.Put":   func(tx store.Tx) error { return tx.Banks().Put(store.Bank{ID: 77}) },
		"Banks.PutPciKey": func(tx store.Tx) error {
			return tx.Banks().PutPciKey(program.PciKey{ID: 77, BankID: bankID, Status: 1})
		},
		"Programs.Put": func(tx store.Tx) error { return putNamed(tx, "written") },
		"Programs.PutBin": func(tx store.Tx) error {
			return tx.Programs().PutBin(bin(77, programID))
		},
		"Customers.Put": func(tx store.Tx) error {
			locked := storedPerson(creatorID, programID)
			locked.IsLocked = true
			return tx.Customers().Put(locked)
		},
		"Accounts.Put": func(tx store.Tx) error {
			renamed := storedAccount(201, customer.Checking)
			renamed.Name = "written"
			return tx.Accounts().Put(renamed)
		},
		"Access.Put": func(tx store.Tx) error {
			return tx.Access().Put(customer.Access{
				CustomerID: creatorID, AccountID: 201, Type: customer.FullAccess,
			})
		},
		"Documents.Put": func(tx store.Tx) error {
			return tx.Documents().Put(document(77, "en-US"))
		},
		"Keys.Put":    func(tx store.Tx) error { return tx.Keys().Put(key("written")) },
		"KeyUses.Put": func(tx store.Tx) error { return tx.KeyUses().Put("written", made) },
		"Keys.PutRetiredSecret": func(tx store.Tx) error {
			return tx.Keys().PutRetiredSecret(store.RetiredSecret{
				Digest: []byte("written"), KeyName: keyName, At: made,
			})
		},
		"Cards.Put": func(tx store.Tx) error {
			c := plain("written")
			return tx.Cards().Put(&c)
		},
		"Cards.Change": func(tx store.Tx) error {
			before, err := tx.Cards().Find(programID, cardID)
			if err != nil {
				return err
			}
			after := before
			after.LastFour = "7777"
			return tx.Cards().Change(before, &after)
		},
	}
}

// writesAbout is every write about a card, and of what runs the service.
func writesAbout(cardID int) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{

		"Attempts.Put": func(tx store.Tx) error {
			return tx.Attempts().Put(cardID, store.PinTaken)
		},
		"Orders.Put": func(tx store.Tx) error {
			return tx.Orders().Put(anOrder(cardID, 2, order.Remake))
		},
		"Orders.PutNumbered": func(tx store.Tx) error {
			_, err := tx.Orders().PutNumbered(anOrder(cardID, 2, order.Remake))
			return err
		},
		"Orders.Change": func(tx store.Tx) error {
			found, err := tx.Orders().List(store.OrderQuery{CardID: cardID, Limit: 1})
			if err != nil {
				return err
			}
			after := found[0]
			after.LastError = "written"
			return tx.Orders().Change(found[0], &after)
		},
		"Files.Put": func(tx store.Tx) error { return tx.Files().Put(orderFile(7, "")) },
		"Files.Change": func(tx store.Tx) error {
			return tx.Files().Change(orderFile(2, "changed"))
		},
		"Files.DeleteBefore": func(tx store.Tx) error {
			return tx.Files().DeleteBefore(store.OrderFiles, 2)
		},
		"Audit.Put": func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: made, ProgramID: programID, Subject: audit.Of(audit.Card, cardID),
			})
		},
		"Batches.Put": func(tx store.Tx) error {
			b := store.Batch{First: 2, FirstEvent: 1, At: made}
			b.Rows = []store.SealedRow{{Row: 1 << 30}}
			return tx.Batches().Put(b, make([]tlog.Hash, 2))
		},
		"Log.DeleteThrough": func(tx store.Tx) error {
			_, err := tx.Log().DeleteThrough(1, 9)
			return err
		},
		"Idempotency.Put": func(tx store.Tx) error {
			return tx.Idempotency().Put(
				store.IdempotencyRecord{IdempotencyScope: newScope, At: made})
		},
		"Idempotency.DeleteBefore": func(tx store.Tx) error {
			_, err := tx.Idempotency().DeleteBefore(made, 9)
			return err
		},
		"Leases.Put": func(tx store.Tx) error {
			return tx.Leases().Put(
				store.Lease{Name: jobName, Holder: "two", Until: tx.Now().Add(time.Hour)})
		},
		"Leases.Delete": func(tx store.Tx) error { return tx.Leases().Delete(jobName, "two") },
		"Jobs.Put": func(tx store.Tx) error {
			return tx.Jobs().Put(store.JobState{Name: jobName, Began: tx.Now(), Next: tx.Now()})
		},
		"Due.PutNotice": func(tx store.Tx) error {
			return tx.Due().PutNotice(aNotice)
		},
		"Due.ChangeFuture": func(tx store.Tx) error { return tx.Due().ChangeFuture() },
		"Installation.Put": func(tx store.Tx) error {
			return tx.Installation().Put(store.InstallationRecord{
				Environment: store.Sandbox, Keyset: "one", PinKey: "two", Made: made,
			})
		},
	}
}

// writesForLists is every write that only operators ask for.
func writesForLists() map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Access.Delete": func(tx store.Tx) error {
			return tx.Access().Delete(customer.Access{
				CustomerID: holderID, AccountID: 201, Revision: 1,
			})
		},
		// Cards that are in a block are searched in its text alone.
		"CardTexts.Put": func(tx store.Tx) error {
			return tx.CardTexts().Put(store.CardBlock{
				First: 1, Last: 1 << 30, Cards: 1, Text: []byte("\n"),
			})
		},
	}
}

// readOnlyAllWrites holds that the table above leaves no write out.
func readOnlyAllWrites(t *testing.T, _ store.Store) {
	all := writes(1)
	found := 0
	for part := range reflect.TypeFor[store.Tx]().Methods() {
		if part.Name == "Now" {
			continue
		}
		for method := range part.Type.Out(0).Methods() {
			name := part.Name + "." + method.Name
			for _, verb := range []string{"Put", "Change", "Delete", "Empty"} {
				if strings.HasPrefix(method.Name, verb) {
					found++
					if all[name] == nil {
						t.Errorf("%s is not tried", name)
					}
				}
			}
		}
	}
	if found != len(all) {
		t.Errorf("the parts have %d writes, and %d are tried", found, len(all))
	}
}

// readOnlyRefused tries every write in a Read and in a View, where none may change anything, and
// then in an Update, where each does.
func readOnlyRefused(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("stays"))
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{
			tx.Idempotency().Put(store.IdempotencyRecord{
				IdempotencyScope: oldScope, At: made.Add(-time.Hour),
			}),
			tx.Leases().Put(store.Lease{Name: jobName, Holder: "two", Until: made}),
			tx.Orders().Put(anOrder(c.ID, 1, order.Make)),
			tx.Access().Put(customer.Access{
				CustomerID: holderID, AccountID: 201, Type: customer.ReadOnly,
			}),
			tx.Files().Put(orderFile(1, "")), tx.Files().Put(orderFile(2, "text")),
			tx.Holds().Put(hold("standing", c.ID)),
			putWrittenWebhooks(tx), putWrittenPeople(tx), putWrittenGate(tx),
			putDeletedDraft(tx), putOldReconciliation(tx),
		})
	})
	update(t, s, func(tx store.Tx) error { return putWrittenPrivacy(tx, c.ID) })
	act(t, s, 1)
	seal(t, s, store.Batch{}, 1)
	putEncryptionKeys(t, s)
	keptSealed(t, s, "sealed")
	keptDigests(t, s)
	for name, write := range writes(c.ID) {
		before := picture(t, s, c.ID)
		for _, way := range []string{"Read", "View"} {
			err := ways[way](s, func(tx store.Tx) error {
				_, err := tx.Customers().Find(programID, creatorID)
				wantError(t, "a find before", err, nil)
				wantError(t, name+" in a "+way, write(tx), store.ErrReadOnly)
				_, err = tx.Customers().Find(programID, creatorID)
				return err
			})
			wantError(t, way+" after "+name, err, nil)
			err = ways[way](s, write)
			wantError(t, way+" that returns the error of "+name, err, store.ErrReadOnly)
		}
		if diff := cmp.Diff(before, picture(t, s, c.ID), same); diff != "" {
			t.Errorf("%s in a transaction that reads has changed\n%s", name, diff)
		}
		wantError(t, name+" in an Update", s.Update(context.Background(), write), nil)
		// A lease cannot be looked at, and nothing is of the future.
		seen := !strings.HasPrefix(name, "Leases.") && name != "Due.ChangeFuture"
		if seen && cmp.Equal(before, picture(t, s, c.ID), same) {
			t.Errorf("%s in an Update has changed nothing", name)
		}
		update(t, s, func(tx store.Tx) error { // for Leases.Delete, if it comes later
			return tx.Leases().Put(store.Lease{Name: jobName, Holder: "two", Until: made})
		})
	}
}

// picture is what there is, and the errors of what cannot be found.
func picture(t *testing.T, s store.Store, cardID int) map[string]any {
	t.Helper()
	found := make(map[string]any)
	note := func(name string, one any, err error) {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		found[name] = []any{one, fmt.Sprint(err)}
	}
	view(t, s, func(tx store.Tx) error {
		banks, err := tx.Banks().List()
		note("banks", banks, err)
		program, err := tx.Programs().Find(programID)
		note("program", program, err)
		noteBankKeys(tx, note)
		noteFeeds(tx, note)
		customers, err := tx.Customers().FindMany([]int{creatorID, holderID})
		note("customers", customers, err)
		access, err := tx.Access().List([]int{creatorID, holderID})
		note("access", access, err)
		documents, err := tx.Documents().List(bankID, "en-US")
		note("documents", documents, err)
		noteDrafts(tx, note)
		keys, err := tx.Keys().List()
		note("keys", keys, err)
		retired, err := tx.Keys().HasRetiredSecret([]byte("written"))
		note("retired", retired, err)
		uses, err := tx.KeyUses().List()
		note("uses of keys", uses, err)
		cards, err := tx.Cards().ListByCustomer(programID, creatorID, store.NoLimit)
		note("cards", cards, err)
		named, err := tx.CardIndex().List(store.CardQuery{Text: "smith", Limit: 9})
		note("cards by name", named, err)
		pan, err := tx.PANs().Find(programID, cardID)
		note("PAN", pan, err)
		attempts, err := tx.Attempts().List(cardID, store.PinTaken, 9)
		note("attempts", attempts, err)
		orders, err := tx.Orders().List(store.OrderQuery{Limit: 9})
		note("orders", orders, err)
		for _, sequence := range []int{1, 2, 7} {
			file, err := tx.Files().Find(store.OrderFiles, sequence)
			note(fmt.Sprint("file ", sequence), file, err)
		}
		report, err := tx.Reports().Find("written")
		note("report", report, err)
		audit, err := tx.Audit().List(programID, cardID, 9)
		note("audit", audit, err)
		pictureMoney(tx, cardID, note)
		batches, err := tx.Batches().List(0, 9)
		note("batches", batches, err)
		archived, err := tx.Batches().FindArchived()
		note("archived", archived, err)
		for _, scope := range []store.IdempotencyScope{oldScope, newScope} {
			record, err := tx.Idempotency().Find(scope)
			note("idempotency "+scope.Key, record, err)
		}
		jobs, err := tx.Jobs().List()
		note("jobs", jobs, err)
		given, err := tx.Due().HasNotice(aNotice)
		note("notice", given, err)
		installation, err := tx.Installation().Find()
		note("installation", installation, err)
		webhookPicture(tx, note)
		peoplePicture(tx, note)
		gatePicture(tx, note)
		privacyPicture(tx, note)
		return nil
	})
	return found
}

// readOnlyLease holds that a Read and a View neither take a lease nor give it back.
func readOnlyLease(t *testing.T, s store.Store) {
	put := func(holder string) func(store.Tx) error {
		return func(tx store.Tx) error {
			return tx.Leases().Put(
				store.Lease{Name: jobName, Holder: holder, Until: tx.Now().Add(time.Hour)})
		}
	}
	for _, way := range []string{"Read", "View"} {
		wantError(t, way, ways[way](s, put("never")), store.ErrReadOnly)
	}
	update(t, s, put("one"))
	for _, way := range []string{"Read", "View"} {
		err := ways[way](s, func(tx store.Tx) error { return tx.Leases().Delete(jobName, "one") })
		wantError(t, way, err, store.ErrReadOnly)
	}
	wantError(t, "another holder", s.Update(context.Background(), put("two")), store.ErrExists)
}
