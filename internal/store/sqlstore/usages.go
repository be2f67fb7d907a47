package sqlstore

import (
	"mintmark/internal/domain/authorization"
	"mintmark/internal/store/sqlstore/db"
)

// usages implements store.Usages on the tables usages and usage_shares.
type usages struct{ *tx }

const usageColumns = `w.program_id, w.customer_id, w.direction, w.day, w.of_day, w.of_month,
		w.revision`

func scanUsage(row db.Scan) (authorization.Usage, error) {
	var u authorization.Usage
	err := row(&u.ProgramID, &u.CustomerID, &u.Direction, &u.Day, &u.OfDay.TenThousandths,
		&u.OfMonth.TenThousandths, &u.Revision)
	return u, err
}

// sums holds the rows that were read for a view.
type sums struct {
	usages []authorization.Usage
	shares []authorization.Share
}

// of returns the sums of a user and of the whole program in one direction, at revision 0 if there
// is no row.
func (s sums) of(
	programID, customerID, lane int, direction authorization.Direction,
) (user authorization.Usage, all authorization.ProgramUsage) {
	user = authorization.Usage{
		ProgramID: programID, CustomerID: customerID, Direction: direction,
	}
	all.Total = authorization.Usage{ProgramID: programID, Direction: direction}
	if lane != 0 {
		all.Share = authorization.Share{ProgramID: programID, Lane: lane, Direction: direction}
	}
	for _, u := range s.usages {
		if u.Direction != direction {
			continue
		}
		if u.CustomerID == 0 {
			all.Total = u
		} else {
			user = u
		}
	}
	for _, share := range s.shares {
		if share.Direction == direction {
			all.Share = share
		}
	}
	return user, all
}

// Most rows are of an earlier day. The sum reads every row of the program, but only once a day.
const sumUsages = `SELECT CAST(COALESCE(SUM(of_day), 0) AS BIGINT) FROM usages
	WHERE program_id = $1 AND customer_id > 0 AND direction = $2 AND day = $3`

func (t usages) Sum(
	programID int, direction authorization.Direction, day authorization.Day,
) (authorization.Usage, error) {
	sum := authorization.Usage{ProgramID: programID, Direction: direction, Day: day}
	err := t.find([]any{&sum.OfDay.TenThousandths}, sumUsages, programID, string(direction),
		int(day))
	return sum, err
}

const listUsages = `SELECT ` + usageColumns + ` FROM usages w
	WHERE w.program_id = $1 AND (w.customer_id, w.direction) > ($2, $3)
	ORDER BY w.customer_id, w.direction LIMIT 0 + $4`

func (t usages) List(behind authorization.Usage, limit int) ([]authorization.Usage, error) {
	list, err := db.List(t.session, scanUsage, listUsages, behind.ProgramID, behind.CustomerID,
		string(behind.Direction), limit)
	for i, u := range list {
		if err != nil || u.CustomerID != 0 {
			break
		}
		var shares []authorization.Share
		shares, err = t.ListShares(u.ProgramID, u.Direction, u.Day)
		list[i] = authorization.ProgramUsage{Total: u}.ReclaimShares(shares).Total
	}
	return list, err
}

const (
	insertUsage = `INSERT INTO usages (program_id, customer_id, direction, day, of_day, of_month,
			revision)
		VALUES ($1, $2, $3, $4, $5, $6, 1)`
	updateUsage = `UPDATE usages SET day = $4, of_day = $5, of_month = $6, revision = revision + 1
		WHERE program_id = $1 AND customer_id = $2 AND direction = $3 AND revision = $7`
)

func (t usages) Put(u authorization.Usage) error {
	args := []any{u.ProgramID, u.CustomerID, string(u.Direction), int(u.Day),
		u.OfDay.TenThousandths, u.OfMonth.TenThousandths}
	return db.Put(t.session, u.Revision, insertUsage, updateUsage, args...)
}

const shareColumns = `s.program_id, s.lane, s.direction, s.day, s.rest, s.revision`

func scanShare(row db.Scan) (authorization.Share, error) {
	var s authorization.Share
	err := row(&s.ProgramID, &s.Lane, &s.Direction, &s.Day, &s.Rest.TenThousandths, &s.Revision)
	return s, err
}

const listShares = `SELECT ` + shareColumns + ` FROM usage_shares s
	WHERE program_id = $1 AND direction = $2 AND day = $3 AND rest > 0`

func (t usages) ListShares(
	programID int, direction authorization.Direction, day authorization.Day,
) ([]authorization.Share, error) {
	return db.List(t.session, scanShare, listShares, programID, string(direction), int(day))
}

const (
	insertShare = `INSERT INTO usage_shares (program_id, lane, direction, day, rest, revision)
		VALUES ($1, $2, $3, $4, $5, 1)`
	updateShare = `UPDATE usage_shares SET day = $4, rest = $5, revision = revision + 1
		WHERE program_id = $1 AND lane = $2 AND direction = $3 AND revision = $6`
)

func (t usages) PutShare(s authorization.Share) error {
	return db.Put(t.session, s.Revision, insertShare, updateShare,
		s.ProgramID, s.Lane, string(s.Direction), int(s.Day), s.Rest.TenThousandths)
}
