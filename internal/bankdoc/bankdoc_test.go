package bankdoc

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/fault"
)

var noon = time.Date(2026, time.March, 14, 12, 0, 0, 0, time.UTC)

func TestInForce(t *testing.T) {
	begin, end := noon, noon.AddDate(1, 0, 0)
	for _, test := range []struct {
		document Document
		now      time.Time
		want     bool
	}{
		{Document{Effective: begin, Expires: end}, begin.Add(-time.Nanosecond), false},
		{Document{Effective: begin, Expires: end}, begin, true},
		{Document{Effective: begin, Expires: end}, end.Add(-time.Nanosecond), true},
		{Document{Effective: begin, Expires: end}, end, false},
		{Document{Effective: begin}, begin.Add(-time.Nanosecond), false},
		{Document{Effective: begin}, end.AddDate(100, 0, 0), true},
	} {
		if got := test.document.InForce(test.now); got != test.want {
			t.Errorf("from %s to %s, at %s: in force %v", test.document.Effective,
				test.document.Expires, test.now, got)
		}
	}
}

func TestFile(t *testing.T) {
	pdf := []byte("%PDF-1.7\nrest")
	got, err := Document{ID: 90, PDF: pdf}.File()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(File{ContentType: "application/pdf", Content: pdf}, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestFileRefusesWhatNobodyCouldOpen(t *testing.T) {
	for _, content := range []string{"", "%PDF", "<html>%PDF-1.7", " %PDF-1.7"} {
		got, err := Document{ID: 90, PDF: []byte(content)}.File()
		faults := fault.All(err)
		if len(faults) != 1 || faults[0].Error() != "68303: The requested document id = 90 is "+
			"configured improperly. Please contact support." {
			t.Errorf("%q: %v", content, err)
		}
		if got.Content != nil {
			t.Errorf("%q comes with content", content)
		}
	}
}

// TestTypes holds the kinds of document of section 2.7.
func TestTypes(t *testing.T) {
	want := []Type{
		"TermsAndConditions", "PrivacyPolicy", "TruthInSavings", "eStatement",
		"ConsumerDepositAgreement", "FeeSchedule", "ReferAFriend", "EftInfo", "ProductInfo",
		"CardInfo", "FeeDisclosure",
	}
	if diff := cmp.Diff(want, Types); diff != "" {
		t.Errorf("types (-want +got):\n%s", diff)
	}
}
