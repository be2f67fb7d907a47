package doctor

import (
	"fmt"
	"strings"

	"mintmark/internal/store/sqlstore/postgres"
)

// minServer is the oldest supported version of PostgreSQL.
const minServer = 150000

// server checks whether a PostgreSQL server loses no acknowledged change.
func (r *Report) server(s postgres.Condition) {
	result := OK
	if s.Version < minServer {
		result = Failed
	}
	r.find("server version", result, "%s", s.Settings["server_version"])
	for _, entry := range []struct {
		setting string
		off     Result
	}{
		{"fsync", Failed}, {"full_page_writes", Failed}, {"synchronous_commit", Failed},
		{"data_checksums", Warning},
	} {
		result, text := OK, s.Settings[entry.setting]
		if text == "off" || text == "local" && entry.setting == "synchronous_commit" {
			result = entry.off
		}
		r.find(entry.setting, result, "%s", text)
	}
	r.connection(s)
	r.sound(s)
}

func (r *Report) connection(s postgres.Condition) {
	switch {
	case s.Encrypted:
		r.find("connection", OK, "encrypted")
	case s.Local:
		r.find("connection", OK, "not encrypted, to this machine")
	default:
		r.find("connection", Failed, "not encrypted, to another machine")
	}
}

// sound reports damage that the server itself has detected.
func (r *Report) sound(s postgres.Condition) {
	if len(s.Invalid) > 0 {
		r.find("constraints", Failed, "not valid: %s", strings.Join(s.Invalid, ", "))
	} else {
		r.find("constraints", OK, "all are valid for all rows")
	}
	f := Finding{Name: "checksums", Result: OK, Found: "no damaged page found"}
	if s.Settings["data_checksums"] == "off" {
		f.Found = "none are kept, see data_checksums"
	}
	if s.BadPages > 0 {
		f.Result, f.Found = Failed, fmt.Sprintf("%d damaged pages found", s.BadPages)
	}
	r.add(f)
}
