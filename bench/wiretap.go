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

// wiretap is a proxy of a PostgreSQL server that records what a program sends.
type wiretap struct {
	listener net.Listener
	server   string // the socket of the real server

	mu    sync.Mutex
	lines []*line
}

// line is one connection.
type line struct {
	mu       sync.Mutex
	prepared map[string]string // the texts of prepared statements by name
	// trips are the statements that the program executed before a response of the server, and after
	// it.
	trips    [][]executed
	answered bool // the server has sent a response since
}

// executed is a statement executed by a program.
type executed struct {
	text    string
	formats []int16
	values  [][]byte
}

// tap opens a proxy in a directory for the server whose socket is in another.
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
			return // the proxy is closed
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
			_ = l.forward(program, server) // until one of the two ends
			_ = server.Close()
		}()
		go func() {
			_, _ = io.Copy(io.MultiWriter(l, program), server)
			_ = program.Close()
		}()
	}
}

// forward forwards what the program sends, and records it.
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

// remember records executed statements. The message is reused for the next one.
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

// execute records a statement, in the same trip unless the server has responded since the last.
func (l *line) execute(e executed) {
	if l.answered {
		l.trips, l.answered = append(l.trips, nil), false
	}
	last := len(l.trips) - 1
	l.trips[last] = append(l.trips[last], e)
}

// Write records that the server has responded.
func (l *line) Write(text []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answered = true
	return len(text), nil
}

// take returns the trips on each connection since the last call.
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
