package jsonbody

import (
	"bytes"
	"unicode/utf8"
)

// name reads the name of a member, with or without quotes.
func (r *reader) name(c byte) *failure {
	if c == '"' || c == '\'' {
		return r.quoted(c)
	}
	if !isNameChar(r.rune()) {
		return r.fail(syntax, "Invalid property identifier character: "+r.char()+".")
	}
	start := r.at
	for r.at < len(r.text) {
		// The usual wrong character is the closing quote of a name without an opening one.
		char := r.rune()
		if char == ':' || char == 0 || isSpace(char) {
			r.value = span{start: start, end: r.at}
			return nil
		}
		if !isNameChar(char) {
			return r.fail(nameCharacter, r.char())
		}
		r.at += utf8.RuneLen(char)
	}
	return r.fail(notClosed, "Unexpected end while parsing unquoted property name.")
}

// wordOrNumber reads a value that is neither quoted nor a container.
func (r *reader) wordOrNumber(c byte) (token, *failure) {
	switch c {
	case 't':
		return r.word("true", trueValue, "boolean")
	case 'f':
		return r.word("false", falseValue, "boolean")
	case 'n':
		return r.nullOrConstructor()
	case 'u':
		return r.word("undefined", undefinedValue, "undefined")
	case 'N':
		return r.word("NaN", nanValue, "NaN")
	case 'I':
		return r.word("Infinity", infinityValue, "positive infinity")
	case '-':
		if bytes.HasPrefix(r.text[r.at:], []byte("-I")) {
			return r.word("-Infinity", negativeInfinityValue, "negative infinity")
		}
	}
	if startsNumber(r.rune()) {
		return r.number()
	}
	return 0, r.fail(badValue, "Unexpected character encountered while parsing value: "+
		r.char()+".")
}

// nullOrConstructor reads a value that begins with n.
func (r *reader) nullOrConstructor() (token, *failure) {
	rest := r.text[r.at:]
	switch {
	case len(rest) == 1:
		r.at++
		return 0, r.fail(badEnd, "Unexpected end.")
	case rest[1] == 'u':
		return r.word("null", nullValue, "null")
	case rest[1] == 'e':
		return constructorStart, r.constructor()
	}
	return 0, r.fail(badValue, "Unexpected character encountered while parsing value: n.")
}

// word reads a whole word and checks that it ends there. A wrong letter consumes nothing.
func (r *reader) word(word string, t token, kind string) (token, *failure) {
	matched := bytes.HasPrefix(r.text[r.at:], []byte(word))
	if matched {
		r.at += len(word)
		if r.endsWord() {
			r.settle()
			return t, nil
		}
		// A semicolon after any value has its own code.
		if r.text[r.at] == ';' {
			r.settle()
			return 0, r.fail(semicolon, "")
		}
	}
	// NULL, Null and None are common and have their own code.
	if t == nanValue {
		return 0, r.fail(badNaN, "")
	}
	return 0, r.fail(badValue, "Error parsing "+kind+" value.")
}

// endsWord reports whether a word may end before the next character.
func (r *reader) endsWord() bool {
	if r.at == len(r.text) {
		return true
	}
	switch c := r.text[r.at]; c {
	case 0, ',', '}', ']':
		return true
	case '/':
		// Only a comment ends a word; any slash ends a number.
		next := r.at + 1
		return next < len(r.text) && (r.text[next] == '*' || r.text[next] == '/')
	case ')':
		return r.depth > 0 && r.frames[r.depth-1].container == constructor
	}
	return isSpace(r.rune())
}

// constructor reads "new Name(" and enters the constructor.
func (r *reader) constructor() *failure {
	if !bytes.HasPrefix(r.text[r.at:], []byte("new")) {
		return r.fail(badValue, "Unexpected content while parsing JSON.")
	}
	r.at += len("new")
	if !r.endsWord() {
		return r.fail(badValue, "Unexpected content while parsing JSON.")
	}
	r.skipSpace()
	name := span{start: r.at, end: r.at}
	for r.at < len(r.text) && isConstructorChar(r.rune()) {
		r.at += utf8.RuneLen(r.rune())
		name.end = r.at
	}
	r.skipSpace()
	if r.at == len(r.text) {
		return r.fail(badEnd, "Unexpected end while parsing constructor.")
	}
	if r.text[r.at] != '(' {
		return r.fail(badValue, "Unexpected character while parsing constructor: "+r.char()+".")
	}
	r.value = name
	return r.open(constructor)
}

// isConstructorChar reports whether char may be part of a constructor's name.
func isConstructorChar(char rune) bool { return isNameChar(char) && char != '_' && char != '$' }

// number reads the characters of a number. The binder checks their validity later.
func (r *reader) number() (token, *failure) {
	start := r.at
	for r.at < len(r.text) && isNumberByte[r.text[r.at]] {
		r.at++
	}
	if !r.endsNumber() {
		if r.text[r.at] == ';' {
			r.settle()
			return 0, r.fail(semicolon, "")
		}
		return 0, r.fail(syntax, "Unexpected character encountered while parsing number: "+
			r.char()+".")
	}
	r.settle()
	r.value = span{start: start, end: r.at}
	return numberValue, nil
}

// isNumberByte holds the bytes that a number may contain.
var isNumberByte = func() (table [256]bool) {
	for _, b := range []byte("-+.0123456789abcdefABCDEFxX") {
		table[b] = true
	}
	return table
}()

// endsNumber reports whether a number may end before the next character.
func (r *reader) endsNumber() bool {
	if r.at == len(r.text) {
		return true
	}
	switch c := r.text[r.at]; c {
	case 0, ',', '}', ']', ')', '/':
		return true
	}
	return isSpace(r.rune())
}

// comment reads a comment of either kind. A slash counts as a comment only if at least two UTF-16
// code units follow.
func (r *reader) comment() *failure {
	const unfinished = "Unexpected end while parsing comment."
	r.at++
	rest := r.text[r.at:]
	if char, size := utf8.DecodeRune(rest); len(rest) == size && char <= 0xffff {
		return r.fail(syntax, unfinished)
	}
	switch rest[0] {
	case '/':
		if end := bytes.IndexAny(rest, "\r\n"); end >= 0 {
			r.at += end
		} else {
			r.at = len(r.text)
		}
		return nil
	case '*':
		if end := bytes.Index(rest[1:], []byte("*/")); end >= 0 {
			r.at += end + len("**/")
			return nil
		}
		r.at = len(r.text)
		return r.fail(syntax, unfinished)
	}
	return r.fail(syntax, "Error parsing comment. Expected: *, got "+r.char()+".")
}
