package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"mintmark/client/admin"
	"mintmark/client/sandbox"
)

// Sandbox holds the commands that control a running sandbox. The tag send is the request of a
// control; the tag columns lists the columns of its table.
type Sandbox struct {
	World    control          `cmd:"" send:"GET world" help:"Print what a running sandbox holds, at a glance."`
	Clock    clockCommands    `cmd:"" help:"Business time of a running sandbox."`
	Reset    control          `cmd:"" send:"POST reset" help:"Reset to the demo data. Snapshots stay."`
	Snapshot snapshotCommands `cmd:"" help:"Snapshots of everything that a running sandbox holds."`
	Fault    faultCommands    `cmd:"" help:"Rules that make requests of callers fail."`
	Story    storyCommand     `cmd:"" example:"hotel --card 5001" help:"Let the card processor play a scenario, such as a hotel stay, step by step."`
	Trigger  TriggerCommand   `cmd:"" help:"Provoke an error of the callers' interface."`
}

type clockCommands struct {
	Get     control      `cmd:"" default:"withargs" send:"GET clock" help:"Print the time (the default)."`
	Set     clockSet     `cmd:"" example:"2036-01-01T00:00:00Z" help:"Set the clock forward to a moment. Acts that fall due on the way are carried out."`
	Advance clockAdvance `cmd:"" example:"36h" help:"Move the clock forward. Acts that fall due on the way are carried out."`
	Freeze  control      `cmd:"" send:"PUT clock {\"frozen\":true}" help:"Freeze the clock."`
	Thaw    control      `cmd:"" send:"PUT clock {\"frozen\":false}" help:"Let the clock run."`
}

type snapshotCommands struct {
	Save    snapshotControl `cmd:"" send:"PUT snapshots/{name}" example:"before" help:"Save everything under a name; a snapshot of that name is replaced."`
	Restore snapshotControl `cmd:"" send:"POST snapshots/{name}/restore" example:"before" help:"Restore a snapshot."`
	List    control         `cmd:"" send:"GET snapshots" columns:"name,made,now" help:"List snapshots."`
	Drop    snapshotControl `cmd:"" send:"DELETE snapshots/{name}" example:"before" help:"Delete a snapshot."`
}

type faultCommands struct {
	Add   faultAdd   `cmd:"" example:"--route /card/lock --code 50503 --times 3" help:"Add a rule: a code, a delay, or no answer."`
	List  control    `cmd:"" send:"GET faults" columns:"id,route,key,code,delay,drop,times,probability,used" help:"List fault rules, and how often each has applied."`
	Clear faultClear `cmd:"" help:"Remove a fault rule, or all of them."`
}

// SandboxFlags holds the flags for the sandbox to control and the output format.
type SandboxFlags struct {
	AdminURL string `name:"admin-url" default:"http://127.0.0.1:8081" env:"MINTMARK_ADMIN_URL,MINTMARK_SERVER" placeholder:"URL" help:"Address for operators of the sandbox (${default})." group:"Sandbox"`
	Output   string `short:"o" default:"table" enum:"table,json" env:"MINTMARK_OUTPUT" help:"Print a table, or JSON as the sandbox answers: ${enum}." group:"Sandbox"`
}

// send sends a request. A nil body sends none.
func (r SandboxFlags) send(
	ctx context.Context, method, path string, body any,
) (json.RawMessage, error) {
	if _, err := addressOf("--admin-url", r.AdminURL); err != nil {
		return nil, err
	}
	return sandbox.Do[json.RawMessage](ctx, sandbox.New(r.AdminURL), method, path, body)
}

// show sends a request and prints the response.
func (r SandboxFlags) show(ctx context.Context, t Terminal, method, path string, body any) error {
	answer, err := r.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	return Remote{Output: r.Output}.print(t, admin.Answer{Body: answer})
}

// control is a command that sends one request.
type control struct{ SandboxFlags }

