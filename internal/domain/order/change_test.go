package order

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
)

// usable returns the card before an act.
func usable() card.Card {
	return card.Card{
		ID: 5, ProgramID: 1, CustomerID: 11, HolderID: 12, Type: "DBT", Vendor: "VS", BinID: 2,
		Status: card.Verified, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		Name:       card.NewName("Ada", "", "Example"),
		Attributes: card.Attributes{QualifierCode: "A1"}, LastFour: "1111",
		Slots:           card.Slots{Checking: []int{21, 22}, Savings: []int{31}},
		PrimaryCategory: customer.Checking, Created: noon, Modified: noon,
	}
}

// TestForChange performs each act of package card that stores a card, and checks its orders.
func TestForChange(t *testing.T) {
	locked := func(lock card.LockType, reason card.Reason) card.Card {
		c := usable()
		c.Lock = card.Lock{Type: lock, Reason: reason}
		return c
	}
	mislaid := locked(card.Customer, card.Temporary)
	fraud := locked(card.Customer, card.SuspectedFraud)
	damaged := locked(card.Customer, card.Damaged)
	in := func(status card.Status) card.Card {
		c := usable()
		c.Status = status
		return c
	}
	replaced, _ := usable().ReissueNewPAN(card.Production, card.Lost, "", 48, noon)
	lost := locked(card.Customer, card.Lost)
	replacedLost, _ := lost.ReissueNewPAN(card.Production, card.Lost, "", 48, noon)
	again := usable().ReissueSamePAN(card.Production, "B", noon)
	refused, _ := in(card.Initiated).Refuse(noon)
	shipped, _ := in(card.Initiated).Ship(noon)
	taken, _ := in(card.Initiated).TakeOrder(noon)
	expired, _ := in(card.PendingVerification).ExpireUnverified(noon)
	turned := usable()
	turned.Slots.Checking = []int{22, 21}
	saving := usable()
	saving.PrimaryCategory = customer.Savings
	for name, row := range map[string]struct {
		before, after card.Card
		want          []Kind
	}{
		"nothing":                   {usable(), usable(), nil},
		"lock":                      {usable(), mislaid, []Kind{Lock}},
		"lock for fraud":            {usable(), fraud, []Kind{Hotlist}},
		"lock by the system":        {usable(), locked(card.System, card.PinRetries), []Kind{Lock}},
		"hotlist":                   {mislaid, lost, []Kind{Hotlist}},
		"unlock":                    {mislaid, usable(), []Kind{Unlock}},
		"another reason":            {mislaid, damaged, []Kind{Lock}},
		"archive":                   {usable(), usable().Archive(noon), []Kind{Close}},
		"replaced":                  {usable(), replaced, []Kind{Hotlist, Close}},
		"replaced when hotlisted":   {lost, replacedLost, []Kind{Close}},
		"made again":                {usable(), again, nil},
		"refused":                   {in(card.Initiated), refused, []Kind{Close}},
		"shipped":                   {in(card.Initiated), shipped, nil},
		"taken":                     {in(card.Initiated), taken, nil},
		"never verified":            {in(card.PendingVerification), expired, nil},
		"order of accounts":         {usable(), turned, []Kind{SetAccounts}},
		"another primary account":   {usable(), saving, []Kind{SetAccounts}},
		"archived with other locks": {usable(), lost.Archive(noon), []Kind{Hotlist, Close}},
	} {
		if got := ForChange(row.before, row.after); !slices.Equal(got, row.want) {
			t.Errorf("%s: orders %v, want %v", name, got, row.want)
		}
	}
}

// TestSnapshotFor checks the properties of a card in an order, by kind.
func TestSnapshotFor(t *testing.T) {
	creator := customer.Customer{
		FirstName: "Grace", LastName: "Sample",
		Mailing:   customer.Address{City: "Mail"},
		Residence: customer.Address{City: "Home"},
	}
	least := Snapshot{Status: "Verified", LockTypeCode: "UNL", LockReasonTypeCode: "UNK"}
	accounts := least
	accounts.Accounts = &Accounts{
		PrimaryAccountID: 21, Checking: []int{21, 22}, Savings: []int{31},
	}
	whole := accounts
	whole.TypeCode, whole.VendorTypeCode, whole.BinID = "DBT", "VS", 2
	whole.CustomerID, whole.HolderID = 11, 12
	whole.NameOnCard, whole.QualifierCode, whole.LastFour = "ADA EXAMPLE", "A1", "1111"
	whole.ShipTo = &Recipient{
		FirstName: "Grace", LastName: "Sample", Address: customer.Address{City: "Mail"},
	}
	for _, kind := range Kinds {
		want := least
		switch kind {
		case Make, Remake:
			want = whole
		case SetAccounts:
			want = accounts
		}
		if diff := cmp.Diff(want, SnapshotFor(kind, usable(), creator)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	creator.Mailing = customer.Address{}
	if got := SnapshotFor(Make, usable(), creator).ShipTo.Address.City; got != "Home" {
		t.Errorf("without a mailing address the card goes to %q", got)
	}
	linked := usable()
	linked.Replaces, linked.ReplacedBy = 4, 6
	for _, kind := range Kinds {
		var replaces, by *CardLink
		switch kind {
		case Make:
			replaces = &CardLink{4}
		case Close:
			by = &CardLink{6}
		}
		got := SnapshotFor(kind, linked, creator)
		diff := cmp.Diff([]*CardLink{replaces, by}, []*CardLink{got.Replaces, got.ReplacedBy})
		if diff != "" {
			t.Errorf("%s of a replaced card (-want +got):\n%s", kind, diff)
		}
	}
	digital := usable()
	digital.DigitalOnly = true
	if got := SnapshotFor(Make, digital, creator); got.ShipTo != nil || !got.DigitalOnly {
		t.Errorf("a digital card: %+v", got)
	}
}
