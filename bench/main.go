// Mintmark bench measures the program against what is possible on the machine that it runs on, and
// prints ratios: what a server does in a second on a machine that does other things as well says
// little, what it does beside a bare handler at the same time says more. Every comparison is run in
// turns, A B A B, and the ratio of each turn is one measurement.
//
// It starts the real program as an operator does, fills databases of its own in a directory of its
// own, and leaves nothing behind but the report.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// bench is one run.
type bench struct {
	directory string
	program   string
	rounds    int
	lasting   time.Duration // of each measurement
	sizes     []int         // of databases, in cards, in ascending order
	only      string        // what to measure, by a regular expression; empty for everything
	report    report
}

func main() {
	bare := flag.String("bare", "", "serve the files of a directory as a bare handler")
	rounds := flag.Int("rounds", 5, "turns of each comparison")
	lasting := flag.Duration("time", 2*time.Second, "length of each measurement")
	sizes := flag.String("cards", "1000,100000,1000000", "sizes of databases, ascending")
	out := flag.String("out", "", "where to write the report; empty for the terminal only")
	program := flag.String("program", "bin/mintmark", "the program to measure")
	only := flag.String("only", "",
		"measure what matches, such as postgresql, or embedded/growth; empty for everything")
	row := flag.String("row", "", "with -bare: read a row of this PostgreSQL for each answer")
	flag.Parse()

	var err error
	if *bare != "" {
		err = serveBare(*bare, *row)
	} else {
		b := &bench{program: *program, rounds: *rounds, lasting: *lasting, only: *only}
		err = b.run(*sizes, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(sizes, out string) error {
	for text := range strings.SplitSeq(sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return err
		}
		b.sizes = append(b.sizes, size)
	}
	var err error
	b.directory, err = os.MkdirTemp("", "mintmark-bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.directory)
	b.report.busy = busyness()
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

// sections runs the sections of every engine, or those that were asked for. They are named like
// postgresql/reads.
func (b *bench) sections() error {
	only, err := regexp.Compile(b.only)
	if err != nil {
		return err
	}
	for _, e := range engines {
		b.report.store = e.name()
		for _, section := range e.sections(b) {
			if !only.MatchString(e.name() + "/" + section.name) {
				continue
			}
			if why := e.missing(); why != "" {
				b.report.skipped("Of " + e.name() + " nothing was measured: " + why + ".")
				break
			}
			if err := section.run(e); err != nil {
				return fmt.Errorf("%s: %s: %w", e.name(), section.name, err)
			}
		}
	}
	b.report.store = ""
	return nil
}

// data makes a data directory with so many cards, once in a run; what is asked for again is a
// copy.
func (b *bench) data(e engine, cards int, purpose string) (string, error) {
	made := filepath.Join(b.directory, fmt.Sprintf("%s-%d", e.name(), cards))
	if _, err := os.Stat(made); errors.Is(err, os.ErrNotExist) {
		if err := os.Mkdir(made, 0o700); err != nil {
			return "", err
		}
		if err := e.fill(b.program, made, cards); err != nil {
			return "", err
		}
	}
	copied := made + "-" + purpose
	return copied, e.copy(made, copied)
}

// copyFiles copies a directory. Keys that others may read are refused, so the copy has to keep
// who may read what.
func copyFiles(from, to string) error { return exec.Command("cp", "-a", from, to).Run() }

// served starts a server on data of its own.
func (b *bench) served(e engine, cards int, purpose, settings string) (*server, error) {
	directory, err := b.data(e, cards, purpose)
	if err != nil {
		return nil, err
	}
	return startServer(b.program, directory, e.settings(directory)+settings)
}

// binary notes how large the program is.
func (b *bench) binary() error {
	info, err := os.Stat(b.program)
	if err != nil {
		return err
	}
	b.report.note("the program", fmt.Sprintf("%.1f MB", float64(info.Size())/1e6), "below 60 MB",
		info.Size() < 60e6)
	return nil
}

// commit is what was measured, as git names it.
func commit() string {
	text, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "an unknown commit"
	}
	return strings.TrimSpace(string(text))
}
