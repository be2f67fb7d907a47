package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
)

// Tests of how operators find cards, customers and accounts.
var listing = []test{
	{"CardFilters", listCardFilters},
	{"CardPages", listCardPages},
	{"CardLocks", listCardLocks},
	{"CardTexts", listCardTexts},
	{"Program", listProgram},
	{"Fences", listFences},
	{"CardCounts", listCardCounts},
	{"Customers", listCustomers},
	{"PeopleSearch", searchPeople},
	{"Accounts", listAccounts},
	{"Histories", listHistories},
	{"AccessDelete", deleteAccess},
}

// listed returns the IDs of the cards that match a query.
func listed(t *testing.T, s store.Store, of store.CardQuery) []int {
	t.Helper()
	if of.Limit == 0 {
		of.Limit = 200
	}
	summaries := find(t, s, func(r store.Tx) ([]store.CardSummary, error) {
		return r.CardSearch().List(of)
	})
	var ids []int
	for _, c := range summaries {
		ids = append(ids, c.ID)
	}
	return ids
}

// wantIDs compares IDs with those of some cards, greatest first.
func wantIDs(t *testing.T, of string, got []int, cards ...card.Card) {
	t.Helper()
	var want []int
	for _, c := range cards {
		want = append(want, c.ID)
	}
	slices.Sort(want)
	slices.Reverse(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", of, diff)
	}
}

// elsewhere returns a card of the other program.
func elsewhere(nickName string) card.Card {
	c := plain(nickName)
	c.ProgramID, c.CustomerID, c.HolderID, c.BinID = otherProgram, foreignID, foreignID, otherBin
	c.Slots = card.Slots{}
	return c
}

// listProgram lists all cards of a program with their PANs, in pages.
func listProgram(t *testing.T, s store.Store) {
	background(t, s)
	bare := plain("bare")
	bare.Slots = card.Slots{}
	both := plain("both")
	both.Slots = card.Slots{Checking: []int{203, 201}, Savings: []int{206}}
	a, b, c := kept(t, s, both), kept(t, s, bare), kept(t, s, plain("last"))
	foreign := kept(t, s, elsewhere("Elsewhere"))
	for _, of := range []card.Card{a, c, foreign} {
		update(t, s, func(tx store.Tx) error {
			return tx.CardNumbers().Put(store.SealedNumber{
				CardID: of.ID, BinID: of.BinID, Digest: digested(fmt.Append(nil, of.ID)),
				Sealed: fmt.Append(nil, "sealed ", of.ID), LastFour: "1111",
			})
		})
	}
	list := func(after, limit int) []card.Card {
		return find(t, s, func(r store.Tx) ([]card.Card, error) {
			return r.Cards().ListOfProgram(programID, after, limit)
		})
	}
	wantSame(t, list(0, 9), []card.Card{a, b, c})
	wantSame(t, list(0, 2), []card.Card{a, b})
	wantSame(t, list(b.ID, 2), []card.Card{c})
	wantSame(t, len(list(c.ID, 9)), 0)
	numbers := func(after, limit int) (list []string) {
		view(t, s, func(r store.Tx) error {
			list = nil
			numbers, err := r.CardNumbers().ListOfProgram(programID, after, limit)
			for _, n := range numbers {
				list = append(list, string(n.Sealed))
			}
			return err
		})
		return list
	}
	first, last := fmt.Sprint("sealed ", a.ID), fmt.Sprint("sealed ", c.ID)
	wantSame(t, numbers(0, 9), []string{first, last})
	wantSame(t, numbers(0, 1), []string{first})
	wantSame(t, numbers(a.ID, 9), []string{last})
}

// listFences fences a program and lifts the fence. Nodes notice by the revision of the keys.
func listFences(t *testing.T, s store.Store) {
	background(t, s)
	p := find(t, s, func(r store.Tx) (program.Program, error) { return r.Programs().Find(programID) })
	revision := func() int64 {
		return find(t, s, func(r store.Tx) (int64, error) { return r.Keys().Revision() })
	}
	for _, since := range []time.Time{created, {}} {
		before := revision()
		update(t, s, func(tx store.Tx) error { return tx.Programs().PutFence(programID, since) })
		p.Fenced = since
		p.Revision++
		wantSame(t, find(t, s, func(r store.Tx) (program.Program, error) {
			return r.Programs().Find(programID)
		}), p)
		var want []int
		if !since.IsZero() {
			want = []int{programID}
		}
		wantSame(t, find(t, s, func(r store.Tx) ([]int, error) {
			return r.Programs().ListFenced()
		}), want)
		wantSame(t, revision(), before+1)
	}
	wantUpdate(t, s, "no program", store.ErrLostUpdate, func(tx store.Tx) error {
		return tx.Programs().PutFence(404, created)
	})
}

