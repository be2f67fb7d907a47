package main

import (
	"bytes"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// wiretap is a door to a PostgreSQL server that remembers what a program says to it.
type wiretap struct {
	listener net.Listener
	server   string // the socket of the real server

	mu    sync.Mutex
	lines []*line
}

// line is one connection.
type line struct {
	mu       sync.Mutex
	prepared map[string]string // texts of statements by their names
	// trips are the statements that the program has executed before the server answered, and again.
	trips    [][]executed
	answered bool // by the server since
}

// executed is a statement as a program has executed it.
type executed struct {
	text    string
	formats []int16
	values  [][]byte
}

// tap opens a door in a directory to the server whose socket is in another.
func tap(directory, server string) (*wiretap, error) {
	const socket = ".s.PGSQL.5432"
	listener, err := net.Listen("unix", filepath.Join(directory, socket))
	if err != nil {
		return nil, err
	}
	w := &wiretap{listener: listener, server: filepath.Join(server, socket)}
	go w.accept()
	return w, nil
}

func (w *wiretap) accept() {
	for {
		program, err := w.listener.Accept()
		if err != nil {
			return // the door is closed
		}
		server, err := net.Dial("unix", w.server)
		if err != nil {
			_ = program.Close()
			continue
		}
		l := &line{prepared: make(map[string]string), answered: true}
		w.mu.Lock()
		w.lines = append(w.lines, l)
		w.mu.Unlock()
		go func() {
			_ = l.forward(program, server) // until one of the two has ended
			_ = server.Close()
		}()
		go func() {
			_, _ = io.Copy(io.MultiWriter(l, program), server)
			_ = program.Close()
		}()
	}
}

// forward passes on what the program says, and remembers it.
func (l *line) forward(program io.Reader, server io.Writer) error {
	said := pgproto3.NewBackend(program, io.Discard)
	message, err := said.ReceiveStartupMessage()
	for ; err == nil; message, err = said.Receive() {
		l.remember(message)
		text, err := message.Encode(nil)
		if err != nil {
			return err
		}
		if _, err := server.Write(text); err != nil {
			return err
		}
	}
	return err
}

// remember notes what is executed. The message is used again for the next one.
func (l *line) remember(message pgproto3.FrontendMessage) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch message := message.(type) {
	case *pgproto3.Parse:
		l.prepared[message.Name] = message.Query
	case *pgproto3.Bind:
		e := executed{
			text:    l.prepared[message.PreparedStatement],
			formats: slices.Clone(message.ParameterFormatCodes),
		}
		for _, value := range message.Parameters {
			e.values = append(e.values, bytes.Clone(value))
		}
		l.execute(e)
	case *pgproto3.Query:
		l.execute(executed{text: strings.TrimRight(message.String, "; ")})
	}
}

// execute notes a statement, as part of the same trip unless the server has answered since the last.
func (l *line) execute(e executed) {
	if l.answered {
		l.trips, l.answered = append(l.trips, nil), false
	}
	last := len(l.trips) - 1
	l.trips[last] = append(l.trips[last], e)
}

// Write notes that the server has answered.
func (l *line) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered = true
	return len(text), nil
}

// take returns the trips on each connection since they were last taken.
func (w *wiretap) take() (all [][][]executed) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		l.mu.Lock()
		all, l.trips, l.answered = append(all, l.trips), nil, true
		l.mu.Unlock()
	}
	return all
}

func (w *wiretap) close() error {
	err := w.listener.Close()
	if err != nil {
		return err
	}
	return os.RemoveAll(w.listener.Addr().String())
}
