package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"mintmark/client/admin"
)

// CreateFlags holds the flags of every command that creates something.
type CreateFlags struct {
	Remote
	Reason string `placeholder:"TEXT" help:"Why, for the audit." group:"Change"`
	DryRun bool   `help:"Print what would change, and change nothing." group:"Change"`
	Key    string `name:"idempotency-key" placeholder:"KEY" help:"Make the change once, however often it is sent with this key." group:"Change"`
}

// Change holds the flags of every command that changes an existing resource.
type Change struct {
	CreateFlags
	Revision int `placeholder:"N" help:"Refuse (exit code 5) if the resource has a different revision." group:"Change"`
}

// body holds the members of a request.
type body map[string]any

// with adds pairs of name and value, except those with an empty value: an empty string, 0, an empty
// list or false.
func (b body) with(pairs ...any) body {
	for i := 0; i+1 < len(pairs); i += 2 {
		name, _ := pairs[i].(string)
		text, err := json.Marshal(pairs[i+1])
		switch string(text) {
		case `""`, "0", "null", "[]", "false":
			continue
		}
		if err == nil {
			b[name] = json.RawMessage(text)
		}
	}
	return b
}

// request returns a request that changes something.
func (m CreateFlags) request(method, path string, body any) admin.Request {
	return admin.Request{
		Method: method, Path: path, Body: body, Reason: m.Reason, DryRun: m.DryRun,
		IdempotencyKey: m.Key,
	}
}

// post creates a resource and prints it.
func (m CreateFlags) post(ctx context.Context, t Terminal, path string, body body) error {
	return m.show(ctx, t, m.request("POST", path, body))
}

// act performs an act on a resource and prints the resource.
func (c Change) act(ctx context.Context, t Terminal, path string, body body) error {
	request := c.request("POST", path, body)
	request.Revision = c.Revision
	return c.show(ctx, t, request)
}

// change sends a request that requires a revision. Without the flag it takes the current revision
// of the resource.
func (c Change) change(
	ctx context.Context, t Terminal, method, path string, body any,
) error {
	request := c.request(method, path, body)
	request.Revision = c.Revision
	if c.Revision == 0 {
		revision, err := c.revisionOf(ctx, path)
		if err != nil {
			return err
		}
		request.Revision = revision
	}
	return c.show(ctx, t, request)
}

// put creates or replaces a resource.
func (c Change) put(ctx context.Context, t Terminal, path string, body body) error {
	request := c.request("PUT", path, body)
	request.Revision = c.Revision
	if c.Revision == 0 {
		revision, err := c.revisionOf(ctx, path)
		problem, refused := problemIn(err)
		if err != nil && !(refused && problem.Name() == admin.NotFound) {
			return err
		}
		request.Revision = revision
	}
	return c.show(ctx, t, request)
}

func (r Remote) revisionOf(ctx context.Context, path string) (int, error) {
	client, err := r.client()
	if err != nil {
		return 0, err
	}
	resource, err := admin.Get[struct {
		Revision int `json:"revision"`
	}](ctx, client, path)
	return resource.Revision, err
}

// Members holds the flags that set members of a resource.
type Members struct {
	Set   []string `sep:"none" placeholder:"NAME=VALUE" help:"Member and its value: JSON, or plain text. May be repeated; a.b=VALUE is a member of a member."`
	Unset []string `placeholder:"NAME" help:"Member to remove."`
	File  string   `placeholder:"FILE" help:"JSON object with the members; - reads standard input."`
}

// Update holds the flags of a command that changes members of a resource.
type Update struct {
	Change
	Members
}

// MembersFlags holds the flags of a command that creates a resource from its members.
type MembersFlags struct {
	CreateFlags
	Members
}

// create creates a resource and prints it.
func (c MembersFlags) create(
	ctx context.Context, t Terminal, path string, isText func(string) bool,
) error {
	members, err := c.members(t.In, isText)
	if err != nil {
		return err
	}
	return c.post(ctx, t, path, members)
}

// update changes members of a resource and prints it.
func (u Update) update(
	ctx context.Context, t Terminal, path string, isText func(string) bool,
) error {
	patch, err := u.members(t.In, isText)
	if err != nil {
		return err
	}
	return u.change(ctx, t, "PATCH", path, patch)
}

// members returns the JSON object or merge patch that the flags describe. isText reports whether
// the value of a member is a string.
func (m Members) members(in io.Reader, isText func(string) bool) (map[string]any, error) {
	patch := map[string]any{}
	if m.File != "" {
		text, err := readFile(m.File, in)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &patch); err != nil || patch == nil {
			return nil, newUsageError("--file: not a JSON object: %w", err)
		}
	}
	for _, pair := range m.Set {
		name, text, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, newUsageError("--set: %q is not NAME=VALUE", pair)
		}
		var value any = text
		if json.Valid([]byte(text)) && (!isText(name) || text == "null" || text[0] == '"') {
			value = json.RawMessage(text)
		}
		if err := put(patch, name, value); err != nil {
			return nil, err
		}
	}
	for _, name := range m.Unset {
		if err := put(patch, name, nil); err != nil {
			return nil, err
		}
	}
	if len(patch) == 0 {
		return nil, newUsageError("nothing to change: use --set, --unset or --file")
	}
	return patch, nil
}

// put sets a member of an object, or of a nested object.
func put(object map[string]any, name string, value any) error {
	outer, inner, nested := strings.Cut(name, ".")
	if !nested {
		object[name] = value
		return nil
	}
	if object[outer] == nil {
		object[outer] = map[string]any{}
	}
	below, isObject := object[outer].(map[string]any)
	if !isObject {
		return newUsageError("%s is set already, and %s is a member of it", outer, name)
	}
	return put(below, inner, value)
}

// maxFile bounds a file that is read into a request.
const maxFile = 16 << 20

// readFile reads a file, or standard input for the name -.
func readFile(name string, in io.Reader) ([]byte, error) {
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, newUsageError("%w", err)
		}
		defer file.Close()
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err != nil {
		return nil, newUsageError("%w", err)
	}
	if len(text) > maxFile {
		return nil, &usageError{errors.New("the file is larger than 16 MiB")}
	}
	return text, nil
}
