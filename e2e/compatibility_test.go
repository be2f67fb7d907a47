package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// priorities returns the names and values of the priorities in each account of a card, in order.
func priorities(t *testing.T, card json.RawMessage) string {
	t.Helper()
	var shown struct {
		Accounts []map[string]any `json:"accounts"`
	}
	if err := json.Unmarshal(card, &shown); err != nil {
		t.Fatalf("%v: %s", err, card)
	}
	var all []string
	for _, account := range shown.Accounts {
		for _, name := range slices.Sorted(maps.Keys(account)) {
			if name == "priority" || name == "cardPriority" {
				all = append(all, fmt.Sprint(name, " ", account[name]))
			}
		}
	}
	return strings.Join(all, ", ")
}

// TestEarlierClients sends the same requests alternately with a key that has the compatibility
// switch and with one that has not: a cached answer for one must not reach the other.
func TestEarlierClients(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	card := ledger.Verified(world)
	added := world.Send(ledger.Request{
		Key: "legacy", Path: "/card/addAccount",
		Body: ledger.Act(card, `"accountId":2006,"cardPriority":1`),
	})
	const both = "cardPriority 1, priority 1, cardPriority 1, priority 1"
	if got := priorities(t, added.Data); got != both {
		t.Errorf("/card/addAccount answers %s", got)
	}
	for range 3 {
		for key, want := range inOrder(map[string]string{
			"legacy": both, "example1": "priority 1, priority 1",
		}) {
			request := ledger.Request{Key: key, Path: fmt.Sprintf("/card/get/1001/%d", card)}
			if got := priorities(t, world.Send(request).Data); got != want {
				t.Errorf("%s reads %s, want %s", key, got, want)
			}
			request.Path = "/card/list/1001?status=Verified"
			var listed []json.RawMessage
			if err := json.Unmarshal(world.Send(request).Data, &listed); err != nil {
				t.Fatal(err)
			}
			if got := priorities(t, listed[len(listed)-1]); got != want {
				t.Errorf("%s lists %s, want %s", key, got, want)
			}
		}
	}
	locked := world.Send(ledger.Request{
		Key: "legacy", Path: "/card/lock", Body: ledger.Act(card, `"lockReasonTypeCode":"TMP"`),
	})
	if got := priorities(t, locked.Data); got != both {
		t.Errorf("/card/lock answers %s", got)
	}
	added = world.Send(ledger.Request{
		Path: "/card/addAccount",
		Body: ledger.Act(ledger.Verified(world), `"accountId":2006,"cardPriority":1`),
	})
	if got := priorities(t, added.Data); got != "cardPriority 1, cardPriority 1" {
		t.Errorf("without the switch /card/addAccount answers %s", got)
	}
}

// TestHolderLeftOut orders cards without a holder. With the switch the creator holds them.
func TestHolderLeftOut(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for i, holder := range []string{"null", "0", `""`} {
		for _, path := range []string{"/card/initiate", "/card/createdigital"} {
			body := ledger.NewCard(fmt.Sprintf(
				`"cardHolderCustomerId":%s,"nickName":"Left out %d %s"`, holder, i, path))
			refused := world.Send(ledger.Request{Path: path, Body: body})
			if len(refused.Errors) != 1 || refused.Errors[0].Code != 150205 {
				t.Errorf("%s with %s: %s, want 150205", path, holder, refused.Raw)
			}
			reply := world.Send(ledger.Request{Key: "legacy", Path: path, Body: body})
			if !strings.Contains(string(reply.Data), `"cardHolderCustomerId":1001,`) {
				t.Errorf("%s with %s: %s", path, holder, reply.Raw)
			}
		}
	}
	named := world.Send(ledger.Request{
		Key: "legacy", Path: "/card/initiate",
		Body: ledger.NewCard(`"cardHolderCustomerId":1002,"nickName":"Named"`),
	})
	if !strings.Contains(string(named.Data), `"cardHolderCustomerId":1002,`) {
		t.Errorf("a holder that is named: %s", named.Raw)
	}
	unknown := world.Send(ledger.Request{
		Key: "legacy", Path: "/card/initiate",
		Body: ledger.NewCard(`"cardHolderCustomerId":9001,"nickName":"Foreign"`),
	})
	if len(unknown.Errors) != 1 || unknown.Errors[0].Code != 150205 {
		t.Errorf("a holder of another program: %s, want 150205", unknown.Raw)
	}
}

