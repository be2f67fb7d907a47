package bankdoc

import (
	"bytes"
	"strings"
	"time"

	"mintmark/internal/base/problem"
)

// ValidateDraft returns the problems of an unpublished document. What publishing requires may still
// be absent.
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

// ValidateUnnumbered is like Validate, for a document whose ID the store assigns: such an ID may be
// above the maximum for an ID in a file.
func (d Document) ValidateUnnumbered() problem.List {
	d.ID = 1
	return d.Validate()
}

// Same reports whether two states of a document show customers the same content at the same time.
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

// Precedes reports whether a document would become effective together with a published one of the
// same bank, culture and type, or before it without expiring by then.
func (d Document) Precedes(other Document) bool {
	return d.ID != other.ID && d.sameKindAs(other) && !other.Effective.Before(d.Effective) &&
		(d.Expires.IsZero() || d.Expires.After(other.Effective))
}

func (d Document) sameKindAs(other Document) bool {
	return d.BankID == other.BankID && d.IsOf(other.Culture) && d.Type == other.Type
}
