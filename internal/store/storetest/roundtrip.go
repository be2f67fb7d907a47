package storetest

import (
	"encoding/json"
	"math"
	"net/netip"
	"strconv"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

var roundTrips = []test{
	{"Card", roundTripCard},
	{"ChangedCard", roundTripChangedCard},
	{"Slots", roundTripSlots},
	{"CardNumbering", roundTripCardNumbering},
	{"Customer", roundTripCustomer},
	{"Account", roundTripAccount},
	{"Access", roundTripAccess},
	{"Program", roundTripProgram},
	{"Bins", roundTripBins},
	{"Document", roundTripDocument},
	{"Key", roundTripKey},
	{"Audit", roundTripAudit},
	{"Number", roundTripNumber},
	{"Attempts", roundTripAttempts},
	{"Replay", roundTripReplay},
	{"Replays", roundTripReplays},
	{"Installation", roundTripInstallation},
}

// roundTripCard finds a card with everything and one with as little as possible, alone and in a
// list.
func roundTripCard(t *testing.T, s store.Store) {
	background(t, s)
	for _, c := range []card.Card{longestCard(), plain("")} {
		put := kept(t, s, c)
		if put.ID == 0 || put.Revision != 1 {
			t.Errorf("got number %d and revision %d, want a number and 1", put.ID, put.Revision)
		}
		c.ID, c.Revision = put.ID, 1
		wantSame(t, findCard(t, s, put.ID), c)
		listed := listCards(t, s, holderID)
		wantSame(t, listed[len(listed)-1], c)
	}
}

// roundTripChangedCard changes every field of a card at once, there and back.
func roundTripChangedCard(t *testing.T, s store.Store) {
	background(t, s)
	put := kept(t, s, plain("short"))
	for _, c := range []card.Card{longestCard(), plain("short")} {
		c.ID, c.Revision = put.ID, put.Revision
		put = changed(t, s, c)
		if want := c.Revision + 1; put.Revision != want {
			t.Errorf("got revision %d, want %d", put.Revision, want)
		}
		wantSame(t, findCard(t, s, put.ID), put)
	}
}

// roundTripSlots moves, adds and removes accounts, and takes all of them away.
func roundTripSlots(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("slots"))
	for _, slots := range []card.Slots{
		{Checking: []int{202, 201}},
		{Checking: []int{201, 202}},
		{Checking: []int{204, 203, 202, 201}, Savings: []int{206, 208, 207, 209}},
		{Savings: []int{209}},
		{},
	} {
		c.Slots = slots
		c = changed(t, s, c)
		wantSame(t, findCard(t, s, c.ID).Slots, slots)
		accounts := find(t, s, func(r store.Tx) (map[int]customer.Account, error) {
			found, err := r.Cards().ListByCustomer(programID, creatorID, store.NoLimit)
			return found.Accounts, err
		})
		want := make(map[int]customer.Account)
		for category, ids := range map[customer.AccountType][]int{
			customer.Checking: slots.Checking, customer.Savings: slots.Savings,
		} {
			for _, id := range ids {
				want[id] = storedAccount(id, category)
			}
		}
		wantSame(t, accounts, want)
	}
	// Nine accounts on two cards, and one of them on both.
	one, two := plain("one"), plain("two")
	one.Slots = card.Slots{Checking: []int{201, 202, 203, 204}, Savings: []int{206}}
	two.Slots = card.Slots{Checking: []int{205, 201}, Savings: []int{207, 208, 209}}
	kept(t, s, one)
	kept(t, s, two)
	view(t, s, func(r store.Tx) error {
		found, err := r.Cards().ListByCustomer(programID, creatorID, store.NoLimit)
		if len(found.Accounts) != 9 {
			t.Errorf("got %d accounts, want 9", len(found.Accounts))
		}
		return err
	})
}

// roundTripCardNumbering checks which numbers cards get.
func roundTripCardNumbering(t *testing.T, s store.Store) {
	background(t, s)
	byHand := plain("by hand")
	byHand.ID = 5001
	if put := kept(t, s, byHand); put.ID != 5001 || put.Revision != 1 {
		t.Errorf("got card %d at revision %d, want 5001 at 1", put.ID, put.Revision)
	}
	for _, want := range []int{10001, 10002} {
		if put := kept(t, s, plain(strconv.Itoa(want))); put.ID != want {
			t.Errorf("got card %d, want %d", put.ID, want)
		}
	}
}

