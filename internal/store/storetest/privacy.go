package storetest

import (
	"errors"
	"testing"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/domain/subscription"
	"mintmark/internal/store"
)

var privacy = []test{
	{"PersonKeys", personKeys},
	{"Answers", tracesInAnswers},
	{"Approvals", tracesInApprovals},
	{"Snapshots", tracesInSnapshots},
	{"SearchTexts", tracesInSearchTexts},
	{"Attempts", tracesInAttempts},
	{"Erased", erasedNoted},
}

func personKeys(t *testing.T, s store.Store) {
	keys := func(cardIDs ...int) map[int][]byte {
		return find(t, s, func(r store.Tx) (map[int][]byte, error) {
			return r.Audit().FindPersonKeys(cardIDs)
		})
	}
	wantSame(t, keys(1, 2), map[int][]byte{})
	update(t, s,
		func(tx store.Tx) error { return tx.Audit().PutPersonKey(1, []byte{0, 1}) },
		func(tx store.Tx) error { return tx.Audit().PutPersonKey(2, []byte("two")) },
	)
	wantSame(t, keys(1, 2, 3), map[int][]byte{1: {0, 1}, 2: []byte("two")})
	wantUpdate(t, s, "a second key of a card", store.ErrExists, func(tx store.Tx) error {
		return tx.Audit().PutPersonKey(1, []byte("another"))
	})
	update(t, s,
		func(tx store.Tx) error { return tx.Audit().DeletePersonKey(1) },
		func(tx store.Tx) error { return tx.Audit().DeletePersonKey(9) },
	)
	wantSame(t, keys(1, 2), map[int][]byte{2: []byte("two")})
}

// answerTo returns a stored response to a caller.
func answerTo(key string) store.IdempotencyRecord {
	return store.IdempotencyRecord{
		IdempotencyScope: store.IdempotencyScope{APIKey: keyName, Route: "/a", Key: key},
		BodyDigest:       []byte{1}, HTTP: 200, Answer: []byte("to " + key), At: created,
	}
}

func tracesInAnswers(t *testing.T, s store.Store) {
	background(t, s)
	row, two := answerTo("one"), answerTo("two")
	toOperator := operatorAnswer("one", created)
	update(t, s,
		func(tx store.Tx) error { return tx.CallerAnswers().Put(two) },
		func(tx store.Tx) error { return tx.CallerAnswers().Put(row) },
		func(tx store.Tx) error { return tx.OperatorAnswers().Put(toOperator) },
	)
	list := func(programID int, behind store.IdempotencyScope, limit int) (texts []string) {
		view(t, s, func(r store.Tx) error {
			idempotencyRecords, err := r.Erasure().ListAnswers(programID, behind, limit)
			for _, each := range idempotencyRecords {
				texts = append(texts, each.Key+": "+string(each.Answer))
			}
			return err
		})
		return texts
	}
	wantSame(t, list(programID, store.IdempotencyScope{}, 9),
		[]string{"one: to one", "two: to two"})
	wantSame(t, list(programID, store.IdempotencyScope{}, 1), []string{"one: to one"})
	wantSame(t, list(programID, row.IdempotencyScope, 9), []string{"two: to two"})
	wantSame(t, list(programID, two.IdempotencyScope, 9), []string(nil))
	wantSame(t, list(otherProgram, store.IdempotencyScope{}, 9), []string(nil))
	update(t, s,
		func(tx store.Tx) error {
			return tx.Erasure().PutAnswer(row.IdempotencyScope, []byte("{}"))
		},
		func(tx store.Tx) error {
			return tx.Erasure().PutAnswer(answerTo("gone").IdempotencyScope, []byte("{}"))
		},
		func(tx store.Tx) error {
			return tx.Erasure().PutOperatorsAnswer(toOperator.IdempotencyScope, nil)
		},
	)
	row.Answer, toOperator.Answer = []byte("{}"), []byte{}
	view(t, s, func(r store.Tx) error {
		emptied, err := r.CallerAnswers().Find(row.IdempotencyScope)
		wantSame(t, emptied, row)
		_, gone := r.CallerAnswers().Find(answerTo("gone").IdempotencyScope)
		wantError(t, "an answer that was not there", gone, store.ErrNotFound)
		all, alsoErr := r.Erasure().ListOperatorsAnswers(store.IdempotencyScope{}, 9)
		if len(all) != 1 || len(all[0].Answer) != 0 || all[0].HTTP != toOperator.HTTP ||
			all[0].IdempotencyScope != toOperator.IdempotencyScope {
			t.Errorf("got answers to operators %+v", all)
		}
		return errors.Join(err, alsoErr)
	})
}

func tracesInApprovals(t *testing.T, s store.Store) {
	about := keptApproval(t, s, approval("about"))
	other := keptApproval(t, s, approval("other"))
	update(t, s, func(tx store.Tx) error { return tx.Erasure().EmptyApproval(about.ID, "erased") })
	about.Body, about.Reason = []byte{}, "erased"
	type list = []operator.Approval
	wantFind(t, s, list{other, about}, func(r store.Tx) (list, error) {
		return r.Approvals().List(store.ApprovalQuery{Limit: 9})
	})
}

