package main

import (
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver of the embedded database
)

// engine is a database to measure.
type engine interface {
	name() string
	// missing returns why this machine cannot measure the engine, or "" if it can.
	missing() string
	// sections returns the measurements that are meaningful for the engine.
	sections(b *bench) []section
	// make creates the database that belongs to a data directory.
	make(directory string) error
	// open opens it beside the program.
	open(directory string) (*sql.DB, error)
	// bytes returns an SQL expression for bytes that differ for each card.
	bytes() string
	// settle brings a filled database to the state of one in use.
	settle(db *sql.DB) error
	// copy copies a data directory with its database.
	copy(from, to string) error
	// settings returns the lines of the settings file that select the engine.
	settings(directory string) string
}

// section is a part of a run, which can be run separately.
type section struct {
	name string
	run  func(engine) error
}

var engines = []engine{embedded{}, &postgres{}}

type embedded struct{}

func (embedded) name() string               { return "embedded" }
func (embedded) missing() string            { return "" }
func (embedded) settings(string) string     { return "" }
func (embedded) make(string) error          { return nil } // the program creates it
func (embedded) bytes() string              { return "randomblob(32)" }
func (embedded) copy(from, to string) error { return copyFiles(from, to) }

func (embedded) sections(b *bench) []section {
	return []section{
		{"speed", b.speed}, {"reads", b.reads}, {"writes", b.writes}, {"limits", b.limits},
		{"growth", b.growth}, {"sandbox", b.sandboxes},
	}
}

func (embedded) open(directory string) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "mintmark.db")+
		"?_pragma=synchronous(OFF)&_pragma=cache_size(-200000)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

func (embedded) settle(db *sql.DB) error {
	_, err := db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}
