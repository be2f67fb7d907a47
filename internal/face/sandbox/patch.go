package sandbox

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// patching says how a merge patch (RFC 7396) of a resource is read.
type patching struct {
	fixed   []string          // members that may stand in the patch only as they are
	aliases map[string]string // names of a loaded file, and those of the resource
}

// patched returns a resource as a patch makes it. All that is wrong with the members is told at
// once.
func patched[T any](p patching, body []byte, before T) (T, error) {
	fields := membersOf(reflect.TypeFor[T]())
	wrong := strictjson.Read(body, func(o *strictjson.Object) {
		for _, field := range fields {
			o.Raw(memberName(field))
		}
		for alias, name := range p.aliases {
			if o.Raw(alias) != nil && o.Raw(name) != nil {
				o.Reject(alias, "is another name of "+name+", which is given, too")
			}
		}
	})
	if len(wrong) > 0 {
		return before, web.Invalid(wrong)
	}
	was, err := json.Marshal(before)
	if err != nil {
		return before, err
	}
	merged, err := p.merge(was, body)
	if err != nil {
		return before, err
	}
	old, err := p.split(was)
	if err != nil {
		return before, err
	}
	var after T
	into := reflect.ValueOf(&after).Elem()
	for _, field := range fields {
		name := memberName(field)
		raw, given := merged[name]
		switch {
		case slices.Contains(p.fixed, name) && string(raw) != string(old[name]):
			wrong.Add(name, "cannot be changed")
		case given && !readMember(raw, into.FieldByIndex(field.Index)):
			wrong.Add(name, "has a value of another kind")
		}
	}
	if len(wrong) > 0 {
		return before, web.Invalid(wrong)
	}
	return after, nil
}

// merge returns the members of a resource behind a patch.
func (p patching) merge(was, patch []byte) (map[string]json.RawMessage, error) {
	given, err := p.split(patch)
	if err != nil {
		return nil, err
	}
	for alias, name := range p.aliases {
		if raw, there := given[alias]; there {
			delete(given, alias)
			given[name] = raw
		}
	}
	patch, err = json.Marshal(given)
	if err != nil {
		return nil, err
	}
	text, err := jsonpatch.MergePatch(was, patch)
	if err != nil {
		return nil, err
	}
	return p.split(text)
}

func (patching) split(object []byte) (members map[string]json.RawMessage, err error) {
	err = json.Unmarshal(object, &members)
	return members, err
}

// renamed names the members in an error of an act as the resource does.
func (p patching) renamed(err error) error {
	invalid := (*issuing.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	var named problem.List
	for _, one := range invalid.Problems {
		first, rest, nested := strings.Cut(one.Path, ".")
		if name, known := p.aliases[first]; known {
			one.Path = name
			if nested {
				one.Path += "." + rest
			}
		}
		named = append(named, one)
	}
	return web.Invalid(named)
}

// membersOf returns the fields of a struct that are members in JSON, those of embedded structs
// among them.
func membersOf(of reflect.Type) []reflect.StructField {
	return slices.DeleteFunc(reflect.VisibleFields(of), func(field reflect.StructField) bool {
		return field.Anonymous
	})
}

// memberName is the name of a field in JSON.
func memberName(field reflect.StructField) string {
	name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
	return name
}

// readMember reads a member into its field, and reports whether it can be read. A number is written
// without quotes, and an object has no unknown members.
func readMember(raw json.RawMessage, into reflect.Value) bool {
	if into.Type() == reflect.TypeFor[json.Number]() && raw[0] == '"' {
		return false
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into.Addr().Interface()) == nil
}
