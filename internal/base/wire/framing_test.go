package wire

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// requests splits a stream into the requests that the framing detects, reading it in pieces of the
// given lengths. left is the rest after the last request, also when the framing gives up or
// refuses.
func requests(text string, pieces ...int) (list []string, left string, err error) {
	f := &framing{}
	begun := 0
	at := 0
	for at < len(text) {
		length := len(text) - at
		if len(pieces) > 0 {
			length = min(length, max(1, pieces[0]))
			pieces = append(pieces[1:], pieces[0])
		}
		read, err := f.scan([]byte(text[at : at+length]))
		at += read
		if err != nil {
			return list, text[begun:at], err
		}
		if f.part == requestLine && len(f.line) == 0 && f.seen > int64(len(list)) {
			list, begun = append(list, text[begun:at]), at
		}
	}
	return list, text[begun:], nil
}

const top = "POST /card/lock HTTP/1.1\r\nHost: a\r\n"

// TestFraming checks which requests are refused and which are accepted, each after a valid one and
// in pieces of every length.
func TestFraming(t *testing.T) {
	t.Parallel()
	const good = top + "Content-Length: 4\r\n\r\nbody"
	for _, row := range []struct {
		name, text string
		refused    bool
	}{
		{"no body", top + "\r\n", false},
		{"a length", top + "Content-Length: 2\r\n\r\n{}", false},
		{"a length of nothing", top + "Content-Length: 0\r\n\r\n", false},
		{"chunks", top + "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", false},
		{"chunks with more about them",
			top + "transfer-encoding:CHUNKED\r\n\r\nA ;x=y\r\n0123456789\r\n00\r\nT: 1\r\n\r\n",
			false},
		{"line feeds alone", "GET / HTTP/1.1\nHost: a\nContent-Length: 1\n\nx", false},
		{"a length in the body", top + "Content-Length: 42\r\n\r\n" +
			"\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", false},
		{"lengths in a chunk", top + "Transfer-Encoding: chunked\r\n\r\n2a\r\n" +
			"\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n" + "\r\n0\r\n\r\n", false},
		{"a length in a trailer", top + "Transfer-Encoding: chunked\r\n\r\n0\r\n" +
			"Content-Length: 1\r\nContent-Length: 1\r\n\r\n", false},
		{"a length in another field", top + "X-Content-Length: 1\r\nContent-Length: 1\r\n" +
			"Content-Lengths: 1\r\nX: Content-Length: 1\r\n Content-Length: 1\r\n\r\nx", false},
		{"an empty line before", "\r\n" + good, false},

		{"two lengths", top + "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}", true},
		{"a length twice", top + "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", true},
		{"a length twice, apart", top + "content-length: 2\r\nX: y\r\nCONTENT-LENGTH:2\r\n\r\n{}",
			true},
		{"three lengths of nothing",
			top + "Content-Length: 0\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n", true},
		{"a length before chunks",
			top + "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", true},
		{"a length behind chunks",
			top + "TRANSFER-encoding: chunked\r\nContent-length: 2\r\n\r\n0\r\n\r\n", true},
		{"a length and an unknown coding",
			top + "Transfer-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", true},
		{"an old version", "POST / HTTP/1.0\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
			true},
		{"a space before the colon",
			top + "Content-Length : 2\r\nTransfer-Encoding: chunked\r\n\r\n", true},
		{"line feeds alone, twice", "GET / HTTP/1.1\nContent-Length: 1\nContent-Length: 1\n\nx",
			true},
		{"a folded length", top + "Content-Length:\r\n 2\r\n\r\n{}", true},
		{"a folded coding", top + "Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			for length := 1; length <= len(good+row.text); length++ {
				list, left, err := requests(good+row.text, length)
				if len(list) == 0 || list[0] != good {
					t.Fatalf("the request before is %q", list)
				}
				if row.refused != errors.Is(err, errFraming) {
					t.Fatalf("in pieces of %d: %v", length, err)
				}
				if !row.refused && (len(list) != 2 || list[1] != row.text || left != "") {
					t.Fatalf("in pieces of %d: %q and %q", length, list, left)
				}
			}
		})
	}
}

