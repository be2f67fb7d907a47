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

// Making are the flags of every command that makes something.
type Making struct {
	Remote
	Reason string `placeholder:"TEXT" help:"Why, for the audit." group:"Change"`
	DryRun bool   `help:"Print what would change, and change nothing." group:"Change"`
	Key    string `name:"idempotency-key" placeholder:"KEY" help:"Make the change once, however often it is sent with this key." group:"Change"`
}

// Change are the flags of every command that changes what is there.
type Change struct {
	Making
	Revision int `placeholder:"N" help:"Refuse (exit code 5) if the resource has a different revision." group:"Change"`
}

// body are the members of a request.
type body map[string]any

// with adds members that are given: a text that is not empty, a number that is not 0, a list with
// items, a true.
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

// request is a request that changes something.
func (m Making) request(method, path string, body any) admin.Request {
	return admin.Request{
		Method: method, Path: path, Body: body, Reason: m.Reason, DryRun: m.DryRun,
		IdempotencyKey: m.Key,
	}
}

// post makes something, and prints it.
func (m Making) post(ctx context.Context, t Terminal, path string, body body) error {
	return m.show(ctx, t, m.request("POST", path, body))
}

// act does something to a resource, and prints the resource.
func (c Change) act(ctx context.Context, t Terminal, path string, body body) error {
	request := c.request("POST", path, body)
	request.Revision = c.Revision
	return c.show(ctx, t, request)
}

// change sends a request that demands a revision. Without one in the flags it is that of the
// resource as it stands.
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

// put stores a resource, in place of the one that is there or as a new one.
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

// Members are the flags that name members of a resource.
type Members struct {
	Set   []string `sep:"none" placeholder:"NAME=VALUE" help:"Member and its value: JSON, or plain text. May be repeated; a.b=VALUE is a member of a member."`
	Unset []string `placeholder:"NAME" help:"Member to remove."`
	File  string   `placeholder:"FILE" help:"JSON object with the members; - reads standard input."`
}

// Update are the flags of a command that changes members of a resource.
type Update struct {
	Change
	Members
}

// Creation are the flags of a command that makes a resource of its members.
type Creation struct {
	Making
	Members
}

// create makes a resource, and prints it.
func (c Creation) create(
	ctx context.Context, t Terminal, path string, isText func(string) bool,
) error {
	members, err := c.members(t.In, isText)
	if err != nil {
		return err
	}
	return c.post(ctx, t, path, members)
}

// update changes members of a resource, and prints it.
func (u Update) update(
	ctx context.Context, t Terminal, path string, isText func(string) bool,
) error {
	patch, err := u.members(t.In, isText)
	if err != nil {
		return err
	}
	return u.change(ctx, t, "PATCH", path, patch)
}

// members returns what the flags name: a JSON object, or a merge patch. IsText reports whether the
// value of a member is a text.
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

// put sets a member of an object, or of an object in it.
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

// maxFile is the greatest file that is read into a request.
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
