package app

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"
	"testing"

	"mintmark/internal/base/wire"
)

// script is a connection and its listener. It delivers fixed text in pieces.
type script struct {
	net.Conn
	text  []byte
	piece int
}

func (s *script) Accept() (net.Conn, error) { return s, nil }

func (s *script) Addr() net.Addr { return nil }

func (s *script) Read(room []byte) (int, error) {
	if len(s.text) == 0 {
		return 0, io.EOF
	}
	length := copy(room[:min(len(room), s.piece)], s.text)
	s.text = s.text[length:]
	return length, nil
}

var errTwice = errors.New("the length is given twice")

// counting records the bytes read.
type counting struct {
	io.Reader
	text []byte
}

func (c *counting) Read(room []byte) (int, error) {
	length, err := c.Reader.Read(room)
	c.text = append(c.text, room[:length]...)
	return length, err
}

// readAll reads requests as Go's server does, and returns them with the error that ended the
// stream. It parses the header lines itself.
func readAll(from io.Reader, begin func() bool) (requests []string, err error) {
	read := &counting{Reader: from}
	buffered := bufio.NewReaderSize(read, 4096)
	method := ""
	for {
		if method == "POST" {
			begun, _ := buffered.Peek(4)
			length := len(begun) - len(bytes.TrimLeft(begun, "\r\n"))
			_, _ = buffered.Discard(length)
		}
		start := len(read.text) - buffered.Buffered()
		request, err := http.ReadRequest(buffered)
		if err != nil {
			return requests, err
		}
		head := read.text[start : len(read.text)-buffered.Buffered()]
		if !begin() {
			return requests, errors.New("request not started")
		}
		_, lines, _ := bytes.Cut(head, []byte("\n"))
		header, err := textproto.NewReader(bufio.NewReader(bytes.NewReader(lines))).ReadMIMEHeader()
		if err != nil {
			return requests, err
		}
		for name := range header {
			if strings.Contains(name, " ") {
				return requests, errors.New("the server refuses the name of a header")
			}
		}
		lengths, codings := header["Content-Length"], header["Transfer-Encoding"]
		if len(lengths) > 1 || len(lengths) > 0 && len(codings) > 0 {
			return requests, errTwice
		}
		body, err := io.ReadAll(request.Body)
		if err != nil {
			return requests, err
		}
		requests = append(requests, string(head)+"|"+string(body))
		if request.Proto != "HTTP/1.1" {
			return requests, io.EOF
		}
		method = request.Method
	}
}

// irregular matches what only a careless client sends, and what may be refused: folded lines, and
// lines that end in LF alone.
var irregular = regexp.MustCompile(`\n[ \t]|(?:^|[^\r])\n`)

// FuzzFraming reads any bytes as Go's server does, once directly and once through a connection that
// follows the requests. Both must find the same requests, up to the first with a duplicated length.
func FuzzFraming(f *testing.F) {
	const top = "POST / HTTP/1.1\r\nHost: a\r\n"
	for _, text := range []string{
		top + "\r\n" + top + "Content-Length: 3\r\n\r\nabc\r\n" + top + "\r\n",
		top + "Transfer-Encoding: chunked\r\n\r\n3;a\r\nabc\r\n0\r\nA: b\r\n\r\n" + top + "\r\n",
		top + "Content-Length: 1\r\nContent-Length: 1\r\n\r\nx" + top + "\r\n",
		top + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + top + "\r\n",
		top + "Content-Length: 1\r\n 2\r\nX: y\r\n\tz\r\n\r\nx",
		"GET / HTTP/1.1\nHost: a\nTransfer-Encoding:chunked\n\n1\r\nx\r\n0\r\nA: b\n\n" + top,
		top + "Content-Length : 1\r\nTransfer-Encoding : chunked\r\n\r\nx",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET / HTTP/1.0\r\nContent-Length: 1\r\n\r\nx" + top,
	} {
		f.Add([]byte(text), uint16(7))
	}
	f.Fuzz(func(t *testing.T, text []byte, piece uint16) {
		plain, plainErr := readAll(
			&script{text: text, piece: 1 << 20}, func() bool { return true })
		listener := wire.Listen(&script{text: text, piece: 1 + int(piece)}, 1, nil)
		conn, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		followed, err := readAll(conn, conn.(interface{ Begin() bool }).Begin)
		if errors.Is(err, errTwice) {
			t.Fatalf("it lets a length pass that is given twice, behind %q", followed)
		}
		fewer := len(followed) < len(plain) && irregular.Match(text)
		if fewer && slices.Equal(followed, plain[:len(followed)]) {
			return
		}
		if !slices.Equal(followed, plain) {
			t.Fatalf("%q are found (%v), and %q followed (%v)", plain, plainErr, followed, err)
		}
	})
}
