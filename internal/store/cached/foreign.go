package cached

import "context"

// Foreign tells of commits by other processes.
type Foreign interface {
	// OnForeignCommit has a function called before anything could be read that another process
	// has written, but for what Fresh leaves open.
	OnForeignCommit(changed func())
	// Fresh reports whether foreign commits were looked for within the last moments.
	Fresh(ctx context.Context) bool
}
