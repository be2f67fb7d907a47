package db

import (
	"encoding/json"
	"fmt"
	"time"
)

// Millis returns a time as it is stored: milliseconds since 1970 UTC, NULL for the zero time.
func Millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// DateMillis returns a calendar date as it is stored: midnight UTC of that date, so that every time
// zone reads the same date.
func DateMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// Time reads what Millis and DateMillis write.
type Time struct{ To *time.Time }

// Scan takes the value of the column.
func (t Time) Scan(column any) error {
	switch column := column.(type) {
	case nil:
		*t.To = time.Time{}
	case int64:
		*t.To = time.UnixMilli(column).UTC()
	default:
		return fmt.Errorf("a time is kept as a whole number, not as %T", column)
	}
	return nil
}

// OrNull returns a text or bytes that may be absent as they are stored: NULL when empty.
func OrNull[T ~string | ~[]byte](value T) any {
	if len(value) == 0 {
		return nil
	}
	return value
}

// OrEmpty returns bytes for a column that is NOT NULL: a nil slice would be stored as NULL.
func OrEmpty(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

// JSONText returns a structured value as it is stored: as JSON text.
func JSONText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("sqlstore: %w", err)
	}
	return string(text), nil
}

// JSONTexts are the texts of several structured values.
func JSONTexts(values ...any) ([]string, error) {
	texts := make([]string, len(values))
	for i, value := range values {
		text, err := JSONText(value)
		if err != nil {
			return nil, err
		}
		texts[i] = text
	}
	return texts, nil
}

// JSON reads what JSONText writes.
type JSON struct{ To any }

// Scan takes the value of the column.
func (j JSON) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return fmt.Errorf("a structured value is kept as text, not as %T", column)
	}
	return json.Unmarshal([]byte(text), j.To)
}
