package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"mintmark/internal/store/sqlstore/examine"
)

// database examines the database, and judges the result. It reports whether the database is sound.
func (r *Report) database(ctx context.Context, p Patient) bool {
	f := Finding{
		Name: "database", Result: OK, Why: "no request can be answered without it",
		Cure: "check that the server runs and accepts the connection string",
	}
	found, err := look(ctx, p)
	if p.URL == "" {
		f.Cure = "restore the file from a backup; --deep examines it further"
	}
	if errors.Is(err, fs.ErrNotExist) {
		f.Cure = "name the directory that the server uses; mintmark init makes a new database"
	}
	if err != nil {
		f.Result, f.Found = Failed, err.Error()
		r.add(f)
		return false
	}
	f.Found = found.Engine
	r.add(f)
	r.integrity(p, found)
	if len(found.Damage) > 0 {
		return false // the other findings may be wrong
	}
	r.schema(found)
	if p.URL == "" {
		r.log(p, found)
		r.holder(p)
	} else {
		r.server(*found.Server)
	}
	if found.Schema == found.Known {
		r.clock(p, found)
		r.waiting(p, found)
		r.jobs(p, found)
	}
	return true
}

// fingerprints compares the keys with those that the database has recorded.
func (r *Report) fingerprints(ctx context.Context, p Patient) {
	f := Finding{Name: "fingerprints", Result: OK}
	var err error
	f.Found, err = p.Belong(ctx)
	if err != nil {
		f = Finding{
			Name: "fingerprints", Result: Failed, Found: err.Error(),
			Why: "serve does not start: its card numbers could not be opened by other nodes, " +
				"and it could not open the stored ones",
			Cure: "bring the keys that belong to the database, or name the database that belongs " +
				"to the keys",
		}
	}
	r.add(f)
}

// holder looks for a process that serves from the embedded database.
func (r *Report) holder(p Patient) {
	f := Finding{Name: "server", Result: OK, Found: "no process serves from the database now"}
	name, err := p.Holder()
	if err != nil {
		f = Finding{
			Name: "server", Result: Failed, Found: err.Error(),
			Why:  "serve locks this file, so that only one process serves from the database",
			Cure: "run doctor as the user of the server, on a file system that supports locks",
		}
	} else if name != "" {
		f.Found = "served by " + name
	}
	r.add(f)
}

func look(ctx context.Context, p Patient) (examine.Condition, error) {
	if p.URL != "" {
		return examine.Server(ctx, p.URL)
	}
	if _, err := os.Stat(p.path(p.File)); err != nil {
		return examine.Condition{}, err
	}
	return examine.File(ctx, p.path(p.File), p.Deep)
}

func (r *Report) integrity(p Patient, found examine.Condition) {
	if !p.Deep || p.URL != "" {
		return
	}
	f := Finding{Name: "integrity", Result: OK, Found: "every page and every reference is sound"}
	if len(found.Damage) > 0 {
		f = Finding{
			Name: "integrity", Result: Failed, Found: strings.Join(found.Damage, "; "),
			Why: "the file is damaged: what is read from it may be wrong, and the damage grows",
			Cure: "stop the server, keep a copy of the file with its -wal, look for the cause " +
				"(disk, memory, a copy made while the server ran), restore the newest sound backup",
		}
	}
	r.add(f)
}

func (r *Report) schema(found examine.Condition) {
	f := Finding{
		Name: "schema", Result: OK, Found: fmt.Sprintf("version %d, as this program", found.Schema),
	}
	switch {
	case found.Schema < found.Known:
		f = Finding{
			Name: "schema", Result: Failed,
			Found: fmt.Sprintf("version %d, and this program needs %d", found.Schema, found.Known),
			Why:   "this program has not migrated the database yet; more is examined afterwards",
			Cure:  "mintmark migrate, or examine it with the program that serves",
		}
	case found.Schema > found.Known:
		f = Finding{
			Name: "schema", Result: Warning,
			Found: fmt.Sprintf("version %d, and this program knows %d", found.Schema, found.Known),
			Why:   "a newer program has migrated the database; one release apart is allowed",
			Cure:  "examine it with the newer program",
		}
	}
	r.add(f)
}

