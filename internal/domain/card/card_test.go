package card

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/customer"
)

func TestInitiate(t *testing.T) {
	want := Card{
		ProgramID: 1, CustomerID: creator, HolderID: holder, Type: "DBT", Vendor: "VS", BinID: 1,
		Status: Initiated, Lock: Lock{"UNL", "UNK"},
		Tag: "tag", NickName: "Nick", Name: Name{First: "ANN", Last: "LEE"},
		Attributes:  Attributes{QualifierCode: "A1"},
		ExpireMonth: 3, ExpireYear: 2030,
		Slots: Slots{Checking: []int{11}}, PrimaryCategory: customer.Checking,
		Created: noon, Modified: noon,
	}
	if diff := cmp.Diff(want, Initiate(order(), noon)); diff != "" {
		t.Errorf("initiated card (-want +got):\n%s", diff)
	}
	want.Status, want.Verified, want.DigitalOnly = Verified, noon, true
	if diff := cmp.Diff(want, CreateDigital(order(), noon)); diff != "" {
		t.Errorf("digital card (-want +got):\n%s", diff)
	}
}

// TestValidity checks validity at the ends of years and months, in the zone of the given time.
func TestValidity(t *testing.T) {
	auckland := time.FixedZone("NZDT", 13*3600)
	for _, test := range []struct {
		now         time.Time
		months      int
		month, year int
	}{
		{noon, 48, 3, 2030},
		{noon, 0, 3, 2026},
		{noon, 9, 12, 2026},
		{noon, 10, 1, 2027},
		{time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), 1, 1, 2027},
		{time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC), 12, 12, 2027},
		{time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC), 1, 2, 2026},
		{time.Date(2026, 12, 31, 12, 0, 0, 0, time.UTC).In(auckland), 12, 1, 2028},
	} {
		o := order()
		o.ValidMonths = test.months
		got := Initiate(o, test.now)
		if got.ExpireMonth != test.month || got.ExpireYear != test.year {
			t.Errorf("%s and %d months end in %d/%d", test.now, test.months, got.ExpireMonth,
				got.ExpireYear)
		}
	}
}

func TestNumberMasked(t *testing.T) {
	fresh := standing(PendingVerification, unlocked)
	if got := fresh.NumberMasked(); got != "****************" {
		t.Errorf("before verification %q", got)
	}
	verified, err := fresh.Verify(true, "1111", noon)
	wantCodes(t, err)
	if got := verified.NumberMasked(); got != "************1111" {
		t.Errorf("after verification %q", got)
	}
	archived := verified.Archive(noon)
	if got := archived.NumberMasked(); got != "************1111" {
		t.Errorf("after archiving %q", got)
	}
}

func TestVerify(t *testing.T) {
	before := standing(PendingVerification, unlocked)
	for _, test := range []struct {
		born   bool
		number string
		fits   bool
	}{
		{true, "1111", true},
		{true, "************1111", true},
		{true, "*1111", true},
		{true, "- 1111", true},
		{true, "400551******1111", true},
		{true, "4005 51XX xxxx-1111", true},
		{true, "4005510000001111", false},
		{true, "4005 5100 0000 1111", false},
		{true, "400551******1112", false},
		{true, "400551..*****1111", false},
		{false, "1111", false},
		{true, "1112", false},
		{true, "111", false},
		{true, "01111", false},
		{true, "1111*", false},
		{true, "", false},
		{true, "****************", false},
	} {
		after, err := before.Verify(test.born, test.number, noon)
		if !test.fits {
			wantCodes(t, err, 150303)
			continue
		}
		wantCodes(t, err)
		if after.Status != Verified || !after.Verified.Equal(noon) {
			t.Errorf("%q: %s since %s", test.number, after.Status, after.Verified)
		}
	}
	numberless := before
	numberless.LastFour = ""
	_, err := numberless.Verify(true, "", noon)
	wantCodes(t, err, 150303)
}

