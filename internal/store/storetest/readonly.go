package storetest

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"mintmark/internal/store"
)

var readOnly = []test{
	{"Refused", readOnlyRefused},
	{"Lease", readOnlyLease},
}

// readsFirst are the writes that first look for rows to write, and write nothing if there are none.
var readsFirst = []string{
	"AuditLog.DeleteThrough", "Erasure.EmptyAttempts", "Erasure.EmptySnapshots",
	"Erasure.PutSearchText", "Reversals.DeleteMarks", "Webhooks.DeleteRemains",
}

// readOnlyRefused calls every write of every part in a Read and in a View, with arbitrary
// arguments. The tests of the parts check that the same writes succeed in an Update.
func readOnlyRefused(t *testing.T, s store.Store) {
	background(t, s)
	for part := range reflect.TypeFor[store.Tx]().Methods() {
		if part.Name == "Now" {
			continue
		}
		for method := range part.Type.Out(0).Methods() {
			name, want := part.Name+"."+method.Name, store.ErrReadOnly
			if slices.Contains(readsFirst, name) {
				want = nil
			}
			write := func(tx store.Tx) error { return callMadeUp(tx, part.Name, method.Name) }
			for _, way := range []string{"Read", "View"} {
				if !isWrite(method.Name) {
					continue
				}
				err := ways[way](s, func(tx store.Tx) error {
					wantError(t, name+" in a "+way, write(tx), want)
					_, err := tx.Customers().Find(programID, creatorID)
					return err
				})
				wantError(t, way+" after "+name, err, nil)
				wantError(t, way+" that returns the error of "+name, ways[way](s, write), want)
			}
		}
	}
}

// isWrite reports whether the name of a method begins with a verb for a write: store.Store lists
// the verbs.
func isWrite(method string) bool {
	return slices.ContainsFunc([]string{"Put", "Change", "Delete", "Empty", "Add"},
		func(verb string) bool { return strings.HasPrefix(method, verb) })
}

// callMadeUp calls a method of a part with arbitrary arguments and returns its error.
func callMadeUp(tx store.Tx, part, method string) error {
	of := reflect.ValueOf(tx).MethodByName(part).Call(nil)[0].MethodByName(method)
	var args []reflect.Value
	for in := range of.Type().Ins() {
		args = append(args, madeUp(in))
	}
	results := of.Call(args)
	err, _ := results[len(results)-1].Interface().(error)
	return err
}

// madeUp returns an arbitrary value of a type: 1, a list of one element, or the zero value.
func madeUp(t reflect.Type) reflect.Value {
	switch t.Kind() {
	case reflect.Pointer:
		return reflect.New(t.Elem())
	case reflect.Slice:
		return reflect.MakeSlice(t, 1, 1)
	case reflect.Int:
		return reflect.ValueOf(1).Convert(t)
	default:
		return reflect.Zero(t)
	}
}

// readOnlyLease checks that a Read and a View can neither acquire a lease nor release it.
func readOnlyLease(t *testing.T, s store.Store) {
	put := func(holder string) func(store.Tx) error {
		return func(tx store.Tx) error {
			return tx.Jobs().PutLease(
				store.Lease{Name: jobName, Holder: holder, Until: tx.Now().Add(time.Hour)})
		}
	}
	drop := func(tx store.Tx) error { return tx.Jobs().DeleteLease(jobName, "one") }
	for _, way := range []string{"Read", "View"} {
		wantError(t, way, ways[way](s, put("never")), store.ErrReadOnly)
	}
	update(t, s, put("one"))
	for _, way := range []string{"Read", "View"} {
		wantError(t, way, ways[way](s, drop), store.ErrReadOnly)
	}
	wantUpdate(t, s, "another holder", store.ErrExists, put("two"))
}
