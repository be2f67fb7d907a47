package console

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	wire "mintmark/client/admin"
)

// acts returns a page of audit entries, newest first. A page that is refreshed passes the newest
// entry that it showed (seen). acts then returns newer entries separately, so that the page does
// not move: it only loses as many entries at its end. If all its entries are newer, the list starts
// over. A sorted list has no newest entry.
func (v *visit) acts(
	ctx context.Context, path string, query url.Values,
) (list wire.List[wire.Entry], newer []wire.Entry, err error) {
	seen, err := strconv.Atoi(v.Asked("seen"))
	again := err == nil && seen > 0
	list, err = readPage[wire.Entry](ctx, v, path, query)
	if err != nil || len(list.Items) == 0 || v.Asked("cursor") != "" || query.Get("sort") != "" {
		return list, nil, err
	}
	at := 0
	if again {
		at = slices.IndexFunc(list.Items, func(e wire.Entry) bool { return e.ID <= seen })
		at = max(at, 0)
	}
	newer, list.Items = list.Items[:at], list.Items[at:]
	v.newest = list.Items[0].ID
	return list, newer, nil
}

// Refresh returns the address that refreshes this page.
func (f *frame) Refresh() string {
	if f.newest == 0 {
		return f.Here()
	}
	return f.Here("seen", itoa(f.newest))
}
