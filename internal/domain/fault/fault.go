// Package fault is the catalogue of every error that the service may return: one row per fault,
// with the numeric code, the HTTP status and the message that the interface fixes (interface
// §10.2), and the meaning and the cure that the manual prints. The packages above return values of
// this package; the JSON face responds with these errors only.
//
// The rows are in the catalogue_*.go files. Nothing is registered at run time.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Kind identifies a row of the catalogue. A code cannot, because the interface gives 150801 two
// meanings, so two rows share it.
type Kind int

// Entry is a row of the catalogue.
type Entry struct {
	Kind Kind
	Code int // the interface's number for the fault
	HTTP int // HTTP status of a response that has only this fault

	// Message is the message for the caller. A blank is a name in braces; arguments fill the blanks
	// in order.
	Message string

	Meaning string // for the manual: when the fault is returned
	Cure    string // for the manual: what the caller can do

	// Transient is true if the same request may have a different result later. A response with the
	// fault is not stored under an idempotency key.
	Transient bool

	// Reserved is the reason why no known request causes the fault; empty if one does. A fault rule
	// of a sandbox can return some of these faults on demand.
	Reserved string
}

// Fault is a catalogue row with arguments for the blanks of its message.
type Fault struct {
	Kind Kind
	Args []any

	// RetryAfter, unless zero, is how long the caller should wait (50429, 50503).
	RetryAfter time.Duration
}

// New returns the fault of a kind. The arguments fill the blanks of its message in order; a test of
// the whole tree compares their number with the row.
func New(kind Kind, args ...any) *Fault {
	return &Fault{Kind: kind, Args: args}
}

// Entry returns the catalogue row of the fault.
func (f *Fault) Entry() *Entry { return Lookup(f.Kind) }

// Code returns the interface's number for the fault.
func (f *Fault) Code() int { return f.Entry().Code }

// HTTP returns the HTTP status of a response that has only this fault.
func (f *Fault) HTTP() int { return f.Entry().HTTP }

// Message returns the message for the caller, with its blanks filled.
func (f *Fault) Message() string {
	var b strings.Builder
	rest := f.Entry().Message
	for _, arg := range f.Args {
		before, after, ok := cutBlank(rest)
		if !ok {
			break
		}
		b.WriteString(before)
		fmt.Fprint(&b, arg)
		rest = after
	}
	b.WriteString(rest)
	return b.String()
}

// Error returns the code and the message, for logs and tests.
func (f *Fault) Error() string { return fmt.Sprintf("%d: %s", f.Code(), f.Message()) }

// Is reports whether target is a fault of the same kind, with any arguments.
func (f *Fault) Is(target error) bool {
	other, ok := target.(*Fault)
	return ok && other.Kind == f.Kind
}

// List holds the faults of one stage of checks, in the order of the checks. As an error it is never
// empty; see Err.
type List []*Fault

// Add appends a fault.
func (l *List) Add(kind Kind, args ...any) { *l = append(*l, New(kind, args...)) }

// Err returns the list as an error, or nil if it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Error returns the faults, separated by semicolons.
func (l List) Error() string {
	texts := make([]string, len(l))
	for i, f := range l {
		texts[i] = f.Error()
	}
	return strings.Join(texts, "; ")
}

// Unwrap lets errors.Is and errors.As inspect each fault of the list.
func (l List) Unwrap() []error {
	errs := make([]error, len(l))
	for i, f := range l {
		errs[i] = f
	}
	return errs
}

// All returns the faults in err, or nil if err has none.
func All(err error) List {
	if list := (List)(nil); errors.As(err, &list) {
		return list
	}
	if f := (*Fault)(nil); errors.As(err, &f) {
		return List{f}
	}
	return nil
}

// Transient reports whether the same request may have a different result later. An error outside
// the catalogue is transient: the response is Incident.
func Transient(err error) bool {
	faults := All(err)
	return len(faults) == 0 || faults[0].Entry().Transient
}

// cutBlank splits a message template around its first blank.
func cutBlank(template string) (before, after string, ok bool) {
	open := strings.IndexByte(template, '{')
	if open < 0 {
		return template, "", false
	}
	end := strings.IndexByte(template[open:], '}')
	if end < 0 {
		return template, "", false
	}
	return template[:open], template[open+end+1:], true
}
