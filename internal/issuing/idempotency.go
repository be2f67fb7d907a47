package issuing

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/domain/fault"
	"mintmark/internal/store"
)

// Remarks of 59956 on Idempotency-Key. The wording is this implementation's choice.
const (
	keyOfOtherBody = "It was used with another body."
	keyInFlight    = "A request with it is still at work."
	answerLost     = "The request with it was done, and its answer was lost."
)

// ErrAnswerLost reports that an operator's request was performed, but the process ended before its
// response was stored.
var ErrAnswerLost = errors.New("issuing: the request was done, but its answer was lost")

// Encoded is a response as the face encoded it. The status has no meaning in this package, which
// stores it with the body and returns both.
type Encoded struct {
	Status int
	Body   []byte
}

// Encode encodes the result of an act, or its refusal. It runs in the transaction of the act,
// possibly several times and in another goroutine, so it must depend only on its arguments.
type Encode func(result any, refusal error) Encoded

// idempotent is the common part of requests with an idempotency key: those of callers and those of
// operators, whose responses are stored separately.
type idempotent struct {
	service    *Service
	atWork     *inFlight
	records    func(store.Tx) idempotencyRecords
	scope      store.IdempotencyScope
	generation int64
	digest     []byte
}

// idempotencyRecords stores responses, either to callers or to operators.
type idempotencyRecords interface {
	Find(scope store.IdempotencyScope) (store.IdempotencyRecord, error)
	Put(r store.IdempotencyRecord) error
}

// begin registers the request as in flight. It returns the results of earlier, and an error if the
// request is already in flight. Both results are nil for a request that must be performed.
func (r *idempotent) begin(ctx context.Context) (earlier *Encoded, err error) {
	if !r.atWork.enter(r.scope, r.generation) {
		return nil, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyInFlight)
	}
	begun := false
	defer func() { // also if the store panics: otherwise the key would stay in flight
		if !begun {
			r.End()
		}
	}()
	earlier, err = r.earlier(ctx)
	begun = earlier == nil && err == nil
	return earlier, err
}

// End removes the request from those in flight, so that another with the same key can begin.
func (r *idempotent) End() { r.atWork.leave(r.scope, r.generation) }

// earlier returns the stored response to the same request, nil if there is none. For a key that was
// used with another body, it returns the error and the response to that body.
func (r *idempotent) earlier(ctx context.Context) (*Encoded, error) {
	stored, err := store.ReadOf(ctx, r.service.Store,
		func(tx store.Tx) (store.IdempotencyRecord, error) { return r.records(tx).Find(r.scope) })
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, FaultOf(err)
	case !bytes.Equal(stored.BodyDigest, r.digest):
		return &Encoded{stored.HTTP, stored.Answer},
			fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyOfOtherBody)
	case stored.HTTP == 0: // an act marked the key, and no response followed
		return nil, errors.Join(ErrAnswerLost,
			fault.New(fault.ValueNotAcceptable, "Idempotency-Key", answerLost))
	}
	return &Encoded{stored.HTTP, stored.Answer}, nil
}

func (r *idempotent) put(tx store.Tx, answer Encoded) error {
	return r.records(tx).Put(store.IdempotencyRecord{
		IdempotencyScope: r.scope, BodyDigest: r.digest, HTTP: answer.Status, Answer: answer.Body,
		At: tx.Now(),
	})
}

// IdempotentRequest is a caller's request with an idempotency key that is in flight. Begin returns
// it, Caller carries it through the act, Finish settles its response, and End must follow. It is
// this implementation's extension of the interface.
type IdempotentRequest struct {
	idempotent
	encode Encode
	kept   bool // the transaction of the act stored the response
}

// Begin begins a request with an idempotency key. Exactly one result is set: the request, if it
// must be performed; the response to an earlier request with the key; or an error, which is 59956
// for a key that was used with another body or whose request is still in flight.
func (s *Service) Begin(
	ctx context.Context, who Caller, key string, body []byte, encode Encode,
) (*IdempotentRequest, *Encoded, error) {
	r := &IdempotentRequest{encode: encode, idempotent: idempotent{
		service: s, atWork: &s.atWork, generation: s.Generation.Number(),
		digest:  s.Vault.DigestRequest(body),
		scope:   store.IdempotencyScope{APIKey: who.Name, Route: who.Route, Key: key},
		records: func(tx store.Tx) idempotencyRecords { return tx.CallerAnswers() },
	}}
	earlier, err := r.begin(ctx)
	switch {
	case err != nil:
		return nil, nil, err
	case earlier != nil:
		return nil, earlier, nil
	}
	return r, nil, nil
}

