// Package recording records the HTTP answers that the end-to-end tests receive, so that the answers
// of two versions of the program can be compared byte for byte. With MINTMARK_RECORD=DIR each test
// writes the file DIR/engine/TestName.json, one exchange a line; without it nothing is recorded.
//
// What differs from one run to the next (identifiers, times, ports) is recorded as received.
// Compare ignores it, so a recording stays useful when the rules for comparing change.
package recording

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"
)

// Exchange is a request and its answer.
type Exchange struct {
	Test    string // including its subtests
	Method  string
	Target  string    // the URL; empty if the test has written the request itself
	Request string    // the body, or the whole request if the test has written it itself
	Sent    []string  // request headers
	Began   time.Time // zero if the test has sent the request itself
	Ended   time.Time

	Status string   // status line
	Header []string // sorted by name
	Body   string   // if it is valid UTF-8
	Bytes  []byte   `json:",omitempty"` // if it is not
}

// variable names the directory to record into, preferably an absolute path: tests run in the
// directory of their package.
const variable = "MINTMARK_RECORD"

// On reports whether answers are recorded.
func On() bool { return os.Getenv(variable) != "" }

// Callers returns the number of concurrent callers to use: wanted, or one during a recording,
// because the order of concurrent requests differs in each run.
func Callers(wanted int) int {
	if On() {
		return 1
	}
	return wanted
}

var recorder struct {
	sync.Mutex
	directory string
}

// Begin starts the recording of all tests on an engine, and replaces an earlier recording.
func Begin(engine string) error {
	if !On() {
		return nil
	}
	recorder.directory = filepath.Join(os.Getenv(variable), engine)
	if err := os.RemoveAll(recorder.directory); err != nil {
		return err
	}
	// Property tests draw the same inputs in each recording.
	if seed := flag.Lookup("rapid.seed"); seed != nil {
		if err := seed.Value.Set("1"); err != nil {
			return err
		}
	}
	return os.MkdirAll(recorder.directory, 0o755)
}

// keep writes an exchange to the file of its test.
func keep(t testing.TB, e Exchange, body []byte) {
	t.Helper()
	e.Test = t.Name()
	slices.Sort(e.Header)
	slices.Sort(e.Sent)
	e.Body = string(body)
	if !utf8.Valid(body) {
		e.Body, e.Bytes = "", body
	}
	recorder.Lock()
	defer recorder.Unlock()
	name, _, _ := strings.Cut(e.Test, "/")
	file, err := os.OpenFile(filepath.Join(recorder.directory, name+".json"),
		os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	encoder := json.NewEncoder(file)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(e); err != nil {
		t.Fatal(err)
	}
}

// Raw records an answer that a test has read from its own connection. Request is what the test has
// sent for it, or empty.
func Raw(t testing.TB, request string, response *http.Response, body []byte) {
	t.Helper()
	if !On() {
		return
	}
	var head strings.Builder
	_ = response.Header.Write(&head) // a Builder accepts everything
	keep(t, Exchange{
		Method: "RAW", Request: strings.ToValidUTF8(request, "\ufffd"),
		Ended:  time.Now(),
		Status: response.Proto + " " + response.Status,
		Header: lines(head.String()),
	}, body)
}

func lines(text string) []string {
	return slices.DeleteFunc(strings.Split(text, "\r\n"),
		func(line string) bool { return line == "" })
}
