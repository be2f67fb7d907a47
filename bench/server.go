package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// server is a measured process.
type server struct {
	address string // of the callers' interface
	admin   string // for operators and the card processor; empty for a bare handler
	ready   time.Duration
	process *exec.Cmd
	data    string // the data directory of the program
}

// publicURL is the public address that production requires.
const publicURL = "publicUrl: http://127.0.0.1\n"

// startServer starts the program on a data directory with lines of settings.
func startServer(program, directory, settings string) (*server, error) {
	file := filepath.Join(directory, "bench-"+strconv.Itoa(len(settings))+".yaml")
	text := "data: " + directory + "\nlisten: 127.0.0.1:0\nadminListen: 127.0.0.1:0\n" +
		publicURL + settings
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return nil, err
	}
	s, err := start(exec.Command(program, "serve", "--config", file))
	if err == nil {
		s.data = directory
	}
	return s, err
}

// startBare starts the bench again as a bare handler, with additional flags.
func startBare(bodies string, flags ...string) (*server, error) {
	own, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return start(exec.Command(own, append(flags, "-bare", bodies)...))
}

// servesOn matches the output of production, and that of a sandbox in JSON.
var servesOn = regexp.MustCompile(`(?:serves on |"url":")http://([^",\s]+)` +
	`(?:"?,(?: for operators on |"adminUrl":")http://([^"\s]+))?`)

// start starts a process and waits until it prints its address and serves requests.
func start(process *exec.Cmd) (*server, error) {
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	// The log goes to the null device, so that only writing it costs time.
	process.Stderr, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return nil, err
	}
	started := time.Now()
	if err := spawn(process); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	match := servesOn.FindStringSubmatch(line)
	if match == nil {
		return nil, errors.Join(fmt.Errorf("the server says %q", line), err, process.Process.Kill())
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	conn, err := net.Dial("tcp", match[1])
	if err != nil {
		return nil, errors.Join(err, process.Process.Kill())
	}
	return &server{
		address: match[1], admin: match[2], ready: time.Since(started), process: process,
	}, conn.Close()
}

// stop stops a server as an operator does.
func (s *server) stop() error {
	if err := s.process.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	return s.process.Wait()
}

// resident returns the resident memory of the server, in bytes.
func (s *server) resident() (int64, error) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(s.process.Process.Pid) + "/status")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		value, ok := strings.CutPrefix(line, "VmRSS:")
		if ok {
			kib, err := strconv.ParseInt(strings.Fields(value)[0], 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("the system does not tell how much memory a process holds")
}
