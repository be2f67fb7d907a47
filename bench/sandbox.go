package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// sandboxes compares the sandbox with production on data of the same size, and production with what
// is possible, all three in turns: what a ratio says about the sandbox does not depend on what
// production was at another time.
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
	bodies := filepath.Join(b.directory, "bodies-production")
	if err := record(serving.address, bodies, cachedCards); err != nil {
		return err
	}
	bare, err := startBare(bodies)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.process.Process.Kill()) }()
	directory, turns, err := b.loopData(e, "loop-production")
	if err != nil {
		return err
	}
	locks := func() (float64, error) { return loop(directory, turns, many, b.lasting) }
	for _, c := range []struct {
		name, bare              string
		work                    func(address string, cards int) work
		cards                   int
		leastSandbox, leastBare float64
	}{
		{"get", "bare", reading, cachedCards, 0.9, 0.69},
		{"program", "bare", programs, cachedCards, 0.9, 0.78},
		{"list of 10", "bare", listing, cachedCards, 0.9, 0.25},
		{"initiate", "bare loop of locks", ordering, loopCards, 0.6, 0},
		{"lock", "bare loop", locking, loopCards, 0.6, 0.39},
	} {
		possible := locks
		if c.bare == "bare" {
			possible = b.rate(c.work(bare.address, c.cards), many)
		}
		speeds, err := b.turns(b.rate(c.work(sandbox.address, c.cards), many),
			b.rate(c.work(serving.address, c.cards), many), possible)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		b.report.compared(speeds.ratio(0, 1, comparison{
			name: c.name + ", sandbox / serve", want: c.leastSandbox}))
		b.report.compared(speeds.ratio(1, 2, comparison{
			name: fmt.Sprintf("%s, serve / %s", c.name, c.bare), want: c.leastBare}))
	}
	return nil
}

// cachedCards are so few that the read cache holds all of them.
const cachedCards = 1000

// servedSandbox starts a sandbox that keeps its data in a new directory.
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
