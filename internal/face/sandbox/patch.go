package sandbox

import (
	"encoding/json"
	"errors"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/strictjson"
	"mintmark/internal/face/web"
)

// patching configures how a merge patch (RFC 7396) of a resource is read.
type patching struct {
	fixed   []string          // members that a patch must not change
	aliases map[string]string // alternative names to names of the resource
}

// patched applies a patch to a resource.
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

// rename replaces alternative member names in a patch with those of the resource. A member given
// under both names is a problem.
func (p patching) rename(body []byte) (patch []byte, problems problem.List) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return body, nil // Merge reports the error too
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

// renamed replaces the act's member names in an error with those of the resource.
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
