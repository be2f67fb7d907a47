package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"mintmark/client/sandbox"
)

// Sandbox are the commands that move a running sandbox.
type Sandbox struct {
	World    worldCommand     `cmd:"" help:"Print what a running sandbox holds, at a glance."`
	Clock    clockCommands    `cmd:"" help:"Business time of a running sandbox."`
	Reset    resetCommand     `cmd:"" help:"Reset to the demo data. Snapshots stay."`
	Snapshot snapshotCommands `cmd:"" help:"Snapshots of everything that a running sandbox holds."`
	Fault    faultCommands    `cmd:"" help:"Rules that make requests of callers fail."`
	Story    storyCommand     `cmd:"" help:"Let the card processor play a scenario, such as a hotel stay, step by step."`
	Trigger  TriggerCommand   `cmd:"" help:"Provoke an error of the callers' interface."`
}

// Running says which sandbox a command moves, and how the answer is printed.
type Running struct {
	AdminURL string `name:"admin-url" default:"http://127.0.0.1:8081" env:"MINTMARK_ADMIN_URL" placeholder:"URL" help:"Address for operators of the sandbox (${default})." group:"Sandbox"`
	Output   string `short:"o" default:"table" enum:"table,json" env:"MINTMARK_OUTPUT" help:"Print a table, or JSON as the sandbox answers: ${enum}." group:"Sandbox"`
}

// send sends a request, with a body that is nil for none.
func (r Running) send(
	ctx context.Context, method, path string, body any,
) (json.RawMessage, error) {
	address, err := url.Parse(r.AdminURL)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" ||
		address.Hostname() == "" || address.User != nil || address.RawQuery != "" {
		return nil, newUsageError("--admin-url: an http or https address is needed")
	}
	return sandbox.Do[json.RawMessage](ctx, sandbox.New(r.AdminURL), method, path, body)
}

// show sends a request, and prints what it is answered with.
func (r Running) show(ctx context.Context, t Terminal, method, path string, body any) error {
	answer, err := r.send(ctx, method, path, body)
	switch {
	case err != nil:
		return err
	case r.Output == "json" && len(answer) == 0:
		return printJSON(t.Out, struct{}{})
	case r.Output == "json":
		return printRaw(t.Out, answer)
	case len(answer) == 0:
		t.say("Done.")
		return nil
	}
	return printResource(t.Out, answer)
}

// list prints a list.
func (r Running) list(ctx context.Context, t Terminal, path string, columns []string) error {
	answer, err := r.send(ctx, "GET", path, nil)
	if err != nil {
		return err
	}
	if r.Output == "json" {
		return printRaw(t.Out, answer)
	}
	return Remote{}.printItems(t, answer, columns)
}

// worldCommand prints what a sandbox holds.
type worldCommand struct{ Running }

func (worldCommand) Help() string { return "mintmark sandbox world" }

func (w worldCommand) Run(ctx context.Context, t Terminal) error {
	return w.show(ctx, t, "GET", "world", nil)
}

// resetCommand puts the demo data back.
type resetCommand struct{ Running }

func (resetCommand) Help() string { return "mintmark sandbox reset" }

func (r resetCommand) Run(ctx context.Context, t Terminal) error {
	return r.show(ctx, t, "POST", "reset", nil)
}

// storyCommand plays a story.
type storyCommand struct {
	Running
	Name string `arg:"" enum:"hotel,fuelPump,restaurantTip,lostAnswer,refundWithoutAuthorization" help:"Which story: ${enum}."`
	Card int    `required:"" placeholder:"N" help:"Card that is used."`
}

func (storyCommand) Help() string { return "mintmark sandbox story hotel --card 5001" }

func (s storyCommand) Run(ctx context.Context, t Terminal) error {
	return s.show(ctx, t, "POST", path("stories", s.Name), sandbox.Story{CardID: s.Card})
}

// clockCommands are the commands on the clock.
type clockCommands struct {
	Get     clockGet     `cmd:"" default:"withargs" help:"Print the time (the default)."`
	Set     clockSet     `cmd:"" help:"Set the clock forward to a moment. Acts that fall due on the way are carried out."`
	Advance clockAdvance `cmd:"" help:"Move the clock forward. Acts that fall due on the way are carried out."`
	Freeze  clockFreeze  `cmd:"" help:"Freeze the clock."`
	Thaw    clockThaw    `cmd:"" help:"Let the clock run."`
}

// clockGet prints the time.
type clockGet struct{ Running }

func (clockGet) Help() string { return "mintmark sandbox clock get" }

func (c clockGet) Run(ctx context.Context, t Terminal) error {
	return c.show(ctx, t, "GET", "clock", nil)
}

// change changes the clock, and prints the time.
func (r Running) change(ctx context.Context, t Terminal, by sandbox.ClockChange) error {
	return r.show(ctx, t, "PUT", "clock", by)
}

// clockSet sets the clock.
type clockSet struct {
	Running
	Moment time.Time `arg:"" help:"Time with its UTC offset (RFC 3339), not before the current time of the sandbox."`
}

func (clockSet) Help() string { return "mintmark sandbox clock set 2036-01-01T00:00:00Z" }

func (c clockSet) Run(ctx context.Context, t Terminal) error {
	return c.change(ctx, t, sandbox.ClockChange{Now: &c.Moment})
}

