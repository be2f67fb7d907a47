package issuing

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/fault"
	"mintmark/internal/store"
)

// ReplayLife is how long an answer is given again to a repeated request.
const ReplayLife = 24 * time.Hour

// Remarks of 59956 on Idempotency-Key; this implementation's choice.
const (
	onceOtherBody = "It was used with another body."
	onceInFlight  = "A request with it is still at work."
)

// Answer is what a face sends back.
type Answer struct {
	HTTP     int
	Body     []byte
	Replayed bool // it was given before
}

// Retry names a request that must be done once: the caller's idempotency key, the request's body,
// and how the face writes the answer to what an act returned.
type Retry struct {
	Key    string
	Body   []byte
	Encode func(result any, err error) Answer
}

// Once performs a request unless it was performed before, and then gives the same answer again.
// The answer is kept in the transaction of the act, so both are on disk or neither is. A key that
// was used with another body, or whose request is still at work, is 59956. It is this
// implementation's extension of the interface.
func (s *Service) Once(
	ctx context.Context, who Caller, retry Retry, perform func(Caller) Answer,
) (Answer, error) {
	digest := sha256.Sum256(retry.Body)
	at := &once{
		scope:  store.IdempotencyScope{APIKey: who.Name, Route: who.Route, Key: retry.Key},
		digest: digest[:], encode: retry.Encode,
	}
	if !s.inFlight.enter(at.scope) {
		return Answer{}, onceFault(onceInFlight)
	}
	defer s.inFlight.leave(at.scope)

	earlier, err := s.replay(ctx, at)
	if err != nil || earlier.Replayed {
		return earlier, err
	}
	who.once = at
	answer := perform(who)
	if at.raced {
		return s.replay(ctx, at)
	}
	if at.kept || !worthKeeping(answer.HTTP) {
		return answer, nil
	}
	// The request failed before it wrote anything: only its answer is kept.
	err = s.store.Update(ctx, func(tx store.Tx) error {
		return tx.Idempotency().Put(at.record(answer, tx))
	})
	if errors.Is(err, store.ErrExists) {
		return s.replay(ctx, at)
	}
	return answer, toFault(err)
}

// replay returns the answer that was given before, if there is one.
func (s *Service) replay(ctx context.Context, at *once) (Answer, error) {
	var earlier store.IdempotencyRecord
	err := s.store.Read(ctx, func(r store.Tx) error {
		var err error
		earlier, err = r.Idempotency().Find(at.scope)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return Answer{}, nil
	}
	if err != nil {
		return Answer{}, toFault(err)
	}
	if !bytes.Equal(earlier.BodyDigest, at.digest) {
		return Answer{}, onceFault(onceOtherBody)
	}
	return Answer{HTTP: earlier.HTTP, Body: earlier.Answer, Replayed: true}, nil
}

// replayBatch is how many answers one transaction drops at most, so that callers who write do not
// wait for it.
const replayBatch = 100

// ForgetReplays drops the answers that are too old to be given again, batch by batch, and rests
// after each as long as it took: requests that write have at least half of the time. When the
// context ends the next run goes on. It is a background duty.
func (s *Service) ForgetReplays(ctx context.Context) error {
	for total := 0; ; {
		began := time.Now()
		var dropped int
		err := s.store.Update(ctx, func(tx store.Tx) error {
			var err error
			dropped, err = tx.Idempotency().DeleteBefore(tx.Now().Add(-ReplayLife), replayBatch)
			if err != nil || dropped == 0 {
				return err
			}
			return tx.Audit().Put(audit.Entry{
				At: tx.Now(), Actor: jobActor(ForgetJob), Act: "forget answers",
				Outcome: fmt.Sprintf("%d dropped", dropped),
			})
		})
		total += dropped
		if ctx.Err() != nil && total > 0 {
			return nil
		}
		if err != nil || dropped < replayBatch {
			return err
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
		}
	}
}

// once is a request with an idempotency key at work. A nil once is an ordinary request.
type once struct {
	scope  store.IdempotencyScope
	digest []byte
	encode func(result any, err error) Answer
	kept   bool // the act has kept its answer
	raced  bool // another node has done the request in the meantime
}

var errRaced = errors.New("issuing: another node has done the request")

// check ends the act when another node has done it. It begins each try of the act's transaction:
// what an earlier try has kept is gone. The first try is spared the look: where there is an answer
// already, no other can be kept.
func (o *once) check(w *writeTx) error {
	if o == nil {
		return nil
	}
	o.kept = false
	if w.optimistic {
		return nil
	}
	_, err := w.tx.Idempotency().Find(o.scope)
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	o.raced = err == nil
	return errors.Join(errRaced, err)
}

// keep keeps the answer to an act in the act's own transaction.
func (o *once) keep(tx store.Tx, result any, refusal error) error {
	if o == nil {
		return nil
	}
	answer := o.encode(result, refusal)
	o.kept = worthKeeping(answer.HTTP)
	if !o.kept {
		return nil
	}
	return tx.Idempotency().Put(o.record(answer, tx))
}

func (o *once) record(answer Answer, r store.Tx) store.IdempotencyRecord {
	return store.IdempotencyRecord{
		IdempotencyScope: o.scope, BodyDigest: o.digest, HTTP: answer.HTTP, Answer: answer.Body,
		At: r.Now(),
	}
}

// worthKeeping leaves out the answers that a later try may well change.
func worthKeeping(status int) bool {
	switch status {
	case 401, 403, 429:
		return false
	}
	return status < 500
}

func onceFault(remark string) error {
	return fault.New(fault.ValueNotAcceptable, "Idempotency-Key", remark)
}

// inFlight are the requests with an idempotency key that are at work in this process. The zero
// value is ready.
type inFlight struct {
	mu     sync.Mutex
	scopes map[store.IdempotencyScope]bool
}

func (f *inFlight) enter(scope store.IdempotencyScope) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.scopes[scope] {
		return false
	}
	if f.scopes == nil {
		f.scopes = make(map[store.IdempotencyScope]bool)
	}
	f.scopes[scope] = true
	return true
}

func (f *inFlight) leave(scope store.IdempotencyScope) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.scopes, scope)
}
