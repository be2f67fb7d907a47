package storetest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/shopspring/decimal"

	"mintmark/internal/base/value"
	"mintmark/internal/store"
)

// Helpers for all subjects: running closures on a store and comparing results.

// update runs closures, one after the other, in an Update that must succeed.
func update(t *testing.T, s store.Store, writes ...func(store.Tx) error) {
	t.Helper()
	err := s.Update(ctx, func(tx store.Tx) error {
		for _, write := range writes {
			if err := write(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
}

// each returns a closure that runs write for each of some values.
func each[T any](values []T, write func(store.Tx, T) error) func(store.Tx) error {
	return func(tx store.Tx) error {
		for _, value := range values {
			if err := write(tx, value); err != nil {
				return err
			}
		}
		return nil
	}
}

// view runs a View that must succeed.
func view(t *testing.T, s store.Store, fn func(store.Tx) error) {
	t.Helper()
	if err := s.View(context.Background(), fn); err != nil {
		t.Fatalf("View: %v", err)
	}
}

// find returns the result of a View.
func find[T any](t *testing.T, s store.Store, fn func(store.Tx) (T, error)) T {
	t.Helper()
	var item T
	view(t, s, func(r store.Tx) error {
		var err error
		item, err = fn(r)
		return err
	})
	return item
}

func wantError(t *testing.T, what string, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s: got error %v, want %v", what, got, want)
	}
}

// wantUpdate expects an Update to fail with an error, or to succeed if want is nil.
func wantUpdate(t *testing.T, s store.Store, what string, want error, fn func(store.Tx) error) {
	t.Helper()
	wantError(t, what, s.Update(ctx, fn), want)
}

// wantFind expects the result of a View.
func wantFind[T any](t *testing.T, s store.Store, want T, fn func(store.Tx) (T, error)) {
	t.Helper()
	wantSame(t, find(t, s, fn), want)
}

// wantNone expects a View to find nothing.
func wantNone[T any](t *testing.T, s store.Store, what string, fn func(store.Tx) (T, error)) {
	t.Helper()
	view(t, s, func(r store.Tx) error {
		_, err := fn(r)
		wantError(t, what, err, store.ErrNotFound)
		return nil
	})
}

// wantCounts runs an Update for each of some expected counts of changed rows.
func wantCounts(t *testing.T, s store.Store, want []int, fn func(store.Tx) (int, error)) {
	t.Helper()
	var got []int
	for range want {
		var count int
		update(t, s, func(tx store.Tx) (err error) {
			count, err = fn(tx)
			return err
		})
		got = append(got, count)
	}
	wantSame(t, got, want)
}

// How values are compared: empty and nil lists are equal; so are dates of the same instant, and
// amounts of the same value with any number of digits.
var same = cmp.Options{
	cmpopts.IgnoreFields(store.CardView{}, "Version"),
	cmpopts.EquateEmpty(),
	cmpopts.EquateComparable(netip.Prefix{}),
	cmp.Comparer(func(a, b value.Amount) bool { return a.TenThousandths == b.TenThousandths }),
	cmp.Comparer(func(a, b decimal.Decimal) bool { return a.Equal(b) }),
}

func wantSame(t *testing.T, got, want any) {
	t.Helper()
	if diff := cmp.Diff(want, got, same); diff != "" {
		t.Errorf("stored value differs (-want +got):\n%s", diff)
	}
}

func idsOf[T any](of func(T) int, items []T) []int {
	var ids []int
	for _, item := range items {
		ids = append(ids, of(item))
	}
	return ids
}

// wantOneWinner has workers do the same concurrently: one must succeed, and the others get an
// error.
func wantOneWinner(t *testing.T, workers int, want error, fn func(worker int) error) {
	t.Helper()
	errs := make([]error, workers)
	inParallel(workers, func(worker int) { errs[worker] = fn(worker) })
	winners := 0
	for worker, err := range errs {
		if err == nil {
			winners++
			continue
		}
		wantError(t, fmt.Sprint("worker ", worker), err, want)
	}
	wantSame(t, winners, 1)
}

// inParallel runs a function in every worker and waits for all of them.
func inParallel(count int, fn func(worker int)) {
	var all sync.WaitGroup
	for worker := range count {
		all.Go(func() { fn(worker) })
	}
	all.Wait()
}
