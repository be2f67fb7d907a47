// Package doctor examines an installation: its settings, its files, its keys and its database. It
// changes nothing and may run beside a server. Each finding reports whether something is well, why
// that matters, and what to do. Package inspect queries the database; this package judges the
// results.
package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"path/filepath"
	"text/tabwriter"
	"time"

	"mintmark/internal/vault"
)

// Result is the severity of a finding.
type Result string

// The results.
const (
	OK      Result = "ok"
	Warning Result = "warning" // it works, but needs attention
	Failed  Result = "failed"
)

// Finding is the outcome of one check.
type Finding struct {
	Name   string `json:"name"`
	Result Result `json:"result"`
	Found  string `json:"found"`
	Why    string `json:"why,omitempty"`  // why it matters; empty if ok
	Cure   string `json:"cure,omitempty"` // empty if ok
}

// Report holds all findings in the order of the checks.
type Report struct {
	Checks   []Finding `json:"checks"`
	Warnings int       `json:"warnings"`
	Failed   int       `json:"failed"`
}

// Installation is the installation to examine.
type Installation struct {
	Settings    string // path of the settings file; empty if only a directory is given
	SettingsErr error  // error in the settings; if set, nothing else is examined

	Data            string // directory of the keys and of the embedded database
	File            string // name of the embedded database in it
	URL             string // connection string of PostgreSQL; empty for the embedded database
	TLSCert, TLSKey string // files; empty for plain HTTP

	PublicURL       string         // empty if only a directory is given, like the next seven
	Proxies         []netip.Prefix // trusted for client addresses
	Connections     int            // limit on open connections of callers and operators
	Files           int            // limit on open files, those connections included
	ProcessorFolder string         // empty if there is none
	OpenID          bool           // operators sign in through a provider
	FourEyes        bool           // creating operators and tokens needs a second operator
	Answers         time.Duration  // retention of answers for repeated requests; 0 for a day

	Exposed  []string // files with secrets, accepted though other users can access them
	Warnings []string // other accepted weaknesses

	Keys vault.Settings // for opening the keys

	// Belong describes the keys that belong to the database, or returns why the present ones do
	// not.
	Belong func(context.Context) (string, error)
	// Signed returns why a checkpoint is not signed by the key of the log, or nil if it is.
	Signed func(checkpoint string) error
	// Backup describes a backup, or returns why it is rejected. It is nil if there is no backup to
	// examine.
	Backup func(context.Context) (string, error)
	// Holder returns the process that serves from the embedded database, or "".
	Holder func() (string, error)

	Deep bool // read every page of the embedded database
	Now  time.Time
}

// Examine runs every check that is possible.
func Examine(ctx context.Context, p Installation) Report {
	r := &Report{}
	if !r.settings(p) {
		return *r
	}
	r.addresses(p)
	r.openFiles(p)
	r.folder(p)
	keys := false
	if r.directory(p) {
		r.custody(p)
		keys = r.keys(p)
		r.backup(ctx, p)
		r.space(p)
		r.inodes(p)
		r.unfinished(p)
	}
	r.insecure(p)
	r.certificate(p)
	if r.database(ctx, p, keys) && keys {
		r.fingerprints(ctx, p)
	}
	return *r
}

// find adds a finding of a check.
func (r *Report) find(name string, result Result, format string, args ...any) {
	r.add(Finding{Name: name, Result: result, Found: fmt.Sprintf(format, args...)})
}

// add adds a finding, and fills in a missing reason and cure from the catalogue.
func (r *Report) add(f Finding) {
	check, _ := checkOf(f.Name)
	f.Why, f.Cure = cmp.Or(f.Why, check.Why), cmp.Or(f.Cure, check.Cure)
	switch f.Result {
	case OK:
		f.Why, f.Cure = "", ""
	case Warning:
		r.Warnings++
	case Failed:
		r.Failed++
	}
	r.Checks = append(r.Checks, f)
}

// settings reports whether the settings are usable.
func (r *Report) settings(p Installation) bool {
	if p.Settings == "" {
		return true
	}
	if p.SettingsErr != nil {
		r.find("settings", Failed, "%v", p.SettingsErr)
		return false
	}
	r.find("settings", OK, "%s is understood", p.Settings)
	return true
}

// Print writes the report for people.
func (r Report) Print(to io.Writer) error {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	for _, f := range r.Checks {
		fmt.Fprintf(table, "%s\t%s\t%s\n", f.Result, f.Name, f.Found)
		if f.Result != OK {
			fmt.Fprintf(table, "\twhy\t%s\n\tcure\t%s\n", f.Why, f.Cure)
		}
	}
	fmt.Fprintf(table, "\nchecks: %d, warnings: %d, failed: %d.\n",
		len(r.Checks), r.Warnings, r.Failed)
	return table.Flush()
}

// PrintJSON writes the report as one JSON document.
func (r Report) PrintJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// path returns the path of a file in the data directory.
func (p Installation) path(name string) string { return filepath.Join(p.Data, name) }
