package console

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/client/admin"
	wire "mintmark/client/sandbox"
	"mintmark/internal/domain/audit"
	"mintmark/internal/face/web"
)

// Sandbox holds what only the pages of a sandbox need.
type Sandbox struct {
	// Client returns a client of the sandbox controls for the duration of a browser's request.
	Client func(x *web.Exchange) *wire.Client
	// Routes are the paths of the callers' interface that a fault rule may name.
	Routes []string
}

// sandboxRows returns the pages of a sandbox, nil in production.
func (c *Console) sandboxRows() []row {
	if c.Sandbox == nil {
		return nil
	}
	rows := []row{
		page("sandbox/requests/{id}", "sandbox", "request", showRequest),
		{method: http.MethodGet, path: "sandbox/requests", answer: newerRequests},
	}
	return slices.Concat(rows,
		form("cards/{id}", "cards", "card", card, simulate)[1:], // the page is in production too
		form("sandbox", "sandbox", "sandbox", showSandbox, changeSandbox),
		form("sandbox/reset", "sandbox", "act", showReset, reset),
		form("sandbox/restore", "sandbox", "act", showRestore, restore),
		form("sandbox/drop", "sandbox", "act", showDrop, drop),
		form("sandbox/new-fault", "sandbox", "form", showNewFault, addFault),
	)
}

// controls returns a client of the sandbox controls.
func (v *visit) controls() *wire.Client { return v.console.Sandbox.Client(v.exchange) }

// sandboxPage is an overview of the sandbox.
type sandboxPage struct {
	wire.World
	Began     string // how the sandbox was started
	At        moment
	Until     string // value of the clock field
	From      string // the time, for the form that moves the clock
	Moved     *move  // what the last move of the clock did; nil unless it just happened
	Next      []dueLine
	Modes     []option
	Rules     []ruleLine
	Snapshots []snapshotLine
	Requests  []requestLine
	Newest    int64 // request
	More      bool  // there may be older requests than those shown
}

// shownRequests is the number of requests that the page shows unless its address says otherwise.
const shownRequests = 50

func showSandbox(ctx context.Context, v *visit) (sandboxPage, error) {
	v.crumbs("Sandbox controls")
	w, err := wire.Get[wire.World](ctx, v.controls(), "world")
	if err != nil {
		return sandboxPage{}, err
	}
	requests, err := wire.Get[wire.List[wire.Request]](ctx, v.controls(),
		"requests?"+url.Values{"limit": {cmp.Or(v.Asked("limit"), itoa(shownRequests))}}.Encode())
	if err != nil {
		return sandboxPage{}, err
	}
	v.Now = w.Clock.Now
	data := sandboxPage{
		World: w, Began: began(w), At: v.When(w.Clock.Now),
		Until: v.Field("now", w.Clock.Now.In(v.Zone).Format(momentForm+":05")),
		From:  w.Clock.Now.UTC().Format(isoMillis),
		Modes: choose(modes, string(w.Processor)),
	}
	for _, d := range w.Due {
		data.Next = append(data.Next, dueLine{dueWords[d.What], v.When(d.At)})
	}
	if data.Moved, err = v.move(ctx, w.Clock.Now); err != nil {
		return sandboxPage{}, err
	}
	for _, f := range w.Faults {
		data.Rules = append(data.Rules, newRuleLine(f))
	}
	for _, snapshot := range w.Snapshots {
		data.Snapshots = append(data.Snapshots, snapshotLine{snapshot.Name, v.When(snapshot.Now)})
	}
	for _, request := range requests.Items {
		data.Requests = append(data.Requests, v.requestLine(request))
	}
	data.More = !v.query.Has("limit") && len(requests.Items) == shownRequests
	if len(requests.Items) > 0 {
		data.Newest = requests.Items[0].ID
	}
	v.command("sandbox world")
	v.command("sandbox clock advance 90d")
	v.command("sandbox snapshot save before-lock")
	v.command("sandbox trigger 150502 --run")
	return data, nil
}

