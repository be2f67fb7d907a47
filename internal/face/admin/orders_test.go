package admin

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	wire "mintmark/client/admin"
)

// TestStopLocks checks that, in a program that demands four eyes, holding or dropping the order of
// a lock or a hotlist takes two operators, and that of any other order takes one.
func TestStopLocks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"ADM",`), http.StatusOK)
	done[wire.CardDetail](w, onCard("unlock", ""), http.StatusOK)
	done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"FRD",`), http.StatusOK)
	w.requireFourEyes()
	for _, order := range done[wire.List[wire.Order]](w, testRequest{
		token: "support", method: "GET", path: "orders?cardId=5001",
	}, http.StatusOK).Items {
		stop := func(act string) testRequest {
			return testRequest{
				token: "configurator", method: "POST", path: "orders/" + order.ID + "/" + act,
				body: `{"reason":"the branch asks"}`,
			}
		}
		state := func() string {
			return done[wire.Order](w, testRequest{
				token: "support", method: "GET", path: "orders/" + order.ID,
			}, http.StatusOK).State
		}
		for _, row := range [][2]string{{"hold", "held"}, {"drop", "failed"}} {
			act, after := row[0], row[1]
			before := state()
			if !order.Urgent {
				done[wire.Order](w, stop(act), http.StatusOK)
			} else {
				asks := w.problem(stop(act), wire.NeedsApproval)
				if now := state(); now != before {
					t.Errorf("%s: %s by one operator alone: %s", order.Kind, act, now)
				}
				path := fmt.Sprintf("approvals/%d", asks.ApprovalID)
				done[wire.Approval](w, w.end("other", path, "approve"), http.StatusOK)
			}
			if now := state(); now != after {
				t.Errorf("%s: %s makes it %s", order.Kind, act, now)
			}
			if act == "hold" {
				done[wire.Order](w, stop("release"), http.StatusOK)
			}
		}
	}
}

// TestOldestOrder checks that the overview shows the age of the oldest waiting order, and ignores
// held ones.
func TestOldestOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	oldest := func() *time.Time {
		return done[wire.Overview](w, testRequest{
			token: "support", method: "GET", path: "overview",
		}, http.StatusOK).Oldest
	}
	done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"ADM",`), http.StatusOK)
	if oldest() == nil {
		t.Error("an order waits, and has no age")
	}
	for _, order := range done[wire.List[wire.Order]](w, testRequest{
		token: "support", method: "GET", path: "orders?state=waiting",
	}, http.StatusOK).Items {
		done[wire.Order](w, testRequest{
			token: "configurator", method: "POST", path: "orders/" + order.ID + "/hold",
			body: `{"reason":"the branch asks"}`,
		}, http.StatusOK)
	}
	if at := oldest(); at != nil {
		t.Errorf("no order waits, and the oldest does so since %s", at)
	}
}

// TestRefusedActOnOrder checks that the audit entry of a refused act names its order.
func TestRefusedActOnOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	done[wire.CardDetail](w, onCard("lock", `"lockReasonTypeCode":"ADM",`), http.StatusOK)
	id := done[wire.List[wire.Order]](w, testRequest{
		token: "support", method: "GET", path: "orders?state=waiting",
	}, http.StatusOK).Items[0].ID
	w.problem(testRequest{
		token: "configurator", method: "POST", path: "orders/" + id + "/release",
		body: `{"reason":"the branch asks"}`,
	}, wire.Conflict)
	entries := done[wire.List[wire.Entry]](w, testRequest{
		token: "auditor", method: "GET", path: "audit?subject=order:" + id,
	}, http.StatusOK).Items
	if len(entries) != 1 || entries[0].Outcome != "refused: conflict" {
		t.Errorf("the entries of the order are %+v", entries)
	}
}
