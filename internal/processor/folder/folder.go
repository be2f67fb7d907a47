// Package folder manages the folder in which Mintmark and a card processor exchange files: its
// parts, and how a file is created or moved so that a crash leaves all of it or nothing. Packages
// message and fileport define the content of the files.
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

// Permissions of what this package creates. The processor's program belongs to the group.
const (
	folderMode fs.FileMode = 0o770
	fileMode   fs.FileMode = 0o640
)

// partial is the prefix of the name of a file that is being written. Programs that collect files
// match only complete names.
const partial = ".partial-"

// leftOver is the age from which a partial file counts as abandoned.
const leftOver = time.Hour

// Folder is a folder in which files are exchanged.
type Folder struct {
	path string
	// Before is called before each step that can fail on the disk. It is nil except in tests, which
	// use it to stop there.
	Before func(step string) error
}

// Open creates the missing parts of a folder, and removes partial files left by crashes. The folder
// itself must exist: with a mistyped path or an unmounted disk, files would be lost. now is wall
// time.
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

// clean removes old partial files. A younger one may belong to another node.
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

// Step calls Before with the name of a step.
func (f *Folder) Step(name string) error {
	if f.Before == nil {
		return nil
	}
	return f.Before(name)
}

// Write writes a file atomically and durably: it writes and syncs a temporary file that no program
// collects, renames it, and syncs the directory.
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
		// A later start removes what a crash leaves behind.
		return errors.Join(err, os.Remove(temporary))
	}
	return f.syncPart(part)
}

// fill writes a file, syncs it and closes it.
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

// Move moves a file from in/ to another part, and replaces a file there.
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

// syncPart syncs a part, so that its file names survive a power loss.
func (f *Folder) syncPart(part string) error {
	if err := f.Step("sync " + part); err != nil {
		return err
	}
	return platform.SyncDirectory(filepath.Join(f.path, part))
}
