package cached

import "context"

// Foreign tells of commits by other processes.
type Foreign interface {
	// OnForeignCommit sets a function that is called when another process is found to have
	// committed: by Fresh, or before an Update that could see what it wrote.
	OnForeignCommit(changed func())
	// Fresh reports whether foreign commits were looked for within the last half second.
	Fresh(ctx context.Context) bool
}
