package main

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
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
	mu    sync.Mutex
	trips [][]byte // what the program has said before the server answered, and again
	turn  bool     // the server has answered since
	from  int      // the trip that is the first to look at
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
		l := &line{turn: true}
		w.mu.Lock()
		w.lines = append(w.lines, l)
		w.mu.Unlock()
		go func() {
			_, _ = io.Copy(server, io.TeeReader(program, said{l}))
			_ = server.Close()
		}()
		go func() {
			_, _ = io.Copy(io.MultiWriter(answered{l}, program), server)
			_ = program.Close()
		}()
	}
}

// said takes what the program says, and answered what the server says.
type (
	said     struct{ *line }
	answered struct{ *line }
)

// Write remembers what was said. What is said before the server answers is one trip.
func (s said) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn {
		s.trips, s.turn = append(s.trips, nil), false
	}
	last := len(s.trips) - 1
	s.trips[last] = append(s.trips[last], text...)
	return len(text), nil
}

// Write remembers that it is the program's turn.
func (a answered) Write(text []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.turn = true
	return len(text), nil
}

// mark has conversations look at what is said from now on.
func (w *wiretap) mark() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		l.mu.Lock()
		l.from = len(l.trips)
		l.mu.Unlock()
	}
}

// conversations are what was said on each connection: everything before the mark, for what it has
// prepared, and the trips since.
func (w *wiretap) conversations() (before, since [][][]byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.lines {
		l.mu.Lock()
		before, since = append(before, l.trips[:l.from]), append(since, l.trips[l.from:])
		l.mu.Unlock()
	}
	return before, since
}

func (w *wiretap) close() error {
	err := w.listener.Close()
	if err != nil {
		return err
	}
	return os.RemoveAll(w.listener.Addr().String())
}
