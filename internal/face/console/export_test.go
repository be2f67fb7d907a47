package console

import (
	"net/http"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestExports saves every list that can be saved, a resource a line, over all of its pages.
func TestExports(t *testing.T) {
	for _, one := range exports {
		w := setUp(t, "administrator")
		address := Prefix + one.path
		link := `href="` + address + `/export.ndjson?programId=1"`
		if page := w.get(address).Body.String(); !strings.Contains(page, link) {
			t.Errorf("%s has no link to save it", one.path)
		}
		path := strings.Replace(one.of, "%d", "1", 1)
		if path == "programs" || path == "approvals" {
			continue // the frame of each page asks for these, too
		}
		w.answers[path] = wire.List[wire.Card]{Items: cardList(), Next: "more"}
		second := wire.List[wire.Card]{Items: cardList()[:2]}
		for _, program := range []string{"", "&programId=1"} {
			w.answers[path+"?cursor=more&limit=200"+program] = second
		}
		saved := w.get(address + "/export.ndjson?programId=1")
		lines := strings.Count(saved.Body.String(), "\n")
		if want := len(cardList()) + 2; saved.Code != http.StatusOK || lines != want {
			t.Errorf("%s: answered %d with %d lines, want %d", one.path, saved.Code, lines, want)
		}
	}
}
