package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/digests"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/pangen"
	"mintmark/internal/store"
	"mintmark/internal/store/cached"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// now is a day of the sandbox.
var now = time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)

// loaded returns a new store with the demo data, and the vault that encrypted it.
func loaded(t *testing.T) (*cached.Store, *vault.Vault) {
	t.Helper()
	db, _, err := cached.OpenMemory(context.Background(), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		err := db.Close()
		if err != nil {
			t.Error(err)
		}
	})
	v, err := vault.Open(vault.Settings{PinKeyBits: 2048, AllowPlainPins: true})
	if err != nil {
		t.Fatal(err)
	}
	write(t, db, v)
	return db, v
}

func write(t *testing.T, db *cached.Store, v *vault.Vault) {
	t.Helper()
	data, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(context.Background(), func(tx store.Tx) error {
		return data.Write(tx, v, rand.NewChaCha8([32]byte{}), "1111")
	})
	if err != nil {
		t.Fatal(err)
	}
}

func view(t *testing.T, db *cached.Store, fn func(store.Tx) error) {
	t.Helper()
	err := db.View(context.Background(), fn)
	if err != nil {
		t.Fatal(err)
	}
}

// TestTwice checks that a sandbox with a data directory can start again: the demo data is written
// over itself, and the cards stay.
func TestTwice(t *testing.T) {
	db, v := loaded(t)
	write(t, db, v)
	view(t, db, func(r store.Tx) error {
		list, err := r.Cards().ListByCustomer(1, 1001, store.NoLimit)
		for _, c := range list.Cards {
			if c.Revision != 1 {
				t.Errorf("card %d has revision %d", c.ID, c.Revision)
			}
		}
		return err
	})
}

