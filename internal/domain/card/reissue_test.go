package card

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRenewKeepsTheCard compares the whole card: only status, dates and qualifier may change.
func TestRenewKeepsTheCard(t *testing.T) {
	later := noon.Add(time.Hour)
	lock := Lock{Customer, Temporary}
	for _, test := range []struct {
		from      Status
		mode      Mode
		qualifier string
		want      func(*Card)
	}{
		{Verified, Production, "", func(*Card) {}},
		{Verified, Sandbox, "B2", func(c *Card) { c.QualifierCode = "B2" }},
		{PendingVerification, Production, "", func(*Card) {}},
		{PendingVerification, Sandbox, "", func(c *Card) { c.Status = ReissuePendingVerification }},
		{ReissuePendingVerification, Production, "", func(*Card) {}},
		{Expired, Production, "", func(c *Card) { c.Status = ReissuePendingVerification }},
		{Expired, Sandbox, "", func(c *Card) { c.Status, c.Verified = Verified, later }},
		{ReissuePendingVerification, Sandbox, "", func(*Card) {}},
	} {
		before := standing(test.from, lock)
		want := before
		want.Reissued, want.Modified = later, later
		test.want(&want)
		got := before.ReissueSamePAN(test.mode, test.qualifier, later)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s made anew (-want +got):\n%s", test.from, diff)
		}
	}
}

// TestReplace compares both cards with the requirements of interface §8.12 and of moving the tag.
func TestReplace(t *testing.T) {
	later := noon.AddDate(0, 1, 0)
	before := standing(Verified, Lock{Customer, Temporary})
	before.ID, before.Revision, before.Requested, before.Verified = 7, 3, noon, noon
	old, replacement := before.ReissueNewPAN(Production, Stolen, "", 10, later)

	want := before
	want.Status, want.Lock, want.Tag = Reissued, Lock{Customer, Stolen}, ""
	want.Reissued, want.Modified = later, later
	if diff := cmp.Diff(want, old); diff != "" {
		t.Errorf("old card (-want +got):\n%s", diff)
	}

	want = before
	want.ID, want.Revision, want.LastFour, want.Replaces = 0, 0, "", 7
	want.Status, want.Lock = ReissuePendingVerification, unlocked
	want.Created, want.Modified = later, later
	want.Requested, want.Verified = time.Time{}, time.Time{}
	want.ExpireMonth, want.ExpireYear = 2, 2027
	if diff := cmp.Diff(want, replacement); diff != "" {
		t.Errorf("replacement (-want +got):\n%s", diff)
	}
}

// TestReissueOfADeadNumber reissues a card as damaged under every lock. Under a permanent one the
// number is dead, so that the card is replaced for that reason, in the same statuses as any other.
func TestReissueOfADeadNumber(t *testing.T) {
	for _, lock := range locks() {
		act, reason := standing(Verified, lock).ReissueAs(ReissueSamePAN, Damaged)
		wantAct, wantReason := ReissueSamePAN, Damaged
		if lock.Permanent() {
			wantAct, wantReason = ReissueNewPAN, lock.Reason
		}
		if act != wantAct || reason != wantReason {
			t.Errorf("DMG under %v is %s for %s", lock, act, reason)
		}
		act, reason = standing(Verified, lock).ReissueAs(ReissueNewPAN, Stolen)
		if act != ReissueNewPAN || reason != Stolen {
			t.Errorf("STL under %v is %s for %s", lock, act, reason)
		}
	}
	for _, status := range Statuses {
		for _, mode := range []Mode{Production, Sandbox} {
			_, renews := next(mode, status, ReissueSamePAN)
			_, replaces := next(mode, status, ReissueNewPAN)
			if renews != replaces {
				t.Errorf("%s: made anew %t, replaced %t", status, renews, replaces)
			}
		}
	}
}

func TestReplaceKeepsAPermanentLock(t *testing.T) {
	before := standing(Verified, Lock{Customer, Lost})
	old, _ := before.ReissueNewPAN(Production, Stolen, "", 48, noon)
	if old.Lock != (Lock{Customer, Lost}) {
		t.Errorf("the lock became %v", old.Lock)
	}
}

func TestReplacementBegins(t *testing.T) {
	for _, test := range []struct {
		from    Status
		digital bool
		mode    Mode
		want    Status
	}{
		{Verified, false, Production, ReissuePendingVerification},
		{PendingVerification, false, Production, ReissuePendingVerification},
		{Expired, false, Production, ReissuePendingVerification},
		{Verified, true, Production, Verified},
		{Verified, true, Sandbox, Verified},
		{Verified, false, Sandbox, Verified},
		{Expired, false, Sandbox, Verified},
		{PendingVerification, false, Sandbox, ReissuePendingVerification},
		{ReissuePendingVerification, false, Sandbox, ReissuePendingVerification},
	} {
		before := standing(test.from, unlocked)
		before.DigitalOnly = test.digital
		_, replacement := before.ReissueNewPAN(test.mode, Lost, "", 48, noon)
		if replacement.Status != test.want || replacement.DigitalOnly != test.digital {
			t.Errorf("%+v begins %s, digital %v", test, replacement.Status,
				replacement.DigitalOnly)
		}
		if verified := !replacement.Verified.IsZero(); verified != (test.want == Verified) {
			t.Errorf("%+v has a verified date: %v", test, verified)
		}
	}
}

func TestReplaceTakesAQualifier(t *testing.T) {
	old, replacement := standing(Verified, unlocked).ReissueNewPAN(Production, Lost, "B2", 48, noon)
	if old.QualifierCode != "A1" || replacement.QualifierCode != "B2" {
		t.Errorf("qualifiers %q and %q", old.QualifierCode, replacement.QualifierCode)
	}
}

func TestCheckReissue(t *testing.T) {
	for _, test := range []struct {
		code, qualifier string
		act             Act
		reason          Reason
		want            []int
	}{
		{"DMG", "", ReissueSamePAN, Damaged, nil},
		{"dmg", "A1", ReissueSamePAN, Damaged, nil},
		{"LST", "", ReissueNewPAN, Lost, nil},
		{"stl", "", ReissueNewPAN, Stolen, nil},
		{"FRD", "", ReissueNewPAN, SuspectedFraud, nil},
		{"", "", "", "", []int{153001}},
		{"UNK", "", "", "", []int{153001}},
		{"TMP", "", "", "", []int{153001}},
		{"PIN", "", "", "", []int{153001}},
		{"XYZ", "", "", "", []int{153001}},
		{"DMG", "ABCD", "", "", []int{59956}},
		{"XYZ", "A B", "", "", []int{153001, 59956}},
	} {
		act, reason, err := CheckReissue(test.code, test.qualifier)
		wantCodes(t, err, test.want...)
		if err == nil && (act != test.act || reason != test.reason) {
			t.Errorf("%q asks for %q, %q", test.code, act, reason)
		}
	}
	_, _, err := CheckReissue("xyz", "")
	wantTexts(t, err, []string{
		"153001: Invalid Reissue Reason Type xyz. Must be LST, STL, FRD, or DMG."})
}
