package doctor

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/inspect"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/testkit/golden"
	"mintmark/internal/vault"
)

// TestManual compares the page about the checks with the catalogue.
func TestManual(t *testing.T) {
	t.Parallel()
	golden.Compare(t, filepath.Join("..", "..", "..", "docs", "doctor.md"), manual())
}

// manual prints the page about all checks, in Markdown.
func manual() []byte {
	var b strings.Builder
	b.WriteString("# What mintmark doctor examines\n\n" +
		"Every check, printed from the code by `make docs`. When one is not `ok`, " +
		"[doctor](operating.md#doctor) says\nwhy it matters and what to do.\n")
	for _, group := range Catalogue {
		fmt.Fprintf(&b, "\n## %s\n\n| Check | Looks at |\n|---|---|\n", group.Title)
		for _, c := range group.Checks {
			fmt.Fprintf(&b, "| %s | %s |\n", c.Name, c.Looks)
		}
	}
	return []byte(b.String())
}

var errProvoked = errors.New("provoked")

// longAgo is longer ago than any threshold.
var longAgo = now.Add(-1000 * time.Hour)

// healthyUpkeep is the upkeep of a healthy server.
func healthyUpkeep() inspect.ServerUpkeep {
	return inspect.ServerUpkeep{
		Settings: map[string]string{
			"archive_mode": "on", "autovacuum": "on", "max_connections": "100",
			"server_encoding": "UTF8", "synchronous_standby_names": "", "track_counts": "on",
		},
		Connections: 20, Oldest: time.Second, Age: 1000, CollationWas: "153", CollationIs: "153",
		Archived: now,
	}
}

// runServerChecks runs the checks of a server with one deviating setting.
func runServerChecks(change func(*postgres.Condition)) func(*Report) {
	return func(r *Report) {
		s := postgres.Condition{
			Version: 170002, Encrypted: true, Settings: map[string]string{
				"fsync": "on", "full_page_writes": "on", "synchronous_commit": "on",
				"data_checksums": "on", "server_version": "17.2",
			},
		}
		change(&s)
		r.server(s)
	}
}

// upkeep runs the checks of a server's upkeep.
func upkeep(change func(*inspect.ServerUpkeep)) func(*Report) {
	return func(r *Report) {
		s := healthyUpkeep()
		change(&s)
		r.upkeep(Installation{Now: now}, s)
	}
}

// production runs the checks of a bank's database.
func production(change func(*inspect.Condition)) func(*Report) {
	return func(r *Report) {
		c := inspect.Condition{
			People:  inspect.People{Production: true, Administrators: 1},
			Sealing: inspect.Sealing{LastBackup: now},
		}
		change(&c)
		r.production(Installation{Now: now, OpenID: true}, c)
	}
}

// runOverdueChecks runs the checks of current operations, with overdue work.
func runOverdueChecks(r *Report) {
	p := Installation{Now: now, File: "f", Signed: func(string) error { return errProvoked }}
	c := inspect.Condition{
		Schema: 1, Known: 2, NewestAct: now.Add(time.Hour), OldestOrder: longAgo,
		OldestPin: longAgo, OldestReply: longAgo, LogBytes: longLog + 1,
		Jobs: []store.JobState{{Done: true, Next: longAgo}},
		Sealing: inspect.Sealing{
			OldestUnsealed: longAgo, Sealed: longAgo, Checkpoint: "mintmark\n",
		},
		Waiting: inspect.Waiting{
			FailedOrders: 1, IgnoredReports: 1, FullBins: []string{"BIN 1"},
			LateWebhooks: []inspect.NamedTime{{Name: "a", At: longAgo}},
			Leases:       []inspect.NamedTime{{Name: "renew cards of node 1", At: longAgo}},
			Fences:       []inspect.NamedTime{{Name: "program 1", At: longAgo}},
		},
		Resealing: inspect.Resealing{
			Compromised: []inspect.SealedUnder{{BankID: 3, KeyID: 1480216243, Texts: 12}},
			Left:        12, Progress: longAgo,
		},
	}
	r.schema(c)
	r.log(p, c)
	r.clock(p, c)
	r.waiting(p, c)
	r.failed(c.Waiting)
	r.jobs(p, c)
	r.leases(p, c.Waiting)
	r.sealing(p, c.Sealing, true)
	r.webhooks(p, c.Waiting)
	r.fences(c.Waiting)
	r.bankKeys(p, c.Resealing)
}

