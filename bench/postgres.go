package main

import (
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of the other database

	"mintmark/internal/testkit/pgtest"
)

// postgres measures PostgreSQL, on a server that is started when it is first needed and ends with
// the run. Each data directory has a database on it.
type postgres struct {
	url string // of the server
}

func (*postgres) name() string  { return "postgresql" }
func (*postgres) bytes() string { return "sha256(CAST('digest ' || (i * 10 + j) AS BYTEA))" }

func (*postgres) sections(b *bench) []section {
	return []section{
		{"speed", b.speed}, {"reads", b.rowReads}, {"limits", b.clientLimits}, {"growth", b.growth},
	}
}

func (*postgres) missing() string {
	programs, err := pgtest.Programs()
	if err != nil {
		return err.Error()
	}
	if _, err := os.Stat(pgbench(programs)); err != nil {
		return "pgbench, which comes with the server's programs, is not there"
	}
	return ""
}

// pgbench returns the path of the tool, which comes with the server.
func pgbench(programs string) string { return filepath.Join(programs, "pgbench") }

// serverSettings are the settings of a small server. Its cache and its checkpoints must not decide
// a comparison of a small and a large database.
var serverSettings = []string{"shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=1h"}

// poolSize is the number of connections of the program, and of the bare handler beside it.
const poolSize = 16

// of returns the connection string of the database that belongs to a data directory.
func (p *postgres) of(directory string) string {
	return pgtest.Within(p.url, databaseOf(directory))
}

// databaseOf returns the name of the database that belongs to a data directory, of any run.
func databaseOf(directory string) string {
	return filepath.Base(filepath.Dir(directory)) + "-" + filepath.Base(directory)
}

func (p *postgres) settings(directory string) string { return settingsOf(p.of(directory)) }

// settingsOf returns the lines that make the program use a database.
func settingsOf(database string) string {
	parsed, err := url.Parse(database)
	if err != nil {
		panic(err) // it was created here
	}
	query := parsed.Query()
	query.Set("pool_max_conns", strconv.Itoa(poolSize))
	parsed.RawQuery = query.Encode()
	return fmt.Sprintf("database: {url: %q}\n", parsed)
}

// run runs a statement on the server, outside our databases.
func (p *postgres) run(format string, args ...any) error {
	db, err := sql.Open("pgx", p.url)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(fmt.Sprintf(format, args...))
	return err
}

func (p *postgres) make(directory string) (err error) {
	if p.url == "" {
		p.url, err = pgtest.Start(serverSettings...)
		if err != nil {
			return err
		}
	}
	return p.run(`CREATE DATABASE %q`, databaseOf(directory))
}

func (p *postgres) open(directory string) (*sql.DB, error) {
	db, err := sql.Open("pgx", p.of(directory))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	// The rows are known to be consistent, so the server need not check references.
	_, err = db.Exec("SET session_replication_role = replica")
	return db, err
}

func (*postgres) settle(db *sql.DB) error {
	for _, text := range []string{"VACUUM ANALYZE", "CHECKPOINT"} {
		if _, err := db.Exec(text); err != nil {
			return err
		}
	}
	return nil
}

func (p *postgres) copy(from, to string) error {
	err := p.run(`CREATE DATABASE %q TEMPLATE %q STRATEGY file_copy`,
		databaseOf(to), databaseOf(from))
	if err != nil {
		return err
	}
	return copyFiles(from, to)
}
