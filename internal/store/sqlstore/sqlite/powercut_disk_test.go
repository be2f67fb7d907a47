//go:build check

package sqlite_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// sector is the number of bytes that a disk writes atomically.
const sector = 512

// disk models the files of a directory: their synced state, and the acts since the last sync. A
// power cut may leave any part of these acts.
//
// A write does not endanger what it does not cover: the model assumes that the disk preserves the
// rest of a sector (SQLite calls that powersafe overwrite). The content of a file and its name are
// synced separately, as in POSIX.
type disk struct {
	names   map[string]*content // synced names
	renamed []act               // creations and removals since
	now     map[string]*content // as the program sees it
	made    []*content          // of the creations in renamed
}

// content is the content of a file.
type content struct {
	synced  []byte
	pending []act
	numbers []int // of the pending acts, in the recording
}

func newDisk() *disk {
	return &disk{names: make(map[string]*content), now: make(map[string]*content)}
}

// do applies the act with the given number.
func (d *disk) do(number int, a act) {
	file := d.now[a.name]
	switch a.kind {
	case actCreate:
		d.now[a.name] = new(content)
		d.renamed, d.made = append(d.renamed, a), append(d.made, d.now[a.name])
	case actRemove:
		delete(d.now, a.name)
		d.renamed, d.made = append(d.renamed, a), append(d.made, nil)
	case actWrite, actTruncate:
		file.pending = append(file.pending, a)
		file.numbers = append(file.numbers, number)
	case actSync:
		if a.name == "" {
			d.names = d.renames(func() bool { return true })
			d.renamed, d.made = nil, nil
			return
		}
		// The sync may have missed what was requested while it was running.
		until, _ := slices.BinarySearch(file.numbers, a.before)
		for _, before := range file.pending[:until] {
			file.synced = before.apply(file.synced, func() bool { return true })
		}
		file.pending, file.numbers = file.pending[until:], file.numbers[until:]
	}
}

// renames returns the files that exist if some of the creations and removals survive.
func (d *disk) renames(kept func() bool) map[string]*content {
	names := make(map[string]*content)
	for name, file := range d.names {
		names[name] = file
	}
	for i, a := range d.renamed {
		if !kept() {
			continue
		}
		delete(names, a.name)
		if a.kind == actCreate {
			names[a.name] = d.made[i]
		}
	}
	return names
}

// apply applies an act to the content of a file, and of a write only the sectors that survive.
func (a act) apply(to []byte, kept func() bool) []byte {
	if a.kind == actTruncate {
		if !kept() {
			return to
		}
		return extend(to, int(a.at))[:a.at]
	}
	for from := 0; from < len(a.content); {
		at := int(a.at) + from
		length := min(sector-at%sector, len(a.content)-from)
		if kept() {
			to = extend(to, at+length)
			copy(to[at:], a.content[from:from+length])
		}
		from += length
	}
	return to
}

// extend returns the content with at least the given length.
func extend(to []byte, length int) []byte {
	if len(to) < length {
		to = append(to, make([]byte, length-len(to))...)
	}
	return to
}

// fate decides what survives of the unsynced acts on a file: which acts, in which order they
// reached the disk, and which sectors of each.
type fate func(random *rand.Rand, pending []act) (order []act, kept func() bool)

// fates lists the ways in which a disk may behave.
var fates = map[string]fate{
	"everything is lost": func(*rand.Rand, []act) ([]act, func() bool) { return nil, nil },
	"everything is kept": func(_ *rand.Rand, all []act) ([]act, func() bool) {
		return all, func() bool { return true }
	},
	"only the last is kept": func(_ *rand.Rand, all []act) ([]act, func() bool) {
		return all[max(0, len(all)-1):], func() bool { return true }
	},
	"only the last is lost": func(_ *rand.Rand, all []act) ([]act, func() bool) {
		return all[:max(0, len(all)-1)], func() bool { return true }
	},
	"the first so many are kept": func(r *rand.Rand, all []act) ([]act, func() bool) {
		return all[:r.IntN(len(all)+1)], func() bool { return true }
	},
	"the first so many are lost": func(r *rand.Rand, all []act) ([]act, func() bool) {
		return all[r.IntN(len(all)+1):], func() bool { return true }
	},
	"some are kept": func(r *rand.Rand, all []act) ([]act, func() bool) {
		some := slices.DeleteFunc(slices.Clone(all), func(act) bool { return r.IntN(2) == 0 })
		return some, func() bool { return true }
	},
	"every second sector is kept": func(_ *rand.Rand, all []act) ([]act, func() bool) {
		count := 0
		return all, func() bool { count++; return count%2 == 1 }
	},
	"some sectors are kept": func(r *rand.Rand, all []act) ([]act, func() bool) {
		return all, func() bool { return r.IntN(2) == 0 }
	},
	"nearly all sectors are kept": func(r *rand.Rand, all []act) ([]act, func() bool) {
		return all, func() bool { return r.IntN(20) > 0 }
	},
	"in another order": func(r *rand.Rand, all []act) ([]act, func() bool) {
		other := slices.Clone(all)
		r.Shuffle(len(other), func(i, j int) { other[i], other[j] = other[j], other[i] })
		return other, func() bool { return r.IntN(4) > 0 }
	},
}

// after writes the files into a directory as a power cut may leave them.
func (d *disk) after(t *testing.T, random *rand.Rand, decide fate, directory string) {
	t.Helper()
	_, keptName := decide(random, d.renamed)
	if keptName == nil {
		keptName = func() bool { return false }
	}
	for name, file := range d.renames(keptName) {
		left := slices.Clone(file.synced)
		order, kept := decide(random, file.pending)
		for _, a := range order {
			left = a.apply(left, kept)
		}
		if err := os.WriteFile(filepath.Join(directory, name), left, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// The index of the log is in shared memory, which the kernel may write out at any time, or
	// never.
	if random.IntN(2) == 0 {
		index := make([]byte, 32<<10)
		for i := range index {
			index[i] = byte(random.Uint32())
		}
		path := filepath.Join(directory, "mintmark.db-shm")
		if err := os.WriteFile(path, index, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
