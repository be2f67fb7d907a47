package storetest

import (
	"testing"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

var issuance = []test{
	{"Found", issuanceFound},
	{"Missing", issuanceMissing},
	{"FullCardView", fullViewFound},
	{"FullCardViewMissing", fullViewMissing},
}

// findIssuance returns what an order for a new card reads.
func findIssuance(t *testing.T, s store.Store, of store.IssuanceQuery) store.IssuanceView {
	t.Helper()
	return find(t, s, func(r store.Tx) (store.IssuanceView, error) {
		return r.Issuance().FindView(of)
	})
}

// configured gives the program of background every setting that a program can have, and returns the
// part needed to issue a card.
func configured(t *testing.T, s store.Store) program.Issuing {
	t.Helper()
	p := program.Program{
		Issuing: program.Issuing{
			ID: programID, BankID: bankID, VerificationWindowDays: 30, Renewal: program.Automatic,
		},
		Revision: 1,
	}
	p.Settings.TimeZone = "Asia/Tokyo"
	keys := []program.PciKey{
		{ID: 5, BankID: bankID, Status: program.Retired},
		{ID: 6, BankID: bankID, Status: program.EncryptAndDecrypt},
	}
	second := bin(3, programID)
	second.IsActive = false
	update(t, s,
		func(tx store.Tx) error { return tx.Programs().Put(p) },
		func(tx store.Tx) error { return tx.Programs().PutBin(second) },
		func(tx store.Tx) error { return tx.Banks().PutPciKey(keys[1]) },
		func(tx store.Tx) error { return tx.Banks().PutPciKey(keys[0]) },
	)
	keys[0].Revision, keys[1].Revision, second.Revision = 1, 1, 1
	p.PciKeys, p.Bins = keys, []program.Bin{second, storedBin(binID, programID)}
	return p.Issuing
}

// issuanceFound finds everything that an order can read, and then removes it piece by piece.
func issuanceFound(t *testing.T, s store.Store) {
	background(t, s)
	creator := storedPerson(creatorID, programID)
	creator.MobilePhone, creator.HomePhone = "+1 555 0100", "+1 555 0101"
	creator.Mailing = customer.Address{Line1: "1 High Street", City: "Ž", Country: "US"}
	creator.Residence = customer.Address{Line1: "2 High Street", Country: "US"}
	taken := kept(t, s, tagged("taken"))
	of := store.IssuanceQuery{
		ProgramID: programID, CreatorID: creatorID, HolderID: holderID, AccountID: 206,
		Names: true, Tag: "taken", NickName: "CARD Taken",
	}
	want := store.IssuanceView{
		Creator: creator, Holder: standing(holderID), Account: storedAccount(206, customer.Savings),
		Access: customer.FullAccess, TagTaken: true, NickNameTaken: true,
		Program: configured(t, s),
	}
	access := func(customerID int, kind customer.AccountAccess) func(store.Tx) error {
		return func(tx store.Tx) error { return putAccess(tx, customerID, of.AccountID, kind) }
	}
	check := func(write func(store.Tx) error) {
		t.Helper()
		update(t, s, write)
		everyWay(t, s, func(r store.Tx) error {
			v, err := r.Issuance().FindView(of)
			wantSame(t, v, want)
			return err
		})
		of, want := of, want
		of.Names, want.TagTaken, want.NickNameTaken = false, false, false
		wantSame(t, findIssuance(t, s, of), want)
	}
	update(t, s, access(creatorID, customer.FullAccess))
	want.Creator.Revision++
	check(func(tx store.Tx) error { return tx.Customers().Put(creator) })
	want.Access = customer.NoAccess
	check(access(creatorID, customer.NoAccess))
	check(access(holderID, customer.FullAccess)) // not the creator's access

	taken.Tag = ""
	want.TagTaken = false
	check(func(tx store.Tx) error { return change(tx, &taken) })
	taken.Status, taken.Archived = card.Archived, created
	want.NickNameTaken = false
	check(func(tx store.Tx) error { return change(tx, &taken) })

	kept(t, s, tagged("taken"))
	of.Tag = ""
	of.NickName = "free"
	check(func(store.Tx) error { return nil })
}

// putAccess sets the access of a customer to an account, whatever is stored.
func putAccess(
	tx store.Tx, customerID, accountID int, kind customer.AccountAccess,
) error {
	next := customer.Access{CustomerID: customerID, AccountID: accountID, Type: kind}
	all, err := tx.Access().List([]int{customerID})
	for _, stored := range all {
		if stored.AccountID == accountID {
			next.Revision = stored.Revision
		}
	}
	if err != nil {
		return err
	}
	return tx.Access().Put(next)
}

// issuanceMissing omits one thing after the other.
func issuanceMissing(t *testing.T, s store.Store) {
	background(t, s)
	all := store.IssuanceQuery{
		ProgramID: programID, CreatorID: creatorID, HolderID: holderID, AccountID: 201,
	}
	want := store.IssuanceView{
		Creator: storedPerson(creatorID, programID), Access: customer.NoAccess,
		Program: configured(t, s),
	}
	for _, id := range []int{0, 404, foreignID} {
		of := all
		of.HolderID, of.AccountID = id, id
		wantSame(t, findIssuance(t, s, of), want)
	}
	everyWay(t, s, func(r store.Tx) error {
		for _, id := range []int{0, 404, foreignID} {
			of := all
			of.CreatorID = id
			_, err := r.Issuance().FindView(of)
			wantError(t, "Issuance.FindView", err, store.ErrNotFound)
		}
		return nil
	})
}

// fullViewFound views a card as its creator and as its holder.
func fullViewFound(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("full view"))
	creator := storedPerson(creatorID, programID)
	creator.Birth = time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	creator.Mailing.City = "Zürich"
	var at time.Time
	update(t, s,
		func(tx store.Tx) error { return tx.Customers().Put(creator) },
		func(tx store.Tx) error {
			at = tx.Now()
			return tx.Cards().PutAttempt(c.ID, store.PinTaken)
		},
	)
	want := store.FullCardView{
		CardView: store.CardView{Card: c, Accounts: accountsOf(201)},
		Creator:  creator, Attempts: []time.Time{at}, Program: configured(t, s),
	}
	want.Creator.Revision++
	for _, asks := range []customer.Standing{creator.Standing, standing(holderID)} {
		want.Customer = asks
		everyWay(t, s, func(r store.Tx) error {
			full, err := r.Cards().FindFullView(store.FullCardQuery{
				ProgramID: programID, CustomerID: asks.ID, CardID: c.ID,
				Kind: store.PinTaken, Limit: 5,
			})
			wantSame(t, full, want)
			return err
		})
	}
	// A card can be changed as it was read in a full view.
	c.Slots.Checking = []int{202}
	update(t, s, func(tx store.Tx) error {
		read, err := tx.Cards().FindFullView(store.FullCardQuery{
			ProgramID: programID, CustomerID: creatorID, CardID: c.ID,
		})
		if err != nil {
			return err
		}
		return tx.Cards().Change(read.Card, &c)
	})
	wantSame(t, findCard(t, s, c.ID), c)
}

