package store_test

import (
	"reflect"
	"testing"

	"mintmark/internal/store"
)

// TestParts counts the methods of each part of the contract. A part of one method is too small to
// be asked for by itself, and one of more than seven is hard to decorate.
func TestParts(t *testing.T) {
	t.Parallel()
	const fewest, most = 2, 7
	parts := 0
	for method := range reflect.TypeFor[store.Tx]().Methods() {
		if method.Type.NumOut() != 1 || method.Type.Out(0).Kind() != reflect.Interface {
			continue
		}
		parts++
		part := method.Type.Out(0)
		if part.Name() != method.Name {
			t.Errorf("%s returns the part %s", method.Name, part.Name())
		}
		if count := part.NumMethod(); count < fewest || count > most {
			t.Errorf("%s has %d methods, want %d to %d", part.Name(), count, fewest, most)
		}
	}
	if others := reflect.TypeFor[store.Tx]().NumMethod() - parts; parts == 0 || others != 1 {
		t.Errorf("a Tx has %d parts and %d other methods, want one other, Now", parts, others)
	}
}
