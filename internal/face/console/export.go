package console

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/base/sheet"
	"mintmark/internal/face/admin"
	"mintmark/internal/face/web"
)

// format is a file format for exported lists.
type format struct{ Name, extension, mediaType string }

var formats = []format{
	{"CSV", ".csv", "text/csv; charset=utf-8"},
	{"NDJSON", ".ndjson", "application/x-ndjson"},
}

// maxExported bounds the items of an export.
const maxExported = 10_000

// exported returns the paths of the lists that can be exported: those in the navigation.
func exported() []string {
	var paths []string
	for _, e := range entries() {
		if e.Group != "" && e.Section != sandboxSection {
			paths = append(paths, e.Path)
		}
	}
	return paths
}

// exportRows returns the rows that export the lists in the navigation, filtered and sorted as on
// the page, one item per line.
func exportRows() []row {
	var rows []row
	for _, name := range exported() {
		for _, f := range formats {
			rows = append(rows, download(name+"/export"+f.extension,
				func(ctx context.Context, v *visit) (web.Response, error) {
					return save(ctx, v, resourceOf(name), name, f)
				}))
		}
	}
	return rows
}

// Exports returns the links that export the list on this page, none for a page without one.
func (f *frame) Exports() []crumb {
	path := strings.TrimPrefix(f.address.Path, Prefix)
	if f.Refused || !slices.Contains(exported(), path) {
		return nil
	}
	query := f.address.Query()
	for _, name := range []string{"cursor", "count", "seen"} {
		query.Del(name)
	}
	switch {
	case path == "approvals": // its page lists the approvals of all programs
		query.Del("programId")
	case f.Program != nil && path != "audit": // where the program is a filter
		query.Set("programId", itoa(f.Program.ID))
	}
	var all []crumb
	for _, item := range formats {
		to := url.URL{Path: Prefix + path + "/export" + item.extension, RawQuery: query.Encode()}
		all = append(all, crumb{item.Name, to.String()})
	}
	return all
}

// objectColumns are the columns of members that are objects.
var objectColumns = map[string][]string{
	"actor":    {"actor.kind", "actor.name", "actor.keyName"},
	"merchant": {"merchant.name", "merchant.city", "merchant.country"},
}

// ofPage are columns of a list's page that its command lacks.
var ofPage = map[string][]string{"cards": {"expireMonth", "expireYear", "modifiedDate"}}

// plainColumns returns the columns of a list for a spreadsheet.
func plainColumns(names []string) []string {
	var all []string
	for _, name := range names {
		if parts, ok := objectColumns[name]; ok {
			all = append(all, parts...)
			continue
		}
		all = append(all, name)
	}
	return all
}

func save(
	ctx context.Context, v *visit, r *admin.Resource, name string, f format,
) (web.Response, error) {
	path, err := v.fillPath(r.Path)
	if err != nil {
		return web.Response{}, err
	}
	list, err := valueOf[wire.List[json.RawMessage]](v.do(ctx, admin.Request{
		Method: http.MethodGet, Path: path, Query: v.listQuery(r.List), Whole: true,
	}))
	if err != nil {
		return web.Response{}, err
	}
	var saved bytes.Buffer
	if f.Name == "CSV" {
		columns := slices.Concat(plainColumns(r.Columns), ofPage[name])
		err = sheet.Write(&saved, columns, list.Items)
	} else {
		for _, item := range list.Items {
			saved.Write(item)
			saved.WriteByte('\n')
		}
	}
	v.exchange.Header.Set("Content-Disposition",
		`attachment; filename="mintmark-`+name+f.extension+`"`)
	return web.Response{
		Status: http.StatusOK, ContentType: f.mediaType, Body: saved.Bytes(),
	}, err
}
