package chance_test

import (
	"io"
	"testing"

	"mintmark/internal/base/chance"
)

// draw returns the next bytes of a stream.
func draw(t *testing.T, from io.Reader) string {
	t.Helper()
	var drawn [16]byte
	if _, err := io.ReadFull(from, drawn[:]); err != nil {
		t.Fatal(err)
	}
	return string(drawn[:])
}

// TestSeed checks that a seed makes streams repeatable, and that the streams of two purposes are
// independent.
func TestSeed(t *testing.T) {
	first := draw(t, chance.FromSeed(1).For("a"))
	if draw(t, chance.FromSeed(1).For("a")) != first {
		t.Error("the same seed gives something else")
	}
	for name, other := range map[string]io.Reader{
		"another seed":    chance.FromSeed(2).For("a"),
		"another purpose": chance.FromSeed(1).For("b"),
		"no seed":         chance.FromSystem().For("a"),
	} {
		if draw(t, other) == first {
			t.Errorf("%s gives the same", name)
		}
	}
}

// TestRestore checks that streams continue from a saved state, and that a stream first used after
// the state was saved starts again from its beginning.
func TestRestore(t *testing.T) {
	streams := chance.FromSeed(1)
	begun := draw(t, streams.For("b"))
	streams = chance.FromSeed(1)
	draw(t, streams.For("a"))
	state := streams.State()
	next := draw(t, streams.For("a"))
	draw(t, streams.For("b"))
	for _, restored := range []*chance.Streams{streams, chance.FromSeed(1)} {
		if err := restored.Restore(state); err != nil {
			t.Fatal(err)
		}
		if got := draw(t, restored.For("a")); got != next {
			t.Errorf("the stream goes on with %x, want %x", got, next)
		}
		if got := draw(t, restored.For("b")); got != begun {
			t.Errorf("the stream used since goes on with %x, want %x", got, begun)
		}
	}
	streams.Rewind()
	if got := draw(t, streams.For("b")); got != begun {
		t.Errorf("the rewound stream begins with %x, want %x", got, begun)
	}
	if err := streams.Restore(map[string][]byte{"a": []byte("broken")}); err == nil {
		t.Error("a broken state is accepted")
	}
}
