package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/compromise"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
	"mintmark/internal/store/reconciled"
)

var readOnly = []test{
	{"AllWrites", readOnlyAllWrites},
	{"Refused", readOnlyRefused},
	{"Lease", readOnlyLease},
}

// changeable is what the writes change, beside one record of each kind under keptKey. The rows that
// writes delete have goneKey.
type changeable struct {
	card    card.Card
	webhook subscription.Webhook
	draft   bankdoc.Document
	token   operator.Token
	emptied operator.Approval
	number  store.SealedText
	pin     store.SealedText
	moved   int // the card whose number has a second digest
	single  int // the card whose number has none
	signIn  operator.Attempt
	remains int // the webhook that was deleted, with an attempt

	compromise compromise.List
}

// Numbers of operators, as parents keeps them.
const keptPerson, gonePerson = keptKey - firstKey + 1, goneKey - firstKey + 1

// counted is a write without what it counts.
func counted(write func(store.Tx) (int, error)) func(store.Tx) error {
	return func(tx store.Tx) error {
		_, err := write(tx)
		return err
	}
}

// writes is every write of the contract. Each changes something, whichever was tried before it.
func writes(of changeable) map[string]func(store.Tx) error {
	all := make(map[string]func(store.Tx) error)
	for _, k := range kinds {
		all[k.name()] = func(tx store.Tx) error { return k.keep(tx, writtenKey) }
	}
	for _, some := range []map[string]func(store.Tx) error{
		writesOfCards(of), writesOfOperators(of), writesOfMoneyAndEvents(of), writesOfPrivacy(of),
	} {
		for name, write := range some {
			all[name] = write
		}
	}
	return all
}

func writesOfCards(of changeable) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Access.Delete": func(tx store.Tx) error {
			return tx.Access().Delete(customer.Access{
				CustomerID: holderID, AccountID: 210, Revision: 1,
			})
		},
		"Programs.PutFence": func(tx store.Tx) error {
			return tx.Programs().PutFence(programID, created)
		},
		"Keys.PutUse": func(tx store.Tx) error { return tx.Keys().PutUse("written", created) },
		"Keys.PutRetiredSecret": func(tx store.Tx) error {
			return tx.Keys().PutRetiredSecret(store.RetiredSecret{
				Digest: []byte("written"), KeyName: keyName, At: created,
			})
		},
		"Cards.Put": func(tx store.Tx) error { return tx.Cards().Put(new(plain("written"))) },
		"Cards.Change": func(tx store.Tx) error {
			after := of.card
			after.LastFour = "7777"
			return tx.Cards().Change(of.card, &after)
		},
		"Cards.PutAttempt": func(tx store.Tx) error {
			return tx.Cards().PutAttempt(of.card.ID, store.PinTaken)
		},
		// Cards that are in a block are searched in its text alone.
		"CardSearch.PutBlock": func(tx store.Tx) error {
			return tx.CardSearch().PutBlock(store.CardBlock{
				First: 1, Last: 1 << 30, Cards: 1, Text: []byte("\n"),
			})
		},
		"Orders.Put": func(tx store.Tx) error {
			return tx.Orders().Put(anOrder(of.card.ID, 2, order.Remake))
		},
		"Orders.PutNumbered": func(tx store.Tx) error {
			_, err := tx.Orders().PutNumbered(anOrder(of.card.ID, 3, order.Remake))
			return err
		},
		"Orders.Change": func(tx store.Tx) error {
			orders, err := tx.Orders().List(store.OrderQuery{CardID: of.card.ID, Limit: 1})
			if err != nil {
				return err
			}
			after := orders[0]
			after.LastError = "written"
			return tx.Orders().Change(orders[0], &after)
		},
		"Files.Change": func(tx store.Tx) error {
			return tx.Files().Change(orderFile(keptKey, ""))
		},
		"Files.DeleteBefore": func(tx store.Tx) error {
			return tx.Files().DeleteBefore(store.OrderFiles, goneKey+1)
		},
		"BankKeys.ChangeSealedNumber": func(tx store.Tx) error {
			return tx.BankKeys().ChangeSealedNumber(of.number, secondMark)
		},
		"BankKeys.ChangeSealedPin": func(tx store.Tx) error {
			return tx.BankKeys().ChangeSealedPin(of.pin, secondMark)
		},
		"CardNumbers.PutDigestState": func(tx store.Tx) error {
			state, err := rotateDigests(digests.State{Phase: digests.OneKey})
			if err != nil {
				return err
			}
			return tx.CardNumbers().PutDigestState(state)
		},
		"CardNumbers.PutSecondDigest": func(tx store.Tx) error {
			return tx.CardNumbers().PutSecondDigest(of.single, []byte{8})
		},
		"CardNumbers.ChangeFirstDigests": counted(func(tx store.Tx) (int, error) {
			return tx.CardNumbers().ChangeFirstDigests(1)
		}),
		"Jobs.PutLease": func(tx store.Tx) error {
			return tx.Jobs().PutLease(
				store.Lease{Name: jobName, Holder: "two", Until: tx.Now().Add(time.Hour)})
		},
		"Jobs.DeleteLease": func(tx store.Tx) error {
			return tx.Jobs().DeleteLease(jobName,
				"two")
		},
		"Due.ChangeFuture": func(tx store.Tx) error { return tx.Due().ChangeFuture() },
		"Installation.Put": func(tx store.Tx) error {
			return tx.Installation().Put(anInstallation)
		},
	}
}

