package sqlite

import (
	"context"
	"errors"
	"testing"

	"mintmark/internal/store"
)

// TestClassify provokes errors of the driver and checks their classification, including that of a
// closed connection.
func TestClassify(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	path := newPath(t)
	var both [2]*connection
	for i := range both {
		var err error
		both[i], err = connect(fileName(path))
		if err != nil {
			t.Fatal(err)
		}
	}
	conn, two := both[0], both[1]
	steps := []struct {
		on   *connection
		text string
		want error
	}{
		{conn, `CREATE TABLE a (b INTEGER PRIMARY KEY, c TEXT UNIQUE CHECK (c <> ''))`, nil},
		{conn, `INSERT INTO a (b, c) VALUES (1, 'x')`, nil},
		{conn, `INSERT INTO a (b, c) VALUES (1, 'y')`, store.ErrExists},
		{conn, `INSERT INTO a (b, c) VALUES (2, 'x')`, store.ErrExists},
		{conn, `BEGIN IMMEDIATE`, nil},
		{two, `BEGIN IMMEDIATE`, store.ErrUnavailable},
		{conn, `ROLLBACK`, nil},
		{two, `BEGIN IMMEDIATE`, nil},
		{two, `COMMIT`, nil},
	}
	for _, step := range steps {
		_, err := step.on.exec(ctx, step.text)
		if !errors.Is(err, step.want) {
			t.Errorf("%s: got the error %v, want %v", step.text, err, step.want)
		}
	}
	_, err := conn.exec(ctx, `INSERT INTO a (b, c) VALUES (3, '')`)
	if err == nil || errors.Is(err, store.ErrExists) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a check that fails: got the error %v", err)
	}
	if err := conn.close(); err != nil {
		t.Fatal(err)
	}
	_, err = conn.exec(ctx, `SELECT 3`)
	if !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("a closed connection: got the error %v", err)
	}
}
