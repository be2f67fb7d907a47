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

	"mintmark/client/sandbox"
	"mintmark/e2e/contract"
	"mintmark/internal/app"
	data "mintmark/internal/cli/ledger"
)

// World is a running sandbox with everything that a case needs to use it.
type World struct {
	T   *testing.T
	App *app.App
	Dir string // of its data

	made *atomic.Int64 // number of cards, for their names
	last *atomic.Pointer[string]
}

// NewWorld starts a sandbox on a real database, which ends with the test. A sandbox with the data
// directory of another one is a second node on the same database.
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
	if settings.Log == nil {
		settings.Log = shownOnFailure(t)
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
	world := World{App: running, Dir: settings.Data, made: new(atomic.Int64)}
	return world.Under(t)
}

// Under returns the same world for another test, which logs its last request if it fails.
func (w *World) Under(t *testing.T) *World {
	under := *w
	under.T, under.last = t, new(atomic.Pointer[string])
	t.Cleanup(func() {
		if last := under.last.Load(); t.Failed() && last != nil {
			t.Logf("the last request: %s", *last)
		}
	})
	return &under
}

// Reply is an answer, decoded as an envelope.
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

// Request is a request of a caller with a key of the demo data.
type Request struct {
	Key    string // example1 if empty; Anonymous for no credentials
	Method string
	Path   string
	Body   string
	Header map[string]string

	// Ruled reports that a fault rule answers, perhaps with a code that the operation never
	// returns.
	Ruled bool
}

// Anonymous is the key that sends no credentials.
const Anonymous = data.Anonymous

// Send sends a request and decodes the envelope of its answer, which must match openapi.yaml.
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
		key = data.DefaultKey
	}
	if key != Anonymous {
		request.SetBasicAuth(key, key)
	}
	for name, value := range r.Header {
		request.Header.Set(name, value)
	}
	sent := fmt.Sprintf("%s %s %.1000s", method, r.Path, r.Body)
	w.last.Store(&sent)
	client := contract.Client(w.T)
	if r.Ruled {
		client = http.DefaultClient
	}
	response, err := client.Do(request)
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

// ReadReply decodes an envelope strictly: it must have only its four members and, on failure, match
// the description of every failure in openapi.yaml.
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
	to := &sender{w, Reply{}}
	_, want, err := c.Run(w.T.Context(), to, w.unique())
	if err != nil {
		w.T.Fatal(err)
	}
	return to.last, want
}

// unique returns a text that is unique among the runs of cases in this world.
func (w *World) unique() string { return strconv.FormatInt(w.made.Add(1), 10) }

// Pending creates a card of customer 1001 that waits to be verified.
func Pending(w *World) int { return w.madeBy(data.Pending) }

// Verified creates a usable card.
func Verified(w *World) int { return w.madeBy(data.Verified) }

// HeldByAnother creates a card of customer 1001 whose holder is customer 1002, who may not manage
// accounts.
func HeldByAnother(w *World) int { return w.madeBy(data.HeldByAnother) }

// madeBy creates a card by the given steps.
func (w *World) madeBy(given []data.Step) int {
	w.T.Helper()
	id, err := data.Prepare(w.T.Context(), given, &sender{w, Reply{}}, w.unique())
	if err != nil {
		w.T.Fatal(err)
	}
	card, err := strconv.Atoi(id)
	if err != nil {
		w.T.Fatal(err)
	}
	return card
}

// Act returns the body of an act of customer 1001 on a card.
func Act(card int, more string) string { return data.Act(card, more) }

// NewCard returns the body of an order by customer 1001, with members added or replaced by more.
func NewCard(more string) string { return data.NewCard(more) }

// sender sends cases to a world.
type sender struct {
	w    *World
	last Reply
}

// Send sends a request.
func (s *sender) Send(_ context.Context, r data.Request) (data.Answer, error) {
	s.w.T.Helper()
	if r.HTTP10 {
		s.last = s.w.raw(r.Method + " " + r.Path + " HTTP/1.0\r\n\r\n")
	} else {
		s.last = s.w.Send(Request{
			Key: r.Key, Method: r.Method, Path: r.Path, Body: r.Body, Header: r.Header,
		})
	}
	return data.Answer{Status: s.last.HTTP, Body: s.last.Raw}, nil
}

// Report sends a report as the card processor.
func (s *sender) Report(_ context.Context, card, kind string) error {
	id := "ledger " + s.w.unique()
	number, err := strconv.Atoi(card)
	if err != nil {
		return err
	}
	status, text := SendReports(s.w.T, s.w.App.AdminURL(), Report(id, number, kind))
	want := fmt.Sprintf(`{"results":[{"reportId":%q,"result":"applied"}]}`+"\n", id)
	if status != http.StatusOK || text != want {
		return fmt.Errorf("%s is answered %d %s", kind, status, text)
	}
	return nil
}

// Fail creates a fault rule for one request.
func (s *sender) Fail(ctx context.Context, path, key string, code int) error {
	face := sandbox.New(s.w.App.AdminURL())
	_, err := sandbox.Do[sandbox.Fault](ctx, face, http.MethodPost, "faults",
		sandbox.Fault{Route: path, Key: key, Code: code, Times: 1})
	return err
}
