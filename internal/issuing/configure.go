package issuing

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/store"
)

// Helpers shared by the operators' configuration acts.

// Sandbox reports whether the rules of the sandbox apply.
func (s *Service) Sandbox() bool { return s.Mode == card.Sandbox }

// Members holds the properties of a resource that the audit shows, by name.
type Members map[string]any

// PutRevised stores a resource together with its audit entry. before is nil for a new resource. An
// unchanged resource is not stored again; a changed one gets the next revision.
func (tx *Tx) PutRevised(
	of audit.Subject, before, after Members, revision *int, put func() error,
) error {
	from, to, err := differences(before, after)
	if err != nil {
		return err
	}
	return tx.putDiffering(of, before == nil, from, to, revision, put)
}

// PutPrivate is PutRevised for a resource with private members. The audit entry shows the values of
// the members in open, and of the others only that they changed.
func (tx *Tx) PutPrivate(
	of audit.Subject, before, after Members, open []string, revision *int, put func() error,
) error {
	from, to, err := differences(before, after)
	if err != nil {
		return err
	}
	for _, side := range []map[string]json.RawMessage{from, to} {
		for name := range side {
			if !slices.Contains(open, name) {
				side[name] = json.RawMessage(`"***"`)
			}
		}
	}
	return tx.putDiffering(of, before == nil, from, to, revision, put)
}

// putDiffering stores a resource with an audit entry about its changed members.
func (tx *Tx) putDiffering(
	of audit.Subject, fresh bool, from, to map[string]json.RawMessage, revision *int,
	put func() error,
) error {
	was, now, err := objects(from, to)
	if err != nil {
		return err
	}
	entry := audit.Entry{Subject: of, Outcome: OutcomeChanged, Before: was, After: now}
	if fresh {
		entry.Outcome = OutcomeCreated
	}
	if !fresh && was == "" && now == "" {
		entry.Outcome = OutcomeUnchanged
		return tx.PutEntry(entry)
	}
	if err := put(); err != nil {
		return err
	}
	*revision++
	return tx.PutEntry(entry)
}

// Differing returns the members in which two states differ, as JSON objects; empty if there are
// none.
func Differing(before, after Members) (was, now string, err error) {
	from, to, err := differences(before, after)
	if err != nil {
		return "", "", err
	}
	return objects(from, to)
}

// differences returns the members in which two states differ, with their old and new values.
func differences(before, after Members) (from, to map[string]json.RawMessage, err error) {
	from, err = texts(before)
	if err != nil {
		return nil, nil, err
	}
	to, err = texts(after)
	if err != nil {
		return nil, nil, err
	}
	for name := range from {
		if bytes.Equal(from[name], to[name]) {
			delete(from, name)
			delete(to, name)
		}
	}
	return from, to, nil
}

func texts(of Members) (map[string]json.RawMessage, error) {
	all := make(map[string]json.RawMessage, len(of))
	for name, value := range of {
		text, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("encode %s for the audit: %w", name, err)
		}
		all[name] = text
	}
	return all, nil
}

func objects(from, to map[string]json.RawMessage) (was, now string, err error) {
	was, err = object(from)
	if err == nil {
		now, err = object(to)
	}
	return was, now, err
}

func object(of map[string]json.RawMessage) (string, error) {
	if len(of) == 0 {
		return "", nil
	}
	text, err := json.Marshal(of)
	return string(text), err
}

// Refuse returns the error of an act that a rule refuses.
func Refuse(detail string) error { return &RefusedError{detail} }

// Invalid returns the validation error of one member.
func Invalid(path, format string, args ...any) error {
	var wrong problem.List
	wrong.Add(path, format, args...)
	return wrong.Err()
}

// CheckRevision returns store.ErrLostUpdate unless the stored revision is the one that the operator
// read.
func CheckRevision(what string, stored, read int) error {
	if stored != read {
		return fmt.Errorf("%s has revision %d, not %d: %w", what, stored, read,
			store.ErrLostUpdate)
	}
	return nil
}

// CheckRevisionIf is CheckRevision for an act whose request may omit the revision: 0 matches any.
func CheckRevisionIf(what string, stored, read int) error {
	if read == 0 {
		return nil
	}
	return CheckRevision(what, stored, read)
}

// PageBy returns a page of a list that is short enough to be read whole. The list must be in
// ascending order of its keys.
func PageBy[T any, K cmp.Ordered](
	all []T, page Page, after K, key func(T) K,
) (items []T, last string) {
	if page.After != "" {
		all = all[sort.Search(len(all), func(i int) bool { return key(all[i]) > after }):]
	}
	if len(all) <= page.Limit {
		return all, ""
	}
	items = all[:page.Limit]
	return items, fmt.Sprint(key(items[len(items)-1]))
}

// PageByNumber is PageBy for items with a numeric key.
func PageByNumber[T any](all []T, page Page, number func(T) int) (items []T, last string) {
	// Cursors are created here; an unreadable one starts at the beginning of the list.
	after, _ := strconv.Atoi(page.After)
	return PageBy(all, page, after, number)
}

// Matches reports whether any of the texts contains the search string, ignoring case. An empty
// search string matches everything.
func Matches(search string, texts ...string) bool {
	search = strings.ToLower(search)
	return search == "" || slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(strings.ToLower(text), search)
	})
}

// NextID returns the ID of a new resource: the requested one, or one more than the highest known.
// Above problem.MaxID it returns the lowest free ID, so that no bank can use up the IDs of the
// others. taken is the refusal of an ID that is in use.
func NextID(noun string, requested int, known []int) (id int, taken error) {
	if requested == 0 {
		requested = slices.Max(append(known, 0)) + 1
		for id := 1; requested > problem.MaxID; id++ {
			if !slices.Contains(known, id) {
				requested = id
			}
		}
	}
	if slices.Contains(known, requested) {
		taken = AlreadyExists(noun, requested)
	}
	return requested, taken
}

// AlreadyExists returns the refusal of an ID or a name that is in use.
func AlreadyExists(noun string, id any) error {
	article := "a"
	if strings.ContainsAny(noun[:1], "aeiou") {
		article = "an"
	}
	return Refuse(fmt.Sprintf("There is %s %s %v already.", article, noun, id))
}

// PreferInvalid chooses between the error of storing a new resource and the refusal of an ID or
// name in use: a problem.InvalidError takes precedence. Either rolls the transaction back.
func PreferInvalid(err, taken error) error {
	invalid := (*problem.InvalidError)(nil)
	if taken == nil || errors.As(err, &invalid) {
		return err
	}
	return taken
}

// Identifier parses a positive 32-bit integer. It returns 0 for anything else.
func Identifier(text string) int {
	id, err := strconv.ParseInt(text, 10, 32)
	if err != nil || id < 0 || strings.HasPrefix(text, "+") {
		return 0
	}
	return int(id)
}
