package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// many is how many connections the reads are measured with.
const many = 64

// reads compares the reads with a bare handler that answers the same bytes, straight from the
// store and with the read cache.
func (b *bench) reads(e engine) (err error) {
	const cards = 1000
	cached, err := b.served(e, cards, "cached", "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cached.stop()) }()
	straight, err := b.served(e, cards, "straight", "database: {noReadCache: true}\n")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, straight.stop()) }()
	if err := b.memory(cached, "resident after start", 60); err != nil {
		return err
	}

	paths := readPaths(cards)
	bodies := filepath.Join(b.directory, "bodies")
	if err := record(cached.address, bodies, paths); err != nil {
		return err
	}
	bare, err := startBare(bodies)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.process.Process.Kill()) }()

	for _, c := range []struct {
		name, path string
		server     *server
		want       float64
	}{
		{"get / bare, from the store", "get", straight, 0.28},
		{"get / bare, from the cache", "get", cached, 0.60},
		{"program / bare", "program", cached, 0.70},
		{"list of 10 / bare, from the store", "list", straight, 0},
		{"list of 10 / bare, from the cache", "list", cached, 0.25},
	} {
		request := get(paths[c.path])
		err := b.compare(c.name, c.want,
			b.rate(work{c.server.address, request}, many),
			b.rate(work{bare.address, request}, many))
		if err != nil {
			return err
		}
	}
	return b.compare("getbytag / get, from the store", 0.90,
		b.rate(work{straight.address, get(paths["tag"])}, many),
		b.rate(work{straight.address, get(paths["get"])}, many))
}

// readPaths are the paths of the reads, spread over the customers.
func readPaths(cards int) map[string]func(connection, turn int) string {
	one := func(connection, turn int) int {
		return (connection*7919 + turn*31) % (cards / perCustomer)
	}
	return map[string]func(int, int) string{
		"get": func(connection, turn int) string {
			n := one(connection, turn)
			return fmt.Sprintf("/card/get/%d/%d", firstCustomer+n, firstCard+n*perCustomer)
		},
		"tag": func(connection, turn int) string {
			n := one(connection, turn)
			return fmt.Sprintf("/card/getbytag/%d/bench-%d", firstCustomer+n, n*perCustomer)
		},
		"list": func(connection, turn int) string {
			return fmt.Sprintf("/card/list/%d", firstCustomer+one(connection, turn))
		},
		"program": func(int, int) string { return "/program/get" },
	}
}

// record asks once for each path and keeps the bodies for the bare handler.
func record(address, directory string, paths map[string]func(int, int) string) error {
	if err := os.Mkdir(directory, 0o700); err != nil {
		return err
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for _, path := range paths {
		if _, err := conn.Write(get(path)(nil, 0, 0)); err != nil {
			return err
		}
		var body bytes.Buffer
		status, err := readAnswer(reader, &body)
		if err != nil || status != ok {
			return fmt.Errorf("%s: status %d, %w", path(0, 0), status, err)
		}
		file := filepath.Join(directory, bareName(path(0, 0)))
		if err := os.WriteFile(file, body.Bytes(), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// memory notes how much of it a server holds.
func (b *bench) memory(s *server, what string, belowMiB int64) error {
	resident, err := s.resident()
	if err != nil {
		return err
	}
	b.report.note(what, fmt.Sprintf("%d MiB", resident>>20), fmt.Sprintf("below %d MiB", belowMiB),
		resident>>20 < belowMiB)
	return nil
}
