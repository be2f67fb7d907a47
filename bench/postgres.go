package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5"

	"mintmark/internal/pgtest"
)

// postgres measures PostgreSQL, on a server that is started when it is first needed and ends with
// the run. Beside each data directory there is a database on it, which is named like the directory.
type postgres struct {
	url string // of the server
}

func (*postgres) name() string { return "postgresql" }

func (*postgres) sections(b *bench) []section {
	return []section{{"reads", b.rowReads}, {"limits", b.clientLimits}, {"growth", b.growth},
		{"loading", b.loading}}
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

// pgbench is where the tool is that comes with the server.
func pgbench(programs string) string { return filepath.Join(programs, "pgbench") }

// serverSettings are those of a small server. What is in a cache of the server, or waits for a
// checkpoint, must not decide over a comparison of a small and a large database.
var serverSettings = []string{"shared_buffers=1GB", "max_wal_size=8GB", "checkpoint_timeout=1h"}

// run runs statements on a database.
func (p *postgres) run(url string, statements ...string) error {
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, text := range statements {
		if _, err := conn.Exec(ctx, text); err != nil {
			return fmt.Errorf("%w, from %s", err, text)
		}
	}
	return nil
}

// of is the connection string of the database that goes with a data directory.
func (p *postgres) of(directory string) string {
	return pgtest.Within(p.url, filepath.Base(directory))
}

func (p *postgres) settings(directory string) string {
	return fmt.Sprintf("database: {url: %q}\n", p.of(directory))
}

// randomBytes writes what the embedded database has a function for.
var randomBytes = strings.NewReplacer(
	"randomblob(32)", "sha256(CAST('digest ' || (i * 10 + j) AS BYTEA))",
	"randomblob(60)", "CAST(repeat('sealed', 10) AS BYTEA)")

func (p *postgres) fill(program, directory string, cards int) error {
	var err error
	if p.url == "" {
		p.url, err = pgtest.Start(serverSettings...)
		if err != nil {
			return err
		}
	}
	err = p.run(p.url, fmt.Sprintf(`CREATE DATABASE %q`, filepath.Base(directory)))
	if err != nil {
		return err
	}
	if err := loadDemo(program, directory, p.settings(directory)); err != nil {
		return err
	}
	// The rows are known to fit together, so nobody has to look up what they refer to.
	statements := []string{"SET session_replication_role = replica"}
	for _, text := range bulk {
		text = strings.Replace(randomBytes.Replace(text), "$1", fmt.Sprint(cards/perCustomer), 1)
		statements = append(statements, text)
	}
	return p.run(p.of(directory), append(statements, "VACUUM ANALYZE", "CHECKPOINT")...)
}

func (p *postgres) copy(from, to string) error {
	err := p.run(p.url, fmt.Sprintf(`CREATE DATABASE %q TEMPLATE %q STRATEGY file_copy`,
		filepath.Base(to), filepath.Base(from)))
	if err != nil {
		return err
	}
	return copyFiles(from, to)
}
