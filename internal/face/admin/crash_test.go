package admin

import (
	"errors"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/operators"
)

// operatorNamed returns the operator of a test token.
func (w *world) operatorNamed(name string) issuing.Operator {
	who := w.known[name]
	return operatorOf(who, audit.Actor{Reason: "r"})
}

func (w *world) tokens() int {
	w.t.Helper()
	return len(done[wire.List[wire.Token]](w,
		testRequest{token: "security", method: "GET", path: "tokens"}, 200).Items)
}

// TestOnceOverACrash checks that a request is not done again if the process ended after the act,
// before the response was stored.
func TestOnceOverACrash(t *testing.T) {
	w := newWorld(t)
	who := w.operatorNamed("security")
	request, earlier, err := w.acts.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
	if err != nil || earlier != nil {
		t.Fatalf("got %v, %v", earlier, err)
	}
	all := operators.GrantsRequest{
		Roles: operator.Roles{operator.Security}, Scope: operator.Scope{All: true},
	}
	who.Request = request
	_, _, err = w.acts.Operators.CreateToken(t.Context(), who, "made", all, start.AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	request.End() // nothing was finished
	_, _, err = w.acts.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
	if told := problemOf(err); told == nil || w.tokens() != 1 {
		t.Errorf("got %v, %d tokens", err, w.tokens())
	}

	// A second node that has not seen the first node's act does not repeat it either.
	request, _, err = w.acts.BeginOperator(t.Context(), who, "POST /x", "k2", []byte("asked"))
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := acts.New(w.kept, w.keys, w.acts.Settings).BeginOperator(t.Context(), who,
		"POST /x", "k2", []byte("asked"))
	if err != nil {
		t.Fatal(err)
	}
	for i, sent := range []*issuing.OperatorRequest{request, other} {
		who.Request = sent
		_, _, err = w.acts.Operators.CreateToken(t.Context(), who, []string{"first", "second"}[i], all,
			start.AddDate(1, 0, 0))
		if (err == nil) != (i == 0) {
			t.Errorf("node %d: %v", i, err)
		}
	}
	if w.tokens() != 2 {
		t.Errorf("%d tokens", w.tokens())
	}
}

// TestApprovedOverACrash checks that an approved act is done once if the process ended after the
// act, before its response was stored: the approval records that it was begun, even if everything
// else is lost.
func TestApprovedOverACrash(t *testing.T) {
	w := newFourEyesWorld(t)
	path := w.requestApproval("tokens", newToken)
	asker := w.operatorNamed("security")
	asker.Confirmed = &issuing.Confirmation{
		ID: 1, By: w.operatorNamed("other"), Identity: w.known["other"],
	}
	all := operators.GrantsRequest{
		Roles: operator.Roles{operator.Security}, Scope: operator.Scope{All: true},
	}
	_, _, err := w.acts.Operators.CreateToken(t.Context(), asker, "nightly", all, start.AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	w.execSQL(`DELETE FROM operator_answers`)
	asker.Confirmed = &issuing.Confirmation{
		ID: 1, By: w.operatorNamed("administrator"), Identity: w.known["administrator"],
	}
	_, _, err = w.acts.Operators.CreateToken(t.Context(), asker, "again", all, start.AddDate(1, 0, 0))
	if !errors.Is(err, operator.ErrApprovalEnded) {
		t.Errorf("the act is begun again: %v", err)
	}
	for _, token := range []string{"other", "administrator"} {
		w.problem(w.end(token, path, "approve"), wire.Conflict)
		w.problem(w.end(token, path, "reject"), wire.Conflict)
	}
	a := done[wire.Approval](w, testRequest{token: "other", method: "GET", path: path}, 200)
	if w.tokens() != 1 || a.State != "done" || a.MayEnd || a.HasResult || a.EndedBy != "other" {
		t.Errorf("%d tokens, %+v", w.tokens(), a)
	}
}

// TestApprovedBefore has approvals left by the previous version: approved but not begun, begun
// without a response, and done.
func TestApprovedBefore(t *testing.T) {
	w := newFourEyesWorld(t)
	lapsed, fresh := w.requestApproval("tokens", newToken), w.requestApproval("tokens", newToken)
	finished, begun := w.requestApproval("tokens", newToken), w.requestApproval("tokens", newToken)
	for id, approved := range map[int]struct {
		days, status int
		begun        any
	}{1: {40, 0, nil}, 2: {0, 0, nil}, 3: {0, 201, nil}, 4: {0, 0, start.UnixMilli()}} {
		w.execSQL(`UPDATE approvals SET state = 'approved', ended_by = 'other', ended_at = $1,
			status = $2, begun_at = $3 WHERE approval_id = $4`,
			start.AddDate(0, 0, -approved.days).UnixMilli(), approved.status, approved.begun, id)
	}
	for path, want := range map[string]string{
		lapsed: "lapsed", fresh: "approved", finished: "done", begun: "done",
	} {
		a := done[wire.Approval](w, testRequest{token: "other", method: "GET", path: path}, 200)
		if a.State != want || a.MayEnd != (want == "approved") {
			t.Errorf("want %s, got %+v", want, a)
		}
	}
	w.problem(w.end("other", lapsed, "approve"), wire.Conflict)
	w.problem(w.end("other", finished, "approve"), wire.Conflict)
	w.problem(w.end("other", begun, "approve"), wire.Conflict)
	a := done[wire.Approval](w, w.end("administrator", fresh, "approve"), 200)
	if w.tokens() != 1 || a.State != "done" || a.EndedBy != "administrator" {
		t.Errorf("%d tokens, %+v", w.tokens(), a)
	}
}

// TestOnceLeavesOthersAnswers checks that the node that finishes second does not overwrite the
// stored response of the first.
func TestOnceLeavesOthersAnswers(t *testing.T) {
	w := newWorld(t)
	who := w.operatorNamed("security")
	begin := func(on *acts.Service) *issuing.OperatorRequest {
		t.Helper()
		request, earlier, err := on.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
		if err != nil || earlier != nil {
			t.Fatalf("got %v, %v", earlier, err)
		}
		return request
	}
	first, second := begin(w.acts), begin(acts.New(w.kept, w.keys, w.acts.Settings))
	if err := first.Finish(t.Context(), issuing.Encoded{Status: 201}); err != nil {
		t.Fatal(err)
	}
	if err := second.Finish(t.Context(), issuing.Encoded{Status: 409}); err != nil {
		t.Fatal(err)
	}
	first.End()
	_, kept, err := w.acts.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
	if err != nil || kept == nil || kept.Status != 201 {
		t.Errorf("got %+v, %v", kept, err)
	}
}
