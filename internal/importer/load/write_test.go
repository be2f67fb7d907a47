package load

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/testkit/pgtest"
	"mintmark/internal/vault"
)

// alice is the person who runs the loads in the tests.
var alice = audit.Actor{Kind: audit.CommandLine, Name: "alice"}

// bench is a new store and a vault into which texts are loaded.
type bench struct {
	store.Store
	vault  *vault.Vault
	random *rand.ChaCha8
}

func newBench(t *testing.T) *bench {
	t.Helper()
	return newBenchOn(t, embedded)
}

// databases open an empty store of each kind.
var databases = map[string]func(*testing.T) (store.Store, error){
	"embedded": embedded, "postgresql": server,
}

func embedded(*testing.T) (store.Store, error) {
	kept, _, err := cached.OpenMemory(context.Background(), sqlite.Options{})
	return kept, err
}

func server(t *testing.T) (store.Store, error) {
	engine, err := postgres.Open(t.Context(), pgtest.URL(t), postgres.Options{})
	if err != nil {
		return nil, err
	}
	return sqlstore.New(engine), nil
}

// onEach runs a test on a bench with each kind of store.
func onEach(t *testing.T, test func(t *testing.T, b *bench)) {
	t.Helper()
	for name, open := range databases {
		t.Run(name, func(t *testing.T) { test(t, newBenchOn(t, open)) })
	}
}

func newBenchOn(t *testing.T, open func(*testing.T) (store.Store, error)) *bench {
	t.Helper()
	db, err := open(t)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := db.Close()
		if err != nil {
			t.Error(err)
		}
	})
	v, err := vault.Open(vault.Settings{PinKeyBits: 2048})
	if err != nil {
		t.Fatal(err)
	}
	return &bench{db, v, rand.NewChaCha8([32]byte{1})}
}

// load loads a text that can be read, and returns the error of the writing.
func (b *bench) load(t *testing.T, text string) error {
	t.Helper()
	_, err := b.loadWith(t, text, Options{})
	return err
}

// loadWith loads a text with mostly default options.
func (b *bench) loadWith(t *testing.T, text string, o Options) (*Report, error) {
	t.Helper()
	data, err := Read(fileWith(text), "data/file.yaml")
	if err != nil {
		return nil, err
	}
	o.Vault, o.Random, o.Insecure, o.Actor = b.vault, b.random, true, alice
	return data.Load(t.Context(), b, o)
}

// mustLoad loads a text, and fails the test on an error.
func (b *bench) mustLoad(t *testing.T, text string) {
	t.Helper()
	err := b.load(t, text)
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bench) view(t *testing.T, fn func(store.Tx) error) {
	t.Helper()
	err := b.View(context.Background(), fn)
	if err != nil {
		t.Fatal(err)
	}
}

// TestWrite compares the stored objects with the file.
func TestWrite(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	b.view(t, func(r store.Tx) error {
		person, err := r.Customers().Find(1, 1)
		if err != nil {
			return err
		}
		home := customer.Address{
			Line1: "1 Street", City: "Town", PostalCode: "10001", Country: "US",
		}
		compare(t, person, customer.Customer{
			Standing: customer.Standing{
				ID: 1, ProgramID: 1, Status: customer.Verified, AccessType: customer.Full,
				IsActive: true, Birth: time.Date(1985, time.March, 14, 0, 0, 0, 0, time.UTC),
			},
			FirstName: "Jane", LastName: "Sample", Mailing: home, Revision: 1,
		})
		access, err := r.Access().Find(1, 1)
		if err != nil {
			return err
		}
		compare(t, access, customer.FullAccess)
		account, _, err := r.Accounts().FindFor(1, 1, 1)
		if err != nil {
			return err
		}
		compare(t, account.NumberMasked+" "+account.Balance.Fixed(2).String(), "******6789 1.25")
		if account.Modified.IsZero() || account.BalanceModified.IsZero() {
			t.Error("the account was never modified")
		}
		document, err := r.Documents().Find(1, 1)
		if err != nil {
			return err
		}
		compare(t, document.HTML+string(document.PDF), "<p>Good</p>%PDF-1.3 good")
		compare(t, document.Effective, time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC))
		return nil
	})
}

