package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/issuing"
)

// maxListed is the maximum number of items that are sorted or counted.
const maxListed = 10_000

// allPageSize is the number of items that one transaction reads of a list that is read as a whole.
const allPageSize = 1000

// reader returns the items after page.After, and the key of the last one if more follow.
type reader[A any] func(
	ctx context.Context, c *call, page issuing.Page,
) (items []A, last string, err error)

// list answers with a page, in the order of the list or of one of its members. On request it counts
// the items, or returns all of them.
func (read reader[A]) list(ctx context.Context, c *call) (wire.List[A], error) {
	page, err := c.page(c.row.Path)
	if err != nil {
		return wire.List[A]{}, err
	}
	member, descending, err := c.sort(reflect.TypeFor[A]())
	if err != nil {
		return wire.List[A]{}, err
	}
	counts, err := c.truth("count")
	if err != nil {
		return wire.List[A]{}, err
	}
	answer := wire.List[A]{Items: []A{}}
	var all []A
	if member != "" || counts || c.request.Whole {
		var more bool
		all, more, err = read.all(ctx, c)
		if err == nil && more && member != "" {
			err = invalidQuery("sort", "sorts 10,000 items at most: narrow the filter")
		}
	}
	if err != nil {
		return wire.List[A]{}, err
	}
	if counts {
		answer.Total = new(len(all))
	}
	if member != "" {
		all = sortBy(all, member, descending)
	}
	items, last := all, ""
	switch {
	case c.request.Whole:
	case member != "":
		items, last = cutSorted(all, page)
	default:
		items, last, err = read(ctx, c, page)
	}
	answer.Items = append(answer.Items, items...)
	if last != "" {
		answer.Next = c.cursor(c.row.Path, last)
	}
	return answer, err
}

// all returns the items of a list, at most maxListed, and reports whether there are more.
func (read reader[A]) all(ctx context.Context, c *call) (all []A, more bool, err error) {
	page := issuing.Page{Limit: allPageSize}
	for {
		items, last, err := read(ctx, c, page)
		if err != nil {
			return nil, false, err
		}
		all = append(all, items...)
		if last == "" || len(all) >= maxListed {
			return all[:min(len(all), maxListed)], last != "" || len(all) > maxListed, nil
		}
		page.After = last
	}
}

// cutSorted returns a page of a sorted list. Its cursor is an index in the list.
func cutSorted[A any](all []A, page issuing.Page) (items []A, last string) {
	from, _ := strconv.Atoi(page.After) // the cursor was made here; anything else starts at 0
	from = max(0, min(from, len(all)))
	to := min(from+page.Limit, len(all))
	if to < len(all) {
		last = strconv.Itoa(to)
	}
	return all[from:to], last
}

// sort returns the member to sort by, empty for the order of the list.
func (c *call) sort(of reflect.Type) (member string, descending bool, err error) {
	member, descending = strings.CutPrefix(c.query.Get("sort"), "-")
	if member == "" {
		return "", false, nil
	}
	field, ok := strictjson.Fields(of)[member]
	if !ok || !isSortable(field.Type) {
		return "", false, invalidQuery("sort",
			"must be a member with one value, such as id, or -id for descending order")
	}
	return member, descending, nil
}

// Sortable reports whether a list can be sorted by a member.
func (o *Op) Sortable(member string) bool {
	if o.Item() == nil {
		return false
	}
	field, ok := strictjson.Fields(o.Item())[member]
	return ok && isSortable(field.Type)
}

var timeType = reflect.TypeFor[time.Time]()

// isSortable reports whether values of a type have an order.
func isSortable(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String, reflect.Int, reflect.Int64, reflect.Float64, reflect.Bool:
		return true
	}
	return t == timeType
}

// sortBy returns the items sorted by a member. Items without it come first.
func sortBy[A any](items []A, member string, descending bool) []A {
	index := strictjson.Fields(reflect.TypeFor[A]())[member].Index
	keys := make([]sortKey, len(items))
	for i := range items {
		keys[i] = sortKey{reflect.ValueOf(&items[i]).Elem().FieldByIndex(index), i}
	}
	slices.SortStableFunc(keys, func(a, b sortKey) int {
		order := compareValues(a.value, b.value)
		if descending {
			return -order
		}
		return order
	})
	sorted := make([]A, len(items))
	for i, key := range keys {
		sorted[i] = items[key.item]
	}
	return sorted
}

// sortKey is the value by which an item is sorted, and the index of the item.
type sortKey struct {
	value reflect.Value
	item  int
}

var numberType = reflect.TypeFor[json.Number]()

func compareValues(a, b reflect.Value) int {
	if a.Kind() == reflect.Pointer {
		if a.IsNil() || b.IsNil() {
			return cmp.Compare(depth(a), depth(b))
		}
		a, b = a.Elem(), b.Elem()
	}
	switch {
	case a.Type() == timeType:
		return a.Interface().(time.Time).Compare(b.Interface().(time.Time))
	case a.Type() == numberType:
		x, _ := a.Interface().(json.Number).Float64() // an amount, or empty
		y, _ := b.Interface().(json.Number).Float64()
		return cmp.Compare(x, y)
	case a.Kind() == reflect.String:
		return cmp.Or(strings.Compare(strings.ToLower(a.String()), strings.ToLower(b.String())),
			strings.Compare(a.String(), b.String()))
	case a.Kind() == reflect.Bool:
		return cmp.Compare(truthOf(a), truthOf(b))
	case a.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	}
	return cmp.Compare(a.Float(), b.Float())
}

// depth returns 0 for nil, else 1.
func depth(pointer reflect.Value) int {
	if pointer.IsNil() {
		return 0
	}
	return 1
}

func truthOf(v reflect.Value) int {
	if v.Bool() {
		return 1
	}
	return 0
}
