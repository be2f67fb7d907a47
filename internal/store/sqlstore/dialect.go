package sqlstore

// dialect is all that differs between the databases. The queries do not.
type dialect struct {
	// beginView and beginUpdate begin a transaction that sees one stable picture, and one that
	// may write.
	beginView, beginUpdate string

	// rowLock stands behind a SELECT of a single card in an Update, where the database needs to
	// be told that the row is about to change.
	rowLock string

	// classify turns an error of the driver into one of package store, by its code. What has no
	// class is wrapped, so that nobody above the store meets a driver's error.
	classify func(error) error
}
