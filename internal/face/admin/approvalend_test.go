package admin

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// TestWithdraw checks that only the operator who requested an act can withdraw it.
func TestWithdraw(t *testing.T) {
	w := newFourEyesWorld(t)
	path := w.requestApproval("tokens", newToken)
	for _, token := range []string{"other", "administrator"} {
		w.problem(w.end(token, path, "withdraw"), wire.NotAllowed)
	}
	w.problem(testRequest{token: "security", method: "POST", path: path + "/withdraw"}, wire.Invalid)
	dry := done[wire.Approval](w, w.end("security", path, "withdraw?dryRun=true"), 200)
	ended := done[wire.Approval](w, w.end("security", path, "withdraw"), 200)
	if dry.State != "withdrawn" || ended.State != "withdrawn" || ended.EndedBy != "security" ||
		ended.Decider == nil || ended.Decider.Kind != "token" || ended.Decider.ID != 3 {
		t.Errorf("got %+v, then %+v", dry, ended)
	}
	for _, how := range []string{"approve", "reject", "withdraw"} {
		token := map[bool]string{true: "security", false: "other"}[how == "withdraw"]
		w.problem(w.end(token, path, how), wire.Conflict)
	}
	if w.tokens() != 0 {
		t.Error("a withdrawn act was done")
	}
	w.wantStates(map[string]int{"withdrawn": 1, "waiting": 0, "done": 0, "": 1})
}

// wantStates checks the number of approvals in each state.
func (w *world) wantStates(want map[string]int) {
	w.t.Helper()
	for state, count := range want {
		path := "approvals"
		if state != "" {
			path += "?state=" + state
		}
		approvals := done[wire.List[wire.Approval]](w,
			testRequest{token: "auditor", method: "GET", path: path}, 200)
		if len(approvals.Items) != count {
			w.t.Errorf("%d approvals are %q, want %d", len(approvals.Items), state, count)
		}
	}
}

// TestResultIsTaken checks that only a POST takes the result, and only once. A GET or HEAD changes
// nothing, nor does a dry run, which shows no secret.
func TestResultIsTaken(t *testing.T) {
	w := newFourEyesWorld(t)
	path := w.requestApproval("tokens", newToken)
	done[wire.Approval](w, w.end("other", path, "approve"), 200)
	for _, method := range []string{http.MethodHead, http.MethodGet, http.MethodPut} {
		answer := w.ask(testRequest{token: "security", method: method, path: path + "/result"})
		if answer.Code != http.StatusMethodNotAllowed || answer.Header().Get("Allow") != "POST" {
			t.Errorf("%s: %d %v", method, answer.Code, answer.Header())
		}
	}
	take := testRequest{token: "security", method: "POST", path: path + "/result"}
	dry := take
	dry.path += "?dryRun=true"
	if tried := done[wire.Token](w, dry, 200); tried.Token != "" || tried.Name != "nightly" {
		t.Errorf("a dry run shows %+v", tried)
	}
	token := done[wire.Token](w, take, 201)
	if !strings.HasPrefix(token.Token, operator.TokenPrefix) {
		t.Errorf("got %+v", token)
	}
	w.problem(take, wire.NotFound)
}

// TestDamagedResult checks that a result that cannot be decrypted is not consumed.
func TestDamagedResult(t *testing.T) {
	w := newFourEyesWorld(t)
	path := w.requestApproval("tokens", newToken)
	done[wire.Approval](w, w.end("other", path, "approve"), 200)
	const turn = `UPDATE approvals SET result = CAST(X'00' || substr(result, 2) AS BLOB)`
	sealed := w.result(1)
	w.execSQL(turn)
	take := testRequest{token: "security", method: "POST", path: path + "/result"}
	w.problem(take, wire.Internal)
	for _, entry := range w.entries() {
		if strings.Contains(entry, "result read") {
			t.Errorf("the audit has %s", entry)
		}
	}
	w.execSQL(`UPDATE approvals SET result = $1`, sealed)
	if token := done[wire.Token](w, take, 201); token.Token == "" {
		t.Errorf("got %+v", token)
	}
}

func (w *world) result(id int) []byte {
	w.t.Helper()
	var a operator.Approval
	err := w.kept.View(w.t.Context(), func(r store.Tx) (err error) {
		a, err = r.Approvals().Find(id)
		return err
	})
	if err != nil || len(a.Result) == 0 {
		w.t.Fatalf("%v, %+v", err, a)
	}
	return a.Result
}

// TestApproversAtOnce has two operators approve the same act concurrently. Exactly one succeeds,
// and the row, the act and the audit name that operator.
func TestApproversAtOnce(t *testing.T) {
	w := newFourEyesWorld(t)
	w.twoApprove([]*world{w, w}, 20)
}

