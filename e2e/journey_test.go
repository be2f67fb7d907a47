package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
)

// journey is a calling program with a sandbox of its own.
type journey struct {
	*testing.T
	world *ledger.World
	api   *client.Client
}

func newJourney(t *testing.T) journey {
	t.Helper()
	world := ledger.NewWorld(t, app.Settings{})
	return journey{t, world, connect(t, world.App.URL(), "example1")}
}

const (
	customer   = 1001
	unverified = "****************"
	verified   = "************1111"
)

var birthDate = time.Date(1985, time.March, 14, 0, 0, 0, 0, time.UTC)

// order orders a card for customer 1001.
func (j journey) order(name string) client.Card {
	j.Helper()
	card, err := j.api.CardInitiate(j.Context(), newCard(name))
	return j.done(card, err)
}

func newCard(name string) client.CardInitiateRequest {
	return client.CardInitiateRequest{
		CustomerID: customer, CardHolderCustomerID: customer, VendorTypeCode: "VS",
		PrimaryAccountID: 2001, FirstName: "Ada", MiddleName: "de", LastName: "Example",
		NickName: name, Tag: "tag of " + name,
	}
}

// usable orders a card and verifies it.
func (j journey) usable(name string) client.Card {
	j.Helper()
	card, err := j.api.CardVerify(j.Context(), client.CardVerifyRequest{
		CustomerID: customer, CardID: j.order(name).CardID, BirthDate: birthDate,
		CardNumberMasked: "1111",
	})
	return j.done(card, err)
}

// done returns the card of a call, which must succeed.
func (j journey) done(card client.Card, err error) client.Card {
	j.Helper()
	if err != nil {
		j.Fatal(err)
	}
	return card
}