// fullViewMissing distinguishes a missing customer from a missing card.
func fullViewMissing(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("full view"))
	foreign := plain("elsewhere")
	foreign.ProgramID, foreign.BinID = otherProgram, otherBin
	foreign.CustomerID, foreign.HolderID, foreign.Slots = foreignID, foreignID, card.Slots{}
	foreign = kept(t, s, foreign)
	update(t, s, func(tx store.Tx) error {
		return tx.Cards().PutAttempt(foreign.ID,
			store.PinTaken)
	})
	want := store.FullCardView{
		CardView: store.CardView{Customer: standing(creatorID)}, Program: configured(t, s),
	}
	everyWay(t, s, func(r store.Tx) error {
		fullView := func(customerID, cardID int) (store.FullCardView, error) {
			return r.Cards().FindFullView(store.FullCardQuery{
				ProgramID: programID, CustomerID: customerID, CardID: cardID,
				Kind: store.PinTaken, Limit: 5,
			})
		}
		for _, cardID := range []int{404, 0, foreign.ID} {
			full, err := fullView(creatorID, cardID)
			wantError(t, "Cards.FindFullView", err, nil)
			wantSame(t, full, want)
		}
		for _, customerID := range []int{404, 0, foreignID} {
			_, err := fullView(customerID, c.ID)
			wantError(t, "Cards.FindFullView", err, store.ErrNotFound)
		}
		return nil
	})
}
