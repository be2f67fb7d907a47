package sqlite

import "context"

// UsersFile is for the recording of what an engine does to its files.
const UsersFile = usersFile

// OpenWith opens an engine with settings of its own for the writer, which come after the ordinary
// ones, and with a limit of its own for the log.
func OpenWith(
	ctx context.Context, path string, options Options, logLimit int, settings ...string,
) (*Engine, error) {
	e, err := openFile(ctx, path, withSettings(settings...), options)
	if err == nil {
		e.logLimit = logLimit
	}
	return e, err
}
