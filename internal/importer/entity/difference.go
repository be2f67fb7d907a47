package entity

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/audit"
)

// Change describes the difference of a member as "member: from → to".
func Change(path string, from, to any) string {
	return fmt.Sprintf("%s: %s → %s", path, Shown(from), Shown(to))
}

// Shown returns a value as text for operators.
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

// IsPrivate reports whether the values of a member stay out of the audit log: the log is permanent,
// so it holds no personal data and no account number. It only shows that the member has changed.
// The URL of a webhook may contain a password.
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

// States collects the members in which an entity differs, with their values before and after.
// Private values appear as ***.
type States struct {
	kind          audit.SubjectKind
	before, after map[string]any
}

// NewStates returns states without any difference.
func NewStates(kind audit.SubjectKind) States {
	return States{kind, make(map[string]any), make(map[string]any)}
}

// Add adds a member that differs.
func (s States) Add(path string, from, to any) {
	if IsPrivate(s.kind, path) {
		from, to = "***", "***"
	}
	s.before[path], s.after[path] = from, to
}

// Into writes the states into an audit entry. A new entity has no state before.
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

// object encodes members as a JSON object, or as "" if there are none.
func object(members map[string]any) (string, error) {
	if len(members) == 0 {
		return "", nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return "", fmt.Errorf("encode the difference: %w", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}
