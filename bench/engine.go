package main

import (
	"database/sql"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver of the embedded database
)

// engine is a database to measure.
type engine interface {
	name() string
	// missing tells why this machine cannot measure the engine; it is empty when it can.
	missing() string
	// sections are the measurements that mean something for the engine.
	sections(b *bench) []section
	// make makes the database that goes with a data directory.
	make(directory string) error
	// open opens it beside the program.
	open(directory string) (*sql.DB, error)
	// bytes is an expression of SQL for bytes that are different for each card.
	bytes() string
	// settle leaves a database that was filled as one that has been in use for a while.
	settle(db *sql.DB) error
	// copy copies a data directory with its database.
	copy(from, to string) error
	// settings are lines of the settings file that choose the engine.
	settings(directory string) string
}

// section is a part of a run, which can be run by itself.
type section struct {
	name string
	run  func(engine) error
}

var engines = []engine{embedded{}, &postgres{}}

type embedded struct{}

func (embedded) name() string               { return "embedded" }
func (embedded) missing() string            { return "" }
func (embedded) settings(string) string     { return "" }
func (embedded) make(string) error          { return nil } // the program makes it
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