// TestFramingGivesUp checks that a stream that cannot be followed never counts as a request.
func TestFramingGivesUp(t *testing.T) {
	t.Parallel()
	const coding = "Transfer-Encoding: chunked\r\n"
	const hidden = "GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
	for name, text := range map[string]string{
		"a length that is none":    top + "Content-Length: two\r\n\r\n",
		"a length with a sign":     top + "Content-Length: +1\r\n\r\nx",
		"two lengths in a line":    top + "Content-Length: 1, 1\r\n\r\nx",
		"an unknown coding":        top + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
		"a coding twice":           top + coding + coding + "\r\n",
		"a chunk without a size":   top + "Transfer-Encoding: chunked\r\n\r\n\r\n\r\n",
		"a chunk of negative size": top + "Transfer-Encoding: chunked\r\n\r\n-1\r\n\r\n",
		"a chunk that is too long": top + "Transfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n0\r\n\r\n",
		"a size ended by LF":       top + "Transfer-Encoding: chunked\r\n\r\n0\n\r\n",
		"a trailer ended by LF":    top + "Transfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\n",
		"an old version":           "GET / HTTP/1.0\r\n\r\n",
		"a line without an end":    "GET /" + strings.Repeat("x", longestLine) + "\r\n\r\n",
	} {
		list, _, err := requests(text + hidden)
		if err != nil || len(list) > 0 {
			t.Errorf("%s: %d requests, %v", name, len(list), err)
		}
	}
}

// TestFramingOfManyRequests generates valid requests and cuts them anywhere.
func TestFramingOfManyRequests(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		sent := rapid.SliceOfN(rapid.Custom(drawRequest), 1, 5).Draw(t, "requests")
		pieces := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 8).Draw(t, "pieces")
		list, left, err := requests(strings.Join(sent, ""), pieces...)
		if err != nil || left != "" || strings.Join(list, "|") != strings.Join(sent, "|") {
			t.Fatalf("found %q, left %q, %v", list, left, err)
		}
	})
}

// drawRequest draws a valid request with an arbitrary body.
func drawRequest(t *rapid.T) string {
	text := top
	for range rapid.IntRange(0, 3).Draw(t, "fields") {
		text += rapid.SampledFrom([]string{
			"X-A: b\r\n", "Content-Type: application/json\r\n", "TE: trailers\r\n", "T: \r\n",
			"X-Long: " + strings.Repeat("y", 100) + "\r\n", "X:\r\n  Content-Length: 5\r\n",
		}).Draw(t, "field")
	}
	body := rapid.OneOf(
		rapid.SampledFrom([]string{"", "\r\n\r\n", top + "Content-Length: 1\r\n\r\n", "0\r\n\r\n"}),
		rapid.StringOfN(rapid.RuneFrom([]rune("a0\r\n: {")), 0, 40, -1),
	).Draw(t, "body")
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		return text + "\r\n"
	case 1:
		return text + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	text += "Transfer-Encoding: chunked\r\n\r\n"
	for len(body) > 0 {
		length := rapid.IntRange(1, len(body)).Draw(t, "chunk")
		text += fmt.Sprintf("%x\r\n%s\r\n", length, body[:length])
		body = body[length:]
	}
	return text + "0\r\n" + rapid.SampledFrom([]string{"", "Content-Length: 7\r\n"}).Draw(
		t, "trailer") + "\r\n"
}

// TestReadStopsBehindARequest checks that the server reads one request at a time, even if several
// arrive in one piece.
func TestReadStopsBehindARequest(t *testing.T) {
	t.Parallel()
	const first, second = top + "Content-Length: 2\r\n\r\n{}", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	served, caller := pipe(t)
	if err := served.SetReadDeadline(time.Now().Add(5 * time.Second)); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = io.WriteString(caller, first+second+second+top+"Content-Length: 1\r\n"+
			"Content-Length: 1\r\n\r\nx")
	}()
	buf := make([]byte, 4096)
	for _, want := range []string{first, second, second} {
		length, err := served.Read(buf)
		if string(buf[:length]) != want || err != nil {
			t.Fatalf("read %q, %v, want %q", buf[:length], err, want)
		}
		if !served.Begin() {
			t.Fatal("the request is not counted")
		}
	}
	if served.Begin() {
		t.Error("a request is begun that has not come")
	}
	text, err := io.ReadAll(bufio.NewReader(served))
	if !errors.Is(err, errFraming) || !bytes.HasSuffix(text, []byte(": 1\r\n\r")) {
		t.Errorf("the refused one is read as %q, %v", text, err)
	}
}

// BenchmarkFraming measures the cost of following a request. A get takes about 40 microseconds.
func BenchmarkFraming(b *testing.B) {
	request := []byte("GET /card/get/1001/5001 HTTP/1.1\r\nHost: localhost:8080\r\n" +
		"Authorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\nUser-Agent: caller/1.0\r\n" +
		"Accept: application/json\r\nAccept-Encoding: gzip\r\nX-Request-Id: abc\r\n\r\n")
	f := &framing{}
	b.ReportAllocs()
	for b.Loop() {
		if read, err := f.scan(request); read != len(request) || err != nil {
			b.Fatal(read, err)
		}
	}
}
