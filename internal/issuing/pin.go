package issuing

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// pinRequired is the remark of ValueNotAcceptable on newPin; this implementation's choice.
const pinRequired = "A 4-digit PIN, encrypted and base64 encoded, is required."

// pinOrdered is the outcome of an order for a new PIN.
const pinOrdered = "PIN ordered"

// PinRequest asks for a new PIN. NewPin is encrypted for the vault's public key (interface §9).
type PinRequest struct {
	CardRef
	NewPin string `json:"newPin" body:"secret"`
}

// ResetPin takes an order for a new PIN (interface §8.17). The processor carries it
// out later.
func (s *Service) ResetPin(ctx context.Context, who Caller, req PinRequest) (CardDetail, error) {
	if req.NewPin == "" {
		return CardDetail{}, fault.New(fault.PinRequired)
	}
	pin, err := s.openPinIf(ctx, who, req.NewPin, fault.PinRequired, func(tx *Tx) error {
		_, err := tx.loadForResetPin(req.CardRef)
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

	return write(ctx, s, who, func(tx *Tx) (CardDetail, error) {
		found, err := tx.loadForResetPin(req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		c, err := tx.store(found.Card, found.Card.OrderPin(tx.Now()), []orderRequest{{
			kind: order.SetPin, pin: pin, key: found.Program.SealingKey(),
		}})
		if err != nil {
			return CardDetail{}, err
		}
		if err := tx.Attempts().Put(c.ID, store.PinTaken); err != nil {
			return CardDetail{}, err
		}
		if err := tx.audit(about(c.ID, req.CustomerID, pinOrdered)); err != nil {
			return CardDetail{}, err
		}
		return tx.detail(c, found.Accounts)
	})
}

// loadForResetPin finds the card and makes all checks that come before the PIN is decrypted.
func (tx *Tx) loadForResetPin(ref CardRef) (store.FullCardView, error) {
	found, err := tx.loadFullView(card.ResetPin, ref, store.PinTaken, card.MaxPins)
	if err != nil {
		return store.FullCardView{}, err
	}
	return found, tx.checkPinQuota(found)
}

// openPinIf decrypts a PIN when the checks that come before it have passed; kind is the fault of
// one that cannot be decrypted. Decryption is slow, so it happens before the transaction that
// writes; that transaction makes the checks again.
func (s *Service) openPinIf(
	ctx context.Context, who Caller, encrypted string, kind fault.Kind, check func(*Tx) error,
) (*vault.Pin, error) {
	algorithms, err := read(ctx, s, who, func(tx *Tx) (string, error) {
		return tx.program.settings.PublicKeyAlgorithms, check(tx)
	})
	if err == nil && who.Trial != nil {
		err = who.Trial.Before(kind)
	}
	if err != nil {
		return nil, err
	}
	pin, err := s.vault.OpenPin(ctx, who.Name, encrypted, algorithms)
	if err != nil {
		return nil, faultOf(err)
	}
	return &pin, nil
}

// openNewPin is openPinIf for requests in which newPin may be left out, and whose fault on it is
// ValueNotAcceptable.
func (s *Service) openNewPin(
	ctx context.Context, who Caller, encrypted string, check func(*Tx) error,
) (*vault.Pin, error) {
	if encrypted == "" {
		return nil, nil
	}
	pin, err := s.openPinIf(ctx, who, encrypted, fault.ValueNotAcceptable, check)
	if errors.Is(err, vault.ErrUndecryptable) || errors.Is(err, vault.ErrNotAPin) {
		return nil, fault.New(fault.ValueNotAcceptable, "newPin", pinRequired)
	}
	return pin, err
}

// checkPinQuota makes the checks that come just before a PIN for an existing card is decrypted:
// PciKeyMissing, and RateExceeded for a card that has had card.MaxPins in card.PinWindow.
func (tx *Tx) checkPinQuota(found store.FullCardView) error {
	if err := found.Program.CheckPciKey(); err != nil {
		return err
	}
	begin := tx.Now().Add(-card.PinWindow)
	taken := since(begin, found.Attempts)
	if len(taken) < card.MaxPins {
		return nil
	}
	exceeded := fault.New(fault.RateExceeded)
	// The oldest still counts when it is exactly as old as the window.
	exceeded.RetryAfter = taken[card.MaxPins-1].Sub(begin) + time.Millisecond
	return exceeded
}
