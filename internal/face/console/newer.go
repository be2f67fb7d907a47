package console

import (
	"context"
	"net/url"
	"slices"
	"strconv"

	wire "mintmark/client/admin"
)

// acts returns a page of entries of the audit, the newest first. A page that is refreshed names the
// newest entry that it has shown (seen): it shows the same entries again, so that nothing moves,
// but for as many at its end as there are newer ones, which are returned apart. With a page of newer
// ones it begins anew. A list that is sorted has no newest entry.
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

// Refresh is the address of this page as it is refreshed.
func (f *frame) Refresh() string {
	if f.newest == 0 {
		return f.Here()
	}
	return f.Here("seen", itoa(f.newest))
}
