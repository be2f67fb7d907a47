package jsonbody

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/fault"
)

// cardLock and typed are the request types of the recorded cases.
type cardLock struct {
	CustomerID         int    `json:"customerId,omitzero"`
	CardID             int    `json:"cardId,omitzero"`
	LockReasonTypeCode string `json:"lockReasonTypeCode,omitzero"`
}

type typed struct {
	CustomerID int        `json:"customerId,omitzero"`
	CardID     int        `json:"cardId,omitzero"`
	Tag        string     `json:"tag,omitzero"`
	BirthDate  time.Time  `json:"birthDate,omitzero"`
	BirthDateN *time.Time `json:"birthDateN,omitzero"`
	When       time.Time  `json:"when,omitzero"`
	WhenN      *time.Time `json:"whenN,omitzero"`
}

var (
	cardLocks = For[cardLock]("CardLockRequest")
	commands  = For[typed]("Body")
)

// recorded is one recorded call of the reader that this package mirrors.
type recorded struct {
	ID         string
	Request    string
	Body       string
	BodyBase64 string
	Code       int
	Message    string
	Accepted   any
}

func (c recorded) body(t *testing.T) []byte {
	if c.BodyBase64 == "" {
		return []byte(c.Body)
	}
	body, err := base64.StdEncoding.DecodeString(c.BodyBase64)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestRecordedCases(t *testing.T) {
	cases := readCases(t)
	if len(cases) < 419 {
		t.Fatalf("only %d cases were read", len(cases))
	}
	for _, c := range cases {
		t.Run(c.ID, func(t *testing.T) { replay(t, c) })
	}
}

func replay(t *testing.T, c recorded) {
	body := c.body(t)
	var bound any
	var err error
	switch c.Request {
	case "cardLock":
		into := cardLock{LockReasonTypeCode: "from another request"}
		err = cardLocks.Decode(body, &into)
		bound = into
	case "typed":
		var into typed
		err = commands.Decode(body, &into)
		bound = into
	default:
		t.Fatalf("the case has the unknown request %q", c.Request)
	}
	if code, message := answer(t, err); code != c.Code || message != c.Message {
		t.Fatalf("%q\n got %d %s\nwant %d %s", body, code, message, c.Code, c.Message)
	}
	if c.Code != 0 {
		return
	}
	raw, err := json.Marshal(bound)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(normal("", c.Accepted), normal("", parse(t, raw))); diff != "" {
		t.Errorf("%q is bound otherwise (-want +got):\n%s", body, diff)
	}
}

// answer returns the code and message of Decode's error, or 0 if there is none.
func answer(t testing.TB, err error) (int, string) {
	if err == nil {
		return 0, ""
	}
	var f *fault.Fault
	if !errors.As(err, &f) {
		t.Fatalf("the error is no fault: %v", err)
	}
	return f.Code(), f.Message()
}

func readCases(t testing.TB) []recorded {
	file, err := os.Open("testdata/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var cases []recorded
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var c recorded
		if err := unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return cases
}

func parse(t *testing.T, raw []byte) (value any) {
	if err := unmarshal(raw, &value); err != nil {
		t.Fatal(err)
	}
	return value
}

func unmarshal(raw []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return decoder.Decode(into)
}

// normal makes date-times uniform: one without an offset is in UTC.
func normal(name string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key := range v {
			v[key] = normal(key, v[key])
		}
	case []any:
		for i := range v {
			v[i] = normal(name, v[i])
		}
	case string:
		dates := []string{"birthDate", "birthDateN", "when", "whenN"}
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
			at, err := time.Parse(layout, v)
			if err == nil && slices.Contains(dates, name) {
				return at.Format(time.RFC3339Nano)
			}
		}
	}
	return value
}
