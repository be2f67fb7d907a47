package program

import (
	"slices"
	"strings"
	"testing"

	"mintmark/internal/value"
)

// flaws lists problems as texts, in order.
func flaws(p Program, sandbox bool) string {
	var texts []string
	for _, found := range p.Validate(sandbox) {
		texts = append(texts, found.Path+": "+found.Text)
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

func TestValidate(t *testing.T) {
	ten, one := value.Amount{TenThousandths: 100000}, value.Amount{TenThousandths: 10000}
	less, cent := value.Amount{TenThousandths: -1}, value.Amount{TenThousandths: 100}
	for want, change := range map[string]func(*Settings){
		"": func(*Settings) {},
		"publicKeyAlgorithms: NONE leaves PINs unencrypted: it is for the sandbox only": func(
			s *Settings) {
			s.PublicKeyAlgorithms = "RSA-OAEP-SHA256-MGF1,NONE"
		},
		"perUserDailyDepositLimit.maximumAmount: is less than minimumAmount": func(s *Settings) {
			s.PerUserDailyDepositLimit = &Limit{&ten, &one}
		},
		"products[0].balanceLimit.minimumAmount: must not be negative": func(s *Settings) {
			s.Products = []Product{{ProductID: 1, BalanceLimit: &Limit{&less, &ten}}}
			s.DecimalCount = 4
		},
		"regDFeeAmount: has more decimal digits than the program's 1": func(s *Settings) {
			s.RegDFeeAmount, s.DecimalCount = &cent, 1
		},
		"products[1].name: is the same as in products[0]": func(s *Settings) {
			s.Products = []Product{
				{ProductID: 1, Category: "Savings", Name: "High Yield"},
				{ProductID: 2, Category: "Savings", Name: "high-yield"},
				{ProductID: 3, Category: "Checking", Name: "high-yield"},
			}
		},
		"products[1].productId: is the same as in products[0]": func(s *Settings) {
			s.Products = []Product{{ProductID: 1}, {ProductID: 1}}
		},
	} {
		p := Program{Settings: Settings{DecimalCount: 2}}
		change(&p.Settings)
		if got := flaws(p, false); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	plain := Program{Settings: Settings{PublicKeyAlgorithms: PlainPins}}
	if got := flaws(plain, true); got != "" {
		t.Errorf("plain PINs in the sandbox: %s", got)
	}
}

func TestValidateBin(t *testing.T) {
	for _, c := range []struct {
		vendor, first, last string
		flaws               int
	}{
		{"VS", "400000000000000", "499999999999999", 0},
		{"VS", "500000000000000", "500000000000000", 2},
		{"VS", "400000000000000", "500000000000000", 1},
		{"MC", "510000000000000", "559999999999999", 0},
		{"MC", "222100000000000", "272099999999999", 0},
		{"MC", "222000000000000", "272100000000000", 2},
		{"VS", "400000000000001", "400000000000000", 1},
		{"VS", "4000", "400000000000000", 1},
		{"VS", "", "", 0},
	} {
		found := Bin{Vendor: c.vendor, FirstBody: c.first, LastBody: c.last}.Validate()
		if len(found) != c.flaws {
			t.Errorf("%v: %v", c, found)
		}
	}
}

func TestOverlaps(t *testing.T) {
	bin := func(first, last string) Bin { return Bin{FirstBody: first, LastBody: last} }
	one := bin("400000000000100", "400000000000199")
	for _, other := range []Bin{
		one, bin("400000000000199", "400000000000300"), bin("400000000000000", "400000000000100"),
		bin("400000000000000", "499999999999999"), bin("400000000000150", "400000000000160"),
	} {
		if !one.Overlaps(other) || !other.Overlaps(one) {
			t.Errorf("%v and %v are apart", one, other)
		}
	}
	if one.Overlaps(bin("400000000000200", "400000000000300")) {
		t.Error("neighbours overlap")
	}
}
