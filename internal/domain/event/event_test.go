package event

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/customer"
	"mintmark/internal/testkit/golden"
)

// full returns a card with every property set.
func full() card.Card {
	at := time.Date(2026, time.June, 1, 12, 30, 0, 120_000_000, time.UTC)
	return card.Card{
		ID: 5001, ProgramID: 1, CustomerID: 1001, HolderID: 1002, Type: "DBT", Vendor: "VS",
		BinID: 3, Status: card.Verified, Lock: card.Lock{Type: card.Unlocked, Reason: card.Unknown},
		Tag: "demo-5001", NickName: "Canary Nickname", Name: card.NewName("Canary", "B", "Name"),
		Attributes: card.Attributes{QualifierCode: "A1"}, DigitalOnly: true,
		LastFour: "1111", ExpireMonth: 6, ExpireYear: 2030,
		Slots:           card.Slots{Checking: []int{2001, 2002}, Savings: []int{2005}},
		PrimaryCategory: customer.Checking, Created: at, Requested: at, Verified: at, Modified: at,
		Archived: at, Denied: at, Expired: at, Reissued: at, Revision: 4,
	}
}

// TestTypes checks which entries are which events: the same table rebuilds an earlier event.
func TestTypes(t *testing.T) {
	var text strings.Builder
	for _, r := range rules {
		condition := ""
		if r.when != nil {
			condition = " under a condition"
		}
		fmt.Fprintf(&text, "%s, %s%s: %s\n", r.act, r.outcome, condition, r.kind)
	}
	golden.Compare(t, "testdata/types.txt", []byte(text.String()))
}

// TestEveryTypeIsMade checks that each type of the specification comes from an act.
func TestEveryTypeIsMade(t *testing.T) {
	const named = 30
	if got := len(Types()); got != named {
		t.Errorf("there are %d types, want %d", got, named)
	}
}

func TestTypeOf(t *testing.T) {
	for _, test := range []struct {
		act, outcome, after string
		want                Type
	}{
		{"/card/lock", "changed", `{"lockReasonTypeCode":"TMP","lockTypeCode":"CST"}`, CardLocked},
		{"/card/lock", "changed", `{"lockReasonTypeCode":"FRD"}`, CardHotlisted},
		{"/card/lock", "unchanged", "", ""},
		{"/card/verify", "refused", "", ""},
		{"/card/reissue", "created", "", CardInitiated},
		{"/card/reissue", "changed", "", CardReissued},
		{"deliver orders", "changed", `{"status":"Denied"}`, CardDenied},
		{"deliver orders", "changed", `{"requestedDate":""}`, ""},
		{"deliver orders", "order failed", "", OrderFailed},
		{"report refused", "order failed", "", OrderFailed},
		{"load", "created", "", ""},
		{"", "", "", ""},
	} {
		got, ok := TypeOf(audit.Entry{Act: test.act, Outcome: test.outcome, After: test.after})
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%s, %s is %q, want %q", test.act, test.outcome, got, test.want)
		}
	}
}

// TestEveryPropertyIsDecided checks that each card property that the audit shows is shown by
// events, or is listed as hidden, or is an attribute whose rule hides it.
func TestEveryPropertyIsDecided(t *testing.T) {
	every := full()
	every.Replaces, every.ReplacedBy = 5000, 5002
	_, after := audit.Diff(card.Card{}, every)
	var all map[string]any
	if err := json.Unmarshal([]byte(after), &all); err != nil {
		t.Fatal(err)
	}
	hides := slices.Clone(hidden)
	for _, rule := range card.AttributeRules {
		if !rule.InEvents {
			hides = append(hides, rule.Name)
		}
	}
	seen := shownMembers(after)
	for name := range all {
		_, ok := seen[name]
		if ok == slices.Contains(hides, name) {
			t.Errorf("%s is shown: %v", name, ok)
		}
	}
}

