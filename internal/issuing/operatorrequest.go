package issuing

import (
	"context"
	"errors"

	"mintmark/internal/domain/fault"
	"mintmark/internal/store"
)

// OperatorRequest is a request of an operator with an idempotency key that is at work.
// BeginOperator returns it, Operator carries it into the acts, and End must follow. The transaction
// of the first act marks the key as used, so the act is done once even when the process ends before
// Finish has stored the answer.
type OperatorRequest struct {
	idempotent
	marked bool // by an act whose transaction was kept
}

// BeginOperator begins a request of an operator with an idempotency key. Exactly one result is set,
// as in Begin. The text is all that the request asks for.
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

// mark stores in the transaction of an act that the key was used. The second act of a request finds
// it marked. Where another node has used the key meanwhile, the act fails.
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

// Finish stores the answer to the request.
func (r *OperatorRequest) Finish(ctx context.Context, answer Encoded) error {
	return FaultOf(r.service.Store.Update(ctx, func(tx store.Tx) error {
		record, err := tx.OperatorAnswers().Find(r.scope)
		if errors.Is(err, store.ErrNotFound) {
			return r.put(tx, answer)
		}
		if err != nil || !r.marked {
			return err // a record that is there without a mark is another node's
		}
		record.HTTP, record.Answer = answer.Status, answer.Body
		return tx.OperatorAnswers().Change(record)
	}))
}
