package message

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFile checks that each file that is truncated or changed anywhere is rejected.
func TestFile(t *testing.T) {
	t.Parallel()
	lines := [][]byte{[]byte(`{"a":1}`), []byte(`{"b":"ü"}`)}
	text, digest, err := EncodeFile(7, lines)
	if err != nil {
		t.Fatal(err)
	}
	file, err := DecodeFile(text)
	if err != nil || file.Sequence != 7 || file.Digest != digest ||
		!bytes.Equal(bytes.Join(file.Lines, nil), bytes.Join(lines, nil)) {
		t.Errorf("%+v, %v", file, err)
	}
	for cut := range text {
		if _, err := DecodeFile(text[:cut]); !errors.Is(err, ErrIncomplete) {
			t.Errorf("cut at %d: %v", cut, err)
		}
	}
	body := bytes.IndexByte(text, '\n') + 1
	for i := body; i < len(text); i++ {
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if _, err := DecodeFile(changed); err == nil {
			t.Errorf("changed at %d: accepted", i)
		}
	}
	const ofNothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
	for name, bad := range map[string]string{
		"no header":      "{}\n",
		"a number of 0":  strings.Replace(string(text), `"sequence":7`, `"sequence":0`, 1),
		"no count":       `{"sequence":1,"sha256":"` + ofNothing + `"}` + "\n",
		"no lines":       `{"sequence":1,"count":0,"sha256":""}` + "\n",
		"more lines":     string(text) + "{}\n",
		"no digest":      strings.Replace(string(text), digest, "", 1),
		"a long digest":  strings.Replace(string(text), digest, strings.Repeat("0", 999), 1),
		"too many lines": `{"sequence":1,"count":100001,"sha256":""}` + "\n",
		"not JSON":       "orders\n",
	} {
		if _, err := DecodeFile([]byte(bad)); err == nil || len(err.Error()) > 250 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := EncodeFile(1, [][]byte{[]byte("a\nb")}); err == nil {
		t.Error("a line with a line end is taken")
	}
}

func TestFilesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.IntRange(1, 1<<40).Draw(t, "sequence")
		drawn := rapid.SliceOfN(rapid.StringMatching(`[^\n]*`), 0, 20).Draw(t, "lines")
		var lines [][]byte
		for _, line := range drawn {
			lines = append(lines, []byte(line))
		}
		text, _, err := EncodeFile(sequence, lines)
		if err != nil {
			t.Fatal(err)
		}
		file, err := DecodeFile(text)
		if err != nil || file.Sequence != sequence || len(file.Lines) != len(lines) {
			t.Fatalf("%+v, %v", file, err)
		}
	})
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	if number, ours := FileNumber(OrderFiles, FileName(OrderFiles, 12)); number != 12 || !ours {
		t.Errorf("%d, %v", number, ours)
	}
	for _, other := range []string{
		"orders-0.jsonl", "orders--1.jsonl", "orders-01.jsonl", "orders-1.jsonl.why", "orders-1",
		".partial-orders-1.jsonl-77", "reports-1.jsonl", "orders-.jsonl", "orders-+1.jsonl",
		"orders-99999999999999999999.jsonl",
	} {
		if _, ours := FileNumber(OrderFiles, other); ours {
			t.Errorf("%s is taken", other)
		}
	}
}
