package cards

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/domain/card"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/order"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/orders"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// pinRequired is the remark of ValueNotAcceptable on newPin; this implementation's choice.
const pinRequired = "A 4-digit PIN, encrypted and base64 encoded, is required."

// pinOrdered is the audit outcome of an order for a new PIN.
const pinOrdered = "PIN ordered"

// PinRequest requests a new PIN. NewPin is encrypted for the vault's public key (interface §9).
type PinRequest struct {
	issuing.CardRef
	NewPin string `json:"newPin" body:"secret"`
}

// ResetPin accepts an order for a new PIN (interface §8.17). The processor executes it later.
func (s *Service) ResetPin(
	ctx context.Context, who issuing.Caller, req PinRequest,
) (CardDetail, error) {
	if req.NewPin == "" {
		return CardDetail{}, fault.New(fault.PinRequired)
	}
	pin, err := s.openPinIf(ctx, who, req.NewPin, fault.PinRequired, func(tx *issuing.Tx) error {
		_, err := loadForResetPin(tx, req.CardRef)
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

	return issuing.Write(ctx, s.Service, who, func(tx *issuing.Tx) (CardDetail, error) {
		full, err := loadForResetPin(tx, req.CardRef)
		if err != nil {
			return CardDetail{}, err
		}
		c, err := orders.CountIn(tx, full.Card.OrderPin(tx.Now()), 1)
		if err != nil {
			return CardDetail{}, err
		}
		if err := tx.Cards().Change(full.Card, &c); err != nil {
			return CardDetail{}, err
		}
		request := orders.Request{Kind: order.SetPin, Pin: pin, Key: full.Program.SealingKey()}
		if err := orders.Put(tx, c, []orders.Request{request}); err != nil {
			return CardDetail{}, err
		}
		if err := tx.Cards().PutAttempt(c.ID, store.PinTaken); err != nil {
			return CardDetail{}, err
		}
		if err := tx.PutEntry(issuing.NewCardEntry(c.ID, req.CustomerID, pinOrdered)); err != nil {
			return CardDetail{}, err
		}
		return detail(tx, c, full.Accounts)
	})
}

// loadForResetPin loads the card and performs all checks that precede the decryption of the PIN.
func loadForResetPin(tx *issuing.Tx, ref issuing.CardRef) (store.FullCardView, error) {
	full, err := loadFullView(tx, card.ResetPin, ref, store.PinTaken, card.MaxPins)
	if err != nil {
		return store.FullCardView{}, err
	}
	return full, checkPinQuota(tx, full)
}

// openPinIf decrypts a PIN if the preceding checks pass; kind is the fault of a PIN that cannot be
// decrypted. Decryption is slow, so it happens before the transaction that writes; that transaction
// repeats the checks.
func (s *Service) openPinIf(
	ctx context.Context, who issuing.Caller, encrypted string, kind fault.Kind,
	check func(*issuing.Tx) error,
) (*vault.Pin, error) {
	algorithms, err := issuing.Read(ctx, s.Service, who, func(tx *issuing.Tx) (string, error) {
		return tx.Program.Settings.PublicKeyAlgorithms, check(tx)
	})
	if err == nil && who.Trial != nil {
		err = who.Trial.Before(kind)
	}
	if err != nil {
		return nil, err
	}
	pin, err := s.Vault.DecryptCallerPin(ctx, who.Name, encrypted, algorithms)
	if err != nil {
		return nil, issuing.FaultOf(err)
	}
	return &pin, nil
}

// openNewPin is openPinIf for requests in which newPin is optional, and whose fault for it is
// ValueNotAcceptable.
func (s *Service) openNewPin(
	ctx context.Context, who issuing.Caller, encrypted string, check func(*issuing.Tx) error,
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

// checkPinQuota performs the checks just before a PIN for an existing card is decrypted:
// PciKeyMissing, and RateExceeded for a card that has had card.MaxPins in card.PinWindow.
func checkPinQuota(tx *issuing.Tx, full store.FullCardView) error {
	if err := full.Program.CheckPciKey(); err != nil {
		return err
	}
	begin := tx.Now().Add(-card.PinWindow)
	taken := since(begin, full.Attempts)
	if len(taken) < card.MaxPins {
		return nil
	}
	exceeded := fault.New(fault.RateExceeded)
	// The oldest still counts when it is exactly as old as the window.
	exceeded.RetryAfter = taken[card.MaxPins-1].Sub(begin) + time.Millisecond
	return exceeded
}
