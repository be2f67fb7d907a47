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

// marker is a file that the folder has from the first start on. A mount point without its disk lacks
// it: files missing there were not fetched, and the processor never sees files written there. It holds
// the number of the newest file of orders: a restored database knows fewer, and the processor drops a
// file whose number it has.
const marker = ".mintmark"

// errOtherFolder is wrapped by the error of a folder without the marker.
var errOtherFolder = errors.New("files were exchanged before, and not in this folder")

// mark makes the marker before the first file, and returns an error where it is missing later.
func mark(ctx context.Context, path string, kept Store) error {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return nil // package folder says so
	}
	err = checkMarker(path)
	if !errors.Is(err, errOtherFolder) {
		return err
	}
	known := false
	failure := kept.View(ctx, func(tx store.Tx) error {
		for _, direction := range []store.Direction{store.OrderFiles, store.ReportFiles} {
			_, err := tx.Files().FindLast(direction)
			known = known || err == nil
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	if failure != nil || known {
		return errors.Join(failure, err)
	}
	if err := os.WriteFile(filepath.Join(path, marker), nil, 0o640); err != nil {
		return err
	}
	return platform.SyncDirectory(path)
}

// checkMarker returns an error unless the folder has the marker.
func checkMarker(path string) error {
	file := filepath.Join(path, marker)
	_, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %s is missing. Is its disk mounted? If it is the right folder, create "+
			"that file with the number of the last file of orders in it", errOtherFolder, file)
	}
	return err
}

// newest returns the number of the newest file of orders that the folder has had, 0 for none.
func (p *Port) newest() (int, error) {
	file := p.folder.Path("", marker)
	text, err := os.ReadFile(file)
	if err != nil || len(text) == 0 {
		return 0, err
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("%s holds no number of a file: %w", file, err)
	}
	return number, nil
}

// note keeps the number of a file of orders before the processor can see it.
func (p *Port) note(number int) error {
	newest, err := p.newest()
	if err != nil || number <= newest {
		return err
	}
	return p.folder.Write("", marker, fmt.Appendf(nil, "%d\n", number))
}

// check returns processor.ErrUnreachable while the folder is not the one that files are exchanged
// in.
func (p *Port) check() error {
	if err := checkMarker(p.folder.Path("", "")); err != nil {
		return fmt.Errorf("%w: %w", processor.ErrUnreachable, err)
	}
	return nil
}
