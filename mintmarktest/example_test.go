package mintmarktest_test

import (
	"context"
	"errors"
	"fmt"

	"mintmark/client"
	"mintmark/mintmarktest"
)

// A test orders a card, and reads the events that subscribers of webhooks receive. The card id is
// the same in every run.
func ExampleStart() {
	t := newT() // in a test its own *testing.T
	defer t.end()

	sandbox := mintmarktest.Start(t)
	ordered, err := sandbox.Client("example1").CardInitiate(t.Context(), client.CardInitiateRequest{
		CustomerID: 1001, CardHolderCustomerID: 1001, VendorTypeCode: "VS",
		PrimaryAccountID: 2001, FirstName: "Ada", LastName: "Example", NickName: "Everyday",
	})
	if err != nil {
		t.Fatalf("order a card: %v", err)
	}
	fmt.Println(ordered.CardID, ordered.Status)
	for _, event := range sandbox.Events() {
		fmt.Println(event.Type, event.CardID, event.At.Format("2006-01-02 15:04"))
	}
	// Output:
	// 10001 Initiated
	// card.initiated 10001 2026-06-01 12:00
	// card.shipped 10001 2026-06-01 12:00
}

// The demo data contains a case for every refusal, such as card 5006, which was reported lost.
func ExampleSandbox_Client() {
	t := newT()
	defer t.end()

	sandbox := mintmarktest.Start(t)
	_, err := sandbox.Client("example1").CardUnlock(t.Context(), client.CardRequest{
		CustomerID: 1001, CardID: 5006,
	})
	var failure *client.Failure
	if errors.As(err, &failure) {
		fmt.Println(failure.HTTP, failure.Errors[0].Code)
	}
	// Output: 400 150503
}

// exampleT takes the place of a *testing.T in an example.
type exampleT struct {
	context context.Context
	cancel  context.CancelFunc
	cleanup []func()
}

func newT() *exampleT {
	t := &exampleT{}
	t.context, t.cancel = context.WithCancel(context.Background())
	return t
}

func (t *exampleT) Helper()                  {}
func (t *exampleT) Context() context.Context { return t.context }
func (t *exampleT) Cleanup(f func())         { t.cleanup = append(t.cleanup, f) }

func (t *exampleT) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }

func (t *exampleT) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (t *exampleT) end() {
	t.cancel()
	for _, f := range t.cleanup {
		f()
	}
}
