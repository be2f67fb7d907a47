package transfers

import (
	"context"

	"mintmark/internal/base/pan"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing/keys"
	"mintmark/internal/store"
)

// namedCard is a card that a message names, by its identifier or by its number.
type namedCard struct {
	store.CardName
	number pan.Number // the zero value with an ID
	sealed bool       // the card is named by its number
}

// byNumber names a card by its number.
func (s *Service) byNumber(ctx context.Context, n pan.Number) (namedCard, error) {
	state, err := keys.DigestState(ctx, s.Service)
	if err != nil {
		return namedCard{}, err
	}
	digest, err := keys.DigestUnder(s.Service, state, n)
	return namedCard{store.CardName{Digest: digest}, n, true}, err
}

// findNamed finds a card by its name, whichever State its digests are of.
func (t *transferTx) findNamed(
	name namedCard, direction authorization.Direction,
) (authorization.View, error) {
	found, err := t.tx.Authorizations().FindView(name.CardName, direction)
	if err != nil || found.Card.ID != 0 || !name.sealed {
		return found, err
	}
	digest, err := keys.DigestAt(t.service.Service, t.tx, name.number)
	if err != nil || digest.Generation == name.Digest.Generation {
		return found, err
	}
	return t.tx.Authorizations().FindView(store.CardName{Digest: digest}, direction)
}

// sameRequest reports whether an authorization that names a card by its number asks what an earlier
// one of the same identifier has asked. The digests of the two requests differ when the digest key
// was rotated in between.
func (t *transferTx) sameRequest(
	asked authorization.Asked, name namedCard, earlier authorization.Authorization,
) (bool, error) {
	state, err := keys.ReadDigestState(t.service.Service, t.tx)
	if err != nil || !name.sealed || state.Generation == 0 || earlier.Transfer != asked.Transfer ||
		earlier.Currency != asked.Currency {
		return false, err
	}
	found, err := t.findNamed(name, asked.Kind.Direction())
	return err == nil && found.Card.ID == earlier.CardID, err
}
