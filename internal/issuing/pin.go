package issuing

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/card"
	"mintmark/internal/fault"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// pinRequired is the remark of 59956 on newPin; this implementation's choice.
const pinRequired = "A 4-digit PIN, encrypted and base64 encoded, is required."

// PinRequest asks for a new PIN. NewPin is encrypted for the vault's public key (section 5, 5).
type PinRequest struct {
	CardRef
	NewPin string `json:"newPin" body:"secret"`
}

// ResetPin takes an order for a new PIN (section 4.2, /card/resetpin). The processor carries it
// out later.
func (s *Service) ResetPin(ctx context.Context, who Caller, req PinRequest) (CardDetail, error) {
	if req.NewPin == "" {
		return CardDetail{}, fault.New(fault.PinRequired)
	}
	admit := func(r *reading) (card.Card, error) {
		dossier, err := r.admitToAll(
			card.ResetPin, req.CardRef, store.PinTaken, card.MaxPins)
		if err != nil {
			return card.Card{}, err
		}
		if err := dossier.Card.AdmitResetPin(req.CustomerID); err != nil {
			return card.Card{}, err
		}
		return dossier.Card, r.admitPin(dossier)
	}
	pin, err := s.openPinIf(ctx, who, req.NewPin, func(r *reading) error {
		_, err := admit(r)
		return err
	})
	if errors.Is(err, vault.ErrUndecryptable) {
		return CardDetail{}, fault.New(fault.PinRequired)
	}
	if errors.Is(err, vault.ErrNotAPin) {
		return CardDetail{}, fault.New(fault.PinOutOfRange)
	}
	if err != nil {
		return CardDetail{}, err
	}

	return write(ctx, s, who, func(w *writing) (CardDetail, error) {
		c, err := admit(&w.reading)
		if err != nil {
			return CardDetail{}, err
		}
		order := store.ProcessorOrder{Kind: store.OrderPin}
		w.take(&order, &c)
		if err := w.order(order, c.ID, pin); err != nil {
			return CardDetail{}, err
		}
		if err := w.Attempts().Put(c.ID, store.PinTaken); err != nil {
			return CardDetail{}, err
		}
		if err := w.audit(pinOrdered, c.ID, "", ""); err != nil {
			return CardDetail{}, err
		}
		return w.detail(c)
	})
}

// openPinIf decrypts a PIN once a request has passed the checks that come before it. Decryption
// is slow, so it happens outside the transaction that writes; that transaction checks again.
func (s *Service) openPinIf(
	ctx context.Context, who Caller, encrypted string, admit func(*reading) error,
) (*vault.Pin, error) {
	algorithms, err := read(ctx, s, who, func(r *reading) (string, error) {
		return r.filled.settings.PublicKeyAlgorithms, admit(r)
	})
	if err != nil {
		return nil, err
	}
	pin, err := s.vault.OpenPin(ctx, who.Name, encrypted, algorithms)
	if err != nil {
		return nil, trouble(err)
	}
	return &pin, nil
}

// openNewPin is openPinIf for requests in which newPin may be left out, and whose faults on it
// are 59956.
func (s *Service) openNewPin(
	ctx context.Context, who Caller, encrypted string, admit func(*reading) error,
) (*vault.Pin, error) {
	if encrypted == "" {
		return nil, nil
	}
	pin, err := s.openPinIf(ctx, who, encrypted, admit)
	if errors.Is(err, vault.ErrUndecryptable) || errors.Is(err, vault.ErrNotAPin) {
		return nil, fault.New(fault.ValueNotAcceptable, "newPin", pinRequired)
	}
	return pin, err
}

// admitPin makes the checks that come just before a PIN for an existing card is decrypted: 50904,
// and 50429 when the card has had its share of PINs.
func (r *reading) admitPin(dossier store.FullCardView) error {
	if err := dossier.Program.CheckPciKey(); err != nil {
		return err
	}
	begin := r.Now().Add(-card.PinWindow)
	taken := since(begin, dossier.Attempts)
	if len(taken) < card.MaxPins {
		return nil
	}
	exceeded := fault.New(fault.RateExceeded)
	// The oldest still counts when it is exactly as old as the window.
	exceeded.RetryAfter = taken[card.MaxPins-1].Sub(begin) + time.Millisecond
	return exceeded
}
