package pgtest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"mintmark/internal/store/sqlstore/migrations"
)

// cluster is the server that hosts the databases of this process.
type cluster struct {
	url string

	mu      sync.Mutex
	conn    *pgx.Conn // stays open as long as the process, whose databases are named after it
	created int
}

// shared connects to the server once.
var shared = sync.OnceValues(func() (*cluster, error) {
	url := os.Getenv(Variable)
	if url == "" {
		var err error
		if url, err = Start(careless...); err != nil {
			return nil, err
		}
	}
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	c := &cluster{url: url, conn: conn}
	return c, c.dropAbandoned(ctx)
})

// nextName returns a new database name. It contains the process id of this connection's server
// process, which identifies the owner.
func (c *cluster) nextName() string {
	c.created++
	return fmt.Sprintf("mintmark_test_%d_%d", c.conn.PgConn().PID(), c.created)
}

// abandoned lists the databases of processes that were killed. One named after this connection
// belongs to an earlier connection with the same process id.
const abandoned = `SELECT CAST(datname AS TEXT) FROM pg_database
	WHERE datname ~ '^mintmark_test_[0-9]+_[0-9]+$' AND (
		CAST(split_part(datname, '_', 3) AS INTEGER) = pg_backend_pid() OR
		CAST(split_part(datname, '_', 3) AS INTEGER) NOT IN (SELECT pid FROM pg_stat_activity))`

func (c *cluster) dropAbandoned(ctx context.Context) error {
	rows, err := c.conn.Query(ctx, abandoned)
	if err != nil {
		return err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, name := range names {
		err = errors.Join(err, c.drop(ctx, name))
	}
	return err
}

func (c *cluster) drop(ctx context.Context, name string) error {
	return c.exec(ctx, `DROP DATABASE IF EXISTS `+name+` WITH (FORCE)`)
}

func (c *cluster) exec(ctx context.Context, statement string) error {
	_, err := c.conn.Exec(ctx, statement)
	return err
}

// createEmpty creates a database with a collation other than C, because the collation must not
// matter.
func (c *cluster) createEmpty(ctx context.Context, name string) error {
	return c.exec(ctx, `CREATE DATABASE `+name+` TEMPLATE template0 ENCODING 'UTF8'
		LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C'`)
}

// createMigrated copies the template, which takes a quarter of the time that migrations take.
func (c *cluster) createMigrated(ctx context.Context, name string) error {
	template, err := c.template(ctx)
	if err != nil {
		return fmt.Errorf("create its template: %w", err)
	}
	return c.exec(ctx, `CREATE DATABASE `+name+` TEMPLATE `+template+` STRATEGY file_copy`)
}

// template returns the name of a database with the newest tables, which is created once per server
// while other processes wait. It is named after the migrations, and it is marked as a template only
// when it is complete.
func (c *cluster) template(ctx context.Context) (string, error) {
	files, err := migrations.For(migrations.PostgreSQL)
	if err != nil {
		return "", err
	}
	digest, err := digestOf(files)
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("mintmark_template_%x", digest[:8])
	if complete, err := c.isTemplate(ctx, name); complete || err != nil {
		return name, err
	}
	const number = 7_100_000_001 // of the lock
	if _, err := c.conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, int64(number)); err != nil {
		return "", err
	}
	defer func() { _, _ = c.conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, int64(number)) }()
	if complete, err := c.isTemplate(ctx, name); complete || err != nil {
		return name, err
	}
	if err := c.drop(ctx, name); err != nil {
		return "", err
	}
	if err := c.createEmpty(ctx, name); err != nil {
		return "", err
	}
	if err := migrate(ctx, Within(c.url, name), files); err != nil {
		return "", err
	}
	return name, c.exec(ctx, `ALTER DATABASE `+name+` ALLOW_CONNECTIONS false IS_TEMPLATE true`)
}

func (c *cluster) isTemplate(ctx context.Context, name string) (complete bool, err error) {
	err = c.conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database
		WHERE datname = $1 AND datistemplate)`, name).Scan(&complete)
	return complete, err
}

// digestOf returns a digest of the names and contents of files.
func digestOf(files fs.FS) ([]byte, error) {
	names, err := fs.Glob(files, "*")
	digest := sha256.New()
	for _, name := range names {
		text, failed := fs.ReadFile(files, name)
		err = errors.Join(err, failed)
		fmt.Fprintf(digest, "%s %d %s", name, len(text), text)
	}
	return digest.Sum(nil), err
}

// migrate creates the newest tables, in the same way as package postgres, whose tests use this
// package.
func migrate(ctx context.Context, url string, files fs.FS) error {
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return err
	}
	db := stdlib.OpenDB(*config)
	defer db.Close()
	provider, err := goose.NewProvider(goose.DialectPostgres, db, files,
		goose.WithLogger(goose.NopLogger()), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return err
	}
	_, err = provider.Up(ctx)
	return err
}