func TestWriteProgram(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	b.view(t, func(r store.Tx) error {
		p, err := r.Programs().Find(1)
		if err != nil {
			return err
		}
		compare(t, p.Bins, []program.Bin{{
			ID: 1, ProgramID: 1, Vendor: "VS", IsActive: true,
			FirstBody: "400000000000000", LastBody: "400000000999999", ValidMonths: 48,
			Revision: 1,
		}})
		compare(t, p.PciKeys, []program.PciKey{{ID: 1, BankID: 1, Status: 1, Revision: 1}})
		compare(t, p.VerificationWindowDays, program.DefaultVerificationWindowDays)
		compare(t, p.Settings.Products[0].InterestRates[0].ProductID, 1)
		if p.Settings.Accounts == nil || p.Settings.ValidAccountTypes == nil {
			t.Error("a list that is not filled would be answered as null")
		}
		keys, err := r.Keys().List()
		if err != nil {
			return err
		}
		compare(t, keys, []apikey.Key{{
			Name: "k1", ProgramID: 1, Version: 1, PerSecond: 2.5, Burst: 5, Revision: 1,
			Secrets: []apikey.Secret{
				{Digest: b.vault.DigestSecret("s1")},
				{
					Digest:  b.vault.DigestSecret("s2"),
					Expires: time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC),
				},
			},
			Allow: []netip.Prefix{
				netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8"),
				netip.MustParsePrefix("::1/128"),
			},
			Compatibility: []apikey.Compatibility{apikey.EarlierClients},
		}})
		return nil
	})
}

func TestWriteCard(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	b.view(t, func(r store.Tx) error {
		c, err := r.Cards().Find(1, 1)
		if err != nil {
			return err
		}
		verified := time.Date(2026, time.January, 20, 0, 0, 0, 0, time.UTC)
		compare(t, c, card.Card{
			ID: 1, ProgramID: 1, CustomerID: 1, HolderID: 1, Type: "DBT", Vendor: "VS", BinID: 1,
			Status: card.Verified, Lock: card.Lock{Type: card.System, Reason: card.PinRetries},
			Tag: "t1", NickName: "Nick", Name: card.NewName("Jane", "", "Sample"),
			LastFour: c.LastFour, ExpireMonth: 1, ExpireYear: 2030,
			Slots: card.Slots{Checking: []int{1}}, PrimaryCategory: customer.Checking,
			Created:  time.Date(2026, time.January, 15, 0, 0, 0, 0, time.UTC),
			Verified: verified, Modified: verified, Revision: 1,
		})
		issued, err := r.CardNumbers().Count(1)
		compare(t, issued, int64(1))
		return err
	})
}

// TestExpiry checks that a card expires by the calendar of its program, where it is still January
// here.
func TestExpiry(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, strings.NewReplacer("createdDate: 2026-01-15",
		"createdDate: 2026-02-01T02:00:00Z", "2026-01-20", "2026-02-20").Replace(good))
	b.view(t, func(r store.Tx) error {
		c, err := r.Cards().Find(1, 1)
		compare(t, []int{c.ExpireMonth, c.ExpireYear}, []int{1, 2030})
		return err
	})
}

// TestCreatedByLoading checks that a card without a creation date is created at the time of the
// load.
func TestCreatedByLoading(t *testing.T) {
	b := newBench(t)
	var before, after time.Time
	b.view(t, func(r store.Tx) error { before = r.Now(); return nil })
	b.mustLoad(t, strings.NewReplacer(
		"status: Verified\n    lock", "status: PendingVerification\n    lock",
		"    createdDate: 2026-01-15\n    verifiedDate: 2026-01-20\n", "").Replace(good))
	b.view(t, func(r store.Tx) error {
		after = r.Now()
		c, err := r.Cards().Find(1, 1)
		if c.Created.Before(before.Truncate(time.Millisecond)) || c.Created.After(after) ||
			!c.Modified.Equal(c.Created) {
			t.Errorf("created %v, modified %v; loaded between %v and %v", c.Created, c.Modified,
				before, after)
		}
		return err
	})
}