func writesOfMoneyAndEvents(of changeable) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Holds.Delete": func(tx store.Tx) error {
			return tx.Holds().Delete(hold("standing", 77).EndedBy(authorization.RanOut, "", created))
		},
		"Holds.Change": func(tx store.Tx) error {
			return tx.Holds().Change(hold("growing", 77).Grow(amount(1), 20260203))
		},
		"Holds.PutEnd": func(tx store.Tx) error {
			return tx.Holds().PutEnd(hold("never placed", 77).EndedBy(authorization.Released, "", created))
		},
		"Holds.DeleteEnd": func(tx store.Tx) error { return tx.Holds().DeleteEnd(emptiedEnd("reopened").HoldID) },
		"Holds.ChangeEnd": func(tx store.Tx) error { return tx.Holds().ChangeEnd(emptiedEnd("closed").HoldID) },
		"Authorizations.Change": func(tx store.Tx) error {
			return tx.Authorizations().Change(asked("changed", 77).PostMore(amount(1)))
		},
		"Reversals.DeleteMarks": counted(func(tx store.Tx) (int, error) {
			return tx.Reversals().DeleteMarks(created, 9)
		}),
		"Balances.Change": func(tx store.Tx) error {
			a, err := tx.Balances().Find(202)
			if err != nil {
				return err
			}
			a.Held = amount(7)
			return tx.Balances().Change(a)
		},
		"Usages.Put":      func(tx store.Tx) error { return tx.Usages().Put(usage(creatorID)) },
		"Usages.PutShare": func(tx store.Tx) error { return tx.Usages().PutShare(share(1)) },
		"Audit.Put": func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: created, ProgramID: programID, Subject: audit.Of(audit.Card, of.card.ID),
			})
		},
		"AuditLog.PutBatch": func(tx store.Tx) error {
			b := store.Batch{First: 2, FirstEvent: 1, At: created}
			b.Rows = []store.SealedRow{{Row: 1 << 30}}
			return tx.AuditLog().PutBatch(b, make([]tlog.Hash, 2))
		},
		"AuditLog.DeleteThrough": counted(func(tx store.Tx) (int, error) {
			return tx.AuditLog().DeleteThrough(1, 9)
		}),
		"Webhooks.Delete": func(tx store.Tx) error { return tx.Webhooks().Delete(of.webhook) },
		"Webhooks.DeleteRemains": counted(func(tx store.Tx) (int, error) {
			return tx.Webhooks().DeleteRemains(9)
		}),
		"Webhooks.ChangeEndpoint": func(tx store.Tx) error {
			all, err := tx.Webhooks().ListEndpoints()
			if err != nil {
				return err
			}
			after := all[0]
			after.Node, after.Until = "written", created
			return tx.Webhooks().ChangeEndpoint(all[0], after)
		},
		"Webhooks.PutPosition": func(tx store.Tx) error {
			all, err := tx.Webhooks().ListEndpoints()
			if err != nil {
				return err
			}
			return tx.Webhooks().PutPosition(parentWebhook, all[0].Node, all[0].Position+1)
		},
		"Deliveries.Delete": func(tx store.Tx) error {
			return tx.Deliveries().Delete(parentWebhook, keptKey)
		},
		"Deliveries.DeleteDead": counted(func(tx store.Tx) (int, error) {
			return tx.Deliveries().DeleteDead(created.Add(time.Hour), 9)
		}),
		"Deliveries.PutAttempt": func(tx store.Tx) error {
			return tx.Deliveries().PutAttempt(
				subscription.Attempt{WebhookID: parentWebhook, Sequence: 3, At: created})
		},
		"Deliveries.DeleteAttemptsBefore": counted(func(tx store.Tx) (int, error) {
			return tx.Deliveries().DeleteAttemptsBefore(created, 9)
		}),
	}
}

