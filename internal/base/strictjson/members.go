package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mintmark/internal/base/problem"
)

// The texts of problems.
const (
	noJSON     = "is not valid JSON"
	noPair     = "has half of a surrogate pair"
	noObject   = "must be an object"
	noList     = "must be a list"
	notAString = "must be a text"
	notAnInt   = "must be a whole number"
	noMoment   = "must be a moment with its offset, such as 2026-03-14T15:09:26Z"
	notABool   = "must be true or false"
	tooMany    = "must have at most %d entries"
	isControl  = "must have no control characters"
	duplicated = "is given twice"

	// Unknown is the problem of a member that nothing reads.
	Unknown = "is not a known member"
)

// Members yields the members of an object of valid JSON, in its order; a name may be duplicated.
// The values are slices of the text.
func Members(object []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		for rest := inner(object); len(rest) > 0; {
			end := valueEnd(rest)
			name, _ := readText(rest[:end])
			rest = bytes.TrimLeft(rest[end:], blanks+":")
			end = valueEnd(rest)
			if !yield(name, rest[:end]) {
				return
			}
			rest = bytes.TrimLeft(rest[end:], blanks+",")
		}
	}
}

// entries yields the entries of a list of valid JSON.
func entries(list []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		for rest := inner(list); len(rest) > 0; {
			end := valueEnd(rest)
			if !yield(rest[:end]) {
				return
			}
			rest = bytes.TrimLeft(rest[end:], blanks+",")
		}
	}
}

// blanks are the white space characters of JSON.
const blanks = " \t\r\n"

// inner returns the text between the brackets of an object or a list.
func inner(text []byte) []byte {
	text = bytes.Trim(text, blanks)
	return bytes.Trim(text[1:len(text)-1], blanks)
}

// valueEnd returns the end of the value at the beginning of a text of valid JSON.
func valueEnd(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		case ',', ':', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return len(text)
}

// Reject records a problem with a member of the object at a path. If the name has a meaning in
// paths, Reject puts it into the text instead.
func Reject(problems *problem.List, path, name, text string) {
	if name == "" || strings.ContainsAny(name, ".[]/~") || !IsLine(name) {
		problems.Add(path, "%q %s", name, text)
		return
	}
	problems.Add(problem.Join(path, name), "%s", text)
}

// IsLine reports whether a string is valid UTF-8 without control characters.
func IsLine(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

// AreLines reports whether a string is valid UTF-8 without control characters other than line
// breaks and tabs.
func AreLines(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// readText reads a JSON string.
func readText(raw json.RawMessage) (text string, ok bool) {
	if raw[0] != '"' {
		return "", false
	}
	if plain := raw[1 : len(raw)-1]; bytes.IndexByte(plain, '\\') < 0 && utf8.Valid(plain) {
		return string(plain), true
	}
	return text, json.Unmarshal(raw, &text) == nil
}

// readNumber reads a whole number of 32 bits, in plain digits.
func readNumber(raw json.RawMessage) (number int, ok bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return int(n), err == nil && n >= math.MinInt32 && n <= math.MaxInt32
}

// readTruth reads true or false.
func readTruth(raw json.RawMessage) (truth, ok bool) {
	return raw[0] == 't', raw[0] == 't' || raw[0] == 'f'
}

// readList reads a list of at most the given number of entries, and records what is wrong with it.
func readList(raw json.RawMessage, most int, problems *problem.List, path string) []json.RawMessage {
	if raw[0] != '[' {
		problems.Add(path, noList)
		return nil
	}
	all := slices.Collect(entries(raw))
	if len(all) > most {
		problems.Add(path, tooMany, most)
		return nil
	}
	return all
}

// entryPath returns the path of an entry of a list.
func entryPath(list string, i int) string { return fmt.Sprintf("%s[%d]", list, i) }
