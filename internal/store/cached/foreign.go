package cached

import "context"

// Foreign tells of commits by other processes.
type Foreign interface {
	// OnForeignCommit sets a function that is called when another process has committed: before
	// any Update, and otherwise as soon as Fresh finds out.
	OnForeignCommit(changed func())
	// Fresh reports whether foreign commits were looked for within the last half second.
	Fresh(ctx context.Context) bool
}
