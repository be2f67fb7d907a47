package bankdoc

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// validDocument draws a valid document.
func validDocument(t *rapid.T) Document {
	d := Document{
		ID: rapid.IntRange(1, 1000).Draw(t, "id"), BankID: 1,
		Culture: rapid.SampledFrom([]string{"en-US", "es-419", "sr-Latn-RS", "EN-gb"}).
			Draw(t, "culture"),
		Type:      rapid.SampledFrom(Types).Draw(t, "type"),
		Title:     rapid.StringOfN(rapid.Rune(), 1, MaxTitle, -1).Draw(t, "title"),
		HTML:      "<p>" + rapid.StringOfN(rapid.Rune(), 0, 20, -1).Draw(t, "html"),
		Effective: noon,
	}
	if rapid.Bool().Draw(t, "expires") {
		d.Expires = noon.AddDate(0, 0, rapid.IntRange(1, 1000).Draw(t, "days"))
	}
	if rapid.Bool().Draw(t, "pdf") {
		d.PDF = []byte("%PDF-1.7")
	}
	return d
}

var brokenDocuments = []struct {
	want   string
	change func(*Document)
}{
	{"documentId: must be a whole number from 1 to 1073741824", func(d *Document) { d.ID = 0 }},
	{"bankId: must be a whole number from 1 to 2147483647", func(d *Document) { d.BankID = -1 }},
	{"culture: a value is required", func(d *Document) { d.Culture = "" }},
	{"culture: must have at most 20 characters", func(d *Document) {
		d.Culture = strings.Repeat("x", MaxCulture+1)
	}},
	{`culture: "english" is not a language and a region, such as en-US`, func(d *Document) {
		d.Culture = "english"
	}},
	{"documentType: a value is required", func(d *Document) { d.Type = "" }},
	{"title: must have at most 100 characters", func(d *Document) {
		d.Title = strings.Repeat("é", MaxTitle+1)
	}},
	{"effectiveDate: a value is required", func(d *Document) {
		d.Effective, d.Expires = time.Time{}, time.Time{}
	}},
	{"expireDate: does not lie behind effectiveDate", func(d *Document) { d.Expires = noon }},
	{"html: is empty", func(d *Document) { d.HTML = " \n" }},
	{"html: must be a file of UTF-8 text of at most 2 MB", func(d *Document) { d.HTML = "\xff" }},
	{"html: must be a file of UTF-8 text of at most 2 MB", func(d *Document) {
		d.HTML = strings.Repeat("x", MaxHTMLBytes+1)
	}},
	{"pdf: is not a PDF: it does not begin with %PDF", func(d *Document) { d.PDF = []byte("GIF") }},
}

func TestValidate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := validDocument(t)
		if problems := d.Validate(); problems != nil {
			t.Fatalf("%+v\n%v", d, problems)
		}
		for _, b := range brokenDocuments {
			changed := d
			b.change(&changed)
			if got := changed.Validate().String(); got != b.want {
				t.Errorf("got %q, want %q", got, b.want)
			}
		}
	})
}
