package vault

import (
	"context"
	"crypto"
	"errors"
	"io"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// held is a key whose decryptions wait until they are let go on, and are counted.
type held struct {
	crypto.Decrypter
	goOn chan struct{}

	mu           sync.Mutex
	atWork, most int
}

func (h *held) Decrypt(r io.Reader, block []byte, o crypto.DecrypterOpts) ([]byte, error) {
	h.mu.Lock()
	h.atWork++
	h.most = max(h.most, h.atWork)
	h.mu.Unlock()
	<-h.goOn
	h.mu.Lock()
	h.atWork--
	h.mu.Unlock()
	return h.Decrypter.Decrypt(r, block, o)
}

// hold returns a vault that decrypts so many PINs at the same time, none before goOn is closed.
func hold(t *testing.T, atWork int) (*Vault, *held) {
	t.Helper()
	v := open(t, Settings{})
	key := &held{Decrypter: v.pins.private, goOn: make(chan struct{})}
	v.pins.private, v.queue = key, newQueue(atWork)
	return v, key
}

// TestPinsBeyondTheQueueAreRefused fills the queue. One PIN more is refused at once, all others
// are decrypted, and then there is room again.
func TestPinsBeyondTheQueueAreRefused(t *testing.T) {
	const atWork = 2
	synctest.Test(t, func(t *testing.T) {
		v, key := hold(t, atWork)
		sent := encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)
		var all sync.WaitGroup
		for range atWork * (1 + waitingEach) {
			all.Go(func() {
				pin, err := v.OpenPin(t.Context(), sent, "RSA-OAEP-SHA256-MGF1")
				wantPin(t, pin, err, "4321", nil)
			})
		}
		synctest.Wait()
		pin, err := v.OpenPin(t.Context(), sent, "RSA-OAEP-SHA256-MGF1")
		wantPin(t, pin, err, "", ErrBusy)
		close(key.goOn)
		all.Wait()
		if key.most != atWork {
			t.Errorf("%d PINs were decrypted at the same time, want %d", key.most, atWork)
		}
		pin, err = v.OpenPin(t.Context(), sent, "RSA-OAEP-SHA256-MGF1")
		wantPin(t, pin, err, "4321", nil)
	})
}

// TestPinsComeInTheirOrder holds that who came first is served first, and that one whose time is
// over leaves its place to the next.
func TestPinsComeInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context()); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var order []int
		for i := range waitingEach {
			ctx := t.Context()
			if i%2 == 1 {
				late, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				ctx = late
			}
			go func() {
				err := q.enter(ctx)
				mu.Lock()
				defer mu.Unlock()
				if err != nil {
					if i%2 == 0 || !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("the %dth is told %v", i, err)
					}
					return
				}
				order = append(order, i)
				q.leave()
			}()
			synctest.Wait() // it waits before the next comes
		}
		if err := q.enter(t.Context()); !errors.Is(err, ErrBusy) {
			t.Errorf("one too many is told %v", err)
		}

		time.Sleep(2 * time.Second)
		synctest.Wait()
		if got, want := len(q.places), 1+waitingEach/2; got != want {
			t.Errorf("%d places are taken after the deadline, want %d", got, want)
		}
		q.leave()
		synctest.Wait()
		if len(order) != waitingEach/2 || !slices.IsSorted(order) {
			t.Errorf("served in the order %v", order)
		}
		if len(q.places) != 0 || len(q.slots) != 0 {
			t.Errorf("%d places and %d slots are never given back", len(q.places), len(q.slots))
		}
	})
}

// TestPinOfNobodyIsNotDecrypted holds that a PIN whose caller is gone is no work.
func TestPinOfNobodyIsNotDecrypted(t *testing.T) {
	v := open(t, Settings{})
	calls := &counter{pinKey: v.pins}
	v.pins.private = calls
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	sent := encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)
	for range 20 { // a free slot and an ended context are ready at the same time
		pin, err := v.OpenPin(gone, sent, everyAlgorithm)
		wantPin(t, pin, err, "", context.Canceled)
	}
	if calls.count != 0 || len(v.queue.places) != 0 || len(v.queue.slots) != 0 {
		t.Errorf("%d decryptions; %d places, %d slots are taken", calls.count,
			len(v.queue.places), len(v.queue.slots))
	}
}
