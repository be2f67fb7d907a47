package authorization

import (
	"mintmark/internal/base/value"
	"mintmark/internal/domain/program"
)

// ProgramUsage is the sum of a program's day. Transfers that run side by side would all wait for one
// row, so the total lends parts of what the limit leaves to shares: the total is what was used or
// lent. A transfer takes from one share alone as long as that has a rest.
type ProgramUsage struct {
	Total   Usage
	Share   Share   // of this transfer; without a lane where there are none
	Emptied []Share // others, whose rest was taken back
}

// Share is a part of what the limit of a program's day leaves.
type Share struct {
	ProgramID int
	Direction Direction
	Lane      int // tells the shares of a program apart

	Day  Day          // on which it was lent; nothing is left on another
	Rest value.Amount // that was not used

	Revision int // of the stored row; 0 when there is none
}

// lentPart is which part of what the limit leaves is lent at once. So the first shares leave enough
// to the others, and the total is seldom changed until little is left.
const lentPart = 16

// rest is what is left of the share.
func (p ProgramUsage) rest() value.Amount {
	if p.Share.Day != p.Total.Day {
		return value.Amount{}
	}
	return lesser(p.Share.Rest, p.Total.OfDay)
}

// HasRest reports whether something is left of the share.
func (p ProgramUsage) HasRest() bool { return p.rest().TenThousandths > 0 }

// UpperBound returns the sum as if all that other shares have left were used.
func (p ProgramUsage) UpperBound() Usage {
	sum := p.Total
	sum.OfDay = subtract(sum.OfDay, p.rest())
	return sum
}

// AllowsInAnyCase reports whether a limit allows a transfer, or any part of one that may be
// approved in part, whatever other shares have left.
func (p ProgramUsage) AllowsInAnyCase(limit *program.Limit, q Question) bool {
	return within(limit, addCapped(p.UpperBound().OfDay, q.Amount)) &&
		(limit == nil || limit.MinimumAmount == nil ||
			!q.Partial && q.Amount.TenThousandths >= limit.MinimumAmount.TenThousandths)
}

// TakeBack takes back what the shares of the day have left. The total is then what was used.
func (p ProgramUsage) TakeBack(shares []Share) ProgramUsage {
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

// Begin begins the total of a day with what was used. What shares have left of a day that comes
// again, because a clock was set back, is lent.
func (p ProgramUsage) Begin(used Usage, shares []Share) ProgramUsage {
	used.Revision = p.Total.Revision
	for _, share := range shares {
		used.OfDay = addCapped(used.OfDay, share.Rest)
	}
	p.Total = used
	return p
}

// Add returns the sum with an amount more, out of the share. What that has not left comes out of
// the total, which then lends the share anew.
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
		lent.TenThousandths = subtract(*limit.MaximumAmount, p.Total.OfDay).TenThousandths / lentPart
	}
	p.Total = p.Total.Add(lent)
	p.Share.Day, p.Share.Rest = p.Total.Day, lent
	return p
}

// TakeParts returns the sum without the parts of a hold, which the share keeps.
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
