package sqlstore

// dialect is all that differs between the databases. The queries do not.
type dialect struct {
	// beginView and beginUpdate begin a transaction that sees one stable picture, and one that
	// may write.
	beginView, beginUpdate string

	// groupLimit is how many Updates may share a transaction: 0 where each has its own, because
	// the database lets several write at once.
	groupLimit int

	// embedded says that nobody but this process and the operator's commands use the database.
	embedded bool

	// classify turns an error of the driver into one of package store, by its code. What has no
	// class is wrapped, so that nobody above the store meets a driver's error.
	classify func(error) error
}
