package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"mintmark/internal/testkit/pgtest"
)

// rowReads compares reads with a bare handler that reads one row of the same database.
func (b *bench) rowReads(e engine) (err error) {
	p, ok := e.(*postgres)
	if !ok {
		return errors.New("rows are read from PostgreSQL only")
	}
	const cards = 1000
	directory, err := b.data(e, cards, "reads")
	if err != nil {
		return err
	}
	ours, err := startServer(b.program, directory, e.settings(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	if err := b.memory(ours, "resident after start", 60); err != nil {
		return err
	}
	bodies := filepath.Join(b.directory, "bodies-"+e.name())
	if err := record(ours.address, bodies, cards); err != nil {
		return err
	}
	bare, err := startBare(bodies, "-row", p.of(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.process.Process.Kill()) }()
	err = b.compare("get / bare handler with a row", 0.70,
		b.rate(reading(ours.address, cards), many),
		b.rate(reading(bare.address, cards), many))
	if err != nil {
		return err
	}
	return b.compare("getbytag / get", 0.90,
		b.rate(byTag(ours.address, cards), many),
		b.rate(reading(ours.address, cards), many))
}

// rowFinder returns a function that reads the card whose id ends the path of a request.
func rowFinder(database string) (func(*http.Request) error, error) {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, err
	}
	config.MaxConns = poolSize
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, err
	}
	return func(r *http.Request) error {
		segments := strings.Split(r.URL.Path, "/")
		cardID, err := strconv.Atoi(segments[len(segments)-1])
		if err != nil {
			return err
		}
		rows, err := pool.Query(r.Context(), "SELECT * FROM cards WHERE card_id = $1", cardID)
		if err != nil {
			return err
		}
		defer rows.Close()
		if !rows.Next() {
			return errors.Join(errors.New("there is no such card"), rows.Err())
		}
		fields := rows.FieldDescriptions()
		into := make([]any, len(fields))
		for i, field := range fields {
			switch field.DataTypeOID {
			case pgtype.Int8OID:
				into[i] = new(pgtype.Int8)
			case pgtype.BoolOID:
				into[i] = new(pgtype.Bool)
			default:
				into[i] = new(pgtype.Text)
			}
		}
		return rows.Scan(into...)
	}, nil
}

// clientLimits compares locks with pgbench, which sends the same statements: one by one, as most
// clients do, and in as few round trips as the program.
func (b *bench) clientLimits(e engine) (err error) {
	const cards, clients = 10_000, 16
	p, ok := e.(*postgres)
	if !ok {
		return errors.New("pgbench measures PostgreSQL only")
	}
	ours, err := b.served(e, cards, "limit")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	directory, err := b.data(e, cards, "loop")
	if err != nil {
		return err
	}
	trips, err := p.lockTrips(b.program, directory)
	if err != nil {
		return err
	}
	statements := 0
	for _, trip := range trips {
		statements += len(trip)
	}
	b.report.note("a lock and an unlock take", fmt.Sprintf("%d trips with %d statements",
		len(trips), statements), "to know", true)
	lock := b.rate(locking(ours.address, cards), clients)
	for _, limit := range []struct {
		name     string
		together bool
	}{
		{"lock / pgbench, a trip for each statement", false},
		{"lock / pgbench, in as few trips as the program", true},
	} {
		script := pgbenchScript(trips, limit.together)
		err := b.compare(limit.name, 0.6, lock, func() (float64, error) {
			return p.pgbench(directory, script, clients, b.lasting)
		})
		if err != nil {
			return err
		}
	}
	return b.compare("initiate / lock, 16 connections", 0,
		b.rate(ordering(ours.address, cards), clients), lock)
}

// pgbench runs a script with a number of clients, and returns their locks and unlocks per second.
func (p *postgres) pgbench(
	directory, script string, clients int, lasting time.Duration,
) (float64, error) {
	programs, err := pgtest.Programs()
	if err != nil {
		return 0, err
	}
	file := filepath.Join(directory, "lock.sql")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return 0, err
	}
	before, err := p.changes(directory)
	if err != nil {
		return 0, err
	}
	tool := exec.Command(pgbench(programs), "--no-vacuum", "--protocol=prepared",
		"--client="+strconv.Itoa(clients), "--time="+strconv.Itoa(max(1, int(lasting.Seconds()))),
		"--max-tries=50", "--file="+file, p.of(directory))
	// The server plans statements as for the program.
	tool.Env = append(os.Environ(),
		"PGOPTIONS=-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off "+
			"-c jit=off -c plan_cache_mode=force_generic_plan")
	out, err := tool.CombinedOutput()
	rate, count := scripts.FindSubmatch(out), processed.FindSubmatch(out)
	if err != nil || rate == nil || count == nil {
		return 0, fmt.Errorf("pgbench says: %s: %w", out, err)
	}
	after, err := p.changes(directory)
	if err != nil {
		return 0, err
	}
	done, err := strconv.Atoi(string(count[1]))
	if err != nil || after-before != 2*done {
		return 0, fmt.Errorf("pgbench has run %d scripts, and %d changes of cards were kept, %v",
			done, after-before, err)
	}
	perSecond, err := strconv.ParseFloat(string(rate[1]), 64)
	return perSecond * 2, err
}

// changes returns the number of changes of all cards. Statements that change nothing would be fast.
func (p *postgres) changes(directory string) (count int, err error) {
	db, err := p.open(directory)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRow("SELECT sum(revision) FROM cards").Scan(&count)
	return count, err
}

// The output of pgbench: scripts per second, and their total.
var (
	scripts   = regexp.MustCompile(`tps = ([0-9.]+)`)
	processed = regexp.MustCompile(`transactions actually processed: ([0-9]+)`)
)
