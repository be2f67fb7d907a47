// Package testrun is shared by the tests of several packages: how thorough a run is, waiting for
// events instead of sleeping, and a request without a body. It is for tests only.
package testrun

import (
	"flag"
	"io"
	"net/http"
	"os"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Full reports whether tests are exhaustive, as in `make check`. In `make test` they check only
// what changes break most often, in minutes.
func Full() bool { return os.Getenv("MINTMARK_TEST_FULL") != "" }

// Main runs the tests of a package. It checks each property of rapid the given number of times,
// unless the run is full or -rapid.checks sets the number.
func Main(m *testing.M, checks int) {
	if !Full() {
		if err := flag.Set("rapid.checks", strconv.Itoa(checks)); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// Pass lets time pass in a synctest bubble until everything is blocked. It panics outside a bubble,
// where a test must wait for events instead.
func Pass(d time.Duration) {
	time.Sleep(d) //nolint:forbidigo // The time of the bubble.
	synctest.Wait()
}

// Patience is how long a test waits for something to happen before it fails, on a busy machine.
const Patience = 2 * time.Minute

// Within polls until a condition holds that no event announces, such as the state of another
// process. A test that fails logs the results of details.
func Within(t testing.TB, what string, holds func() bool, details ...func() any) {
	t.Helper()
	//nolint:forbidigo // The one poll; the callers say what it waits for.
	for end := time.Now().Add(Patience); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			for _, value := range details {
				t.Logf("there is %v", value())
			}
			t.Fatalf("after %v it does not hold: %s", Patience, what)
		}
	}
}

// Events notifies a test of what happens in other goroutines. The zero value is ready.
type Events struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next event
}

// Happened wakes all waiting goroutines.
func (e *Events) Happened() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next != nil {
		close(e.next)
		e.next = nil
	}
}

// Next returns a channel that the next event closes.
func (e *Events) Next() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.next == nil {
		e.next = make(chan struct{})
	}
	return e.next
}

// Until waits until a condition holds. It checks the condition now and after each event.
func (e *Events) Until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(Patience)
	for {
		next := e.Next() // before the check, so that no event is lost
		if holds() {
			return
		}
		select {
		case <-next:
		case <-deadline:
			t.Fatalf("after %v it does not hold: %s", Patience, what)
		}
	}
}

// Fetch sends a request without a body.
func Fetch(t *testing.T, method, url string) (status int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}
