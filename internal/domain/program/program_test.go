package program

import (
	"testing"

	"mintmark/internal/domain/fault"
)

// wantFault compares an error with the text of the one expected fault; none means success.
func wantFault(t *testing.T, err error, want string) {
	t.Helper()
	got := ""
	for _, f := range fault.All(err) {
		got += f.Error()
	}
	if got != want {
		t.Errorf("fault %q, want %q", got, want)
	}
}

// example has two active BINs of one vendor, and a vendor that has only an inactive BIN.
var example = Program{Issuing: Issuing{ID: 3, BankID: 4, Bins: []Bin{
	{ID: 1, Vendor: "VS"}, {ID: 2, Vendor: "VS", IsActive: true},
	{ID: 3, Vendor: "VS", IsActive: true}, {ID: 4, Vendor: "MC"},
	{ID: 5, Vendor: "AX", IsActive: true},
}}}

const noBin = "50902: ProgramId 3 does not have a BIN mapped to it."

func TestChooseBin(t *testing.T) {
	id := func(n int) *int { return &n }
	for _, test := range []struct {
		vendor string
		asked  *int
		want   int
		fault  string
	}{
		{"VS", nil, 2, ""},
		{"VS", id(2), 2, ""},
		{"VS", id(3), 3, ""},
		{"VS", id(1), 0, "150243: Card Bin 1 is not valid."},
		{"VS", id(5), 0, "150243: Card Bin 5 is not valid."},
		{"VS", id(0), 0, "150243: Card Bin 0 is not valid."},
		{"MC", nil, 0, noBin},
		{"MC", id(4), 0, noBin},
		{"MC", id(99), 0, noBin},
	} {
		got, err := example.ChooseBin(test.vendor, test.asked)
		wantFault(t, err, test.fault)
		if got.ID != test.want {
			t.Errorf("%s: BIN %d, want %d", test.vendor, got.ID, test.want)
		}
	}
}

func TestReissueBin(t *testing.T) {
	for _, test := range []struct {
		vendor    string
		own, want int
		fault     string
	}{
		{"VS", 3, 3, ""},
		{"VS", 2, 2, ""},
		{"VS", 1, 2, ""}, // no longer active
		{"VS", 99, 2, ""},
		{"MC", 4, 0, noBin},
	} {
		got, err := example.ReissueBin(test.vendor, test.own)
		wantFault(t, err, test.fault)
		if got.ID != test.want {
			t.Errorf("%s, own BIN %d: BIN %d, want %d", test.vendor, test.own, got.ID, test.want)
		}
	}
}

func TestCheckPciKey(t *testing.T) {
	const none = "50904: Could not find PciKeyId for BankId 4, ProgramId 3 in a status of 1 " +
		"(Encrypt and Decrypt allowed)."
	for _, test := range []struct {
		statuses []PciKeyStatus
		want     string
	}{
		{nil, none},
		{[]PciKeyStatus{DecryptOnly, Retired}, none},
		{[]PciKeyStatus{EncryptAndDecrypt}, ""},
		{[]PciKeyStatus{Retired, EncryptAndDecrypt}, ""},
	} {
		p := Program{Issuing: Issuing{ID: 3, BankID: 4}}
		for _, status := range test.statuses {
			p.PciKeys = append(p.PciKeys, PciKey{Status: status})
		}
		wantFault(t, p.CheckPciKey(), test.want)
	}
}

func TestLocation(t *testing.T) {
	for zone, want := range map[string]string{
		"America/Chicago": "America/Chicago", "": "UTC", "Nowhere/Atall": "UTC",
	} {
		if got := (Program{Settings: Settings{TimeZone: zone}}).Location().String(); got != want {
			t.Errorf("%q is %s", zone, got)
		}
	}
}

func TestNumbers(t *testing.T) {
	bin := Bin{FirstBody: "411111000000000", LastBody: "411111000099999"}
	space, err := bin.Numbers("1111")
	if err != nil {
		t.Fatal(err)
	}
	if space.Size() != 10 || space.Number(0).LastFour() != "1111" {
		t.Errorf("%d numbers, the first ends in %s", space.Size(), space.Number(0).LastFour())
	}
}

func TestLowerCamel(t *testing.T) {
	for name, want := range map[string]string{
		"Savings":              "savings",
		"High Yield Savings":   "highYieldSavings",
		"HIGH-YIELD  savings ": "highYieldSavings",
		"Checking 2 (basic)":   "checking2Basic",
		"Éclair Ähre":          "éclairÄhre",
		"über ñandú":           "überÑandú",
		"ÉCOLE ÉTÉ":            "écoleÉté",
		"日本 口座":                "日本口座",
		"!":                    "",
	} {
		if got := lowerCamel(name); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}
