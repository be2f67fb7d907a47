package recording

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// answers holds a server's answer to each of successive requests.
type answers []func(w http.ResponseWriter)

// recorded records a request for each answer, and returns the directory of the recording.
func recorded(t *testing.T, said answers) string {
	t.Helper()
	directory := t.TempDir()
	t.Setenv(variable, directory)
	if err := Begin("engine"); err != nil {
		t.Fatal(err)
	}
	turn := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		said[turn](w)
		turn++
	}))
	defer server.Close()
	for range said {
		response, err := Client(t).Post(server.URL+"/card/lock", "text/plain",
			strings.NewReader("a body"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(response.Body); err != nil {
			t.Fatal(err)
		}
		//nolint:forbidigo // The times of two requests must differ, or they tell nothing apart.
		time.Sleep(5 * time.Millisecond)
	}
	return directory
}

// text returns a handler that responds with a text.
func text(body string) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { fmt.Fprint(w, body) }
}

// at returns a time in the format of the interface.
func at(when time.Time) string { return when.Format("2006-01-02T15:04:05.000-07:00") }

// told returns a handler that responds with the time in *when.
func told(when *time.Time) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) { fmt.Fprintf(w, `{"createdDate":%q}`, at(*when)) }
}

// acts returns a handler that responds with the current time and stores it in *when.
func acts(when *time.Time) func(http.ResponseWriter) {
	return func(w http.ResponseWriter) {
		*when = time.Now()
		told(when)(w)
	}
}

// TestCompare checks that a comparison finds each kind of difference, and none if only identifiers,
// times and ports differ.
func TestCompare(t *testing.T) {
	const (
		id    = "6f9619ff-8b86-4011-b42d-00cf4fc964ff"
		other = "0f9619ff-8b86-4011-b42d-00cf4fc964ff"
	)
	var first, second time.Time
	header := func(name, value string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { w.Header()[name] = []string{value} }
	}
	for _, c := range []struct {
		name          string
		before, after answers
		want          string // part of the output; empty for no difference
	}{
		{"the same", answers{text("a")}, answers{text("a")}, ""},
		{"another identifier", answers{text(id), text(id)},
			answers{text(other), text(other)}, ""},
		{"an identifier that should come again", answers{text(id), text(id)},
			answers{text(id), text(other)}, "uuid"},
		{"another letter", answers{text("not found")}, answers{text("not fount")}, "not fount"},
		{"bytes that are no text", answers{text("\xff1")}, answers{text("\xff2")}, `\xff2`},
		{"another header", answers{header("X", "1")}, answers{header("X", "2")}, "X: 2"},
		{"the case of a header", answers{header("RateLimit", "1")},
			answers{header("Ratelimit", "1")}, "Ratelimit"},
		{"another status", answers{func(w http.ResponseWriter) { w.WriteHeader(404) }},
			answers{func(w http.ResponseWriter) { w.WriteHeader(403) }}, "403 Forbidden"},
		{"an answer too few", answers{text("a"), text("a")}, answers{text("a")},
			"2 answers, now 1"},
		{"the time of the same act", answers{acts(&first), acts(&second), told(&first)},
			answers{acts(&first), acts(&second), told(&first)}, ""},
		{"the time of another act", answers{acts(&first), acts(&second), told(&first)},
			answers{acts(&first), acts(&second), told(&second)}, "time 1 of the exchange"},
		{"a time in another zone", answers{acts(&first)},
			answers{func(w http.ResponseWriter) {
				fmt.Fprintf(w, `{"createdDate":%q}`,
					at(time.Now().In(time.FixedZone("", -6*60*60))))
			}}, "-06:00"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var said strings.Builder
			different, err := Compare(&said, recorded(t, c.before), recorded(t, c.after))
			if err != nil {
				t.Fatal(err)
			}
			if wanted := c.want != ""; wanted != (different == 1) ||
				!strings.Contains(said.String(), c.want) {
				t.Errorf("%d tests differ, want %q:\n%s", different, c.want, said.String())
			}
		})
	}
}

// TestPolling checks that the number of requests of a polling test does not matter, but that its
// distinct answers are compared.
func TestPolling(t *testing.T) {
	const id = "6f9619ff-8b86-4011-b42d-00cf4fc964ff"
	const other = "0f9619ff-8b86-4011-b42d-00cf4fc964ff"
	var waits []Exchange
	for _, each := range []string{id, other} {
		waits = append(waits, Exchange{Test: "TestReady", Body: "not yet " + each, Ended: time.Now()})
	}
	ready := Exchange{Test: "TestReady", Body: "ready " + id, Ended: time.Now()}
	seldom, often := append(waits[:1:1], ready), append(waits[:2:2], ready)
	if list := differences("TestReady", seldom, often); len(list) > 0 {
		t.Errorf("asking more often is a difference: %s", list)
	}
	ready.Body = "Ready " + id
	if list := differences("TestReady", seldom, append(waits[:1:1], ready)); len(list) == 0 {
		t.Errorf("another answer is no difference")
	}
}

// TestMissingRecording checks that a test without a recording is a difference, and that an empty
// recording is an error.
func TestMissingRecording(t *testing.T) {
	before, after := recorded(t, answers{text("a")}), t.TempDir()
	if err := os.Mkdir(filepath.Join(after, "engine"), 0o755); err != nil {
		t.Fatal(err)
	}
	different, err := Compare(io.Discard, before, after)
	if different != 1 || err != nil {
		t.Errorf("%d tests differ, %v", different, err)
	}
	if _, err := Compare(io.Discard, t.TempDir(), before); err == nil {
		t.Error("a directory without recordings is compared")
	}
}
