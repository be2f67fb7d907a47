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

// Remarks of 59956 on Idempotency-Key; this implementation's choice.
const (
	keyOfOtherBody = "It was used with another body."
	keyInFlight    = "A request with it is still at work."
)

// Encoded is an answer as the face has encoded it. The status belongs to the face: this package
// stores it beside the text and hands both back.
type Encoded struct {
	Status int
	Body   []byte
}

// Encode encodes the answer to an act that has returned a card or has refused. It runs in the
// transaction of the act, maybe several times and in another goroutine, so it must depend on its
// arguments alone.
type Encode func(result CardDetail, refusal error) Encoded

// IdempotentRequest is a request with an idempotency key that is at work. Begin returns it, the
// caller carries it through the act, Finish settles what its answer is, and End must follow. It is
// this implementation's extension of the interface.
type IdempotentRequest struct {
	service *Service
	scope   store.IdempotencyScope
	era     int64
	digest  []byte
	encode  Encode
	kept    bool // the transaction of the act has stored the answer
}

// Begin begins a request with an idempotency key. Exactly one result is set: the request, when it
// is to be performed; the answer that an earlier one was given; or an error, which is 59956 for a
// key that was used with another body, or whose request is still at work.
func (s *Service) Begin(
	ctx context.Context, who Caller, key string, body []byte, encode Encode,
) (*IdempotentRequest, *Encoded, error) {
	digest := sha256.Sum256(body)
	r := &IdempotentRequest{
		service: s, digest: digest[:], encode: encode,
		scope: store.IdempotencyScope{APIKey: who.Name, Route: who.Route, Key: key},
	}
	r.era = s.Era.Number()
	if !s.inFlight.enter(r.scope, r.era) {
		return nil, nil, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyInFlight)
	}
	begun := false
	defer func() { // also when the store panics: the key would stay taken
		if !begun {
			r.End()
		}
	}()
	earlier, err := r.earlier(ctx)
	begun = earlier == nil && err == nil
	if !begun {
		return nil, earlier, err
	}
	return r, nil, nil
}

// Finish stores the answer to a request that ended before an act stored one, such as a refusal,
// unless a later try may be answered otherwise. When another node was faster it returns the answer
// of that node, which is then the answer to this request, too.
func (r *IdempotentRequest) Finish(
	ctx context.Context, answer Encoded, refusal error,
) (earlier *Encoded, err error) {
	raced := errors.Is(refusal, errAnswered)
	if !raced && (r.kept || !keepable(refusal)) {
		return nil, nil
	}
	if !raced {
		err = r.service.store.Update(ctx, func(tx store.Tx) error { return r.put(tx, answer) })
		if !errors.Is(err, store.ErrExists) {
			return nil, toFault(err)
		}
	}
	earlier, err = r.earlier(ctx)
	if earlier == nil && err == nil {
		err = errors.New("issuing: the answer of another node is gone")
	}
	return earlier, err
}

// End lets a request with the same key begin.
func (r *IdempotentRequest) End() { r.service.inFlight.leave(r.scope, r.era) }

// earlier returns the answer that was given to the same request before, nil when there is none.
func (r *IdempotentRequest) earlier(ctx context.Context) (*Encoded, error) {
	var stored store.IdempotencyRecord
	err := r.service.store.Read(ctx, func(reader store.Tx) error {
		var err error
		stored, err = reader.Idempotency().Find(r.scope)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, toFault(err)
	}
	if !bytes.Equal(stored.BodyDigest, r.digest) {
		return nil, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyOfOtherBody)
	}
	return &Encoded{stored.HTTP, stored.Answer}, nil
}

// errAnswered ends an act whose request another node has answered in the meantime.
var errAnswered = errors.New("issuing: another node has answered the request")

// check ends a try of the act's transaction when another node has answered the request. The first
// try does without the lookup: the store refuses a second answer, and the next try finds the first.
func (r *IdempotentRequest) check(w *writeTx) error {
	if r == nil {
		return nil
	}
	r.kept = false // an earlier try was rolled back
	if w.optimistic {
		return nil
	}
	_, err := w.tx.Idempotency().Find(r.scope)
	if err == nil {
		return errAnswered
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// keep stores the answer to an act, unless a later try may be answered otherwise.
func (r *IdempotentRequest) keep(w *writeTx, result CardDetail, refusal error) error {
	if r == nil || !keepable(refusal) {
		return nil
	}
	r.kept = true
	return r.put(w.tx, r.encode(result, refusal))
}

// keepable reports whether the answer to an act that has refused, or has not, is given again.
func keepable(refusal error) bool { return refusal == nil || !fault.Transient(refusal) }

func (r *IdempotentRequest) put(tx store.Tx, answer Encoded) error {
	return tx.Idempotency().Put(store.IdempotencyRecord{
		IdempotencyScope: r.scope, BodyDigest: r.digest, HTTP: answer.Status, Answer: answer.Body,
		At: tx.Now(),
	})
}

// forgetBatch is how many answers one transaction drops at most, so that requests that write do not
// wait for it.
const forgetBatch = 100

// ForgetAnswers drops the answers that are older than Retention says, batch by batch. After each
// batch it rests as long as the batch took, which leaves half of the time to requests that write.
// When the context ends, the next run goes on. It is a background job.
func (s *Service) ForgetAnswers(ctx context.Context) error {
	for total := 0; ; {
		began := time.Now()
		var dropped int
		err := s.store.Update(ctx, func(tx store.Tx) error {
			var err error
			before := tx.Now().Add(-s.Retention.Filled().Answers)
			dropped, err = tx.Idempotency().DeleteBefore(before, forgetBatch)
			if err != nil {
				return err
			}
			ofOperators, err := tx.Answers().DeleteBefore(before, forgetBatch)
			dropped += ofOperators
			if err != nil {
				return err
			}
			results, err := tx.Approvals().DeleteResultsBefore(before, forgetBatch)
			dropped += results
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
		if err != nil || dropped < forgetBatch {
			return err
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
		}
	}
}

// inFlight are the requests with an idempotency key that are at work in this process, each in a
// world: what it does is no part of another. The zero value is ready.
type inFlight struct {
	mu     sync.Mutex
	scopes map[inFlightKey]bool
}

type inFlightKey struct {
	scope store.IdempotencyScope
	era   int64
}

func (f *inFlight) enter(scope store.IdempotencyScope, era int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := inFlightKey{scope, era}
	if f.scopes[key] {
		return false
	}
	if f.scopes == nil {
		f.scopes = make(map[inFlightKey]bool)
	}
	f.scopes[key] = true
	return true
}

func (f *inFlight) leave(scope store.IdempotencyScope, era int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.scopes, inFlightKey{scope, era})
}
