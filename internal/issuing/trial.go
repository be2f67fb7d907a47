package issuing

import (
	"mintmark/internal/domain/fault"
)

// Trial decides at which check a fault rule of a sandbox refuses an act. Both methods return the
// fault of the refusal, or nil to continue, and may be called again when a transaction is retried.
type Trial interface {
	// Before is called before the last check of a kind, once the checks before it have passed.
	Before(kind fault.Kind) error

	// Outcome is called at the end of the act, with the fault of its refusal, if any.
	Outcome(refusal error) error
}
