package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mintmark/client"
	"mintmark/client/admin"
	controls "mintmark/client/sandbox"
	"mintmark/e2e/ledger"
	"mintmark/internal/domain/program"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/testkit/testrun"
	"mintmark/internal/vault"
)

// The variables set the number of cards to re-encrypt, and how often the program is killed
// meanwhile.
const (
	resealCardsVariable = "MINTMARK_RESEALED_CARDS"
	resealKillsVariable = "MINTMARK_RESEAL_KILLS"
)

// TestReseal rotates the key of a bank under load: no request may fail. Then it repeatedly rotates
// again and kills the program during re-encryption. Every number must decrypt, and must be
// unchanged.
func TestReseal(t *testing.T) {
	t.Parallel()
	w := &rotating{T: t, data: filepath.Join(t.TempDir(), "data")}
	w.start()
	w.order(setting(t, resealCardsVariable, 600))

	before := w.numbers()
	stop := w.load()
	w.rotate()
	w.await()
	if failed := stop(); failed != nil {
		t.Errorf("while numbers are sealed anew a request fails: %v", failed)
	}
	w.compare(before, w.numbers())

	inTheMiddle := 0
	for range setting(t, resealKillsVariable, 2) {
		stop := w.load()
		key := w.rotate()
		go w.pass()
		testrun.Within(t, "a number is sealed under the new key",
			func() bool { return w.under(key) > 0 })
		//nolint:forbidigo // The random moment of the kill is the point.
		time.Sleep(rand.N(30 * time.Millisecond))
		w.end(syscall.SIGKILL)
		_ = stop() // the kill has ended it
		if w.compare(before, w.numbers()) {
			inTheMiddle++
		}
		w.start()
	}
	w.await()
	w.compare(before, w.numbers())
	w.retire()
	w.compare(before, w.numbers())
	t.Logf("%d numbers; killed %d times in the middle", len(before), inTheMiddle)
}

// rotating is a sandbox in which the key of bank 1 is rotated.
type rotating struct {
	*testing.T
	*process
	data     string
	operator *admin.Client
}

func (w *rotating) start() {
	w.T.Helper()
	w.process = sandbox(w.T, "--data", w.data)
	w.operator = admin.New(w.process.adminURL(), "sandbox-administrator")
}

func (w *rotating) order(count int) {
	w.T.Helper()
	api := client.New(w.process.url, "example1", "example1")
	var ordering sync.WaitGroup
	const callers = 8
	for caller := range callers {
		ordering.Go(func() {
			for i := range count / callers {
				_, err := api.CardInitiate(w.Context(), newCard(fmt.Sprint(caller, " ", i)))
				if err != nil {
					w.T.Error(err)
					return
				}
			}
		})
	}
	ordering.Wait()
}

// load makes callers order, lock and unlock cards until stop is called, which returns the first
// error.
func (w *rotating) load() (stop func() error) {
	ctx, cancel := context.WithCancel(w.Context())
	var first atomic.Pointer[error]
	var working sync.WaitGroup
	began := time.Now().UnixNano()
	for i := range 4 {
		writing := newWriter(i, new(counter))
		writing.name = fmt.Sprint("load ", began, i)
		writing.api = client.New(w.process.url, "example1", "example1")
		working.Go(func() {
			for ctx.Err() == nil {
				card, err := writing.api.CardInitiate(ctx, newCard(fmt.Sprint(writing.name, writing.tags)))
				writing.tags++
				if err == nil {
					_, err = writing.api.CardLock(ctx, client.CardLockRequest{
						CustomerID: customer, CardID: card.CardID, LockReasonTypeCode: "TMP",
					})
				}
				if err != nil && ctx.Err() == nil {
					first.CompareAndSwap(nil, &err)
					return
				}
			}
		})
	}
	return func() error {
		cancel()
		working.Wait()
		if failed := first.Load(); failed != nil {
			return *failed
		}
		return nil
	}
}

