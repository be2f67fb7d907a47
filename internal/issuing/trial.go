package issuing

import (
	"mintmark/internal/domain/fault"
)

// Trial is asked at which check of an act a fault rule has it refused. Both methods return the
// fault to refuse with, nil for the act to go on. They may be asked again when a transaction is run
// again.
type Trial interface {
	// Before is asked before the last check of a kind is made, once those before it have passed.
	Before(kind fault.Kind) error

	// Outcome is asked when the act has ended, with the fault that it is refused with, if any.
	Outcome(refusal error) error
}
