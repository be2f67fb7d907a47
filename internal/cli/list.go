package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"mintmark/client/admin"
	"mintmark/internal/base/sheet"
)

// Listing holds the flags that select a part of a list.
type Listing struct {
	Remote
	Limit  int    `placeholder:"N" help:"Items of a page, 1 to 200 (50)." group:"List"`
	Cursor string `placeholder:"CURSOR" help:"Start at the page with this cursor, which the previous page printed." group:"List"`
	All    bool   `help:"Print all pages." group:"List"`
	Sort   string `placeholder:"MEMBER" help:"Sort by a member, such as id; --sort=-id prints the greatest first." group:"List"`
	Count  bool   `help:"Count what is found, 10,000 at most." group:"List"`
	CSV    bool   `name:"csv" help:"Print CSV." group:"List"`
}

// list prints a list. query holds its filters.
func (l Listing) list(
	ctx context.Context, t Terminal, path string, query url.Values, columns []string,
) error {
	client, err := l.client()
	if err != nil {
		return err
	}
	if l.Limit != 0 {
		query.Set("limit", strconv.Itoa(l.Limit))
	}
	addQuery(query, "sort", l.Sort)
	addQuery(query, "count", l.Count)
	shown := admin.List[json.RawMessage]{Items: []json.RawMessage{}, Next: l.Cursor}
	for {
		if shown.Next != "" {
			query.Set("cursor", shown.Next)
		}
		page, err := admin.Page[json.RawMessage](ctx, client, path, query)
		if err != nil {
			return err
		}
		shown.Items = append(shown.Items, page.Items...)
		shown.Next, shown.Total = page.Next, page.Total
		if !l.All || shown.Next == "" {
			break
		}
	}
	switch {
	case l.CSV:
		err = sheet.Write(t.Out, columns, shown.Items)
	case l.Output == "json":
		return printJSON(t.Out, shown)
	default:
		err = printTable(t.Out, columns, shown.Items)
	}
	if err != nil {
		return err
	}
	if shown.Total != nil {
		t.say("%d in all.", *shown.Total)
	}
	if shown.Next != "" {
		t.say("There are more: --cursor %s, or --all.", printable(shown.Next))
	}
	return nil
}

// query returns a query with the given pairs of name and value, without those that are empty, 0 or
// false.
func query(pairs ...any) url.Values {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		addQuery(values, fmt.Sprint(pairs[i]), pairs[i+1])
	}
	return values
}

func addQuery(values url.Values, name string, value any) {
	if text := fmt.Sprint(value); text != "" && text != "0" && text != "false" {
		values.Set(name, text)
	}
}

// moment parses a time (RFC 3339), a day, which begins at midnight UTC, or how long ago it was,
// such as 24h or 7d.
func moment(flag, text string) (string, error) {
	if text == "" {
		return "", nil
	}
	if _, err := time.Parse(time.RFC3339, text); err == nil {
		return text, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day.Format(time.RFC3339), nil
	}
	ago, err := duration(text)
	if err != nil {
		return "", newUsageError("%s: %q is not a moment (RFC 3339), a day or a duration like 24h",
			flag, text)
	}
	return time.Now().Add(-ago).UTC().Format(time.RFC3339), nil
}

// duration parses a duration such as 90m, or whole days such as 7d.
func duration(text string) (time.Duration, error) {
	const day, mostDays = 24 * time.Hour, 36_500
	if days, isDays := strings.CutSuffix(text, "d"); isDays {
		count, err := strconv.Atoi(days)
		if err != nil || count < 0 || count > mostDays {
			return 0, newUsageError("%q is not a duration", text)
		}
		return time.Duration(count) * day, nil
	}
	length, err := time.ParseDuration(text)
	if err != nil || length < 0 {
		return 0, newUsageError("%q is not a duration", text)
	}
	return length, nil
}

// pathOf returns a GET request.
func pathOf(path string, query url.Values) admin.Request {
	return admin.Request{Method: "GET", Path: path, Query: query}
}
