// Mintmark bench measures the program: the number of requests per second and their latency, and how
// they compare with the limits of the same machine. Every comparison is run in turns, and the ratio
// of each turn is one measurement.
//
// It starts the real program as an operator does, fills separate databases in a separate directory,
// and leaves only the report behind. With -against it compares two programs instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// bench is one run.
type bench struct {
	directory string
	program   string
	filler    string // the program that creates the databases
	rounds    int
	lasting   time.Duration // of each measurement
	sizes     []int         // of databases, in cards, ascending
	spread    int           // cards of a database that exceeds the read cache
	only      *regexp.Regexp
	databases atomic.Int64 // created so far, for their names
	report    report
}

func main() {
	bare := flag.String("bare", "", "serve the files of a directory as a bare handler")
	row := flag.String("row", "", "with -bare: read a row of this PostgreSQL for each answer")
	b := &bench{spread: 50_000}
	flag.IntVar(&b.rounds, "rounds", 5, "turns of each comparison")
	flag.DurationVar(&b.lasting, "time", 2*time.Second, "length of each measurement")
	flag.StringVar(&b.program, "program", "../bin/mintmark", "the program to measure")
	sizes := flag.String("cards", "1000,100000,1000000", "sizes of databases, ascending")
	out := flag.String("out", "", "where to write the report; empty for the terminal only")
	only := flag.String("only", "",
		"measure what matches, such as postgresql, or embedded/growth; empty for everything")
	other := flag.String("against", "",
		"compare with this other program, operation by operation, and measure nothing else")
	flag.Parse()

	if *bare != "" {
		exit(serveBare(*bare, *row))
	}
	exit(errors.Join(b.choose(*sizes, *only), b.inDirectory(func() error {
		if *other != "" {
			return b.against(*other)
		}
		return b.run(*out)
	})))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// choose parses the requested sizes and sections.
func (b *bench) choose(sizes, only string) (err error) {
	for text := range strings.SplitSeq(sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		b.sizes = append(b.sizes, size)
	}
	b.only, err = regexp.Compile(only)
	return err
}

// inDirectory does something in a directory that is removed afterwards, also when a signal ends the
// bench. Servers end with it.
func (b *bench) inDirectory(do func() error) (err error) {
	b.directory, err = os.MkdirTemp("", "mintmark-bench")
	if err != nil {
		return err
	}
	defer func() {
		killSpawned()
		err = errors.Join(err, os.RemoveAll(b.directory))
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- do() }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return errors.New("interrupted")
	}
}

// run measures everything requested and writes the report.
func (b *bench) run(out string) error {
	b.filler = b.program
	b.report.machine = describeMachine(b.directory)
	if err := b.sections(); err != nil {
		return err
	}
	if err := b.binary(); err != nil {
		return err
	}
	if out == "" {
		return nil
	}
	return b.report.write(out)
}

// sections runs the requested sections of every engine, by default all. They have names like
// postgresql/reads.
func (b *bench) sections() error {
	return b.eachEngine(func(e engine) error {
		for _, section := range e.sections(b) {
			if !b.only.MatchString(e.name() + "/" + section.name) {
				continue
			}
			if err := section.run(e); err != nil {
				return fmt.Errorf("%s: %s: %w", e.name(), section.name, err)
			}
		}
		return nil
	})
}

// eachEngine calls do for every engine that this machine can measure.
func (b *bench) eachEngine(do func(engine) error) error {
	for _, e := range engines {
		if why := e.missing(); why != "" {
			b.report.skipped("Of " + e.name() + " nothing was measured: " + why + ".")
			continue
		}
		b.report.store = e.name()
		if err := do(e); err != nil {
			return err
		}
	}
	b.report.store = ""
	return nil
}

// data creates a data directory with a number of cards, once in a run, and returns a copy of it.
func (b *bench) data(e engine, cards int, purpose string) (string, error) {
	original := filepath.Join(b.directory, fmt.Sprintf("%s-%d", e.name(), cards))
	if _, err := os.Stat(original); errors.Is(err, os.ErrNotExist) {
		if err := b.fill(e, original, cards); err != nil {
			return "", err
		}
	}
	copied := original + "-" + purpose
	return copied, e.copy(original, copied)
}

func (b *bench) fill(e engine, directory string, cards int) error {
	if err := os.Mkdir(directory, 0o700); err != nil {
		return err
	}
	if err := e.make(directory); err != nil {
		return err
	}
	if err := loadDemo(b.filler, directory, e.settings(directory)); err != nil {
		return err
	}
	return multiplied(e, directory, cards)
}

// multiplied adds cards to a data directory with the demo data.
func multiplied(e engine, directory string, cards int) error {
	db, err := e.open(directory)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := multiply(db, cards/perCustomer, e.bytes()); err != nil {
		return err
	}
	return e.settle(db)
}

// copyFiles copies a directory. The program rejects keys that others may read, so the copy must
// preserve file modes.
func copyFiles(from, to string) error { return exec.Command("cp", "-a", from, to).Run() }

// served starts a server on a separate copy of the data.
func (b *bench) served(e engine, cards int, purpose string) (*server, error) {
	directory, err := b.data(e, cards, purpose)
	if err != nil {
		return nil, err
	}
	return startServer(b.program, directory, e.settings(directory))
}

// binary records the size of the program.
func (b *bench) binary() error {
	info, err := os.Stat(b.program)
	if err != nil {
		return err
	}
	b.report.note("the program", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "below 60 MB",
		info.Size() < 60e6)
	return nil
}