// roundTripCustomer includes the dates that a careless store takes for none.
func roundTripCustomer(t *testing.T, s store.Store) {
	background(t, s)
	address := customer.Address{
		Line1: longest(50), Line2: `"2"`, City: "Zürich", Region: "ZH", PostalCode: "8001",
		Country: "CH",
	}
	zone := time.FixedZone("", 9*60*60)
	revisions := make(map[int]int) // of the customers by their numbers
	for _, c := range []customer.Customer{
		{
			Standing: customer.Standing{
				ID: 7, ProgramID: programID, Status: customer.ManualReview,
				AccessType: customer.AccountOnly, IsActive: true,
				Birth: time.Date(1931, 12, 31, 0, 0, 0, 0, time.UTC),
			},
			FirstName: longest(64), LastName: longest(128), MobilePhone: "+41 1", Mailing: address,
		},
		{
			Standing: customer.Standing{
				ID: 7, ProgramID: otherProgram, Status: customer.Denied, AccessType: customer.None,
				IsLocked: true, Deceased: time.Unix(0, 0).UTC(),
				Birth: time.Date(1, 1, 2, 0, 0, 0, 0, time.UTC),
			},
			HomePhone: "2", Residence: address,
		},
		{Standing: customer.Standing{
			ID: math.MaxInt32, ProgramID: programID, Status: customer.Archived,
			AccessType: customer.CardOnly,
		}},
	} {
		c.Revision = revisions[c.ID]
		update(t, s, func(tx store.Tx) error { return tx.Customers().Put(c) })
		c.Revision++
		revisions[c.ID] = c.Revision
		wantSame(t, find(t, s, func(r store.Tx) (customer.Customer, error) {
			return r.Customers().Find(c.ProgramID, c.ID)
		}), c)
	}
	// The date of birth is a date, wherever it was written down.
	c := person(8, programID)
	c.Birth = time.Date(1985, 3, 14, 0, 0, 0, 0, zone)
	update(t, s, func(tx store.Tx) error { return tx.Customers().Put(c) })
	found := find(t, s, func(r store.Tx) (customer.Customer, error) {
		return r.Customers().Find(programID, 8)
	})
	if !found.BornOn(1985, 3, 14) {
		t.Errorf("got the birth date %v, want the date of %v", found.Birth, c.Birth)
	}
}

// roundTripAccount includes the largest amounts, which no floating-point number can hold.
func roundTripAccount(t *testing.T, s store.Store) {
	background(t, s)
	for revision, a := range []customer.Account{
		{
			ID: 9, ProgramID: programID, CustomerID: creatorID, Type: customer.ForBenefitOf,
			Status: customer.PendingClosed, Name: longest(50), Tag: "Tag ", NumberMasked: "***1",
			Balance:          value.Amount{TenThousandths: math.MaxInt64},
			AvailableBalance: value.Amount{TenThousandths: math.MinInt64},
			PendingBalance:   value.Amount{TenThousandths: -1},
			Held:             value.Amount{TenThousandths: 7},
			BalanceModified:  made, Modified: time.UnixMilli(0).UTC(),
		},
		{ID: 9, ProgramID: programID, CustomerID: holderID, Type: customer.Savings,
			Status: customer.PendingOpen},
	} {
		a.Revision = revision
		update(t, s, func(tx store.Tx) error { return tx.Accounts().Put(a) })
		a.Revision++
		wantSame(t, find(t, s, func(r store.Tx) (customer.Account, error) {
			found, _, err := r.Accounts().FindFor(programID, 9, holderID)
			return found, err
		}), a)
	}
}

func roundTripAccess(t *testing.T, s store.Store) {
	background(t, s)
	check := func(want customer.AccountAccess) {
		t.Helper()
		got := find(t, s, func(r store.Tx) (customer.AccountAccess, error) {
			return r.Access().Find(holderID, 201)
		})
		var with customer.AccountAccess
		view(t, s, func(r store.Tx) error {
			a, access, err := r.Accounts().FindFor(programID, 201, holderID)
			wantSame(t, a, storedAccount(201, customer.Checking))
			with = access
			return err
		})
		if got != want || with != want {
			t.Errorf("got access %q, with the account %q, want %q", got, with, want)
		}
	}
	check(customer.NoAccess)
	for revision, access := range []customer.AccountAccess{
		customer.ReadOnly, customer.FullAccess, customer.NoAccess,
	} {
		update(t, s, func(tx store.Tx) error {
			return tx.Access().Put(customer.Access{
				CustomerID: holderID, AccountID: 201, Type: access, Revision: revision,
			})
		})
		check(access)
	}
}

