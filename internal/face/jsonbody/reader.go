package jsonbody

import (
	"strconv"
	"unicode/utf8"
)

// maxDepth is the maximum number of open containers.
const maxDepth = 64

// state is what the reader expects next.
type state uint8

const (
	atStart     state = iota // the value of the whole body
	afterName                // the value of a member
	inNewObject              // the first name of an object, or its end
	inObject                 // a name after a comma, or the end of the object
	inNewArray               // the first element of an array, or its end
	inArray                  // an element after a comma, or the end of the array
	afterValue               // a comma, or the end of a container
	finished                 // only white space and comments
)

// token is a kind of token.
type token uint8

const (
	endOfText token = iota
	memberName
	objectStart
	arrayStart
	constructorStart
	containerEnd
	textValue
	numberValue
	trueValue
	falseValue
	nullValue
	undefinedValue // the word undefined, or a missing value
	nanValue
	infinityValue
	negativeInfinityValue
)

// container is a kind of container. A constructor, new Name(value, value), is not JSON, but the
// reader accepts it.
type container uint8

const (
	none container = iota
	object
	array
	constructor
)

// containerNames and containerEnds are the names of containers and their ends in messages.
var (
	containerNames = [...]string{"None", "Object", "Array", "Constructor"}
	containerEnds  = [...]string{"", "EndObject", "EndArray", "EndConstructor"}
)

// frame is an open container and the reader's position in it.
type frame struct {
	container container
	name      span // in an object: last name read
	index     int  // otherwise: index of the last value read, -1 before the first
}

// span is a part of the text: a name or a value without its quotes.
type span struct {
	start, end int
	escaped    bool // contains a backslash
}

// reader splits a text into tokens, one per call of next, without looking back. It has its own
// stack of open containers, so that deep nesting cannot exhaust the program's stack.
type reader struct {
	text     []byte // valid UTF-8
	replaced []int  // offsets of replaced invalid characters
	at       int    // offset of the next byte to read
	state    state
	value    span // of the last name, text, number or constructor name
	secret   bool // messages must not repeat the current value
	depth    int
	frames   [maxDepth]frame
}

// next returns the next token. It skips comments, which are allowed wherever next is called.
func (r *reader) next() (token, *failure) {
	for {
		r.skipSpace()
		if r.at == len(r.text) {
			return endOfText, nil
		}
		var t token
		var f *failure
		switch c := r.text[r.at]; {
		case c == '/':
			f = r.comment()
		case r.state == afterValue:
			t, f = r.separator(c)
		case r.state == inNewObject || r.state == inObject:
			t, f = r.nameOrEnd(c)
		default:
			t, f = r.readValue(c)
		}
		// Comments and commas are not returned.
		if t != endOfText || f != nil {
			return t, f
		}
	}
}

// finish reads what follows the value of the body, up to the first comment; text after that is
// accepted.
func (r *reader) finish() *failure {
	r.skipSpace()
	if r.at == len(r.text) {
		return nil
	}
	if r.text[r.at] == '/' {
		return r.comment()
	}
	return r.fail(syntax, "Additional text encountered after finished reading JSON content: "+
		r.char()+".")
}

// separator reads what follows a value: a comma, which is skipped, or a closing bracket.
func (r *reader) separator(c byte) (token, *failure) {
	switch c {
	case ',':
		r.at++
		r.state = inArray
		if r.frames[r.depth-1].container == object {
			r.state = inObject
		}
		return endOfText, nil
	case '}':
		return r.close(object)
	case ']':
		return r.close(array)
	case ')':
		return r.close(constructor)
	case ';':
		return 0, r.fail(semicolon, "")
	}
	return 0, r.fail(syntax, "After parsing a value an unexpected character was encountered: "+
		r.char()+".")
}

// nameOrEnd reads the next name of an object with its colon, or the end of the object.
func (r *reader) nameOrEnd(c byte) (token, *failure) {
	if c == '}' {
		return r.close(object)
	}
	r.secret = false
	if f := r.name(c); f != nil {
		return 0, f
	}
	name := r.value
	r.skipSpace()
	if r.at == len(r.text) {
		return 0, r.fail(endAfterName, "")
	}
	if r.text[r.at] != ':' {
		return 0, r.fail(noColon, r.char())
	}
	r.at++
	r.frames[r.depth-1].name = name
	r.state = afterName
	return memberName, nil
}

// readValue reads a scalar, or the first token of a container.
func (r *reader) readValue(c byte) (token, *failure) {
	switch c {
	case '"', '\'':
		return r.quotedValue(c)
	case '{':
		return objectStart, r.open(object)
	case '[':
		return arrayStart, r.open(array)
	case ']':
		return r.close(array)
	case ')':
		return r.close(constructor)
	case ',':
		// A missing value before a comma is undefined. The comma is read later.
		r.settle()
		return undefinedValue, nil
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number()
	}
	return r.wordOrNumber(c)
}

// open enters a container, which is itself a value of the surrounding one.
func (r *reader) open(kind container) *failure {
	r.at++
	r.count()
	if r.depth == maxDepth {
		r.state = afterValue // the path includes the container that is not entered
		return r.fail(syntax,
			"The reader's MaxDepth of "+strconv.Itoa(maxDepth)+" has been exceeded.")
	}
	r.frames[r.depth] = frame{container: kind, index: -1}
	r.depth++
	r.state = inNewArray
	if kind == object {
		r.state = inNewObject
	}
	return nil
}

// close leaves the innermost container, whose kind the bracket must match.
func (r *reader) close(kind container) (token, *failure) {
	r.at++
	left := none
	if r.depth > 0 {
		r.depth--
		left = r.frames[r.depth].container
	}
	if left == none {
		return 0, r.fail(notOpened, wrongEnd(kind, left))
	}
	if left != kind {
		return 0, r.fail(notClosed, wrongEnd(kind, left))
	}
	r.leaveValue()
	return containerEnd, nil
}

func wrongEnd(kind, left container) string {
	return "JsonToken " + containerEnds[kind] + " is not valid for closing JsonType " +
		containerNames[left] + "."
}

// settle records the end of a scalar value.
func (r *reader) settle() {
	r.count()
	r.leaveValue()
}

// count increments the index of a container with numbered values.
func (r *reader) count() {
	if r.depth > 0 && r.frames[r.depth-1].container != object {
		r.frames[r.depth-1].index++
	}
}

// leaveValue sets the state after a value.
func (r *reader) leaveValue() {
	r.state = afterValue
	if r.depth == 0 {
		r.state = finished
	}
}

// skipSpace skips white space and NULs.
func (r *reader) skipSpace() {
	for r.at < len(r.text) {
		c := r.text[r.at]
		if c < utf8.RuneSelf {
			if c != 0 && !isSpace(rune(c)) {
				return
			}
			r.at++
			continue
		}
		char, size := utf8.DecodeRune(r.text[r.at:])
		if !isSpace(char) {
			return
		}
		r.at += size
	}
}

// rune returns the next character. It must not be called at the end of the text.
func (r *reader) rune() rune {
	char, _ := utf8.DecodeRune(r.text[r.at:])
	return char
}

// char returns the next character in the form of messages.
func (r *reader) char() string { return printChar(r.rune()) }
