package doctor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/store/sqlstore/inspect"
)

// The limits above which an operator should look into a server.
const (
	longTransaction = 10 * time.Minute
	oldNumbers      = 1_000_000_000
	tooOldNumbers   = 1_800_000_000
)

// upkeep checks the statistics of a PostgreSQL server.
func (r *Report) upkeep(p Installation, s inspect.ServerUpkeep) {
	judge := func(name string, good bool, bad Result, format string, args ...any) {
		result := OK
		if !good {
			result = bad
		}
		r.find(name, result, format, args...)
	}
	encoding := s.Settings["server_encoding"]
	judge("encoding", encoding == "UTF8", Failed, "%s", encoding)
	judge("collation", s.CollationWas == s.CollationIs, Failed, "%s",
		sorted(s.CollationWas, s.CollationIs))
	judge("autovacuum", s.Settings["autovacuum"] == "on" && s.Settings["track_counts"] == "on",
		Failed, "%s, track_counts %s", s.Settings["autovacuum"], s.Settings["track_counts"])
	age := Warning
	if s.Age > tooOldNumbers {
		age = Failed
	}
	judge("transaction numbers", s.Age < oldNumbers, age, "%d since the oldest", s.Age)
	judge("long transactions", s.Oldest < longTransaction && s.Prepared == 0, Warning,
		"the oldest has run for %v, %d are prepared", s.Oldest, s.Prepared)
	// A server that does not report its limit counts as having no room.
	most, _ := strconv.Atoi(s.Settings["max_connections"])
	judge("connections", s.Connections*5 < most*4, Warning, "%d of %d", s.Connections, most)
	names := s.Settings["synchronous_standby_names"]
	judge("standby", names == "" || s.Standbys > 0, Failed, "%d connected", s.Standbys)
	judge("replication slots", len(s.IdleSlots) == 0, Warning, "%s", idle(s.IdleSlots))
	r.archiving(s)
}

func sorted(was, current string) string {
	if was == current {
		return "as the indexes were made"
	}
	return fmt.Sprintf("the indexes were made with version %s, the system has %s", was, current)
}

func idle(slots []string) string {
	if len(slots) == 0 {
		return "none is idle"
	}
	return "no server reads " + strings.Join(slots, ", ")
}

// archiving checks whether the log of the server is archived.
func (r *Report) archiving(s inspect.ServerUpkeep) {
	switch mode := s.Settings["archive_mode"]; {
	case mode == "off":
		r.find("archiving", Warning, "the log is not archived")
	case s.ArchiveFailed.After(s.Archived):
		r.find("archiving", Failed, "it has failed since %s", moment(s.ArchiveFailed))
	case s.Archived.IsZero():
		r.find("archiving", OK, "%s, nothing yet", mode)
	default:
		r.find("archiving", OK, "the last part at %s", moment(s.Archived))
	}
}
