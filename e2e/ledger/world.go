package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"mintmark/e2e/contract"
	"mintmark/internal/app"
)

// World is a running sandbox and what a case needs to talk to it.
type World struct {
	T   *testing.T
	App *app.App
	Dir string // of its data

	made *atomic.Int64 // cards, for their names
}

// NewWorld starts a sandbox on a real database, ended with the test. One with the data directory of
// another is a second node on the same database.
func NewWorld(t *testing.T, settings app.Settings) *World {
	t.Helper()
	settings.Sandbox = true
	settings.Listen, settings.AdminListen = "127.0.0.1:0", "127.0.0.1:0"
	if settings.Data == "" {
		settings.Data = filepath.Join(t.TempDir(), "data")
	}
	settings.Database.URL = Database(t, settings.Data).URL
	if settings.Seed == nil {
		seed := uint64(1)
		settings.Seed = &seed
	}
	running, err := app.Start(t.Context(), settings)
	if err != nil {
		t.Fatalf("start the sandbox: %v", err)
	}
	t.Cleanup(func() {
		if err := running.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Logf("stop the sandbox: %v", err)
		}
	})
	return &World{T: t, App: running, Dir: settings.Data, made: new(atomic.Int64)}
}

// Under is the same world for another test.
func (w *World) Under(t *testing.T) *World {
	under := *w
	under.T = t
	return &under
}

// Reply is an answer, read as an envelope.
type Reply struct {
	HTTP   int
	Header http.Header
	Raw    []byte

	Data      json.RawMessage `json:"data"`
	Errors    []Error         `json:"errors"`
	RequestID string          `json:"requestId"`
	Status    int             `json:"status"`
}

// Error is an entry of the errors array.
type Error struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Request is what a caller sends, under a key of the demo data.
type Request struct {
	Key    string // example1 when empty; none for no credentials
	Method string
	Path   string
	Body   string
	Header map[string]string
}

// Anonymous as a key sends no credentials.
const Anonymous = "none"

// Send sends a request and reads the envelope of its answer, which has to be as openapi.yaml says.
func (w *World) Send(r Request) Reply {
	w.T.Helper()
	method := r.Method
	if method == "" {
		method = http.MethodGet
		if r.Body != "" {
			method = http.MethodPost
		}
	}
	request, err := http.NewRequestWithContext(w.T.Context(), method, w.App.URL()+r.Path,
		strings.NewReader(r.Body))
	if err != nil {
		w.T.Fatalf("make the request: %v", err)
	}
	key := r.Key
	if key == "" {
		key = "example1"
	}
	if key != Anonymous {
		request.SetBasicAuth(key, key)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	response, err := contract.Client(w.T).Do(request)
	if err != nil {
		w.T.Fatalf("%s %s: %v", method, r.Path, err)
	}
	defer response.Body.Close()
	raw, err := io.ReadAll(response.Body)
	if err != nil {
		w.T.Fatalf("read the answer: %v", err)
	}
	return ReadReply(w.T, response.StatusCode, response.Header, raw)
}

// ReadReply reads an envelope strictly: nothing but its four members, and on failure what
// openapi.yaml says of every failure.
func ReadReply(t *testing.T, status int, header http.Header, raw []byte) Reply {
	t.Helper()
	reply := Reply{HTTP: status, Header: header, Raw: raw}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&reply); err != nil {
		t.Fatalf("the answer is no envelope: %v: %q", err, raw)
	}
	if status != http.StatusOK {
		nowhere := contract.Answer{
			Target: &url.URL{Path: "/"}, Status: status, Header: header, Body: raw,
		}
		if err := nowhere.Check(); err != nil {
			t.Errorf("the failure is not as openapi.yaml says: %v\n%s", err, raw)
		}
	}
	return reply
}

// Do performs a case.
func (w *World) Do(c Case) (reply Reply, want string) {
	w.T.Helper()
	if c.Do != nil {
		return c.Do(w), c.Want
	}
	card := ""
	if c.Given != nil {
		card = strconv.Itoa(c.Given(w))
	}
	fill := func(text string) string { return strings.ReplaceAll(text, "$card", card) }
	reply = w.Send(Request{
		Key: c.Key, Method: c.Method, Path: fill(c.Path), Body: fill(c.Body), Header: c.Header,
	})
	return reply, fill(c.Want)
}

// must sends a request that has to succeed and returns the cardId of its answer.
func (w *World) must(path, body string) int {
	w.T.Helper()
	reply := w.Send(Request{Path: path, Body: body})
	if reply.HTTP != http.StatusOK {
		w.T.Fatalf("%s %s: %s", path, body, reply.Raw)
	}
	var card struct {
		CardID int `json:"cardId"`
	}
	if len(reply.Data) == 0 {
		return 0
	}
	if err := json.Unmarshal(reply.Data, &card); err != nil {
		w.T.Fatalf("%s: %v", path, err)
	}
	return card.CardID
}

// Pending makes a card of customer 1001 that waits to be verified.
func Pending(w *World) int {
	w.T.Helper()
	return w.must("/card/initiate", NewCard(fmt.Sprintf(
		`"nickName":"Ledger %d","tag":"ledger %[1]d"`, w.made.Add(1))))
}

// Verified makes a usable card.
func Verified(w *World) int {
	w.T.Helper()
	return w.perform("/card/verify", Pending(w),
		`"birthDate":"1985-03-14","cardNumberMasked":"1111"`)
}

// perform performs an act of customer 1001 on a card and returns the card of the answer.
func (w *World) perform(path string, card int, more string) int {
	w.T.Helper()
	return w.must(path, Act(card, more))
}

// Act is the body of an act of customer 1001 on a card.
func Act(card int, more string) string {
	if more != "" {
		more = "," + more
	}
	return fmt.Sprintf(`{"customerId":1001,"cardId":%d%s}`, card, more)
}

// NewCard is the body of an order by customer 1001. Members given later win.
func NewCard(more string) string {
	if more != "" {
		more = "," + more
	}
	return `{"customerId":1001,"cardHolderCustomerId":1001,"vendorTypeCode":"VS",` +
		`"typeCode":"DBT","primaryAccountId":2001,"firstName":"Ada","lastName":"Example",` +
		`"nickName":"Unused"` + more + `}`
}

// after returns a card on which an act was performed.
func after(given func(*World) int, path, more string) func(*World) int {
	return func(w *World) int {
		w.T.Helper()
		card := given(w)
		w.perform(path, card, more)
		return card
	}
}