// rotate rotates the key of the bank and returns the id of the new one.
func (w *rotating) rotate() int {
	w.T.Helper()
	key, err := admin.Do[admin.BankKey](w.Context(), w.operator, admin.Request{
		Method: http.MethodPost, Path: "banks/1/encryption-keys/1/rotate",
		Body: admin.NewBankKey{}, Reason: "a test",
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return key.ID
}

func (w *rotating) keys() []admin.BankKey {
	w.T.Helper()
	list, err := admin.Page[admin.BankKey](w.Context(), w.operator, "bank-keys", nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return list.Items
}

// under returns the number of card numbers encrypted under a key.
func (w *rotating) under(key int) int64 {
	w.T.Helper()
	for _, k := range w.keys() {
		if k.ID == key {
			return k.Numbers
		}
	}
	return 0
}

// pass advances the clock by a minute, so that the job is due, even if it was claimed by a program
// that was killed.
func (w *rotating) pass() {
	_, _ = controls.Do[controls.Clock](w.Context(), controls.New(w.process.adminURL()),
		http.MethodPut, "clock", controls.ClockChange{Advance: "1m"})
}

// await waits until everything is encrypted under the active key.
func (w *rotating) await() {
	w.T.Helper()
	left := int64(0)
	testrun.Within(w.T, "everything is sealed under the key that seals", func() bool {
		w.pass()
		left = 0
		for _, key := range w.keys() {
			if key.BankID == 1 && !key.Seals {
				left += key.Numbers + key.Pins
			}
		}
		return left == 0
	}, func() any { return fmt.Sprint(left, " texts under other keys") })
}

// retire retires every key that is not active.
func (w *rotating) retire() {
	w.T.Helper()
	for _, key := range w.keys() {
		if key.ID == vault.KeysetKey || key.Seals {
			continue
		}
		_, err := admin.Do[admin.BankKey](w.Context(), w.operator, admin.Request{
			Method: http.MethodPost, Path: fmt.Sprintf("banks/1/bank-keys/%d/retire", key.ID),
			Body: admin.Reasoned{}, Reason: "a test", Revision: key.Revision,
		})
		if err != nil {
			w.T.Error(err)
		}
	}
}

// sealedNumber is the number of a card and the key that encrypts it.
type sealedNumber struct {
	number string
	key    int
}

// numbers decrypts every number in the database with only the keys of the installation, like
// another program would.
func (w *rotating) numbers() map[int]sealedNumber {
	w.T.Helper()
	keys, err := installation.OpenVault(w.data, true, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	kept, err := installation.OpenStore(w.Context(), w.data, ledger.Database(w.T, w.data))
	if err != nil {
		w.T.Fatal(err)
	}
	defer kept.Close()
	opened := map[int]sealedNumber{}
	err = kept.View(w.Context(), func(r store.Tx) error {
		marks := [][]byte{keys.OwnMark()}
		all, err := r.BankKeys().List()
		if err != nil {
			return err
		}
		for _, key := range all {
			if key.State == program.RetiredKey {
				continue
			}
			if err := keys.UseBankKey(key.ID, key.PciKeyID, key.Wrapped); err != nil {
				return err
			}
			marks = append(marks, vault.Mark(key.ID))
		}
		for _, mark := range marks {
			texts, err := r.BankKeys().ListSealedNumbers(
				store.SealedQuery{BankID: 1, Mark: mark, Limit: 1 << 30})
			if err != nil {
				return err
			}
			for _, text := range texts {
				number, err := keys.OpenNumber(text.Sealed, text.CardID)
				if err != nil {
					return err
				}
				opened[text.CardID] = sealedNumber{number.Reveal(), keys.KeyOf(text.Sealed)}
			}
		}
		return nil
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return opened
}

// compare checks that the numbers are unchanged, and reports whether several keys encrypt them.
func (w *rotating) compare(before, after map[int]sealedNumber) (several bool) {
	w.T.Helper()
	under := map[int]int{}
	for id, s := range before {
		if after[id].number != s.number {
			w.T.Errorf("the number of card %d is another one, or is not there", id)
		}
		under[after[id].key]++
	}
	return len(under) > 1
}
