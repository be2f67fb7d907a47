package admin

import (
	"net/http"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/operator"
)

// operatorNamed is who acts as the token of a test.
func (w *world) operatorNamed(name string) issuing.Operator {
	who := w.known[name]
	return issuing.Operator{
		Roles: who.Roles, Scope: who.Scope,
		Actor: audit.Actor{Kind: audit.Operator, Name: name, Reason: "r"},
	}
}

func (w *world) tokens() int {
	w.t.Helper()
	return len(done[wire.List[wire.Token]](w,
		asked{token: "security", method: "GET", path: "tokens"}, 200).Items)
}

// TestOnceOverACrash holds that a request whose process ended behind its act, before the answer was
// kept, is not done again.
func TestOnceOverACrash(t *testing.T) {
	w := newWorld(t)
	who := w.operatorNamed("security")
	request, earlier, err := w.acts.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
	if err != nil || earlier != nil {
		t.Fatalf("got %v, %v", earlier, err)
	}
	all := issuing.GrantsRequest{
		Roles: operator.Roles{operator.Security}, Scope: operator.Scope{All: true},
	}
	who.Request = request
	_, _, err = w.acts.CreateToken(t.Context(), who, "made", all, start.AddDate(1, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	request.End() // and nothing was finished
	_, _, err = w.acts.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
	if told := problemOf(err); told == nil || w.tokens() != 1 {
		t.Errorf("got %v, %d tokens", err, w.tokens())
	}

	// A second node that has not seen the first one's act does not do it again, either.
	request, _, err = w.acts.BeginOperator(t.Context(), who, "POST /x", "k2", []byte("asked"))
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := issuing.New(w.kept, w.keys, w.acts.Settings).BeginOperator(t.Context(), who,
		"POST /x", "k2", []byte("asked"))
	if err != nil {
		t.Fatal(err)
	}
	for i, sent := range []*issuing.OperatorRequest{request, other} {
		who.Request = sent
		_, _, err = w.acts.CreateToken(t.Context(), who, []string{"first", "second"}[i], all,
			start.AddDate(1, 0, 0))
		if (err == nil) != (i == 0) {
			t.Errorf("node %d: %v", i, err)
		}
	}
	if w.tokens() != 2 {
		t.Errorf("%d tokens", w.tokens())
	}
}

// TestApprovedOverACrash holds that an approval whose process ended behind the act, or before it,
// can be approved again, and that the act is done once.
func TestApprovedOverACrash(t *testing.T) {
	w := newFour(t)
	by, identity := w.operatorNamed("other"), w.known["other"]
	before := w.askFor("tokens", newToken)
	if _, err := w.acts.EndApproval(t.Context(), by, identity, 1, true); err != nil {
		t.Fatal(err)
	}
	w.problem(w.end("administrator", before, "reject"), wire.Conflict)
	again := done[wire.Approval](w, w.end("administrator", before, "approve"), 200)
	if again.ResultStatus != http.StatusCreated || w.tokens() != 1 {
		t.Errorf("got %+v, %d tokens", again, w.tokens())
	}

	behind := w.askFor("tokens/1/revoke", `{"reason":"lost"}`)
	if _, err := w.acts.EndApproval(t.Context(), by, identity, 2, true); err != nil {
		t.Fatal(err)
	}
	asker := w.operatorNamed("security")
	request, _, err := w.acts.BeginOperator(t.Context(), asker, "approvals", "approval:2",
		[]byte("approval:2"))
	if err != nil {
		t.Fatal(err)
	}
	asker.Request = request
	if _, err := w.acts.RevokeToken(t.Context(), asker, 1, 0); err != nil {
		t.Fatal(err)
	}
	request.End()
	lost := done[wire.Approval](w, w.end("administrator", behind, "approve"), 200)
	if lost.ResultStatus != http.StatusConflict || !lost.HasResult {
		t.Errorf("got %+v", lost)
	}
	w.problem(asked{token: "security", method: "GET", path: behind + "/result"}, wire.Conflict)
}

// TestOnceLeavesOthersAnswers holds that a node that was second keeps no answer over the first's.
func TestOnceLeavesOthersAnswers(t *testing.T) {
	w := newWorld(t)
	who := w.operatorNamed("security")
	begin := func(on *issuing.Service) *issuing.OperatorRequest {
		t.Helper()
		request, earlier, err := on.BeginOperator(t.Context(), who, "POST /x", "k", []byte("asked"))
		if err != nil || earlier != nil {
			t.Fatalf("got %v, %v", earlier, err)
		}
		return request
	}
	first, second := begin(w.acts), begin(issuing.New(w.kept, w.keys, w.acts.Settings))
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
