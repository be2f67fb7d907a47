package fileport

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"mintmark/internal/base/platform"
	"mintmark/internal/processor"
	"mintmark/internal/store"
)

// marker is a file that the folder has from the first start on. A mount point without its disk has
// no marker, or that of an earlier start: on it, a missing file was not fetched, and the processor
// never sees a file that is written. The marker holds the number of the newest file of orders,
// because a restored database may know fewer, and the processor drops a file whose number it
// already has.
const marker = ".mintmark"

// errOtherFolder is wrapped by the error for a folder whose marker is missing or outdated.
var errOtherFolder = errors.New("files were exchanged earlier, but not in this folder")

// outdatedError reports a marker with a smaller number than that of a file that was written.
type outdatedError struct {
	path            string
	newest, written int
}

func (e *outdatedError) Error() string {
	return fmt.Sprintf("%v: %s says %d, and orders-%d.jsonl was written. Is its disk mounted? If it is the "+
		"right folder, write the number of the last file of orders into that file",
		errOtherFolder, e.path, e.newest, e.written)
}

func (e *outdatedError) Unwrap() error { return errOtherFolder }

// mark creates the marker before the first file. Later it returns an error if the marker is missing
// or outdated.
func mark(ctx context.Context, path string, kept Store) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil // package folder reports it
	}
	known, written, err := knownFiles(ctx, kept)
	if err != nil {
		return err
	}
	err = checkMarker(path, written)
	if known || !errors.Is(err, errOtherFolder) {
		return err
	}
	if err := os.WriteFile(filepath.Join(path, marker), nil, 0o640); err != nil {
		return err
	}
	return platform.SyncDirectory(path)
}

// knownFiles returns whether the database has a file of either direction, and the number of the
// newest file of orders that was written.
func knownFiles(ctx context.Context, kept Store) (known bool, written int, err error) {
	err = kept.View(ctx, func(tx store.Tx) error {
		known, written = false, 0
		for _, direction := range []store.Direction{store.ReportFiles, store.OrderFiles} {
			last, err := tx.Files().FindLast(direction)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			known = true
			if direction == store.OrderFiles {
				written = last.Sequence
			}
		}
		unwritten, err := tx.Files().ListUnwritten(1)
		if len(unwritten) > 0 {
			written = unwritten[0].Sequence - 1
		}
		return err
	})
	return known, written, err
}

// checkMarker returns an error unless the folder has the marker with at least the number of the
// newest file of orders that was written: the marker is updated before the file is written.
func checkMarker(path string, written int) error {
	newest, err := readMarker(path)
	if err == nil && newest < written {
		return &outdatedError{filepath.Join(path, marker), newest, written}
	}
	return err
}

// readMarker returns the number of the newest file of orders that a folder has had, or 0 for none.
func readMarker(path string) (int, error) {
	file := filepath.Join(path, marker)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("%w: %s is missing. Is its disk mounted? If it is the right folder, "+
			"create that file with the number of the last file of orders in it",
			errOtherFolder, file)
	}
	if err != nil || len(text) == 0 {
		return 0, err
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s does not contain the number of a file: %w", file, err)
	}
	return number, nil
}

// newest returns the number of the newest file of orders that the folder has had, or 0 for none.
func (p *Port) newest() (int, error) { return readMarker(p.folder.Path("", "")) }

// note records the number of a file of orders in the marker before the processor can see the file.
func (p *Port) note(number int) error {
	newest, err := p.newest()
	if err != nil || number <= newest {
		return err
	}
	return p.folder.Write("", marker, fmt.Appendf(nil, "%d\n", number))
}

// check returns processor.ErrUnreachable unless the folder is the one in which files are exchanged.
func (p *Port) check(ctx context.Context) error {
	_, written, err := knownFiles(ctx, p.store)
	if err != nil {
		return err
	}
	path := p.folder.Path("", "")
	info, err := os.Stat(path)
	if err == nil {
		err = checkMarker(path, written)
	}
	before := p.checked.Load()
	if outdated := (*outdatedError)(nil); errors.As(err, &outdated) &&
		before != nil && os.SameFile(*before, info) {
		err = p.note(written) // two nodes raced, and wrote the smaller number last
	}
	if err != nil {
		return fmt.Errorf("%w: %w", processor.ErrUnreachable, err)
	}
	p.checked.Store(&info)
	return nil
}
