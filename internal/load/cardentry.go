package load

import (
	"strings"

	"mintmark/internal/card"
	"mintmark/internal/fault"
	"mintmark/internal/program"
	"mintmark/internal/value"
)

// checkCard holds a card against the rules that a request to create one meets, and its dates and
// lock against its status. It fills in what may be left out.
func (p *pass) checkCard(at item, c *cardEntry) {
	say := func(field, format string, args ...any) { p.problems.add(at, field, format, args...) }
	p.onceNamed(at, c)
	if c.HolderID == 0 {
		c.HolderID = c.CustomerID
	}
	if c.TypeCode == "" {
		c.TypeCode = "DBT"
	}
	checkCardLock(c, say)
	checkCardDates(c, say)
	if c.FirstName == "" || c.LastName == "" || c.NickName == "" {
		return
	}
	// The vendor of a loaded card is that of its BIN, so any valid one does here.
	found := card.Application{
		TypeCode: c.TypeCode, VendorTypeCode: "VS",
		FirstName: c.FirstName, MiddleName: c.MiddleName, LastName: c.LastName,
		NickName: c.NickName, Tag: c.Tag, QualifierCode: c.QualifierCode,
	}.Check()
	var texts []string
	for _, f := range fault.All(found) {
		texts = append(texts, f.Message())
	}
	if len(texts) > 0 {
		say("", "%s", strings.Join(texts, " "))
	}
}

// report notes a problem with a field of the entry that is checked.
type report func(field, format string, args ...any)

func checkCardLock(c *cardEntry, say report) {
	if c.LockTypeCode == "" {
		c.LockTypeCode = string(card.Unlocked)
	}
	if c.LockTypeCode == string(card.Unlocked) && c.LockReasonTypeCode == "" {
		c.LockReasonTypeCode = string(card.Unknown)
	}
	reason := card.Reason(c.LockReasonTypeCode)
	switch card.LockType(c.LockTypeCode) {
	case card.Unlocked:
		if reason != card.Unknown {
			say("lockReasonTypeCode", "must be UNK while lockTypeCode is UNL")
		}
	case card.Customer, card.System:
		if reason == "" {
			say("lockReasonTypeCode", "a value is required")
		}
		if reason == card.PinRetries && c.LockTypeCode == string(card.Customer) {
			say("lockReasonTypeCode", "PIN is a reason of the system only")
		}
	}
}

func checkCardDates(c *cardEntry, say report) {
	status := card.Status(c.Status)
	for _, date := range c.dates() {
		switch {
		case date.at.IsZero():
			if date.of == status && status != "" {
				say(date.name, "a value is required for a card that is %s", status)
			}
		case date.at.Before(c.CreatedDate.Time):
			say(date.name, "lies before createdDate")
		case date.final && status != date.of && status != card.Archived:
			say(date.name, "cannot be set for a card that is %s", status)
		}
	}
}

// cardDate is one date in the life of a card and the status that came with it, if any. From a
// final status a card can only be archived.
type cardDate struct {
	name  string
	at    value.Time
	of    card.Status
	final bool
}

func (c *cardEntry) dates() []cardDate {
	return []cardDate{
		{"requestedDate", c.RequestedDate, "", false},
		{"verifiedDate", c.VerifiedDate, card.Verified, false},
		{"reissuedDate", c.ReissuedDate, card.Reissued, false},
		{"deniedDate", c.DeniedDate, card.Denied, true},
		{"expiredDate", c.ExpiredDate, card.Expired, false},
		{"archivedDate", c.ArchivedDate, card.Archived, true},
	}
}

// card returns the card without its number and its slots.
func (e *cardEntry) card(p *program.Program, bin program.Bin) card.Card {
	// A card expires by the calendar of its program.
	c := card.Initiate(card.Issuance{
		ProgramID: e.ProgramID, CustomerID: e.CustomerID, HolderID: e.HolderID,
		BinID: bin.ID, ValidMonths: bin.ValidMonths,
		Application: card.Application{
			TypeCode: e.TypeCode, VendorTypeCode: bin.Vendor, Tag: e.Tag, NickName: e.NickName,
			FirstName: e.FirstName, MiddleName: e.MiddleName, LastName: e.LastName,
			QualifierCode: e.QualifierCode,
		},
	}, e.CreatedDate.In(p.Location()))
	c.ID, c.Status, c.DigitalOnly = e.CardID, card.Status(e.Status), e.IsDigitalOnly
	c.Lock = card.Lock{
		Type: card.LockType(e.LockTypeCode), Reason: card.Reason(e.LockReasonTypeCode),
	}
	c.Created, c.Requested = e.CreatedDate.UTC(), e.RequestedDate.UTC()
	c.Verified, c.Reissued = e.VerifiedDate.UTC(), e.ReissuedDate.UTC()
	c.Denied, c.Expired = e.DeniedDate.UTC(), e.ExpiredDate.UTC()
	c.Archived = e.ArchivedDate.UTC()
	c.Modified = c.Created
	for _, date := range e.dates() {
		if date.at.After(c.Modified) {
			c.Modified = date.at.UTC()
		}
	}
	return c
}