// Finish stores the response to a request that ended before an act stored one, such as a refusal,
// unless a retry might get a different response. If another node was faster, Finish returns the
// response of that node, which is then the response to this request, too.
func (r *IdempotentRequest) Finish(
	ctx context.Context, answer Encoded, refusal error,
) (earlier *Encoded, err error) {
	raced := errors.Is(refusal, errAnswered)
	if !raced && (r.kept || !keepable(refusal)) {
		return nil, nil
	}
	if !raced {
		err = r.service.Store.Update(ctx, func(tx store.Tx) error { return r.put(tx, answer) })
		if !errors.Is(err, store.ErrExists) {
			return nil, FaultOf(err)
		}
	}
	earlier, err = r.earlier(ctx)
	if err == nil && earlier == nil {
		err = errors.New("issuing: the answer stored by another node is gone")
	}
	if err != nil {
		return nil, err
	}
	return earlier, nil
}

// errAnswered ends an act whose request was answered by another node in the meantime.
var errAnswered = errors.New("issuing: another node has answered the request")

// check ends an attempt at the act's transaction if another node has answered the request. The
// first attempt skips the lookup: the store rejects a second response, and the next attempt finds
// the first.
func (r *IdempotentRequest) check(tx *Tx) error {
	if r == nil {
		return nil
	}
	r.kept = false // an earlier attempt was rolled back
	if tx.Optimistic {
		return nil
	}
	_, err := tx.CallerAnswers().Find(r.scope)
	if err == nil {
		return errAnswered
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// keep stores the response to an act, unless a retry might get a different one.
func (r *IdempotentRequest) keep(tx *Tx, result any, refusal error) error {
	if r == nil || !keepable(refusal) {
		return nil
	}
	r.kept = true
	return r.put(tx, r.encode(result, refusal))
}

// keepable reports whether a response is stored and replayed: that of a success, and of a refusal
// that is not transient.
func keepable(refusal error) bool { return refusal == nil || !fault.Transient(refusal) }

// purgeBatch limits the rows of each kind that one transaction deletes, so that requests that write
// do not wait for it.
const purgeBatch = 100

// PurgeAnswers deletes the responses that are older than Retention allows, batch by batch. After
// each batch it pauses for as long as the batch took, which leaves half of the time to requests
// that write. If the context ends, the next run continues. It is a background job.
func (s *Service) PurgeAnswers(ctx context.Context) error {
	for total := 0; ; {
		began := time.Now()
		var dropped int
		err := s.Store.Update(ctx, func(tx store.Tx) error {
			var err error
			before := tx.Now().Add(-s.Retention.Filled().Answers)
			dropped, err = tx.CallerAnswers().DeleteBefore(before, purgeBatch)
			if err != nil {
				return err
			}
			ofOperators, err := tx.OperatorAnswers().DeleteBefore(before, purgeBatch)
			dropped += ofOperators
			if err != nil {
				return err
			}
			results, err := tx.Approvals().DeleteResultsBefore(before, purgeBatch)
			dropped += results
			if err != nil || dropped == 0 {
				return err
			}
			return AuditPurge(tx, PurgeAnswersJob, "forget answers",
				fmt.Sprintf("%d dropped", dropped))
		})
		total += dropped
		if ctx.Err() != nil && total > 0 {
			return nil
		}
		if err != nil || dropped < purgeBatch {
			return err
		}
		select {
		case <-time.After(time.Since(began)):
		case <-ctx.Done():
		}
	}
}

// inFlight tracks the requests with an idempotency key that are in progress in this process,
// separately for each generation of a sandbox's data. The zero value is ready to use.
type inFlight struct {
	mu     sync.Mutex
	scopes map[inFlightKey]bool
}

type inFlightKey struct {
	scope      store.IdempotencyScope
	generation int64
}

func (f *inFlight) enter(scope store.IdempotencyScope, generation int64) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := inFlightKey{scope, generation}
	if f.scopes[key] {
		return false
	}
	if f.scopes == nil {
		f.scopes = make(map[inFlightKey]bool)
	}
	f.scopes[key] = true
	return true
}

func (f *inFlight) leave(scope store.IdempotencyScope, generation int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.scopes, inFlightKey{scope, generation})
}
