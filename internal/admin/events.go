package admin

import (
	"context"
	"encoding/json"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/event"
	"mintmark/internal/issuing"
	"mintmark/internal/problem"
	"mintmark/internal/web"
)

func (f *Face) eventRoutes() []route {
	return []route{
		list(Operation{
			Path: "events", Summary: "List events, newest first", Roles: configurators,
			Query: []Parameter{
				{"programId", "Events of one program."},
				{"cardId", "Events of one card."},
				{"type", "A type of event, or the beginning of some, such as card.*."},
			},
		}, f.events),
		get(Operation{
			Path:    "events/tail",
			Summary: "Follow events in their order, and wait for the next",
			Roles:   configurators,
			Query: []Parameter{
				{"after", "Events behind this sequence; left out, those from now on: the " +
					"answer is empty and says where they begin."},
				{"wait", "Seconds to wait for the first event, up to 20; left out, none."},
				{"programId", "Events of one program."},
				{"cardId", "Events of one card."},
				{"type", "A type of event, or the beginning of some, such as card.*."},
			},
		}, f.tail),
		get(Operation{
			Path: "events/{event}", Summary: "Read an event", Roles: configurators,
		}, f.event),
		list(Operation{
			Path: "jobs", Summary: "List the jobs and how they fare", Roles: configurators,
		}, f.jobs),
		get(Operation{
			Path: "jobs/{name}", Summary: "Read how a job fares", Roles: configurators,
		}, f.job),
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

func (f *Face) events(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Event, string, error) {
	chosen, err := c.chosenEvents()
	if err != nil {
		return nil, "", err
	}
	asked := issuing.EventPage{
		Page: page, ProgramID: chosen.programID, CardID: chosen.cardID, Types: chosen.types,
	}
	items, last, err := f.acts.NewestEvents(ctx, c.who, asked)
	if err != nil {
		return nil, "", err
	}
	var shown []wire.Event
	for _, item := range items {
		one, err := eventOf(item)
		if err != nil {
			return nil, "", err
		}
		shown = append(shown, one)
	}
	return shown, last, nil
}

// tail answers with the events behind a sequence, as webhooks are told them.
func (f *Face) tail(ctx context.Context, c *call) (wire.EventTail, error) {
	chosen, err := c.chosenEvents()
	if err != nil {
		return wire.EventTail{}, err
	}
	after, err := c.upTo("after", issuing.FromNow, problem.MaxID)
	if err != nil {
		return wire.EventTail{}, err
	}
	wait, err := c.upTo("wait", 0, longestWait)
	if err != nil {
		return wire.EventTail{}, err
	}
	q := issuing.EventQuery{
		After: after, CardID: chosen.cardID, Types: chosen.types, Limit: mostItems,
	}
	found, err := f.acts.FollowEvents(ctx, c.who, chosen.programID, q,
		time.Duration(wait)*time.Second)
	if err != nil {
		return wire.EventTail{}, err
	}
	shown := wire.EventTail{Items: []json.RawMessage{}, After: found.Next}
	for _, e := range found.Events {
		body, err := e.Body()
		if err != nil {
			return wire.EventTail{}, err
		}
		shown.Items = append(shown.Items, body)
	}
	return shown, nil
}

// longestWait is below the time in which every request is answered, in seconds.
const longestWait = 20

// eventChoice are the filters of events.
type eventChoice struct {
	programID, cardID int // 0 for all
	types             event.Filter
}

func (c *call) chosenEvents() (chosen eventChoice, err error) {
	chosen.programID, err = c.queryNumber("programId")
	if err != nil {
		return eventChoice{}, err
	}
	chosen.cardID, err = c.queryNumber("cardId")
	if err != nil {
		return eventChoice{}, err
	}
	if kind := c.query.Get("type"); kind != "" {
		chosen.types = event.Filter{kind}
	}
	if wrong := chosen.types.Problem(); wrong != "" {
		return eventChoice{}, invalidQuery("type", wrong)
	}
	return chosen, nil
}

func (f *Face) event(ctx context.Context, c *call) (wire.Event, error) {
	sequence, known := event.SequenceOf(c.params["event"])
	if !known || sequence > problem.MaxID {
		return wire.Event{}, web.NotFound()
	}
	found, err := f.acts.Event(ctx, c.who, sequence)
	if err != nil {
		return wire.Event{}, err
	}
	return eventOf(found)
}

// jobOf shows the state of a job. A job that waits for its next run after one that has failed is
// failing.
func jobOf(s issuing.JobDetail) wire.Job {
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

func (f *Face) jobs(ctx context.Context, c *call, page issuing.Page) ([]wire.Job, string, error) {
	states, last, err := f.acts.JobStates(ctx, c.who, page)
	return each(states, last, err, jobOf)
}

func (f *Face) job(ctx context.Context, c *call) (wire.Job, error) {
	states, _, err := f.acts.JobStates(ctx, c.who, issuing.Page{Limit: mostItems})
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
