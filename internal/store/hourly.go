package store

import (
	"cmp"
	"time"
)

// Hourly holds the hourly counts that charts show, and how far each source is counted.
type Hourly interface {
	// List returns the counts of a chart, by hour and label.
	List(q HourlyQuery) ([]HourlySum, error)
	// Add adds to a count.
	Add(c HourlyCount) error
	// Raise has a count be at least so much.
	Raise(c HourlyCount) error
	// DeleteBefore removes the counts from before an hour.
	DeleteBefore(hour time.Time) error

	// FindMark returns how far a source is counted, 0 before its beginning.
	FindMark(source string) (int, error)
	PutMark(source string, mark int) error
}

// HourlyCount is a count of an hour.
type HourlyCount struct {
	Chart     string
	ProgramID int    // 0 for an unknown card, AllPrograms for the sum of all
	Item      string // the webhook or the key that is counted, empty for neither
	Label     string
	Hour      time.Time // its beginning
	Count     int
}

// Requests is the chart of the requests of keys.
const Requests = "requests"

// CompareHourly orders counts as every node writes them.
func CompareHourly(a, b HourlyCount) int {
	return cmp.Or(
		cmp.Compare(a.Chart, b.Chart), cmp.Compare(a.ProgramID, b.ProgramID), a.Hour.Compare(b.Hour),
		cmp.Compare(a.Item, b.Item), cmp.Compare(a.Label, b.Label))
}

// AllPrograms stands for all programs: to add up the counts of many takes too long.
const AllPrograms = -1

// HourlyQuery says which counts are listed.
type HourlyQuery struct {
	Chart    string
	Programs []int // nil for AllPrograms
	Item     string
	From     time.Time
}

// HourlySum are the counts of an hour and a label in all programs and items of a query.
type HourlySum struct {
	Hour     time.Time
	Label    string
	Sum      int
	Greatest int
}

// Trouble is what operators of a program have to look at.
type Trouble struct {
	ProgramID    int
	FailedOrders int
	Webhooks     int // that fail
}

// QueueCount is how many orders of a program wait or are sent, and since when.
type QueueCount struct {
	ProgramID int
	Count     int
	Oldest    time.Time
}
