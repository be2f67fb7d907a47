package console

import (
	"net/http"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestExports saves every list of the navigation, as CSV and as one resource a line. The desk is
// called once, for the whole list.
func TestExports(t *testing.T) {
	for _, name := range exported() {
		w := newSetupWorld(t, "administrator")
		address := Prefix + name
		page := w.get(address).Body.String()
		path := strings.ReplaceAll(resourceOf(name).Path, "{id}", "1")
		known := path != "programs" && path != "approvals" // the frame of each page reads these
		if known {
			w.answers[path] = wire.List[wire.Card]{Items: cardList()[:1]}
			w.answers["whole "+path] = wire.List[wire.Card]{Items: cardList()}
		}
		if name == "approvals" && strings.Contains(page, name+"/export.csv?programId=") {
			t.Error("the page lists the approvals of all programs, and saves those of one")
		}
		for _, f := range formats {
			to := address + "/export" + f.extension
			if !strings.Contains(page, `href="`+to) {
				t.Errorf("%s has no link to save it as %s", name, f.Name)
			}
			saved := w.get(to + "?programId=1")
			lines, want := strings.Count(saved.Body.String(), "\n"), len(cardList())
			if f.Name == "CSV" {
				want++ // the header row
			}
			if saved.Code != http.StatusOK || known && lines != want {
				t.Errorf("%s: answered %d with %d lines, want %d", to, saved.Code, lines, want)
			}
		}
	}
}
