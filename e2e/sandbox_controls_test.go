package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// move sends a request to a control of a sandbox, which must succeed.
func move[A any](t *testing.T, world *ledger.World, method, path string, body any) A {
	t.Helper()
	client := controls.New(world.App.AdminURL())
	answer, err := controls.Do[A](t.Context(), client, method, path, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer
}

// TestSandboxControls changes a card and its people through the controls, and checks that callers
// and operators see the change immediately.
func TestSandboxControls(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	card := ledger.Verified(world)
	path := fmt.Sprintf("cards/%d", card)

	number := move[controls.Number](t, world, "GET", path+"/number", nil).Number
	operators := admin.New(world.App.AdminURL(), "sandbox-support")
	list := do[admin.List[admin.Card]](t, operators, admin.Request{
		Method: "POST", Path: "cards/search", Body: map[string]string{"number": number},
	})
	if len(list.Items) != 1 || list.Items[0].ID != card {
		t.Errorf("the number finds %+v, want card %d", list.Items, card)
	}

	held := move[controls.Authorized](t, world, "POST", path+"/authorizations",
		controls.Authorization{Amount: "25.50", Kind: "withdrawal"})
	if !held.Approved || held.AccountID != 2001 {
		t.Fatalf("%+v", held)
	}
	before := move[controls.Account](t, world, "PUT", "accounts/2001", struct{}{})
	move[controls.Posted](t, world, "POST", "holds/"+held.HoldID+"/post", nil)
	after := move[controls.Account](t, world, "PUT", "accounts/2001", struct{}{})
	if before.Held != "25.50" || after.Held != "0.00" ||
		before.AvailableBalance != after.AvailableBalance {
		t.Errorf("the account was %+v and is %+v", before, after)
	}

	move[controls.CardLock](t, world, "POST", path+"/lock", controls.Lock{Reason: "ADM"})
	unlock := ledger.Request{
		Path: "/card/unlock", Body: fmt.Sprintf(`{"customerId":1001,"cardId":%d}`, card),
	}
	wantCode(t, world.Send(unlock), 150502)
	declined := move[controls.Authorized](t, world, "POST", path+"/authorizations",
		controls.Authorization{Amount: "1"})
	same(t, "the reason", declined.Reason, "locked")
	move[controls.CardLock](t, world, "POST", path+"/unlock", nil)

	move[controls.Customer](t, world, "PUT", "customers/1001", map[string]bool{"isLocked": true})
	wantCode(t, world.Send(unlock), 60004)
	move[controls.Customer](t, world, "PUT", "customers/1001", map[string]bool{"isLocked": false})

	said := move[controls.Reported](t, world, "POST", path+"/reports",
		controls.Report{Kind: "compromised", Reason: "seen in a list"})
	same(t, "the result", said.Result, "applied")
	var shown struct{ LockReasonTypeCode string }
	reply := world.Send(ledger.Request{Path: fmt.Sprintf("/card/get/1001/%d", card)})
	if err := json.Unmarshal(reply.Data, &shown); err != nil || reply.HTTP != http.StatusOK {
		t.Fatalf("%s: %v", reply.Raw, err)
	}
	same(t, "the lock", shown.LockReasonTypeCode, "FRD")

	wantSameMoment(t, world, operators)

	acts := readAs[admin.List[admin.Entry]](t, operators, "cards/"+fmt.Sprint(card)+"/history")
	text, err := json.Marshal(acts)
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range []string{"lock card", "unlock card", "report compromised", "authorize"} {
		if !strings.Contains(string(text), `"`+act+`"`) {
			t.Errorf("the history of the card lacks %s: %s", act, text)
		}
	}
	if strings.Contains(string(text), number) {
		t.Error("the history of the card has its number")
	}
}

// wantSameMoment checks that a change of an account's name keeps the date of its balance.
func wantSameMoment(t *testing.T, world *ledger.World, operators *admin.Client) {
	t.Helper()
	changed := func() string {
		t.Helper()
		const body = `{"customerId":1001,"cardId":5001,"accountId":2002,"cardPriority":2}`
		reply := world.Send(ledger.Request{Path: "/card/addAccount", Body: body})
		_, from, _ := strings.Cut(string(reply.Data), `"accountId":2002,`)
		_, from, ok := strings.Cut(from, `"balanceLastModifiedDate":"`)
		removed := world.Send(ledger.Request{Path: "/card/removeAccount", Body: body})
		same(t, "status", removed.HTTP, http.StatusOK)
		moment, _, _ := strings.Cut(from, `"`)
		if !ok || moment == "" {
			t.Fatalf("account 2002 has no date of its balance: %s", reply.Raw)
		}
		return moment
	}
	before := changed()
	account := readAs[admin.Account](t, operators, "accounts/2002")
	do[admin.Account](t, operators, admin.Request{
		Method: "PATCH", Path: "accounts/2002", Revision: account.Revision,
		Body: map[string]string{"name": "Another"},
	})
	same(t, "the date of the balance after an operator's change", changed(), before)
	move[controls.Account](t, world, "PUT", "accounts/2002", map[string]string{"name": "One more"})
	same(t, "the date of the balance after a control", changed(), before)
}
