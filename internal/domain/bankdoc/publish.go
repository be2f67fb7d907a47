package bankdoc

import (
	"bytes"
	"strings"
	"time"

	"mintmark/internal/base/problem"
)

// ValidateDraft returns what is wrong with a document that is not published: what must be given by
// then may still be missing.
func (d Document) ValidateDraft() problem.List {
	checked := d
	if checked.Effective.IsZero() {
		checked.Effective = time.Unix(0, 0)
		if !checked.Expires.IsZero() {
			checked.Effective = checked.Expires.Add(-time.Second)
		}
	}
	if strings.TrimSpace(checked.HTML) == "" {
		checked.HTML = "to come"
	}
	return checked.ValidateUnnumbered()
}

// ValidateUnnumbered is Validate for a document that the store numbers, which may go beyond the
// numbers that a file may give.
func (d Document) ValidateUnnumbered() problem.List {
	d.ID = 1
	return d.Validate()
}

// Same reports whether customers read the same in two states of a document, at the same time.
func (d Document) Same(other Document) bool {
	return d.sameKindAs(other) && d.Title == other.Title && d.HTML == other.HTML &&
		bytes.Equal(d.PDF, other.PDF) && d.Effective.Equal(other.Effective) &&
		d.Expires.Equal(other.Expires)
}

// Succeeds reports whether a document replaces another: they have the same bank, culture and type,
// and the other is in force when this one becomes effective.
func (d Document) Succeeds(other Document) bool {
	return d.ID != other.ID && d.sameKindAs(other) && other.Effective.Before(d.Effective) &&
		(other.Expires.IsZero() || other.Expires.After(d.Effective))
}

// Precedes reports whether a document would become effective together with a published one of its
// kind, or before it and without an end by then.
func (d Document) Precedes(other Document) bool {
	return d.ID != other.ID && d.sameKindAs(other) && !other.Effective.Before(d.Effective) &&
		(d.Expires.IsZero() || d.Expires.After(other.Effective))
}

func (d Document) sameKindAs(other Document) bool {
	return d.BankID == other.BankID && d.IsOf(other.Culture) && d.Type == other.Type
}
