package console

import (
	"context"
	"strings"

	wire "mintmark/client/admin"
)

func jobRows() []row {
	return []row{
		page("jobs", "jobs", "jobs", showJobs),
	}
}

type jobList struct{ Items []jobLine }

type jobLine struct {
	wire.Job
	Title    string
	Renamed  bool   // the title is not its name
	Anchor   string // of its row, to which the overview leads
	Mark     mark
	Progress *progressBar // shadows that of the job
}

func showJobs(ctx context.Context, v *visit) (jobList, error) {
	j, err := all[wire.Job](ctx, v, "jobs", v.filter("sort"))
	if err != nil {
		return jobList{}, err
	}
	list := jobList{}
	for _, job := range j {
		line := jobLine{
			Job: job, Title: jobTitle(job.ID), Renamed: jobTitles[job.ID] != "",
			Anchor: anchor(job.ID), Mark: state("job", job.State),
		}
		if job.Progress != nil {
			drawn := newProgress(int(job.Progress.Done), int(job.Progress.Total))
			line.Progress = &drawn
		}
		list.Items = append(list.Items, line)
	}
	v.crumbs("Jobs")
	v.command("job list", v.flags(resourceAt("jobs").List, "sort"))
	return list, nil
}

// anchor names the row of a job in an address.
func anchor(job string) string { return strings.ReplaceAll(job, " ", "-") }
