package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// reads compares reads with a bare handler that sends the same bytes: once with cards that fit in
// the read cache, and once with so many that most reads miss it.
func (b *bench) reads(e engine) (err error) {
	const cards = cachedCards
	cached, err := b.served(e, cards, "cached")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cached.stop()) }()
	stored, err := b.served(e, b.spread, "stored")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stored.stop()) }()
	if err := b.memory(cached, "resident after start", 60); err != nil {
		return err
	}
	bodies := filepath.Join(b.directory, "bodies")
	if err := record(cached.address, bodies, cards); err != nil {
		return err
	}
	bare, err := startBare(bodies)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.process.Process.Kill()) }()

	for _, c := range []struct {
		name   string
		work   func(address string, cards int) work
		server *server
		cards  int
		want   float64
	}{
		{"get / bare, from the store", reading, stored, b.spread, 0.28},
		{"get / bare, from the cache", reading, cached, cards, 0.60},
		{"program / bare", programs, cached, cards, 0.70},
		{"list of 10 / bare, from the store", listing, stored, b.spread, 0.25},
		{"list of 10 / bare, from the cache", listing, cached, cards, 0.25},
	} {
		err := b.compare(c.name, c.want,
			b.rate(c.work(c.server.address, c.cards), many),
			b.rate(c.work(bare.address, c.cards), many))
		if err != nil {
			return err
		}
	}
	return b.compare("getbytag / get, from the store", 0.90,
		b.rate(byTag(stored.address, b.spread), many),
		b.rate(reading(stored.address, b.spread), many))
}

// record requests each resource of the bare handler once, and stores the bodies for it.
func record(address, directory string, cards int) error {
	if err := os.Mkdir(directory, 0o700); err != nil {
		return err
	}
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for _, read := range []func(string, int) work{reading, byTag, listing, programs} {
		request := read(address, cards).request(nil, 0, 0)
		if _, err := conn.Write(request); err != nil {
			return err
		}
		status, length, err := readHead(reader)
		if err != nil || status != ok {
			return fmt.Errorf("%.60q is answered %d, %w", request, status, err)
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(reader, body); err != nil {
			return err
		}
		path := string(bytes.Fields(request)[1])
		file := filepath.Join(directory, bareName(path))
		if err := os.WriteFile(file, body, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// memory records the memory use of a server.
func (b *bench) memory(s *server, what string, belowMiB int64) error {
	resident, err := s.resident()
	if err != nil {
		return err
	}
	b.report.note(what, fmt.Sprintf("%d MiB", resident>>20), fmt.Sprintf("below %d MiB", belowMiB),
		resident>>20 < belowMiB)
	return nil
}
