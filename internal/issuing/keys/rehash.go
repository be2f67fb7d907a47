package keys

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/digests"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// RehashJob is the name of the job that gives card numbers the digests that a rotation of the
// digest key requires.
const RehashJob = "re-hash card numbers"

// DigestKeyAct is the audit name of a change of digest keys.
const DigestKeyAct = "digest-key"

// rehashBatch limits the card numbers that one transaction changes, so that callers do not wait.
const rehashBatch = 100

// digestedAgain is how long the job looks only at cards after the last one that it reached, before
// it visits all card numbers once more. It also does so when the phase has settled: see
// digests.Settling.
const digestedAgain = time.Hour

// digested is the progress of the job on this node.
type digested struct {
	mu         sync.Mutex
	generation int
	began      time.Time
	after      int
}

// from returns the card after which to look for numbers without a second digest.
func (d *digested) from(state digests.State, now time.Time) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	age, settled := now.Sub(d.began), state.Changed.Add(digests.Settling)
	if d.generation != state.Generation || age < 0 || age >= digestedAgain ||
		d.began.Before(settled) && !now.Before(settled) {
		d.generation, d.began, d.after = state.Generation, now, 0
	}
	return d.after
}

func (d *digested) came(generation, to int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.generation == generation {
		d.after = to
	}
}

// Rehash does the rest of a rotation of the digest key, batch by batch, and returns how many card
// numbers it has changed. It is a background job, and idempotent.
func (s *Service) Rehash(ctx context.Context) (done int, err error) {
	var state digests.State
	var now time.Time
	err = s.Store.View(ctx, func(r store.Tx) error {
		match, err := ReadDigestState(s.Service, r)
		state, now = match, r.Now()
		return err
	})
	if err != nil {
		return 0, err
	}
	switch state.Phase {
	case digests.TwoKeys:
		return s.addDigests(ctx, state, now)
	case digests.Moving:
		return s.moveDigests(ctx)
	}
	return 0, nil
}

// addDigests gives each card number without a second digest its second digest.
func (s *Service) addDigests(
	ctx context.Context, state digests.State, now time.Time,
) (done int, err error) {
	after := s.digested.from(state, now)
	for tries := 0; ; {
		secondDigests, err := s.listUndigested(ctx, state, after)
		if err != nil || len(secondDigests) == 0 {
			return done, err
		}
		err = s.putSeconds(ctx, state, secondDigests)
		if errors.Is(err, store.ErrLostUpdate) && tries < reencryptTries {
			tries++ // another node has changed some of them
			continue
		}
		if errors.Is(err, errOtherGeneration) {
			return done, nil
		}
		if err != nil {
			return done, err
		}
		tries = 0
		done += len(secondDigests)
		after = secondDigests[len(secondDigests)-1].cardID
		s.digested.came(state.Generation, after)
	}
}

// secondDigest is a second digest to store.
type secondDigest struct {
	cardID int
	digest []byte
}

// listUndigested returns the second digests of a batch of card numbers. It computes them outside
// the transaction that stores them, which others may wait for.
func (s *Service) listUndigested(
	ctx context.Context, state digests.State, after int,
) ([]secondDigest, error) {
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (digests []secondDigest, err error) {
		sealed, err := r.CardNumbers().ListUndigested(after, rehashBatch)
		if err != nil {
			return nil, err
		}
		for _, row := range sealed {
			number, err := OpenNumber(s.Service, r, row.Sealed, row.CardID)
			if err != nil {
				return nil, err
			}
			digest, err := DigestUnder(s.Service, state, number)
			if err != nil {
				return nil, err
			}
			digests = append(digests, secondDigest{row.CardID, digest.Second})
		}
		return digests, nil
	})
}

// errOtherGeneration ends a batch that another phase of the rotation has overtaken.
var errOtherGeneration = errors.New("issuing: the rotation is in another phase")

func (s *Service) putSeconds(
	ctx context.Context, state digests.State, secondDigests []secondDigest,
) error {
	job := issuing.Caller{Actor: issuing.JobActor(RehashJob), Route: DigestKeyAct}
	return s.Update(ctx, job, func(tx *issuing.Tx) error {
		stored, err := ReadDigestState(s.Service, tx)
		if err != nil {
			return err
		}
		if stored.Generation != state.Generation {
			return errOtherGeneration
		}
		for _, row := range secondDigests {
			if err := tx.CardNumbers().PutSecondDigest(row.cardID, row.digest); err != nil {
				return err
			}
		}
		return nil
	})
}

// moveDigests replaces first digests with second ones, and ends the rotation when none is left.
func (s *Service) moveDigests(ctx context.Context) (done int, err error) {
	job := issuing.Caller{Actor: issuing.JobActor(RehashJob), Route: DigestKeyAct}
	for settled := false; !settled; {
		moved := 0
		err := s.Update(ctx, job, func(tx *issuing.Tx) error {
			state, err := ReadDigestState(s.Service, tx)
			if err != nil {
				return err
			}
			moved, settled = 0, state.Phase != digests.Moving
			if settled {
				return nil
			}
			moved, err = tx.CardNumbers().ChangeFirstDigests(rehashBatch)
			if err != nil || moved == rehashBatch {
				return err
			}
			settled = true
			return settle(tx, state)
		})
		if err != nil {
			return done, err
		}
		done += moved
	}
	return done, nil
}

// settle ends a rotation.
func settle(tx *issuing.Tx, state digests.State) error {
	state, err := state.Settle(tx.Now())
	if err != nil {
		return err
	}
	if err := tx.CardNumbers().PutDigestState(state); err != nil {
		return err
	}
	of, err := tx.Installation().Find()
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return tx.PutEntry(audit.Entry{
		Subject: audit.Subject{Kind: audit.Installation, ID: digests.Fingerprint(of.Keyset)},
		Outcome: fmt.Sprintf("no digest is left of another key than %d", state.Key.ID),
	})
}
