package inspect

import (
	"context"
	"time"

	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/postgres"
)

// ServerUpkeep describes the upkeep of a PostgreSQL server.
type ServerUpkeep struct {
	Settings map[string]string

	Connections  int           // of all programs
	Oldest       time.Duration // the age of the oldest transaction on this database
	Prepared     int           // transactions that wait for the second phase of their commit
	Age          int64         // transactions since the oldest one that a row may still name
	CollationWas string        // the version of the collation with which the indexes were built
	CollationIs  string
	Standbys     int
	IdleSlots    []string // replication slots without a reader

	Archived, ArchiveFailed time.Time // when the log was last archived, and when that last failed
}

const (
	moreSettings = `SELECT name, setting FROM pg_settings WHERE name IN ('archive_mode',
		'autovacuum', 'max_connections', 'server_encoding', 'synchronous_standby_names',
		'track_counts')`
	moreState = `SELECT
		(SELECT COUNT(*) FROM pg_stat_activity WHERE backend_type = 'client backend'),
		COALESCE((SELECT CAST(MAX(EXTRACT(EPOCH FROM clock_timestamp() - xact_start)) AS BIGINT)
			FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()
				AND backend_type = 'client backend'), 0),
		(SELECT COUNT(*) FROM pg_prepared_xacts), CAST(age(datfrozenxid) AS BIGINT),
		COALESCE(datcollversion, ''), COALESCE(pg_database_collation_actual_version(oid), ''),
		(SELECT COUNT(*) FROM pg_stat_replication),
		(SELECT CAST(EXTRACT(EPOCH FROM last_archived_time) * 1000 AS BIGINT)
			FROM pg_stat_archiver),
		(SELECT CAST(EXTRACT(EPOCH FROM last_failed_time) * 1000 AS BIGINT)
			FROM pg_stat_archiver)
		FROM pg_database WHERE datname = current_database()`
	idleSlots = `SELECT CAST(slot_name AS TEXT) FROM pg_replication_slots WHERE NOT active
		ORDER BY slot_name`
)

func (f *ServerUpkeep) look(s db.Session) error {
	var seconds int64
	err := s.Query(
		db.Query{Text: moreSettings, Each: func(row db.Scan) error {
			var name, value string
			err := row(&name, &value)
			f.Settings[name] = value
			return err
		}},
		db.Row([]any{
			&f.Connections, &seconds, &f.Prepared, &f.Age, &f.CollationWas, &f.CollationIs,
			&f.Standbys, db.Time{To: &f.Archived}, db.Time{To: &f.ArchiveFailed},
		}, moreState),
		db.Rows(&f.IdleSlots, readText, idleSlots))
	f.Oldest = time.Duration(seconds) * time.Second
	return err
}

// EarlierNodes returns the addresses of programs that know only one digest of a card number: those
// of versions before digest keys were rotated, whose connections have another application name.
func EarlierNodes(ctx context.Context, url string) (from []string, err error) {
	_, err = postgres.LookInto(ctx, url, func(s db.Session) error {
		var err error
		from, err = db.List(s, readText, earlierNodes)
		return err
	})
	return from, err
}

const earlierNodes = `SELECT DISTINCT COALESCE(host(client_addr), 'this machine')
	FROM pg_stat_activity
	WHERE datname = current_database() AND application_name = 'mintmark' ORDER BY 1`
