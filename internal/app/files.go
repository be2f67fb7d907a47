package app

import (
	"log/slog"

	"mintmark/internal/base/platform"
)

// otherFiles is the maximum number of open files that are not connections of callers and operators:
// connections being refused, the database and the log.
const otherFiles = 300

// files returns how many files may be open under these limits.
func (l Limits) files() int { return l.Connections + l.AdminConnections + otherFiles }

// withinFiles returns how many callers' connections the limit of open files allows. At that limit a
// process cannot even refuse a new connection.
func withinFiles(limits Limits, log *slog.Logger) int {
	connections, wanted := limits.Connections, limits.files()
	files, err := platform.OpenFiles()
	if err != nil {
		log.Warn("reading the open file limit failed", "error", err)
		return connections
	}
	if files >= uint64(wanted) {
		return connections
	}
	room := max(1, connections+int(files)-wanted)
	log.Warn("open file limit is too low for limits.connections, which is lowered",
		"files", files, "limits.connections", connections, "connections", room)
	return room
}