// TestFilter checks for each filter name which of one card per status it selects.
func TestFilter(t *testing.T) {
	cards := make([]Card, 0, len(Statuses)+2)
	for _, status := range Statuses {
		cards = append(cards, Card{Status: status, Lock: unlocked})
	}
	cards = append(cards, standing(Verified, Lock{Customer, Lost}),
		standing(Verified, Lock{System, Administrative}))
	every := "Initiated/UNK PendingVerification/UNK ReissuePendingVerification/UNK Verified/UNK " +
		"Reissued/UNK Denied/UNK Expired/UNK Archived/UNK Verified/LST Verified/ADM "
	for name, want := range map[string]string{
		"":    every,
		"aLL": every,
		"Default": "Initiated/UNK PendingVerification/UNK ReissuePendingVerification/UNK " +
			"Verified/UNK Verified/LST Verified/ADM ",
		"hotlisted":                   "Verified/LST ",
		"PENDING":                     "Initiated/UNK ",
		"verified":                    "Verified/UNK Verified/LST Verified/ADM ",
		"Initiated":                   "Initiated/UNK ",
		"PendingVerification":         "PendingVerification/UNK ",
		"reissuependingverification":  "ReissuePendingVerification/UNK ",
		"reissuedPendingVerificatioN": "ReissuePendingVerification/UNK ",
		"Reissued":                    "Reissued/UNK ",
		"Denied":                      "Denied/UNK ",
		"Expired":                     "Expired/UNK ",
		"Archived":                    "Archived/UNK ",
	} {
		keep, known := Filter(name)
		if !known {
			t.Errorf("%q is not known", name)
			continue
		}
		got := ""
		for _, held := range cards {
			if keep(held) {
				got += string(held.Status) + "/" + string(held.Lock.Reason) + " "
			}
		}
		if got != want {
			t.Errorf("%q keeps %q", name, got)
		}
	}
	for _, name := range []string{"Locked", "Verified,Denied", "UNL", " "} {
		if _, known := Filter(name); known {
			t.Errorf("%q is known", name)
		}
	}
}

// TestAccessFaultTellsNothing checks that another customer's card and an unknown card get the same
// response.
func TestAccessFaultTellsNothing(t *testing.T) {
	const noAccess = "150403: CustomerId 3 does not have access to CardId 77."
	const notAssociated = ": Invalid CardId 77 or CustomerId 3 is not associated with the card."
	want := map[Act]string{
		Verify:         "150301" + notAssociated,
		LockCard:       noAccess,
		Unlock:         "150501: Invalid CardId 77 or CustomerId 3.",
		Hotlist:        noAccess,
		ReissueSamePAN: "153002: CardId 77 is not associated with CustomerId 3.",
		ReissueNewPAN:  "153002: CardId 77 is not associated with CustomerId 3.",
		Archive:        "153101" + notAssociated,
		AddAccount:     "150601" + notAssociated,
		RemoveAccount:  "150701" + notAssociated,
		Reprioritize:   "150801" + notAssociated,
		ResetPin:       noAccess,
	}
	existing := standing(Verified, Lock{System, Administrative})
	existing.ID = 77
	for _, trial := range customerTrials {
		_, err := trial.try(existing, Production, stranger, noon)
		wantTexts(t, err, []string{want[trial.act]})
		wantTexts(t, AccessFault(trial.act, 77, stranger), []string{want[trial.act]})
	}
}

// TestStatusRefusalsNameTheStatus checks the values inserted in refusals by status.
func TestStatusRefusalsNameTheStatus(t *testing.T) {
	denied := standing(Denied, unlocked)
	denied.ID = 77
	wantTexts(t, denied.CheckCustomer(Verify, Production, creator), []string{
		"150302: CardId 77 must be in a PendingVerification status to be verified. Current " +
			"status is Denied."})
	wantTexts(t, denied.CheckCustomer(ReissueSamePAN, Production, creator), []string{
		"153003: CardId 77 status is Denied. Must be Verified, Expired, or PendingVerification."})
	ordered := standing(Initiated, unlocked)
	ordered.ID = 77
	wantTexts(t, ordered.CheckCustomer(Archive, Production, creator), []string{
		"153102: CardId 77 is in a status of Initiated and cannot be archived."})
}

// TestLateMessages checks that repeated messages of the processor are harmless.
func TestLateMessages(t *testing.T) {
	later := noon.Add(time.Hour)
	ordered, done := Initiate(order(), noon).TakeOrder(noon)
	if !done || !ordered.Requested.Equal(noon) || ordered.Status != Initiated {
		t.Fatalf("the order was taken: %v, %s at %s", done, ordered.Status, ordered.Requested)
	}
	if again, done := ordered.TakeOrder(later); !done || !again.Equal(&ordered) {
		t.Errorf("taken again: %v, %+v", done, again)
	}
	shipped, done := ordered.Ship(later)
	if !done || shipped.Status != PendingVerification || !shipped.Shipped.Equal(later) ||
		!shipped.Requested.Equal(noon) {
		t.Fatalf("shipped: %v, %+v", done, shipped)
	}
	if _, done := shipped.Refuse(later); done {
		t.Error("a card that was shipped is refused")
	}
	unknown, done := Initiate(order(), noon).Ship(later)
	if !done || !unknown.Requested.Equal(later) {
		t.Errorf("shipped before it was taken: %v, taken at %s", done, unknown.Requested)
	}
	if _, done := CreateDigital(order(), noon).Ship(later); done {
		t.Error("a digital card is shipped")
	}
}
