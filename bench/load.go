package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// work is the requests that a load generator sends, and the server that they go to.
type work struct {
	address string
	// request appends a whole request, head and body, for a turn of a connection. It appends
	// nothing when no request is left.
	request func(to []byte, connection, turn int) []byte
}

// get returns a function that appends GET requests; path selects the resource.
func get(path func(connection, turn int) string) func([]byte, int, int) []byte {
	return func(to []byte, connection, turn int) []byte {
		to = append(append(to, "GET "...), path(connection, turn)...)
		return append(append(to, requestHead...), "\r\n"...)
	}
}

// post returns a function that appends POST requests with a body.
func post(
	path func(connection, turn int) string, body func(connection, turn int) string,
) func([]byte, int, int) []byte {
	return func(to []byte, connection, turn int) []byte {
		sent := body(connection, turn)
		to = append(append(to, "POST "...), path(connection, turn)...)
		to = append(append(to, requestHead...), "Content-Length: "...)
		to = strconv.AppendInt(to, int64(len(sent)), 10)
		return append(append(to, "\r\n\r\n"...), sent...)
	}
}

// postTo returns the same for a fixed address.
func postTo(address string, body func(connection, turn int) string) func([]byte, int, int) []byte {
	return post(func(int, int) string { return address }, body)
}

// requestHead ends the request line and authenticates with a key of the demo data.
const requestHead = " HTTP/1.1\r\nHost: localhost\r\n" +
	"Authorization: Basic ZXhhbXBsZTE6ZXhhbXBsZTE=\r\n"

// outcome is the result of a load.
type outcome struct {
	perSecond float64
	p50, p99  time.Duration
	refused   int    // responses other than 200
	refusal   string // the first of them
}

// run sends for the given time over a number of connections, each of which waits for a response
// before its next request. It writes prepared bytes and parses as little of a response as possible,
// because the generator takes CPU time from the server on the same machine.
func (w work) run(connections int, lasting time.Duration) (outcome, error) {
	loads := make([]load, connections)
	var all sync.WaitGroup
	started := time.Now()
	for i := range loads {
		all.Go(func() { loads[i].err = loads[i].send(w, i, started, lasting) })
	}
	all.Wait()
	elapsed := time.Since(started)

	var reached outcome
	var taken []time.Duration
	for _, l := range loads {
		if l.err != nil {
			return outcome{}, l.err
		}
		taken = append(taken, l.taken...)
		reached.refused += l.refused
		reached.refusal = cmp.Or(reached.refusal, l.refusal)
	}
	slices.Sort(taken)
	if len(taken) == 0 {
		return outcome{}, errors.New("no request was answered")
	}
	reached.perSecond = float64(len(taken)) / elapsed.Seconds()
	reached.p50, reached.p99 = taken[len(taken)/2], taken[len(taken)*99/100]
	return reached, nil
}

// load is the work of one connection.
type load struct {
	taken   []time.Duration
	refused int
	refusal string // the first
	err     error
}

func (l *load) send(w work, connection int, started time.Time, lasting time.Duration) error {
	conn, err := net.Dial("tcp", w.address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reader := bufio.NewReaderSize(conn, 16<<10)
	var request []byte
	// Turns come in pairs: a card that is locked in the first is unlocked in the second.
	// Each connection sends at least once, however short the time.
	for turn := 0; turn == 0 || turn%2 == 1 || time.Since(started) < lasting; turn++ {
		request = w.request(request[:0], connection, turn)
		if len(request) == 0 {
			return nil
		}
		if err := l.exchange(conn, reader, request); err != nil {
			return err
		}
	}
	return nil
}

const ok = 200

// exchange sends a request and records the response time, and whether it was refused.
func (l *load) exchange(conn net.Conn, reader *bufio.Reader, request []byte) error {
	sent := time.Now()
	if _, err := conn.Write(request); err != nil {
		return err
	}
	status, length, err := readHead(reader)
	if err != nil {
		return err
	}
	if status == ok {
		_, err = reader.Discard(length)
	} else {
		err = l.refuse(status, io.LimitReader(reader, int64(length)))
	}
	l.taken = append(l.taken, time.Since(sent))
	return err
}

// refuse counts a refusal, and stores the first.
func (l *load) refuse(status int, body io.Reader) error {
	l.refused++
	read, err := io.ReadAll(body)
	l.refusal = cmp.Or(l.refusal, fmt.Sprintf("%d %s", status, read))
	return err
}

// readHead reads the head of a response with a Content-Length, which is the number of bytes that
// follow.
func readHead(reader *bufio.Reader) (status, length int, err error) {
	line, err := reader.ReadSlice('\n')
	if err != nil {
		return 0, 0, err
	}
	const statusAt = len("HTTP/1.1 ")
	if len(line) < statusAt+3 {
		return 0, 0, fmt.Errorf("no status line: %q", line)
	}
	status, err = strconv.Atoi(string(line[statusAt : statusAt+3]))
	if err != nil {
		return 0, 0, err
	}
	for {
		line, err = reader.ReadSlice('\n')
		if err != nil {
			return 0, 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return status, length, nil
		}
		if value, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			length, err = strconv.Atoi(string(value))
			if err != nil {
				return 0, 0, err
			}
		}
	}
}
