package e2e

import (
	"fmt"
	"net/http"
	"testing"

	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// TestAnswerIsWhatIsStored performs every act that returns a card and compares the answer with what
// the next request reads. It leaves out /card/initiate, which returns the card as ordered, and
// /card/addAccount, which names priorities in another way.
func TestAnswerIsWhatIsStored(t *testing.T) {
	t.Parallel()
	world := ledger.NewWorld(t, app.Settings{})
	card := ledger.Pending(world)
	for _, step := range []struct{ path, more string }{
		{"/card/verify", `"birthDate":"1985-03-14","cardNumberMasked":"1111"`},
		{"/card/lock", `"lockReasonTypeCode":"TMP"`},
		{"/card/lock", `"lockReasonTypeCode":"TMP"`}, // changes nothing
		{"/card/lock", `"lockReasonTypeCode":"DMG"`},
		{"/card/unlock", ""}, {"/card/unlock", ""},
		{"/card/addAccount", `"accountId":2002,"cardPriority":2`},
		{"/card/reprioritizeAccount", `"accountId":2002,"cardPriority":1`},
		{"/card/reprioritizeAccount", `"accountId":2002,"cardPriority":1`},
		{"/card/removeAccount", `"accountId":2001`},
		{"/card/resetpin", `"newPin":"MTIzNA=="`},
		{"/card/reissue", `"reissueReasonTypeCode":"DMG","qualifierCode":"B2"`},
		{"/card/hotlist", `"lockReasonTypeCode":"LST"`},
		{"/card/hotlist", `"lockReasonTypeCode":"STL"`},
		{"/card/lock", `"lockReasonTypeCode":"TMP"`},
		{"/card/reissue", `"reissueReasonTypeCode":"STL","newPin":"MTIzNA=="`},
	} {
		reply := world.Send(ledger.Request{Path: step.path, Body: ledger.Act(card, step.more)})
		if reply.HTTP != http.StatusOK {
			t.Fatalf("%s: %s", step.path, reply.Raw)
		}
		card = cardOf(t, reply).CardID
		if step.path != "/card/addAccount" {
			asStored(t, world, step.path+" "+step.more, reply)
		}
	}
	for _, body := range []string{
		ledger.NewCard(`"nickName":"Digital"`),
		ledger.NewCard(`"nickName":"Another","tag":"digital","primaryAccountId":2006`),
	} {
		reply := world.Send(ledger.Request{Path: "/card/createdigital", Body: body})
		asStored(t, world, "/card/createdigital", reply)
		reply = world.Send(ledger.Request{Path: "/card/reissue", Body: ledger.Act(
			cardOf(t, reply).CardID, `"reissueReasonTypeCode":"LST"`)})
		asStored(t, world, "/card/reissue of a digital card", reply)
	}
}

// asStored compares the card of an answer with the stored one.
func asStored(t *testing.T, world *ledger.World, act string, reply ledger.Reply) {
	t.Helper()
	stored := world.Send(ledger.Request{
		Path: fmt.Sprintf("/card/get/1001/%d", cardOf(t, reply).CardID)})
	if reply.Data == nil || string(reply.Data) != string(stored.Data) {
		t.Errorf("%s answers\n%s, and stored is\n%s", act, reply.Data, stored.Data)
	}
}
