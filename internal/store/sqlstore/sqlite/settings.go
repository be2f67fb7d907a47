package sqlite

// Settings of a connection. FULL makes every commit wait for the disk. The busy timeout, in
// milliseconds, is for other processes that write to the same file: the Updates of this one wait in
// the commit queue. What a savepoint needs to be undone stays in memory: it is of no use after a
// crash. A negative cache size is in KiB: room for the upper pages of the indexes of some million
// cards.
//
// The engine writes the log back itself, so SQLite does not: see checkpoint. A log that has grown
// beyond its size limit, in bytes, because a reader held on to it or one transaction was large,
// shrinks to that when it begins anew.
//
// What is deleted is overwritten with zeros, so that a PIN that has expired does not stay in the
// file. The cheaper FAST leaves traces in pages that have become free. Acts free no pages, only the
// job that deletes old idempotency records does.
var (
	bothSettings   = []string{"busy_timeout = 5000", "foreign_keys = 1"}
	writerSettings = append(bothSettings[:2:2], "journal_mode = WAL", "synchronous = FULL",
		"temp_store = MEMORY", "cache_size = -16000", "wal_autocheckpoint = 0",
		"journal_size_limit = 67108864", "secure_delete = ON")
	readerSettings = append(bothSettings[:2:2], "query_only = 1", "cache_size = -8000")
)

// logLimit is how many pages the log has when it is written back into the file. The next commit
// waits for that. With SQLite's own thousand that would be one commit in a few.
const (
	logLimit      = 8000
	smallLogLimit = 1000 // of a process that gives way to another
)
