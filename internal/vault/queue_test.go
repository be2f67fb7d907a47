package vault

import (
	"context"
	"crypto"
	"errors"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"mintmark/internal/testkit/testrun"
)

// held is a key that counts its decryptions and blocks them until it is released.
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

// openBlocked returns a vault that decrypts atWork PINs at the same time, none before goOn is
// closed.
func openBlocked(t *testing.T, atWork int) (*Vault, *held) {
	t.Helper()
	v := open(t, Settings{})
	key := &held{Decrypter: v.pins[0].private, goOn: make(chan struct{})}
	v.pins[0].private, v.queue = key, newQueue(atWork)
	return v, key
}

func wantEmpty(t *testing.T, q *queue) {
	t.Helper()
	if q.atWork != 0 || q.waiting != 0 || len(q.callers) != 0 || len(q.round) != 0 {
		t.Errorf("%d at work, %d waiting, %d callers and %d in the round are left",
			q.atWork, q.waiting,
			len(q.callers), len(q.round))
	}
}

// TestPinsBeyondTheQueueAreRefused fills the queue. One more PIN is refused immediately, all others
// are decrypted, and then the queue accepts PINs again.
func TestPinsBeyondTheQueueAreRefused(t *testing.T) {
	const atWork = 2
	synctest.Test(t, func(t *testing.T) {
		v, key := openBlocked(t, atWork)
		sent := encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)
		var all sync.WaitGroup
		for range atWork * (1 + waitingEach) {
			all.Go(func() {
				pin, err := v.DecryptCallerPin(t.Context(), "a", sent, "RSA-OAEP-SHA256-MGF1")
				wantPin(t, pin, err, "4321", nil)
			})
		}
		synctest.Wait()
		pin, err := v.DecryptCallerPin(t.Context(), "a", sent, "RSA-OAEP-SHA256-MGF1")
		wantPin(t, pin, err, "", ErrBusy)
		close(key.goOn)
		all.Wait()
		if key.most != atWork {
			t.Errorf("%d PINs were decrypted at the same time, want %d", key.most, atWork)
		}
		pin, err = v.DecryptCallerPin(t.Context(), "a", sent, "RSA-OAEP-SHA256-MGF1")
		wantPin(t, pin, err, "4321", nil)
	})
}

// TestPinsComeInTheirOrder checks that PINs are served in order of arrival, and that a PIN whose
// deadline passes gives its place to the next.
func TestPinsComeInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context(), "a"); err != nil {
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
				err := q.enter(ctx, "a")
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
			synctest.Wait() // it is queued before the next one
		}
		if err := q.enter(t.Context(), "a"); !errors.Is(err, ErrBusy) {
			t.Errorf("one too many is told %v", err)
		}

		testrun.Pass(2 * time.Second)
		if got, want := q.waiting, waitingEach/2; got != want {
			t.Errorf("%d wait after the deadline, want %d", got, want)
		}
		q.leave()
		synctest.Wait()
		if len(order) != waitingEach/2 || !slices.IsSorted(order) {
			t.Errorf("served in the order %v", order)
		}
		wantEmpty(t, q)
	})
}

// TestEndedRequestIsNotDecrypted checks that a PIN is not decrypted after its request has ended.
func TestEndedRequestIsNotDecrypted(t *testing.T) {
	v := open(t, Settings{})
	calls := &counter{pinKey: v.pins[0]}
	v.pins[0].private = calls
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	sent := encrypt(t, v, "4321", crypto.SHA256, crypto.SHA256)
	for range 20 { // a free slot and an ended context are ready together
		pin, err := v.DecryptCallerPin(gone, "a", sent, everyAlgorithm)
		wantPin(t, pin, err, "", context.Canceled)
	}
	if calls.count != 0 {
		t.Errorf("%d decryptions", calls.count)
	}
	wantEmpty(t, v.queue)
}

