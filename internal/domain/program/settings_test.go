package program

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/value"
)

var now = time.Date(2026, time.July, 4, 12, 0, 0, 123_456_789, time.UTC)

func amount(t *testing.T, text string) value.Amount {
	t.Helper()
	read, err := value.ParseAmount(text)
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// configured returns a program with an amount and a date at every depth.
func configured(t *testing.T) Program {
	fee, low, high := amount(t, "5"), amount(t, "0.5"), amount(t, "1000.00")
	start := value.Time{Time: time.Date(2026, time.January, 1, 6, 0, 0, 0, time.UTC)}
	limit := &Limit{MinimumAmount: &low, MaximumAmount: &high}
	rate := InterestRate{EffectiveDate: &start, MinimumAmount: &low, ProductID: 1, Tier: 1}
	return Program{
		Issuing: Issuing{
			ID: 1, BankID: 2,
			Bins: []Bin{
				{ID: 1, Vendor: "VS", Description: "Debit", IsActive: true,
					FirstBody: "411111000000000", LastBody: "411111999999999"},
				{ID: 3, Vendor: "MC", Description: "Old"},
			},
		},
		Settings: Settings{
			DecimalCount: 2, Name: "Example", TimeZone: "America/Chicago",
			PerUserDailyDepositLimit: limit, RegDFeeAmount: &fee,
			Accounts: []ProgramAccount{{AccountBalance: amount(t, "-7.1"), AccountID: 9}},
			Bank:     Bank{Name: "Bank", TimeZone: "UTC", MaintenanceStartDate: &start},
			Products: []Product{
				{ProductID: 1, Category: "Savings", Name: "High Yield Savings",
					BalanceLimit: limit, InterestRates: []InterestRate{rate}},
				{ProductID: 2, Category: "Checking", Name: "Basic"},
			},
		},
	}
}

// TestSnapshot reads the settings as a caller does.
func TestSnapshot(t *testing.T) {
	snapshot, err := configured(t).Snapshot(now)
	if err != nil {
		t.Fatal(err)
	}
	text := asJSON(t, snapshot)
	for _, want := range []string{
		`"decimalCount":2,"filledDate":"2026-07-04T07:00:00.123-05:00"`,
		`"perUserDailyDepositLimit":{"minimumAmount":0.50,"maximumAmount":1000.00}`,
		`"regDFeeAmount":5.00`,
		`"accounts":[{"accountBalance":-7.10,"accountId":9,`,
		`"maintenanceStartDate":"2026-01-01T00:00:00.000-06:00"`,
		`"balanceLimit":{"minimumAmount":0.50,"maximumAmount":1000.00}`,
		`"effectiveDate":"2026-01-01T00:00:00.000-06:00","minimumAmount":0.50`,
		`"bin":[{"binId":1,"description":"Debit","isActive":true,"vendorTypeCode":"VS"},` +
			`{"binId":3,"description":"Old","isActive":false,"vendorTypeCode":"MC"}]`,
		`"checkingProducts":{"basic":{"productId":2,`,
		`"savingsProducts":{"highYieldSavings":{"productId":1,`,
		`"prepaidProducts":{}`,
		`"eCodeProducts":{}`,
		`"externalAccounts":[]`,
		`"validAccountTypes":[]`,
		`"validProductTypes":[]`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the answer lacks %s:\n%s", want, text)
		}
	}
	for _, never := range []string{"null", "411111", "regDMonthly", `Z"`} {
		if strings.Contains(text, never) {
			t.Errorf("the answer holds %s:\n%s", never, text)
		}
	}
}

// TestSnapshotOfNothing checks that even an empty program contains no null.
func TestSnapshotOfNothing(t *testing.T) {
	snapshot, err := Program{}.Snapshot(now)
	if err != nil {
		t.Fatal(err)
	}
	text := asJSON(t, snapshot)
	if strings.Contains(text, "null") {
		t.Errorf("the answer holds null:\n%s", text)
	}
	if want := `"filledDate":"2026-07-04T12:00:00.123+00:00"`; !strings.Contains(text, want) {
		t.Errorf("the answer lacks %s:\n%s", want, text)
	}
}

// TestSnapshotOfBareEntries sets only the required properties of each entry: the others are
// omitted, not shown as empty strings.
func TestSnapshotOfBareEntries(t *testing.T) {
	p := Program{Issuing: Issuing{Bins: []Bin{{ID: 1, Vendor: "VS"}}}}
	p.Settings.Accounts = []ProgramAccount{{ProgramAccountID: 1}}
	p.Settings.ExternalAccounts = []ExternalAccount{{ProgramExternalAccountID: 1}}
	p.Settings.Products = []Product{{ProductID: 1, InterestRates: []InterestRate{{Tier: 1}}}}
	snapshot, err := p.Snapshot(now)
	if err != nil {
		t.Fatal(err)
	}
	text := asJSON(t, snapshot)
	for _, optional := range []string{"description", "nachaName", "phone", "webUrl", "website"} {
		if strings.Contains(text, `"`+optional+`"`) {
			t.Errorf("the answer shows an empty %s:\n%s", optional, text)
		}
	}
}

// TestSnapshotLeavesTheProgram checks that a snapshot shares no memory with the program.
func TestSnapshotLeavesTheProgram(t *testing.T) {
	p := configured(t)
	snapshot, err := p.Snapshot(now)
	if err != nil {
		t.Fatal(err)
	}
	*snapshot.PerUserDailyDepositLimit.MinimumAmount = amount(t, "99")
	snapshot.Accounts[0].AccountBalance = amount(t, "99")
	snapshot.Products[0].Name = "changed"
	untouched := configured(t)
	exact := cmp.Comparer(func(a, b value.Amount) bool { return a == b })
	if diff := cmp.Diff(untouched, p, exact); diff != "" {
		t.Errorf("program (-before +after):\n%s", diff)
	}
}

func TestWithoutDeprecated(t *testing.T) {
	snapshot, err := configured(t).Snapshot(now)
	if err != nil {
		t.Fatal(err)
	}
	var kept, left map[string]any
	unmarshal(t, asJSON(t, snapshot), &kept)
	unmarshal(t, asJSON(t, snapshot.WithoutDeprecated()), &left)
	for _, name := range []string{"checkingProducts", "prepaidProducts", "savingsProducts"} {
		if _, there := kept[name]; !there {
			t.Errorf("%s is missing from the snapshot", name)
		}
		delete(kept, name)
	}
	if diff := cmp.Diff(kept, left); diff != "" {
		t.Errorf("without what is deprecated (-want +got):\n%s", diff)
	}
	if snapshot.SavingsProducts == nil {
		t.Error("the snapshot itself lost what is deprecated")
	}
}

// TestEachFindsEverything counts the values in the program of this test.
func TestEachFindsEverything(t *testing.T) {
	settings := configured(t).Settings
	amounts, dates := 0, 0
	settings.Each(func(*value.Amount) { amounts++ }, func(*value.Time) { dates++ })
	if amounts != 7 || dates != 3 {
		t.Errorf("%d amounts and %d dates", amounts, dates)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func unmarshal(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatal(err)
	}
}
