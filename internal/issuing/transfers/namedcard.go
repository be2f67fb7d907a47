package transfers

import (
	"bytes"
	"context"
	"errors"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// namedCard is a card as a message names it, by its ID or by its card number.
type namedCard struct {
	store.CardRef
	number pan.Number // the zero value for a card named by its ID
	sealed bool       // the card is named by its number
}

// nameOf returns the name of a message's card. A text that decrypts to no card number names an
// unknown card.
func (s *Service) nameOf(
	ctx context.Context, from audit.Actor, a authorization.Request,
) (namedCard, error) {
	if a.CardID != 0 {
		return namedCard{CardRef: store.CardRef{ID: a.CardID}}, nil
	}
	number, err := s.Vault.OpenProcessorNumber(ctx, from.Name, a.Sealed)
	if errors.Is(err, vault.ErrNotANumber) {
		return namedCard{}, nil
	}
	if err != nil {
		return namedCard{}, toSealedError(err)
	}
	name, err := s.byNumber(ctx, number)
	if err != nil {
		return namedCard{}, issuing.FaultOf(err)
	}
	return name, nil
}

// toSealedError returns the error of a card number that cannot be decrypted.
func toSealedError(err error) error {
	if errors.Is(err, vault.ErrSealedNumber) {
		return &TransferError{
			Member: "sealed", Detail: "holds no card number encrypted to the key of this service",
		}
	}
	return issuing.FaultOf(err)
}

// byNumber returns the name of a card, given its card number.
func (s *Service) byNumber(ctx context.Context, n pan.Number) (namedCard, error) {
	state, err := keys.DigestState(ctx, s.Service)
	if err != nil {
		return namedCard{}, err
	}
	digest, err := keys.DigestUnder(s.Service, state, n)
	return namedCard{store.CardRef{Digest: digest}, n, true}, err
}

// findNamed returns the card with a name, whichever State its digests belong to.
func (t *transferTx) findNamed(
	name namedCard, direction authorization.Direction,
) (authorization.View, error) {
	view, err := t.tx.Authorizations().FindView(name.CardRef, direction)
	if err != nil || view.Card.ID != 0 || !name.sealed {
		return view, err
	}
	digest, err := keys.DigestAt(t.service.Service, t.tx, name.number)
	if err != nil || digest.Generation == name.Digest.Generation {
		return view, err
	}
	return t.tx.Authorizations().FindView(store.CardRef{Digest: digest}, direction)
}

// sameRequest reports whether an authorization that names a card by its number has the content of
// an earlier one with the same identifier. The digests of the two differ if the digest key does: it
// was rotated in between, or the program came from another installation. A number that no card has
// is known by its digest alone.
func (t *transferTx) sameRequest(
	a authorization.Request, name namedCard, earlier authorization.Authorization,
) (bool, error) {
	if !name.sealed || !sameButCard(a, earlier) {
		return false, nil
	}
	if earlier.CardID == 0 {
		state, err := keys.ReadDigestState(t.service.Service, t.tx)
		if err != nil || state.Generation == 0 {
			return false, err
		}
	}
	return t.isNamed(name, a.Kind.Direction(), earlier.CardID)
}

// isNamed reports whether a name is that of a card; cardID is 0 for none.
func (t *transferTx) isNamed(
	name namedCard, direction authorization.Direction, cardID int,
) (bool, error) {
	view, err := t.findNamed(name, direction)
	return err == nil && view.Card.ID == cardID, err
}

// sameButCard reports whether a request equals an earlier one in all but the name of the card.
func sameButCard(a authorization.Request, earlier authorization.Authorization) bool {
	name := store.CardRef{}
	was := authorization.Request{
		Transfer: earlier.Transfer, Currency: earlier.Currency, Partial: earlier.Partial,
		IncrementOf: earlier.IncrementOf, Original: earlier.Original, Merchant: earlier.Merchant,
	}
	if earlier.HoldUntil != nil {
		was.HoldUntil = *earlier.HoldUntil
	}
	return bytes.Equal(digestOf(a, name), digestOf(was, name))
}
