// Package sheet writes resources as CSV, for spreadsheets.
package sheet

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Write writes a line with the names of members, and a line with their values for each item. A
// member of a nested object has a name such as actor.name.
func Write(to io.Writer, names []string, items []json.RawMessage) error {
	w := csv.NewWriter(to)
	if err := w.Write(names); err != nil {
		return err
	}
	for _, item := range items {
		var members map[string]json.RawMessage
		if err := json.Unmarshal(item, &members); err != nil {
			return err
		}
		cells := make([]string, len(names))
		for i, name := range names {
			of, inner, isInner := strings.Cut(name, ".")
			value := members[of]
			if isInner {
				var parts map[string]json.RawMessage
				if len(value) > 0 && json.Unmarshal(value, &parts) != nil {
					return fmt.Errorf("%s is not an object: %s", of, value)
				}
				value = parts[inner]
			}
			cells[i] = cell(value)
		}
		if err := w.Write(cells); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// cell returns a string unchanged, a list joined with semicolons, and anything else as JSON. A
// string that a spreadsheet would interpret as a formula gets a leading apostrophe.
func cell(value json.RawMessage) string {
	var text string
	var list []json.RawMessage
	switch {
	case len(value) == 0 || string(value) == "null":
		return ""
	case json.Unmarshal(value, &text) == nil:
		if text != "" && strings.Contains("=+-@\t\r", text[:1]) {
			return "'" + text
		}
		return text
	case json.Unmarshal(value, &list) == nil:
		cells := make([]string, len(list))
		for i, item := range list {
			cells[i] = cell(item)
		}
		return strings.Join(cells, "; ")
	}
	return string(value)
}
