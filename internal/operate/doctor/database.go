package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"mintmark/internal/store/sqlstore/inspect"
)

// database examines the database and judges the result. It reports whether the database is readable
// and undamaged.
func (r *Report) database(ctx context.Context, p Installation, keys bool) bool {
	f := Finding{Name: "database", Result: OK}
	condition, err := look(ctx, p)
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
	f.Found = condition.Engine
	r.add(f)
	r.integrity(p, condition)
	if len(condition.Damage) > 0 {
		return false // the other findings may be wrong
	}
	r.schema(condition)
	if p.URL == "" {
		r.log(p, condition)
		r.holder(p)
	} else {
		r.server(*condition.Server)
		r.upkeep(p, *condition.ServerMore)
	}
	if condition.Schema == condition.Known {
		r.clock(p, condition)
		r.waiting(p, condition)
		r.failed(condition.Waiting)
		r.jobs(p, condition)
		r.leases(p, condition.Waiting)
		r.sealing(p, condition.Sealing, keys)
		r.webhooks(p, condition.Waiting)
		r.fences(condition.Waiting)
		r.bankKeys(p, condition.Resealing)
		r.production(p, condition)
	}
	return true
}

// fingerprints compares the keys with those recorded in the database.
func (r *Report) fingerprints(ctx context.Context, p Installation) {
	problem, err := p.Belong(ctx)
	if err != nil {
		r.find("fingerprints", Failed, "%v", err)
		return
	}
	r.find("fingerprints", OK, "%s", problem)
}

// holder checks whether a process serves from the embedded database.
func (r *Report) holder(p Installation) {
	f := Finding{Name: "server", Result: OK, Found: "no process serves from the database now"}
	name, err := p.Holder()
	if err != nil {
		f.Result, f.Found = Failed, err.Error()
	} else if name != "" {
		f.Found = "served by " + name
	}
	r.add(f)
}

func look(ctx context.Context, p Installation) (inspect.Condition, error) {
	if p.URL != "" {
		return inspect.Server(ctx, p.URL)
	}
	if _, err := os.Stat(p.path(p.File)); err != nil {
		return inspect.Condition{}, err
	}
	return inspect.File(ctx, p.path(p.File), p.Deep)
}

func (r *Report) integrity(p Installation, condition inspect.Condition) {
	if !p.Deep || p.URL != "" {
		return
	}
	f := Finding{Name: "integrity", Result: OK, Found: "every page and every reference is sound"}
	if len(condition.Damage) > 0 {
		f.Result, f.Found = Failed, strings.Join(condition.Damage, "; ")
	}
	r.add(f)
}

func (r *Report) schema(condition inspect.Condition) {
	f := Finding{
		Name: "schema", Result: OK, Found: fmt.Sprintf("version %d, as this program", condition.Schema),
	}
	switch {
	case condition.Schema < condition.Known:
		f.Result = Failed
		f.Found = fmt.Sprintf("version %d, and this program needs %d", condition.Schema, condition.Known)
	case condition.Schema > condition.Known:
		f = Finding{
			Name: "schema", Result: Warning,
			Found: fmt.Sprintf("version %d, and this program knows %d", condition.Schema, condition.Known),
			Why:   "a newer program has migrated the database; one release apart is allowed",
			Cure:  "examine it with the newer program",
		}
	}
	r.add(f)
}

// longLog is the length in bytes above which the log of the embedded database is a warning.
const longLog = 256 << 20

func (r *Report) log(p Installation, condition inspect.Condition) {
	f := Finding{
		Name: "log", Result: OK,
		Found: fmt.Sprintf("%s-wal has %d KiB", p.File, condition.LogBytes>>10),
	}
	if condition.LogBytes > longLog {
		f.Result = Warning
	}
	r.add(f)
}

// The clock offset that is a warning, and the one that is a failure.
const (
	clockOff    = time.Second
	clockFarOff = time.Minute
	// clockJumpTold is the time for which a jump of a node's clock remains a warning.
	clockJumpTold = 7 * 24 * time.Hour
)

// clock compares this machine's clock with the server's, or with the newest act.
func (r *Report) clock(p Installation, condition inspect.Condition) {
	f := Finding{Name: "clock", Result: OK, Found: "no act is dated in the future"}
	off := max(0, condition.NewestAct.Sub(p.Now))
	if condition.Server != nil {
		off = condition.Server.Now.Sub(p.Now).Abs()
		f.Found = fmt.Sprintf("%v off the server's", off.Round(time.Millisecond))
	} else if off > 0 {
		f.Found = fmt.Sprintf("the newest act is dated %v ahead", off.Round(time.Millisecond))
	}
	jump := condition.Sealing.ClockJump
	jumped := !jump.At.IsZero() && p.Now.Sub(jump.At) < clockJumpTold
	if jumped {
		f.Found += fmt.Sprintf("; at %s the clock of a node %s", moment(jump.At), jump.Name)
	}
	switch {
	case off > clockFarOff:
		f.Result = Failed
	case off > clockOff || jumped:
		f.Result = Warning
	}
	r.add(f)
}
