package admin

import (
	"context"
	"encoding/json"
	"reflect"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/event"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/events"
	"mintmark/internal/issuing/overview"
)

// eventID is the path parameter of an event: its sequence or its identifier.
var eventID = Param{Name: "event", Help: "Sequence of the event, or its identifier."}

// event returns the sequence of the event in the path.
func (c *call) event() (int, error) {
	sequence, known := event.SequenceOf(c.params["event"])
	if !known || sequence > problem.MaxID {
		return 0, web.NotFound()
	}
	return sequence, nil
}

func (d *Desk) events() *Resource {
	return &Resource{
		Noun: "event", Path: "events", Item: "events/{event}", ID: eventID,
		Help:  "Events sent to webhooks.",
		Nav:   Nav{"Watch", "Events"},
		Empty: "An act on a card is an event as soon as its audit entry is sealed.",
		Fields: []Field{
			{Name: "type", Label: "Type", On: Shown},
			{Name: "at", Label: "At", On: Shown, Help: "The moment of the act."},
			{Name: "cardId", Label: "Card", On: Shown},
			{Name: "customerId", Label: "Customer", On: Shown},
			{Name: "data", Label: "Payload", On: Shown,
				Help: "The changed properties, before and after."},
			{Name: "id", Label: "Identifier", On: Shown},
		},
		Roles: configuratorRoles,
		Columns: []string{
			"sequence", "at", "type", "programId", "customerId", "cardId", "id",
		},
		List: d.listOrFollow(),
		Show: get(Op{Summary: "Read an event", Example: "mintmark event get EVENT"}, d.readEvent),
	}
}

// listOrFollow returns the operation that lists events, newest first, or follows them in order.
func (d *Desk) listOrFollow() *Op {
	o := list(Op{
		Summary: "List events, newest first, or follow them in their order",
		Help:    "The command lists them; listen follows them.",
		Example: "mintmark event list --program 1",
		Filters: []Field{
			{Name: "after", On: WireOnly,
				Help: "Events after this sequence, in order, and the `after` of the next request."},
			{Name: "wait", On: WireOnly,
				Help: "How long to wait for the first event, such as 30s, up to 60s. Without `after` the answer is empty at once, and its `after` is the " +
					"end of the log."},
			{Name: "programId", Label: "Program", Help: "Events of one program."},
			{Name: "cardId", Label: "Card", Help: "Events of one card."},
			{Name: "type", Label: "Type", Choices: choices(event.Types()...),
				Help: "A type of event, or the beginning of some, such as card.*."},
			spanned[0], spanned[1],
		},
	}, d.newestEvents)
	o.Reply = reflect.TypeFor[wire.EventList]()
	newest := o.bind
	o.bind = func(ctx context.Context, c *call) (bound, error) {
		if !c.query.Has("after") && !c.query.Has("wait") {
			return newest(ctx, c)
		}
		return func(_ context.Context, c *call) (any, error) { return d.follow(c) }, nil
	}
	return o
}

func (d *Desk) jobs() *Resource {
	return &Resource{
		Noun: "job", Path: "jobs", Item: "jobs/{name}",
		ID:      Param{Name: "name", Help: "Name of the job."},
		Help:    "Background jobs.",
		Nav:     Nav{"Watch", "Jobs"},
		Roles:   configuratorRoles,
		Columns: []string{"id", "state", "began", "ended", "next", "node", "error"},
		Fields: []Field{
			{Name: "state", Label: "State", On: Shown, Help: "waiting, running or failing"},
			{Name: "node", Label: "Node of the last run", On: Shown},
			{Name: "began", Label: "Last run began", On: Shown},
			{Name: "ended", Label: "Last run ended", On: Shown},
			{Name: "next", Label: "Next run", On: Shown},
			{Name: "error", Label: "Error of the last run", On: Shown},
			{Name: "progress", Label: "Progress", On: Shown, Help: "Left out for a job that does " +
				"not count its work, or has none."},
		},
		List: list(Op{
			Summary: "List the background jobs with their state", Example: "mintmark job list",
		}, d.listJobs),
		Show: get(Op{
			Summary: "Read the state of a job", Example: `mintmark job get "renew cards"`,
		}, d.readJob),
	}
}

func eventOf(e event.Event) (wire.Event, error) {
	data, err := json.Marshal(e.Data)
	return wire.Event{
		ID: e.ID, Sequence: e.Sequence, Entry: e.Entry, Type: string(e.Type), At: e.At,
		ProgramID: e.ProgramID, CardID: e.CardID, CustomerID: e.CustomerID,
		Actor: wire.EventActor{Kind: string(e.Actor.Kind), Name: e.Actor.Name},
		Data:  data, RequestID: e.RequestID,
	}, err
}

