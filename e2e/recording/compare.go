package recording

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Compare compares the recordings in two directories and writes the differences. It returns the
// number of tests that differ. A test that only the second directory has is mentioned, but is no
// difference.
func Compare(w io.Writer, before, after string) (different int, err error) {
	engines, err := os.ReadDir(before)
	if err != nil {
		return 0, err
	}
	if len(engines) == 0 {
		return 0, fmt.Errorf("nothing is recorded in %s", before)
	}
	for _, engine := range engines {
		count, err := compareEngine(w, engine.Name(),
			filepath.Join(before, engine.Name()), filepath.Join(after, engine.Name()))
		if err != nil {
			return 0, err
		}
		different += count
	}
	return different, nil
}

func compareEngine(w io.Writer, engine, before, after string) (different int, err error) {
	old, err := tests(before)
	if err != nil {
		return 0, err
	}
	fresh, err := tests(after)
	if err != nil {
		return 0, err
	}
	compared, exchanges := 0, 0
	for _, name := range old {
		if reason := LeftOut(name); reason != "" {
			fmt.Fprintf(w, "%s: %s is left out: %s\n", engine, name, reason)
			continue
		}
		compared++
		a, err := read(filepath.Join(before, name+".json"))
		if err != nil {
			return 0, err
		}
		exchanges += len(a)
		b, err := read(filepath.Join(after, name+".json"))
		if errors.Is(err, os.ErrNotExist) {
			fmt.Fprintf(w, "%s: %s: nothing is recorded in %s\n", engine, name, after)
			different++
			continue
		}
		if err != nil {
			return 0, err
		}
		list := differences(name, a, b)
		if len(list) == 0 {
			continue
		}
		different++
		for _, line := range list[:min(len(list), shownOfATest)] {
			fmt.Fprintf(w, "%s: %s\n", engine, line)
		}
		if hidden := len(list) - shownOfATest; hidden > 0 {
			fmt.Fprintf(w, "%s: %s: and %d more\n", engine, name, hidden)
		}
	}
	for _, name := range fresh {
		if !slices.Contains(old, name) && LeftOut(name) == "" {
			fmt.Fprintf(w, "%s: %s: only in %s\n", engine, name, after)
		}
	}
	fmt.Fprintf(w, "%s: %d tests with %d answers compared, %d tests differ\n",
		engine, compared, exchanges, different)
	return different, nil
}

// shownOfATest is the maximum number of written differences per test.
const shownOfATest = 3

// tests returns the names of the recorded tests.
func tests(directory string) ([]string, error) {
	files, err := os.ReadDir(directory)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(file.Name(), ".json"))
	}
	return names, nil
}

// read reads the exchanges of a test.
func read(file string) ([]Exchange, error) {
	opened, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var all []Exchange
	decoder := json.NewDecoder(bufio.NewReader(opened))
	for {
		var e Exchange
		err := decoder.Decode(&e)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, e)
	}
}

// differences compares the exchanges of a test, each subtest separately.
func differences(name string, before, after []Exchange) []string {
	old, fresh := normalise(before), normalise(after)
	if polls(name) {
		old, fresh = distinct(old), distinct(fresh)
	}
	var list []string
	for _, subtest := range subtests(old) {
		a, b := under(subtest, old), under(subtest, fresh)
		if len(a) != len(b) {
			list = append(list, fmt.Sprintf("%s: %d answers, now %d", subtest, len(a), len(b)))
		}
		for i := range min(len(a), len(b)) {
			if difference := a[i].differs(b[i]); difference != "" {
				list = append(list, fmt.Sprintf("%s, answer %d to %s: %s",
					subtest, i+1, a[i].asked, difference))
			}
		}
	}
	return list
}

func subtests(all []normal) []string {
	var names []string
	for _, e := range all {
		if !slices.Contains(names, e.test) {
			names = append(names, e.test)
		}
	}
	return names
}

func under(subtest string, all []normal) []normal {
	return slices.DeleteFunc(slices.Clone(all), func(e normal) bool { return e.test != subtest })
}

// distinct removes exchanges that differ from another one only in identifiers and times, and sorts
// the rest: it makes the answers of a polling test comparable.
func distinct(all []normal) []normal {
	for i := range all {
		all[i].times = nil
		for j, line := range all[i].lines {
			all[i].lines[j] = numbered.ReplaceAllString(line, "<$1>")
		}
	}
	slices.SortFunc(all, func(a, b normal) int { return slices.Compare(a.lines, b.lines) })
	return slices.CompactFunc(all, func(a, b normal) bool { return a.differs(b) == "" })
}

// numbered matches the names that replace identifiers.
var numbered = regexp.MustCompile(`<([A-Za-z ]+) \d+>`)
