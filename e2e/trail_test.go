package e2e

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestTrailHoldsActs checks the description of the table audit in docs/audit.md: each act that was
// allowed leaves a row, and an act on two cards one for each; reads leave none, and neither do
// refusals, except failed attempts at /card/verify. Reports of the simulated processor and
// background jobs are left out.
func TestTrailHoldsActs(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	rows := func() int {
		count, err := strconv.Atoi(query(t, world.Dir, "SELECT CAST(count(*) AS TEXT) FROM audit "+
			"WHERE actor_kind NOT IN ('processor', 'job')"))
		if err != nil {
			t.Fatal(err)
		}
		return count
	}
	send := func(what string, request ledger.Request, status, want int) {
		t.Helper()
		before := rows()
		reply := world.Send(request)
		same(t, what+": status", reply.HTTP, status)
		same(t, what+": rows", rows()-before, want)
	}
	for _, op := range describedOperations(t) {
		want := 0
		if op.method == http.MethodPost {
			want = 1
		}
		send(op.ID, op.example(t), http.StatusOK, want)
	}
	for _, op := range describedOperations(t) {
		if op.method != http.MethodPost {
			continue
		}
		refused := op.example(t)
		refused.Body = strings.Replace(refused.Body, `"customerId":1001`, `"customerId":1006`, 1)
		send(op.ID+" refused", refused, http.StatusBadRequest, 0)
	}

	lost := ledger.Verified(world)
	send("a replacement", ledger.Request{Path: "/card/reissue",
		Body: ledger.Act(lost, `"reissueReasonTypeCode":"LST"`)}, http.StatusOK, 2)
	wrong := ledger.Request{Path: "/card/verify", Body: ledger.Act(ledger.Pending(world),
		`"birthDate":"1985-03-14","cardNumberMasked":"2222"`)}
	for range 6 { // the last is rejected without a check
		send("a wrong answer", wrong, http.StatusBadRequest, 1)
	}
	once := ledger.Request{Path: "/card/lock", Body: ledger.Act(5001, `"lockReasonTypeCode":"TMP"`),
		Header: map[string]string{"Idempotency-Key": "once"}}
	send("an act", once, http.StatusOK, 1)
	send("the same act again", once, http.StatusOK, 0)
}