// TestReissueByTheHolder requests a reissue as the holder of a card. With the switch it succeeds.
func TestReissueByTheHolder(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	request := ledger.Request{Path: "/card/reissue", Body: fmt.Sprintf(
		`{"customerId":1002,"cardId":%d,"reissueReasonTypeCode":"LST"}`,
		ledger.HeldByAnother(world))}
	refused := world.Send(request)
	if len(refused.Errors) != 1 || refused.Errors[0].Code != 153002 {
		t.Errorf("%s, want 153002", refused.Raw)
	}
	request.Key = "legacy"
	if reply := world.Send(request); reply.HTTP != http.StatusOK {
		t.Errorf("with the switch: %s", reply.Raw)
	}
}

// TestSpellingOfAReissue replaces a card that is on its way. With the switch the answer has the
// spelling of the status that the interface documents for this operation only.
func TestSpellingOfAReissue(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	const usual = "ReissuePendingVerification"
	for key, want := range map[string]string{
		"example1": usual, "legacy": "ReissuedPendingVerification",
	} {
		s := cardOf(t, world.Send(ledger.Request{Key: key, Path: "/card/reissue",
			Body: ledger.Act(ledger.Pending(world), `"reissueReasonTypeCode":"LST"`)}))
		if s.Status != want {
			t.Errorf("/card/reissue answers %s to %s, want %s", s.Status, key, want)
		}
		read := cardOf(t, world.Send(ledger.Request{Key: key,
			Path: fmt.Sprintf("/card/get/1001/%d", s.CardID)}))
		if read.Status != usual {
			t.Errorf("/card/get answers %s to %s, want %s", read.Status, key, usual)
		}
	}
}

// TestBirthDateOfTheCreator verifies a card whose creator and holder have different birth dates.
// The creator's is the right one.
func TestBirthDateOfTheCreator(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	card := ledger.HeldByAnother(world)
	for _, step := range []struct {
		birth string
		want  int
	}{{"1990-07-01", http.StatusBadRequest}, {"1985-03-14", http.StatusOK}} {
		reply := world.Send(ledger.Request{Path: "/card/verify", Body: fmt.Sprintf(
			`{"customerId":1002,"cardId":%d,"birthDate":%q,"cardNumberMasked":"1111"}`,
			card, step.birth)})
		if reply.HTTP != step.want {
			t.Errorf("with %s: %s", step.birth, reply.Raw)
		}
	}
}

// TestDeadNumberIsReplaced reports a hotlisted card as damaged: its number is dead, so another card
// replaces it and takes over its tag, and the old card stays locked.
func TestDeadNumberIsReplaced(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	for _, step := range []struct {
		route, lock string
		another     bool
	}{
		{"/card/hotlist", "STL", true}, {"/card/lock", "FRD", true}, {"/card/lock", "TMP", false},
	} {
		card := ledger.Verified(world)
		send := func(path, more string) shown {
			reply := world.Send(ledger.Request{Path: path, Body: ledger.Act(card, more)})
			return cardOf(t, reply)
		}
		before := send(step.route, `"lockReasonTypeCode":"`+step.lock+`"`)
		after := send("/card/reissue", `"reissueReasonTypeCode":"DMG"`)
		old := cardOf(t, world.Send(ledger.Request{
			Path: fmt.Sprintf("/card/get/1001/%d", card)}))
		if (after.CardID != card) != step.another || after.Tag != before.Tag {
			t.Errorf("%s: card %d became %d, tag %q became %q", step.lock, card, after.CardID,
				before.Tag, after.Tag)
		}
		if old.LockReasonTypeCode != step.lock || (old.Status == "Reissued") != step.another {
			t.Errorf("%s: the old card is %+v", step.lock, old)
		}
	}
}
