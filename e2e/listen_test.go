package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"mintmark/internal/testkit/testrun"
)

// takenBy is a receiver of events that records them in order.
type takenBy struct {
	*httptest.Server
	testrun.Events
	mu      sync.Mutex
	refuses int // number of events to reject first
	headers []http.Header
	bodies  [][]byte
}

func newTakenBy(t *testing.T) *takenBy {
	taken := &takenBy{}
	taken.Server = httptest.NewServer(http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Error(err)
			}
			taken.mu.Lock()
			defer taken.mu.Unlock()
			if taken.refuses > 0 {
				taken.refuses--
				w.WriteHeader(http.StatusInternalServerError)
				return
			}
			taken.headers = append(taken.headers, r.Header)
			taken.bodies = append(taken.bodies, body)
			taken.Happened()
		}))
	t.Cleanup(taken.Close)
	return taken
}

// await returns the bodies once there are count of them.
func (b *takenBy) await(t *testing.T, count int) [][]byte {
	t.Helper()
	var got [][]byte
	b.Until(t, fmt.Sprint(count, " events arrive"), func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		got = slices.Clone(b.bodies)
		return len(got) >= count
	})
	return got
}

// listener is a running `mintmark listen`.
type listener struct {
	*exec.Cmd
	out, err, both *logText
}

func (p *process) listen(args ...string) *listener {
	p.Helper()
	l := &listener{command(p.T, append([]string{"listen", "--server", p.adminURL()}, args...)...),
		new(logText), new(logText), new(logText)}
	l.Stdout, l.Stderr = io.MultiWriter(l.out, l.both), io.MultiWriter(l.err, l.both)
	l.Env = append(os.Environ(), "MINTMARK_TOKEN=")
	if err := l.Start(); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { _ = l.Process.Kill() })
	return l
}

