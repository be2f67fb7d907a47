package transfers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/authorization"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts.
const (
	readAuthorizationAct = "read authorization"
	releaseHoldAct       = "release hold"
)

// AuthorizationSheet is an authorization as shown to an operator.
type AuthorizationSheet struct {
	authorization.Authorization
	Decimals int        // of its program
	Hold     *HoldSheet // that it placed or increased; nil for none, and in lists
}

// HoldSheet is a hold as shown to an operator. For a hold that has ended, the amount, the times of
// its placement and planned end, and what the holder has seen are unknown.
type HoldSheet struct {
	authorization.Hold
	Decimals int
	End      authorization.End // empty while it is active
	Ended    time.Time
}

// AuthorizationFilter selects authorizations to list. A zero field does not restrict.
type AuthorizationFilter struct {
	ProgramID, CardID, CustomerID int
	Outcome, Reason, Merchant     string
	Span                          issuing.Span
}

// query returns the filter as a query of the store, or its problems as an error.
func (f AuthorizationFilter) query() (store.AuthorizationQuery, error) {
	q := store.AuthorizationQuery{
		CardID: f.CardID, CustomerID: f.CustomerID, Outcome: f.Outcome, Merchant: f.Merchant,
		Reason: authorization.Reason(f.Reason), From: f.Span.From, To: f.Span.To,
	}
	var wrong problem.List
	if f.Outcome != "" && !slices.Contains(authorization.Decisions, f.Outcome) {
		wrong.Add("", "the parameter outcome is approved or declined")
	}
	if f.Reason != "" && !slices.Contains(authorization.Reasons, q.Reason) {
		wrong.Add("", "the parameter reason is not a reason of an authorization")
	}
	return q, wrong.Err()
}

// ListAuthorizations returns the authorizations that an operator may see, newest first. It examines
// a bounded number of rows: a page may be short or empty and still have a last key to continue
// from.
func (s *Service) ListAuthorizations(
	ctx context.Context, who issuing.Operator, filter AuthorizationFilter, page issuing.Page,
) (sheets []AuthorizationSheet, last string, err error) {
	query, err := filter.query()
	if err != nil {
		return nil, "", err
	}
	if query.Before, err = parseCursor(page); err != nil {
		return nil, "", err
	}
	query.Limit = page.Limit + 1
	var authorizations []authorization.Authorization
	var next authorization.ListKey
	err = s.Store.View(ctx, func(r store.Tx) error {
		programs, err := s.VisiblePrograms(r, who, filter.ProgramID)
		if err != nil {
			return err
		}
		query.Programs = programs
		authorizations, next, err = r.Authorizations().List(query)
		return err
	})
	if err != nil {
		return nil, "", err
	}
	if len(authorizations) > page.Limit {
		authorizations = authorizations[:page.Limit]
		next = authorizations[page.Limit-1].ListKey()
	}
	for _, a := range authorizations {
		digits, err := s.decimals(ctx, who, a.ProgramID)
		if err != nil {
			return nil, "", err
		}
		sheets = append(sheets, AuthorizationSheet{Authorization: a, Decimals: digits})
	}
	return sheets, cursorOf(next), nil
}

// decimals returns the decimals of a program in scope. Authorizations of unknown cards have no
// program, and only operators of all banks may see them.
func (s *Service) decimals(
	ctx context.Context, who issuing.Operator, programID int,
) (int, error) {
	if programID == 0 && who.Scope.All {
		return 0, nil
	}
	program, err := s.ProgramInScope(ctx, who, programID)
	if err != nil {
		return 0, err
	}
	return program.Settings.DecimalCount, nil
}

// cursorOf returns the cursor of the page that begins after a key.
func cursorOf(p authorization.ListKey) string {
	if p.At.IsZero() {
		return ""
	}
	return strconv.FormatInt(p.At.UnixMilli(), 10) + " " + p.ID
}

// parseCursor returns the key after which a page begins.
func parseCursor(page issuing.Page) (p authorization.ListKey, err error) {
	if page.After == "" {
		return p, nil
	}
	millis, id, _ := strings.Cut(page.After, " ")
	number, err := strconv.ParseInt(millis, 10, 64)
	if err != nil || id == "" {
		return p, issuing.Invalid("", "the parameter cursor is not valid")
	}
	return authorization.ListKey{At: time.UnixMilli(number).UTC(), ID: id}, nil
}

