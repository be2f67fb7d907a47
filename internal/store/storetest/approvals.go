package storetest

import (
	"testing"
	"time"

	"mintmark/internal/domain/operator"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
)

var approvalTests = []test{
	{"ApprovalLists", approvalLists},
	{"OldApprovals", oldApprovals},
	{"Answers", answersOfOperators},
	{"Places", places},
}

func keptApproval(t *testing.T, s store.Store, a operator.Approval) operator.Approval {
	t.Helper()
	var stored operator.Approval
	update(t, s, func(tx store.Tx) error {
		stored = a
		return tx.Approvals().Put(&stored)
	})
	return stored
}

// approvalLists lists approvals by owner, page by page, and the waiting ones.
func approvalLists(t *testing.T, s store.Store) {
	ended := keptApproval(t, s, endedApproval("ended"))
	waiting := keptApproval(t, s, approval("waiting"))
	ada, bob := operator.Owner{Kind: operator.OwnedByPerson, ID: 3}, operator.Owner{}
	type list = []operator.Approval
	for _, row := range []struct {
		of   store.ApprovalQuery
		want list
	}{
		{store.ApprovalQuery{}, list{waiting, ended}},
		{store.ApprovalQuery{Below: waiting.ID + 1}, list{waiting, ended}},
		{store.ApprovalQuery{Below: waiting.ID}, list{ended}},
		{store.ApprovalQuery{Limit: 1}, list{waiting}},
		{store.ApprovalQuery{Owner: &ada}, list{waiting, ended}},
		{store.ApprovalQuery{Owner: &ada, Limit: 1}, list{waiting}},
		{store.ApprovalQuery{Owner: &ada, Below: waiting.ID}, list{ended}},
		{store.ApprovalQuery{Owner: &bob}, nil},
		{store.ApprovalQuery{WaitingAt: waiting.Lapses.Add(-time.Millisecond)}, list{waiting}},
		{store.ApprovalQuery{WaitingAt: waiting.Lapses}, nil},
		{store.ApprovalQuery{WaitingAt: created, Banks: []int{0, bankID}}, list{waiting}},
		{store.ApprovalQuery{WaitingAt: created, Banks: []int{0, bankID}, Below: waiting.ID}, nil},
		{store.ApprovalQuery{WaitingAt: waiting.Lapses, Banks: []int{bankID}}, nil},
		{store.ApprovalQuery{WaitingAt: created, Banks: []int{0}}, nil},
	} {
		if row.of.Limit == 0 {
			row.of.Limit = 9
		}
		wantFind(t, s, row.want, func(r store.Tx) (list, error) {
			return r.Approvals().List(row.of)
		})
	}
}

// oldApprovals deletes the results first, and then the approvals.
func oldApprovals(t *testing.T, s store.Store) {
	ended, refused := keptApproval(t, s, endedApproval("ended")), endedApproval("refused")
	refused.Status = operator.FirstRefusal
	refused = keptApproval(t, s, refused)
	keptApproval(t, s, approval("waiting"))
	for i, moment := range []time.Time{created, created.Add(time.Hour)} {
		wantCounts(t, s, []int{i}, func(tx store.Tx) (int, error) {
			return tx.Approvals().DeleteResultsBefore(moment, 9)
		})
	}
	ended.Result = nil
	wantFind(t, s, ended, func(r store.Tx) (operator.Approval, error) {
		return r.Approvals().Find(ended.ID)
	})
	wantFind(t, s, refused, func(r store.Tx) (operator.Approval, error) {
		return r.Approvals().Find(refused.ID)
	})
	wantCounts(t, s, []int{0}, func(tx store.Tx) (int, error) {
		return tx.Approvals().DeleteBefore(ended.Lapses, 1)
	})
	wantCounts(t, s, []int{1, 1, 1, 0}, func(tx store.Tx) (int, error) {
		return tx.Approvals().DeleteBefore(ended.Lapses.Add(time.Millisecond), 1)
	})
}

func operatorAnswer(key string, at time.Time) store.IdempotencyRecord {
	return store.IdempotencyRecord{
		IdempotencyScope: store.IdempotencyScope{APIKey: "ada", Route: "POST /x", Key: key},
		BodyDigest:       []byte{1}, HTTP: 201, Answer: []byte("{}"), At: at,
	}
}

func answersOfOperators(t *testing.T, s store.Store) {
	first, second := operatorAnswer("one", created), operatorAnswer("two", created.Add(time.Hour))
	find := func(a store.IdempotencyRecord) func(store.Tx) (store.IdempotencyRecord, error) {
		return func(r store.Tx) (store.IdempotencyRecord, error) {
			return r.OperatorAnswers().Find(a.IdempotencyScope)
		}
	}
	update(t, s,
		func(tx store.Tx) error { return tx.OperatorAnswers().Put(first) },
		func(tx store.Tx) error { return tx.OperatorAnswers().Put(second) },
	)
	first.HTTP, first.Answer = 409, []byte("no")
	update(t, s, func(tx store.Tx) error { return tx.OperatorAnswers().Change(first) })
	wantFind(t, s, first, find(first))
	wantUpdate(t, s, "a change of none", store.ErrLostUpdate, func(tx store.Tx) error {
		return tx.OperatorAnswers().Change(operatorAnswer("none", created))
	})
	wantCounts(t, s, []int{1}, func(tx store.Tx) (int, error) {
		return tx.OperatorAnswers().DeleteBefore(created.Add(time.Minute), 9)
	})
	wantNone(t, s, "a deleted answer", find(first))
	wantFind(t, s, second, find(second))
}

// places checks that Locations finds the program and bank of each kind of resource.
func places(t *testing.T, s store.Store) {
	background(t, s)
	w := keptWebhook(t, s, "placed")
	o := putOrders(t, s, "placed", order.Make)[0]
	view(t, s, func(r store.Tx) error {
		for kind, id := range map[store.LocationKind]int{
			store.LocationOfProgram: programID, store.LocationOfCustomer: creatorID,
			store.LocationOfAccount: 201, store.LocationOfCard: o.CardID,
			store.LocationOfOrder:   o.ID,
			store.LocationOfWebhook: w.ID, store.LocationOfBank: bankID,
		} {
			want := operator.Location{ProgramID: programID, BankID: bankID}
			if kind == store.LocationOfBank {
				want.ProgramID = 0
			}
			got, err := r.Locations().Find(kind, id)
			wantError(t, string(kind), err, nil)
			wantSame(t, got, want)
			_, err = r.Locations().Find(kind, 1<<30)
			wantError(t, string(kind)+" that is missing", err, store.ErrNotFound)
		}
		return nil
	})
}