// TestSecretsStayInside puts values that an event must never show into every property of an entry.
func TestSecretsStayInside(t *testing.T) {
	const spaced, dashed = "4012 8888 8888 1881", "4012-8888-8888-1881"
	canaries := []string{
		"4012888888881881", spaced, dashed, "x4012888888881881y", "004012888888881881004", "4012.8888_8888/1881",
		"1985-03-14 ' \" {}", "ÄÖÜ <script>", "whsec_" + strings.Repeat("QUJD", 9) + "@",
	}
	for _, canary := range canaries {
		quoted, err := json.Marshal(canary)
		if err != nil {
			t.Fatal(err)
		}
		properties := slices.Concat(hidden, []string{"pin", "newPin", "birthDate", "number"})
		for name := range members {
			properties = append(properties, name)
		}
		parts := make([]string, len(properties))
		for i, name := range properties {
			parts[i] = fmt.Sprintf("%q:%s", name, quoted)
		}
		object := "{" + strings.Join(parts, ",") + "}"
		for name, value := range shownMembers(object) {
			free := name == "tag" || name == "incrementOf" || strings.HasSuffix(name, "Id")
			if pan.MayContain(canary) && free {
				free = string(value) == `"***"`
			}
			if !free {
				t.Errorf("%s shows %s", name, value)
			}
		}
	}
	for _, name := range []string{"birthDate", "pin", "number", "nameOnCard", "expireYear"} {
		if len(shownMembers(fmt.Sprintf(`{%q:"0314"}`, name))) > 0 {
			t.Errorf("%s is shown", name)
		}
	}
	if got := shownMembers("no JSON"); len(got) > 0 {
		t.Errorf("an entry of another form shows %v", got)
	}
}

// TestSameEventAgain checks that a rebuilt event has the same body, and that no two positions or
// installations share an identifier.
func TestSameEventAgain(t *testing.T) {
	created := func(origin string, sequence int) string {
		_, after := audit.Diff(card.Card{}, full())
		e, ok := New(origin, LogPosition{2 * sequence, sequence}, audit.Entry{
			Act: "/card/initiate", Outcome: "created", After: after,
		})
		body, err := e.Body()
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		return string(body)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(1, 50).Draw(t, "a"), rapid.IntRange(1, 50).Draw(t, "b")
		if (created("x", a) == created("x", b)) != (a == b) {
			t.Errorf("events %d and %d", a, b)
		}
	})
	if idOf("x", 7) == idOf("y", 7) {
		t.Error("two installations share an identifier")
	}
	if got, want := idOf("x", 7), "evt_7_7d01d195997fa1d7"; got != want {
		t.Errorf("the identifier is %s, want %s as it was told", got, want)
	}
}

func TestFilter(t *testing.T) {
	for _, test := range []struct {
		filter Filter
		want   []Type
	}{
		{nil, []Type{CardLocked, PinSet, OrderFailed, KeyIssued}},
		{Filter{"*"}, []Type{CardLocked, PinSet, OrderFailed, KeyIssued}},
		{Filter{"card.*"}, []Type{CardLocked, PinSet}},
		{Filter{"card.pin.*", "order.failed"}, []Type{PinSet, OrderFailed}},
		{Filter{"card.lock"}, nil},
	} {
		var got []Type
		for _, kind := range []Type{CardLocked, PinSet, OrderFailed, KeyIssued} {
			if test.filter.Matches(kind) {
				got = append(got, kind)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%v (-want +got):\n%s", test.filter, diff)
		}
	}
	for entry, fine := range map[string]bool{
		"card.*": true, "*": true, "key.issued": true, "card.pin.*": true,
		"": false, "cards.*": false, "card.lo*": false, "card": false, "Card.locked": false,
	} {
		if got := (Filter{entry}).Problem(); (got == "") != fine {
			t.Errorf("%q: %q", entry, got)
		}
	}
}

// TestSequenceOf parses the identifiers of events, and sequence numbers.
func TestSequenceOf(t *testing.T) {
	for text, want := range map[string]int{
		idOf("example", 29): 29, "29": 29, "evt_7": 7,
		"": 0, "0": 0, "-3": 0, "evt_": 0, "evt_x_1": 0, "29_1": 0,
	} {
		if got, known := SequenceOf(text); got != want && known || known != (want > 0) {
			t.Errorf("%q is %d (%v), want %d", text, got, known, want)
		}
	}
}

// TestBefore checks that the previous state in an event contains only properties that had a value,
// and no empty object.
func TestBefore(t *testing.T) {
	for before, want := range map[string]string{
		"":                                     `{"after":{"status":"Verified"}}`,
		`{"shippedDate":""}`:                   `{"after":{"status":"Verified"}}`,
		`{"shippedDate":"","lastFour":"1111"}`: `{"before":{"lastFour":"1111"},"after":{"status":"Verified"}}`,
	} {
		e, _ := New("here", LogPosition{1, 1}, audit.Entry{
			Act: "/card/verify", Outcome: "changed", Subject: audit.Of(audit.Card, 5001),
			Before: before, After: `{"status":"Verified"}`,
		})
		if got, err := json.Marshal(e.Data); err != nil || string(got) != want {
			t.Errorf("before %s: %s, %v, want %s", before, got, err, want)
		}
	}
}
