package console

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"mintmark/internal/face/web"
)

// export is a list that can be saved as it is filtered: a resource a line, as the interface has it.
type export struct {
	path    string // of the page
	of      string // path of the interface; %d is the program
	filters []string
}

var exports = []export{
	{"cards", "cards", []string{"programId", "q", "status", "lock", "customerId"}},
	{"customers", "customers", []string{"programId", "q"}},
	{"orders", "orders", []string{"programId", "state", "cardId"}},
	{"bins", "programs/%d/bins", nil},
	{"keys", "programs/%d/keys", []string{"q"}},
	{"webhooks", "programs/%d/webhooks", []string{"q"}},
	{"events", "events", []string{"programId", "type"}},
	{"operators", "operators", []string{"q"}},
	{"tokens", "tokens", []string{"q"}},
	{"approvals", "approvals", []string{"state"}},
	{"programs", "programs", nil},
}

// mostExported is how many resources of a list are saved at once.
const mostExported = 10_000

func exportRows() []row {
	var rows []row
	for _, one := range exports {
		rows = append(rows, download(one.path+"/export.ndjson", one.save))
	}
	return rows
}

// Export is where the list of this page is saved, empty for a page without one.
func (f *frame) Export() string {
	path := f.address.Path
	listed := slices.ContainsFunc(exports, func(e export) bool { return Prefix+e.path == path })
	if !listed || f.Refused {
		return ""
	}
	query := f.address.Query()
	query.Del("cursor")
	if f.Program != nil {
		query.Set("programId", itoa(f.Program.ID))
	}
	return (&url.URL{Path: path + "/export.ndjson", RawQuery: query.Encode()}).String()
}

func (e export) save(ctx context.Context, v *visit) (web.Response, error) {
	asked := v.filter(e.filters...)
	path := e.of
	if strings.Contains(path, "%d") {
		if v.Program == nil {
			return web.Response{}, notFound()
		}
		path = fmt.Sprintf(path, v.Program.ID)
	}
	asked.Set("limit", "200")
	var saved bytes.Buffer
	for count := 0; count < mostExported; {
		page, err := readPage[json.RawMessage](ctx, v, path, asked)
		if err != nil {
			return web.Response{}, err
		}
		for _, one := range page.Items {
			saved.Write(one)
			saved.WriteByte('\n')
		}
		count += len(page.Items)
		if page.Next == "" {
			break
		}
		asked.Set("cursor", page.Next)
	}
	v.exchange.Header.Set("Content-Disposition",
		`attachment; filename="mintmark-`+e.path+`.ndjson"`)
	return web.Response{
		Status: http.StatusOK, ContentType: "application/x-ndjson", Body: saved.Bytes(),
	}, nil
}
