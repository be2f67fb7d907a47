package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"mintmark/e2e/ledger"
)

// generator generates requests to the operations of openapi.yaml.
type generator struct {
	*rand.Rand
	caller, made int
}

// request generates a request: a valid one, or one with one or two changed values.
func (g *generator) request(op described) ledger.Request {
	g.made++
	values := make(map[string]string) // as written in the path or in JSON
	kinds := make(map[string]schema)
	for _, p := range op.Parameters {
		if p.In == "path" || p.In == "query" && g.IntN(2) == 0 {
			kinds[p.Name] = p.Schema
			values[p.Name] = g.right(p.Name, p.Schema, p.Example)
		}
	}
	// In a fixed order, so that a seed generates the same requests again.
	for _, name := range sorted(op.members) {
		member := op.members[name]
		kinds[name] = member
		example := op.RequestBody.Content["application/json"].Example[name]
		values[name] = g.right(name, member, example)
	}
	names := sorted(values)
	duplicated := ""
	for range []int{0, 0, 1, 1, 1, 2}[g.IntN(6)] {
		if len(names) == 0 {
			break
		}
		name := names[g.IntN(len(names))]
		switch g.IntN(6) {
		case 0:
			delete(values, name)
		case 1:
			duplicated = name
		default:
			values[name] = g.wrong(kinds[name])
		}
	}
	request := ledger.Request{Method: op.method, Path: op.path}
	if op.members == nil {
		request.Path = fillPath(op, values)
		return request
	}
	request.Body = g.body(values, duplicated, kinds)
	return request
}

// right returns a value that the description allows, and that often exists.
func (g *generator) right(name string, kind schema, example any) string {
	switch {
	case name == "customerId" && g.IntN(4) == 0:
		return fmt.Sprint(1001 + g.IntN(12))
	case name == "cardId":
		return fmt.Sprint(pick(g, 5001+g.IntN(8), 10001+g.IntN(50)))
	case name == "accountId" || name == "primaryAccountId":
		return fmt.Sprint(2001 + g.IntN(pick(g, 3, 14)))
	case name == "documentId":
		return fmt.Sprint(80 + g.IntN(22))
	case name == "nickName" || name == "tag" && g.IntN(2) == 0:
		return quoted(fmt.Sprintf("%s %d of %d", name, g.made, g.caller))
	case name == "newPin" && g.IntN(2) == 0:
		return "null"
	case len(kind.Enum) > 0:
		return quoted(pick(g, kind.Enum...))
	case example == nil:
		return "null"
	}
	return written(example)
}

// wrong returns a value that the description does not allow, or only just.
func (g *generator) wrong(kind schema) string {
	values := []string{
		"[]", "{}", "true", "null", "NULL", "1.5", "1e3", `""`, `" "`, `"text"`, `"4711"`, "[[1]]",
		`{"a":{"b":[1,2]}}`, `"\ud800"`, `"` + strings.Repeat("x", 5000) + `"`,
		strings.Repeat("9", 400), strings.Repeat("[", 1000),
		`"` + strings.Repeat("é", 40000) + `"`,
		quoted("Zoë"), quoted("名前"), quoted("\u202eabc"), quoted("a\x00b"), quoted("🂡🂮"),
		quoted("%00%2F..+"), `'single'`, "undefined", "-", "0x10",
	}
	if kind.Type == "integer" {
		values = append(values, "0", "1", "-1", "4711", "2147483647", "2147483648", "-2147483648")
	}
	if kind.MaxLength > 0 {
		for _, length := range []int{kind.MaxLength - 1, kind.MaxLength, kind.MaxLength + 1} {
			values = append(values, quoted(strings.Repeat("a", length)),
				quoted(strings.Repeat("é", length)))
		}
	}
	return pick(g, values...)
}

// body returns the members as JSON in random order, sometimes truncated.
func (g *generator) body(values map[string]string, twice string, kinds map[string]schema) string {
	names := sorted(values)
	g.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	members := make([]string, 0, len(names)+1)
	for _, name := range names {
		members = append(members, quoted(name)+":"+values[name])
	}
	if twice != "" {
		members = append(members, quoted(twice)+":"+g.wrong(kinds[twice]))
	}
	body := "{" + strings.Join(members, ",") + "}"
	if g.IntN(20) == 0 {
		return body[:1+g.IntN(len(body)-1)]
	}
	return body
}

// fillPath inserts values into the path and the query of an operation, truncated to what fits into
// a request line.
func fillPath(op described, values map[string]string) string {
	const longest = 4000
	path, query := op.path, url.Values{}
	for _, p := range op.Parameters {
		value := strings.Trim(values[p.Name], `"`)
		value = value[:min(len(value), longest)]
		if p.In == "query" && values[p.Name] != "" {
			query.Set(p.Name, value)
		}
		path = strings.ReplaceAll(path, "{"+p.Name+"}", url.PathEscape(value))
	}
	if len(query) == 0 {
		return path
	}
	return path + "?" + query.Encode()
}

func pick[T any](g *generator, values ...T) T { return values[g.IntN(len(values))] }

func sorted[T any](values map[string]T) []string { return slices.Sorted(maps.Keys(values)) }

func quoted(text string) string { return written(text) }

// written returns a value of the generator as JSON, which cannot fail.
func written(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return string(text)
}
