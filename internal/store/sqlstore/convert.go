package sqlstore

import (
	"encoding/json"
	"fmt"
	"time"
)

// millis is how a time is written: milliseconds since 1970 UTC, NULL for the zero time.
func millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// dateMillis is how a calendar date is written: as the moment it begins in UTC, so that it reads
// as the same date wherever it was made.
func dateMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// timeColumn reads what millis and dateMillis write.
type timeColumn struct{ to *time.Time }

// Scan takes the column over.
func (c timeColumn) Scan(column any) error {
	switch column := column.(type) {
	case nil:
		*c.to = time.Time{}
	case int64:
		*c.to = time.UnixMilli(column).UTC()
	default:
		return fmt.Errorf("a time is kept as a whole number, not as %T", column)
	}
	return nil
}

// orNull is how a text or bytes that may be absent are written: NULL when empty.
func orNull[T ~string | ~[]byte](value T) any {
	if len(value) == 0 {
		return nil
	}
	return value
}

// orEmpty is how bytes that must be there are written: a nil slice would be NULL.
func orEmpty(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

// jsonText is how a structured value is written.
func jsonText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("sqlstore: %w", err)
	}
	return string(text), nil
}

// jsonColumn reads what jsonText writes.
type jsonColumn struct{ to any }

// Scan takes the column over.
func (c jsonColumn) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return fmt.Errorf("a structured value is kept as text, not as %T", column)
	}
	return json.Unmarshal([]byte(text), c.to)
}
