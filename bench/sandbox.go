package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// sandboxes compares the sandbox with production on data of the same size.
func (b *bench) sandboxes(e engine) (err error) {
	serving, err := b.served(e, loopCards, "production")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, serving.stop()) }()
	sandbox, err := b.servedSandbox(e, loopCards)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sandbox.stop()) }()
	for _, c := range []struct {
		name  string
		work  func(address string, cards int) work
		cards int
		want  float64
	}{
		{"get", reading, cachedCards, 0.9},
		{"program", programs, cachedCards, 0.9},
		{"list of 10", listing, cachedCards, 0.9},
		{"initiate", ordering, loopCards, 0.6},
		{"lock", locking, loopCards, 0.6},
	} {
		err := b.compare(c.name+", sandbox / serve", c.want,
			b.rate(c.work(sandbox.address, c.cards), many),
			b.rate(c.work(serving.address, c.cards), many))
		if err != nil {
			return err
		}
	}
	return nil
}

// cachedCards is few enough for all cards to fit in the read cache.
const cachedCards = 1000

// servedSandbox starts a sandbox that stores its data in a new directory.
func (b *bench) servedSandbox(e engine, cards int) (*server, error) {
	directory := filepath.Join(b.directory, "sandbox")
	if err := os.Mkdir(directory, 0o700); err != nil {
		return nil, err
	}
	first, err := startSandbox(b.program, directory) // it writes the demo data
	if err != nil {
		return nil, err
	}
	if err := first.stop(); err != nil {
		return nil, err
	}
	if err := multiplied(e, directory, cards); err != nil {
		return nil, err
	}
	return startSandbox(b.program, directory)
}

func startSandbox(program, directory string) (*server, error) {
	return start(exec.Command(program, "sandbox", "--data", directory, "--listen", "127.0.0.1:0",
		"--admin-listen", "127.0.0.1:0", "--print-json"))
}
