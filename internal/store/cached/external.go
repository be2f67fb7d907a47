package cached

import "context"

// External tells of commits by other processes.
type External interface {
	// OnExternalCommit sets a function that is called when another process is found to have
	// committed: by Fresh, or before an Update that could see what it wrote.
	OnExternalCommit(changed func())
	// Fresh reports whether external commits were looked for within the last half second.
	Fresh(ctx context.Context) bool
}
