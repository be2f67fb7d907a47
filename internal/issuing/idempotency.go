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

// Remarks of 59956 on Idempotency-Key; this implementation's choice.
const (
	keyOfOtherBody = "It was used with another body."
	keyInFlight    = "A request with it is still at work."
	answerLost     = "The request with it was done, and its answer was lost."
)

// ErrAnswerLost reports that an operator's request was carried out, but that the process ended
// before its answer was stored.
var ErrAnswerLost = errors.New("issuing: the request was done, and its answer was lost")

// Encoded is an answer as the face encoded it. The status has no meaning here: this package stores
// it with the body and returns both.
type Encoded struct {
	Status int
	Body   []byte
}

// Encode encodes the result of an act, or its refusal. It runs in the transaction of the act, maybe
// several times and in another goroutine, so it must depend on its arguments alone.
type Encode func(result any, refusal error) Encoded

// idempotent is the common part of the requests with an idempotency key: those of calling programs
// and those of operators, whose answers are stored separately.
type idempotent struct {
	service    *Service
	atWork     *inFlight
	records    func(store.Tx) idempotencyRecords
	scope      store.IdempotencyScope
	generation int64
	digest     []byte
}

// idempotencyRecords are the store.Answers of callers or of operators.
type idempotencyRecords interface {
	Find(scope store.IdempotencyScope) (store.IdempotencyRecord, error)
	Put(r store.IdempotencyRecord) error
}

// begin registers the request as in flight, unless it is already, or was answered before. Both
// results are nil for a request that is to be performed.
func (r *idempotent) begin(ctx context.Context) (earlier *Encoded, err error) {
	if !r.atWork.enter(r.scope, r.generation) {
		return nil, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyInFlight)
	}
	begun := false
	defer func() { // also when the store panics: the key would stay taken
		if !begun {
			r.End()
		}
	}()
	earlier, err = r.earlier(ctx)
	begun = earlier == nil && err == nil
	return earlier, err
}

// End removes the request from those in flight, so that another with the same key may begin.
func (r *idempotent) End() { r.atWork.leave(r.scope, r.generation) }

// earlier returns the answer that was given to the same request before, nil when there is none.
func (r *idempotent) earlier(ctx context.Context) (*Encoded, error) {
	stored, err := store.ReadOf(ctx, r.service.Store,
		func(tx store.Tx) (store.IdempotencyRecord, error) { return r.records(tx).Find(r.scope) })
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, FaultOf(err)
	case !bytes.Equal(stored.BodyDigest, r.digest):
		return nil, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyOfOtherBody)
	case stored.HTTP == 0: // an act has marked the key, and no answer followed
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

// IdempotentRequest is a request of a calling program with an idempotency key that is at work.
// Begin returns it, Caller carries it through the act, Finish settles what its answer is, and End
// must follow. It is this implementation's extension of the interface.
type IdempotentRequest struct {
	idempotent
	encode Encode
	kept   bool // the transaction of the act has stored the answer
}

// Begin begins a request with an idempotency key. Exactly one result is set: the request, when it
// is to be performed; the answer that an earlier one was given; or an error, which is 59956 for a
// key that was used with another body, or whose request is still at work.
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
	if earlier != nil || err != nil {
		return nil, earlier, err
	}
	return r, nil, nil
}

// Finish stores the answer to a request that ended before an act stored one, such as a refusal,
// unless a retry might get a different answer. When another node was faster it returns the answer
// of that node, which is then the answer to this request, too.
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
	if earlier == nil && err == nil {
		err = errors.New("issuing: the answer of another node is gone")
	}
	return earlier, err
}

// errAnswered ends an act whose request another node has answered in the meantime.
var errAnswered = errors.New("issuing: another node has answered the request")

// check ends a try of the act's transaction when another node has answered the request. The first
// try does without the lookup: the store refuses a second answer, and the next try finds the first.
func (r *IdempotentRequest) check(tx *Tx) error {
	if r == nil {
		return nil
	}
	r.kept = false // an earlier try was rolled back
	if tx.FirstTry {
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

// keep stores the answer to an act, unless a later try may be answered otherwise.
func (r *IdempotentRequest) keep(tx *Tx, result any, refusal error) error {
	if r == nil || !keepable(refusal) {
		return nil
	}
	r.kept = true
	return r.put(tx, r.encode(result, refusal))
}

// keepable reports whether an answer is stored and replayed: that of any success, and of a refusal
// that is not transient.
func keepable(refusal error) bool { return refusal == nil || !fault.Transient(refusal) }

// purgeBatch is how many answers one transaction drops at most, so that requests that write do not
// wait for it.
const purgeBatch = 100

// PurgeAnswers drops the answers that are older than Retention says, batch by batch. After each
// batch it rests as long as the batch took, which leaves half of the time to requests that write.
// When the context ends, the next run goes on. It is a background job.
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
