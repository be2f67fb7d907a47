package mintmarktest_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	"mintmark/client/sandbox"
	"mintmark/mintmarktest"
)

// card is a valid order for a card.
var card = client.CardInitiateRequest{
	CustomerID: 1001, CardHolderCustomerID: 1001, VendorTypeCode: "VS", PrimaryAccountID: 2001,
	FirstName: "Ada", LastName: "Example", NickName: "Everyday", Tag: "everyday",
}

// order orders a card under a name, and returns the whole response.
func order(s *mintmarktest.Sandbox, name string) (string, error) {
	body := `{"customerId":1001,"cardHolderCustomerId":1001,"vendorTypeCode":"VS",` +
		`"primaryAccountId":2001,"firstName":"Ada","lastName":"Example","nickName":"` + name + `"}`
	request, err := http.NewRequest(http.MethodPost, s.URL+"/card/initiate",
		strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.SetBasicAuth("example1", "example1")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	for _, name := range []string{"Date", "Mintmark-Environment", "X-Request-Id"} {
		text = append(text, "\n"+name+": "+response.Header.Get(name)...)
	}
	return string(text), err
}

// TestStart starts a sandbox with and without options, and checks its time and its numbers.
func TestStart(t *testing.T) {
	t.Parallel()
	var logged bytes.Buffer
	moment := time.Date(2027, time.March, 1, 0, 0, 0, 0, time.UTC)
	plain, again := mintmarktest.Start(t), mintmarktest.Start(t)
	other := mintmarktest.Start(t, mintmarktest.At(moment), mintmarktest.Seed(1<<40),
		mintmarktest.Log(slog.New(slog.NewTextHandler(&logged, nil))))
	if now := plain.Now(); !now.Equal(mintmarktest.Moment) {
		t.Errorf("it is %s", now)
	}
	if now := other.Now(); !now.Equal(moment) || logged.Len() == 0 {
		t.Errorf("it is %s; logged is %q", now, &logged)
	}
	var answers []string
	for _, s := range []*mintmarktest.Sandbox{plain, again, other} {
		answer, err := order(s, "Everyday")
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, answer)
	}
	const dated = "Date: Mon, 01 Jun 2026 12:00:00 GMT\nMintmark-Environment: sandbox"
	same := answers[0] == answers[1]
	if !same || answers[0] == answers[2] || !strings.Contains(answers[0], dated) {
		t.Errorf("three orders are answered with\n%s", strings.Join(answers, "\n\n"))
	}
	world, err := sandbox.Get[sandbox.Clock](t.Context(), other.Controls(), "clock")
	if err != nil || !world.Frozen {
		t.Errorf("the clock is %+v, %v", world, err)
	}
}

// TestEvents reads events immediately after they happen, in order, over several pages.
func TestEvents(t *testing.T) {
	t.Parallel()
	s := mintmarktest.Start(t)
	before := len(s.Events())
	newCard, err := s.Client("example1").CardInitiate(t.Context(), card)
	if err != nil {
		t.Fatal(err)
	}
	const times = 120 // more events than fit on a page
	for range times {
		_, err1 := s.Client("example1").CardLock(t.Context(), client.CardLockRequest{
			CustomerID: 1001, CardID: 5001, LockReasonTypeCode: "TMP",
		})
		_, err2 := s.Client("example1").CardUnlock(t.Context(), client.CardRequest{
			CustomerID: 1001, CardID: 5001,
		})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
	}
	events := s.Events()[before:]
	sorted := slices.IsSortedFunc(events, func(a, b admin.Event) int {
		return a.Sequence - b.Sequence
	})
	first := events[0]
	if len(events) < 2*times || !sorted || first.CardID != newCard.CardID ||
		first.Type != "card.initiated" || !first.At.Equal(mintmarktest.Moment) {
		t.Errorf("%d events, sorted %t, the first %+v", len(events), sorted, first)
	}
}

// TestHundred runs a hundred sandboxes concurrently. All of them respond the same.
func TestHundred(t *testing.T) {
	t.Parallel()
	const count = 100
	var sandboxes []*mintmarktest.Sandbox
	for range count {
		sandboxes = append(sandboxes, mintmarktest.Start(t))
	}
	answers := make([]string, count)
	var ordering sync.WaitGroup
	for i, s := range sandboxes {
		ordering.Go(func() {
			answer, err := order(s, "Everyday")
			answers[i] = fmt.Sprint(answer, err)
		})
	}
	ordering.Wait()
	for i, answer := range answers {
		if answer != answers[0] || !strings.Contains(answer, `"cardId"`) {
			t.Fatalf("sandbox %d answers\n%s\nand not\n%s", i, answer, answers[0])
		}
	}
}

// BenchmarkStart measures how long a test waits for its sandbox. The first one of a process takes
// longer: it creates the tables and writes the demo data, which the others copy.
func BenchmarkStart(b *testing.B) {
	for b.Loop() {
		mintmarktest.Start(b)
	}
}
