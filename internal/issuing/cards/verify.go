package cards

import (
	"context"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// VerifyRequest requests the activation of a card that its holder has received.
type VerifyRequest struct {
	issuing.CardRef
	// BirthDate is that of the creator; only its calendar date counts, as written.
	BirthDate time.Time `json:"birthDate" body:"secret"`
	// CardNumberMasked is the last four digits of the card number, or a masked number.
	CardNumberMasked string `json:"cardNumberMasked" body:"secret"`
}

// valueRequired is the remark of ValueNotAcceptable on an absent member; this implementation's
// choice.
const valueRequired = "A value is required."

// unread is the audit outcome of an answer that was refused without a check.
const unread = "refused without looking"

// Verify makes a card usable (interface §8.11). Wrong answers are counted; after
// card.MaxVerifyFailures of them, further answers are refused unread.
func (s *Service) Verify(
	ctx context.Context, who issuing.Caller, req VerifyRequest,
) (CardDetail, error) {
	var missing fault.List
	if req.BirthDate.IsZero() {
		missing.Add(fault.ValueNotAcceptable, "birthDate", valueRequired)
	}
	if req.CardNumberMasked == "" {
		missing.Add(fault.ValueNotAcceptable, "cardNumberMasked", valueRequired)
	}
	if err := missing.Err(); err != nil {
		return CardDetail{}, err
	}

	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		full, err := loadFullView(tx,
			card.Verify, req.CardRef, store.VerifyFailed, card.MaxVerifyFailures)
		if err != nil {
			return CardDetail{}, err
		}
		failures := since(tx.Now().Add(-card.VerifyFailureWindow), full.Attempts)
		if len(failures) >= card.MaxVerifyFailures {
			return CardDetail{}, refuseVerify(tx, req.CardRef, unread)
		}
		born := full.Creator.BornOn(req.BirthDate.Date())
		after, err := full.Card.Verify(born, req.CardNumberMasked, tx.Now())
		if err != nil {
			return CardDetail{}, countVerifyFailure(tx, req.CardRef)
		}
		return saveAndShow(tx, full.CardView, after)
	})
}

// countVerifyFailure counts a wrong answer and returns its fault.
func countVerifyFailure(tx *issuing.Tx, ref issuing.CardRef) error {
	if err := tx.Cards().PutAttempt(ref.CardID, store.VerifyFailed); err != nil {
		return err
	}
	return refuseVerify(tx, ref, issuing.OutcomeRefused)
}

// refuseVerify returns the same fault for every wrong answer, and commits the attempt and its audit
// entry.
func refuseVerify(tx *issuing.Tx, ref issuing.CardRef, outcome string) error {
	if err := tx.PutEntry(issuing.NewCardEntry(ref.CardID, ref.CustomerID, outcome)); err != nil {
		return err
	}
	return tx.CommitRefusal(fault.New(fault.VerifyMismatch))
}
