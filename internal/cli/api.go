package cli

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"

	"mintmark/client/admin"
)

// apiCommand sends any request.
type apiCommand struct {
	Change
	Method string   `arg:"" enum:"GET,POST,PUT,PATCH,DELETE" help:"Method of the request: ${enum}."`
	Path   string   `arg:"" help:"Path below /admin/v1/."`
	Query  []string `short:"q" sep:"none" placeholder:"NAME=VALUE" help:"Member of the query. May be repeated."`
	File   string   `placeholder:"FILE" help:"JSON body; - reads standard input."`
}

func (apiCommand) Help() string {
	return "docs/operators.md describes the requests.\n\n" +
		"mintmark api GET cards -q status=Verified -q limit=5"
}

func (a apiCommand) Run(ctx context.Context, t Terminal) error {
	values := url.Values{}
	for _, pair := range a.Query {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return newUsageError("--query: %q is not NAME=VALUE", pair)
		}
		values.Add(name, value)
	}
	where := strings.TrimPrefix(strings.TrimPrefix(a.Path, admin.Prefix), "/")
	request := a.request(a.Method, where, nil)
	request.Query, request.Revision = values, a.Revision
	if a.File != "" {
		text, err := readFile(a.File, t.In)
		if err != nil {
			return err
		}
		if !json.Valid(text) {
			return newUsageError("--file: not JSON")
		}
		request.Body = json.RawMessage(text)
	}
	return a.show(ctx, t, request)
}
