// Package recording keeps the HTTP answers that the end-to-end tests receive, so that those of two
// versions of the program can be compared byte for byte. With MINTMARK_RECORD=DIR each test writes
// the file DIR/engine/TestName.json, one exchange a line; without it nothing is kept.
//
// What differs from one run to the next (identifiers, times, ports) is written as it was received.
// Compare sets it aside, so a recording stays useful when the rules for comparing change.
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
	Test    string // with its subtests
	Method  string
	Target  string    // the address; empty where the test has written the request itself
	Request string    // the body, or the whole request where the test has written it itself
	Sent    []string  // headers of the request
	Began   time.Time // zero where the test has sent the request itself
	Ended   time.Time

	Status string   // the first line of the answer
	Header []string // in the order of names
	Body   string   // when it is valid UTF-8
	Bytes  []byte   `json:",omitempty"` // when it is not
}

// variable names the directory to record into, best as an absolute path: tests run in the
// directory of their package.
const variable = "MINTMARK_RECORD"

// On reports whether answers are recorded.
func On() bool { return os.Getenv(variable) != "" }

// Callers is how many callers should ask at the same time: as many as a test wants, or one while
// answers are recorded, because the order of concurrent requests is different in each run.
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

// Begin starts the recording of all tests on an engine, in place of an earlier one.
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

// keep writes an exchange into the file of its test.
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

// Raw records an answer that a test has read from a connection of its own. The request is what the
// test has sent for it, empty where it does not say.
func Raw(t testing.TB, request string, response *http.Response, body []byte) {
	t.Helper()
	if !On() {
		return
	}
	var head strings.Builder
	_ = response.Header.Write(&head) // a Builder takes everything
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
