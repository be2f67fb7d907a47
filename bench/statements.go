package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// lockTrips has the program lock and unlock a card of a PostgreSQL database, and returns the
// statements that it sends, by round trip, as parts of a pgbench script for a card :card of a
// customer :customer at the time :now.
func (p *postgres) lockTrips(program, directory string) (trips [][]string, err error) {
	server, err := url.Parse(p.url)
	if err != nil {
		return nil, err
	}
	door, err := os.MkdirTemp("", "mintmark-bench-door")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(door)
	wire, err := tap(door, server.Query().Get("host"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, wire.close()) }()
	through, err := url.Parse(p.of(directory))
	if err != nil {
		return nil, err
	}
	through.RawQuery = url.Values{"host": {door}}.Encode()
	// A change identifies the card by its id and its revision.
	const card, often = firstCard + 7, 64
	conn, err := pgx.Connect(context.Background(), p.of(directory))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(context.Background())) }()
	_, err = conn.Exec(context.Background(), "UPDATE cards SET revision = $1 WHERE card_id = $2",
		firstRevision, card)
	if err != nil {
		return nil, err
	}
	serving, err := startServer(program, directory, settingsOf(through.String()))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()

	// By then every statement is prepared.
	for turn := range often {
		if err := lockOnce(serving.address, card, turn); err != nil {
			return nil, err
		}
	}
	translated := &translator{database: conn, card: card, began: time.Now()}
	for turn := range 2 {
		err := conn.QueryRow(context.Background(),
			"SELECT revision FROM cards WHERE card_id = $1", card).Scan(&translated.revision)
		if err != nil {
			return nil, err
		}
		wire.take()
		if err := lockOnce(serving.address, card, turn); err != nil {
			return nil, err
		}
		said, err := translated.trips(wire.take())
		if err != nil {
			return nil, err
		}
		trips = append(trips, said...)
	}
	return trips, nil
}

// translator converts recorded statements to a script for pgbench.
type translator struct {
	database *pgx.Conn
	card     int
	began    time.Time
	revision int64 // of the card before the change
}

// trips returns the statements of the one connection that named the card.
func (t *translator) trips(connections [][][]executed) (named [][]string, err error) {
	for _, trips := range connections {
		var all [][]string
		for _, trip := range trips {
			var statements []string
			for _, e := range trip {
				statement, err := t.translate(e)
				if err != nil {
					return nil, err
				}
				statements = append(statements, statement)
			}
			all = append(all, statements)
		}
		if !strings.Contains(fmt.Sprint(all), ":card") {
			continue
		}
		if named != nil {
			return nil, errors.New("the card was named on two connections")
		}
		named = all
	}
	if named == nil {
		return nil, errors.New("the card was named on no connection")
	}
	return named, nil
}

var place = regexp.MustCompile(`\$\d+`)

// translate inserts the values of a statement into its text.
func (t *translator) translate(e executed) (string, error) {
	if len(e.values) == 0 {
		return onOneLine(e.text), nil
	}
	described, err := t.database.Prepare(context.Background(), e.text, e.text)
	if err != nil {
		return "", fmt.Errorf("%s: %w", e.text, err)
	}
	values := make([]string, len(e.values))
	for i, bytes := range e.values {
		format := int16(pgtype.TextFormatCode)
		if len(e.formats) > 0 { // one for all, or one for each
			format = e.formats[min(i, len(e.formats)-1)]
		}
		values[i], err = t.value(e.text, described.ParamOIDs[i], format, bytes)
		if err != nil {
			return "", fmt.Errorf("%s: $%d: %w", e.text, i+1, err)
		}
	}
	return onOneLine(place.ReplaceAllStringFunc(e.text, func(text string) string {
		var at int
		_, _ = fmt.Sscanf(text, "$%d", &at) // the expression matches a number
		return values[at-1]
	})), nil
}

// firstRevision is the initial revision of the card: no other number in a statement resembles it.
const firstRevision = 770_000_001

// value formats a value. A card, its customer, its revision and the present time become variables,
// which the script can set.
func (t *translator) value(text string, oid uint32, format int16, bytes []byte) (string, error) {
	types := t.database.TypeMap()
	kind, known := types.TypeForOID(oid)
	if !known {
		return "", fmt.Errorf("type %d is not known", oid)
	}
	if bytes == nil {
		return "NULL", nil
	}
	value, err := kind.Codec.DecodeValue(types, oid, format, bytes)
	if err != nil {
		return "", err
	}
	number, isNumber := integer(value)
	switch {
	case oid == pgtype.UUIDOID && strings.HasPrefix(text, "INSERT"):
		return "gen_random_uuid()", nil
	case !isNumber:
		written, err := types.Encode(oid, pgtype.TextFormatCode, value, nil)
		quoted := strings.ReplaceAll(string(written), "'", "''")
		return "CAST('" + quoted + "' AS " + kind.Name + ")", err
	case number == int64(t.card):
		return ":card", nil
	case number == int64(customerOf(t.card)):
		return ":customer", nil
	case isNow(number, t.began):
		return ":now", nil
	case number == t.revision && strings.Contains(text, "UPDATE cards "):
		return "revision", nil // that of the row
	case number == t.revision+1 && strings.Contains(text, "UPDATE cards "):
		return "revision + 1", nil
	}
	return fmt.Sprint(number), nil
}

func integer(value any) (int64, bool) {
	switch value := value.(type) {
	case int16:
		return int64(value), true
	case int32:
		return int64(value), true
	case int64:
		return value, true
	}
	return 0, false
}

var blanks = regexp.MustCompile(`\s+`)

func onOneLine(text string) string { return strings.TrimSpace(blanks.ReplaceAllString(text, " ")) }

// pgbenchScript returns a script with which pgbench locks a card and unlocks it again. No two
// clients share a card.
func pgbenchScript(trips [][]string, together bool) string {
	var script strings.Builder
	fmt.Fprintf(&script, `\set n random(0, 99) * 64 + :client_id
\set customer %d + :n / 10
\set card %d + :n
\set now %d + random(0, 1000)
`, firstCustomer, firstCard, time.Now().UnixMilli())
	for _, trip := range trips {
		statements := strings.Join(trip, ";\n") + ";\n"
		if together {
			statements = "\\startpipeline\n" + statements + "\\endpipeline\n"
		}
		script.WriteString(statements)
	}
	return script.String()
}
