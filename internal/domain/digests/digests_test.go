package digests

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRotation takes a State through a rotation, and tries every change in every phase.
func TestRotation(t *testing.T) {
	at := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	key := Key{ID: 7, Wrapped: []byte{1}}
	rotate := func(s State) (State, error) { return s.Rotate(key, at) }
	retire := func(s State) (State, error) { return s.Retire(at.Add(Settling)) }
	settle := func(s State) (State, error) { return s.Settle(at) }
	under := func(k Key) ([]byte, error) { return fmt.Appendf(nil, "under %d", k.ID), nil }

	state := State{Phase: OneKey}
	for _, step := range []struct {
		of            Number
		rotate        error
		retire        error
		settle        error
		next          func(State) (State, error)
		keys          []int
		phaseOfResult Phase
	}{
		{Number{First: []byte("under 0")}, nil, ErrNoNextKey, ErrUnderWay, rotate, []int{0},
			TwoKeys},
		{Number{First: []byte("under 0"), Second: []byte("under 7")}, ErrUnderWay, nil,
			ErrUnderWay, retire, []int{0, 7}, Moving},
		{Number{First: []byte("under 7"), Second: []byte("under 7"), Key: 7}, ErrUnderWay,
			ErrNoNextKey, nil, settle, []int{7}, OneKey},
		{Number{First: []byte("under 7"), Key: 7}, nil, ErrNoNextKey, ErrUnderWay, rotate,
			[]int{7}, TwoKeys},
	} {
		of, err := state.Digest(under)
		if diff := cmp.Diff(step.of, of); err != nil || diff != "" {
			t.Errorf("%s: error %v, %s", state.Phase, err, diff)
		}
		if diff := cmp.Diff(step.keys, state.Keys()); diff != "" {
			t.Errorf("%s: %s", state.Phase, diff)
		}
		for _, try := range []struct {
			name   string
			change func(State) (State, error)
			want   error
		}{{"rotate", rotate, step.rotate}, {"retire", retire, step.retire},
			{"settle", settle, step.settle}} {
			after, err := try.change(state)
			if !errors.Is(err, try.want) {
				t.Errorf("%s: %s: %v, want %v", state.Phase, try.name, err, try.want)
			}
			if diff := cmp.Diff(state, after); err != nil && diff != "" {
				t.Errorf("%s: %s was refused and has changed %s", state.Phase, try.name, diff)
			}
		}
		after, err := step.next(state)
		if err != nil || after.Phase != step.phaseOfResult || after.Changed.Before(at) {
			t.Fatalf("%s: %+v, %v", state.Phase, after, err)
		}
		state = after
	}
}

// TestNoDigest checks that the error of a digest is that of the number.
func TestNoDigest(t *testing.T) {
	broken := errors.New("broken")
	state := State{Phase: TwoKeys, Next: Key{ID: 7}}
	for _, id := range []int{0, 7} {
		of, err := state.Digest(func(k Key) ([]byte, error) {
			if k.ID == id {
				return nil, broken
			}
			return []byte{1}, nil
		})
		if !errors.Is(err, broken) || of.First != nil {
			t.Errorf("key %d: %v, %v", id, of, err)
		}
	}
}

func TestRecord(t *testing.T) {
	for record, want := range map[string][2]string{
		"abc": {"abc", ""}, "abc+7": {"abc", "7"},
	} {
		fingerprint, key := Recorded(record)
		if got := [2]string{fingerprint, key}; got != want {
			t.Errorf("%s is %q", record, got)
		}
		if Record(fingerprint, key) != record || Fingerprint(record) != fingerprint {
			t.Errorf("%s is %s, of %s", record, Record(fingerprint, key), Fingerprint(record))
		}
	}
}

// TestRetireTooEarly checks that the key in use cannot be retired while a number without a second
// digest may still appear.
func TestRetireTooEarly(t *testing.T) {
	at := time.Date(2026, time.May, 1, 0, 0, 0, 0, time.UTC)
	state, err := State{Phase: OneKey}.Rotate(Key{ID: 7}, at)
	if err != nil {
		t.Fatal(err)
	}
	for _, early := range []time.Duration{-time.Hour, 0, Settling - time.Millisecond} {
		if _, err := state.Retire(at.Add(early)); !errors.Is(err, ErrTooEarly) {
			t.Errorf("after %v: %v", early, err)
		}
	}
	if _, err := state.Retire(at.Add(Settling)); err != nil {
		t.Error(err)
	}
}
