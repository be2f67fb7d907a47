package issuingtest

import (
	"context"
	"fmt"
	"sync/atomic"

	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/cards"
)

// LockRequest returns a request to lock a card.
func LockRequest(ref issuing.CardRef, reason string) cards.LockRequest {
	return cards.LockRequest{CardRef: ref, LockReasonTypeCode: reason}
}

// Face encodes answers to requests with an idempotency key, as a face does. Each answer is
// different.
type Face struct{ answers atomic.Int64 }

// Encode returns a new answer on each call.
func (f *Face) Encode(_ any, err error) issuing.Encoded {
	status := 200
	if err != nil {
		status = 500
	}
	for _, known := range fault.All(err) {
		status = known.HTTP()
	}
	body := fmt.Appendf(nil, "answer %d: %v", f.answers.Add(1), err)
	return issuing.Encoded{Status: status, Body: body}
}

// Keyed is a request with an idempotency key.
type Keyed struct {
	Key, Body string
	Encode    issuing.Encode
}

// Request returns a request with the key "key 1".
func (f *Face) Request(body string) Keyed { return Keyed{Key: "key 1", Body: body, Encode: f.Encode} }

// Reply is the answer to a request.
type Reply struct {
	issuing.Encoded
	Replayed bool
}

// Performing performs the act of a request.
type Performing func(issuing.Caller) (cards.CardDetail, error)

// Serve performs a request unless it was answered before.
func (w *World) Serve(
	ctx context.Context, who issuing.Caller, keyed Keyed, perform Performing,
) (Reply, error) {
	request, earlier, err := w.Begin(ctx, who, keyed.Key, []byte(keyed.Body), keyed.Encode)
	if err != nil {
		return Reply{}, err
	}
	if earlier != nil {
		return Reply{*earlier, true}, nil
	}
	defer request.End()
	who.Idempotency = request
	detail, refusal := perform(who)
	answer := keyed.Encode(detail, refusal)
	earlier, err = request.Finish(ctx, answer, refusal)
	if earlier != nil {
		return Reply{*earlier, true}, err
	}
	return Reply{answer, false}, err
}

// Locking returns a request that locks a demo card permanently.
func (w *World) Locking(cardID int) Performing {
	return func(who issuing.Caller) (cards.CardDetail, error) {
		ref := issuing.CardRef{CustomerID: 1001, CardID: cardID}
		return w.Cards.Hotlist(context.Background(), who, LockRequest(ref, "LST"))
	}
}