// same compares two values.
func same[T comparable](t *testing.T, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// refused checks that a call fails with a code.
func refused(t *testing.T, err error, code int) {
	t.Helper()
	failure := new(client.Failure)
	if !errors.As(err, &failure) || !failure.Has(code) {
		t.Errorf("the error is %v, want %d", err, code)
	}
}

// TestJourneyOfACard follows interface §1.2: order, verify, use.
func TestJourneyOfACard(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	ordered := j.order("First")
	same(t, "status", ordered.Status, "Initiated")
	same(t, "masked number", ordered.CardNumberMasked, "1111")
	same(t, "date of the request", ordered.RequestedDate, time.Time{})
	same(t, "name on card", ordered.NameOnCard, "ADA DE EXAMPLE")
	same(t, "type", ordered.TypeCode, "DBT")
	same(t, "lock", ordered.LockTypeCode+"/"+ordered.LockReasonTypeCode, "UNL/UNK")
	same(t, "year", ordered.ExpireYear, ordered.CreatedDate.Year()+4)
	same(t, "month", ordered.ExpireMonth, int(ordered.CreatedDate.Month()))

	waiting := j.done(j.api.CardGet(t.Context(), customer, ordered.CardID))
	same(t, "status", waiting.Status, "PendingVerification")
	same(t, "masked number", waiting.CardNumberMasked, unverified)
	if waiting.RequestedDate.IsZero() {
		t.Error("the processor has taken the order, and there is no date of it")
	}

	usable := j.done(j.api.CardVerify(t.Context(), client.CardVerifyRequest{
		CustomerID: customer, CardID: ordered.CardID, BirthDate: birthDate,
		CardNumberMasked: "1111",
	}))
	same(t, "status", usable.Status, "Verified")
	same(t, "masked number", usable.CardNumberMasked, verified)
	if usable.VerifiedDate.Before(usable.CreatedDate) {
		t.Errorf("verified at %v, created at %v", usable.VerifiedDate, usable.CreatedDate)
	}

	locked := j.done(j.api.CardLock(t.Context(), client.CardLockRequest{
		CustomerID: customer, CardID: ordered.CardID, LockReasonTypeCode: "tmp",
	}))
	same(t, "lock", locked.LockTypeCode+"/"+locked.LockReasonTypeCode, "CST/TMP")
	// Both acts may happen in the same millisecond.
	if locked.LastModifiedDate.Before(usable.LastModifiedDate) {
		t.Errorf("locked at %v, verified at %v", locked.LastModifiedDate, usable.LastModifiedDate)
	}
	ref := client.CardRequest{CustomerID: customer, CardID: ordered.CardID}
	unlocked := j.done(j.api.CardUnlock(t.Context(), ref))
	same(t, "lock", unlocked.LockTypeCode+"/"+unlocked.LockReasonTypeCode, "UNL/UNK")
}

// TestJourneyOfAccounts follows the examples of interface §6.4.
func TestJourneyOfAccounts(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	card := j.usable("Accounts")
	request := func(account, priority int) client.CardAccountRequest {
		return client.CardAccountRequest{
			CustomerID: customer, CardID: card.CardID, AccountID: account,
			CardPriority: priority,
		}
	}
	added := j.done(j.api.CardAddAccount(t.Context(), request(2002, 2)))
	same(t, "accounts", len(added.Accounts), 2)
	if last := added.Accounts[1]; last.AccountID != 2002 || last.CustomerID != customer ||
		last.BalanceLastModifiedDate.IsZero() || last.LastModifiedDate.IsZero() {
		t.Errorf("the added account lacks what it should carry: %+v", last)
	}
	j.done(j.api.CardAddAccount(t.Context(), request(2003, 3)))

	for _, move := range []struct {
		name     string
		account  int
		priority int
		order    []int
	}{
		{"A, B, C: A to 3", 2001, 3, []int{2002, 2003, 2001}},
		{"B, C, A: A to 1", 2001, 1, []int{2001, 2002, 2003}},
		{"A, B, C: C to 1", 2003, 1, []int{2003, 2001, 2002}},
		{"C, A, B: C to 3", 2003, 3, []int{2001, 2002, 2003}},
		{"A, B, C: B to 3", 2002, 3, []int{2001, 2003, 2002}},
	} {
		moved := j.done(j.api.CardReprioritizeAccount(
			t.Context(), request(move.account, move.priority)))
		var order []int
		for i, account := range moved.Accounts {
			order = append(order, account.AccountID)
			same(t, move.name+": priority", account.Priority, i+1)
		}
		if !slices.Equal(order, move.order) {
			t.Errorf("%s: the order is %v, want %v", move.name, order, move.order)
		}
		same(t, move.name+": primary account", moved.PrimaryAccountID, move.order[0])
	}

	_, err := j.api.CardRemoveAccount(t.Context(), request(2001, 0))
	refused(t, err, 150702)
	left := j.done(j.api.CardRemoveAccount(t.Context(), request(2003, 0)))
	same(t, "accounts", len(left.Accounts), 2)
	same(t, "the gap: account", left.Accounts[1].AccountID, 2002)
	same(t, "the gap: priority", left.Accounts[1].Priority, 2)
}

// TestJourneyOfAReissue renews a card, then replaces it and finds the active one by its tag.
func TestJourneyOfAReissue(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	card := j.usable("Reissue")
	reissue := func(id int, reason string) client.Card {
		return j.done(j.api.CardReissue(t.Context(), client.CardReissueRequest{
			CustomerID: customer, CardID: id, ReissueReasonTypeCode: reason,
		}))
	}
	renewed := reissue(card.CardID, "DMG")
	same(t, "DMG: card", renewed.CardID, card.CardID)
	same(t, "DMG: status", renewed.Status, "Verified")
	same(t, "DMG: lock", renewed.LockTypeCode, "UNL")
	if renewed.ReissuedDate.IsZero() {
		t.Error("DMG: there is no date of the reissue")
	}

	replacement := reissue(card.CardID, "LST")
	if replacement.CardID == card.CardID {
		t.Error("LST: the replacement is the old card")
	}
	// The sandbox returns a usable replacement of a usable card (interface §6.5).
	same(t, "LST: status", replacement.Status, "Verified")
	same(t, "LST: name", replacement.NickName, "Reissue")
	same(t, "LST: primary account", replacement.PrimaryAccountID, 2001)

	old := j.done(j.api.CardGet(t.Context(), customer, card.CardID))
	same(t, "old card: status", old.Status, "Reissued")
	same(t, "old card: lock", old.LockTypeCode+"/"+old.LockReasonTypeCode, "CST/LST")
	same(t, "old card: tag", old.Tag, "")
	live := j.done(j.api.CardGetByTag(t.Context(), customer, "tag of Reissue"))
	same(t, "card of the tag", live.CardID, replacement.CardID)

	hotlisted := j.done(j.api.CardHotlist(t.Context(), client.CardLockRequest{
		CustomerID: customer, CardID: live.CardID, LockReasonTypeCode: "STL",
	}))
	same(t, "lock", hotlisted.LockTypeCode+"/"+hotlisted.LockReasonTypeCode, "CST/STL")
	ref := client.CardRequest{CustomerID: customer, CardID: live.CardID}
	_, err := j.api.CardUnlock(t.Context(), ref)
	refused(t, err, 150503)

	reply := j.world.Send(ledger.Request{Path: "/card/archive", Body: ledger.Act(live.CardID, "")})
	if reply.HTTP != 200 || strings.Contains(string(reply.Raw), `"data"`) {
		t.Errorf("archive answers %s, want 200 and no data", reply.Raw)
	}
	archived := j.done(j.api.CardGet(t.Context(), customer, live.CardID))
	same(t, "status", archived.Status, "Archived")
	refused(t, j.api.CardArchive(t.Context(), ref), 153102)
}

// TestJourneyOfADigitalCard creates a digital card, which is not shipped.
func TestJourneyOfADigitalCard(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	card := j.done(j.api.CardCreateDigital(t.Context(), newCard("Digital")))
	same(t, "status", card.Status, "Verified")
	same(t, "digital only", card.IsDigitalOnly, true)
	same(t, "masked number", card.CardNumberMasked, verified)
	read := j.done(j.api.CardGetByTag(t.Context(), customer, "tag of Digital"))
	same(t, "digital only", read.IsDigitalOnly, true)
	same(t, "card", read.CardID, card.CardID)
}

// TestJourneyOfAPin encrypts a PIN with the key in the data directory.
func TestJourneyOfAPin(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	text, err := os.ReadFile(filepath.Join(j.world.Dir, "pin-public.pem"))
	if err != nil {
		t.Fatal(err)
	}
	key, err := client.ParsePublicKey(text)
	if err != nil {
		t.Fatal(err)
	}
	card := j.usable("Pin")
	reset := func(pin string) (client.Card, error) {
		sealed, err := client.EncryptPin(key, pin)
		if err != nil {
			t.Fatal(err)
		}
		return j.api.CardResetPin(t.Context(), client.CardResetPinRequest{
			CustomerID: customer, CardID: card.CardID, NewPin: sealed,
		})
	}
	same(t, "card", j.done(reset("4711")).CardID, card.CardID)
	_, err = reset("0000")
	refused(t, err, 150903)
}
