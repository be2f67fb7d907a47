package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/stdlib"

	"mintmark/internal/store"
)

// The table has one row, or none before the database is given to an environment.
const (
	findInstallation = `SELECT environment, keyset_fingerprint, pin_key_fingerprint, made_at
		FROM installation WHERE one_row = 1`
	putInstallation = `INSERT INTO installation (one_row, environment, keyset_fingerprint,
			pin_key_fingerprint, made_at)
		VALUES (1, $1, $2, $3, $4)
		ON CONFLICT (one_row) DO UPDATE SET environment = excluded.environment,
			keyset_fingerprint = excluded.keyset_fingerprint,
			pin_key_fingerprint = excluded.pin_key_fingerprint, made_at = excluded.made_at`
)

func (r *reader) FindInstallation() (store.Installation, error) {
	var i store.Installation
	var environment string
	err := r.row(findInstallation)(&environment, &i.Keyset, &i.PinKey, timeColumn{&i.Made})
	if err != nil {
		return store.Installation{}, err
	}
	i.Environment = store.Environment(environment)
	return i, nil
}

func (t *tx) PutInstallation(i store.Installation) error {
	return t.write(putInstallation, string(i.Environment), i.Keyset, i.PinKey, millis(i.Made))
}

// Found is what stands in a database before this program has touched it.
type Found struct {
	Tables    bool // some version of the program has made them
	Remembers bool // the tables can keep an installation
	Programs  int

	Installation *store.Installation // nil when there is none
	Number       *store.Number       // of one of the cards, to try keys on; nil without cards
}

// Look looks into the file of a database and changes nothing: not even the log is written back, of
// which nobody knows after a crash what is on the disk. It is for those who have to know whose a
// database is before they bring its tables up to date.
func Look(ctx context.Context, path string) (Found, error) {
	one, err := openToLook(path)
	if err != nil {
		return Found{}, err
	}
	defer func() { _ = one.close() }() // it has written nothing
	found, err := look(`SELECT EXISTS (SELECT 1 FROM sqlite_master WHERE name = $1)`,
		func(text string, args ...any) scan { return one.queryRow(ctx, text, args...) })
	if damage(err) {
		return Found{}, damaged(path, []string{err.Error()})
	}
	return found, err
}

// LookPostgres is Look for a database on a server.
func LookPostgres(ctx context.Context, url string) (Found, error) {
	config, err := postgresConfig(url)
	if err != nil {
		return Found{}, err
	}
	db := stdlib.OpenDB(*config.ConnConfig)
	defer db.Close()
	if err := db.PingContext(ctx); err != nil {
		return Found{}, unreachable(ctx, err)
	}
	return look(`SELECT to_regclass($1) IS NOT NULL`, func(text string, args ...any) scan {
		return func(columns ...any) error {
			err := db.QueryRowContext(ctx, text, args...).Scan(columns...)
			if errors.Is(err, sql.ErrNoRows) {
				return store.ErrNotFound
			}
			if err != nil {
				return fmt.Errorf("sqlstore: %w", err)
			}
			return nil
		}
	})
}

// look asks which tables there are with a query that takes the name of one.
func look(exists string, row func(text string, args ...any) scan) (Found, error) {
	var found Found
	var numbers bool
	for table, there := range map[string]*bool{
		"programs": &found.Tables, "installation": &found.Remembers, "card_numbers": &numbers,
	} {
		if err := row(exists, table)(there); err != nil {
			return Found{}, err
		}
	}
	var errs []error
	ask := func(there bool, text string, into ...any) bool {
		if !there {
			return false
		}
		err := row(text)(into...)
		if errors.Is(err, store.ErrNotFound) {
			return false
		}
		errs = append(errs, err)
		return err == nil
	}
	ask(found.Tables, `SELECT COUNT(*) FROM programs`, &found.Programs)
	var i store.Installation
	var environment string
	into := []any{&environment, &i.Keyset, &i.PinKey, timeColumn{&i.Made}}
	if ask(found.Remembers, findInstallation, into...) {
		i.Environment = store.Environment(environment)
		found.Installation = &i
	}
	var n store.Number
	const firstNumber = `SELECT card_id, digest, sealed FROM card_numbers ORDER BY card_id LIMIT 1`
	if ask(numbers, firstNumber, &n.CardID, &n.Digest, &n.Sealed) {
		found.Number = &n
	}
	return found, errors.Join(errs...)
}
