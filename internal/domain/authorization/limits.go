package authorization

import (
	"math"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/program"
)

// Day is a calendar day in the time zone of a program, encoded as 20260131.
type Day int

// DayOf returns the day of t in t's own time zone.
func DayOf(t time.Time) Day {
	year, month, day := t.Date()
	return Day(year*10_000 + int(month)*100 + day)
}

// month returns the month of the day, encoded as 202601.
func (d Day) month() int { return int(d) / 100 }

// next returns the day after.
func (d Day) next() Day {
	year, month, day := int(d)/10_000, time.Month(int(d)/100%100), int(d)%100
	return DayOf(time.Date(year, month, day+1, 12, 0, 0, 0, time.UTC))
}

// Usage is how much was withdrawn or deposited on a day and in its month by a user or, for the day
// only, by all users of a program. Active holds and postings count, each on the day it was made.
type Usage struct {
	ProgramID  int
	CustomerID int // 0 for the whole program
	Direction  Direction

	Day     Day // of the sums
	OfDay   value.Amount
	OfMonth value.Amount

	Revision int // of the stored row; 0 if there is none
}

// At returns the sums as of a day. They restart at zero each day and each month. A transaction that
// began just before midnight may run after one that began just after it: the day before Day
// therefore counts as Day. An earlier day means that a clock was set back, and restarts the sums.
func (u Usage) At(day Day) Usage {
	if u.Counts(day) {
		return u
	}
	if day.month() != u.Day.month() {
		u.OfMonth = value.Amount{}
	}
	u.Day, u.OfDay = day, value.Amount{}
	return u
}

// Counts reports whether what happens on a day counts in the current sums.
func (u Usage) Counts(day Day) bool { return day == u.Day || day.next() == u.Day }

// Add returns the sums increased by an amount. A sum that would overflow becomes the greatest
// amount, which no limit allows.
func (u Usage) Add(amount value.Amount) Usage {
	u.OfDay, u.OfMonth = addCapped(u.OfDay, amount), addCapped(u.OfMonth, amount)
	return u
}

// Take returns the sums reduced by an amount that was counted on a day. What was counted in an
// earlier day or month is no longer part of them.
func (u Usage) Take(amount value.Amount, counted Day) Usage {
	if counted == u.Day {
		u.OfDay.TenThousandths = max(0, u.OfDay.TenThousandths-amount.TenThousandths)
	}
	if counted.month() == u.Day.month() {
		u.OfMonth.TenThousandths = max(0, u.OfMonth.TenThousandths-amount.TenThousandths)
	}
	return u
}

// TakeParts returns the sums reduced by parts of a hold.
func (u Usage) TakeParts(parts []Part) Usage {
	for _, part := range parts {
		u = u.Take(value.Amount{TenThousandths: part.TenThousandths}, part.Day)
	}
	return u
}

func addCapped(a, b value.Amount) value.Amount {
	if a.TenThousandths > math.MaxInt64-b.TenThousandths {
		a.TenThousandths = math.MaxInt64
		return a
	}
	a.TenThousandths += b.TenThousandths
	return a
}

// Limits holds what a program allows in one direction. A nil limit does not limit.
type Limits struct {
	PerTransaction *program.Limit
	UserDaily      *program.Limit
	UserMonthly    *program.Limit
	ProgramDaily   *program.Limit

	Suffix string // of the limits' names in this direction
}

// Suffixes of the names of limits.
const (
	depositLimit  = "DepositLimit"
	withdrawLimit = "WithdrawLimit"
)

// LimitsOf returns the limits of a program in a direction.
func LimitsOf(s *program.Settings, direction Direction) Limits {
	if direction == Deposits {
		return Limits{
			PerTransaction: s.PerTransactionDepositLimit, UserDaily: s.PerUserDailyDepositLimit,
			UserMonthly:  s.PerUserMonthlyDepositLimit,
			ProgramDaily: s.PerProgramDailyDepositLimit, Suffix: depositLimit,
		}
	}
	return Limits{
		PerTransaction: s.PerTransactionWithdrawLimit, UserDaily: s.PerUserDailyWithdrawLimit,
		UserMonthly:  s.PerUserMonthlyWithdrawLimit,
		ProgramDaily: s.PerProgramDailyWithdrawLimit, Suffix: withdrawLimit,
	}
}

// bound is a limit and the sum that it is compared with.
type bound struct {
	name  string // of the limit, without the direction
	limit *program.Limit
	sum   value.Amount // without the requested amount
}

// bounds returns the limits in the order in which they are checked. A limit of a period is compared
// with the sum of the period including the amount.
func (l Limits) bounds(user, all Usage) [4]bound {
	return [4]bound{
		{"perTransaction", l.PerTransaction, value.Amount{}},
		{"perUserDaily", l.UserDaily, user.OfDay},
		{"perUserMonthly", l.UserMonthly, user.OfMonth},
		{"perProgramDaily", l.ProgramDaily, all.OfDay},
	}
}

// exceeded returns the first limit that does not allow an amount, or nil.
func (l Limits) exceeded(amount value.Amount, user, all Usage) *Exceeded {
	for _, b := range l.bounds(user, all) {
		if sum := addCapped(b.sum, amount); !within(b.limit, sum) {
			return &Exceeded{
				Name: b.name + l.Suffix, Least: b.limit.MinimumAmount, Most: b.limit.MaximumAmount,
				Sum: sum.Fixed(sum.Digits()),
			}
		}
	}
	return nil
}

// room returns how much the maximum amounts of all limits leave, at least zero.
func (l Limits) room(user, all Usage) value.Amount {
	left := value.Amount{TenThousandths: math.MaxInt64}
	for _, b := range l.bounds(user, all) {
		if b.limit != nil && b.limit.MaximumAmount != nil {
			most := b.limit.MaximumAmount.TenThousandths
			left = minAmount(left, value.Amount{TenThousandths: max(0, most-b.sum.TenThousandths)})
		}
	}
	return left
}

func within(l *program.Limit, amount value.Amount) bool {
	if l == nil {
		return true
	}
	least, most := l.MinimumAmount, l.MaximumAmount
	return amount.TenThousandths < math.MaxInt64 &&
		(least == nil || amount.TenThousandths >= least.TenThousandths) &&
		(most == nil || amount.TenThousandths <= most.TenThousandths)
}