func tracesInSnapshots(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("sent"))
	early := created.Add(-2 * time.Hour)
	put := func(sequence int, kind order.Kind, state order.State, ended, dropped time.Time) {
		o := anOrder(c.ID, sequence, kind)
		o.State, o.Created, o.Ended = state, created.Add(-3*time.Hour), ended
		o.Dropped = dropped
		o.Snapshot = order.Snapshot{
			NameOnCard: "ADA", LastFour: "1111", ShipTo: &order.Recipient{FirstName: "Ada"},
		}
		update(t, s, func(tx store.Tx) error { return tx.Orders().Put(o) })
	}
	put(1, order.Make, order.Done, early, time.Time{})
	put(2, order.Remake, order.Done, early, time.Time{})
	put(3, order.Remake, order.Failed, early, early)
	put(4, order.Make, order.Done, created, time.Time{})
	put(5, order.Make, order.Waiting, time.Time{}, time.Time{})
	put(6, order.Make, order.Failed, early, time.Time{}) // it may be sent again
	wantCounts(t, s, []int{1, 1, 1, 0}, func(tx store.Tx) (int, error) {
		return tx.Erasure().RedactOrders(created, 1)
	})
	view(t, s, func(r store.Tx) error {
		all, err := r.Orders().List(store.OrderQuery{CardID: c.ID, Limit: 9})
		for _, o := range all {
			emptied := o.Snapshot.NameOnCard == "" && o.Snapshot.ShipTo == nil
			if emptied != (o.Sequence < 4) || o.Snapshot.LastFour != "1111" {
				t.Errorf("order %d: got snapshot %+v", o.Sequence, o.Snapshot)
			}
		}
		wantSame(t, len(all), 6)
		return err
	})
}

// packed puts a card and packs it into a block. Its ID is below those that a store assigns.
func packed(tx store.Tx) error {
	c := plain("Packed")
	c.ID = 500
	if err := tx.Cards().Put(&c); err != nil {
		return err
	}
	text := summary(c.ID, "Packed").SearchText()
	return tx.CardSearch().PutBlock(store.CardBlock{
		First: 499, Last: 500, Cards: 2,
		Text: []byte("\n2222\t499\t\tbefore\t" + "\n" + text),
	})
}

func summary(cardID int, nickName string) store.CardSummary {
	return store.CardSummary{ID: cardID, LastFour: "1111", NickName: nickName}
}

func tracesInSearchTexts(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, packed)
	wantSame(t, listed(t, s, store.CardQuery{Text: "packe"}), []int{500})
	update(t, s, func(tx store.Tx) error {
		return tx.Erasure().PutSearchText(summary(500, "Other"))
	})
	wantSame(t, listed(t, s, store.CardQuery{Text: "packe"}), []int(nil))
	update(t, s, func(tx store.Tx) error {
		before, err := tx.Cards().Find(programID, 500)
		if err != nil {
			return err
		}
		after := before
		after.NickName = "Other"
		return tx.Cards().Change(before, &after)
	})
	wantSame(t, listed(t, s, store.CardQuery{Text: "other"}), []int{500})
}

// tracesInAttempts empties receivers' responses a few at a time, also of a deleted webhook, and
// continues where it ended.
func tracesInAttempts(t *testing.T, s store.Store) {
	background(t, s)
	foreign := webhook("foreign")
	foreign.ProgramID = otherProgram
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Put(&foreign, 0) })
	hook, deleted := keptWebhook(t, s, "kept"), keptWebhook(t, s, "deleted")
	attempt := func(webhookID int) {
		update(t, s, func(tx store.Tx) error {
			return tx.Deliveries().PutAttempt(subscription.Attempt{
				WebhookID: webhookID, Sequence: 1, At: created, Status: 500, Answer: "Ada",
			})
		})
	}
	for _, id := range []int{hook.ID, foreign.ID, deleted.ID, hook.ID, deleted.ID, hook.ID} {
		attempt(id)
	}
	update(t, s, func(tx store.Tx) error { return tx.Webhooks().Delete(deleted) })
	empty := func(tx store.Tx) (int, error) { return tx.Erasure().EmptyAttempts(programID, 2) }
	answers := func(webhookID int) (texts []string) {
		view(t, s, func(r store.Tx) error {
			attempts, err := r.Deliveries().ListAttempts(webhookID, 0, 9)
			for _, a := range attempts {
				texts = append(texts, a.Answer)
			}
			return err
		})
		return texts
	}
	wantCounts(t, s, []int{2}, empty)
	wantSame(t, answers(hook.ID), []string{"Ada", "", ""})
	wantCounts(t, s, []int{2, 1, 0}, empty)
	wantSame(t, answers(hook.ID), []string{"", "", ""})
	wantSame(t, answers(deleted.ID), []string{"", ""})
	attempt(hook.ID)
	wantCounts(t, s, []int{1, 0}, empty)
	wantSame(t, answers(hook.ID), []string{"", "", "", ""})
	wantSame(t, answers(foreign.ID), []string{"Ada"})
}

// erasedNoted records customers of whom copies remain. Recording one again changes nothing.
func erasedNoted(t *testing.T, s store.Store) {
	background(t, s)
	put := func(id int) {
		update(t, s, func(tx store.Tx) error { return tx.Erasure().PutErased(id) })
	}
	wantErased := func(want ...store.Erased) {
		t.Helper()
		wantFind(t, s, want, func(r store.Tx) ([]store.Erased, error) {
			return r.Erasure().ListErased()
		})
	}
	put(foreignID)
	put(creatorID)
	foreign := store.Erased{ProgramID: otherProgram, CustomerID: foreignID}
	half := store.Erased{ProgramID: programID, CustomerID: creatorID}
	wantErased(half, foreign)
	half.Behind, half.ToOperators = answerTo("seen").IdempotencyScope, true
	update(t, s, func(tx store.Tx) error { return tx.Erasure().ChangeErased(half) })
	put(creatorID)
	wantErased(half, foreign)
	update(t, s,
		func(tx store.Tx) error { return tx.Erasure().DeleteErased(foreignID) },
		func(tx store.Tx) error { return tx.Erasure().ChangeErased(foreign) },
	)
	wantErased(half)
}