// TestWriteAgain checks that a second load changes the members in the file, and leaves the others
// and the cards unchanged.
func TestWriteAgain(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, good)
	b.mustLoad(t, strings.NewReplacer(
		"nickName: Nick", "nickName: Other", "title: Card", "title: Cards",
		"name: Checking", "name: Everyday", "firstName: Jane\n    lastName: Sample\n    mail",
		"firstName: Joan\n    lastName: Sample\n    mail", "    perSecond: 2.5\n    burst: 5\n", "",
	).Replace(good))
	b.view(t, func(r store.Tx) error {
		person, err1 := r.Customers().Find(1, 1)
		account, _, err2 := r.Accounts().FindFor(1, 1, 1)
		document, err3 := r.Documents().Find(1, 1)
		c, err4 := r.Cards().Find(1, 1)
		keys, err5 := r.Keys().List()
		issued, err6 := r.CardNumbers().Count(1)
		compare(t, []string{person.FirstName, account.Name, document.Title, c.NickName},
			[]string{"Joan", "Everyday", "Cards", "Nick"})
		compare(t, issued, int64(1))
		compare(t, []float64{keys[0].PerSecond, float64(keys[0].Burst)}, []float64{2.5, 5})
		return errors.Join(err1, err2, err3, err4, err5, err6)
	})
}

// TestBankOfItsOwn loads a bank in one file and its program in the next.
func TestBankOfItsOwn(t *testing.T) {
	b := newBench(t)
	bank, rest, _ := strings.Cut(good, "programs:")
	b.mustLoad(t, bank)
	b.mustLoad(t, "programs:"+rest)
}

// TestReferences checks that references to stored objects are accepted, and that missing ones are
// reported.
func TestReferences(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram)
	b.mustLoad(t, goodCustomer)
	b.mustLoad(t, goodKey+goodAccount+goodAccess+goodDocument)
	b.mustLoad(t, goodCard)

	for _, c := range []struct{ text, from, to, want string }{
		{goodProgram, "bankId: 1", "bankId: 9", "3: programs[0].bankId: there is no bank 9"},
		{goodKey, "programId: 1", "programId: 9", "3: keys[0].programId: there is no program 9"},
		{goodCustomer, "programId: 1", "programId: 9",
			"3: customers[0].programId: there is no program 9"},
		{goodAccount, "programId: 1", "programId: 9",
			"3: accounts[0].programId: there is no program 9"},
		{goodAccount, "customerId: 1", "customerId: 9",
			"4: accounts[0].customerId: there is no customer 9"},
		{goodAccount, "1.25", "1.255",
			"9: accounts[0].accountBalance: has more decimal digits than the program's 2"},
		{goodAccess, "customerId: 1, accountId: 1", "customerId: 8, accountId: 9",
			"2: access[0].accountId: there is no account 9\n" +
				"2: access[0].customerId: there is no customer 8"},
		{goodDocument, "bankId: 1", "bankId: 9", "3: documents[0].bankId: there is no bank 9"},
		{otherCard, "cardId: 2\n    programId: 1\n    customerId: 1\n    binId: 1",
			"cardId: 2\n    programId: 1\n    customerId: 7\n    binId: 9",
			"4: cards[0].customerId: there is no customer 7\n" +
				"5: cards[0].binId: there is no bin 9"},
		{otherCard, "cardId: 2\n    programId: 1", "cardId: 2\n    programId: 9",
			"3: cards[0].programId: there is no program 9"},
		{otherCard, "cardId: 2\n", "cardId: 2\n    cardHolderCustomerId: 7\n",
			"3: cards[0].cardHolderCustomerId: there is no customer 7"},
		{otherCard, "accountIds: [1]", "accountIds: [1, 9]",
			"13: cards[0].accountIds[1]: there is no account 9"},
		{"bins: []", "[]", "\n  - {binId: 2, programId: 9, vendorTypeCode: MC, firstBody: " +
			"\"510000000000000\", lastBody: \"510000000000000\"}",
			"2: bins[0].programId: there is no program 9"},
	} {
		if !strings.Contains(c.text, c.from) {
			t.Fatalf("%q is not in the text", c.from)
		}
		err := b.load(t, strings.Replace(c.text, c.from, c.to, 1))
		var problems *Problems
		if !errors.As(err, &problems) {
			t.Errorf("%s: not a list of problems: %v", c.to, err)
			continue
		}
		compare(t, strings.ReplaceAll(err.Error(), "data/file.yaml:", ""), c.want)
	}
}

