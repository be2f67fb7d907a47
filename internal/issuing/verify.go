package issuing

import (
	"context"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/fault"
	"mintmark/internal/store"
)

// VerifyRequest activates a card that its holder has received.
type VerifyRequest struct {
	CardRef
	// BirthDate is that of the creator; its calendar date counts, as it is written.
	BirthDate time.Time `json:"birthDate" body:"secret"`
	// CardNumberMasked is the last four digits of the number, or a masked number.
	CardNumberMasked string `json:"cardNumberMasked" body:"secret"`
}

// valueRequired is the remark of 59956 on a member that was not given; this implementation's
// choice.
const valueRequired = "A value is required."

// Verify makes a card usable (section 4.2, /card/verify). A wrong answer is noted and counted;
// after card.MaxVerifyFailures of them the card is not even looked at.
func (s *Service) Verify(
	ctx context.Context, who Caller, req VerifyRequest,
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

	return write(ctx, s, who, func(w *writing) (CardDetail, error) {
		dossier, err := w.admitToAll(
			card.Verify, req.CardRef, store.VerifyFailed, card.MaxVerifyFailures)
		if err != nil {
			return CardDetail{}, err
		}
		before := dossier.Card
		if err := before.AdmitVerify(req.CustomerID); err != nil {
			return CardDetail{}, err
		}
		failures := since(w.Now().Add(-card.VerifyFailureWindow), dossier.Attempts)
		if len(failures) >= card.MaxVerifyFailures {
			return CardDetail{}, w.refuseVerify(before, unlooked)
		}
		born := dossier.Creator.BornOn(req.BirthDate.Date())
		after, err := before.Verify(born, req.CardNumberMasked, w.Now())
		if err != nil {
			return CardDetail{}, w.failVerify(before)
		}
		if err := w.change(before, &after); err != nil {
			return CardDetail{}, err
		}
		return w.detail(after)
	})
}

// failVerify counts a wrong answer.
func (w *writing) failVerify(c card.Card) error {
	if err := w.Attempts().Put(c.ID, store.VerifyFailed); err != nil {
		return err
	}
	return w.refuseVerify(c, refused)
}

func (w *writing) refuseVerify(c card.Card, outcome string) error {
	if err := w.audit(outcome, c.ID, "", ""); err != nil {
		return err
	}
	return w.refuse(fault.New(fault.VerifyMismatch))
}