// twoApprove has two operators approve the same act concurrently, each on one of the nodes.
func (w *world) twoApprove(nodes []*world, rounds int) {
	w.t.Helper()
	for round := range rounds {
		name := w.uniqueName()
		path := w.requestApproval("tokens", strings.Replace(newToken, "nightly", name, 1))
		var group sync.WaitGroup
		codes := make([]int, len(nodes))
		names := []string{"other", "administrator"}
		for i, node := range nodes {
			group.Go(func() { codes[i] = node.ask(node.end(names[i], path, "approve")).Code })
		}
		group.Wait()
		winner := 0
		if codes[0] != http.StatusOK {
			winner = 1
		}
		if codes[winner] != http.StatusOK || codes[1-winner] != http.StatusConflict {
			w.t.Fatalf("round %d: %v", round, codes)
		}
		a := done[wire.Approval](w, testRequest{token: "security", method: "GET", path: path}, 200)
		if a.EndedBy != names[winner] || a.State != "done" {
			w.t.Fatalf("round %d: %s has approved, %+v", round, names[winner], a)
		}
		approves, acts := 0, ""
		err := w.kept.View(w.t.Context(), func(r store.Tx) error {
			entries, err := r.Trail().List(store.TrailQuery{Limit: 12})
			for _, e := range entries {
				switch {
				case e.Act == "approve" && e.Subject.ID == strconv.Itoa(a.ID):
					approves++
				case e.Act == "create token" && strings.Contains(e.After, `"`+name+`"`):
					acts += e.Reason
				}
			}
			return err
		})
		want := fmt.Sprintf("reports (confirmed by %s, approval %d)", names[winner], a.ID)
		if err != nil || approves != 1 || acts != want {
			w.t.Fatalf("round %d: %v, %d entries approve, the act has %q, want %q", round, err,
				approves, acts, want)
		}
	}
}

// TestTokensApproveBySetting checks that a token approves only if the settings allow it, and only
// if it belongs to a person.
func TestTokensApproveBySetting(t *testing.T) {
	w := newFourEyesWorld(t)
	on := false
	w.acts.TokensApprove = func() bool { return on }
	path := w.requestApproval("tokens", newToken)
	read := func() wire.Approval {
		return done[wire.Approval](w, testRequest{token: "other", method: "GET", path: path}, 200)
	}
	for _, how := range []string{"approve", "reject"} {
		w.problem(w.end("other", path, how), wire.NotAllowed)
	}
	if read().MayEnd {
		t.Error("it says that the token may")
	}
	on = true
	owner := w.known["other"].Owner
	for _, ownerless := range []operator.Owner{{}, {Kind: operator.OwnedByMachine}} {
		who := w.known["other"]
		who.Owner = ownerless
		w.known["other"] = who
		w.problem(w.end("other", path, "approve"), wire.NotAllowed)
	}
	who := w.known["other"]
	who.Owner = owner
	w.known["other"] = who
	on = false
	who.IsToken = false
	w.known["a person"] = who
	if a := done[wire.Approval](w, w.end("a person", path, "approve"), 200); a.State != "done" ||
		a.Decider.Kind != "operator" {
		t.Errorf("got %+v", a)
	}
}

// TestTokensWithoutOwner checks that a token without a known owner cannot request an act, that a
// token of the machine can, and that earlier requests of a token without an owner cannot be
// approved.
func TestTokensWithoutOwner(t *testing.T) {
	w := newFourEyesWorld(t)
	before := w.requestApproval("tokens", newToken)
	w.execSQL(`UPDATE approvals SET asked_by = json_remove(asked_by, '$.Owner')`)
	w.problem(w.end("other", before, "approve"), wire.NotAllowed)

	who := w.known["security"]
	who.Owner = operator.Owner{}
	w.known["security"] = who
	w.problem(testRequest{token: "security", method: "POST", path: "tokens", body: newToken},
		wire.NotAllowed)
	done[wire.Approval](w, w.end("security", before, "withdraw"), 200)
	who.Owner.Kind = operator.OwnedByMachine
	w.known["security"] = who
	path := w.requestApproval("tokens", newToken)
	if a := done[wire.Approval](w, w.end("other", path, "approve"), 200); a.State != "done" {
		t.Errorf("got %+v", a)
	}
}

// TestApprovalsAreFound checks that a page reads only the newest few of many approvals and returns
// a cursor for the next page. Waiting approvals and the operator's own are on the first page.
func TestApprovalsAreFound(t *testing.T) {
	w := newFourEyesWorld(t)
	rejected := w.requestApproval("tokens", newToken)
	done[wire.Approval](w, w.end("other", rejected, "reject"), 200)
	const many = 2500
	w.execSQL(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
		INSERT INTO approvals (state, act, method, path, body, if_match, roles, program_id, bank_id,
			subject, reason, asked_by, owner_kind, owner_id, asked_at, lapses_at, ended_by,
			ended_at, why, status)
		SELECT 'done', 'a', 'POST', 'tokens', '{}', 0, '["security"]', 0, 0, '', '', asked_by,
			'operator', 999, asked_at, lapses_at, 'other', asked_at, '', 201
		FROM approvals, n WHERE approval_id = 1`, many)
	waiting := w.requestApproval("tokens", newToken)
	for query, want := range map[string]string{
		"state=waiting": waiting, "mine=true": waiting + " " + rejected, "state=rejected": "...",
	} {
		pages, got := w.approvals("security", query)
		if query == "state=rejected" {
			if got != rejected || pages < 3 {
				t.Errorf("%s: %q on %d pages", query, got, pages)
			}
			continue
		}
		if got != want || pages != 1 {
			t.Errorf("%s: %q on %d pages, want %q", query, got, pages, want)
		}
	}
}

// approvals lists all pages of a filter and returns their number and the paths of the approvals.
func (w *world) approvals(token, query string) (pages int, paths string) {
	w.t.Helper()
	var names []string
	for cursor := ""; ; pages++ {
		page := done[wire.List[wire.Approval]](w, testRequest{
			token: token, method: "GET", path: "approvals?" + query + cursor,
		}, 200)
		for _, a := range page.Items {
			names = append(names, "approvals/"+strconv.Itoa(a.ID))
		}
		if page.Next == "" {
			return pages + 1, strings.Join(names, " ")
		}
		cursor = "&cursor=" + page.Next
	}
}
