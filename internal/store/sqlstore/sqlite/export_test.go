package sqlite

import "context"

// UsersFile is exported for the recording of what an engine does to its files.
const UsersFile = usersFile

// OpenWith opens an engine with additional settings for the writer, applied after the ordinary
// ones, and with the given limit for the log.
func OpenWith(
	ctx context.Context, path string, options Options, logLimit int, settings ...string,
) (*Engine, error) {
	e, err := openFile(ctx, path, withSettings(settings...), options)
	if err == nil {
		e.logLimit = logLimit
	}
	return e, err
}
