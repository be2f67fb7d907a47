package bankdoc

import "testing"

func TestValidate(t *testing.T) {
	for want, change := range map[string]func(*Document){
		"":               func(*Document) {},
		"html: is empty": func(d *Document) { d.HTML = " \n" },
		"pdf: is no PDF: it does not begin with %PDF": func(d *Document) {
			d.PDF = []byte("GIF")
		},
		"expireDate: does not lie behind effectiveDate": func(d *Document) {
			d.Expires = d.Effective
		},
		"html: must be a file of UTF-8 text of at most 2 MB": func(d *Document) {
			d.HTML = "\xff"
		},
		`culture: "english" is not a language and a region, such as en-US`: func(d *Document) {
			d.Culture = "english"
		},
	} {
		d := Document{Culture: "es-419", HTML: "<p>", Effective: noon}
		change(&d)
		got := ""
		for _, found := range d.Validate() {
			got += found.Path + ": " + found.Text
		}
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