// TestAllOrNothing checks that a file whose last entry is invalid leaves nothing behind.
func TestAllOrNothing(t *testing.T) {
	b := newBench(t)
	err := b.load(t, strings.Replace(good, "binId: 1\n    status", "binId: 9\n    status", 1))
	if err == nil {
		t.Fatal("the file was written")
	}
	b.view(t, func(r store.Tx) error {
		programs, err := r.Programs().List()
		if err != nil {
			return err
		}
		compare(t, len(programs), 0)
		_, err = r.Customers().Find(1, 1)
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("customer: %v", err)
		}
		return nil
	})
}

// otherCard is a second card, which shares no name with the first.
var otherCard = strings.NewReplacer("cardId: 1", "cardId: 2", "nickName: Nick", "nickName: New",
	"tag: ", "tag: other-").Replace(goodCard)

// TestStoreRefuses checks that an error that only the writing can detect is reported with the
// entry's line: a range without a free number.
func TestStoreRefuses(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, strings.Replace(good, "400000000999999", "400000000000000", 1))
	err := b.load(t, otherCard)
	if !errors.Is(err, fault.New(fault.NumbersUsedUp)) ||
		!strings.HasPrefix(err.Error(), "data/file.yaml:2: cards[0]: 59103") {
		t.Errorf("a range used up: %v", err)
	}
}

// TestWriteNothing checks that a file that consists of comments is rejected instead of counting as
// loaded.
func TestWriteNothing(t *testing.T) {
	_, err := Read(fileWith("# nothing yet\n"), "data/file.yaml")
	if err == nil {
		t.Fatal("an empty file was read")
	}
	compare(t, err.Error(), "data/file.yaml:1: the file is empty")
}

// TestSlots checks that accounts take slots in the order of the file, separately for each category.
func TestSlots(t *testing.T) {
	b := newBench(t)
	b.mustLoad(t, goodBank+goodProgram+goodCustomer)
	text := "accounts:\n"
	for id, kind := range []string{"Checking", "Savings", "Checking", "Savings", "Checking",
		"Checking", "Checking", "ForBenefitOf"} {
		s := strings.Replace(goodAccount, "accounts:\n", "", 1)
		s = strings.Replace(s, "accountId: 1", "accountId: "+string(rune('1'+id)), 1)
		text += strings.Replace(s, "type: Checking", "type: "+kind, 1)
	}
	text += "access:\n"
	for id := range 8 {
		text += fmt.Sprintf("  - {programId: 1, customerId: 1, accountId: %d, access: FULL}\n", id+1)
	}
	b.mustLoad(t, text)

	b.mustLoad(t, strings.Replace(goodCard, "[1]", "[4, 3, 1, 2, 5, 6]", 1))
	b.view(t, func(r store.Tx) error {
		c, err := r.Cards().Find(1, 1)
		compare(t, c.Slots, card.Slots{Checking: []int{3, 1, 5, 6}, Savings: []int{4, 2}})
		compare(t, c.PrimaryAccount(), 4)
		return err
	})
	err := b.load(t, strings.Replace(otherCard, "[1]", "[1, 3, 5, 6, 7, 8]", 1))
	if err == nil {
		t.Fatal("a card with too many accounts was written")
	}
	compare(t, err.Error(), "data/file.yaml:13: cards[0].accountIds[4]: "+
		"a card draws on at most 4 accounts of a category\n"+
		"data/file.yaml:13: cards[0].accountIds[5]: account 8 is neither Checking nor Savings")
}

func compare(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