func writesOfOperators(of changeable) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Operators.PutSignIn": func(tx store.Tx) error {
			return tx.Operators().PutSignIn(keptPerson, created)
		},
		"Operators.ChangeCredential": func(tx store.Tx) error {
			return tx.Operators().ChangeCredential(
				operator.Credential{PersonID: keptPerson, Password: "p"}, 8)
		},
		"Operators.DeleteCredential": func(tx store.Tx) error {
			return tx.Operators().DeleteCredential(gonePerson)
		},
		"Operators.DeleteInvitation": func(tx store.Tx) error {
			return tx.Operators().DeleteInvitation(keptPerson)
		},
		"Tokens.PutUse": func(tx store.Tx) error {
			return tx.Tokens().PutUse(of.token.ID, created)
		},
		"Sessions.Delete": func(tx store.Tx) error {
			return tx.Sessions().Delete(fmt.Append(nil, keptKey))
		},
		"Sessions.DeleteBefore": counted(func(tx store.Tx) (int, error) {
			return tx.Sessions().DeleteBefore(created, 9)
		}),
		"Sessions.PutSignIn": func(tx store.Tx) error {
			return tx.Sessions().PutSignIn(&operator.Attempt{Account: "written", At: created})
		},
		"Sessions.DeleteSignIn": func(tx store.Tx) error {
			return tx.Sessions().DeleteSignIn(of.signIn.ID)
		},
		"Sessions.DeleteSignInsBefore": counted(func(tx store.Tx) (int, error) {
			return tx.Sessions().DeleteSignInsBefore(created, 9)
		}),
		"Approvals.DeleteResultsBefore": counted(func(tx store.Tx) (int, error) {
			return tx.Approvals().DeleteResultsBefore(created, 9)
		}),
		"Approvals.DeleteBefore": counted(func(tx store.Tx) (int, error) {
			return tx.Approvals().DeleteBefore(created, 9)
		}),
		"OperatorAnswers.Change": func(tx store.Tx) error {
			changed := operatorAnswer(fmt.Sprint("K-", keptKey), created)
			changed.HTTP = 409
			return tx.OperatorAnswers().Change(changed)
		},
		"OperatorAnswers.DeleteBefore": counted(func(tx store.Tx) (int, error) {
			return tx.OperatorAnswers().DeleteBefore(created, 9)
		}),
		"CallerAnswers.DeleteBefore": counted(func(tx store.Tx) (int, error) {
			return tx.CallerAnswers().DeleteBefore(created, 9)
		}),
		"Documents.DeleteDraft": func(tx store.Tx) error {
			return tx.Documents().DeleteDraft(of.draft)
		},
	}
}