// dueLine is the next thing of its kind to fall due.
type dueLine struct {
	What string
	At   moment
}

// dueWords are the texts for what falls due.
var dueWords = map[string]string{
	"pin": "A PIN in an order expires", "verification": "An unverified card expires",
	"hold": "A hold expires", "renewal": "Cards are renewed",
	"document": "A document comes into force", "keyWarning": "Warning that a key's secret expires",
	"idempotencyKey": "An idempotency key expires", "order": "An order is sent again",
}

// move describes what jobs did while the clock was moved.
type move struct {
	From moment
	Acts []actCount // most frequent first
	More bool       // there are more than were counted
	To   string     // the audit of that time; empty if the operator may not read it
}

type actCount struct {
	Act   string
	Count int
}

// maxMoved bounds the entries that are counted for a move.
const maxMoved = 200

// move returns what jobs did since the time in the address, nil if the address has none.
func (v *visit) move(ctx context.Context, now time.Time) (*move, error) {
	from, err := time.Parse(isoMillis, v.Asked("moved"))
	if err != nil || !from.Before(now) {
		return nil, nil
	}
	shown := &move{From: v.When(from)}
	if !v.may(resourceOf("audit").List) {
		return shown, nil
	}
	list, err := readPage[admin.Entry](ctx, v, "audit", url.Values{
		"from": {from.UTC().Format(isoMillis)}, "withoutReads": {"true"}, "limit": {itoa(maxMoved)},
	})
	if err != nil {
		return nil, err
	}
	shown.More = list.Next != ""
	shown.To = v.To("audit", "from", from.In(v.Zone).Format(momentForm), "withoutReads", "true")
	counts := make(map[string]int)
	for _, e := range list.Items {
		if e.Actor.Kind == string(audit.Job) {
			counts[cmp.Or(actWordsByName[e.Act].done, capital(e.Act))]++
		}
	}
	for act, n := range counts {
		shown.Acts = append(shown.Acts, actCount{act, n})
	}
	slices.SortFunc(shown.Acts, func(a, b actCount) int {
		return cmp.Or(b.Count-a.Count, cmp.Compare(a.Act, b.Act))
	})
	return shown, nil
}

// began describes how a sandbox was started.
func began(w wire.World) string {
	says := "No seed"
	if w.Seed != nil {
		says = "Seed " + strconv.FormatUint(*w.Seed, 10)
	}
	if w.Settings.Persistent {
		return says + " · kept in its data directory"
	}
	return says + " · kept in memory"
}

// modes are the modes of the simulated card processor.
var modes = []option{
	{Value: string(wire.Instant), Label: "instant", Help: "Carries out and reports at once"},
	{Value: string(wire.Manual), Label: "manual", Help: "Waits for reports on command"},
	{Value: string(wire.Refusing), Label: "refusing", Help: "Refuses every order"},
	{Value: string(wire.Down), Label: "down", Help: "Does not answer, so orders wait"},
}

// snapshotLine is a snapshot with its business time.
type snapshotLine struct {
	Name string
	Now  moment
}

type ruleLine struct {
	wire.Fault
	Effect string
	Times  string
	Mark   mark
}

func newRuleLine(f wire.Fault) ruleLine {
	var does []string
	if f.Delay != "" {
		does = append(does, "waits "+f.Delay)
	}
	switch {
	case f.Drop == "before":
		does = append(does, "closes the connection before the act")
	case f.Drop == "after":
		does = append(does, "closes the connection after the act")
	case f.Code != 0:
		does = append(does, "answers "+strconv.Itoa(f.Code))
	}
	effect := strings.Join(does, " and ")
	if f.Key != "" {
		effect += " to " + f.Key
	}
	if f.Probability > 0 && f.Probability < 1 {
		effect += ", with probability " + strconv.FormatFloat(f.Probability, 'g', -1, 64)
	}
	line := ruleLine{
		f, effect, "Used " + plural(f.Used, "time", "times"), mark{"warn", "tri", "Acts"},
	}
	if f.Times > 0 {
		line.Times = strconv.Itoa(max(f.Times-f.Used, 0)) + " of " +
			plural(f.Times, "time", "times") + " left"
	}
	if f.Times > 0 && f.Used >= f.Times {
		line.Mark = mark{"mute", "square", "Used up"}
	}
	return line
}

