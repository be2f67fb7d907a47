package admin

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
)

const newToken = `{"name":"nightly","roles":["security"],"allBanks":true,"reason":"reports"}`

// newFourEyesWorld returns a world in which acts outside any program need a second operator.
func newFourEyesWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.two = true
	return w
}

// requestApproval has the operator security request an act, and returns the path of its approval.
func (w *world) requestApproval(path, body string) string {
	w.t.Helper()
	told := w.problem(testRequest{
		token: "security", method: "POST", path: path, body: body,
	}, wire.NeedsApproval)
	if told.ApprovalID == 0 || told.Status != http.StatusAccepted {
		w.t.Fatalf("got %+v", told)
	}
	return fmt.Sprintf("approvals/%d", told.ApprovalID)
}

func (w *world) end(token, path, how string) testRequest {
	return testRequest{token: token, method: "POST", path: path + "/" + how, body: `{"reason":"looked"}`}
}

// TestFourEyes follows an act from the request, through the approval by another operator, to its
// result.
func TestFourEyes(t *testing.T) {
	w := newFourEyesWorld(t)
	before := w.dumpTables()
	dry := done[wire.DryRun](w, testRequest{
		token: "security", method: "POST", path: "tokens?dryRun=true", body: newToken,
	}, http.StatusOK)
	if len(dry.Changes) == 0 || w.dumpTables() != before {
		t.Errorf("a dry run has no changes, or keeps some: %+v", dry)
	}
	path := w.requestApproval("tokens", newToken)
	if tokens := done[wire.List[wire.Token]](w,
		testRequest{token: "security", method: "GET", path: "tokens"}, 200); len(tokens.Items) != 0 {
		t.Fatalf("made without a second operator: %+v", tokens)
	}
	read := func(token string) wire.Approval {
		t.Helper()
		return done[wire.Approval](w, testRequest{token: token, method: "GET", path: path}, 200)
	}
	own, others := read("security"), read("other")
	if !own.Mine || own.MayEnd || others.Mine || !others.MayEnd || own.State != "waiting" ||
		own.Act != "Create a token" || own.AskedBy != "security" || own.Reason != "reports" ||
		!own.Lapses.Equal(own.Asked.Add(24*time.Hour)) {
		t.Errorf("the asker reads %+v, another one %+v", own, others)
	}
	w.problem(w.end("security", path, "approve"), wire.NotAllowed)
	w.problem(w.end("auditor", path, "approve"), wire.NotAllowed)
	w.problem(w.end("support", path, "approve"), wire.NotFound)
	w.problem(w.end("elsewhere", path, "approve"), wire.NotFound)
	w.problem(testRequest{token: "other", method: "POST", path: path + "/approve"}, wire.Invalid)
	result := testRequest{token: "security", method: "POST", path: path + "/result"}
	if told := w.problem(result, wire.NotFound); !strings.Contains(told.Detail, "no result yet") {
		t.Errorf("before the approval: %s", told.Detail)
	}

	approved := done[wire.Approval](w, w.end("other", path, "approve"), 200)
	if approved.State != "done" || approved.EndedBy != "other" || approved.Why != "looked" ||
		approved.ResultStatus != 201 || !approved.HasResult || approved.Ended == nil {
		t.Errorf("got %+v", approved)
	}
	w.problem(w.end("other", path, "approve"), wire.Conflict)
	w.problem(testRequest{token: "other", method: "POST", path: path + "/result"}, wire.NotFound)
	asker := w.known["security"]
	w.add("security", asker.ID, operator.Scope{Banks: []int{4}}, operator.Security)
	w.problem(result, wire.NotFound)
	w.problem(testRequest{token: "security", method: "GET", path: path}, wire.NotFound)
	w.add("security", asker.ID, asker.Scope, operator.Support)
	w.problem(result, wire.NotFound)
	w.known["security"] = asker
	token := done[wire.Token](w, result, 201)
	if !strings.HasPrefix(token.Token, operator.TokenPrefix) || token.Name != "nightly" {
		t.Errorf("got %+v", token)
	}
	if told := w.problem(result, wire.NotFound); !strings.Contains(told.Detail, "read once") {
		t.Errorf("the second time: %s", told.Detail)
	}

	want := []string{
		"security: ask for approval, waits for approval, reports",
		"security: POST /admin/v1/approvals/{id}/approve, refused: not-allowed, looked",
		"auditor: POST /admin/v1/approvals/{id}/approve, refused: not-allowed, looked",
		"support: POST /admin/v1/approvals/{id}/approve, refused: not-found, looked",
		"elsewhere: POST /admin/v1/approvals/{id}/approve, refused: not-found, looked",
		"other: POST /admin/v1/approvals/{id}/approve, refused: invalid, ",
		"security: POST /admin/v1/approvals/{id}/result, refused: not-found, ",
		"other: approve, approved, looked",
		"security: create token, created, reports (confirmed by other, approval 1)",
		"other: POST /admin/v1/approvals/{id}/approve, refused: conflict, looked",
		"other: POST /admin/v1/approvals/{id}/result, refused: not-found, ",
		"security: POST /admin/v1/approvals/{id}/result, refused: not-found, ",
		"security: GET /admin/v1/approvals/{id}, refused: not-found, ",
		"security: POST /admin/v1/approvals/{id}/result, refused: not-found, ",
		"security: read the result, result read, ",
		"security: POST /admin/v1/approvals/{id}/result, refused: not-found, ",
	}
	if diff := cmp.Diff(want, w.entries()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Contains(w.dumpTables(), token.Token) {
		t.Error("the token stands in the database")
	}
}

// TestApprovalsEnd checks that an act whose approval was rejected or has lapsed is never done.
func TestApprovalsEnd(t *testing.T) {
	w := newFourEyesWorld(t)
	rejected, lapsed := w.requestApproval("tokens", newToken), w.requestApproval("tokens", newToken)
	if got := done[wire.Approval](w, w.end("other", rejected, "reject"), 200); got.State !=
		"rejected" || got.HasResult {
		t.Errorf("got %+v", got)
	}
	w.problem(w.end("administrator", rejected, "approve"), wire.Conflict)
	result := testRequest{token: "security", method: "POST", path: rejected + "/result"}
	if told := w.problem(result, wire.NotFound); !strings.Contains(told.Detail, "(rejected)") {
		t.Errorf("of one that was rejected: %s", told.Detail)
	}
	w.clock.Advance(24 * time.Hour)
	w.problem(w.end("other", lapsed, "approve"), wire.Conflict)
	w.problem(w.end("other", lapsed, "reject"), wire.Conflict)
	for state, want := range map[string]int{"lapsed": 1, "rejected": 1, "waiting": 0, "": 2} {
		path := "approvals"
		if state != "" {
			path += "?state=" + state
		}
		approvals := done[wire.List[wire.Approval]](w,
			testRequest{token: "auditor", method: "GET", path: path}, 200)
		if len(approvals.Items) != want {
			t.Errorf("%d approvals are %q, want %d", len(approvals.Items), state, want)
		}
	}
	for _, nobody := range []string{"support", "elsewhere"} {
		approvals := done[wire.List[wire.Approval]](w,
			testRequest{token: nobody, method: "GET", path: "approvals"}, 200)
		if len(approvals.Items) != 0 {
			t.Errorf("%s sees %+v", nobody, approvals.Items)
		}
	}
	w.two = false
	if tokens := done[wire.List[wire.Token]](w,
		testRequest{token: "security", method: "GET", path: "tokens"}, 200); len(tokens.Items) != 0 {
		t.Errorf("made all the same: %+v", tokens)
	}
}

// TestApprovedTooLate checks that an approved act that can no longer be done reports why it was
// refused, and that requesting an impossible act creates no approval.
func TestApprovedTooLate(t *testing.T) {
	w := newFourEyesWorld(t)
	w.two = false
	done[wire.Token](w, testRequest{
		token: "security", method: "POST", path: "tokens", body: newToken,
	}, 201)
	w.two = true
	const because = `{"reason":"lost"}`
	first, second := w.requestApproval("tokens/1/revoke", because), w.requestApproval("tokens/1/revoke", because)
	told := w.problem(testRequest{
		"security", "POST", "tokens/1/revoke", because, ifMatch("1"),
	}, wire.NeedsApproval)
	for path, want := range map[string]int{first: 0, fmt.Sprintf("approvals/%d", told.ApprovalID): 1} {
		got := done[wire.Approval](w, testRequest{token: "other", method: "GET", path: path}, 200)
		if got.IfMatch != want {
			t.Errorf("%s: the request demands revision %d, want %d", path, got.IfMatch, want)
		}
	}
	w.problem(testRequest{
		token: "security", method: "POST", path: "tokens/2/revoke", body: because,
	}, wire.NotFound)
	done[wire.Approval](w, w.end("other", first, "approve"), 200)
	late := done[wire.Approval](w, w.end("other", second, "approve"), 200)
	if late.ResultStatus != http.StatusConflict {
		t.Errorf("got %+v", late)
	}
	for range 2 { // both operators can still read the reason
		told := w.problem(testRequest{token: "security", method: "POST", path: second + "/result"}, wire.Conflict)
		for _, who := range []string{"security", "other"} {
			a := read[wire.Approval](w, who, second)
			if a.Refusal != told.Detail || told.Detail == "" || late.Refusal != told.Detail {
				t.Errorf("%s reads %q, the answer said %q", who, a.Refusal, told.Detail)
			}
		}
	}
	w.problem(testRequest{
		token: "security", method: "POST", path: "tokens/1/revoke", body: because,
	}, wire.Conflict) // without an approval
}

// TestRequesterHasEnded checks that an approved act is not done if its requester is no longer
// allowed to do it.
func TestRequesterHasEnded(t *testing.T) {
	w := newFourEyesWorld(t)
	ended, demoted := w.requestApproval("tokens", newToken), w.requestApproval("tokens", newToken)
	who := w.known["security"]
	delete(w.known, "security")
	if got := done[wire.Approval](w, w.end("other", ended, "approve"), 200); got.ResultStatus !=
		http.StatusForbidden {
		t.Errorf("got %+v", got)
	}
	who.Roles = operator.Roles{operator.Support}
	w.known["security"] = who
	if got := done[wire.Approval](w, w.end("other", demoted, "approve"), 200); got.ResultStatus !=
		http.StatusForbidden {
		t.Errorf("got %+v", got)
	}
	if tokens := done[wire.List[wire.Token]](w,
		testRequest{token: "other", method: "GET", path: "tokens"}, 200); len(tokens.Items) != 0 {
		t.Errorf("made all the same: %+v", tokens)
	}
}

// TestApprovedOnce has operators approve and reject the same act concurrently. The act is done once
// or not at all, and approvers who arrive while it is being done are told that it is approved.
func TestApprovedOnce(t *testing.T) {
	w := newFourEyesWorld(t)
	created := 0
	for range 10 {
		path := w.requestApproval("tokens", strings.Replace(newToken, "nightly", w.uniqueName(), 1))
		var group sync.WaitGroup
		ways, codes := []string{"approve", "approve", "reject"}, make([]int, 6)
		for i := range codes {
			token := []string{"other", "administrator"}[i%2]
			group.Go(func() { codes[i] = w.ask(w.end(token, path, ways[i%3])).Code })
		}
		group.Wait()
		ended := map[string]int{}
		for i, code := range codes {
			if code == http.StatusOK {
				ended[ways[i%3]]++
			}
		}
		if ended["reject"] > 1 || (ended["reject"] == 1) == (ended["approve"] > 0) {
			t.Fatalf("%v have ended the approval", ended)
		}
		if ended["approve"] > 0 {
			created++
		}
		kept := done[wire.List[wire.Token]](w,
			testRequest{token: "other", method: "GET", path: "tokens?limit=200"}, 200)
		if len(kept.Items) != created {
			t.Fatalf("%d tokens were made of %d approved", len(kept.Items), created)
		}
	}
}

// uniqueName returns a name that is unique within the test.
func (w *world) uniqueName() string {
	w.named++
	return fmt.Sprintf("name %d", w.named)
}
