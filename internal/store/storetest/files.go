package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/store"
)

var files = []test{
	{"RoundTrip", fileRoundTrip},
	{"Unwritten", fileUnwritten},
	{"Forgotten", fileForgotten},
	{"AtOnce", fileAtOnce},
}

// orderFile is a file to the processor; without a text it is written.
func orderFile(sequence int, text string) store.File {
	f := store.File{
		Direction: store.OrderFiles, Sequence: sequence, Count: 3, Digest: "abc", Created: made,
	}
	if text == "" {
		f.Ended = made
	} else {
		f.Text = []byte(text)
	}
	return f
}

func fileRoundTrip(t *testing.T, s store.Store) {
	ofReports := orderFile(9, "")
	ofReports.Direction = store.ReportFiles
	_, err := findFile(s, store.OrderFiles, 0)
	wantError(t, "without a file", err, store.ErrNotFound)
	update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.Files().Put(orderFile(1, "")), tx.Files().Put(orderFile(2, "two")),
			tx.Files().Put(ofReports))
	})
	for _, row := range []struct {
		direction store.Direction
		sequence  int // 0: the last
		want      store.File
	}{
		{store.OrderFiles, 1, orderFile(1, "")}, {store.OrderFiles, 2, orderFile(2, "two")},
		{store.OrderFiles, 0, orderFile(2, "two")}, {store.ReportFiles, 0, ofReports},
	} {
		got, err := findFile(s, row.direction, row.sequence)
		if diff := cmp.Diff(row.want, got, same); err != nil || diff != "" {
			t.Errorf("%s %d: %v\n%s", row.direction, row.sequence, err, diff)
		}
	}
	_, err = findFile(s, store.ReportFiles, 1)
	wantError(t, "of the other direction", err, store.ErrNotFound)
	wantError(t, "a number twice", s.Update(context.Background(), func(tx store.Tx) error {
		return tx.Files().Put(orderFile(1, "other"))
	}), store.ErrExists)
}

// findFile returns a file by its number, or the last for 0.
func findFile(s store.Store, d store.Direction, sequence int) (store.File, error) {
	var found store.File
	err := s.View(context.Background(), func(tx store.Tx) error {
		var err error
		if sequence == 0 {
			found, err = tx.Files().FindLast(d)
		} else {
			found, err = tx.Files().Find(d, sequence)
		}
		return err
	})
	return found, err
}

func unwritten(t *testing.T, s store.Store, limit int) (numbers []int) {
	t.Helper()
	for _, f := range find(t, s, func(tx store.Tx) ([]store.File, error) {
		return tx.Files().ListUnwritten(limit)
	}) {
		numbers = append(numbers, f.Sequence)
	}
	return numbers
}

func fileUnwritten(t *testing.T, s store.Store) {
	update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.Files().Put(orderFile(3, "three")), tx.Files().Put(orderFile(1, "")),
			tx.Files().Put(orderFile(2, "two")))
	})
	if got := unwritten(t, s, 9); !cmp.Equal(got, []int{2, 3}) {
		t.Errorf("unwritten are %v", got)
	}
	if got := unwritten(t, s, 1); !cmp.Equal(got, []int{2}) {
		t.Errorf("the first that is unwritten is %v", got)
	}
	update(t, s, func(tx store.Tx) error { return tx.Files().Change(orderFile(2, "")) })
	if got := unwritten(t, s, 9); !cmp.Equal(got, []int{3}) {
		t.Errorf("unwritten are %v after one was written", got)
	}
	wantError(t, "a file that is not there", s.Update(context.Background(),
		func(tx store.Tx) error { return tx.Files().Change(orderFile(7, "")) }),
		store.ErrLostUpdate)
}

// fileForgotten holds that a file that waits to be written is never deleted.
func fileForgotten(t *testing.T, s store.Store) {
	other := orderFile(1, "")
	other.Direction = store.ReportFiles
	update(t, s, func(tx store.Tx) error {
		return errors.Join(tx.Files().Put(orderFile(1, "")), tx.Files().Put(orderFile(2, "two")),
			tx.Files().Put(orderFile(3, "")), tx.Files().Put(other))
	})
	update(t, s, func(tx store.Tx) error { return tx.Files().DeleteBefore(store.OrderFiles, 3) })
	for sequence, want := range map[int]error{1: store.ErrNotFound, 2: nil, 3: nil} {
		_, err := findFile(s, store.OrderFiles, sequence)
		wantError(t, fmt.Sprint("file ", sequence), err, want)
	}
	_, err := findFile(s, store.ReportFiles, 1)
	wantError(t, "the other direction", err, nil)
}

// fileAtOnce lets many take the next number at the same moment. The numbers have no gap.
func fileAtOnce(t *testing.T, s store.Store) {
	var kept atomic.Int64
	inParallel(8, func(int) {
		for range 5 {
			err := s.Update(context.Background(), func(tx store.Tx) error {
				last, err := tx.Files().FindLast(store.OrderFiles)
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
				return tx.Files().Put(orderFile(last.Sequence+1, "text"))
			})
			if err == nil {
				kept.Add(1)
			} else if !errors.Is(err, store.ErrExists) {
				t.Errorf("a file: %v", err)
			}
		}
	})
	last, err := findFile(s, store.OrderFiles, 0)
	if err != nil || int64(last.Sequence) != kept.Load() {
		t.Errorf("the last number is %d of %d files, %v", last.Sequence, kept.Load(), err)
	}
}
