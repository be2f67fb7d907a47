package prompt

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLine types lines with all keys that have an effect.
func TestLine(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"correct horse\r":                   "correct horse",
		"correct horse\nbattery\n":          "correct horse",
		"horze\x7fse\x08\x08\x08e\r":        "hore",
		"ö\x7fü\r":                          "ü",
		"\x7f\x08a\r":                       "a",
		"wrong\x15right\r":                  "right",
		"not the\x04 end\r":                 "not the end",
		"\r":                                "",
		"tab\tand\x1b[A\r":                  "tab\tand\x1b[A",
		strings.Repeat("x", longest) + "\r": strings.Repeat("x", longest),
	} {
		got, err := line(iotest.OneByteReader(strings.NewReader(keys)))
		if err != nil || string(got) != want {
			t.Errorf("%q gives %q, %v; want %q", keys, got, err, want)
		}
	}
	for keys, want := range map[string]error{
		"": errEnded, "cut off": errEnded, "\x04": errEnded, "ab\x7f\x7f\x04rest\r": errEnded,
		"ab\x15\x04": errEnded, "\x03": errInterrupted, "half\x03\r": errInterrupted,
	} {
		got, err := line(strings.NewReader(keys))
		if !errors.Is(err, want) || !errors.Is(err, ErrUnanswered) || got != nil {
			t.Errorf("%q gives %q, %v; want %v", keys, got, err, want)
		}
	}
	if _, err := line(strings.NewReader(strings.Repeat("x", longest+1))); err == nil ||
		errors.Is(err, ErrUnanswered) {
		t.Errorf("a line that is too long gives %v", err)
	}
	broken := iotest.ErrReader(errors.New("input/output error"))
	if _, err := line(broken); !errors.Is(err, ErrUnanswered) {
		t.Errorf("a terminal that has closed gives %v", err)
	}
}

// TestRestOfTheInput checks that a question leaves the input after its line to the next one.
func TestRestOfTheInput(t *testing.T) {
	t.Parallel()
	both := strings.NewReader("first\rsecond\r")
	for _, want := range []string{"first", "second"} {
		if got, err := line(both); err != nil || string(got) != want {
			t.Errorf("the answer is %q, %v; want %q", got, err, want)
		}
	}
}

// TestInterrupted ends an unanswered question with its context.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	keys, typing := io.Pipe()
	defer typing.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := untilDone(ctx, keys); !errors.Is(err, errInterrupted) {
		t.Errorf("the question ends with %v", err)
	}
}

// TestNoTerminal checks that a file that is not a terminal is rejected.
func TestNoTerminal(t *testing.T) {
	t.Parallel()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var out strings.Builder
	if _, err := Hidden(t.Context(), file, &out, "? "); err == nil || out.Len() > 0 {
		t.Errorf("a file is asked %q, %v", out.String(), err)
	}
}
