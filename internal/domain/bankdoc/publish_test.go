package bankdoc

import (
	"testing"
	"time"
)

// TestTurns checks which documents succeed each other. Days count from a fixed day; an end of 0
// means none.
func TestTurns(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time {
		if n == 0 {
			return time.Time{}
		}
		return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC)
	}
	document := func(id, from, to int) Document {
		return Document{
			ID: id, BankID: 1, Culture: "en-US", Type: "EftInfo", Effective: day(from),
			Expires: day(to),
		}
	}
	for _, row := range []struct {
		name               string
		one, other         Document
		succeeds, precedes bool
	}{
		{"behind one without an end", document(1, 5, 0), document(2, 1, 0), true, false},
		{"behind one that ends later", document(1, 5, 0), document(2, 1, 9), true, false},
		{"behind one that has ended", document(1, 5, 0), document(2, 1, 5), false, false},
		{"before another, without an end", document(1, 5, 0), document(2, 9, 0), false, true},
		{"before another, until then", document(1, 5, 9), document(2, 9, 0), false, false},
		{"before another, too long", document(1, 5, 10), document(2, 9, 0), false, true},
		{"at the same time", document(1, 5, 0), document(2, 5, 0), false, true},
		{"itself", document(1, 5, 0), document(1, 1, 0), false, false},
	} {
		if got := row.one.Succeeds(row.other); got != row.succeeds {
			t.Errorf("%s: it succeeds: %v", row.name, got)
		}
		if got := row.one.Precedes(row.other); got != row.precedes {
			t.Errorf("%s: it precedes: %v", row.name, got)
		}
	}
	other := document(2, 1, 0)
	for name, change := range map[string]func(*Document){
		"bank":    func(d *Document) { d.BankID = 2 },
		"culture": func(d *Document) { d.Culture = "es-US" },
		"type":    func(d *Document) { d.Type = "FeeSchedule" },
	} {
		d := document(1, 5, 0)
		change(&d)
		if d.Succeeds(other) || d.Precedes(other) {
			t.Errorf("a document of another %s follows", name)
		}
	}
}

// TestValidateDraft accepts drafts without properties that are required only for publishing.
func TestValidateDraft(t *testing.T) {
	t.Parallel()
	bare := Document{BankID: 1, Culture: "en-US", Type: "EftInfo", Title: "Title"}
	if wrong := bare.ValidateDraft(); len(wrong) > 0 {
		t.Error(wrong)
	}
	if wrong := bare.Validate(); len(wrong) != 3 {
		t.Errorf("published it has the problems %v", wrong)
	}
	ends := bare
	ends.Expires = time.Unix(1, 0)
	if wrong := ends.ValidateDraft(); len(wrong) > 0 {
		t.Error(wrong)
	}
	ends.Effective = time.Unix(1, 0)
	if wrong := ends.ValidateDraft(); len(wrong) != 1 {
		t.Errorf("it ends before it begins: %v", wrong)
	}
}
