package issuing_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/card"
	"mintmark/internal/issuing"
	"mintmark/internal/store/generation"
	"mintmark/internal/testkit/issuingtest"
)

// TestSettingsAsCached saves the cached settings of the service, and restores them after callers
// have seen newer ones: they see the earlier settings again, byte for byte, for the remaining time.
func TestSettingsAsCached(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Generation: &generation.Generation{}})
	read := func() string {
		t.Helper()
		settings, err := w.ProgramSettings(t.Context(), issuingtest.Caller)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(settings.Settings)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	old := read()
	w.Rename("Renamed")
	w.Clock.Advance(4 * time.Minute)
	w.CountRefusal(issuing.Refusal{
		Key: "example1", Code: 50101, Route: "/card/lock", Address: "::1",
	})
	state, err := w.State()
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Minute)
	if read() == old {
		t.Error("after five minutes the settings are still the old ones")
	}
	w.Clock.Set(clock.Setting{Frozen: issuingtest.Start.Add(4 * time.Minute)})
	w.Generation.Begin(1)
	if err := w.Restore(state); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(old, read()); diff != "" {
		t.Errorf("settings (-before +again):\n%s", diff)
	}
	if again, err := w.State(); err != nil || string(again) != string(state) {
		t.Errorf("the state is %s, %v, and was %s", again, err, state)
	}
	w.Clock.Advance(time.Minute)
	if read() == old {
		t.Error("the settings that were put back last for longer than before")
	}
	if err := w.Restore(nil); err != nil {
		t.Fatal(err)
	}
	if empty, err := w.State(); err != nil || string(empty) != "{}" {
		t.Errorf("without a state the service remembers %s, %v", empty, err)
	}
}

// TestOtherWorld checks what a service forgets with a world: the settings of programs, and that a
// request with an idempotency key is in progress.
func TestOtherWorld(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewWorld(t, issuing.Settings{Mode: card.Sandbox, Generation: &generation.Generation{}})
	var f issuingtest.Face
	begin := func() (*issuing.IdempotentRequest, error) {
		r, earlier, err := w.Begin(t.Context(), issuingtest.Caller, "key 1", []byte("{}"), f.Encode)
		if earlier != nil {
			t.Fatal("there is an earlier answer")
		}
		return r, err
	}
	first, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	_, err = begin()
	issuingtest.WantCodes(t, err, 59956)
	w.Generation.Begin(1)
	second, err := begin()
	if err != nil {
		t.Fatalf("in another world: %v", err)
	}
	first.End()
	_, err = begin()
	issuingtest.WantCodes(t, err, 59956)
	second.End()
	third, err := begin()
	if err != nil {
		t.Fatal(err)
	}
	third.End()

	once := func() (*issuing.OperatorRequest, error) {
		r, _, err := w.BeginOperator(t.Context(), issuing.Operator{}, "POST /a", "key", []byte("1"))
		return r, err
	}
	operatorRequest, err := once()
	_, again := once()
	w.Generation.Begin(2)
	other, later := once()
	if errors.Join(err, later) != nil || again == nil {
		t.Fatalf("%v, %v, %v", err, again, later)
	}
	operatorRequest.End()
	other.End()

	if _, err := w.ProgramSettings(t.Context(), issuingtest.Caller); err != nil {
		t.Fatal(err)
	}
	w.Rename("Renamed")
	w.Generation.Begin(3)
	settings, err := w.ProgramSettings(t.Context(), issuingtest.Caller)
	if err != nil || settings.Settings.Name != "Renamed" {
		t.Errorf("the settings are those of %s: %v", settings.Settings.Name, err)
	}
}
