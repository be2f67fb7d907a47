package cli

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mintmark/client/admin"
	"mintmark/client/sandbox"
	"mintmark/internal/base/prompt"
)

// The exit codes.
const (
	Done         = 0
	Refused      = 1 // by a rule; not found; or the compared data differs
	InvalidUsage = 2 // wrong arguments, or an invalid body
	Unreachable  = 3 // no response, or one that is not from the service
	NotAllowed   = 4 // not signed in, or without the role
	Stale        = 5 // the resource has changed since
)

// ExitCodes describes the exit codes in the help of the program.
const ExitCodes = "Exit codes: 0 done, or waits for another operator; 1 refused by a rule, " +
	"not found, stopped, or the compared data differs; 2 not understood, or a question was not " +
	"answered; 3 not reachable; 4 not signed in, or not allowed; 5 changed meanwhile."

// codes maps problems to exit codes. Problems that a later service may add count as Refused.
var codes = map[string]int{
	admin.NotSignedIn:      NotAllowed,
	admin.NotAllowed:       NotAllowed,
	admin.NotFound:         Refused,
	admin.Invalid:          InvalidUsage,
	admin.Conflict:         Refused,
	admin.Stale:            Stale,
	admin.IfMatchRequired:  InvalidUsage,
	admin.NeedsApproval:    Done,
	admin.TooMany:          Refused,
	admin.MethodNotAllowed: InvalidUsage,
	admin.TooLarge:         InvalidUsage,
	admin.Unavailable:      Unreachable,
	admin.Internal:         Refused,
}

// ExitCode returns the exit code of a command that ended with err.
func ExitCode(err error) int {
	if err == nil {
		return Done
	}
	if problem, refused := problemIn(err); refused {
		if code, known := codes[problem.Name()]; known {
			return code
		}
		return Refused
	}
	switch {
	case errors.Is(err, errNoToken):
		return NotAllowed
	case errors.Is(err, admin.ErrBrokenAnswer) || errors.Is(err, sandbox.ErrBrokenAnswer) ||
		unreachable(err):
		return Unreachable
	}
	if _, wrong := as[*usageError](err); wrong || errors.Is(err, prompt.ErrUnanswered) {
		return InvalidUsage
	}
	return Refused
}

// Explain returns the message that is printed for an error.
func Explain(err error) string {
	problem, refused := problemIn(err)
	if !refused && unreachable(err) {
		return "the service does not answer: " + printable(err.Error())
	}
	if !refused {
		return err.Error()
	}
	var b strings.Builder
	b.WriteString(problem.Title)
	if problem.Detail != "" && len(problem.Errors) == 0 {
		b.WriteString(": " + problem.Detail)
	}
	if problem.Code != 0 {
		fmt.Fprintf(&b, " (code %d)", problem.Code)
	}
	text := printable(b.String())
	for _, e := range problem.Errors {
		pointer := e.Pointer
		if pointer == "" {
			pointer = "the request"
		}
		text += "\n  " + printable(pointer+": "+e.Detail)
	}
	if problem.RetryAfterSeconds > 0 {
		text += fmt.Sprintf("\n  Try again in %d s.", problem.RetryAfterSeconds)
	}
	if problem.Name() == admin.Internal && problem.RequestID != "" {
		text += "\n  The log of the service tells more about request " +
			printable(problem.RequestID) + "."
	}
	return text
}

// notANumber matches the parser's message about a value that is not a number.
var notANumber = regexp.MustCompile(
	`: expected an? (?:valid [0-9]+ bit )?(u?int|float) but got (".*?")(?: \(.*\))?$`)

// PlainWords returns the message that is printed for invalid arguments.
func PlainWords(err error) string {
	text := printable(err.Error())
	at := notANumber.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	must := " must be a whole number, not "
	if text[at[2]:at[3]] == "float" {
		must = " must be a number such as 12.50, not "
	}
	return text[:at[0]] + must + text[at[4]:at[5]]
}

// errNoToken reports that there is no token to sign in with.
var errNoToken = errors.New("no token: set MINTMARK_TOKEN, or name a file with --token-file")

// usageError is an error in the use of a command.
type usageError struct{ cause error }

// Error returns the message of the cause.
func (e *usageError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *usageError) Unwrap() error { return e.cause }

func newUsageError(format string, args ...any) error {
	return &usageError{fmt.Errorf(format, args...)}
}

func problemIn(err error) (*admin.Problem, bool) { return as[*admin.Problem](err) }

// as returns the first error of type E that err wraps.
func as[E error](err error) (E, bool) {
	var e E
	ok := errors.As(err, &e)
	return e, ok
}
