package keys

import (
	"context"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/digests"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// A card number is looked up by its digests, under keys that the database names: see package
// digests. The service caches that State to save a round trip. The cached State may be outdated. A
// card that is found by outdated digests is still the right one; if none is found, the State is
// read and the number is looked up again. A new number is stored only with the digests of the
// stored State.

// DigestState returns the cached State, or else the stored one.
func DigestState(ctx context.Context, s *issuing.Service) (digests.State, error) {
	if known := s.KnownDigests.Load(); known != nil {
		return *known, nil
	}
	return store.ViewOf(ctx, s.Store, func(r store.Tx) (digests.State, error) {
		return ReadDigestState(s, r)
	})
}

// ReadDigestState returns the stored State, and caches it.
func ReadDigestState(s *issuing.Service, r store.Tx) (digests.State, error) {
	state, err := r.CardNumbers().FindDigestState()
	if err != nil {
		return state, err
	}
	known := s.KnownDigests.Load()
	if known == nil || known.Generation != state.Generation || known.Key.ID != state.Key.ID {
		s.KnownDigests.Store(&state)
		s.Vault.KeepDigestKeys(state.Keys())
	}
	return state, nil
}

// DigestUnder returns the digests of a card number in a State.
func DigestUnder(s *issuing.Service, state digests.State, n pan.Number) (digests.Number, error) {
	return state.Digest(func(k digests.Key) ([]byte, error) {
		return s.Vault.DigestNumberUnder(k.ID, k.Wrapped, n)
	})
}

// DigestAt returns the digests of a card number in the State that a transaction sees.
func DigestAt(s *issuing.Service, r store.Tx, n pan.Number) (digests.Number, error) {
	state, err := ReadDigestState(s, r)
	if err != nil {
		return digests.Number{}, err
	}
	return DigestUnder(s, state, n)
}

// Digest returns the digests with which a card number may be stored. An optimistic attempt uses the
// cached State, and the store checks that it is the stored one.
func Digest(tx *issuing.Tx, n pan.Number) (digests.Number, error) {
	if known := tx.Service.KnownDigests.Load(); known != nil && tx.Optimistic {
		return DigestUnder(tx.Service, *known, n)
	}
	if tx.DigestState == nil {
		state, err := ReadDigestState(tx.Service, tx)
		if err != nil {
			return digests.Number{}, err
		}
		tx.DigestState = &state
	}
	return DigestUnder(tx.Service, *tx.DigestState, n)
}
