package entity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
)

// Change says how a member differs: member: from → to.
func Change(path string, from, to any) string {
	return fmt.Sprintf("%s: %s → %s", path, Shown(from), Shown(to))
}

// Shown is a value as an operator reads it.
func Shown(v any) string {
	switch v := v.(type) {
	case value.Time:
		if v.IsZero() {
			return "none"
		}
	case value.Amount:
		return v.Fixed(v.Digits()).String()
	case string:
		if v == "" {
			return "none"
		}
		return v
	}
	text, err := json.Marshal(v)
	if err != nil || string(text) == "null" {
		return "none"
	}
	return strings.Trim(string(text), `"`)
}

// IsPrivate reports whether the values of a member stay out of the audit: it is kept for ever, and
// holds nothing about a person and no account number. That the member has changed is shown.
// The address of a webhook may hold a password.
func IsPrivate(kind audit.SubjectKind, path string) bool {
	if kind == audit.Webhook && (path == "url" || path == "name") {
		return true
	}
	if kind != audit.Customer {
		return strings.HasSuffix(strings.ToLower(path), "accountnumber")
	}
	switch path {
	case "programId", "status", "accessType", "access", "isActive", "isLocked":
		return false
	}
	return true
}

// States collect the members in which a thing differs, before and after. Private ones are ***.
type States struct {
	kind          audit.SubjectKind
	before, after map[string]any
}

// NewStates returns the states of a thing that differs in no member yet.
func NewStates(kind audit.SubjectKind) States {
	return States{kind, make(map[string]any), make(map[string]any)}
}

// Add notes a member that differs.
func (s States) Add(path string, from, to any) {
	if IsPrivate(s.kind, path) {
		from, to = "***", "***"
	}
	s.before[path], s.after[path] = from, to
}

// Into writes the states into an entry. Something new has none from before.
func (s States) Into(e *audit.Entry, fresh bool) error {
	var err error
	if !fresh {
		e.Before, err = object(s.before)
		if err != nil {
			return err
		}
	}
	e.After, err = object(s.after)
	return err
}

// object writes members as a JSON object, empty for none.
func object(members map[string]any) (string, error) {
	if len(members) == 0 {
		return "", nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return "", fmt.Errorf("write down what has changed: %w", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}
