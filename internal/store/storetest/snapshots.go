package storetest

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/internal/store"
	"mintmark/internal/store/generation"
)

var worldTests = []test{
	{"PutBack", worldPutBack},
	{"Again", worldAgain},
	{"Missing", worldMissing},
	{"Reset", worldReset},
	{"Refused", worldRefused},
	{"Setting", worldSetting},
	{"Eras", worldEras},
	{"Meanwhile", worldMeanwhile},
}

func worldsOf(s store.Store) store.Snapshots { return s.(store.HasSnapshots).Snapshots() }

func saveWorld(t *testing.T, s store.Store, name, note string) {
	t.Helper()
	if err := worldsOf(s).Save(context.Background(), name, []byte(note)); err != nil {
		t.Fatalf("Save: %v", err)
	}
}

func restoreWorld(t *testing.T, s store.Store, name string) (note string) {
	t.Helper()
	text, err := worldsOf(s).Restore(context.Background(), name)
	if err != nil {
		t.Fatalf("Restore: %v", err)
	}
	return string(text)
}

func generationOf(t *testing.T, s store.Store) int64 {
	t.Helper()
	generation, err := worldsOf(s).Generation(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return generation
}

// worldPutBack changes and adds cards between a Save and a Restore. The restore must bring back the
// cards, and the next card must get the same ID as before.
func worldPutBack(t *testing.T, s store.Store) {
	background(t, s)
	before := kept(t, s, plain("before"))
	before = findCard(t, s, before.ID)
	generation := generationOf(t, s)
	saveWorld(t, s, "first", "note")
	var later int
	for range 3 {
		update(t, s, func(tx store.Tx) error {
			changed := before
			changed.NickName = "changed"
			return tx.Cards().Change(before, &changed)
		})
		added := kept(t, s, plain("later"))
		if later != 0 && added.ID != later {
			t.Errorf("got ID %d for the next card, want %d", added.ID, later)
		}
		later = added.ID
		findCard(t, s, later)
		if note := restoreWorld(t, s, "first"); note != "note" {
			t.Errorf("got note %q", note)
		}
		if diff := cmp.Diff(before, findCard(t, s, before.ID)); diff != "" {
			t.Errorf("card after the restore (-before +after):\n%s", diff)
		}
		err := s.View(context.Background(), func(r store.Tx) error {
			_, err := r.Cards().Find(programID, later)
			return err
		})
		wantError(t, "the later card", err, store.ErrNotFound)
		next := generationOf(t, s)
		if next == generation {
			t.Errorf("the generation is still %d", next)
		}
		generation = next
	}
}

// worldAgain saves under a name that exists, with another snapshot present.
func worldAgain(t *testing.T, s store.Store) {
	background(t, s)
	saveWorld(t, s, "b", "first")
	stored := kept(t, s, plain("card"))
	saveWorld(t, s, "a", "other")
	saveWorld(t, s, "b", "second")
	all, err := worldsOf(s).List(context.Background())
	if err != nil || len(all) != 2 || all[0].Name != "a" || all[1].Name != "b" ||
		string(all[1].Note) != "second" || all[1].Made.IsZero() {
		t.Fatalf("got snapshots %+v, error %v", all, err)
	}
	wantError(t, "Drop", worldsOf(s).Drop(context.Background(), "a"), nil)
	restoreWorld(t, s, "b")
	findCard(t, s, stored.ID)
	all, err = worldsOf(s).List(context.Background())
	if err != nil || len(all) != 1 {
		t.Errorf("got snapshots %+v, error %v", all, err)
	}
}

func worldMissing(t *testing.T, s store.Store) {
	_, err := worldsOf(s).Restore(context.Background(), "none")
	wantError(t, "Restore", err, store.ErrNotFound)
	wantError(t, "Drop", worldsOf(s).Drop(context.Background(), "none"), store.ErrNotFound)
	if generation := generationOf(t, s); generation != 0 {
		t.Errorf("got generation %d, want 0", generation)
	}
}

// worldReset resets a store with a card and fills it. The next card must get the first ID, and
// saved snapshots must remain.
func worldReset(t *testing.T, s store.Store) {
	background(t, s)
	first := kept(t, s, plain("first"))
	saveWorld(t, s, "kept", "")
	filled := false
	err := worldsOf(s).Reset(context.Background(), func(tx store.Tx) error {
		filled = true
		return tx.Banks().Put(store.Bank{ID: bankID + 1, Name: "Other"})
	})
	if err != nil || !filled {
		t.Fatalf("Reset: %v, filled %t", err, filled)
	}
	banks := find(t, s, func(r store.Tx) ([]store.Bank, error) { return r.Banks().List() })
	if len(banks) != 1 || banks[0].ID != bankID+1 {
		t.Errorf("got banks %+v", banks)
	}
	status, err := worldsOf(s).Status(context.Background())
	if err != nil || status.Note != nil || status.Generation == 0 {
		t.Errorf("%+v, %v", status, err)
	}
	wantError(t, "Reset", worldsOf(s).Reset(context.Background(), func(store.Tx) error {
		return nil
	}), nil)
	background(t, s)
	if again := kept(t, s, plain("first")); again.ID != first.ID {
		t.Errorf("got ID %d for the first card again, want %d", again.ID, first.ID)
	}
	restoreWorld(t, s, "kept")
	findCard(t, s, first.ID)
}

// worldRefused checks that nothing changes when the closure of a Reset fails.
func worldRefused(t *testing.T, s store.Store) {
	background(t, s)
	stored := kept(t, s, plain("card"))
	refused := errors.New("refused")
	err := worldsOf(s).Reset(context.Background(), func(store.Tx) error { return refused })
	wantError(t, "Reset", err, refused)
	findCard(t, s, stored.ID)
	if next := kept(t, s, plain("next")); next.ID != stored.ID+1 || generationOf(t, s) != 0 {
		t.Errorf("got next card %d in generation %d", next.ID, generationOf(t, s))
	}
}

func worldSetting(t *testing.T, s store.Store) {
	for i, setting := range []store.SandboxClock{
		{Offset: 90*24*time.Hour + 1},
		{Frozen: time.Date(2300, 1, 2, 3, 4, 5, 6, time.UTC)},
		{},
	} {
		err := worldsOf(s).KeepSetting(context.Background(), setting)
		worldStatus, statusErr := worldsOf(s).Status(context.Background())
		want := store.SandboxStatus{Setting: setting, Settings: int64(i) + 1}
		if diff := cmp.Diff(want, worldStatus); diff != "" || errors.Join(err, statusErr) != nil {
			t.Errorf("%v %v (-want +got):\n%s", err, statusErr, diff)
		}
	}
}

// worldEras runs transactions in a context of a generation that has ended.
func worldEras(t *testing.T, s store.Store) {
	background(t, s)
	generation := &generation.Generation{}
	try := func(what string, want error) {
		t.Helper()
		ctx := generation.In(context.Background())
		nothing := func(store.Tx) error { return nil }
		wantError(t, what+", Read", s.Read(ctx, nothing), want)
		wantError(t, what+", View", s.View(ctx, nothing), want)
		wantError(t, what+", Update", s.Update(ctx, nothing), want)
		wantError(t, what+", Dispatch", s.Dispatch(ctx, func(store.OrderQueue) error {
			return nil
		}), want)
	}
	try("in the first world", nil)
	saveWorld(t, s, "a", "")
	try("saved", nil)
	restoreWorld(t, s, "a")
	try("put back", store.ErrRestored)
	generation.Begin(generationOf(t, s))
	try("known", nil)
}

// worldMeanwhile restores a snapshot during reads and writes. Each must see one consistent state:
// two banks that always have the same name.
func worldMeanwhile(t *testing.T, s store.Store) {
	rename := func(tx store.Tx) error {
		banks, err := tx.Banks().List()
		for _, bank := range banks {
			bank.Name = banks[0].Name + "x"
			err = errors.Join(err, tx.Banks().Put(bank))
		}
		return err
	}
	update(t, s,
		func(tx store.Tx) error { return tx.Banks().Put(store.Bank{ID: 1, Name: "x"}) },
		func(tx store.Tx) error { return tx.Banks().Put(store.Bank{ID: 2, Name: "x"}) },
	)
	saveWorld(t, s, "a", "")
	done := make(chan struct{})
	var others sync.WaitGroup
	loop := func(what string, fn func() error) {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				// On a slow machine a restore takes longer than others wait for its tables.
				if err := fn(); err != nil && !errors.Is(err, store.ErrBusy) {
					t.Errorf("%s: %v", what, err)
					return
				}
			}
		})
	}
	for range 3 {
		loop("write", func() error { return s.Update(context.Background(), rename) })
		loop("read", func() error {
			return s.View(context.Background(), func(r store.Tx) error {
				banks, err := r.Banks().List()
				if len(banks) != 2 || banks[0].Name != banks[1].Name {
					t.Errorf("got banks %+v", banks)
				}
				return err
			})
		})
	}
	for range 10 {
		restoreWorld(t, s, "a")
	}
	close(done)
	others.Wait()
}
