package storetest

import (
	"errors"
	"sync/atomic"
	"testing"

	"mintmark/internal/store"
)

var files = []test{
	{"Unwritten", fileUnwritten},
	{"Forgotten", fileForgotten},
	{"AtOnce", fileAtOnce},
}

// orderFile returns a file to the processor; an empty text means that it is written.
func orderFile(sequence int, text string) store.File {
	f := store.File{
		Direction: store.OrderFiles, Sequence: sequence, Count: 3, Digest: "abc", Created: created,
	}
	if text == "" {
		f.Ended = created
	} else {
		f.Text = []byte(text)
	}
	return f
}

func putFiles(t *testing.T, s store.Store, files ...store.File) {
	t.Helper()
	update(t, s, each(files, func(tx store.Tx, f store.File) error { return tx.Files().Put(f) }))
}

func sequenceOf(f store.File) int { return f.Sequence }

// fileUnwritten lists files until they are written, in order.
func fileUnwritten(t *testing.T, s store.Store) {
	putFiles(t, s, orderFile(3, "three"), orderFile(1, ""), orderFile(2, "two"))
	want := func(limit int, want ...int) {
		t.Helper()
		wantSame(t, idsOf(sequenceOf, find(t, s, func(tx store.Tx) ([]store.File, error) {
			return tx.Files().ListUnwritten(limit)
		})), want)
	}
	want(9, 2, 3)
	want(1, 2)
	shorter := orderFile(3, "III")
	shorter.Count, shorter.Digest = 2, "def"
	update(t, s, func(tx store.Tx) error { return tx.Files().Change(shorter) })
	wantFind(t, s, shorter, func(tx store.Tx) (store.File, error) {
		return tx.Files().Find(store.OrderFiles, 3)
	})
	update(t, s, func(tx store.Tx) error { return tx.Files().Change(orderFile(2, "")) })
	want(9, 3)
	wantUpdate(t, s, "a file that is missing", store.ErrLostUpdate, func(tx store.Tx) error {
		return tx.Files().Change(orderFile(7, ""))
	})
}

// fileForgotten deletes written files of one direction. FindLast still finds the last one.
func fileForgotten(t *testing.T, s store.Store) {
	last := func(tx store.Tx) (store.File, error) { return tx.Files().FindLast(store.OrderFiles) }
	wantNone(t, s, "the last of none", last)
	report := orderFile(1, "")
	report.Direction = store.ReportFiles
	putFiles(t, s, report)
	wantNone(t, s, "the last of the other direction", last)
	putFiles(t, s, orderFile(1, ""), orderFile(3, ""), orderFile(2, "two"))
	wantFind(t, s, orderFile(3, ""), last)
	update(t, s, func(tx store.Tx) error { return tx.Files().DeleteBefore(store.OrderFiles, 3) })
	view(t, s, func(tx store.Tx) error {
		_, err := tx.Files().Find(store.OrderFiles, 1)
		wantError(t, "a file that was written", err, store.ErrNotFound)
		_, waiting := tx.Files().Find(store.OrderFiles, 2)
		_, young := tx.Files().Find(store.OrderFiles, 3)
		_, other := tx.Files().Find(store.ReportFiles, 1)
		return errors.Join(waiting, young, other)
	})
}

// fileAtOnce has many callers use the next number concurrently. The numbers must have no gap.
func fileAtOnce(t *testing.T, s store.Store) {
	var kept atomic.Int64
	inParallel(8, func(int) {
		for range 5 {
			err := s.Update(ctx, func(tx store.Tx) error {
				last, err := tx.Files().FindLast(store.OrderFiles)
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
				return tx.Files().Put(orderFile(last.Sequence+1, "text"))
			})
			if err == nil {
				kept.Add(1)
			} else if !errors.Is(err, store.ErrExists) {
				t.Errorf("put file: %v", err)
			}
		}
	})
	last := find(t, s, func(tx store.Tx) (store.File, error) {
		return tx.Files().FindLast(store.OrderFiles)
	})
	wantSame(t, int64(last.Sequence), kept.Load())
}
