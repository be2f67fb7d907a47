package issuing

import (
	"context"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
)

// A card number is found by digests, under keys that the database names: see package digests. The
// service remembers that State to save a round trip. A remembered State may be an older one. A
// number that is found by its digests is the right one all the same; when none is found, the State
// is read and the number is looked up again. A new number is kept only with the digests of the
// State that is stored.

// digestState returns the State that is remembered, or else the stored one.
func (s *Service) digestState(ctx context.Context) (state digests.State, err error) {
	if known := s.knownDigests.Load(); known != nil {
		return *known, nil
	}
	err = s.store.View(ctx, func(r store.Tx) error {
		var err error
		state, err = s.readDigestState(r)
		return err
	})
	return state, err
}

// readDigestState returns the stored State, and remembers it.
func (s *Service) readDigestState(r store.Tx) (digests.State, error) {
	state, err := r.Digests().Find()
	if err != nil {
		return state, err
	}
	known := s.knownDigests.Load()
	if known == nil || known.Generation != state.Generation || known.Key.ID != state.Key.ID {
		s.knownDigests.Store(&state)
		s.vault.KeepDigestKeys(state.Keys())
	}
	return state, nil
}

// digestUnder returns the digests of a number in a State.
func (s *Service) digestUnder(state digests.State, n pan.Number) (digests.Number, error) {
	return state.Of(func(k digests.Key) ([]byte, error) {
		return s.vault.DigestNumberUnder(k.ID, k.Wrapped, n)
	})
}

// digestAt returns the digests of a number in the State that a transaction sees.
func (s *Service) digestAt(r store.Tx, n pan.Number) (digests.Number, error) {
	state, err := s.readDigestState(r)
	if err != nil {
		return digests.Number{}, err
	}
	return s.digestUnder(state, n)
}

// digest returns the digests of a number that may be kept. The optimistic try leaves it to the
// store whether the remembered State is the stored one.
func (tx *Tx) digest(n pan.Number) (digests.Number, error) {
	if known := tx.service.knownDigests.Load(); known != nil && tx.firstTry {
		return tx.service.digestUnder(*known, n)
	}
	if tx.digests == nil {
		state, err := tx.service.readDigestState(tx)
		if err != nil {
			return digests.Number{}, err
		}
		tx.digests = &state
	}
	return tx.service.digestUnder(*tx.digests, n)
}
