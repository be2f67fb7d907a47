package wire

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

// errFraming ends the reading of a request that states the length of its body twice. The server
// then rejects it as unreadable.
var errFraming = errors.New("wire: the body length is given twice")

// framing follows the requests on a connection, to see how each states the length of its body. A
// request that states it twice (Content-Length and Transfer-Encoding, or two of either) may be read
// differently here and by a proxy, which would then take the rest of one request for the next
// (request smuggling). Go's server silently repairs such requests before any handler sees them.
//
// The server rejects the requests that framing cannot follow. If it ever accepts one, the server
// and framing count different numbers of requests, and Begin reports it.
type framing struct {
	part part
	line []byte // the beginning of an incomplete line
	left int64  // missing bytes of the body or chunk
	head head
	seen int64 // requests whose head has arrived
}

// part is the part of a request to which the next byte belongs.
type part int

const (
	requestLine part = iota
	fields
	body
	chunkSize
	chunk
	chunkEnd
	trailer
	lost // the rest of the connection cannot be followed
)

// head holds the parts of a request's head that determine the framing.
type head struct {
	ours    bool // HTTP/1.1; after a request of another version the connection ends
	lengths int  // number of Content-Length lines
	length  int64
	codings int // number of Transfer-Encoding lines
	chunked bool
	framing bool // the last line is Content-Length or Transfer-Encoding
	folded  bool // a line of one of these two continues on the next line
}

// longestLine is far above the server's own limit.
const longestLine = 1 << 20

// scan scans text, at most to the end of a request, and returns how many bytes it has scanned.
func (f *framing) scan(text []byte) (read int, err error) {
	for read < len(text) {
		switch f.part {
		case lost:
			return len(text), nil
		case body, chunk:
			step := min(f.left, int64(len(text)-read))
			read, f.left = read+int(step), f.left-step
			if f.left > 0 {
				return read, nil
			}
			if f.part == body {
				f.part = requestLine
				return read, nil
			}
			f.part = chunkEnd
		default:
			length := bytes.IndexByte(text[read:], '\n') + 1
			if length == 0 {
				f.keep(text[read:])
				return len(text), nil
			}
			line := text[read : read+length]
			if len(f.line) > 0 {
				f.line = append(f.line, line...)
				line = f.line
			}
			read += length
			before := f.part
			if err := f.take(line); err != nil {
				return read - 1, err // without its last byte the head never ends
			}
			f.line = f.line[:0]
			if f.part == requestLine && before != requestLine {
				return read, nil
			}
		}
	}
	return read, nil
}

// keep buffers the beginning of a line.
func (f *framing) keep(begun []byte) {
	f.line = append(f.line, begun...)
	if len(f.line) > longestLine {
		f.part, f.line = lost, nil
	}
}

// take processes the next line of a request, including its line end.
func (f *framing) take(line []byte) error {
	bare := bytes.TrimSuffix(line[:len(line)-1], []byte("\r"))
	ended := len(bare) == len(line)-2 // with CR and LF
	switch f.part {
	case requestLine:
		if len(bare) > 0 { // some clients send empty lines after a body
			f.part, f.head = fields, head{ours: bytes.HasSuffix(bare, []byte(" HTTP/1.1"))}
		}
	case fields:
		if len(bare) == 0 {
			return f.endHead()
		}
		f.head.take(bare)
	case chunkSize:
		f.part = f.sizeOf(bare, ended)
	case chunkEnd:
		f.part = chunkSize
		if len(bare) > 0 || !ended {
			f.part = lost
		}
	case trailer:
		if len(bare) == 0 {
			f.part = requestLine
		}
		if !ended {
			f.part = lost
		}
	}
	return nil
}

// endHead determines what follows the head of a request.
func (f *framing) endHead() error {
	h := &f.head
	twice := h.lengths > 1 || h.lengths > 0 && h.codings > 0
	if twice || h.folded {
		return errFraming
	}
	f.part = lost
	if h.codings > 1 || h.codings == 1 && !h.chunked || h.length < 0 {
		return nil // the server rejects it
	}
	f.seen++
	switch {
	case !h.ours:
	case h.chunked:
		f.part = chunkSize
	case h.length > 0:
		f.part, f.left = body, h.length
	default:
		f.part = requestLine
	}
	return nil
}

// take processes a line of the head.
func (h *head) take(line []byte) {
	switch line[0] {
	case ' ', '\t': // continues the previous line
		h.folded = h.folded || h.framing
	case 'C', 'c':
		value, ok := valueOf(line, "Content-Length")
		h.framing = ok
		if ok {
			h.lengths++
			h.length = digits(value)
		}
	case 'T', 't':
		value, ok := valueOf(line, "Transfer-Encoding")
		h.framing = ok
		if ok {
			h.codings++
			h.chunked = bytes.EqualFold(value, []byte("chunked"))
		}
	default:
		h.framing = false
	}
}

// valueOf returns the value of a header line with this name.
func valueOf(line []byte, name string) (value []byte, ok bool) {
	if len(line) < len(name) || !bytes.EqualFold(line[:len(name)], []byte(name)) {
		return nil, false
	}
	before, value, known := bytes.Cut(line[len(name):], []byte(":"))
	if !known || len(bytes.Trim(before, " \t")) > 0 {
		return nil, false
	}
	return bytes.Trim(value, " \t"), true
}

// digits parses a length; it returns -1 for anything else.
func digits(text []byte) int64 {
	const longest = 18 // digits that fit in an int64
	if len(text) == 0 || len(text) > longest || len(bytes.Trim(text, "0123456789")) > 0 {
		return -1
	}
	length, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		return -1
	}
	return length
}

// sizeOf parses the line before a chunk and returns the part that follows it.
func (f *framing) sizeOf(line []byte, ended bool) part {
	size, _, _ := bytes.Cut(line, []byte(";"))
	length, err := strconv.ParseUint(string(bytes.TrimRight(size, " \t")), 16, 64)
	if err != nil || !ended || length > math.MaxInt64 {
		return lost
	}
	if length == 0 {
		return trailer
	}
	f.left = int64(length)
	return chunk
}
