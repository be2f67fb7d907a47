package e2e

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/app"
	"mintmark/internal/base/clock"
)

// twin is one of two sandboxes with the same seed and time, with its request generators.
type twin struct {
	running   *app.App
	callers   *generator
	operators *operatorGenerator
	*tape
}

func newTwin(t *testing.T, seed int) *twin {
	t.Helper()
	fixed := uint64(1)
	running, err := app.Start(t.Context(), app.Settings{
		Sandbox: true, Listen: "127.0.0.1:0", AdminListen: "127.0.0.1:0", Seed: &fixed,
		Clock: clock.FrozenAt(time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)),
	})
	if err != nil {
		t.Fatal(err)
	}
	w := &twin{running: running, tape: newTape()}
	t.Cleanup(func() {
		w.transport.CloseIdleConnections()
		if err := running.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	w.callers = &generator{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
	w.operators = &operatorGenerator{generator: generator{
		Rand: rand.New(rand.NewPCG(uint64(seed), 2)),
	}}
	return w
}

// tape sends requests and records every byte received on its connections.
type tape struct {
	transport *http.Transport

	mu       sync.Mutex
	recorded bytes.Buffer
}

func newTape() *tape {
	t := &tape{}
	t.transport = &http.Transport{
		MaxIdleConnsPerHost: 4, DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			return taped{conn, t}, err
		},
	}
	return t
}

type taped struct {
	net.Conn
	tape *tape
}

func (c taped) Read(p []byte) (int, error) {
	length, err := c.Conn.Read(p)
	c.tape.mu.Lock()
	defer c.tape.mu.Unlock()
	c.tape.recorded.Write(p[:length])
	return length, err
}

// exchange sends a request and returns every byte of the answer.
func (t *tape) exchange(request *http.Request) (status int, answer string) {
	response, err := t.transport.RoundTrip(request)
	if err != nil {
		answer = err.Error()
	} else {
		status = response.StatusCode
		_, _ = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	answer += t.recorded.String()
	t.recorded.Reset()
	return status, answer
}

// keysOfTwins lists the callers' keys, the first one more often than the others.
var keysOfTwins = []string{
	"example1", "example1", "example1", "example1", "example1", "example1", "example1", "example1",
	"example2", "example2", "legacy", "legacy", "limited", "expired", "other1", "nobins", "nobody",
}

// caller generates the next request of a calling program.
func (w *twin) caller(t *testing.T, operations []described) *http.Request {
	t.Helper()
	g := w.callers
	r := g.request(operations[g.IntN(len(operations))])
	request, err := http.NewRequestWithContext(t.Context(), r.Method,
		w.running.URL()+r.Path, strings.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	key := pick(g, keysOfTwins...)
	request.SetBasicAuth(key, key)
	if g.IntN(10) == 0 {
		request.Header.Set("Idempotency-Key", fmt.Sprint("key ", g.IntN(50)))
	}
	return request
}

// control generates the next request to the controls.
func (w *twin) control(t *testing.T) *http.Request {
	t.Helper()
	g := w.callers
	action := pick(g,
		"GET clock ", "GET world ", "GET faults ", "GET cards/5001/number ",
		`PUT clock {"advance":"36h"}`, `PUT clock {"advance":"7m"}`, `PUT clock {"advance":"P1D"}`,
		`POST cards/5001/lock {"lockReasonTypeCode":"ADM"}`, `POST cards/5001/unlock {}`,
		`POST cards/5001/authorizations {"amount":12.50}`,
		`POST cards/5001/reports {"kind":"shipped"}`,
		`PUT processor {"mode":"instant"}`, `PUT processor {"mode":"manual"}`,
		`POST faults {"route":"/card/get","code":50503,"times":2,"probability":0.5}`,
		`DELETE faults `, `PUT snapshots/one `, `POST snapshots/one/restore `,
	)
	parts := strings.SplitN(action, " ", 3)
	request, err := http.NewRequestWithContext(t.Context(), parts[0],
		w.running.AdminURL()+controls.Prefix+parts[1], strings.NewReader(parts[2]))
	if err != nil {
		t.Fatal(err)
	}
	return request
}

// TestTwins sends the same generated requests of callers, operators and testers to two sandboxes
// with one seed and a frozen clock. Their answers must be equal in every byte, headers included.
// Webhooks are left out, because the outcome of deliveries depends on the speed of receivers, and
// so are jobs, which run beside requests, and the rotation that starts one. MINTMARK_REQUESTS sets
// the number of requests, MINTMARK_SEED the seed.
func TestTwins(t *testing.T) {
	t.Parallel()
	if ledger.On() != ledger.SQLite {
		return // these sandboxes are in memory
	}
	count := setting(t, "MINTMARK_REQUESTS", setting(t, "MINTMARK_TWIN_REQUESTS", 3000))
	seed := setting(t, "MINTMARK_SEED", 1)
	t.Logf("MINTMARK_REQUESTS=%d MINTMARK_SEED=%d", count, seed)
	twins := [2]*twin{newTwin(t, seed), newTwin(t, seed)}
	operations := describedOperations(t)
	operators := slices.DeleteFunc(operatorsDocument(t), func(row operatorRow) bool {
		return strings.Contains(row.path, "webhook") || strings.Contains(row.path, "/jobs") ||
			shutsOut(row) || strings.HasSuffix(row.path, "/encryption-keys/{keyId}/rotate")
	})
	statuses := map[int]int{}
	kinds := rand.New(rand.NewPCG(uint64(seed), 3))
	for i := range count {
		kind := kinds.IntN(20)
		var answers [2]string
		var r string
		for n, w := range twins {
			var request *http.Request
			switch {
			case kind == 0:
				request = w.control(t)
			case kind < 6:
				g := w.operators
				request = g.request(t, operators[g.IntN(len(operators))], w.running.AdminURL())
			default:
				request = w.caller(t, operations)
			}
			var status int
			status, answers[n] = w.exchange(request)
			answers[n] = w.comparable(answers[n])
			r = request.Method + " " + request.URL.RequestURI()
			statuses[status]++
		}
		if answers[0] != answers[1] {
			t.Fatalf("request %d, %s, is answered with\n%s\nand\n%s", i, r, answers[0],
				answers[1])
		}
	}
	t.Logf("%d requests, answered %v", count, statuses)
	for _, status := range []int{http.StatusOK, http.StatusBadRequest} {
		if statuses[status] < count/5 {
			t.Errorf("only %d of %d answers are %d", statuses[status], 2*count, status)
		}
	}
}

// shutsOut reports whether an operation would soon leave no caller with a key.
func shutsOut(row operatorRow) bool {
	return row.method != http.MethodGet && strings.Contains(row.path, "/keys/{name}")
}

// r matches the wall clock time of a snapshot.
var r = regexp.MustCompile(`"made":"[^"]*"`)

// comparable returns an answer without the addresses of its sandbox, which the system chooses, the
// wall clock times of snapshots, and the lengths that depend on both.
func (w *twin) comparable(answer string) string {
	plain := strings.NewReplacer(
		w.running.URL(), "http://callers", w.running.AdminURL(), "http://operators",
	).Replace(answer)
	if !r.MatchString(plain) {
		return plain
	}
	return lengths.ReplaceAllString(r.ReplaceAllString(plain, `"made":""`), "")
}

var lengths = regexp.MustCompile(`Content-Length: \d+\r\n`)