// TestKeys tries every key with its secret, from loopback and from elsewhere.
func TestKeys(t *testing.T) {
	db, v := loaded(t)
	got := make(map[string]string)
	view(t, db, func(r store.Tx) error {
		keys, err := r.Keys().List()
		for _, key := range keys {
			got[key.Name] = fmt.Sprintf("program %d, version %d, opens %t, loopback %t %t, "+
				"elsewhere %t, %g a second, burst %d%v", key.ProgramID, key.Version,
				key.Matches(v.DigestSecret(key.Name), now),
				key.Allows(netip.MustParseAddr("127.0.0.1")),
				key.Allows(netip.IPv6Loopback()),
				key.Allows(netip.MustParseAddr("192.0.2.7")), key.PerSecond, key.Burst,
				key.Compatibility)
		}
		return err
	})
	const usual = "opens true, loopback true true, elsewhere false, 0 a second, burst 0[]"
	want := map[string]string{
		"example1": "program 1, version 1, " + usual,
		"example2": "program 1, version 2, " + usual,
		"expired": "program 1, version 1, opens false, loopback true true, elsewhere false, " +
			"0 a second, burst 0[]",
		"limited": "program 1, version 1, opens true, loopback true true, elsewhere false, " +
			"2 a second, burst 2[]",
		"elsewhere": "program 1, version 1, opens true, loopback false false, elsewhere true, " +
			"0 a second, burst 0[]",
		"legacy": "program 1, version 1, opens true, loopback true true, elsewhere false, " +
			"0 a second, burst 0[earlier-clients]",
		"other1": "program 2, version 1, " + usual,
		"nobins": "program 3, version 1, " + usual,
		"nokeys": "program 4, version 1, " + usual,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestPrograms provokes the faults that the demo programs are there for.
func TestPrograms(t *testing.T) {
	db, v := loaded(t)
	view(t, db, func(r store.Tx) error {
		var got []string
		for id := 1; id <= 4; id++ {
			p, err := r.Programs().Find(id)
			if err != nil {
				return err
			}
			bin, binErr := p.ChooseBin("VS", nil)
			got = append(got, fmt.Sprintf("%s of bank %d, bin %d, BIN %v, key %v",
				p.Settings.Name, p.BankID, bin.ID, binErr, p.CheckPciKey()))
			if id != 1 {
				continue
			}
			if p.Bins[2].ID != 3 || p.Bins[2].IsActive {
				t.Errorf("bin %d is active: %t", p.Bins[2].ID, p.Bins[2].IsActive)
			}
			random := rand.NewChaCha8([32]byte{})
			digest := func(n pan.Number) (digests.Number, error) {
				return digests.Number{First: v.DigestNumber(n)}, nil
			}
			_, err = pangen.PickUnused(r.CardNumbers(), digest, random, p.Bins[3], "1111")
			if !errors.Is(err, fault.New(fault.NumbersUsedUp)) || p.Bins[3].ID != 4 {
				t.Errorf("bin %d: %v", p.Bins[3].ID, err)
			}
		}
		want := []string{
			"Example1 of bank 1, bin 1, BIN <nil>, key <nil>",
			"Example2 of bank 2, bin 21, BIN <nil>, key <nil>",
			"Example3 of bank 3, bin 0, BIN " + fault.New(fault.BinMissing, 3).Error() +
				", key <nil>",
			"Example4 of bank 4, bin 41, BIN <nil>, key " +
				fault.New(fault.PciKeyMissing, 4, 4).Error(),
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

// TestExample1IsFull checks that the first program shows every property there is.
func TestExample1IsFull(t *testing.T) {
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		p, err := r.Programs().Find(1)
		if err != nil {
			return err
		}
		settings, err := p.Snapshot(now)
		if err != nil {
			return err
		}
		text, err := json.Marshal(settings)
		if err != nil {
			return err
		}
		shown := make(map[string]any)
		err = json.Unmarshal(text, &shown)
		if err != nil {
			return err
		}
		missing := properties()
		drop(shown, missing)
		if len(missing) > 0 {
			t.Errorf("not filled: %v", slices.Sorted(maps.Keys(missing)))
		}
		return nil
	})
}

// drop removes the names of all filled properties from a set.
func drop(value any, names map[string]bool) {
	switch value := value.(type) {
	case []any:
		for _, item := range value {
			drop(item, names)
		}
	case map[string]any:
		for name, item := range value {
			list, isList := item.([]any)
			if item != "" && (!isList || len(list) > 0) {
				delete(names, name)
			}
			drop(item, names)
		}
	}
}

// properties returns the names of interface §5.4 to §5.6, and the product names that the deprecated
// dictionaries are keyed by.
func properties() map[string]bool {
	names := make(map[string]bool)
	for _, name := range strings.Fields(`
		minimumAmount maximumAmount decimalCount filledDate isInterestEnabled
		isInternalToInternalTransferEnabled isRecurringContributionEnabled name
		perProgramDailyDepositLimit perProgramDailyWithdrawLimit perTransactionDepositLimit
		perTransactionWithdrawLimit perUserDailyDepositLimit perUserDailyWithdrawLimit
		perUserMonthlyDepositLimit perUserMonthlyWithdrawLimit regDFeeAmount
		regDMonthlyTransactionWithdrawCountMax timeZone verificationType website accounts
		externalAccounts products bin checkingProducts prepaidProducts savingsProducts
		publicKeyAlgorithms bank eCodeProducts isDebitRewardsEnabled perUserAccountCountMax
		perUserExternalAccountCountMax perUserTotalAccountBalanceMax validAccountTypes
		validProductTypes accountBalance accountId accountNumber accountNumberMasked
		description isActive programAccountId type externalAccountId nachaName
		programExternalAccountId routingNumber maintenanceStartDate maintenanceEndDate phone
		webUrl productId category balanceLimit interestRates isExternalWithdrawEnabled
		perMonthRegDTransactionCountMaximum perMonthRegDTransactionCountWithoutFee apr apy
		effectiveDate rateEffectiveDate tier binId vendorTypeCode
		checking savings prepaid`) {
		names[name] = true
	}
	return names
}

// TestCustomers compares each demo customer with the fault that it is there to provoke.
func TestCustomers(t *testing.T) {
	want := map[int]string{
		1001: "ok ok ok true", 1002: "ok ok ok false", 1003: "60003 ok ok true",
		1004: "60003 ok ok true", 1005: "60002 150206 ok true", 1006: "60004 150206 ok true",
		1007: "60005 150206 ok true", 1008: "ok ok 150231 true", 1009: "ok ok 150232 true",
		1010: "ok ok ok true", 1011: "60003 150206 ok true", 1012: "ok 150207 ok false",
		1013: "ok ok ok true",
		9001: "ok ok ok true", 8001: "ok ok ok true", 7001: "ok ok ok true",
	}
	programs := map[int]int{9001: 2, 8001: 3, 7001: 4}
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		got := make(map[int]string)
		for id := range want {
			c, err := r.Customers().Find(max(1, programs[id]), id)
			if err != nil {
				return fmt.Errorf("customer %d: %w", id, err)
			}
			if c.BornOn(1985, time.March, 14) == (id == 1002) ||
				c.BornOn(1990, time.July, 1) != (id == 1002) {
				t.Errorf("customer %d was born on %s", id, c.Birth)
			}
			got[id] = fmt.Sprint(code(c.Check()), " ", code(c.CheckHolder()), " ",
				code(c.CheckReachable()), " ", c.ManagesAccounts())
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

// code returns the code of a fault, or ok.
func code(err error) string {
	for _, f := range fault.All(err) {
		return fmt.Sprint(f.Code())
	}
	return "ok"
}

func TestAccounts(t *testing.T) {
	want := make(map[int]string)
	for id := 2001; id <= 2010; id++ {
		want[id] = "1 1001 Checking Open FULL"
		if id > 2005 {
			want[id] = "1 1001 Savings Open FULL"
		}
	}
	maps.Copy(want, map[int]string{
		2011: "1 1001 Checking PendingOpen FULL", 2012: "1 1001 Checking Closed FULL",
		2013: "1 1001 ForBenefitOf Open FULL", 2014: "1 1001 Checking Open RDONLY",
		2108: "1 1008 Checking Open FULL", 2109: "1 1009 Checking Open FULL",
		2110: "1 1010 Checking Open FULL", 2113: "1 1013 Checking Open FULL",
		2114: "1 1013 Checking Open FULL", 2115: "1 1013 Savings Open FULL",
		9101: "2 9001 Checking Open FULL",
		8101: "3 8001 Checking Open FULL", 7101: "4 7001 Checking Open FULL",
	})
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		got := make(map[int]string)
		for id, row := range want {
			var programID, customerID int
			_, err := fmt.Sscan(row, &programID, &customerID)
			if err != nil {
				return err
			}
			account, access, err := r.Accounts().FindFor(programID, id, customerID)
			if err != nil {
				return fmt.Errorf("account %d: %w", id, err)
			}
			got[id] = fmt.Sprint(account.ProgramID, " ", account.CustomerID, " ", account.Type, " ",
				account.Status, " ", access)
			if masked := fmt.Sprint("********", id); account.NumberMasked != masked {
				t.Errorf("account %d is shown as %s", id, account.NumberMasked)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

func TestDocuments(t *testing.T) {
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		for first, culture := range map[int]string{80: "en-US", 91: "es-US"} {
			documents, err := r.Documents().List(1, culture)
			if err != nil {
				return err
			}
			inForce := slices.DeleteFunc(slices.Clone(documents), func(d bankdoc.Document) bool {
				return !d.InForce(now)
			})
			if len(inForce) != len(bankdoc.Types) {
				t.Fatalf("%s: %d documents in force", culture, len(inForce))
			}
			for i, listed := range inForce {
				d, err := r.Documents().Find(1, listed.ID)
				if err != nil {
					return err
				}
				_, err = d.File("")
				if d.ID != first+i || d.Type != bankdoc.Types[i] || !d.InForce(now) ||
					(err == nil) == (d.ID == 90) {
					t.Errorf("document %d is %s, in force %t, PDF %v", d.ID, d.Type,
						d.InForce(now), err)
				}
				if !strings.Contains(d.HTML, "<h1>"+d.Title+"</h1>") ||
					!strings.Contains(d.HTML, `lang="`+culture+`"`) {
					t.Errorf("document %d does not show its title or its culture", d.ID)
				}
			}
		}
		return nil
	})
}

// TestDocumentsBesides checks the documents that are not listed: one not in force yet, and one that
// has expired. Of those that are listed, one shows when it will expire.
func TestDocumentsBesides(t *testing.T) {
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		var got []string
		for _, id := range []int{84, 85, 102, 103} {
			d, err := r.Documents().Find(1, id)
			if err != nil {
				return err
			}
			_, err = d.File("")
			got = append(got, fmt.Sprintf("%d %s: begun %t, in force %t, expires %t, PDF %t %t",
				d.ID, d.Type, d.Begun(now), d.InForce(now), !d.Expires.IsZero(), d.HasPDF,
				err == nil))
		}
		want := []string{
			"84 ConsumerDepositAgreement: begun true, in force true, expires false, " +
				"PDF true true",
			"85 FeeSchedule: begun true, in force true, expires true, PDF true true",
			"102 TermsAndConditions: begun false, in force false, expires false, PDF true true",
			"103 FeeSchedule: begun true, in force false, expires true, PDF true true",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

// TestCardsToTry checks that customer 1013 has a card in each status in which a caller can act on
// it, and that unverified ones can still be verified.
func TestCardsToTry(t *testing.T) {
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		list, err := r.Cards().ListByCustomer(1, 1013, store.NoLimit)
		if err != nil {
			return err
		}
		var got []string
		for _, c := range list.Cards {
			got = append(got, fmt.Sprint(c.ID, " ", c.Tag, " ", c.Status, " ", c.Lock))
			waits := strings.HasSuffix(string(c.Status), "PendingVerification")
			if age := r.Now().Sub(c.Created); waits && age > time.Hour {
				t.Errorf("card %d waits since %v", c.ID, c.Created)
			}
			if c.DigitalOnly != (c.Tag == "try-digital") {
				t.Errorf("card %d is digital: %t", c.ID, c.DigitalOnly)
			}
		}
		want := []string{ // docs/sandbox.md has this list, too
			"5009 try-verify PendingVerification {UNL UNK}",
			"5010 try-expire PendingVerification {UNL UNK}",
			"5011 try-lock Verified {UNL UNK}",
			"5012 try-unlock Verified {CST TMP}",
			"5013 try-hotlist Verified {UNL UNK}",
			"5014 try-reissue Verified {CST LST}",
			"5015 try-replacement ReissuePendingVerification {UNL UNK}",
			"5016 try-damaged Verified {UNL UNK}",
			"5017 try-accounts Verified {UNL UNK}",
			"5018 try-pin Verified {UNL UNK}",
			"5019 try-transfer Verified {UNL UNK}",
			"5020 try-archive Verified {UNL UNK}",
			"5021 try-digital Verified {UNL UNK}",
			"5022 try-fraud Verified {SYS FRD}",
			"5023 try-stolen Verified {SYS STL}",
			"5024  Reissued {CST STL}",
			"5025 try-replaced Verified {UNL UNK}",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}

func TestCards(t *testing.T) {
	db, _ := loaded(t)
	view(t, db, func(r store.Tx) error {
		list, err := r.Cards().ListByCustomer(1, 1001, store.NoLimit)
		cards := list.Cards
		if err != nil {
			return err
		}
		var got []string
		for _, c := range cards {
			got = append(got, fmt.Sprint(c.ID, " ", c.Status, " ", c.Lock, " bin ", c.BinID))
			same := c.HolderID == 1001 && c.PrimaryAccount() == 2001 && c.LastFour == "1111" &&
				c.Tag == fmt.Sprint("demo-", c.ID) && c.NickName == fmt.Sprint("Demo ", c.ID) &&
				c.Created.Format(time.DateOnly) == "2026-01-15" && c.PrimaryCategory ==
				customer.Checking && !c.Modified.After(now)
			if !same {
				t.Errorf("card %d: %+v", c.ID, c)
			}
		}
		want := []string{
			"5001 Verified {UNL UNK} bin 1", "5002 Verified {SYS ADM} bin 1",
			"5003 Verified {SYS PIN} bin 1", "5004 Expired {UNL UNK} bin 1",
			"5005 Denied {UNL UNK} bin 1", "5006 Verified {SYS LST} bin 1",
			"5007 Initiated {UNL UNK} bin 1", "5008 Archived {UNL UNK} bin 4",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return nil
	})
}
