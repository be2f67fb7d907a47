package issuing

import (
	"context"
	"errors"

	"mintmark/internal/domain/fault"
	"mintmark/internal/store"
)

// OperatorRequest is an operator's request with an idempotency key that is in flight. BeginOperator
// returns it, Operator carries it into the acts, and End must follow. The transaction of the first
// act marks the key as used, so the act is performed only once, even if the process ends before
// Finish stores the response.
type OperatorRequest struct {
	idempotent
	marked bool // by an act whose transaction was committed
}

// BeginOperator begins an operator's request with an idempotency key. text is the complete content
// of the request. The results are those of Begin, but the error for a key that was used with another
// text comes with the response to that request.
func (s *Service) BeginOperator(
	ctx context.Context, who Operator, route, key string, text []byte,
) (*OperatorRequest, *Encoded, error) {
	r := &OperatorRequest{idempotent: idempotent{
		service: s, atWork: &s.operatorsAtWork, generation: s.Generation.Number(),
		digest:  s.Vault.DigestRequest(text),
		scope:   store.IdempotencyScope{APIKey: who.identity(), Route: route, Key: key},
		records: func(tx store.Tx) idempotencyRecords { return tx.OperatorAnswers() },
	}}
	earlier, err := r.begin(ctx)
	if earlier != nil || err != nil {
		return nil, earlier, err
	}
	return r, nil, nil
}

// mark records in the transaction of an act that the key was used. After the first act of a request
// it does nothing. If another node has used the key in the meantime, the act fails.
func (r *OperatorRequest) mark(tx store.Tx) error {
	if r == nil || r.marked {
		return nil
	}
	_, err := tx.OperatorAnswers().Find(r.scope)
	if err == nil {
		return fault.New(fault.ValueNotAcceptable, "Idempotency-Key", keyInFlight)
	}
	if !errors.Is(err, store.ErrNotFound) {
		return err
	}
	return r.put(tx, Encoded{})
}

// Finish stores the response to the request.
func (r *OperatorRequest) Finish(ctx context.Context, answer Encoded) error {
	return FaultOf(r.service.Store.Update(ctx, func(tx store.Tx) error {
		record, err := tx.OperatorAnswers().Find(r.scope)
		if errors.Is(err, store.ErrNotFound) {
			return r.put(tx, answer)
		}
		if err != nil || !r.marked {
			return err // without a mark, the record is another node's
		}
		record.HTTP, record.Answer = answer.Status, answer.Body
		return tx.OperatorAnswers().Change(record)
	}))
}