func writesOfPrivacy(of changeable) map[string]func(store.Tx) error {
	return map[string]func(store.Tx) error{
		"Audit.PutPersonKey": func(tx store.Tx) error {
			return tx.Audit().PutPersonKey(writtenKey, []byte{1})
		},
		"Audit.DeletePersonKey": func(tx store.Tx) error {
			return tx.Audit().DeletePersonKey(keptKey)
		},
		"Erasure.PutAnswer": func(tx store.Tx) error {
			return tx.Erasure().PutAnswer(answerTo("emptied").IdempotencyScope, nil)
		},
		"Erasure.PutOperatorsAnswer": func(tx store.Tx) error {
			return tx.Erasure().PutOperatorsAnswer(
				operatorAnswer("emptied", created).IdempotencyScope, nil)
		},
		"Erasure.PutSearchText": func(tx store.Tx) error {
			return tx.Erasure().PutSearchText(summary(500, "Other"))
		},
		"Erasure.EmptyApproval": func(tx store.Tx) error {
			return tx.Erasure().EmptyApproval(of.emptied.ID, "erased")
		},
		"Erasure.EmptyAttempts": func(tx store.Tx) error {
			_, err := tx.Erasure().EmptyAttempts(programID, 9)
			return err
		},
		"Erasure.PutErased": func(tx store.Tx) error { return tx.Erasure().PutErased(holderID) },
		"Erasure.ChangeErased": func(tx store.Tx) error {
			return tx.Erasure().ChangeErased(store.Erased{CustomerID: creatorID, ToOperators: true})
		},
		"Erasure.DeleteErased": func(tx store.Tx) error {
			return tx.Erasure().DeleteErased(foreignID)
		},
		"Hourly.PutMark": func(tx store.Tx) error { return tx.Hourly().PutMark("written", 7) },
		"Hourly.DeleteBefore": func(tx store.Tx) error {
			return tx.Hourly().DeleteBefore(created.Add(time.Hour))
		},
		"Compromises.Put": func(tx store.Tx) error {
			l := aCompromise("gone")
			return tx.Compromises().Put(&l)
		},
		"Compromises.PutCards": func(tx store.Tx) error {
			return tx.Compromises().PutCards(of.compromise.ID, 0, []compromise.Card{{ID: 1}})
		},
		"Erasure.DeleteReconciliations": counted(func(tx store.Tx) (int, error) {
			return tx.Erasure().DeleteReconciliations(created.Add(2*time.Hour), 9)
		}),
		"Erasure.EmptySnapshots": counted(func(tx store.Tx) (int, error) {
			return tx.Erasure().EmptySnapshots(created, 9)
		}),
	}
}