func roundTripProgram(t *testing.T, s store.Store) {
	background(t, s)
	full := program.Program{Issuing: program.Issuing{
		ID: 13, BankID: bankID, VerificationWindowDays: 45,
		Renewal: program.Automatic, Balances: program.ByMintmark,
	}, FourEyes: true}
	if err := json.Unmarshal([]byte(settings), &full.Settings); err != nil {
		t.Fatal(err)
	}
	// An amount that is to be printed with fewer digits than it has loses none of them.
	full.Settings.PerUserTotalAccountBalanceMax = &value.Amount{TenThousandths: 15000}
	bare := program.Program{Issuing: program.Issuing{ID: 13, BankID: bankID}}
	for revision, p := range []program.Program{full, bare} {
		p.Revision = revision
		update(t, s, func(tx store.Tx) error { return tx.Programs().Put(p) })
		p.Revision++
		found := find(t, s, func(r store.Tx) (program.Program, error) {
			return r.Programs().Find(p.ID)
		})
		wantSame(t, found, p)
	}
}

func roundTripBins(t *testing.T, s store.Store) {
	background(t, s)
	bins := []program.Bin{bin(3, programID), {ID: 4, ProgramID: programID, Vendor: "MC"}}
	keys := []program.PciKey{
		{ID: 5, BankID: bankID, Status: program.Retired},
		{ID: 6, BankID: bankID, Status: program.EncryptAndDecrypt},
	}
	update(t, s, func(tx store.Tx) error {
		var errs []error
		for i := range bins {
			errs = append(errs, tx.Programs().PutBin(bins[i]), tx.Banks().PutPciKey(keys[i]))
		}
		return firstOf(errs)
	})
	for i := range bins {
		bins[i].Revision, keys[i].Revision = 1, 1
	}
	bins[0].Description, bins[0].IsActive = longest(30), false
	keys[0].Status = program.DecryptOnly
	update(t, s, func(tx store.Tx) error {
		return firstOf([]error{tx.Programs().PutBin(bins[0]), tx.Banks().PutPciKey(keys[0])})
	})
	bins[0].Revision, keys[0].Revision = 2, 2
	found := find(t, s, func(r store.Tx) (program.Program, error) {
		return r.Programs().Find(programID)
	})
	wantSame(t, found.Bins, append(bins, storedBin(binID, programID)))
	wantSame(t, found.PciKeys, keys)
}

// roundTripDocument includes HTML of the greatest length and bytes that are no text.
func roundTripDocument(t *testing.T, s store.Store) {
	background(t, s)
	for revision, d := range []bankdoc.Document{
		{
			ID: 31, BankID: bankID, Culture: "en-US", Type: bankdoc.Types[3], Title: longest(100),
			HTML: strings.Repeat("<p>é</p>", 200_000), PDF: []byte("%PDF-\x00\xff"),
			HasPDF: true, Effective: made, Expires: made.Add(time.Millisecond), Published: made,
		},
		{ID: 31, BankID: bankID, Culture: "es-US", Type: bankdoc.Types[0]},
	} {
		d.Revision = revision
		update(t, s, func(tx store.Tx) error { return tx.Documents().Put(d) })
		d.Revision++
		found := find(t, s, func(r store.Tx) (bankdoc.Document, error) {
			return r.Documents().Find(bankID, 31)
		})
		wantSame(t, found, d)
		listed := find(t, s, func(r store.Tx) ([]bankdoc.Document, error) {
			return r.Documents().List(bankID, strings.ToUpper(d.Culture))
		})
		d.PDF, d.Revision, d.Published = nil, 0, time.Time{} // a list has none of them
		wantSame(t, listed, []bankdoc.Document{d})
	}
}

// roundTripKey replaces a key and checks that nodes would notice.
func roundTripKey(t *testing.T, s store.Store) {
	background(t, s)
	revision := func() int64 {
		return find(t, s, func(r store.Tx) (int64, error) { return r.Keys().Revision() })
	}
	for i, k := range []apikey.Key{
		{
			Name: keyName, Label: "shop", ProgramID: otherProgram, Version: 2,
			Secrets: []apikey.Secret{
				{Digest: []byte{0, 255}, Expires: time.UnixMilli(0).UTC()}, {Digest: []byte{7}},
			},
			Allow: []netip.Prefix{
				netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128"),
			},
			PerSecond: 0.1, Burst: 3, Compatibility: apikey.Compatibilities,
		},
		{Name: keyName, ProgramID: programID, Version: 1},
	} {
		k.Revision = i + 1 // background has the first
		before := revision()
		update(t, s, func(tx store.Tx) error { return tx.Keys().Put(k) })
		if after := revision(); after <= before {
			t.Errorf("the revision of all keys went from %d to %d", before, after)
		}
		k.Revision++
		keys := find(t, s, func(r store.Tx) ([]apikey.Key, error) { return r.Keys().List() })
		wantSame(t, keys, []apikey.Key{k})
	}
}
