package jsonbody

import (
	"fmt"
	"strings"
)

// maxPathUnits is the maximum length of a path in a message, in UTF-16 code units.
const maxPathUnits = 256

// place is the position of a failure in the body.
type place struct {
	path     string
	line     int // from 1; 0 if the very first character is wrong
	position int // UTF-16 code units consumed of the line, plus 1 on every line but the first
}

// String returns the place as the end of a message.
func (p place) String() string {
	return fmt.Sprintf("Path '%s', line %d, position %d.", p.path, p.line, p.position)
}

// place returns the reader's position. It is computed only for a failure, at no cost to a valid
// body.
func (r *reader) place() place {
	line, position := lineAt(r.text, r.at)
	if r.state == atStart && position == 0 {
		line = 0
	}
	return place{path: r.path(), line: line, position: position}
}

// lineAt returns the line and position of a byte offset. LF, CR and CR LF each end a line. A CR LF
// at the end of the text counts as two, and the position on every line but the first is one more
// than was consumed; callers compare these numbers.
func lineAt(text []byte, offset int) (line, position int) {
	line = 1
	for i := 0; i < offset; i++ {
		switch text[i] {
		case '\r':
			if i+2 < len(text) && text[i+1] == '\n' {
				i++
			}
			line, position = line+1, 1
		case '\n':
			line, position = line+1, 1
		default:
			position += units(text[i])
		}
	}
	return line, position
}

// path returns the path of the open containers. A container that was just opened has no position
// inside yet, so it ends the path.
func (r *reader) path() string {
	inside := r.frames[:r.depth]
	if r.depth > 0 && (r.state == inNewObject || r.state == inNewArray) {
		inside = inside[:r.depth-1]
	}
	var path strings.Builder
	for i := range inside {
		r.writeStep(&path, &inside[i])
	}
	return capped(path.String(), maxPathUnits)
}

// writeStep appends one container's part of the path.
func (r *reader) writeStep(path *strings.Builder, f *frame) {
	if f.container != object {
		fmt.Fprintf(path, "[%d]", f.index)
		return
	}
	if path.Len() > 0 {
		path.WriteByte('.')
	}
	name := r.unescape(f.name)
	if strings.ContainsAny(string(name), ". []()") {
		fmt.Fprintf(path, "['%s']", name)
		return
	}
	path.Write(name)
}
