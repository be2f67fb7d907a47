package console

import (
	"context"

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
	Mark     mark
	Progress *progressBar // shadows that of the job
}

func showJobs(ctx context.Context, v *visit) (jobList, error) {
	j, err := all[wire.Job](ctx, v, "jobs", nil)
	if err != nil {
		return jobList{}, err
	}
	list := jobList{}
	for _, job := range j {
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
