package issuing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/auth"
	"mintmark/internal/operator"
	"mintmark/internal/problem"
	"mintmark/internal/secret"
	"mintmark/internal/store"
)

// ListTokens returns the tokens whose scope is within that of the operator, by their numbers, and
// the time by which they expire.
func (s *Service) ListTokens(
	ctx context.Context, who Operator, query string, page Page,
) (found []operator.Token, last string, now time.Time, err error) {
	err = s.store.View(ctx, func(r store.Tx) error {
		all, err := r.Tokens().List()
		all = slices.DeleteFunc(all, func(t operator.Token) bool {
			return !t.Scope.Within(who.Scope) || !matches(query, t.Name)
		})
		found, last = pageByNumber(all, page, func(t operator.Token) int { return t.ID })
		now = r.Now()
		return err
	})
	return found, last, now, toFault(err)
}

// FindToken returns one token, and the time by which it expires.
func (s *Service) FindToken(
	ctx context.Context, who Operator, id int,
) (found operator.Token, now time.Time, err error) {
	err = s.store.View(ctx, func(r store.Tx) error {
		one, err := findToken(r, who, id)
		found, now = one, r.Now()
		return err
	})
	return found, now, toFault(err)
}

// Now returns the time of the store.
func (s *Service) Now(ctx context.Context) (now time.Time, err error) {
	err = s.store.View(ctx, func(r store.Tx) error {
		now = r.Now()
		return nil
	})
	return now, toFault(err)
}

func findToken(r store.Tx, who Operator, id int) (operator.Token, error) {
	found, err := r.Tokens().Find(id)
	if err == nil && !found.Scope.Within(who.Scope) {
		err = store.ErrNotFound
	}
	if err != nil {
		return operator.Token{}, fmt.Errorf("token %d: %w", id, err)
	}
	return found, nil
}

// CreateToken makes a token that expires at a moment, or never. Its text is returned this once.
func (s *Service) CreateToken(
	ctx context.Context, who Operator, name string, req GrantsRequest, expires time.Time,
) (made operator.Token, text secret.Text, err error) {
	if req, err = req.check(name); err != nil {
		return made, text, err
	}
	if err := who.hold(req.Roles, req.Scope); err != nil {
		return made, text, err
	}
	if text, err = auth.NewText(s.Secrets, operator.TokenPrefix); err != nil {
		return made, text, err
	}
	err = s.onPeople(ctx, who, "create token", func(w *writeTx) error {
		now := w.tx.Now()
		if !expires.IsZero() && !expires.After(now) {
			return &InvalidError{problem.List{{Path: "expires", Text: "must lie ahead"}}}
		}
		all, err := w.tx.Tokens().List()
		if err != nil {
			return err
		}
		for _, other := range all {
			if other.Name == name {
				return &RefusedError{"There is a token with this name."}
			}
		}
		if err := w.checkBanks(req.Scope); err != nil {
			return err
		}
		one := operator.Token{
			Name: name, Digest: auth.DigestToken(s.vault, text.Reveal()), Roles: req.Roles,
			Scope: req.Scope, Created: now, Expires: expires.Truncate(time.Millisecond),
		}
		if err := w.tx.Tokens().Put(&one); err != nil {
			return err
		}
		made = one
		return w.auditToken(operator.Token{}, one, created)
	})
	return made, text, err
}

// RevokeToken takes a token away for ever.
func (s *Service) RevokeToken(
	ctx context.Context, who Operator, id, revision int,
) (revoked operator.Token, err error) {
	err = s.onPeople(ctx, who, "revoke token", func(w *writeTx) error {
		before, err := findToken(w.tx, who, id)
		if err != nil {
			return err
		}
		switch {
		case revision != 0 && revision != before.Revision:
			return fmt.Errorf("token %d: %w", id, store.ErrLostUpdate)
		case !before.Revoked.IsZero():
			return &RefusedError{"The token is revoked."}
		}
		if err := who.hold(before.Roles, before.Scope); err != nil {
			return err
		}
		after := before
		after.Revoked = w.tx.Now()
		if err := w.tx.Tokens().Put(&after); err != nil {
			return err
		}
		revoked = after
		return w.auditToken(before, after, changed)
	})
	return revoked, err
}

// auditToken stores the entry of an act on a token. Before may be the zero token.
func (w *writeTx) auditToken(before, after operator.Token, outcome string) error {
	entry := audit.Entry{Subject: audit.Of(audit.Token, after.ID), Outcome: outcome}
	now := w.tx.Now()
	var err error
	if before.ID != 0 {
		entry.Before, err = grantsText(before.Name, before.State(now), before.Roles, before.Scope)
	}
	if err != nil {
		return err
	}
	entry.After, err = grantsText(after.Name, after.State(now), after.Roles, after.Scope)
	if err != nil {
		return err
	}
	return w.audit(entry)
}
