package order

import "slices"

// endedBy are the reports after which an order is done. An order to make a card is not done when
// the processor has accepted it; an order that only updates the processor's records is.
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

// Event is what a report says of an order of a kind that it names; empty when it says nothing.
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
