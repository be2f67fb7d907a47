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

	"mintmark/internal/pgtest"
	"mintmark/internal/store/sqlstore"
)

// rowReads compares reads with a bare handler that reads one row of the same database.
func (b *bench) rowReads(e engine) (err error) {
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
	paths := readPaths(cards)
	bodies := filepath.Join(b.directory, "bodies-"+e.name())
	if err := record(ours.address, bodies, paths); err != nil {
		return err
	}
	bare, err := startBare(bodies, "-row", e.(*postgres).of(directory))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.process.Process.Kill()) }()
	err = b.compare("get / bare handler with a row", 0.70,
		b.rate(work{ours.address, get(paths["get"])}, many),
		b.rate(work{bare.address, get(paths["get"])}, many))
	if err != nil {
		return err
	}
	return b.compare("getbytag / get", 0.90,
		b.rate(work{ours.address, get(paths["tag"])}, many),
		b.rate(work{ours.address, get(paths["get"])}, many))
}

// rowFinder returns a function that reads the card whose number ends the path of a request.
func rowFinder(database string) (func(*http.Request) error, error) {
	config, err := pgxpool.ParseConfig(database)
	if err != nil {
		return nil, err
	}
	config.MaxConns = sqlstore.SessionsAtOnce
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

// clientLimits compares locks with pgbench, which runs the same statements: one after the other, as
// most clients do, and in as few trips to the server as the program.
func (b *bench) clientLimits(e engine) (err error) {
	const cards, clients = 10_000, 16
	ours, err := b.served(e, cards, "limit", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ours.stop()) }()
	directory, err := b.data(e, cards, "loop")
	if err != nil {
		return err
	}
	lock := b.rate(locking(ours.address, cards), clients)
	for _, limit := range []struct {
		name string
		want float64
		trip string // what pgbench makes of the statements of one
	}{
		{"lock / pgbench, a trip for each statement", 0.6, "%s"},
		{"lock / pgbench, in as few trips as the program", 0.6,
			"\\startpipeline\n%s\\endpipeline\n"},
	} {
		script := lockScript(limit.trip)
		err := b.compare(limit.name, limit.want, lock, func() (float64, error) {
			return e.(*postgres).pgbench(directory, script, clients, b.lasting)
		})
		if err != nil {
			return err
		}
	}
	return b.compare("initiate / lock, 16 connections", 0,
		b.rate(ordering(ours.address), clients), lock)
}

// chosen are the lines of a script for pgbench that choose a card. No two clients have one in
// common.
const chosen = `\set n random(0, 99) * 64 + :client_id
\set customer %d + :n / 10
\set card %d + :n
\set program 1
\set now 1767400000000 + random(0, 1000000000)
`

// drawnToken is the last statement of an Update, with a token that the server draws.
var drawnToken = strings.Replace(sqlstore.KeepToken, "$1", "gen_random_uuid()", 1)

// lockScript is what the server is told for a card that is locked and unlocked, trip by trip.
func lockScript(trip string) string {
	var script strings.Builder
	fmt.Fprintf(&script, chosen, firstCustomer, firstCard)
	standing := strings.NewReplacer("$1", ":program", "$2", ":customer", "$3", ":card").
		Replace(sqlstore.StandingByID)
	audit := strings.NewReplacer("$1", ":now", "$2", ":customer", "$3", ":card").
		Replace(loopAudit)
	for _, lock := range []string{"'CST', lock_reason = 'TMP'", "'UNL', lock_reason = 'UNK'"} {
		changed := strings.NewReplacer("$1, lock_reason = $2", lock, "$3", ":now", "$4", ":card").
			Replace(loopCard)
		for _, statements := range [][]string{
			{"BEGIN ISOLATION LEVEL SERIALIZABLE", sqlstore.BeginUpdate, standing},
			{changed, audit, drawnToken, "COMMIT"},
		} {
			fmt.Fprintf(&script, trip, strings.Join(statements, ";\n")+";\n")
		}
	}
	return script.String()
}

// pgbench has so many clients run a script, and returns how many locks and unlocks they made in a
// second.
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
	tool := exec.Command(pgbench(programs), "--no-vacuum", "--protocol=prepared",
		"--client="+strconv.Itoa(clients), "--time="+strconv.Itoa(max(1, int(lasting.Seconds()))),
		"--max-tries=50", "--file="+file, p.of(directory))
	tool.Env = append(os.Environ(),
		"PGOPTIONS=-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off "+
			"-c jit=off -c plan_cache_mode=force_generic_plan")
	out, err := tool.CombinedOutput()
	found := scripts.FindSubmatch(out)
	if err != nil || found == nil {
		return 0, fmt.Errorf("pgbench says: %s: %w", out, err)
	}
	perSecond, err := strconv.ParseFloat(string(found[1]), 64)
	return perSecond * 2, err
}

// scripts is where pgbench says how many scripts it ran in a second.
var scripts = regexp.MustCompile(`tps = ([0-9.]+)`)
