package sqlite

// Settings of a connection:
//
//   - synchronous=FULL makes every commit wait for the disk.
//   - busy_timeout, in milliseconds, is for writes by other processes. Updates of this process wait
//     in the commit queue.
//   - temp_store=MEMORY keeps the undo pages of savepoints in memory: a crash makes them useless.
//   - cache_size is in KiB when negative. It holds the upper pages of the indexes of some million
//     cards.
//   - wal_autocheckpoint=0, because the engine writes the log back itself: see checkpoint.
//   - journal_size_limit, in bytes, shrinks a log that a long read or a large write has grown.
//   - secure_delete=ON overwrites deleted rows with zeros, so that an expired PIN does not stay in
//     the file. The cheaper FAST leaves traces in freed pages.
var (
	bothSettings   = []string{"busy_timeout = 5000", "foreign_keys = 1"}
	writerSettings = append(bothSettings[:2:2], "journal_mode = WAL", "synchronous = FULL",
		"temp_store = MEMORY", "cache_size = -16000", "wal_autocheckpoint = 0",
		"journal_size_limit = 67108864", "secure_delete = ON")
	readerSettings = append(bothSettings[:2:2], "query_only = 1", "cache_size = -8000")
)

// logLimit is the number of pages at which the log is written back into the file, while the next
// commit waits. With SQLite's default of 1000 pages, every few commits would wait.
const (
	logLimit      = 8000
	smallLogLimit = 1000 // of a process with Options.DoNotWait
)
