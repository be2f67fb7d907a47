package main

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// The objects that the bench adds to the demo data are numbered from these values up.
const (
	perCustomer   = 10 // cards
	firstCustomer = 1_000_000
	firstAccount  = 2_000_000
	firstCard     = 10_000_000
)

// copies multiplies rows of a table. Only the columns that must differ between copies are listed;
// the others are copied as the program wrote them, so a migration that adds a column does not
// affect the bench.
type copies struct {
	table, row string            // the row to copy
	each       string            // "n" for one per customer, "n, m" for one per card
	columns    map[string]string // the differing columns: i counts customers, j the cards of one
}

// bulk creates customers with an account and ten cards each from the demo data's customer 1001,
// account 2001 and card 5001, directly in the tables: a million cards through the interface would
// take an hour. %s is an expression for bytes that differ for each card.
var bulk = []copies{
	{"customers", "customer_id = 1001", "n", map[string]string{
		"customer_id": "1000000 + i"}},
	{"accounts", "account_id = 2001", "n", map[string]string{
		"account_id": "2000000 + i", "customer_id": "1000000 + i"}},
	{"account_access", "customer_id = 1001 AND account_id = 2001", "n", map[string]string{
		"account_id": "2000000 + i", "customer_id": "1000000 + i"}},
	{"cards", "card_id = 5001", "n, m", map[string]string{
		"card_id": "10000000 + i * 10 + j", "customer_id": "1000000 + i",
		"holder_id": "1000000 + i", "tag": "'bench-' || (i * 10 + j)",
		"nickname": "'Card ' || j", "nick_key": "'card ' || j"}},
	{"card_slots", "card_id = 5001", "n, m", map[string]string{
		"card_id": "10000000 + i * 10 + j", "account_id": "2000000 + i"}},
	{"card_numbers", "card_id = 5001", "n, m", map[string]string{
		"card_id": "10000000 + i * 10 + j", "digest": "%s"}},
}

// counters are the tables n, which counts customers, and m, which counts the cards of one.
const counters = `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d),
	m (j) AS (SELECT 0 UNION ALL SELECT j + 1 FROM m WHERE j < 9) `

// multiply fills a database that contains the demo data. The expression yields bytes that differ
// for each card.
func multiply(db *sql.DB, customers int, bytes string) error {
	for _, c := range bulk {
		columns, err := columnsOf(db, c.table)
		if err != nil {
			return err
		}
		selected := slices.Clone(columns)
		for name, expression := range c.columns {
			at := slices.Index(columns, name)
			if at < 0 {
				return fmt.Errorf("table %s has no column %s any more: mend bulk", c.table, name)
			}
			selected[at] = strings.Replace(expression, "%s", bytes, 1)
		}
		text := fmt.Sprintf(counters, customers) + "INSERT INTO " + c.table + " (" +
			strings.Join(columns, ", ") + ") SELECT " + strings.Join(selected, ", ") + " FROM " +
			c.table + ", " + c.each + " WHERE " + c.row
		done, err := db.Exec(text)
		if err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		wanted := int64(customers)
		if c.each == "n, m" {
			wanted *= perCustomer
		}
		if rows, err := done.RowsAffected(); err != nil || rows != wanted {
			return fmt.Errorf("table %s has %d new rows instead of %d, %v", c.table, rows, wanted,
				err)
		}
	}
	return nil
}

const demoFile = "../internal/app/demo/demo.yaml"

// columnsOf returns the columns of a table.
func columnsOf(db *sql.DB, table string) ([]string, error) {
	rows, err := db.Query("SELECT * FROM " + table + " WHERE 1 = 0")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	return rows.Columns()
}

// loadDemo creates an installation and loads the demo data for a server in production, which does
// not accept PINs in plain, but accepts guessable secrets because the settings allow it.
func loadDemo(program, directory, settings string) error {
	demo, err := os.ReadFile(demoFile)
	if err != nil {
		return err
	}
	beside := os.DirFS(filepath.Join(filepath.Dir(demoFile), "documents"))
	documents := filepath.Join(directory, "documents")
	if err := os.CopyFS(documents, beside); err != nil {
		return err
	}
	defer os.RemoveAll(documents)
	file, config := filepath.Join(directory, "demo.yaml"), filepath.Join(directory, "load.yaml")
	text := strings.ReplaceAll(string(demo), ",NONE", "")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return err
	}
	text = "data: " + directory + "\ninsecure: true\n" + publicURL + settings
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{{"init"}, {"load", file}} {
		command := exec.Command(program, append(args, "--config", config)...)
		if out, err := command.CombinedOutput(); err != nil {
			return fmt.Errorf("%s the demo data: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
