package storetest

import (
	"context"
	"testing"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

var gate = []test{
	{"Approvals", approvals},
	{"Answers", answersOfOperators},
	{"Places", places},
}

func approvals(t *testing.T, s store.Store) {
	first, second := approval("one"), approval("two")
	update(t, s, func(tx store.Tx) error {
		a, b := approval("one"), approval("two")
		err := firstOf([]error{tx.Approvals().Put(&a), tx.Approvals().Put(&b)})
		first, second = a, b
		return err
	})
	if first.ID == 0 || second.ID <= first.ID || first.Revision != 1 {
		t.Errorf("got the numbers %d and %d, revision %d", first.ID, second.ID, first.Revision)
	}
	list := func(q store.ApprovalQuery) []operator.Approval {
		return find(t, s, func(r store.Tx) ([]operator.Approval, error) {
			return r.Approvals().List(q)
		})
	}
	ada, bob := operator.Owner{Kind: operator.OwnedByPerson, ID: 3}, operator.Owner{}
	for _, below := range []int{0, second.ID + 1} {
		for _, owner := range []*operator.Owner{nil, &ada} {
			q := store.ApprovalQuery{Below: below, Limit: 9, Owner: owner}
			wantSame(t, list(q), []operator.Approval{second, first})
			q.Limit = 1
			wantSame(t, list(q), []operator.Approval{second})
			q.Below = second.ID
			wantSame(t, list(q), []operator.Approval{first})
		}
	}
	wantSame(t, len(list(store.ApprovalQuery{Limit: 9, Owner: &bob})), 0)

	ended := first
	ended.State, ended.Ended, ended.Why = operator.Done, made, "looked"
	ended.EndedBy = operator.Identity{Name: "bob", IsToken: true, ID: 8}
	ended.Begun, ended.Status, ended.Result = made, 201, []byte{0, 1}
	update(t, s, func(tx store.Tx) error {
		a := ended
		a.Revision = 1
		err := tx.Approvals().Put(&a)
		ended = a
		return err
	})
	wantSame(t, find(t, s, func(r store.Tx) (operator.Approval, error) {
		return r.Approvals().Find(first.ID)
	}), ended)
	for want, moment := range []time.Time{made, made.Add(time.Hour)} {
		update(t, s, func(tx store.Tx) error {
			deleted, err := tx.Approvals().DeleteResultsBefore(moment, 9)
			wantSame(t, deleted, want)
			return err
		})
	}
	ended.Result = nil
	wantSame(t, find(t, s, func(r store.Tx) (operator.Approval, error) {
		return r.Approvals().Find(first.ID)
	}), ended)
	late := s.Update(context.Background(), func(tx store.Tx) error {
		a := first
		return tx.Approvals().Put(&a)
	})
	wantError(t, "an older revision", late, store.ErrLostUpdate)
	waiting := func(at time.Time) []operator.Approval {
		return list(store.ApprovalQuery{WaitingAt: at, Limit: 9})
	}
	wantSame(t, waiting(second.Lapses.Add(-1*time.Millisecond)), []operator.Approval{second})
	wantSame(t, len(waiting(second.Lapses)), 0)
	view(t, s, func(r store.Tx) error {
		_, err := r.Approvals().Find(1 << 30)
		wantError(t, "an approval that is not there", err, store.ErrNotFound)
		return nil
	})
	for _, want := range []int{0, 1, 1, 0} {
		update(t, s, func(tx store.Tx) error {
			before := first.Lapses
			if want > 0 {
				before = before.Add(time.Millisecond)
			}
			deleted, err := tx.Approvals().DeleteBefore(before, 1)
			wantSame(t, deleted, want)
			return err
		})
	}
	wantSame(t, len(list(store.ApprovalQuery{Limit: 9})), 0)
}

func operatorAnswer(key string, at time.Time) store.IdempotencyRecord {
	return store.IdempotencyRecord{
		IdempotencyScope: store.IdempotencyScope{APIKey: "ada", Route: "POST /x", Key: key},
		BodyDigest:       []byte{1}, HTTP: 201, Answer: []byte("{}"), At: at,
	}
}

func answersOfOperators(t *testing.T, s store.Store) {
	first, second := operatorAnswer("one", made), operatorAnswer("two", made.Add(time.Hour))
	put := func(r store.IdempotencyRecord) error {
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Answers().Put(r)
		})
	}
	wantError(t, "the first", firstOf([]error{put(first), put(second)}), nil)
	wantError(t, "the same again", put(first), store.ErrExists)
	first.HTTP, first.Answer = 409, []byte("no")
	update(t, s, func(tx store.Tx) error { return tx.Answers().Change(first) })
	wantSame(t, find(t, s, func(r store.Tx) (store.IdempotencyRecord, error) {
		return r.Answers().Find(first.IdempotencyScope)
	}), first)
	wantError(t, "a change of none", s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Answers().Change(operatorAnswer("none", made))
	}), store.ErrLostUpdate)
	update(t, s, func(tx store.Tx) error {
		deleted, err := tx.Answers().DeleteBefore(made.Add(time.Minute), 9)
		wantSame(t, deleted, 1)
		return err
	})
	view(t, s, func(r store.Tx) error {
		_, err := r.Answers().Find(first.IdempotencyScope)
		wantError(t, "a deleted answer", err, store.ErrNotFound)
		_, err = r.Answers().Find(second.IdempotencyScope)
		return err
	})
}

func places(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("placed"))
	w := keptWebhook(t, s, "placed")
	orderID := 0
	update(t, s, func(tx store.Tx) error {
		if err := tx.Orders().Put(anOrder(c.ID, 1, "card.make")); err != nil {
			return err
		}
		found, err := tx.Orders().List(store.OrderQuery{CardID: c.ID, Limit: 1})
		if err == nil {
			orderID = found[0].ID
		}
		return err
	})
	inProgram := operator.Place{ProgramID: programID, BankID: bankID}
	view(t, s, func(r store.Tx) error {
		for kind, id := range map[store.PlaceKind]int{
			store.PlaceOfProgram: programID, store.PlaceOfCustomer: creatorID,
			store.PlaceOfAccount: 201, store.PlaceOfCard: c.ID, store.PlaceOfOrder: orderID,
			store.PlaceOfWebhook: w.ID, store.PlaceOfBank: bankID,
		} {
			want := inProgram
			if kind == store.PlaceOfBank {
				want.ProgramID = 0
			}
			got, err := r.Places().Find(kind, id)
			wantError(t, string(kind), err, nil)
			wantSame(t, got, want)
			_, err = r.Places().Find(kind, 1<<30)
			wantError(t, string(kind)+" that is not there", err, store.ErrNotFound)
		}
		return nil
	})
}
