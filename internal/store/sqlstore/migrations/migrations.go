// Package migrations holds the schema as migrations: the steps from an empty database to the
// current tables, for SQLite and PostgreSQL under the same numbers. The engines run them.
package migrations

import (
	"embed"
	"io/fs"
	"strconv"
	"strings"
)

// The databases that have migrations.
const (
	SQLite     = "sqlite"
	PostgreSQL = "postgres"
)

//go:embed sqlite postgres
var files embed.FS

// For returns the migrations of a database.
func For(database string) (fs.FS, error) { return fs.Sub(files, database) }

// Newest returns the number of the newest migration of a database.
func Newest(database string) (int64, error) {
	entries, err := fs.ReadDir(files, database)
	newest := int64(0)
	for _, entry := range entries {
		number, _, _ := strings.Cut(entry.Name(), "_")
		version, err := strconv.ParseInt(number, 10, 64)
		if err != nil {
			return 0, err
		}
		newest = max(newest, version)
	}
	return newest, err
}
