package app

import (
	"log/slog"
	"syscall"
)

// otherFiles is how many files are open beside the connections of callers, at most: those of
// operators, those that are told that there is no room, the database and the log.
const otherFiles = 400

// withinFiles returns how many connections of callers the file limit allows. A process without a
// free file leaves a new connection waiting, unanswered.
func withinFiles(connections int, log *slog.Logger) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		log.Warn("the limit of open files cannot be read", "error", err)
		return connections
	}
	if files.Cur >= uint64(connections)+otherFiles {
		return connections
	}
	room := max(1, int(files.Cur)-otherFiles)
	log.Warn("the limit of open files is too low for limits.connections, which is lowered",
		"files", files.Cur, "limits.connections", connections, "connections", room)
	return room
}
