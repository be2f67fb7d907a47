// Package doctor examines an installation: its settings, its files, its keys and its database. It
// changes nothing and may run beside a server. Each finding says whether something is well, why
// that matters, and what to do. Package examine queries the database; this package judges the
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

// Result says how serious the finding of a check is.
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

// Report holds all findings, in the order of the checks.
type Report struct {
	Checks   []Finding `json:"checks"`
	Warnings int       `json:"warnings"`
	Failed   int       `json:"failed"`
}

// Patient is the installation to examine.
type Patient struct {
	Settings    string // of the settings file; empty when only a directory is given
	SettingsErr error  // why the settings cannot be used; then nothing else is examined

	Data            string // directory of the keys and of the embedded database
	File            string // the embedded database in it
	URL             string // connection string of PostgreSQL; empty for the embedded database
	TLSCert, TLSKey string // files; empty for plain HTTP

	PublicURL       string         // empty when only a directory is given, like the next seven
	Proxies         []netip.Prefix // whose word on addresses is trusted
	Connections     int            // of callers and operators, open at a time
	Files           int            // open at a time, those connections among them
	ProcessorFolder string         // empty without one
	OpenID          bool           // operators sign in through a provider
	FourEyes        bool           // operators and tokens need a second operator
	Answers         time.Duration  // how long answers are kept for repeated requests; 0 for a day

	Exposed  []string // files with secrets, accepted though other users can access them
	Warnings []string // other accepted weaknesses

	Keys vault.Settings // how the keys are opened

	// Belong describes the keys that belong to the database, or why the present ones do not.
	Belong func(context.Context) (string, error)
	// Signed reports why a checkpoint is not signed by the key of the log; nil when it is.
	Signed func(checkpoint string) error
	// Backup describes a backup, or why it is refused; nil without one.
	Backup func(context.Context) (string, error)
	// Holder names the process that serves from the embedded database; empty when there is none.
	Holder func() (string, error)

	Deep bool // read every page of the embedded database
	Now  time.Time
}

// Examine makes every check that is possible.
func Examine(ctx context.Context, p Patient) Report {
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

// find adds what a check has found.
func (r *Report) find(name string, result Result, format string, args ...any) {
	r.add(Finding{Name: name, Result: result, Found: fmt.Sprintf(format, args...)})
}

// add adds a finding. What it does not say stands in the catalogue.
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

// settings reports whether the settings can be used.
func (r *Report) settings(p Patient) bool {
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

// PrintJSON writes the report for programs, as one document.
func (r Report) PrintJSON(to io.Writer) error {
	encoder := json.NewEncoder(to)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(r)
}

// path is the path of a file of the data directory.
func (p Patient) path(name string) string { return filepath.Join(p.Data, name) }
