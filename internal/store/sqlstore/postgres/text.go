package postgres

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// PostgreSQL rejects a string with a NUL or with bytes that are not UTF-8, but a caller may choose
// such a nickname. Each of these bytes is written as the escape character and two hexadecimal
// digits, and so is the escape character, so that different strings stay different.
const escape = '\x01'

// escapeArgs returns the arguments of a statement with the strings among them escaped.
func escapeArgs(args []any) []any {
	kept := args
	for i, arg := range args {
		fit := escapeArg(arg)
		if fit == nil {
			continue
		}
		if &kept[0] == &args[0] {
			kept = slices.Clone(args) // the caller may use its slice again
		}
		kept[i] = fit
	}
	return kept
}

// escapeArg returns a string, or a list of strings, escaped, and nil for a value that needs no
// escaping.
func escapeArg(arg any) any {
	if texts, several := arg.([]string); several {
		escapedTexts := make([]string, len(texts))
		for i, text := range texts {
			escapedTexts[i] = escaped(text)
		}
		return escapedTexts
	}
	text := reflect.ValueOf(arg)
	if text.Kind() != reflect.String || needsNoEscape(text.String()) {
		return nil
	}
	return escaped(text.String())
}

func needsNoEscape(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsAny(text, "\x00\x01")
}

func escaped(text string) string {
	var kept strings.Builder
	for at := 0; at < len(text); {
		char, size := utf8.DecodeRuneInString(text[at:])
		broken := char == utf8.RuneError && size == 1
		if broken || char == 0 || char == escape {
			const digits = "0123456789abcdef"
			kept.WriteByte(escape)
			kept.WriteByte(digits[text[at]>>4])
			kept.WriteByte(digits[text[at]&15])
		} else {
			kept.WriteString(text[at : at+size])
		}
		at += size
	}
	return kept.String()
}

func unescaped(kept string) string {
	var text strings.Builder
	for {
		before, after, ok := strings.Cut(kept, string(escape))
		text.WriteString(before)
		if !ok || len(after) < 2 {
			return text.String()
		}
		char, err := strconv.ParseUint(after[:2], 16, 8)
		if err == nil {
			text.WriteByte(byte(char))
		}
		kept = after[2:]
	}
}
