// Package inspect examines and copies whole databases. It examines a database before a server opens
// it or beside a running server, without changing anything: which installation the database belongs
// to, its condition, and what is waiting in it. It copies a database while nodes use it: an
// embedded one as a file, one on a server table by table, in the row format of COPY, from which
// package backup makes a file. The engines open the database; the statements on tables that acts
// use are those of package sqlstore.
package inspect

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/db"
	"mintmark/internal/store/sqlstore/migrations"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
)

// Found describes a database before its tables are brought up to date.
type Found struct {
	Tables               bool  // some version of the program has created tables
	Older                error // ErrSchema, with both versions, if opening the database would migrate it
	HasInstallationTable bool  // there is a table for the installation
	Programs             int

	Installation *store.InstallationRecord // nil when there is none
	PAN          *store.SealedNumber       // of some card, to try keys on; nil without cards
}

// LookFile examines the file of an embedded database before its tables are brought up to date. It
// finds which installation the database belongs to.
func LookFile(ctx context.Context, path string) (Found, error) {
	var problems Found
	_, err := sqlite.LookInto(ctx, path, false, func(s db.Session) error {
		return problems.look(s, migrations.SQLite,
			`SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1)`)
	})
	return problems, err
}

// LookServer is LookFile for a database on a PostgreSQL server.
func LookServer(ctx context.Context, url string) (Found, error) {
	var problems Found
	_, err := postgres.LookInto(ctx, url, func(s db.Session) error {
		return problems.look(s, migrations.PostgreSQL, `SELECT to_regclass($1) IS NOT NULL`)
	})
	return problems, err
}

// look fills in f. The query exists reports whether a table of a given name exists.
func (f *Found) look(s db.Session, database, exists string) error {
	var pans, versions bool
	for table, there := range map[string]*bool{
		"programs": &f.Tables, "installation": &f.HasInstallationTable, "card_numbers": &pans,
		"goose_db_version": &versions,
	} {
		if _, err := db.Find(s, []any{there}, exists, table); err != nil {
			return err
		}
	}
	if versions {
		schema, known, err := schemaOf(s, database)
		if err != nil {
			return err
		}
		if schema < known {
			f.Older = otherSchema(schema, known)
		}
	}
	if f.Tables {
		const countPrograms = `SELECT COUNT(*) FROM programs`
		if _, err := db.Find(s, []any{&f.Programs}, countPrograms); err != nil {
			return err
		}
	}
	if f.HasInstallationTable {
		installationRecord, err := sqlstore.Reading(s).Installation().Find()
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
		if err == nil {
			f.Installation = &installationRecord
		}
	}
	if !pans {
		return nil
	}
	const firstPAN = `SELECT card_id, digest, sealed FROM card_numbers ORDER BY card_id LIMIT 1`
	var p store.SealedNumber
	issued, err := db.Find(s, []any{&p.CardID, &p.Digest.First, &p.Sealed}, firstPAN)
	if issued {
		f.PAN = &p
	}
	return err
}

// Condition is the result of examining a database. A server may use the database meanwhile.
type Condition struct {
	Engine string // the software and its version

	// Schema is the newest migration of the database, Known the newest of this program. The fields
	// below are filled in only if they are equal.
	Schema, Known int64

	NewestAct   time.Time // in the audit; this and the next three are zero when there is none
	OldestOrder time.Time // that waits for the processor
	OldestPin   time.Time // that waits for the processor
	OldestReply time.Time // stored for an idempotency key

	Jobs []store.JobState

	Sealing   Sealing
	People    People
	Waiting   Waiting
	Resealing Resealing

	LogBytes int64    // length of the embedded database's log
	Damage   []string // found by a deep examination of an embedded database

	// Server and ServerUpkeep are nil for an embedded database.
	Server     *postgres.Condition
	ServerMore *ServerUpkeep
}

// File examines an embedded database; a deep examination reads every page.
func File(ctx context.Context, path string, deep bool) (Condition, error) {
	var c Condition
	look, err := sqlite.LookInto(ctx, path, deep, func(s db.Session) error {
		return c.examine(s, migrations.SQLite)
	})
	c.LogBytes, c.Damage = look.LogBytes, look.Damage
	if look.Version != "" {
		c.Engine = "SQLite " + look.Version
	}
	return c, err
}

// Server examines a database on a PostgreSQL server, over a connection configured like those of
// serve.
func Server(ctx context.Context, url string) (Condition, error) {
	var c Condition
	condition, err := postgres.LookInto(ctx, url, func(s db.Session) error {
		c.ServerMore = &ServerUpkeep{Settings: make(map[string]string)}
		if err := c.ServerMore.look(s); err != nil {
			return err
		}
		return c.examine(s, migrations.PostgreSQL)
	})
	c.Server = condition
	if condition != nil {
		c.Engine = "PostgreSQL " + condition.Settings["server_version"]
	}
	return c, err
}

// The queries for both databases.
const (
	newestMigration = `SELECT MAX(version_id) FROM goose_db_version`
	newestAct       = `SELECT acted_at FROM audit ORDER BY audit_id DESC LIMIT 1`
	oldestOrder     = `SELECT created_at FROM orders
		WHERE done_at IS NULL AND (kind <> 'pin' OR pin_expired_at IS NULL)
		ORDER BY order_id LIMIT 1`
	oldestPin = `SELECT created_at FROM orders WHERE sealed_pin IS NOT NULL
		ORDER BY created_at, order_id LIMIT 1`
	oldestReply = `SELECT answered_at FROM replays ORDER BY answered_at LIMIT 1`
)

func (c *Condition) examine(s db.Session, database string) error {
	var err error
	if c.Schema, c.Known, err = schemaOf(s, database); err != nil {
		return err
	}
	if c.Schema != c.Known {
		return nil
	}
	for text, to := range map[string]*time.Time{
		newestAct: &c.NewestAct, oldestOrder: &c.OldestOrder, oldestPin: &c.OldestPin,
		oldestReply: &c.OldestReply,
	} {
		if _, err := db.Find(s, []any{db.Time{To: to}}, text); err != nil {
			return err
		}
	}
	r := sqlstore.Reading(s)
	if c.Jobs, err = r.Jobs().List(); err != nil {
		return err
	}
	if err := c.Sealing.look(s, r); err != nil {
		return err
	}
	if err := c.People.look(s, r); err != nil {
		return err
	}
	if err := c.Waiting.look(s); err != nil {
		return err
	}
	return c.Resealing.look(s, r)
}
