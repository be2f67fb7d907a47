package sqlstore

import (
	"errors"
	"fmt"

	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/db"
)

// jobs implements store.Jobs on the tables jobs and leases.
type jobs struct{ *tx }

const jobColumns = `name, node, began_at, ended_at, done, next_at, error, failed_at`

func scanJob(row db.Scan) (store.JobState, error) {
	var s store.JobState
	err := row(&s.Name, &s.Node, db.Time{To: &s.Began}, db.Time{To: &s.Ended}, &s.Done,
		db.Time{To: &s.Next}, &s.Error, db.Time{To: &s.Failed})
	return s, err
}

const findJob = `SELECT ` + jobColumns + ` FROM jobs WHERE name = $1`

func (j jobs) Find(name string) (store.JobState, error) {
	state, err := db.One(j.session, scanJob, findJob, name)
	if errors.Is(err, store.ErrNotFound) {
		err = fmt.Errorf("job %q: %w", name, err)
	}
	return state, err
}

const listJobs = `SELECT ` + jobColumns + ` FROM jobs ORDER BY name`

func (j jobs) List() ([]store.JobState, error) { return db.List(j.session, scanJob, listJobs) }

const putJob = `INSERT INTO jobs (` + jobColumns + `) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
	ON CONFLICT (name) DO UPDATE SET node = excluded.node, began_at = excluded.began_at,
		ended_at = excluded.ended_at, done = excluded.done, next_at = excluded.next_at,
		error = excluded.error, failed_at = excluded.failed_at`

func (j jobs) Put(s store.JobState) error {
	return j.session.Write(putJob, s.Name, s.Node, db.Millis(s.Began), db.Millis(s.Ended), s.Done,
		db.Millis(s.Next), s.Error, db.Millis(s.Failed))
}
