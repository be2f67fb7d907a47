package store

import (
	"cmp"
	"time"
)

// Hourly stores the hourly counts shown in charts, and how far each source has been counted.
type Hourly interface {
	// List returns the counts of a chart, by hour and label.
	List(q HourlyQuery) ([]HourlySum, error)
	// Add increments a stored count by c.Count.
	Add(c HourlyCount) error
	// Raise sets the stored count to c.Count, unless it is already greater.
	Raise(c HourlyCount) error
	// DeleteBefore removes the counts older than an hour.
	DeleteBefore(hour time.Time) error

	// FindMark returns how far a source has been counted, 0 before the first count.
	FindMark(source string) (int, error)
	PutMark(source string, mark int) error
}

// HourlyCount is a count for one hour.
type HourlyCount struct {
	Chart     string
	ProgramID int    // 0 for an unknown card, AllPrograms for the total
	Item      string // the webhook or key that is counted, empty for neither
	Label     string
	Hour      time.Time // start of the hour
	Count     int
}

// Requests is the chart of requests per API key.
const Requests = "requests"

// CompareHourly defines the order in which every node writes counts.
func CompareHourly(a, b HourlyCount) int {
	return cmp.Or(
		cmp.Compare(a.Chart, b.Chart), cmp.Compare(a.ProgramID, b.ProgramID), a.Hour.Compare(b.Hour),
		cmp.Compare(a.Item, b.Item), cmp.Compare(a.Label, b.Label))
}

// AllPrograms selects the total of all programs: adding up the counts of many programs takes too
// long.
const AllPrograms = -1

// HourlyQuery selects counts.
type HourlyQuery struct {
	Chart    string
	Programs []int // nil for AllPrograms
	Item     string
	From     time.Time
}

// HourlySum is the sum of the counts for an hour and a label over all programs and items of a
// query.
type HourlySum struct {
	Hour     time.Time
	Label    string
	Sum      int
	Greatest int
}

// ProblemCount counts what needs the attention of a program's operators.
type ProblemCount struct {
	ProgramID    int
	FailedOrders int
	Webhooks     int // failing webhooks
}

// QueueCount is how many orders of a program are waiting or being sent, and since when.
type QueueCount struct {
	ProgramID int
	Count     int
	Oldest    time.Time
}
