package operators

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mintmark/internal/base/secret"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/store"
)

// TokenDetail is a token with the name of its owner. OwnerEnded is true if the owner may not sign
// in, which ends the token.
type TokenDetail struct {
	operator.Token
	OwnerName  string
	OwnerEnded bool
}

func detailOf(r store.Tx, t operator.Token) (TokenDetail, error) {
	detail := TokenDetail{Token: t}
	if t.Owner.Kind != operator.OwnedByPerson {
		return detail, nil
	}
	owner, err := r.Operators().Find(t.Owner.ID)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	detail.OwnerName, detail.OwnerEnded = owner.Name, owner.Standing() != operator.Active
	return detail, err
}

// ListTokens returns the tokens whose scope is within that of the operator, by ID, and the time
// that decides which have expired.
func (s *Service) ListTokens(
	ctx context.Context, who issuing.Operator, query string, page issuing.Page,
) (tokenDetails []TokenDetail, last string, now time.Time, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		all, err := r.Tokens().List()
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(t operator.Token) bool {
			return !t.Scope.Within(who.Scope) || !issuing.Matches(query, t.Name)
		})
		all, last = issuing.PageByNumber(all, page, func(t operator.Token) int { return t.ID })
		tokenDetails, now = nil, r.Now()
		for _, token := range all {
			detail, err := detailOf(r, token)
			if err != nil {
				return err
			}
			tokenDetails = append(tokenDetails, detail)
		}
		return nil
	})
	return tokenDetails, last, now, err
}

// FindToken returns a token, and the time that decides whether it has expired.
func (s *Service) FindToken(
	ctx context.Context, who issuing.Operator, id int,
) (detail TokenDetail, now time.Time, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		token, err := findToken(r, who, id)
		if err != nil {
			return err
		}
		now = r.Now()
		detail, err = detailOf(r, token)
		return err
	})
	return detail, now, err
}

func findToken(r store.Tx, who issuing.Operator, id int) (operator.Token, error) {
	token, err := r.Tokens().Find(id)
	if err == nil && !token.Scope.Within(who.Scope) {
		err = store.ErrNotFound
	}
	if err != nil {
		return operator.Token{}, fmt.Errorf("token %d: %w", id, err)
	}
	return token, nil
}

// CreateToken creates a token that expires at the given time; zero for never. Its text is returned
// only once.
func (s *Service) CreateToken(
	ctx context.Context, who issuing.Operator, name string, req GrantsRequest, expires time.Time,
) (detail TokenDetail, text secret.Text, err error) {
	if req, err = req.check(name); err != nil {
		return detail, text, err
	}
	if err := checkHeld(who, req.Roles, req.Scope); err != nil {
		return detail, text, err
	}
	if text, err = auth.NewText(s.Secrets, operator.TokenPrefix); err != nil {
		return detail, text, err
	}
	err = s.onPeople(ctx, who, "create token", func(tx *issuing.Tx) error {
		now := tx.Now()
		if !expires.IsZero() && !expires.After(now) {
			return issuing.Invalid("expires", "must be in the future")
		}
		if err := checkFree(tx, name); err != nil {
			return err
		}
		if err := checkBanks(tx, req.Scope); err != nil {
			return err
		}
		token := operator.Token{
			Name: name, Digest: auth.DigestToken(s.Vault, text.Reveal()), Roles: req.Roles,
			Scope: req.Scope, Owner: who.Owner, Created: now,
			Expires: expires.Truncate(time.Millisecond),
		}
		if err := tx.Tokens().Put(&token); err != nil {
			return err
		}
		detail, err = detailOf(tx, token)
		if err != nil {
			return err
		}
		return auditToken(tx, operator.Token{}, token, issuing.OutcomeCreated)
	})
	return detail, text, err
}

// RevokeToken revokes a token permanently.
func (s *Service) RevokeToken(
	ctx context.Context, who issuing.Operator, id, revision int,
) (revoked TokenDetail, err error) {
	err = s.onPeople(ctx, who, "revoke token", func(tx *issuing.Tx) error {
		before, err := findToken(tx, who, id)
		if err != nil {
			return err
		}
		if err := issuing.CheckRevisionIf("the token", before.Revision, revision); err != nil {
			return err
		}
		if !before.Revoked.IsZero() {
			return issuing.Refuse("The token is revoked.")
		}
		if err := checkHeld(who, before.Roles, before.Scope); err != nil {
			return err
		}
		after := before
		after.Revoked = tx.Now()
		if err := tx.Tokens().Put(&after); err != nil {
			return err
		}
		revoked, err = detailOf(tx, after)
		if err != nil {
			return err
		}
		return auditToken(tx, before, after, issuing.OutcomeChanged)
	})
	return revoked, err
}

// auditToken stores the entry of an act on a token. before may be the zero value.
func auditToken(tx *issuing.Tx, before, after operator.Token, outcome string) error {
	entry := audit.Entry{Subject: audit.Of(audit.Token, after.ID), Outcome: outcome}
	now := tx.Now()
	var err error
	if before.ID != 0 {
		entry.Before, err = before.Shown(now)
	}
	if err != nil {
		return err
	}
	entry.After, err = after.Shown(now)
	if err != nil {
		return err
	}
	return tx.PutEntry(entry)
}
