package admin

import (
	"context"
	"encoding/json"

	wire "mintmark/client/admin"
	"mintmark/internal/event"
	"mintmark/internal/issuing"
	"mintmark/internal/problem"
	"mintmark/internal/store"
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
		ID: e.ID, Sequence: e.Sequence, Type: string(e.Type), OccurredAt: e.At,
		ProgramID: e.ProgramID, CustomerID: e.CustomerID, CardID: e.CardID, Data: data,
	}, err
}

func (f *Face) events(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Event, string, error) {
	programID, err := c.queryNumber("programId")
	if err != nil {
		return nil, "", err
	}
	cardID, err := c.queryNumber("cardId")
	if err != nil {
		return nil, "", err
	}
	asked := issuing.EventPage{Page: page, ProgramID: programID, CardID: cardID}
	if kind := c.query.Get("type"); kind != "" {
		asked.Types = event.Filter{kind}
		if wrong := asked.Types.Problem(); wrong != "" {
			return nil, "", invalidQuery("type", wrong)
		}
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
func jobOf(s store.JobState) wire.Job {
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