func (d *Desk) newestEvents(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Event, string, error) {
	chosen, err := c.chosenEvents()
	if err != nil {
		return nil, "", err
	}
	eventPage := events.EventPage{
		Page: page, ProgramID: chosen.programID, CardID: chosen.cardID, Types: chosen.types,
		Span: c.span(),
	}
	items, last, err := d.acts.Events.NewestEvents(ctx, c.who, eventPage)
	if err != nil {
		return nil, "", err
	}
	shown, err := eventsOf(items)
	return shown, last, err
}

func eventsOf(items []event.Event) ([]wire.Event, error) {
	shown := []wire.Event{}
	for _, item := range items {
		e, err := eventOf(item)
		if err != nil {
			return nil, err
		}
		shown = append(shown, e)
	}
	return shown, nil
}

// follow answers with the events after a sequence, and waits for the first.
func (d *Desk) follow(c *call) (wire.EventList, error) {
	chosen, err := c.chosenEvents()
	if err != nil {
		return wire.EventList{}, err
	}
	page, err := c.page("")
	if err != nil {
		return wire.EventList{}, err
	}
	for _, name := range []string{"from", "to", "sort", "count"} {
		if c.query.Has(name) {
			return wire.EventList{}, invalidQuery(name, "cannot be used with after or wait")
		}
	}
	after, err := c.upTo("after", events.FromNow, problem.MaxID)
	if err != nil {
		return wire.EventList{}, err
	}
	wait, err := c.wait()
	if err != nil {
		return wire.EventList{}, err
	}
	ctx, cancel := context.WithTimeout(c.request.Sender.WithoutDeadline(),
		wait+web.DefaultAnswerTimeout)
	defer cancel()
	l, err := d.acts.Events.FollowEvents(ctx, c.who, chosen.programID, events.EventQuery{
		After: after, CardID: chosen.cardID, Types: chosen.types, Limit: page.Limit,
	}, wait)
	if err != nil {
		return wire.EventList{}, err
	}
	items, err := eventsOf(l.Events)
	return wire.EventList{Items: items, After: &l.Next}, err
}

const longestWait = time.Minute

// wait returns how long a request may wait for an event.
func (c *call) wait() (time.Duration, error) {
	text := c.query.Get("wait")
	if text == "" {
		return 0, nil
	}
	wait, err := time.ParseDuration(text)
	if err != nil || wait < 0 || wait > longestWait {
		return 0, invalidQuery("wait", "must be a duration up to 60s, such as 30s")
	}
	return wait, nil
}

// eventChoice holds the filters of events.
type eventChoice struct {
	programID, cardID int // 0 for all
	types             event.Filter
}

func (c *call) chosenEvents() (eventChoice, error) {
	chosen := eventChoice{programID: c.number("programId"), cardID: c.number("cardId")}
	if kind := c.query.Get("type"); kind != "" {
		chosen.types = event.Filter{kind}
	}
	if wrong := chosen.types.Problem(); wrong != "" {
		return eventChoice{}, invalidQuery("type", wrong)
	}
	return chosen, nil
}

func (d *Desk) readEvent(ctx context.Context, c *call) (wire.Event, error) {
	sequence, err := c.event()
	if err != nil {
		return wire.Event{}, err
	}
	e, err := d.acts.Events.Event(ctx, c.who, sequence)
	if err != nil {
		return wire.Event{}, err
	}
	return eventOf(e)
}

// jobOf converts the state of a job. A job that waits for its next run after a failed one is
// failing.
func jobOf(s overview.JobDetail) wire.Job {
	shown := wire.Job{
		ID: s.Name, State: "waiting", Node: s.Node, Began: moment(s.Began),
		Ended: moment(s.Ended), Next: moment(s.Next),
	}
	if s.Failing() {
		shown.State, shown.Error = "failing", s.Error
	}
	if s.Running() {
		shown.State = "running"
	}
	if s.Progress != nil {
		shown.Progress = &wire.Progress{Done: s.Progress.Done, Total: s.Progress.Total}
	}
	return shown
}

func (d *Desk) listJobs(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Job, string, error) {
	return convertAll(jobOf)(d.acts.Overview.JobStates(ctx, c.who, page))
}

func (d *Desk) readJob(ctx context.Context, c *call) (wire.Job, error) {
	states, _, err := d.acts.Overview.JobStates(ctx, c.who, issuing.Page{Limit: maxPageSize})
	if err != nil {
		return wire.Job{}, err
	}
	for _, state := range states {
		if state.Name == c.params["name"] {
			return jobOf(state), nil
		}
	}
	return wire.Job{}, web.NotFound()
}
