package bankdoc

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/domain/fault"
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

// TestBegun checks that a document can be downloaded permanently from its start on.
func TestBegun(t *testing.T) {
	d := Document{Effective: noon, Expires: noon.AddDate(0, 0, 1)}
	for moment, want := range map[time.Time]bool{
		noon.Add(-time.Nanosecond): false, noon: true, noon.AddDate(100, 0, 0): true,
	} {
		if got := d.Begun(moment); got != want {
			t.Errorf("at %s: begun %v", moment, got)
		}
	}
}

func TestIsOf(t *testing.T) {
	for culture, want := range map[string]bool{
		"en-US": true, "EN-us": true, "en-GB": false, "en": false, "": false,
	} {
		if got := (Document{Culture: "en-US"}).IsOf(culture); got != want {
			t.Errorf("en-US is of %q: %v", culture, got)
		}
	}
}

// TestCompare sorts a document of each kind in two cultures: TruthInSavings is last in each, after
// eStatement with its lower-case letter.
func TestCompare(t *testing.T) {
	var all []Document
	for i, kind := range Types {
		all = append(all, Document{ID: 20 - i, Culture: "es-US", Type: kind},
			Document{ID: i, Culture: "EN-us", Type: kind})
	}
	all = append(all, Document{ID: 1, Culture: "es-US", Type: "TruthInSavings"})
	slices.SortFunc(all, Compare)
	var got []string
	for _, d := range all {
		got = append(got, d.Culture[:2]+" "+string(d.Type))
	}
	kinds := []string{
		"CardInfo", "ConsumerDepositAgreement", "EftInfo", "eStatement", "FeeDisclosure",
		"FeeSchedule", "PrivacyPolicy", "ProductInfo", "ReferAFriend", "TermsAndConditions",
		"TruthInSavings",
	}
	var want []string
	for _, culture := range []string{"EN ", "es "} {
		for _, kind := range kinds {
			want = append(want, culture+kind)
		}
	}
	want = append(want, "es TruthInSavings")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if last := all[len(all)-1]; last.ID != 18 {
		t.Errorf("of two of the same kind, document %d comes last", last.ID)
	}
}

func TestFile(t *testing.T) {
	pdf := []byte("%PDF-1.7\nrest")
	got, err := Document{ID: 90, PDF: pdf}.File("90")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(File{ContentType: "application/pdf", Content: pdf}, got); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestFileRefusesWhatNobodyCouldOpen(t *testing.T) {
	for _, content := range []string{"", "%PDF", "<html>%PDF-1.7", " %PDF-1.7"} {
		got, err := Document{ID: 90, PDF: []byte(content)}.File("0090")
		faults := fault.All(err)
		if len(faults) != 1 || faults[0].Error() != "68303: The requested document id = 0090 is "+
			"configured improperly. Please contact support." {
			t.Errorf("%q: %v", content, err)
		}
		if got.Content != nil {
			t.Errorf("%q comes with content", content)
		}
	}
}

// TestTypes checks the document kinds of interface §5.7.
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
