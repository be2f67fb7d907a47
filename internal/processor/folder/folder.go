// Package folder is the folder in which files are exchanged between Mintmark and a card processor:
// its parts, and how a file appears in it or moves so that a crash leaves all of it or nothing.
// What the files say is the business of packages message and fileport.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mintmark/internal/base/platform"
)

// The parts of a folder.
const (
	Out  = "out"  // orders to the processor
	In   = "in"   // reports from it
	Done = "done" // reports that were applied
	Bad  = "bad"  // reports that were refused, each with a .why
)

// The modes of what is made here. The group is the one that the processor's program belongs to.
const (
	folderMode fs.FileMode = 0o770
	fileMode   fs.FileMode = 0o640
)

// partial is the beginning of the name of a file that is being written. Whoever collects files
// takes those with the right name only.
const partial = ".partial-"

// leftOver is the age at which a partial file is nobody's any more.
const leftOver = time.Hour

// Folder is a folder in which files are exchanged.
type Folder struct {
	path string
	// Before is asked before each step that the disk may refuse. It is nil but in tests, which stop
	// there.
	Before func(step string) error
}

// Open makes the parts of a folder that are missing, and removes what was left over by crashes. The
// folder itself must be there: behind a mistyped path, or a disk that is not mounted, files would
// go nowhere. now is wall time.
func Open(path string, now time.Time) (*Folder, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("the folder of the card processor: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("the folder of the card processor: %s is a file", path)
	}
	f := &Folder{path: path}
	if err := f.clean("", now); err != nil {
		return nil, fmt.Errorf("the folder of the card processor: %w", err)
	}
	for _, part := range []string{Out, In, Done, Bad} {
		err := os.Mkdir(filepath.Join(path, part), folderMode)
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, fmt.Errorf("the folder of the card processor: %w", err)
		}
		if err := f.clean(part, now); err != nil {
			return nil, fmt.Errorf("the folder of the card processor: %w", err)
		}
	}
	return f, nil
}

// clean removes old partial files. A younger one may be another node's.
func (f *Folder) clean(part string, now time.Time) error {
	entries, err := os.ReadDir(filepath.Join(f.path, part))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if !strings.HasPrefix(entry.Name(), partial) {
			continue
		}
		info, err := entry.Info()
		if err != nil || now.Sub(info.ModTime()) < leftOver {
			continue
		}
		err = os.Remove(f.Path(part, entry.Name()))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Path returns the path of a file in a part of the folder.
func (f *Folder) Path(part, name string) string { return filepath.Join(f.path, part, name) }

// Step asks Before about a step.
func (f *Folder) Step(name string) error {
	if f.Before == nil {
		return nil
	}
	return f.Before(name)
}

// Write writes a file so that its name stands for the whole text or nothing: to a name that nobody
// collects, then to the disk, then to its own name, and the name to the disk.
func (f *Folder) Write(part, name string, text []byte) error {
	file, err := os.CreateTemp(filepath.Join(f.path, part), partial+name+"-*")
	if err != nil {
		return err
	}
	temporary := file.Name()
	err = f.fill(file, text)
	if err == nil {
		err = f.Step("rename")
	}
	if err == nil {
		err = os.Rename(temporary, f.Path(part, name))
	}
	if err != nil {
		// What a crash leaves behind is removed by a later start.
		return errors.Join(err, os.Remove(temporary))
	}
	return f.syncPart(part)
}

// fill writes a file to the disk and closes it.
func (f *Folder) fill(file *os.File, text []byte) error {
	err := f.Step("write")
	if err == nil {
		_, err = file.Write(text)
	}
	if err == nil {
		err = file.Chmod(fileMode)
	}
	if err == nil {
		err = f.Step("sync")
	}
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Move gives a file of in/ its place in another part, and replaces a file there.
func (f *Folder) Move(name, part, as string) error {
	if err := f.Step("move"); err != nil {
		return err
	}
	if err := os.Rename(f.Path(In, name), f.Path(part, as)); err != nil {
		return err
	}
	return errors.Join(f.syncPart(part), f.syncPart(In))
}

// Remove removes a file of a part.
func (f *Folder) Remove(part, name string) error {
	if err := f.Step("remove"); err != nil {
		return err
	}
	if err := os.Remove(f.Path(part, name)); err != nil {
		return err
	}
	return f.syncPart(part)
}

// syncPart makes the names in a part outlive a loss of power.
func (f *Folder) syncPart(part string) error {
	if err := f.Step("sync " + part); err != nil {
		return err
	}
	return platform.SyncDirectory(filepath.Join(f.path, part))
}