// provoked maps each check to a function that makes it fail.
func provoked(t *testing.T) map[string]func(*Report) {
	missing := filepath.Join(t.TempDir(), "missing")
	left := t.TempDir()
	if err := os.WriteFile(filepath.Join(left, "db.restoring"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	wrapped := Installation{Keys: vault.Settings{Dir: t.TempDir()}}
	path := filepath.Join(wrapped.Keys.Dir, "wrapping.json")
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	expired := Installation{Now: now}
	expired.TLSCert, expired.TLSKey = certificate(t, longAgo, now.Add(-time.Hour))
	place := Installation{
		Settings: "a", SettingsErr: errProvoked, Data: missing, File: "db", Deep: true, Now: now,
		Keys:      vault.Settings{Dir: missing},
		PublicURL: "http://cards.example.com", Files: math.MaxInt, ProcessorFolder: missing,
		Proxies:  []netip.Prefix{netip.MustParsePrefix("8.0.0.0/8")},
		Warnings: []string{"plain HTTP"},
		Backup:   func(context.Context) (string, error) { return "", errProvoked },
		Belong:   func(context.Context) (string, error) { return "", errProvoked },
		Holder:   func() (string, error) { return "", errProvoked },
	}
	all := map[string]func(*Report){
		"settings":           func(r *Report) { r.settings(place) },
		"public address":     func(r *Report) { r.addresses(place) },
		"trusted proxies":    func(r *Report) { r.addresses(place) },
		"open files":         func(r *Report) { r.openFiles(place) },
		"processor folder":   func(r *Report) { r.folder(place) },
		"data directory":     func(r *Report) { r.directory(place) },
		"custody":            func(r *Report) { r.custody(wrapped) },
		"keys":               func(r *Report) { r.keys(place) },
		"backup":             func(r *Report) { r.backup(t.Context(), place) },
		"disk space":         func(r *Report) { r.space(place) },
		"inodes":             func(r *Report) { r.inodes(place) },
		"unfinished restore": func(r *Report) { r.unfinished(Installation{Data: left, File: "db"}) },
		"insecure":           func(r *Report) { r.insecure(place) },
		"certificate":        func(r *Report) { r.certificate(expired) },
		"database":           func(r *Report) { r.database(t.Context(), place, false) },
		"fingerprints":       func(r *Report) { r.fingerprints(t.Context(), place) },
		"server":             func(r *Report) { r.holder(place) },
		"integrity": func(r *Report) {
			r.integrity(place, inspect.Condition{Damage: []string{"a page"}})
		},

		"server version":     runServerChecks(func(s *postgres.Condition) { s.Version = 140011 }),
		"fsync":              runServerChecks(off("fsync")),
		"full_page_writes":   runServerChecks(off("full_page_writes")),
		"synchronous_commit": runServerChecks(off("synchronous_commit")),
		"data_checksums":     runServerChecks(off("data_checksums")),
		"connection":         runServerChecks(func(s *postgres.Condition) { s.Encrypted = false }),
		"constraints":        runServerChecks(func(s *postgres.Condition) { s.Invalid = []string{"a"} }),
		"checksums":          runServerChecks(func(s *postgres.Condition) { s.BadPages = 1 }),

		"encoding": upkeep(func(s *inspect.ServerUpkeep) {
			s.Settings["server_encoding"] = "LATIN1"
		}),
		"collation": upkeep(func(s *inspect.ServerUpkeep) { s.CollationIs = "154" }),
		"autovacuum": upkeep(func(s *inspect.ServerUpkeep) {
			s.Settings["autovacuum"] = "off"
		}),
		"transaction numbers": upkeep(func(s *inspect.ServerUpkeep) { s.Age = oldNumbers }),
		"long transactions":   upkeep(func(s *inspect.ServerUpkeep) { s.Prepared = 1 }),
		"connections":         upkeep(func(s *inspect.ServerUpkeep) { s.Connections = 80 }),
		"standby": upkeep(func(s *inspect.ServerUpkeep) {
			s.Settings["synchronous_standby_names"] = "*"
		}),
		"replication slots": upkeep(func(s *inspect.ServerUpkeep) { s.IdleSlots = []string{"a"} }),
		"archiving": upkeep(func(s *inspect.ServerUpkeep) {
			s.ArchiveFailed = now.Add(time.Second)
		}),

		"last backup": production(func(c *inspect.Condition) { c.Sealing.LastBackup = longAgo }),
		"administrators": production(func(c *inspect.Condition) {
			c.People.Administrators = 0
		}),
		"second factor": production(func(c *inspect.Condition) {
			c.People.OneFactor = []string{"ada"}
		}),
		"local sign-in": production(func(c *inspect.Condition) {
			c.People.Local = []inspect.NamedTime{{Name: "ada", At: now}}
		}),
		"tokens": production(func(c *inspect.Condition) {
			c.People.Tokens = []inspect.NamedTime{{Name: "ci"}}
		}),
		"four eyes": func(r *Report) {
			r.production(Installation{Now: now, Settings: "a.yaml"}, inspect.Condition{
				People: inspect.People{Production: true, FourEyes: []string{"Example1"}},
			})
		},
		"owners of tokens": production(func(c *inspect.Condition) {
			c.People.NoOwner = []string{"ci"}
		}),
		"API keys": production(func(c *inspect.Condition) {
			c.People.Keys = []inspect.NamedTime{{Name: "app", At: now.Add(13 * 24 * time.Hour)}}
		}),
	}
	for _, name := range []string{
		"schema", "log", "clock", "orders", "failed orders", "ignored reports", "card numbers",
		"old PINs",
		"old answers", "jobs", "leases", "sealing", "checkpoint", "webhooks", "fences",
		"compromised keys", "re-sealing",
	} {
		all[name] = runOverdueChecks
	}
	return all
}

// TestEveryCheckFinds provokes each check of the catalogue once, and checks that its result has a
// reason and a remedy.
func TestEveryCheckFinds(t *testing.T) {
	t.Parallel()
	all := provoked(t)
	count := 0
	for _, group := range Catalogue {
		for _, check := range group.Checks {
			count++
			provoke := all[check.Name]
			if provoke == nil {
				t.Errorf("nothing provokes %q, or it is listed twice", check.Name)
				continue
			}
			delete(all, check.Name)
			r := &Report{}
			provoke(r)
			at := slices.IndexFunc(r.Checks, func(f Finding) bool { return f.Name == check.Name })
			if at < 0 {
				t.Errorf("%q is not made: %+v", check.Name, r.Checks)
				continue
			}
			if f := r.Checks[at]; f.Result == OK || f.Found == "" || f.Why == "" || f.Cure == "" {
				t.Errorf("%q has found %+v", check.Name, f)
			}
			if f := r.Checks[at]; f.Name == "card numbers" && !strings.Contains(f.Cure, "out of use") {
				t.Errorf("another BIN alone does not help callers: %s", f.Cure) // see program.ChooseBin
			}
			for _, f := range r.Checks {
				if _, known := checkOf(f.Name); !known {
					t.Errorf("%q is not in the catalogue", f.Name)
				}
			}
		}
	}
	if len(all) > 0 {
		t.Errorf("not in the catalogue: %v", all)
	}
	if count < 30 {
		t.Errorf("there are %d checks", count)
	}
	t.Logf("%d checks", count)
}

// TestUpkeepIsFine checks a healthy server, bank and jobs: no check finds a problem.
func TestUpkeepIsFine(t *testing.T) {
	t.Parallel()
	r := &Report{}
	upkeep(func(*inspect.ServerUpkeep) {})(r)
	production(func(*inspect.Condition) {})(r)
	p := Installation{Now: now, Signed: func(string) error { return nil }}
	r.addresses(Installation{
		PublicURL: "https://cards.example.com",
		Proxies: []netip.Prefix{
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("9.9.9.9/32"),
		},
	})
	r.addresses(Installation{PublicURL: "http://127.0.0.1:8080"})
	r.openFiles(Installation{Files: 10})
	r.waiting(Installation{Now: now, Answers: 10 * day},
		inspect.Condition{OldestReply: now.Add(-10 * day)})
	r.folder(Installation{ProcessorFolder: t.TempDir()})
	r.unfinished(Installation{Data: t.TempDir(), File: "db"})
	r.failed(inspect.Waiting{})
	r.leases(p, inspect.Waiting{Leases: []inspect.NamedTime{{Name: "a", At: now.Add(-time.Minute)}}})
	r.sealing(p, inspect.Sealing{OldestUnsealed: now.Add(-time.Second), Checkpoint: "a"}, true)
	r.webhooks(p, inspect.Waiting{LateWebhooks: []inspect.NamedTime{{Name: "a", At: now}}})
	r.fences(inspect.Waiting{})
	r.bankKeys(p, inspect.Resealing{})
	r.bankKeys(p, inspect.Resealing{Left: 9000, Progress: now.Add(-resealSlack)})
	if r.Warnings+r.Failed > 0 {
		t.Errorf("%+v", r.Checks)
	}
}