func listCardFilters(t *testing.T, s store.Store) {
	background(t, s)
	first := tagged("first")
	first.LastFour, first.HolderID = "4321", creatorID
	denied := plain("Denied")
	denied.Status, denied.Denied, denied.Lock = card.Denied, created, card.Lock{
		Type: card.System, Reason: card.Administrative,
	}
	denied.Name = card.NewName("Grace", "", "Höpper")
	a, b, c := kept(t, s, first), kept(t, s, denied), kept(t, s, elsewhere("Elsewhere"))
	for name, row := range map[string]struct {
		of   store.CardQuery
		want []card.Card
	}{
		"all":         {store.CardQuery{}, []card.Card{a, b, c}},
		"one program": {store.CardQuery{Programs: []int{otherProgram}}, []card.Card{c}},
		"two programs": {store.CardQuery{Programs: []int{programID, otherProgram}},
			[]card.Card{a, b, c}},
		"no program":  {store.CardQuery{Programs: []int{}}, nil},
		"creator":     {store.CardQuery{CustomerID: creatorID}, []card.Card{a, b}},
		"holder":      {store.CardQuery{CustomerID: holderID}, []card.Card{b}},
		"status":      {store.CardQuery{Status: card.Denied}, []card.Card{b}},
		"tag":         {store.CardQuery{Tag: "first"}, []card.Card{a}},
		"tag in part": {store.CardQuery{Tag: "firs"}, nil},
		"last four":   {store.CardQuery{LastFour: "4321"}, []card.Card{a}},
		"holders":     {store.CardQuery{HolderIDs: []int{creatorID, foreignID}}, []card.Card{a, c}},
		"no holder":   {store.CardQuery{HolderIDs: []int{}}, nil},
		"last four and holder": {
			store.CardQuery{LastFour: "4321", HolderName: "smith ada"}, []card.Card{a}},
		"last four and another holder": {
			store.CardQuery{LastFour: "4321", HolderName: "grace"}, nil},
		"lock": {store.CardQuery{LockType: card.System}, []card.Card{b}},
		"lock and reason": {store.CardQuery{
			LockType: card.System, LockReason: card.Administrative}, []card.Card{b}},
		"another reason": {store.CardQuery{
			LockType: card.System, LockReason: card.Stolen}, nil},
		"unlocked":                 {store.CardQuery{LockType: card.Unlocked}, []card.Card{a, c}},
		"number":                   {store.CardQuery{CardID: b.ID}, []card.Card{b}},
		"a part of a tag":          {store.CardQuery{Text: "FIRS"}, []card.Card{a}},
		"a name":                   {store.CardQuery{Text: "grace  höp"}, []card.Card{b}},
		"with other accents":       {store.CardQuery{Text: "gräce  höpper"}, []card.Card{b}},
		"without a stored accent":  {store.CardQuery{Text: "hopper"}, nil},
		"words in another order":   {store.CardQuery{Text: "höpper GRACE"}, []card.Card{b}},
		"a name and the last four": {store.CardQuery{Text: "smith 4321"}, []card.Card{a}},
		"the last four of another": {store.CardQuery{Text: "grace 4321"}, nil},
		"a nickname":               {store.CardQuery{Text: "lsewher"}, []card.Card{c}},
		"its number":               {store.CardQuery{Text: fmt.Sprint(c.ID)}, []card.Card{c}},
		"a text and a status": {store.CardQuery{Text: "smith", Status: card.Initiated},
			[]card.Card{a, c}},
		"a text of another program": {
			store.CardQuery{Text: "elsewhere", Programs: []int{programID}}, nil},
		"what LIKE would read": {store.CardQuery{Text: "%"}, nil},
		"status of no card":    {store.CardQuery{Status: card.Archived}, nil},
	} {
		wantIDs(t, name, listed(t, s, row.of), row.want...)
	}
	summary := find(t, s, func(r store.Tx) ([]store.CardSummary, error) {
		return r.CardSearch().List(store.CardQuery{CardID: a.ID, Limit: 1})
	})
	if len(summary) != 1 || summary[0].Tag != "first" || summary[0].HolderFirst != "Ada" ||
		!summary[0].Created.Equal(created) || summary[0].Revision != 1 {
		t.Errorf("got summary %+v", summary)
	}
}

