package doctor

import (
	"fmt"
	"strings"

	"mintmark/internal/store/sqlstore/postgres"
)

// leastServer is the oldest version of PostgreSQL that Mintmark supports.
const leastServer = 150000

// setOn is the cure for a setting that can be set in three places.
const setOn = "set it to on for the server, the database and the user"

// server judges the PostgreSQL server.
func (r *Report) server(s postgres.Condition) {
	f := Finding{
		Name: "server version", Result: OK, Found: s.Settings["server_version"],
		Why: "Mintmark is tested on PostgreSQL 15 and newer", Cure: "upgrade the server",
	}
	if s.Version < leastServer {
		f.Result = Failed
	}
	r.add(f)
	for _, one := range []struct {
		setting string
		result  Result // if it is off
		why     string
		cure    string
	}{
		{"fsync", Failed, "committed changes are lost when the machine stops", setOn},
		{"full_page_writes", Failed, "a half-written page cannot be repaired after a crash",
			setOn},
		{"synchronous_commit", Failed, "committed changes are lost when the server crashes", setOn},
		{"data_checksums", Warning, "data corrupted by a disk goes unnoticed",
			"stop the server, run pg_checksums --enable on its data directory, start it again"},
	} {
		f := Finding{
			Name: one.setting, Result: OK, Found: s.Settings[one.setting], Why: one.why,
			Cure: one.cure,
		}
		if f.Found == "off" || f.Found == "local" && one.setting == "synchronous_commit" {
			f.Result = one.result
		}
		r.add(f)
	}
	r.connection(s)
	r.sound(s)
}

func (r *Report) connection(s postgres.Condition) {
	f := Finding{
		Name: "connection", Result: OK, Found: "encrypted",
		Why:  "names, birth dates and the password of the database cross the network in plain text",
		Cure: "sslmode=verify-full in the connection string, and a certificate on the server",
	}
	switch {
	case s.Encrypted:
	case s.Local:
		f.Found = "not encrypted, to this machine"
	default:
		f.Result, f.Found = Failed, "not encrypted, to another machine"
	}
	r.add(f)
}

// sound reports damage that the server itself has detected.
func (r *Report) sound(s postgres.Condition) {
	f := Finding{
		Name: "constraints", Result: OK, Found: "all are valid for all rows",
		Why:  "rows may violate a constraint that the program relies on",
		Cure: "ALTER TABLE ... VALIDATE CONSTRAINT, or REINDEX INDEX CONCURRENTLY",
	}
	if len(s.Invalid) > 0 {
		f.Result, f.Found = Failed, "not valid: "+strings.Join(s.Invalid, ", ")
	}
	r.add(f)
	f = Finding{
		Name: "checksums", Result: OK, Found: "no damaged page found",
		Why:  "the disk of the server damages data",
		Cure: "switch to the standby, and replace the disk",
	}
	if s.Settings["data_checksums"] == "off" {
		f.Found = "none are kept, see data_checksums"
	}
	if s.BadPages > 0 {
		f.Result, f.Found = Failed, fmt.Sprintf("%d damaged pages found", s.BadPages)
	}
	r.add(f)
}