// requestLine is a caller's request in the table of the latest ones.
type requestLine struct {
	wire.Request
	Clock moment // wall time
	Mark  mark
}

func (v *visit) requestLine(of wire.Request) requestLine {
	answer := mark{"ok", "", strconv.Itoa(of.Status)}
	switch {
	case of.Status == 0:
		answer = mark{"bad", "square", "Closed"}
	case of.Status >= http.StatusInternalServerError:
		answer.Tone, answer.Shape = "bad", "cross"
	case of.Status >= http.StatusBadRequest:
		answer.Tone, answer.Shape = "warn", "tri"
	}
	return requestLine{of, v.frame.Clock(of.At), answer}
}

// newerRequests returns the table rows of requests after a given one, for the script of the page.
func newerRequests(ctx context.Context, v *visit) (web.Response, error) {
	after := url.Values{"after": {v.Asked("after")}}.Encode()
	requests, err := wire.Get[wire.List[wire.Request]](ctx, v.controls(), "requests?"+after)
	if err != nil {
		return web.Response{}, err
	}
	var lines []requestLine
	for _, request := range requests.Items {
		lines = append(lines, v.requestLine(request))
	}
	v.Data = sandboxPage{Requests: lines}
	text, err := v.console.pages.write("requestrows", "sandbox", v.frame)
	return web.Response{Status: http.StatusOK, ContentType: htmlType, Body: text}, err
}

// requestPage is a caller's request with its response.
type requestPage struct {
	requestLine
	Facts   []fact
	Headers []fact
}

func showRequest(ctx context.Context, v *visit) (requestPage, error) {
	request, err := wire.Get[wire.Request](ctx, v.controls(), "requests/"+v.param("id"))
	if err != nil {
		return requestPage{}, err
	}
	line := v.requestLine(request)
	v.crumbs("Request "+strconv.FormatInt(request.ID, 10), "Sandbox controls", "sandbox")
	shown := requestPage{requestLine: line, Facts: []fact{
		{Name: "Answer", Mark: &line.Mark}, {Name: "Code", Text: codeText(request.Code), Code: true},
		{Name: "Key", Text: request.Key}, {Name: "At, real time", At: v.When(request.At)},
		{Name: "Took", Text: request.Took}, {Name: "Fault rule", Text: request.Fault},
		{Name: "Request id", Text: request.RequestID, Code: true, Copy: true},
	}}
	for name, value := range request.Headers {
		shown.Headers = append(shown.Headers, fact{Name: name, Text: value, Code: true})
	}
	slices.SortFunc(shown.Headers, func(a, b fact) int { return strings.Compare(a.Name, b.Name) })
	if request.Code != 0 {
		v.command("sandbox trigger", strconv.Itoa(request.Code))
	}
	return shown, nil
}

func codeText(code int) string {
	if code == 0 {
		return ""
	}
	return strconv.Itoa(code)
}

// snapshotOf returns the snapshot in the address of a page.
func (v *visit) snapshotOf(ctx context.Context) (wire.Snapshot, error) {
	all, err := wire.Get[wire.List[wire.Snapshot]](ctx, v.controls(), "snapshots")
	if err != nil {
		return wire.Snapshot{}, err
	}
	for _, snapshot := range all.Items {
		if snapshot.Name == v.Asked("name") {
			return snapshot, nil
		}
	}
	return wire.Snapshot{}, notFound()
}