// putChangeable keeps what the writes change.
func putChangeable(t *testing.T, s store.Store) (of changeable) {
	t.Helper()
	background(t, s)
	parents(t, s)
	numbers, pins := keptSealed(t, s, "sealed")
	of.number, of.pin = numbers[0], pins[0]
	of.card = findCard(t, s, keptKey)
	of.moved, of.single = kept(t, s, plain("moved")).ID, keptKey
	of.webhook = keptWebhook(t, s, "gone")
	deleted := keptWebhook(t, s, "remains")
	of.remains = deleted.ID
	of.draft, of.emptied = putDraft(t, s, draft("gone")), keptApproval(t, s, approval("emptied"))
	ago := created.Add(-time.Hour)
	old, answered := approval("old"), endedApproval("answered")
	old.Lapses, answered.Ended = ago, ago
	keptApproval(t, s, old)
	keptApproval(t, s, answered)
	putReport(t, s, aReport(programID, reconciled.Cards))
	of.compromise = putCompromise(t, s, aCompromise("kept"))
	update(t, s, func(tx store.Tx) error {
		return tx.Hourly().Add(store.HourlyCount{
			Chart: "written", ProgramID: programID, Label: "done", Hour: created, Count: 1,
		})
	})
	putFiles(t, s, orderFile(goneKey, ""))
	dead := delivery(parentWebhook, goneKey, 1, time.Time{})
	dead.State = subscription.Dead
	putDeliveries(t, s, dead)
	update(t, s, each(kinds, func(tx store.Tx, k record) error { return k.keep(tx, keptKey) }))
	update(t, s, packed,
		func(tx store.Tx) error {
			of.token = operatorToken("used")
			return tx.Tokens().Put(&of.token)
		},
		func(tx store.Tx) error {
			of.signIn = operator.Attempt{Account: "written", At: created}
			return tx.Sessions().PutSignIn(&of.signIn)
		},
		func(tx store.Tx) error {
			return tx.Sessions().PutSignIn(&operator.Attempt{Account: "written", At: ago})
		},
		func(tx store.Tx) error {
			return tx.Access().Put(customer.Access{
				CustomerID: holderID, AccountID: 210, Type: customer.ReadOnly,
			})
		},
		func(tx store.Tx) error {
			answer := answerTo(fmt.Sprint("K-", goneKey))
			answer.Route, answer.At = "POST /card/lock", ago
			return tx.CallerAnswers().Put(answer)
		},
		func(tx store.Tx) error { return tx.CallerAnswers().Put(answerTo("emptied")) },
		func(tx store.Tx) error {
			return tx.OperatorAnswers().Put(operatorAnswer("emptied",
				created))
		},
		func(tx store.Tx) error {
			return tx.OperatorAnswers().Put(operatorAnswer(fmt.Sprint("K-", goneKey), ago))
		},
		func(tx store.Tx) error { return tx.Holds().Put(hold("standing", 77)) },
		func(tx store.Tx) error { return tx.Holds().Put(hold("growing", 77)) },
		func(tx store.Tx) error { return tx.Holds().PutEnd(emptiedEnd("reopened")) },
		func(tx store.Tx) error { return tx.Holds().PutEnd(emptiedEnd("closed")) },
		func(tx store.Tx) error { return tx.Authorizations().Put(asked("changed", 77)) },
		func(tx store.Tx) error {
			return tx.Reversals().Put(authorization.Reversal{
				ID: "old", Digest: []byte{1}, AuthorizationID: "gone", At: ago, Done: ago,
				Result: authorization.UnknownYet,
			})
		},
		func(tx store.Tx) error {
			return tx.Deliveries().PutAttempt(
				subscription.Attempt{WebhookID: parentWebhook, Sequence: 1, At: ago})
		},
		func(tx store.Tx) error {
			return tx.Deliveries().PutAttempt(subscription.Attempt{
				WebhookID: parentWebhook, Sequence: 7, At: created.Add(time.Hour), Answer: "seen",
			})
		},
		func(tx store.Tx) error {
			return tx.Deliveries().PutAttempt(
				subscription.Attempt{WebhookID: of.remains, Sequence: 1, At: created})
		},
		func(tx store.Tx) error { return tx.Webhooks().Delete(deleted) },
		each([]int{creatorID, foreignID}, func(tx store.Tx, id int) error {
			return tx.Erasure().PutErased(id)
		}),
		func(tx store.Tx) error {
			return tx.Sessions().Put(operator.Session{
				Digest: fmt.Append(nil, goneKey), Data: []byte{1}, Expires: ago,
			})
		},
		each([]int{keptPerson, gonePerson}, func(tx store.Tx, id int) error {
			return tx.Operators().PutCredential(operator.Credential{PersonID: id, Password: "p"})
		}),
		func(tx store.Tx) error {
			return tx.Jobs().PutLease(store.Lease{Name: jobName, Holder: "two", Until: created})
		},
		func(tx store.Tx) error { return tx.Orders().Put(anOrder(keptKey, 1, order.Make)) },
		func(tx store.Tx) error {
			sent := anOrder(keptKey, 5, order.Make)
			sent.State, sent.Created, sent.Ended = order.Done, ago, ago
			return tx.Orders().Put(sent)
		},
		func(tx store.Tx) error { return tx.Audit().PutPersonKey(keptKey, []byte{2}) },
		func(tx store.Tx) error {
			return tx.CardNumbers().Put(store.SealedNumber{
				CardID: of.moved, BinID: binID,
				Digest: digests.Number{First: []byte{6}, Second: []byte{5}},
			})
		},
	)
	act(t, s, 1)
	seal(t, s, store.Batch{}, 1)
	return of
}