// listCardPages reads pages while cards are added and changed. Each card must be listed exactly
// once.
func listCardPages(t *testing.T, s store.Store) {
	background(t, s)
	var all []card.Card
	for i := range 25 {
		c := plain(fmt.Sprint("Card ", i))
		if i%3 == 0 {
			c = elsewhere(fmt.Sprint("Card ", i))
		}
		all = append(all, kept(t, s, c))
	}
	for name, of := range map[string]store.CardQuery{
		"newest":   {},
		"program":  {Programs: []int{programID, otherProgram}},
		"status":   {Status: card.Initiated},
		"text":     {Text: "card "},
		"lastFour": {LastFour: "1111"},
		"residual": {LockType: card.Unlocked, Text: "card"},
	} {
		var got []int
		of.Limit = 4
		for {
			page := listed(t, s, of)
			got = append(got, page...)
			if len(page) < of.Limit {
				break
			}
			of.Before = page[len(page)-1]
			kept(t, s, plain(fmt.Sprint(name, len(got)))) // sorts before all pages
		}
		wantIDs(t, name, got[len(got)-25:], all...)
	}
}

// listCardLocks locks and unlocks cards in both ways of storing a lock.
func listCardLocks(t *testing.T, s store.Store) {
	background(t, s)
	c := kept(t, s, plain("Locked later"))
	change := func(lock card.Lock, nickName string) {
		t.Helper()
		update(t, s, func(tx store.Tx) error {
			before, err := tx.Cards().Find(programID, c.ID)
			if err != nil {
				return err
			}
			after := before
			after.Lock, after.NickName = lock, nickName
			return tx.Cards().Change(before, &after)
		})
	}
	customers := store.CardQuery{LockType: card.Customer}
	change(card.Lock{Type: card.Customer, Reason: card.Temporary}, c.NickName)
	wantIDs(t, "locked", listed(t, s, customers), c)
	change(card.Lock{Type: card.Unlocked, Reason: card.Unknown}, c.NickName)
	wantIDs(t, "unlocked", listed(t, s, customers))
	change(card.Lock{Type: card.Customer, Reason: card.Temporary}, "With another name")
	wantIDs(t, "locked again", listed(t, s, customers), c)
}

// packs packs all pending blocks, and advances the mark.
func packs(t *testing.T, s store.Store) (blocks []store.CardBlock) {
	t.Helper()
	for {
		block := find(t, s, func(r store.Tx) (store.CardBlock, error) {
			return r.CardSearch().FindNextBlock()
		})
		update(t, s, func(tx store.Tx) error { return tx.CardSearch().PutBlock(block) })
		if block.Cards == 0 {
			return blocks
		}
		blocks = append(blocks, block)
	}
}

