package issuing

import (
	"bytes"
	"context"
	"errors"

	"mintmark/internal/fault"
	"mintmark/internal/store"
)

// answerLost is a remark of 59956 on Idempotency-Key; this implementation's choice.
const answerLost = "The request with it was done, and its answer was lost."

// ErrAnswerLost says that a request was done, and that the process ended before its answer was
// kept.
var ErrAnswerLost = errors.New("issuing: the request was done, and its answer was lost")

// OnceRequest is a request of an operator with an idempotency key that is at work. BeginOnce
// returns it, and End must follow. The transaction of the first act marks the key as used, so the
// act is done once even when the process ends before Finish has stored the answer.
type OnceRequest struct {
	service *Service
	scope   store.IdempotencyScope
	era     int64
	digest  []byte
	marked  bool // by an act whose transaction was kept
}

type onceKey struct{}

// Carry returns a context whose acts are those of the request.
func (r *OnceRequest) Carry(ctx context.Context) context.Context {
	return context.WithValue(ctx, onceKey{}, r)
}

// onceOf returns the request of a context, nil when it has none.
func onceOf(ctx context.Context) *OnceRequest {
	r, _ := ctx.Value(onceKey{}).(*OnceRequest)
	return r
}

// BeginOnce begins a request of an operator with an idempotency key. Exactly one result is set, as
// in Begin. The digest is of all that the request asks for.
func (s *Service) BeginOnce(
	ctx context.Context, who Operator, route, key string, digest []byte,
) (*OnceRequest, *Encoded, error) {
	r := &OnceRequest{service: s, digest: digest, scope: store.IdempotencyScope{
		APIKey: who.Name, Route: route, Key: key,
	}}
	r.era = s.Era.Number()
	if !s.operatorsInFlight.enter(r.scope, r.era) {
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

// earlier returns the answer that was given to the same request before, nil when there is none.
func (r *OnceRequest) earlier(ctx context.Context) (*Encoded, error) {
	var stored store.IdempotencyRecord
	err := r.service.store.Read(ctx, func(reader store.Tx) error {
		var err error
		stored, err = reader.Answers().Find(r.scope)
		return err
	})
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, toFault(err)
	case !bytes.Equal(stored.BodyDigest, r.digest):
		return nil, fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyOfOtherBody)
	case stored.HTTP == 0:
		return nil, errors.Join(ErrAnswerLost,
			fault.New(fault.ValueNotAcceptable, "Idempotency-Key", answerLost))
	}
	return &Encoded{stored.HTTP, stored.Answer}, nil
}

// mark stores in the transaction of an act that the key was used. The second act of a request finds
// it marked. Where another node has used the key meanwhile, the act fails.
func (r *OnceRequest) mark(tx store.Tx) error {
	if r.marked {
		return nil
	}
	_, err := tx.Answers().Find(r.scope)
	if err == nil {
		return fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyInFlight)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return r.put(tx, Encoded{})
}

// Finish stores the answer to the request.
func (r *OnceRequest) Finish(ctx context.Context, answer Encoded) error {
	return toFault(r.service.store.Update(ctx, func(tx store.Tx) error {
		found, err := tx.Answers().Find(r.scope)
		if errors.Is(err, store.ErrNotFound) {
			return r.put(tx, answer)
		}
		if err != nil || !r.marked {
			return err // a record that is there without a mark is another node's
		}
		found.HTTP, found.Answer = answer.Status, answer.Body
		return tx.Answers().Change(found)
	}))
}

// End lets a request with the same key begin.
func (r *OnceRequest) End() { r.service.operatorsInFlight.leave(r.scope, r.era) }

func (r *OnceRequest) put(tx store.Tx, answer Encoded) error {
	return tx.Answers().Put(store.IdempotencyRecord{
		IdempotencyScope: r.scope, BodyDigest: r.digest, HTTP: answer.Status, Answer: answer.Body,
		At: tx.Now(),
	})
}
