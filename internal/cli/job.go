package cli

import (
	"context"
	"net/url"

	"mintmark/client/admin"
)

// jobCommands are the commands on jobs in the background.
type jobCommands struct {
	List jobList `cmd:"" help:"List jobs, and how they fare on all nodes."`
	Get  jobGet  `cmd:"" help:"Print how a job fares."`
}

// jobList lists jobs.
type jobList struct{ Listing }

func (jobList) Help() string { return "mintmark job list" }

func (j jobList) Run(ctx context.Context, t Terminal) error {
	return j.list(ctx, t, "jobs", url.Values{}, columns[admin.Job](
		"id", "state", "began", "ended", "next", "node", "error"))
}

// jobGet prints how a job fares.
type jobGet struct {
	Remote
	Name string `arg:"" help:"Name of the job."`
}

func (jobGet) Help() string { return `mintmark job get "renew cards"` }

func (j jobGet) Run(ctx context.Context, t Terminal) error {
	return j.get(ctx, t, path("jobs", j.Name))
}