func (c control) Run(ctx context.Context, t Terminal, typed *kong.Context) error {
	return c.control(ctx, t, typed.Selected().Tag, "")
}

// snapshotControl is a command that sends one request about a snapshot.
type snapshotControl struct {
	SandboxFlags
	Name string `arg:"" help:"Name of the snapshot."`
}

func (s snapshotControl) Run(ctx context.Context, t Terminal, typed *kong.Context) error {
	return s.control(ctx, t, typed.Selected().Tag, s.Name)
}

// control sends the request in a tag, with the name in its path, and prints the response.
func (r SandboxFlags) control(ctx context.Context, t Terminal, tag *kong.Tag, name string) error {
	method, rest, _ := strings.Cut(tag.Get("send"), " ")
	path, text, hasBody := strings.Cut(rest, " ")
	path = strings.Replace(path, "{name}", url.PathEscape(name), 1)
	var body any
	if hasBody {
		body = json.RawMessage(text)
	}
	columns := tag.Get("columns")
	if columns == "" || r.Output == "json" {
		return r.show(ctx, t, method, path, body)
	}
	answer, err := r.send(ctx, method, path, body)
	if err != nil {
		return err
	}
	return Remote{}.printItems(t, answer, strings.Split(columns, ","))
}

type storyCommand struct {
	SandboxFlags
	Name string `arg:"" enum:"hotel,fuelPump,restaurantTip,lostAnswer,refundWithoutAuthorization" help:"Which story: ${enum}."`
	Card int    `required:"" placeholder:"N" help:"Card that is used."`
}

func (s storyCommand) Run(ctx context.Context, t Terminal) error {
	return s.show(ctx, t, "POST", path("stories", s.Name), sandbox.Story{CardID: s.Card})
}

type clockSet struct {
	SandboxFlags
	Moment time.Time `arg:"" help:"Time with its UTC offset (RFC 3339), not before the current time of the sandbox."`
}

func (c clockSet) Run(ctx context.Context, t Terminal) error {
	return c.show(ctx, t, "PUT", "clock", sandbox.ClockChange{Now: &c.Moment})
}

type clockAdvance struct {
	SandboxFlags
	By string `arg:"" help:"How far: 36h, 90d (days of 24 hours) or P90D (calendar days of the program)."`
}

func (c clockAdvance) Run(ctx context.Context, t Terminal) error {
	return c.show(ctx, t, "PUT", "clock", sandbox.ClockChange{Advance: c.By})
}

type faultAdd struct {
	SandboxFlags
	Route       string  `default:"*" help:"Route as the reference writes it, such as /card/lock; * for all."`
	Key         string  `placeholder:"NAME" help:"Only requests of this key."`
	Code        int     `placeholder:"CODE" help:"Code of the error catalogue to answer with."`
	Delay       string  `placeholder:"DURATION" help:"How long a request waits, such as 2s."`
	Drop        string  `enum:",before,after" default:"" placeholder:"WHEN" help:"Close the connection without an answer, before or after the act."`
	Times       int     `placeholder:"N" help:"How often the rule applies; without it, always."`
	Probability float64 `placeholder:"P" help:"Probability, up to 1; without it, always."`
}

func (f faultAdd) Run(ctx context.Context, t Terminal) error {
	return f.show(ctx, t, "POST", "faults", sandbox.Fault{
		Route: f.Route, Key: f.Key, Code: f.Code, Delay: f.Delay, Drop: f.Drop, Times: f.Times,
		Probability: f.Probability,
	})
}

type faultClear struct {
	SandboxFlags
	ID string `arg:"" optional:"" help:"Identifier of a rule; without it, all rules."`
}

func (f faultClear) Run(ctx context.Context, t Terminal) error {
	where := "faults"
	if f.ID != "" {
		where = path("faults", f.ID)
	}
	return f.show(ctx, t, "DELETE", where, nil)
}
