//go:build check

package sqlite_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"mintmark/internal/store/sqlstore/sqlite"
)

// act is something that a program did to a file, or an answer that it gave.
type act struct {
	kind    actKind
	name    string // of the file; empty for the directory
	at      int64  // offset of a write, or length of a truncation
	content []byte // the written bytes, or the answer
	before  int    // of a sync: the number of the act at which it began
}

type actKind int

const (
	actCreate actKind = iota
	actRemove
	actWrite
	actTruncate
	actSync
	actAnswer
	actNothing
)

// answersFile is where the recorded program writes its answers. It is not part of the database.
const answersFile = "answers"

// recording holds what programs did to the files in a directory, in the order of the system calls.
type recording struct {
	directory string
	acts      []act
	there     map[string]bool // existing files
	syncs     map[string]act  // running syncs, by thread
	calls     map[string]int  // number of the last act begun, by thread
	unsure    []int           // numbers of acts during which the program ended
}

func newRecording(directory string) recording {
	return recording{
		directory: directory, there: make(map[string]bool), syncs: make(map[string]act),
		calls: make(map[string]int),
	}
}

// record runs a program and adds its acts.
func (r *recording) record(t *testing.T, program *exec.Cmd) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	args := []string{"strace", "-f", "--seccomp-bpf", "-qq", "-y", "-xx", "-s", "1000000",
		"-e", "signal=none", "-o", trace, "-P", r.directory,
		"-e", "trace=open,openat,creat,write,pwrite64,writev,pwritev,fallocate,fsync,fdatasync," +
			"ftruncate,truncate,unlink,unlinkat,rename,renameat,renameat2,link,linkat"}
	for _, name := range []string{
		"mintmark.db", "mintmark.db-wal", "mintmark.db-journal", "mintmark.db" + sqlite.UsersFile,
		answersFile,
	} {
		args = append(args, "-P", filepath.Join(r.directory, name))
	}
	path, err := exec.LookPath("strace")
	if err != nil {
		t.Fatalf("scripts/need strace installs what is missing: %v", err)
	}
	program.Args, program.Path = append(args, program.Args...), path
	if out, err := program.CombinedOutput(); err != nil {
		t.Fatalf("the recorded program: %v\n%s", err, out)
	}
	text, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if err := r.add(strings.TrimSuffix(line, "\n")); err != nil {
			t.Fatalf("%v: %.100s ... %s", err, line, line[max(0, len(line)-100):])
		}
	}
	for _, number := range r.unsure {
		if !r.acts[number].happened(t, r.directory) {
			r.acts[number].kind = actNothing
		}
	}
	r.unsure = nil
	clear(r.syncs)
}

// happened checks in the file whether a write was still carried out when the program ended.
func (a act) happened(t *testing.T, directory string) bool {
	t.Helper()
	if a.kind != actWrite && a.kind != actTruncate {
		return a.kind != actSync
	}
	file, err := os.ReadFile(filepath.Join(directory, a.name))
	if err != nil {
		t.Fatal(err)
	}
	if a.kind == actTruncate {
		return int64(len(file)) == a.at
	}
	end := a.at + int64(len(a.content))
	return end <= int64(len(file)) && bytes.Equal(file[a.at:end], a.content)
}

// add parses a line of strace: a call, the beginning of one, or its end. A write counts from its
// beginning, a sync once it has succeeded.
func (r *recording) add(line string) error {
	thread, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	begun, isBegin := strings.CutSuffix(rest, " <unfinished ...>")
	result := ""
	if whole, left := strings.CutSuffix(rest, " <detached ...>"); left {
		// strace has detached from a thread of a killed program.
		begun, result = whole, unknown
	} else if !isBegin {
		at := strings.LastIndex(rest, " = ")
		if at < 0 {
			return errors.New("a line that cannot be read")
		}
		begun = strings.TrimSuffix(strings.TrimSpace(rest[:at]), ")")
		result = resultAtFront.FindString(rest[at+len(" = "):])
	}
	if strings.HasPrefix(begun, "<... ") {
		r.end(thread, result)
		return nil
	}
	if strings.HasPrefix(result, "-") || strings.HasPrefix(begun, "???") {
		return nil // it had no effect
	}
	call, args, _ := strings.Cut(begun, "(")
	delete(r.calls, thread)
	done, err := r.parse(call, args)
	if err != nil || done == nil {
		return err
	}
	written := strconv.Itoa(len(done.content))
	if done.kind == actWrite && result != "" && result != unknown && result != written {
		return errors.New("a write that was cut short")
	}
	if done.kind == actSync && result != "0" {
		r.syncs[thread] = *done
		return nil
	}
	r.calls[thread] = len(r.acts)
	r.acts = append(r.acts, *done)
	if result == unknown {
		r.unsure = append(r.unsure, r.calls[thread])
	}
	return nil
}

// unknown is the result of a call during which the program ended.
const unknown = "?"

// end records the end of a call of which only the beginning was known.
func (r *recording) end(thread, result string) {
	sync, waits := r.syncs[thread]
	delete(r.syncs, thread)
	switch {
	case waits && result == "0":
		r.acts = append(r.acts, sync)
	case !waits && result == unknown:
		if number, known := r.calls[thread]; known {
			r.unsure = append(r.unsure, number)
		}
	}
}

var (
	resultAtFront = regexp.MustCompile(`^(-?\d+|\?)`)
	fileAtFront   = regexp.MustCompile(`^\d+<([^>]*)>`)
)

// parse parses one call. It returns nil for a call that changes nothing.
func (r *recording) parse(call, args string) (*act, error) {
	// The quoted part is the name of a file, or what was written.
	var quoted []byte
	if parts := strings.SplitN(args, `"`, 3); len(parts) == 3 {
		quoted = unhex(parts[1])
	}
	path := string(quoted)
	if match := fileAtFront.FindStringSubmatch(args); match != nil {
		path = string(unhex(match[1]))
	}
	name, err := filepath.Rel(r.directory, path)
	if err != nil || strings.Contains(name, "/") {
		return nil, fmt.Errorf("%s of %q, which is elsewhere", call, path)
	}
	name = strings.TrimPrefix(name, ".")
	last, _ := strconv.ParseInt(args[strings.LastIndex(args, " ")+1:], 10, 64)
	switch call {
	case "open", "openat":
		makes := strings.Contains(args, "O_CREAT") && name != "" && name != answersFile
		if !makes || r.there[name] {
			return nil, nil
		}
		r.there[name] = true
		return &act{kind: actCreate, name: name}, nil
	case "unlink", "unlinkat":
		delete(r.there, name)
		return &act{kind: actRemove, name: name}, nil
	case "fsync", "fdatasync":
		return &act{kind: actSync, name: name, before: len(r.acts)}, nil
	case "ftruncate":
		return &act{kind: actTruncate, name: name, at: last}, nil
	case "pwrite64":
		return &act{kind: actWrite, name: name, at: last, content: quoted}, nil
	case "write":
		if name == answersFile {
			return &act{kind: actAnswer, content: quoted}, nil
		}
	}
	return nil, fmt.Errorf("the model of the disk does not know %s of %q", call, name)
}

// unhex decodes a string in which each byte is written as \x and two digits.
func unhex(text string) []byte {
	plain, err := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	if err != nil {
		panic(fmt.Sprintf("no text in hexadecimal: %q", text))
	}
	return plain
}
