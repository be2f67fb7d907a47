package console

import (
	"bytes"
	"context"
	"encoding/json"

	wire "mintmark/client/admin"
	kinds "mintmark/internal/domain/event"
)

func eventRows() []row {
	return []row{
		page("events", "events", "events", showEvents),
		page("jobs", "jobs", "jobs", showJobs),
	}
}

type eventList struct {
	Items []eventLine
	Next  string
	Types filterChoice

	Filtered bool
}

type eventLine struct {
	wire.Event
	Text string // the data, a member a line
}

func showEvents(ctx context.Context, v *visit) (eventList, error) {
	asked := v.filter("type", "cardId")
	if v.Program != nil {
		asked.Set("programId", itoa(v.Program.ID))
	}
	found, err := readPage[wire.Event](ctx, v, "events", asked)
	if err != nil {
		return eventList{}, err
	}
	list := eventList{Next: found.Next, Filtered: v.filtered("type", "cardId")}
	types := []option{{Value: "", Label: "All types"}}
	for _, kind := range kinds.Types() {
		types = append(types, option{Value: string(kind), Label: string(kind)})
	}
	list.Types = v.chooses("type", "Type", types)
	for _, e := range found.Items {
		list.Items = append(list.Items, eventLine{e, indented(e.Data)})
	}
	v.crumbs("Events")
	v.command("event list", v.programFlag(), v.flags("type", "cardId"))
	return list, nil
}

// indented writes JSON for people.
func indented(raw json.RawMessage) string {
	var text bytes.Buffer
	if json.Indent(&text, raw, "", "  ") != nil {
		return string(raw)
	}
	return text.String()
}

type jobList struct{ Items []jobLine }

type jobLine struct {
	wire.Job
	Mark     mark
	Progress *progressBar // shadows that of the job
}

func showJobs(ctx context.Context, v *visit) (jobList, error) {
	found, err := all[wire.Job](ctx, v, "jobs", nil)
	if err != nil {
		return jobList{}, err
	}
	list := jobList{}
	for _, job := range found {
		line := jobLine{Job: job, Mark: state("job", job.State)}
		if job.Progress != nil {
			drawn := newProgress(int(job.Progress.Done), int(job.Progress.Total))
			line.Progress = &drawn
		}
		list.Items = append(list.Items, line)
	}
	v.crumbs("Jobs")
	v.command("job list")
	return list, nil
}
