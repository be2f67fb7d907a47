package authorization

import (
	"mintmark/internal/base/value"
	"mintmark/internal/domain/program"
)

// ProgramUsage is the sum of a program's day. Concurrent transfers would all wait for one row, so
// the total lends parts of the remaining limit to shares: the total is the sum of what was used and
// what was lent. A transfer uses only one share while that share has something left.
type ProgramUsage struct {
	Total   Usage
	Share   Share   // of this transfer; its Lane is 0 if there are no shares
	Emptied []Share // other shares whose rest was taken back
}

// Share is a lent part of the remaining limit of a program's day.
type Share struct {
	ProgramID int
	Direction Direction
	Lane      int // distinguishes the shares of a program

	Day  Day          // day of the loan; nothing is left on another day
	Rest value.Amount // unused part

	Revision int // of the stored row; 0 if there is none
}

// loanDivisor is the divisor of a loan: the total lends 1/loanDivisor of the remaining limit at a
// time. The first shares then leave enough for the others, and the total changes seldom until
// little is left.
const loanDivisor = 16

// rest returns the unused part of the share.
func (p ProgramUsage) rest() value.Amount {
	if p.Share.Day != p.Total.Day {
		return value.Amount{}
	}
	return minAmount(p.Share.Rest, p.Total.OfDay)
}

// HasRest reports whether the share has anything left.
func (p ProgramUsage) HasRest() bool { return p.rest().TenThousandths > 0 }

// UpperBound returns the sum as if the other shares were used up.
func (p ProgramUsage) UpperBound() Usage {
	sum := p.Total
	sum.OfDay = subtract(sum.OfDay, p.rest())
	return sum
}

// AllowsWorstCase reports whether a limit allows a transfer, or any part of a transfer that may be
// approved in part, even if the other shares are used up.
func (p ProgramUsage) AllowsWorstCase(limit *program.Limit, q Question) bool {
	return within(limit, addCapped(p.UpperBound().OfDay, q.Amount)) &&
		(limit == nil || limit.MinimumAmount == nil ||
			!q.Partial && q.Amount.TenThousandths >= limit.MinimumAmount.TenThousandths)
}

// ReclaimShares takes back the rest of the day's shares. The total is then the sum of what was
// used.
func (p ProgramUsage) ReclaimShares(shares []Share) ProgramUsage {
	p.Emptied = nil
	for _, share := range shares {
		p.Total.OfDay = subtract(p.Total.OfDay, share.Rest)
		share.Rest = value.Amount{}
		if share.Lane == p.Share.Lane {
			p.Share = share
		} else {
			p.Emptied = append(p.Emptied, share)
		}
	}
	return p
}

// Begin starts the total of a day with what was used. If a day repeats because a clock was set
// back, the rest of the shares counts as lent.
func (p ProgramUsage) Begin(used Usage, shares []Share) ProgramUsage {
	used.Revision = p.Total.Revision
	for _, share := range shares {
		used.OfDay = addCapped(used.OfDay, share.Rest)
	}
	p.Total = used
	return p
}

// Add returns the sum increased by an amount, which it takes from the share. If the share has too
// little left, the remainder comes out of the total, which then lends to the share again.
func (p ProgramUsage) Add(amount value.Amount, limit *program.Limit) ProgramUsage {
	more := subtract(amount, p.rest())
	if more.TenThousandths == 0 {
		p.Share.Rest = subtract(p.rest(), amount)
		return p
	}
	p.Total = p.Total.Add(more)
	if p.Share.Lane == 0 {
		return p
	}
	var lent value.Amount
	if limit != nil && limit.MaximumAmount != nil {
		lent.TenThousandths = subtract(*limit.MaximumAmount, p.Total.OfDay).TenThousandths / loanDivisor
	}
	p.Total = p.Total.Add(lent)
	p.Share.Day, p.Share.Rest = p.Total.Day, lent
	return p
}

// TakeParts returns the sum reduced by parts of a hold, which go back to the share.
func (p ProgramUsage) TakeParts(parts []Part) ProgramUsage {
	if p.Share.Lane == 0 {
		p.Total = p.Total.TakeParts(parts)
		return p
	}
	for _, part := range parts {
		if part.Day == p.Total.Day {
			p.Share.Rest = addCapped(p.rest(), value.Amount{TenThousandths: part.TenThousandths})
			p.Share.Day = part.Day
		}
	}
	return p
}