// readOnlyAllWrites holds that the tables above leave no write out.
func readOnlyAllWrites(t *testing.T, _ store.Store) {
	all := writes(changeable{})
	count := 0
	for part := range reflect.TypeFor[store.Tx]().Methods() {
		if part.Name == "Now" {
			continue
		}
		for method := range part.Type.Out(0).Methods() {
			name := part.Name + "." + method.Name
			for _, verb := range []string{"Put", "Change", "Delete", "Empty"} {
				if strings.HasPrefix(method.Name, verb) {
					count++
					if all[name] == nil {
						t.Errorf("%s is not tried", name)
					}
				}
			}
		}
	}
	wantSame(t, count, len(all))
}

// readOnlyRefused tries every write in a Read and in a View, where none may change anything, and
// then in an Update, where each does.
func readOnlyRefused(t *testing.T, s store.Store) {
	of := putChangeable(t, s)
	for name, write := range writes(of) {
		before := picture(t, s, of)
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
		if after := picture(t, s, of); !reflect.DeepEqual(before, after) {
			t.Errorf("%s in a transaction that reads has changed\n%s", name,
				cmp.Diff(before, after, same))
		}
		wantUpdate(t, s, name+" in an Update", nil, write)
		// A lease cannot be looked at, and nothing is of the future.
		seen := !strings.HasSuffix(name, "Lease") && name != "Due.ChangeFuture"
		if seen && reflect.DeepEqual(before, picture(t, s, of)) {
			t.Errorf("%s in an Update has changed nothing", name)
		}
		update(t, s, func(tx store.Tx) error { // for Jobs.DeleteLease, if it comes later
			return tx.Jobs().PutLease(store.Lease{Name: jobName, Holder: "two", Until: created})
		})
	}
}

