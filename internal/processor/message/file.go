package message

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// The limits of a file.
const (
	MaxFileBytes = 64 << 20
	MaxFileLines = 100_000
)

// The prefixes of file names.
const (
	OrderFiles  = "orders"
	ReportFiles = "reports"
)

// header is the first line of a file.
type header struct {
	Sequence int    `json:"sequence"`
	Count    int    `json:"count"`
	SHA256   string `json:"sha256"` // of the lines after it, including line ends
}

// File is a numbered file of lines.
type File struct {
	Sequence int
	Digest   string // SHA-256 of the lines, in hexadecimal
	Lines    [][]byte
}

// FileName returns the name of a file, such as orders-7.jsonl.
func FileName(kind string, sequence int) string {
	return fmt.Sprintf("%s-%d.jsonl", kind, sequence)
}

// FileNumber returns the number in a file name, and whether the name is that of a file of the kind.
func FileNumber(kind, name string) (int, bool) {
	text, ours := strings.CutPrefix(name, kind+"-")
	text, whole := strings.CutSuffix(text, ".jsonl")
	sequence, err := strconv.Atoi(text)
	return sequence, ours && whole && err == nil && sequence > 0 &&
		FileName(kind, sequence) == name
}

// EncodeFile returns the content of a file and the digest in its first line.
func EncodeFile(sequence int, lines [][]byte) (text []byte, digest string, err error) {
	var body bytes.Buffer
	for _, line := range lines {
		if bytes.ContainsAny(line, "\n") {
			return nil, "", errors.New("a line contains a line break")
		}
		body.Write(line)
		body.WriteByte('\n')
	}
	sum := sha256.Sum256(body.Bytes())
	digest = hex.EncodeToString(sum[:])
	first, err := json.Marshal(header{Sequence: sequence, Count: len(lines), SHA256: digest})
	if err != nil {
		return nil, "", fmt.Errorf("encode first line: %w", err)
	}
	return append(append(first, '\n'), body.Bytes()...), digest, nil
}

// ErrIncomplete is returned for a file that does not match its first line. It may still be in
// transit.
var ErrIncomplete = errors.New("the file is not complete")

// DecodeFile parses a file and checks its number, count and digest. Its errors quote nothing from
// the lines.
func DecodeFile(text []byte) (File, error) {
	first, rest, ended := bytes.Cut(text, []byte("\n"))
	h := header{Count: -1}
	if !ended {
		return File{}, fmt.Errorf("%w: its first line has no line break", ErrIncomplete)
	}
	if decodeOne(first, &h) != nil || h.Sequence < 1 || h.Count < 0 {
		return File{}, errors.New("the first line must contain sequence, count and sha256")
	}
	if h.Count > MaxFileLines {
		return File{}, fmt.Errorf("a file has at most %d lines, not %d", MaxFileLines, h.Count)
	}
	lines := bytes.SplitAfter(rest, []byte("\n"))
	last := lines[len(lines)-1]
	lines = lines[:len(lines)-1]
	if len(last) > 0 {
		return File{}, fmt.Errorf("%w: its last line has no line break", ErrIncomplete)
	}
	if len(lines) != h.Count {
		return File{}, fmt.Errorf("%w: it has %d lines, its first line announces %d", ErrIncomplete,
			len(lines), h.Count)
	}
	sum := sha256.Sum256(rest)
	digest := hex.EncodeToString(sum[:])
	if !strings.EqualFold(digest, h.SHA256) {
		return File{}, fmt.Errorf("%w: the SHA-256 of its lines is %s, not %s", ErrIncomplete,
			digest, shortened(h.SHA256))
	}
	for i, line := range lines {
		lines[i] = bytes.TrimSuffix(line, []byte("\n"))
	}
	return File{Sequence: h.Sequence, Digest: digest, Lines: lines}, nil
}

// shortened limits what an error quotes from a file.
func shortened(text string) string {
	if len(text) > sha256.Size*2 {
		return "what it announces"
	}
	return strconv.Quote(text)
}
