package main

import (
	"database/sql"
	"fmt"
	"path/filepath"

	_ "modernc.org/sqlite" // the driver of the embedded database
)

// What the demo data has and the bench builds on: a program, a BIN, an account type.
const (
	perCustomer   = 10 // cards
	firstCustomer = 1_000_000
	firstAccount  = 2_000_000
	firstCard     = 10_000_000
)

// bulk makes customers with an account and ten cards each, straight into the tables: through the
// interface a million cards would take an hour. $1 is how many customers there shall be.
var bulk = []string{
	numbers + ` INSERT INTO customers (customer_id, program_id, status, access_type, is_active,
		is_locked, born_on, first_name, last_name, mobile_phone, home_phone, mailing, residence)
	SELECT 1000000 + i, 1, 'Verified', 'FULL', TRUE, FALSE, 479606400000, 'Jane', 'Sample',
		'+15555550100', '', '{"line1":"1 Main Street","city":"Springfield","region":"IL",` +
		`"postalCode":"62701","country":"US"}', '{"line1":"","city":"","postalCode":"",` +
		`"country":""}' FROM n`,
	numbers + ` INSERT INTO accounts (account_id, program_id, customer_id, type, status, name, tag,
		number_masked, balance, available_balance, pending_balance,
		balance_modified_at, modified_at)
	SELECT 2000000 + i, 1, 1000000 + i, 'Checking', 'Open', 'Everyday', '', '********1234',
		12345600, 12345600, 0, 1767225600000, 1767225600000 FROM n`,
	numbers + ` INSERT INTO account_access (customer_id, account_id, type)
	SELECT 1000000 + i, 2000000 + i, 'FULL' FROM n`,
	numbers + ten + `INSERT INTO cards (card_id, program_id, customer_id, holder_id, type, vendor,
		bin_id, status, lock_type, lock_reason, tag, nickname, nick_key, first_name, middle_name,
		last_name, qualifier, last_four, expire_month, expire_year, is_digital_only,
		primary_category, created_at, requested_at, verified_at, modified_at, revision)
	SELECT 10000000 + i * 10 + j, 1, 1000000 + i, 1000000 + i, 'DBT', 'VS', 1, 'Verified', 'UNL',
		'UNK', 'bench-' || (i * 10 + j), 'Card ' || j, 'card ' || j, 'JANE', '', 'SAMPLE', '',
		'1111', 1, 2030, FALSE, 'Checking', 1767225600000, 1767225600000, 1767312000000,
		1767312000000, 3 FROM n, m`,
	numbers + ten + `INSERT INTO card_slots (card_id, category, priority, account_id)
	SELECT 10000000 + i * 10 + j, 'Checking', 1, 2000000 + i FROM n, m`,
	numbers + ten + `INSERT INTO card_numbers (digest, sealed, last_four, bin_id, card_id)
	SELECT randomblob(32), randomblob(60), '1111', 1, 10000000 + i * 10 + j FROM n, m`,
}

const (
	numbers = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < $1)`
	ten     = `, m (j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM m WHERE j < 9) `
)

// engine is a database to measure.
type engine interface {
	name() string
	// missing tells why this machine cannot measure the engine; it is empty when it can.
	missing() string
	// sections are the comparisons that mean something for the engine.
	sections(b *bench) []section
	// fill makes a data directory, and the database that goes with it, with so many cards.
	fill(program, directory string, cards int) error
	// copy copies both.
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
func (embedded) copy(from, to string) error { return copyFiles(from, to) }

func (embedded) sections(b *bench) []section {
	return []section{
		{"reads", b.reads}, {"writes", b.writes}, {"limits", b.limits}, {"growth", b.growth},
		{"pins", b.pins}, {"loading", b.loading},
	}
}

func (embedded) fill(program, directory string, cards int) error {
	if err := loadDemo(program, directory, ""); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(directory, "mintmark.db")+
		"?_pragma=synchronous(OFF)&_pragma=cache_size(-200000)")
	if err != nil {
		return err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, text := range bulk {
		if _, err := db.Exec(text, cards/perCustomer); err != nil {
			return fmt.Errorf("fill the tables: %w", err)
		}
	}
	_, err = db.Exec(`PRAGMA wal_checkpoint(TRUNCATE)`)
	return err
}

const demoFile = "internal/demo/demo.yaml"
