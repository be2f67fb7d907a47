package db

import (
	"encoding/json"
	"fmt"
	"time"
)

// Millis returns the stored form of a time: milliseconds since 1970 UTC, NULL for the zero time.
func Millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// DateMillis returns the stored form of a calendar date: midnight UTC of that date, so that it is
// the same date in every time zone, and NULL for the zero time.
func DateMillis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC).UnixMilli()
}

// Time scans a column that Millis or DateMillis has written.
type Time struct{ To *time.Time }

// Scan sets the time from the value of a column.
func (t Time) Scan(column any) error {
	switch column := column.(type) {
	case nil:
		*t.To = time.Time{}
	case int64:
		*t.To = time.UnixMilli(column).UTC()
	default:
		return fmt.Errorf("a time is stored as an integer, not as %T", column)
	}
	return nil
}

// OrNull returns the stored form of an optional string or byte slice: NULL if it is empty.
func OrNull[T ~string | ~[]byte](value T) any {
	if len(value) == 0 {
		return nil
	}
	return value
}

// OrEmpty returns a byte slice for a column that is NOT NULL: a nil slice would be stored as NULL.
func OrEmpty(value []byte) []byte {
	if value == nil {
		return []byte{}
	}
	return value
}

// JSONText returns the stored form of a structured value: JSON.
func JSONText(value any) (string, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return "", fmt.Errorf("sqlstore: %w", err)
	}
	return string(text), nil
}

// JSONTexts returns the JSONText of each value.
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

// JSON scans a column that JSONText has written.
type JSON struct{ To any }

// Scan decodes the value of a column.
func (j JSON) Scan(column any) error {
	text, ok := column.(string)
	if !ok {
		return fmt.Errorf("a structured value is stored as text, not as %T", column)
	}
	return json.Unmarshal([]byte(text), j.To)
}