// picture is what there is, and the errors of what cannot be found.
func picture(t *testing.T, s store.Store, of changeable) map[string]any {
	t.Helper()
	values := make(map[string]any)
	note := func(name string, value any, err error) {
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		values[name] = []any{value, fmt.Sprint(err)}
	}
	view(t, s, func(tx store.Tx) error {
		for _, k := range kinds {
			note(k.name(), k.look(tx), nil)
		}
		cards, err := tx.Cards().ListByCustomer(programID, creatorID, store.NoLimit)
		note("cards", cards, err)
		for _, text := range []string{"smith", "packed"} {
			named, err := tx.CardSearch().List(store.CardQuery{Text: text, Limit: 99})
			note("cards of "+text, named, err)
		}
		counts, err := tx.BankKeys().CountSealed(firstMark)
		note("sealed under a key", counts, err)
		remains, err := tx.Deliveries().ListAttempts(of.remains, 0, 9)
		note("what is left of a webhook", remains, err)
		erased, err := tx.Erasure().ListErased()
		note("erased", erased, err)
		state, err := tx.CardNumbers().FindDigestState()
		note("digest keys", state, err)
		numbers, seconds, err := tx.CardNumbers().CountDigests()
		note("numbers", [2]int64{numbers, seconds}, err)
		retired, err := tx.Keys().HasRetiredSecret([]byte("written"))
		note("retired", retired, err)
		uses, err := tx.Keys().ListUses()
		note("uses of keys", uses, err)
		attempts, err := tx.Cards().ListAttempts(of.card.ID, store.PinTaken, 9)
		note("attempts", attempts, err)
		orders, err := tx.Orders().List(store.OrderQuery{Limit: 9})
		note("orders", orders, err)
		entries, err := tx.Audit().List(programID, of.card.ID, 9)
		note("audit", entries, err)
		batches, err := tx.AuditLog().ListBatches(0, 9)
		note("batches", batches, err)
		archived, err := tx.AuditLog().FindArchived()
		note("archived", archived, err)
		account, err := tx.Balances().Find(202)
		note("balances", account, err)
		for _, id := range []string{"never placed", "reopened", "closed"} {
			end, err := tx.Holds().FindEnd(authorization.HoldPrefix(77) + id)
			note("end of the hold "+id, end, err)
		}
		holds, err := tx.Holds().List(77)
		note("holds", holds, err)
		changed, err := tx.Authorizations().Find("changed")
		note("authorization", changed, err)
		mark, err := tx.Reversals().Find("old")
		note("mark", mark, err)
		sums, err := tx.Authorizations().FindView(
			store.CardName{ID: keptKey}, authorization.Withdraws)
		note("sums", sums.User, err)
		shares, err := tx.Usages().ListShares(programID, authorization.Withdraws, share(1).Day)
		note("shares", shares, err)
		counted, err := tx.Hourly().FindMark("written")
		note("mark of counts", counted, err)
		hours, err := tx.Hourly().List(store.HourlyQuery{Chart: "written", Programs: []int{programID}})
		note("counts by the hour", hours, err)
		lists, err := tx.Compromises().List(store.CompromiseQuery{Limit: 9})
		note("compromises", lists, err)
		listed, err := tx.Compromises().ListCards(of.compromise.ID, 0)
		note("compromised cards", listed, err)
		endpoints, err := tx.Webhooks().ListEndpoints()
		note("endpoints", endpoints, err)
		tries, err := tx.Deliveries().ListAttempts(parentWebhook, 0, 9)
		note("attempts to deliver", tries, err)
		signIns, _, err := tx.Sessions().ListSignIns("written", "", time.UnixMilli(0), 9)
		note("sign-ins", signIns, err)
		keys, err := tx.Audit().FindPersonKeys([]int{keptKey, writtenKey})
		note("keys of people", keys, err)
		answers, err := tx.Erasure().ListAnswers(programID, store.IdempotencyScope{}, 99)
		note("answers to callers", answers, err)
		toOperators, err := tx.Erasure().ListOperatorsAnswers(store.IdempotencyScope{}, 99)
		note("answers to operators", toOperators, err)
		installation, err := tx.Installation().Find()
		note("installation", installation, err)
		return nil
	})
	return values
}

// readOnlyLease holds that a Read and a View neither take a lease nor give it back.
func readOnlyLease(t *testing.T, s store.Store) {
	put := func(holder string) func(store.Tx) error {
		return func(tx store.Tx) error {
			return tx.Jobs().PutLease(
				store.Lease{Name: jobName, Holder: holder, Until: tx.Now().Add(time.Hour)})
		}
	}
	drop := func(tx store.Tx) error { return tx.Jobs().DeleteLease(jobName, "one") }
	for _, way := range []string{"Read", "View"} {
		wantError(t, way, ways[way](s, put("never")), store.ErrReadOnly)
	}
	update(t, s, put("one"))
	for _, way := range []string{"Read", "View"} {
		wantError(t, way, ways[way](s, drop), store.ErrReadOnly)
	}
	wantUpdate(t, s, "another holder", store.ErrExists, put("two"))
}

// emptiedEnd is the end of a hold in which nothing was left.
func emptiedEnd(id string) authorization.HoldEnd {
	end := hold(id, 77).EndedBy(authorization.Released, "", created)
	end.Emptied = true
	return end
}