// TestCallersTakeTurns lets one caller fill the queue. A second caller still gets in and waits for
// at most one PIN of the first, besides the one being decrypted, and so does a third. The first is
// served whenever the others have no PIN waiting.
func TestCallersTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		if err := q.enter(t.Context(), "many"); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var served []string
		refused := make(map[string]int)
		come := func(caller string) {
			go func() {
				err := q.enter(t.Context(), caller)
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					served = append(served, caller)
				case errors.Is(err, ErrBusy):
					refused[caller]++
				default:
					t.Errorf("%s is told %v", caller, err)
				}
			}()
			synctest.Wait()
		}
		for range 100 {
			come("many")
		}
		for _, caller := range []string{"one", "two", "two"} {
			come(caller)
		}
		// The queue is full, and the caller with the most PINs has lost places to the others.
		if refused["many"] != 100-waitingEach+3 || refused["one"] != 0 || refused["two"] != 0 {
			t.Errorf("refused: %v", refused)
		}
		for range 1 + waitingEach {
			q.leave()
			synctest.Wait()
		}
		first := []string{"many", "one", "two", "many", "two", "many"}
		if len(served) != waitingEach || !slices.Equal(served[:len(first)], first) {
			t.Errorf("served: %q", served)
		}
		wantEmpty(t, q)
	})
}

// TestPlacesAreSharedEqually lets two callers fill the queue: neither displaces the other below
// half.
func TestPlacesAreSharedEqually(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(1)
		ctx, cancel := context.WithCancel(t.Context())
		if err := q.enter(ctx, "first"); err != nil {
			t.Fatal(err)
		}
		for _, caller := range []string{"first", "second", "first"} {
			for range 2 * waitingEach {
				go func() { _ = q.enter(ctx, caller) }()
				synctest.Wait()
			}
		}
		for _, caller := range []string{"first", "second"} {
			if got := len(q.callers[caller].waiters); got != waitingEach/2 {
				t.Errorf("%s has %d places of %d", caller, got, waitingEach)
			}
		}
		cancel()
		synctest.Wait()
		q.leave()
		wantEmpty(t, q)
	})
}

// TestBadPinsSlowTheirCaller checks that inputs that are not PINs slow down only their caller, that
// the caller's waiting PINs are not decrypted once the limit is reached, and that the limit
// recovers.
func TestBadPinsSlowTheirCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, key := openBlocked(t, 1)
		calls := &counter{pinKey: pinKey{private: key, public: v.pins[0].public}}
		v.pins[0].private = calls
		var all sync.WaitGroup
		var failed, slowed atomic.Int64
		for range waitingEach {
			all.Go(func() {
				_, err := v.DecryptCallerPin(t.Context(), "broken", "AAAA", "RSA-OAEP-SHA1-MGF1")
				wait := (*FailingError)(nil)
				switch {
				case errors.Is(err, ErrUndecryptable):
					failed.Add(1)
				case errors.As(err, &wait) && wait.Wait > 0 && wait.Wait <= time.Second:
					slowed.Add(1)
				default:
					t.Errorf("told %v", err)
				}
			})
		}
		synctest.Wait()
		close(key.goOn)
		all.Wait()
		if failed.Load() != failures || slowed.Load() != waitingEach-failures ||
			calls.count != failures {
			t.Errorf("%d failed, %d are slowed, %d decryptions", failed.Load(), slowed.Load(),
				calls.count)
		}
		sent := encrypt(t, v, "4321", crypto.SHA1, crypto.SHA1)
		pin, err := v.DecryptCallerPin(t.Context(), "other", sent, "RSA-OAEP-SHA1-MGF1")
		wantPin(t, pin, err, "4321", nil)
		_, err = v.DecryptCallerPin(t.Context(), "broken", sent, "RSA-OAEP-SHA1-MGF1")
		if !errors.As(err, new(*FailingError)) {
			t.Errorf("a good PIN among them is told %v", err)
		}
		testrun.Pass(failureEvery)
		for range 5 { // good ones do not count
			pin, err = v.DecryptCallerPin(t.Context(), "broken", sent, "RSA-OAEP-SHA1-MGF1")
			wantPin(t, pin, err, "4321", nil)
		}
		wantEmpty(t, v.queue)
	})
}
