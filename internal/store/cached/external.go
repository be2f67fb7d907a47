package cached

import "context"

// External reports commits by other processes.
type External interface {
	// OnExternalCommit sets the function to call when another process turns out to have committed:
	// from Fresh, or before an Update that could see what it wrote.
	OnExternalCommit(changed func())
	// Fresh reports whether the engine has checked for external commits within the last half
	// second.
	Fresh(ctx context.Context) bool
}
