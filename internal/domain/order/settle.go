package order

import "slices"

// endedBy lists the reports that complete an order. An order to make a card is not complete when
// the processor accepts it; an order that only updates the processor's records is.
var endedBy = map[Kind][]ReportKind{
	Make:        {Shipped, Delivered, Returned},
	Remake:      {Shipped, Delivered, Returned},
	SetPin:      {PinSet},
	Lock:        {Taken},
	Unlock:      {Taken},
	Hotlist:     {Taken},
	Close:       {Taken},
	SetAccounts: {Taken},
}

// Event returns the event that a report causes for an order of a kind to which it refers, or "" if
// none.
func (r ReportKind) Event(about Kind) Event {
	switch {
	case r == Refused:
		return IsRefused
	case slices.Contains(endedBy[about], r):
		return IsDone
	case r == Taken:
		return IsAccepted
	}
	return ""
}