// clockAdvance moves the clock.
type clockAdvance struct {
	Running
	By string `arg:"" help:"How far: 36h, 90d (days of 24 hours) or P90D (calendar days of the program)."`
}

func (clockAdvance) Help() string { return "mintmark sandbox clock advance 36h" }

func (c clockAdvance) Run(ctx context.Context, t Terminal) error {
	return c.change(ctx, t, sandbox.ClockChange{Advance: c.By})
}

// clockFreeze has time stand still.
type clockFreeze struct{ Running }

func (clockFreeze) Help() string { return "mintmark sandbox clock freeze" }

func (c clockFreeze) Run(ctx context.Context, t Terminal) error {
	frozen := true
	return c.change(ctx, t, sandbox.ClockChange{Frozen: &frozen})
}

// clockThaw has time run on.
type clockThaw struct{ Running }

func (clockThaw) Help() string { return "mintmark sandbox clock thaw" }

func (c clockThaw) Run(ctx context.Context, t Terminal) error {
	frozen := false
	return c.change(ctx, t, sandbox.ClockChange{Frozen: &frozen})
}

// snapshotCommands are the commands on snapshots.
type snapshotCommands struct {
	Save    snapshotSave    `cmd:"" help:"Save everything under a name; a snapshot of that name is replaced."`
	Restore snapshotRestore `cmd:"" help:"Restore a snapshot."`
	List    snapshotList    `cmd:"" help:"List snapshots."`
	Drop    snapshotDrop    `cmd:"" help:"Delete a snapshot."`
}

// oneSnapshot is a snapshot.
type oneSnapshot struct {
	Name string `arg:"" help:"Name of the snapshot."`
}

// snapshotSave makes a snapshot.
type snapshotSave struct {
	Running
	oneSnapshot
}

func (snapshotSave) Help() string { return "mintmark sandbox snapshot save before" }

func (s snapshotSave) Run(ctx context.Context, t Terminal) error {
	return s.show(ctx, t, "PUT", path("snapshots", s.Name), nil)
}

// snapshotRestore puts a snapshot back.
type snapshotRestore struct {
	Running
	oneSnapshot
}

func (snapshotRestore) Help() string { return "mintmark sandbox snapshot restore before" }

func (s snapshotRestore) Run(ctx context.Context, t Terminal) error {
	return s.show(ctx, t, "POST", path("snapshots", s.Name, "restore"), nil)
}

// snapshotList lists snapshots.
type snapshotList struct{ Running }

func (snapshotList) Help() string { return "mintmark sandbox snapshot list" }

func (s snapshotList) Run(ctx context.Context, t Terminal) error {
	return s.list(ctx, t, "snapshots", columns[sandbox.Snapshot]("name", "made", "now"))
}

// snapshotDrop forgets a snapshot.
type snapshotDrop struct {
	Running
	oneSnapshot
}

func (snapshotDrop) Help() string { return "mintmark sandbox snapshot drop before" }

func (s snapshotDrop) Run(ctx context.Context, t Terminal) error {
	return s.show(ctx, t, "DELETE", path("snapshots", s.Name), nil)
}

// faultCommands are the commands on fault rules.
type faultCommands struct {
	Add   faultAdd   `cmd:"" help:"Add a rule: a code, a delay, or no answer."`
	List  faultList  `cmd:"" help:"List fault rules, and how often each has applied."`
	Clear faultClear `cmd:"" help:"Remove a fault rule, or all of them."`
}

// faultAdd makes a rule.
type faultAdd struct {
	Running
	Route       string  `default:"*" help:"Route as the reference writes it, such as /card/lock; * for all."`
	Key         string  `placeholder:"NAME" help:"Only requests of this key."`
	Code        int     `placeholder:"CODE" help:"Code of the error catalogue to answer with."`
	Delay       string  `placeholder:"DURATION" help:"How long a request waits, such as 2s."`
	Drop        string  `enum:",before,after" default:"" placeholder:"WHEN" help:"Close the connection without an answer, before or after the act."`
	Times       int     `placeholder:"N" help:"How often the rule applies; without it, always."`
	Probability float64 `placeholder:"P" help:"Probability, up to 1; without it, always."`
}

func (faultAdd) Help() string {
	return "mintmark sandbox fault add --route /card/lock --code 50503 --times 3"
}

func (f faultAdd) Run(ctx context.Context, t Terminal) error {
	return f.show(ctx, t, "POST", "faults", sandbox.Fault{
		Route: f.Route, Key: f.Key, Code: f.Code, Delay: f.Delay, Drop: f.Drop, Times: f.Times,
		Probability: f.Probability,
	})
}

// faultList lists rules.
type faultList struct{ Running }

func (faultList) Help() string { return "mintmark sandbox fault list" }

func (f faultList) Run(ctx context.Context, t Terminal) error {
	return f.list(ctx, t, "faults", columns[sandbox.Fault]("id", "route", "key", "code", "delay",
		"drop", "times", "probability", "used"))
}

// faultClear takes rules away.
type faultClear struct {
	Running
	ID string `arg:"" optional:"" help:"Identifier of a rule; without it, all rules."`
}

func (faultClear) Help() string { return "mintmark sandbox fault clear" }

func (f faultClear) Run(ctx context.Context, t Terminal) error {
	where := "faults"
	if f.ID != "" {
		where = path("faults", f.ID)
	}
	return f.show(ctx, t, "DELETE", where, nil)
}