// longLog is the length in bytes from which the log of the embedded database is too long.
const longLog = 256 << 20

func (r *Report) log(p Patient, found examine.Condition) {
	f := Finding{
		Name: "log", Result: OK,
		Found: fmt.Sprintf("%s-wal has %d KiB", p.File, found.LogBytes>>10),
		Why:   "a reader that stays open keeps the log from being written back into the file",
		Cure:  "look for a program that holds the database open; a restart empties it",
	}
	if found.LogBytes > longLog {
		f.Result = Warning
	}
	r.add(f)
}

// The clock offset from which doctor warns, and the one that does harm.
const (
	clockOff    = time.Second
	clockFarOff = time.Minute
)

// clock compares this machine's clock with the server's, or with the newest act.
func (r *Report) clock(p Patient, found examine.Condition) {
	f := Finding{
		Name: "clock", Result: OK, Found: "no act is dated in the future",
		Why:  "keys, certificates, time windows and limits depend on the clock",
		Cure: "synchronize all clocks by NTP",
	}
	off := max(0, found.NewestAct.Sub(p.Now))
	if found.Server != nil {
		off = found.Server.Now.Sub(p.Now).Abs()
		f.Found = fmt.Sprintf("%v off the server's", off.Round(time.Millisecond))
	} else if off > 0 {
		f.Found = fmt.Sprintf("the newest act is dated %v ahead", off.Round(time.Millisecond))
	}
	switch {
	case off > clockFarOff:
		f.Result = Failed
	case off > clockOff:
		f.Result = Warning
	}
	r.add(f)
}

// How long something may wait before an operator should look into it. Jobs run every minute, and
// may have a backlog.
const (
	day      = 24 * time.Hour
	slack    = time.Hour
	orderAge = day
)

// waiting looks for overdue work.
func (r *Report) waiting(p Patient, found examine.Condition) {
	for _, one := range []struct {
		name, what, why, cure string
		oldest                time.Time
		most                  time.Duration
	}{
		{
			"orders", "order to the card processor", "cards and PINs are not made until then",
			"find out why the processor takes no orders", found.OldestOrder, orderAge,
		},
		{
			"old PINs", "PIN waiting for the card processor",
			"a job destroys PINs after 24 hours, so it is not running",
			"look for failed jobs in the server's log", found.OldestPin, day + slack,
		},
		{
			"old answers", "answer kept under an idempotency key",
			"a job drops them after 24 hours, so it is not running",
			"look for failed jobs in the server's log", found.OldestReply, day + slack,
		},
	} {
		f := Finding{Name: one.name, Result: OK, Found: "none waits", Why: one.why, Cure: one.cure}
		if !one.oldest.IsZero() {
			age := p.Now.Sub(one.oldest)
			f.Found = fmt.Sprintf("the oldest %s is of %s", one.what,
				one.oldest.UTC().Format(time.DateTime))
			if age > one.most {
				f.Result = Warning
			}
		}
		r.add(f)
	}
}

// jobs looks for jobs that fail, or that no node runs any more.
func (r *Report) jobs(p Patient, found examine.Condition) {
	f := Finding{
		Name: "jobs", Result: OK, Found: "no job was run yet",
		Why: "cards expire and are renewed, PINs are destroyed, and orders go out by jobs",
		Cure: "look for the job in the server's log; /readyz?verbose of any node shows the state " +
			"of all jobs",
	}
	var wrong []string
	for _, job := range found.Jobs {
		late := p.Now.Sub(job.Next)
		switch {
		case job.Failing():
			wrong = append(wrong, fmt.Sprintf("%q failed at %s: %s", job.Name,
				job.Failed.UTC().Format(time.DateTime), job.Error))
		case late > slack:
			wrong = append(wrong, fmt.Sprintf("%q is overdue since %s", job.Name,
				job.Next.UTC().Format(time.DateTime)))
		}
	}
	switch {
	case len(wrong) > 0:
		f.Result, f.Found = Warning, strings.Join(wrong, "; ")
	case len(found.Jobs) > 0:
		f.Found = fmt.Sprintf("%d jobs, none of them failed or overdue", len(found.Jobs))
	}
	r.add(f)
}
