package importer

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mintmark/internal/base/platform"
)

const someRows = `{"kind":"cards"}` + "\n"

// TestSpool checks that rows spooled to disk can be read only by their owner, and are removed
// afterwards.
func TestSpool(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	file, err := SpoolRows("x", directory, strings.NewReader(someRows), -1)
	if err != nil {
		t.Fatal(err)
	}
	info, err := file.text.Stat()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the mode is %v, %v", info.Mode(), err)
	}
	if err := file.Close(); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(directory, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left are %v, %v", left, err)
	}
	name := filepath.Join(directory, "rows")
	if err := os.WriteFile(name, []byte(someRows), 0o600); err != nil {
		t.Fatal(err)
	}
	opened, err := OpenRows(name)
	if err != nil || opened.Digest != file.Digest || opened.Close() != nil {
		t.Errorf("opened %+v, %v", opened, err)
	}
	if _, err := os.Stat(name); err != nil {
		t.Errorf("a file of the caller: %v", err)
	}
}

// TestRowsOfAGrowingFile checks that rows end where the file ended when it was opened, and that
// later rows are detected.
func TestRowsOfAGrowingFile(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(name, []byte(someRows), 0o600); err != nil {
		t.Fatal(err)
	}
	rows, err := OpenRows(name)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if err := rows.CheckUnchanged(); err != nil {
		t.Errorf("an unchanged file: %v", err)
	}
	if err := os.WriteFile(name, []byte(someRows+someRows), 0o600); err != nil {
		t.Fatal(err)
	}
	for what, lines := range map[string]*Lines{"all": rows.LongLines(99), "some": rows.Lines(0, 1)} {
		_, first := lines.Next(NewProblems(name))
		_, second := lines.Next(NewProblems(name))
		if first != nil || !errors.Is(second, io.EOF) {
			t.Errorf("%s: %v, then %v", what, first, second)
		}
	}
	if err := rows.CheckUnchanged(); err == nil {
		t.Error("a row was added unnoticed")
	}
	earlier := time.Now().Add(-time.Hour)
	err = errors.Join(os.WriteFile(name, []byte(someRows), 0o600), os.Chtimes(name, earlier, earlier))
	if err != nil || rows.CheckUnchanged() == nil {
		t.Errorf("a row was replaced unnoticed (%v)", err)
	}
}

// TestSpoolNeedsRoom checks that spooled rows leave the reserve of the disk free, whether or not
// their length is known, and that nothing remains of rejected ones.
func TestSpoolNeedsRoom(t *testing.T) {
	directory := t.TempDir()
	const most = 20 << 20
	freeBytes = func(string) (uint64, error) {
		written := int64(0)
		open, err := filepath.Glob("/proc/self/fd/*")
		if err != nil {
			return 0, err
		}
		for _, name := range open {
			about, err := os.Stat(name)
			target, _ := os.Readlink(name)
			if err == nil && strings.HasPrefix(target, directory) {
				written += about.Size()
			}
		}
		return uint64(diskReserve + most - written), nil
	}
	t.Cleanup(func() { freeBytes = platform.FreeBytes })
	for _, row := range []struct {
		rows, length int64
		want         error
	}{
		{most, most, nil}, {most, -1, nil}, {1, most + 1, ErrNoRoom}, {most + lookEvery, -1, ErrNoRoom},
	} {
		rows := io.LimitReader(endless{}, row.rows)
		file, err := SpoolRows("x", directory, rows, row.length)
		if !errors.Is(err, row.want) {
			t.Errorf("%d bytes announced as %d: %v", row.rows, row.length, err)
		}
		if err == nil && file.Close() != nil {
			t.Error("the file does not close")
		}
		if free, err := freeBytes(""); err != nil || free != diskReserve+most {
			t.Errorf("%d bytes are left: %v", free, err)
		}
	}
}

// endless are rows without an end.
type endless struct{}

func (endless) Read(into []byte) (int, error) {
	for i := range into {
		into[i] = '\n'
	}
	return len(into), nil
}