// ReadAuthorization returns an authorization to an operator, and records the read in the audit.
func (s *Service) ReadAuthorization(
	ctx context.Context, who issuing.Operator, id string,
) (AuthorizationSheet, error) {
	sheet, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (AuthorizationSheet, error) {
		a, err := r.Authorizations().Find(id)
		if err == nil && a.IsMark() {
			err = store.ErrNotFound
		}
		if err != nil {
			return AuthorizationSheet{}, fmt.Errorf("authorization: %w", err)
		}
		sheet := AuthorizationSheet{Authorization: a}
		hold, err := findHold(r, a.HoldID())
		switch {
		case err == nil:
			sheet.Hold = &hold
		case errors.Is(err, store.ErrNotFound):
			err = nil
		}
		return sheet, err
	})
	if err == nil {
		sheet.Decimals, err = s.decimals(ctx, who, sheet.ProgramID)
	}
	if err != nil {
		return AuthorizationSheet{}, err
	}
	if sheet.Hold != nil {
		sheet.Hold.Decimals = sheet.Decimals
	}
	entry := audit.Entry{
		Actor: who.Actor, Act: readAuthorizationAct, ProgramID: sheet.ProgramID,
		Outcome: issuing.OutcomeRead,
	}
	if sheet.CardID != 0 {
		entry.Subject = audit.Of(audit.Card, sheet.CardID)
	}
	return sheet, s.PutEntry(ctx, entry)
}

// findHold returns a hold, or how it has ended.
func findHold(r store.Tx, id string) (HoldSheet, error) {
	hold, err := r.Holds().FindView(id)
	if err == nil {
		return HoldSheet{Hold: hold.Hold}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return HoldSheet{}, err
	}
	end, err := r.Holds().FindEnd(id)
	return HoldSheet{
		Hold: authorization.Hold{
			ID: end.HoldID, AuthorizationID: end.AuthorizationID, ProgramID: end.ProgramID,
			CardID: end.CardID, AccountID: end.AccountID, Kind: end.Kind,
		},
		End: end.End, Ended: end.At,
	}, err
}

// HoldFilter selects holds to list. A zero field does not restrict.
type HoldFilter struct{ ProgramID, CardID, AccountID int }

// ListHolds returns the active holds that an operator may see, those that end last first.
func (s *Service) ListHolds(
	ctx context.Context, who issuing.Operator, filter HoldFilter, page issuing.Page,
) (sheets []HoldSheet, last string, err error) {
	before, err := parseCursor(page)
	if err != nil {
		return nil, "", err
	}
	holds, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]authorization.Hold, error) {
		programs, err := s.VisiblePrograms(r, who, filter.ProgramID)
		if err != nil {
			return nil, err
		}
		if filter.CardID != 0 {
			holds, err := r.Holds().List(filter.CardID)
			holds = slices.DeleteFunc(holds, func(h authorization.Hold) bool {
				return programs != nil && !slices.Contains(programs, h.ProgramID) ||
					filter.AccountID != 0 && h.AccountID != filter.AccountID ||
					!before.At.IsZero() && h.ListKey().Compare(before) <= 0
			})
			slices.SortFunc(holds, func(a, b authorization.Hold) int {
				return a.ListKey().Compare(b.ListKey())
			})
			return holds, err
		}
		return r.Holds().ListEnding(store.HoldQuery{
			Programs: programs, AccountID: filter.AccountID, Before: before, Limit: page.Limit + 1,
		})
	})
	if err != nil {
		return nil, "", err
	}
	if len(holds) > page.Limit {
		holds = holds[:page.Limit]
		last = cursorOf(holds[page.Limit-1].ListKey())
	}
	for _, h := range holds {
		digits, err := s.decimals(ctx, who, h.ProgramID)
		if err != nil {
			return nil, "", err
		}
		sheets = append(sheets, HoldSheet{Hold: h, Decimals: digits})
	}
	return sheets, last, nil
}

// FindHold returns a hold in an operator's scope, or how it has ended.
func (s *Service) FindHold(
	ctx context.Context, who issuing.Operator, id string,
) (HoldSheet, error) {
	holdSheet, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (HoldSheet, error) {
		return findHold(r, id)
	})
	if err == nil {
		holdSheet.Decimals, err = s.decimals(ctx, who, holdSheet.ProgramID)
	}
	if err != nil {
		return HoldSheet{}, fmt.Errorf("hold: %w", err)
	}
	return holdSheet, nil
}

// ReleaseHold ends a hold for an operator, as a release by the processor does. It needs a second
// operator if the program demands one.
func (s *Service) ReleaseHold(
	ctx context.Context, who issuing.Operator, id string,
) (HoldSheet, error) {
	hold, err := s.FindHold(ctx, who, id)
	if err != nil {
		return HoldSheet{}, err
	}
	err = s.Act(ctx, who, issuing.InProgram(hold.ProgramID), releaseHoldAct,
		func(tx *issuing.Tx) error {
			view, err := tx.Holds().FindView(id)
			if errors.Is(err, store.ErrNotFound) {
				return &issuing.RefusedError{Detail: "The hold has ended."}
			}
			if err != nil {
				return err
			}
			if err := tx.Guard(); err != nil {
				return err
			}
			hold.Hold, hold.End, hold.Ended = view.Hold, authorization.Released, tx.Now()
			t := &transferTx{tx: tx, service: s, from: tx.Caller.Actor}
			return t.endHold(view, authorization.Released, releaseHoldAct)
		})
	if err != nil {
		return HoldSheet{}, err
	}
	return hold, nil
}
