package sandbox

import (
	"encoding/json"
	"errors"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
)

// patching says how a merge patch (RFC 7396) of a resource is read.
type patching struct {
	fixed   []string          // members that may stand in the patch only as they are
	aliases map[string]string // names of a loaded file, and those of the resource
}

// patched returns a resource as a patch makes it.
func patched[T any](p patching, body []byte, before T) (T, error) {
	patch, problems := p.rename(body)
	after, wrong, err := strictjson.Merge(before, patch, p.fixed...)
	if err != nil {
		return before, err
	}
	if problems = append(problems, wrong...); len(problems) > 0 {
		return before, web.Invalid(problems)
	}
	return after, nil
}

// rename gives the members of a patch the names that the resource has for them. A member that stands
// under both names is a problem.
func (p patching) rename(body []byte) (patch []byte, problems problem.List) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body, nil // which the reader of the patch finds as well
	}
	return strictjson.Rename(body, func(alias string) (string, bool) {
		name, ok := p.aliases[alias]
		if !ok {
			return alias, true
		}
		_, both := members[name]
		if both {
			problems.Add(alias, "is another name of %s, which is given, too", name)
		}
		return name, !both
	}), problems
}

// renamed names the members in an error of an act as the resource does.
func (p patching) renamed(err error) error {
	invalid := (*problem.InvalidError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	var named problem.List
	for _, wrong := range invalid.Problems {
		first, rest, nested := strings.Cut(wrong.Path, ".")
		if name, known := p.aliases[first]; known {
			wrong.Path = name
			if nested {
				wrong.Path += "." + rest
			}
		}
		named = append(named, wrong)
	}
	return web.Invalid(named)
}