var signsWith = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]+`)

// secret waits until the listener is ready, and returns its signing secret.
func (l *listener) secret(t *testing.T) (secret string) {
	t.Helper()
	l.both.Until(t, "the listener says its secret", func() bool {
		secret = signsWith.FindString(l.both.String())
		return secret != ""
	})
	return secret
}

// ask sends a request to the operators' interface and returns the status and the body of the
// response.
func (p *process) ask(method, path, token, body string) (int, []byte) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), method,
		p.adminURL()+"/admin/v1/"+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.Fatal(err)
	}
	return answer.StatusCode, text
}

// act locks or unlocks a demo card, which must succeed.
func (p *process) act(path, more string) {
	p.Helper()
	request, err := http.NewRequestWithContext(p.Context(), http.MethodPost, p.url+path,
		strings.NewReader(`{"customerId":1013,"cardId":5011`+more+`}`))
	if err != nil {
		p.Fatal(err)
	}
	request.SetBasicAuth("example1", "example1")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		p.Fatalf("%s: %s", path, answer.Status)
	}
}

const locks = `,"lockReasonTypeCode":"TMP"`

// TestListen checks that forwarded events equal those sent to a webhook, byte for byte and in
// order, signed with the printed secret, and that a receiver that was temporarily unavailable
// misses nothing.
func TestListen(t *testing.T) {
	t.Parallel()
	p := sandbox(t)
	webhook, local := newTakenBy(t), newTakenBy(t)
	status, answer := p.ask("POST", "programs/1/webhooks", "sandbox-administrator",
		fmt.Sprintf(`{"name":"real","url":%q}`, webhook.URL))
	if status != http.StatusCreated {
		t.Fatalf("subscribe: %d %s", status, answer)
	}
	local.refuses = 1
	l := p.listen("--forward-to", local.URL, "--card", "5011")
	secret := l.secret(t)
	p.act("/card/lock", locks)
	p.act("/card/unlock", "")
	real, forwarded := webhook.await(t, 2), local.await(t, 2)
	for i := range 2 {
		if !bytes.Equal(real[i], forwarded[i]) {
			t.Errorf("forwarded %s, the webhook is sent %s", forwarded[i], real[i])
		}
		verifier, err := standardwebhooks.NewWebhook(secret)
		if err != nil {
			t.Fatal(err)
		}
		if err := verifier.Verify(forwarded[i], local.headers[i]); err != nil {
			t.Errorf("event %d: %v", i+1, err)
		}
	}

	// The receiver goes away, and another one takes its address.
	address := local.Listener.Addr().String()
	local.Close()
	p.act("/card/lock", locks)
	p.act("/card/unlock", "")
	l.err.awaitText(t, "does not take")
	again := newTakenByAt(t, address)
	for i, want := range []string{"card.locked", "card.unlocked"} {
		if got := again.await(t, 2)[i]; !bytes.Contains(got, []byte(`"type":"`+want+`"`)) {
			t.Errorf("the receiver that is back takes %s, want %s", got, want)
		}
	}
	if err := l.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := l.Wait(); err != nil {
		t.Errorf("stopped, the listener ends with %v: %s", err, l.err)
	}
	const line = "card.locked card 5011 customer 1013 -> 200"
	if strings.Count(l.out.String(), line) != 2 {
		t.Errorf("it has printed %q", l.out)
	}
}

// newTakenByAt is newTakenBy at an address that was in use before.
func newTakenByAt(t *testing.T, address string) *takenBy {
	t.Helper()
	taken := newTakenBy(t)
	at, err := net.Listen("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: taken.Config.Handler}
	go func() { _ = server.Serve(at) }()
	t.Cleanup(func() { _ = server.Close() })
	return taken
}

// TestListenForPrograms checks the JSON lines, --after, the secret file, the scope of a token, and
// that the service ends immediately although a listener waits.
func TestListenForPrograms(t *testing.T) {
	t.Parallel()
	p := sandbox(t)
	file := filepath.Join(t.TempDir(), "secret")
	first := p.listen("--output", "json", "--count", "1", "--secret-file", file)
	secret := first.secret(t)
	p.act("/card/lock", locks)
	if err := first.Wait(); err != nil {
		t.Fatalf("%v: %s", err, first.err)
	}
	kept, err := os.ReadFile(file)
	if err != nil || strings.TrimSpace(string(kept)) != secret {
		t.Errorf("the file holds %q, %v", kept, err)
	}
	var told struct {
		Headers map[string]string
		Event   json.RawMessage
	}
	_, line, _ := strings.Cut(first.out.String(), "\n")
	if err := json.Unmarshal([]byte(line), &told); err != nil {
		t.Fatalf("%v: %s", err, line)
	}
	header := http.Header{}
	for name, value := range told.Headers {
		header.Set(name, value)
	}
	verifier, err := standardwebhooks.NewWebhook(secret)
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(told.Event, header); err != nil {
		t.Errorf("%v: %s", err, line)
	}

	again := p.listen("--output", "json", "--after", "0", "--count", "1", "--secret-file", file)
	if err := again.Wait(); err != nil || !strings.Contains(again.out.String(), secret) ||
		!strings.Contains(again.out.String(), string(told.Event)) {
		t.Errorf("from the beginning: %v, %s%s", err, again.out, again.err)
	}
	_, seen := p.ask("GET", "events?after=0", "sandbox-administrator", "")
	_, hidden := p.ask("GET", "events?after=0", "sandbox-bank2", "")
	if !bytes.Contains(seen, told.Event) || bytes.Contains(hidden, []byte("evt_")) {
		t.Errorf("bank 2 sees %s of %s", hidden, seen)
	}

	waiting := p.listen()
	waiting.secret(t)
	began := time.Now()
	same(t, "exit code", p.end(syscall.SIGTERM), 0)
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("the service has taken %v to end", took)
	}
}

// TestListenRefused checks the exit codes of a listener that cannot start.
func TestListenRefused(t *testing.T) {
	t.Parallel()
	p := sandbox(t)
	for _, test := range []struct {
		want int
		args []string
	}{
		{2, []string{"--forward-to", "nowhere"}},
		{2, []string{"--type", "card.lost"}},
		{3, []string{"--server", "http://127.0.0.1:1"}},
	} {
		l := p.listen(test.args...)
		_ = l.Wait()
		if got := l.ProcessState.ExitCode(); got != test.want {
			t.Errorf("%v: exit code %d, want %d: %s", test.args, got, test.want, l.err)
		}
	}
	l := command(t, "listen", "--server", p.adminURL())
	l.Env = append(os.Environ(), "MINTMARK_TOKEN=wrong")
	out, _ := l.CombinedOutput()
	if got := l.ProcessState.ExitCode(); got != 4 {
		t.Errorf("a wrong token: exit code %d: %s", got, out)
	}
}
