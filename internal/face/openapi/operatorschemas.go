package openapi

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

// request returns the schema of an operation's body. In a merge patch, every member may be absent
// or null.
func (s *schemas) request(row *admin.Op) *yaml.Node {
	if row.Patch() {
		return object("type", "object", "description",
			"A merge patch of "+row.Request.Name()+".")
	}
	return s.wire(row.Request, false)
}

// reply returns the schema of an operation's answer. A dry run's answer also has the changes.
func (s *schemas) reply(row *admin.Op) *yaml.Node {
	if row.Changes() && row.Status == 200 {
		return object("anyOf", list(s.wire(row.Reply, true), s.dryRun(row)))
	}
	return s.wire(row.Reply, true)
}

// dryRun returns the schema of the answer to a dry run.
func (s *schemas) dryRun(row *admin.Op) *yaml.Node {
	name := "Removed"
	if row.Reply != nil {
		name = schemaName(row.Reply)
	}
	name += "DryRun"
	if s.byName[name] == nil {
		s.put(name, object())
		schema := object("type", "object", "properties", object(), "additionalProperties", false)
		if row.Reply != nil {
			schema = s.members(row.Reply, true)
		}
		changes := add(s.wire(reflect.TypeFor[[]wire.Change](), true),
			"description", sharedWords["changes"])
		for i := 0; i < len(schema.Content); i += 2 {
			switch schema.Content[i].Value {
			case "properties":
				add(schema.Content[i+1], "changes", changes)
			case "required":
				schema.Content[i+1].Content = append(schema.Content[i+1].Content,
					nodeOf("changes"))
			}
		}
		if row.Reply == nil {
			add(schema, "required", names("changes"))
		}
		s.byName[name] = schema
	}
	return ref("schemas", name)
}

// schemaName returns the schema name of a type: List[Card] is CardList.
func schemaName(t reflect.Type) string {
	name, of, generic := strings.Cut(t.Name(), "[")
	if !generic {
		return name
	}
	of = strings.TrimSuffix(of, "]")
	return of[strings.LastIndexByte(of, '.')+1:] + name
}

// wire returns the schema of a type of package client/admin.
func (s *schemas) wire(t reflect.Type, reply bool) *yaml.Node {
	switch t {
	case reflect.TypeFor[time.Time]():
		return object("type", "string", "format", "date-time")
	case reflect.TypeFor[json.Number]():
		return object("type", "number")
	case reflect.TypeFor[json.RawMessage]():
		return object()
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.wire(t.Elem(), reply)
	case reflect.Bool:
		return object("type", "boolean")
	case reflect.Int, reflect.Int64:
		return object("type", "integer")
	case reflect.Float64:
		return object("type", "number")
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return object("type", "string", "contentEncoding", "base64")
		}
		return object("type", "array", "items", s.wire(t.Elem(), reply))
	case reflect.Map:
		return object("type", "object", "additionalProperties", s.wire(t.Elem(), reply))
	case reflect.Struct:
		name := schemaName(t)
		if name == "" {
			return s.members(t, reply)
		}
		if s.byName[name] == nil {
			s.put(name, object())
			s.byName[name] = s.members(t, reply)
		}
		return ref("schemas", name)
	}
	return object("type", "string")
}

// members returns the schema of an object. In a body every member may be absent.
func (s *schemas) members(t reflect.Type, reply bool) *yaml.Node {
	properties := object()
	var required []string
	for _, field := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			continue
		}
		add(properties, name, add(s.wire(field.Type, reply),
			"description", operatorWord(t, field, name)))
		if reply && !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	open := reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
	return object("type", "object", "required", required, "properties", properties,
		"additionalProperties", open)
}

// ownerOf returns the struct that declares a field, which may be an embedded one.
func ownerOf(t reflect.Type, field reflect.StructField) reflect.Type {
	for _, index := range field.Index[:len(field.Index)-1] {
		t = t.Field(index).Type
	}
	return t
}
