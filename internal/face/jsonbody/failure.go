package jsonbody

import "mintmark/internal/domain/fault"

// maxEchoUnits is the maximum length of a value in a message, in UTF-16 code units.
const maxEchoUnits = 100

// hidden replaces a secret value in messages.
const hidden = "***"

// failureKind is the kind of a failure. The reader reports the kinds before integerText, the binder
// the others.
type failureKind uint8

const (
	syntax        failureKind = iota // what: the sentence
	badValue                         // what: the sentence; no value begins with this character
	badEnd                           // what: the sentence; the text ends where a value begins
	badNaN                           //
	nameCharacter                    // what: the character
	noColon                          // what: the character found instead
	endAfterName                     //
	semicolon                        //
	notClosed                        // what: the sentence
	notOpened                        // what: the sentence
	integerText                      // what: the value
	arrayGiven                       // what: the expected type of value
	badDate                          //
	notAcceptable                    // what: the sentence
	endOfObject                      //
	scalarBody                       // what: the value
	emptyBody                        //
	tooLarge                         //
)

// failure is the first fault in a body.
type failure struct {
	kind   failureKind
	what   string
	target string // the short name of the request type
	place  place
}

// fail returns a failure at the reader's position.
func (r *reader) fail(kind failureKind, what string) *failure {
	atRoot := r.state == atStart
	switch {
	case atRoot && (kind == badValue || kind == badEnd):
		kind = notOpened
	case kind == badValue:
		kind = syntax
	case kind == badEnd:
		kind = notClosed
	}
	return &failure{kind: kind, what: what, place: r.place()}
}

// echo returns a value from the client as a message may repeat it.
func (r *reader) echo(value string) string {
	if r.secret {
		return hidden
	}
	return capped(value, maxEchoUnits)
}

// fault returns the catalogue fault. Only this function maps failures to codes.
func (f *failure) fault() *fault.Fault {
	at := f.place
	switch f.kind {
	case badNaN:
		return fault.New(fault.BodyNaN, at.path, at.line, at.position)
	case noColon:
		if f.what == "=" {
			return fault.New(fault.BodyEqualsSign, at.path, at.line, at.position)
		}
		return fault.New(fault.BodyColonExpected, f.what, at.path, at.line, at.position)
	case endAfterName:
		return fault.New(fault.BodyNotClosed, "Unexpected end after a property name. "+at.String())
	case nameCharacter:
		return fault.New(fault.BodyNameCharacter, f.what, at.path, at.line, at.position)
	case semicolon:
		return fault.New(fault.BodySemicolon, at.path, at.line, at.position)
	case notClosed:
		return fault.New(fault.BodyNotClosed, f.what+" "+at.String())
	case notOpened:
		return fault.New(fault.BodyNotOpened, f.what+" "+at.String())
	case arrayGiven:
		return fault.New(fault.BodyArrayUnexpected, f.what, at.path, at.line, at.position)
	case badDate:
		return fault.New(fault.BodyDateTime, at.path)
	case integerText:
		return fault.New(fault.BodyIntegerText,
			"string", "integer", f.what, at.path, at.line, at.position)
	case notAcceptable:
		return fault.New(fault.ValueNotAcceptable, at.path, f.what)
	case endOfObject:
		return fault.New(fault.BodyUnexpectedEnd, at.path, at.line, at.position)
	case scalarBody:
		return fault.New(fault.BodyScalar, f.what, f.target, at.line, at.position)
	case emptyBody:
		return fault.New(fault.BodyNotOpened, "The request body holds no JSON object.")
	case tooLarge:
		return fault.New(fault.BodyUnreadable, "The request body is too large.")
	}
	return fault.New(fault.BodySyntax, f.what+" "+at.String())
}