// listCardTexts packs the texts of many cards. Packed, unpacked and late cards must be found alike.
func listCardTexts(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error {
		for i := range 2500 {
			c := plain(fmt.Sprintf("bulk %d", i))
			c.ID, c.Slots = 20_001+i, card.Slots{}
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
	// The first advance of the mark includes the cards, the second settles them.
	for range 2 {
		if blocks := packs(t, s); len(blocks) != 0 {
			t.Errorf("got %d blocks of unsettled cards, want none", len(blocks))
		}
	}
	before := listed(t, s, store.CardQuery{Text: "bulk 24"})
	blocks := packs(t, s)
	if len(blocks) != 2 || blocks[0].First != 20_001 || blocks[1].Last != 22_000 {
		t.Fatalf("got %d blocks", len(blocks))
	}
	wantUpdate(t, s, "the same block", store.ErrExists, func(tx store.Tx) error {
		return tx.CardSearch().PutBlock(blocks[0])
	})
	if diff := cmp.Diff(before, listed(t, s, store.CardQuery{Text: "bulk 24"})); diff != "" {
		t.Errorf("cards found after packing (-before +after):\n%s", diff)
	}
	late := plain("late")
	late.ID = 15_000
	late = kept(t, s, late)
	wantIDs(t, "late", listed(t, s, store.CardQuery{Text: "late"}), late)
	update(t, s, func(tx store.Tx) error {
		for i := range 999 {
			c := plain(fmt.Sprintf("behind %d", i))
			c.ID, c.Slots = 15_002+i, card.Slots{}
			if err := tx.Cards().Put(&c); err != nil {
				return err
			}
		}
		return nil
	})
	block := find(t, s, func(r store.Tx) (store.CardBlock, error) {
		return r.CardSearch().FindNextBlock()
	})
	later := plain("later still")
	later.ID = 15_001
	later = kept(t, s, later)
	update(t, s, func(tx store.Tx) error { return tx.CardSearch().PutBlock(block) })
	if block.Cards != 1000 || !block.Late {
		t.Errorf("got a block of %d cards, late %t", block.Cards, block.Late)
	}
	wantIDs(t, "late", listed(t, s, store.CardQuery{Text: "late"}), later, late)
	for _, of := range []store.CardQuery{
		{Text: "bulk 1999"}, {Text: "20007"}, {Text: "bulk 7\t"}, {Text: "BULK 1"},
		{LastFour: "1111", Limit: 2501}, {Text: "ada smith", Limit: 2501, Before: 21_000},
	} {
		got := listed(t, s, of)
		of.Limit = 3000
		all := find(t, s, func(r store.Tx) ([]store.CardSummary, error) {
			return r.CardSearch().List(store.CardQuery{Before: of.Before, Limit: 3000})
		})
		var want []int
		for _, c := range all {
			if of.Fits(c) {
				want = append(want, c.ID)
			}
		}
		if diff := cmp.Diff(want[:min(len(want), max(200, len(got)))], got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", of, diff)
		}
	}
}

func listCardCounts(t *testing.T, s store.Store) {
	background(t, s)
	locked := plain("locked")
	locked.Lock = card.Lock{Type: card.Customer, Reason: card.Lost}
	kept(t, s, locked)
	kept(t, s, plain("unlocked"))
	other := elsewhere("other")
	other.Status, other.Denied, other.Lock = card.Denied, created, locked.Lock
	kept(t, s, other)
	for name, row := range map[string]struct {
		programs []int
		want     store.CardCounts
	}{
		"all": {nil, store.CardCounts{Locked: 1, ByStatus: map[card.Status]int{
			card.Initiated: 2, card.Denied: 1}}},
		"one": {[]int{otherProgram}, store.CardCounts{ByStatus: map[card.Status]int{
			card.Denied: 1}}},
		"none": {[]int{}, store.CardCounts{ByStatus: map[card.Status]int{}}},
	} {
		got := find(t, s, func(r store.Tx) (store.CardCounts, error) {
			return r.CardSearch().Count(row.programs)
		})
		if diff := cmp.Diff(row.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func listCustomers(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error {
		odd := person(104, programID)
		odd.FirstName, odd.LastName, odd.Status = "Eloïse Per_Cent%", "O'Neil", customer.Denied
		odd.MobilePhone = "+1 555 0100"
		sharp := person(105, otherProgram)
		sharp.FirstName, sharp.LastName = "Þór Bœuf", "Preuß"
		return errors.Join(tx.Customers().Put(odd), tx.Customers().Put(sharp))
	})
	for name, row := range map[string]struct {
		of   store.CustomerQuery
		want []int
	}{
		"all":       {store.CustomerQuery{}, []int{creatorID, holderID, foreignID, 104, 105}},
		"program":   {store.CustomerQuery{Programs: []int{otherProgram}}, []int{foreignID, 105}},
		"none":      {store.CustomerQuery{Programs: []int{}}, nil},
		"after":     {store.CustomerQuery{After: holderID}, []int{foreignID, 104, 105}},
		"limit":     {store.CustomerQuery{Limit: 2}, []int{creatorID, holderID}},
		"status":    {store.CustomerQuery{Status: customer.Denied}, []int{104}},
		"name":      {store.CustomerQuery{Text: "cent% o'n"}, []int{104}},
		"accents":   {store.CustomerQuery{Text: "Pér_Cént%"}, []int{104}},
		"without":   {store.CustomerQuery{Text: "eloise"}, []int{104}},
		"sharp s":   {store.CustomerQuery{Text: "preuß"}, []int{105}},
		"for it":    {store.CustomerQuery{Text: "PREUSS"}, []int{105}},
		"ligature":  {store.CustomerQuery{Text: "boeuf pr"}, []int{105}},
		"thorn":     {store.CustomerQuery{Text: "thor bœ"}, []int{105}},
		"percent":   {store.CustomerQuery{Text: "%"}, []int{104}},
		"telephone": {store.CustomerQuery{Text: "0100"}, []int{104}},
		"number":    {store.CustomerQuery{Text: "103"}, []int{foreignID}},
	} {
		if row.of.Limit == 0 {
			row.of.Limit = 9
		}
		got := find(t, s, func(r store.Tx) ([]int, error) { return r.Customers().List(row.of) })
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

func searchPeople(t *testing.T, s store.Store) {
	background(t, s)
	of := func(id, program int, first, last, mobile, home string) func(store.Tx) error {
		return func(tx store.Tx) error {
			c := person(id, program)
			c.FirstName, c.LastName, c.MobilePhone, c.HomePhone = first, last, mobile, home
			return tx.Customers().Put(c)
		}
	}
	update(t, s,
		of(111, programID, "Jamal", "Silva", "+1 (312) 555-0199", ""),
		of(112, programID, "Maria José", "da SILVA", "", "312.555.0199"),
		of(113, otherProgram, "Silvia", "Åkesson", "12345", ""),
		of(114, programID, "silva silva", "Garcia Lopez", "", ""),
		of(115, programID, "Łukasz", "Nguyễn", "", ""), of(116, programID, "İpek", "Strauß", "", ""),
		of(117, programID, "Luz", "García", "", ""))
	for name, row := range map[string]struct {
		of   store.PeopleQuery
		want []int
	}{
		"last name":          {store.PeopleQuery{Text: "silva"}, []int{111, 112, 114}},
		"its beginning":      {store.PeopleQuery{Text: "SIL"}, []int{111, 112, 113, 114}},
		"both names":         {store.PeopleQuery{Text: "Silva jam"}, []int{111}},
		"last word":          {store.PeopleQuery{Text: "maria silva"}, []int{112}},
		"word within a name": {store.PeopleQuery{Text: "josé d"}, []int{112}},
		"first of two":       {store.PeopleQuery{Text: "garcia"}, []int{114}},
		"beyond ASCII":       {store.PeopleQuery{Text: "åkes"}, []int{113}},
		"without accents":    {store.PeopleQuery{Text: "akes"}, []int{113}},
		"both without":       {store.PeopleQuery{Text: "jose d"}, []int{112}},
		"a bar":              {store.PeopleQuery{Text: "lukasz"}, []int{115}},
		"two marks":          {store.PeopleQuery{Text: "nguyen"}, []int{115}},
		"a dot":              {store.PeopleQuery{Text: "ipek"}, []int{116}},
		"one for two":        {store.PeopleQuery{Text: "strauss"}, []int{116}},
		"other accents":      {store.PeopleQuery{Text: "Sílva jamål"}, []int{111}},
		"two words without":  {store.PeopleQuery{Text: "nguyen lukasz"}, []int{115}},
		"another word":       {store.PeopleQuery{Text: "nguyen pavel"}, nil},
		"as it is typed":     {store.PeopleQuery{Text: "garcía"}, []int{114, 117}},
		"not its end":        {store.PeopleQuery{Text: "lva"}, nil},
		"one does not fit":   {store.PeopleQuery{Text: "jamal lopez"}, nil},
		"program":            {store.PeopleQuery{Text: "sil", Programs: []int{otherProgram}}, []int{113}},
		"no program":         {store.PeopleQuery{Text: "sil", Programs: []int{}}, nil},
		"limit":              {store.PeopleQuery{Text: "sil", Limit: 2}, []int{111, 112}},
		"telephone":          {store.PeopleQuery{Text: "312 5550199"}, []int{111, 112}},
		"with its country":   {store.PeopleQuery{Text: "+1 312 555 0199"}, []int{111, 112}},
		"of another area":    {store.PeopleQuery{Text: "313 555 0199"}, nil},
		"its last seven":     {store.PeopleQuery{Text: "555-0199"}, []int{111, 112}},
		"too short":          {store.PeopleQuery{Text: "12345"}, nil},
		"nothing":            {store.PeopleQuery{}, nil},
		"what LIKE reads":    {store.PeopleQuery{Text: "%"}, nil},
	} {
		if row.of.Limit == 0 {
			row.of.Limit = 9
		}
		got := find(t, s, func(r store.Tx) ([]int, error) { return r.Customers().Search(row.of) })
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

func listAccounts(t *testing.T, s store.Store) {
	background(t, s)
	update(t, s, func(tx store.Tx) error {
		a := account(301, customer.Savings)
		a.CustomerID, a.Name, a.NumberMasked = holderID, "Rainy Day", "****9876"
		a.Status = customer.Dormant
		return tx.Accounts().Put(a)
	})
	for name, row := range map[string]struct {
		of   store.AccountQuery
		want []int
	}{
		"first":   {store.AccountQuery{Limit: 2}, []int{201, 202}},
		"after":   {store.AccountQuery{After: 209}, []int{210, 301}},
		"owner":   {store.AccountQuery{CustomerID: holderID}, []int{301}},
		"status":  {store.AccountQuery{Status: customer.Dormant}, []int{301}},
		"name":    {store.AccountQuery{Text: "rainy"}, []int{301}},
		"masked":  {store.AccountQuery{Text: "9876"}, []int{301}},
		"program": {store.AccountQuery{Programs: []int{otherProgram}}, nil},
		"owner elsewhere": {store.AccountQuery{
			Programs: []int{otherProgram}, CustomerID: holderID}, nil},
	} {
		if row.of.Limit == 0 {
			row.of.Limit = 9
		}
		got := find(t, s, func(r store.Tx) ([]int, error) {
			return r.Accounts().List(row.of)
		})
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: got %v, want %v", name, got, row.want)
		}
	}
}

func listHistories(t *testing.T, s store.Store) {
	background(t, s)
	put := func(at time.Time, of, cardID int, outcome, after string) {
		update(t, s, func(tx store.Tx) error {
			return tx.Audit().Put(audit.Entry{
				At: at, ProgramID: of, Subject: audit.Of(audit.Card, cardID), Outcome: outcome,
				After: after,
			})
		})
	}
	ada := audit.Actor{Kind: audit.Operator, Name: "ada"}
	grace := audit.Actor{Kind: audit.Operator, Name: "grace"}
	hour := created.Truncate(time.Hour)
	put(hour.Add(-time.Minute), programID, 1, "changed", `{"lockTypeCode":"CST"}`)
	put(hour, programID, 1, "changed", `{"lockReasonTypeCode":"FRD"}`)
	put(hour.Add(time.Minute), programID, 1, "refused", "")
	put(hour.Add(time.Minute), otherProgram, 2, "changed", "")
	view(t, s, func(r store.Tx) error {
		lock, err := r.Audit().FindLock(programID, 1)
		if err != nil || !strings.Contains(lock.After, "FRD") {
			t.Errorf("got lock %+v, error %v", lock, err)
		}
		_, err = r.Audit().FindLock(otherProgram, 2)
		wantError(t, "a card that was never locked", err, store.ErrNotFound)
		return nil
	})
	update(t, s, each([]audit.Entry{
		{Actor: ada, Act: "read card"}, {Actor: ada, Act: "find cards"}, {Actor: ada, Act: "lock card"},
		{Actor: ada, Act: "list cards"}, {Actor: ada, Act: "search"}, {Actor: grace, Act: "read card"},
	}, func(tx store.Tx, e audit.Entry) error {
		e.At, e.ProgramID = hour.Add(2*time.Minute), otherProgram
		return tx.Audit().Put(e)
	}))
	count := func(programs []int, limit int) []store.HourCount {
		return find(t, s, func(r store.Tx) ([]store.HourCount, error) {
			return r.Audit().CountHours(programs, ada, limit)
		})
	}
	byOperators := store.HourCount{Hour: hour, Kind: audit.Operator, Count: 2}
	for name, row := range map[string]struct{ got, want []store.HourCount }{
		"all": {count(nil, 11), []store.HourCount{
			{Hour: hour, Count: 3, Refused: 1}, byOperators, {Hour: hour.Add(-time.Hour), Count: 1}}},
		"one program": {count([]int{otherProgram}, 11), []store.HourCount{
			{Hour: hour, Count: 1}, byOperators}},
		"cut": {count(nil, 10), []store.HourCount{{Hour: hour, Count: 3, Refused: 1}, byOperators}},
	} {
		if diff := cmp.Diff(row.want, row.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func deleteAccess(t *testing.T, s store.Store) {
	background(t, s)
	granted := customer.Access{CustomerID: holderID, AccountID: 201, Type: customer.ReadOnly}
	update(t, s, func(tx store.Tx) error { return tx.Access().Put(granted) })
	drop := func(revision int) error {
		granted.Revision = revision
		return s.Update(context.Background(), func(tx store.Tx) error {
			return tx.Access().Delete(granted)
		})
	}
	wantError(t, "another revision", drop(2), store.ErrLostUpdate)
	wantError(t, "the revision", drop(1), nil)
	wantError(t, "once more", drop(1), store.ErrLostUpdate)
}
