package customers

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/fault"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// tracesAtOnce limits the copies that one transaction examines, so that callers do not wait.
const tracesAtOnce = 500

// finishErasures empties the copies that erasures have left. An erasure that fails does not hold up
// those of other customers.
func (s *Service) finishErasures(ctx context.Context) error {
	var all []store.Erased
	err := s.Store.View(ctx, func(r store.Tx) (err error) {
		all, err = r.Erasure().ListErased()
		return err
	})
	failures := []error{err}
	for _, left := range all {
		failures = append(failures, s.emptyTraces(ctx, left.CustomerID, func(tx store.Tx) error {
			return issuing.AuditPurge(tx, RedactPeopleJob, "forget people",
				fmt.Sprintf("copies of customer %d emptied", left.CustomerID))
		}))
	}
	return errors.Join(failures...)
}

// emptyTraces empties the copies that the erasure of a customer has left, in batches, and calls end
// in the transaction that records the completion.
func (s *Service) emptyTraces(
	ctx context.Context, customerID int, end func(store.Tx) error,
) error {
	left, of, err := s.findErased(ctx, customerID)
	if errors.Is(err, store.ErrNotFound) {
		return nil // another node was faster
	}
	if err == nil {
		err = s.emptyAnswers(ctx, left, of.pattern())
	}
	if err == nil {
		err = s.emptyApprovals(ctx, of)
	}
	if err == nil {
		err = s.emptyAttempts(ctx, left.ProgramID)
	}
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx store.Tx) error {
		return errors.Join(tx.Erasure().DeleteErased(customerID), end(tx))
	})
}

// findErased returns the progress with the copies of a customer, and the identifiers to find them
// by.
func (s *Service) findErased(
	ctx context.Context, customerID int,
) (left store.Erased, of people, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		all, err := r.Erasure().ListErased()
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(e store.Erased) bool { return e.CustomerID == customerID })
		if at < 0 {
			return store.ErrNotFound
		}
		left = all[at]
		e := &erasure{Tx: s.NewTx(r, issuing.Caller{}, nil)}
		e.customer, err = r.Customers().Find(left.ProgramID, customerID)
		if err != nil {
			return err
		}
		if err := e.load(); err != nil {
			return err
		}
		of = e.people()
		return nil
	})
	return left, of, err
}

// emptyAnswer replaces an answer that is erased. The record stays, so that a repeated request is
// not performed again.
var emptyAnswer = []byte("{}\n")

// emptyAnswers empties the stored answers that match: those to callers of the program, then those
// to operators.
func (s *Service) emptyAnswers(ctx context.Context, left store.Erased, of finder) error {
	for {
		var page []store.IdempotencyRecord
		err := s.Store.View(ctx, func(r store.Tx) (err error) {
			if left.ToOperators {
				page, err = r.Erasure().ListOperatorsAnswers(left.Behind, tracesAtOnce)
			} else {
				page, err = r.Erasure().ListAnswers(left.ProgramID, left.Behind, tracesAtOnce)
			}
			return err
		})
		if err != nil || len(page) == 0 && left.ToOperators {
			return err
		}
		if len(page) == 0 {
			left.ToOperators, left.Behind = true, store.IdempotencyScope{}
			continue
		}
		left.Behind = page[len(page)-1].IdempotencyScope
		err = s.Store.Update(ctx, func(tx store.Tx) error {
			empty := tx.Erasure().PutAnswer
			if left.ToOperators {
				empty = tx.Erasure().PutOperatorsAnswer
			}
			for _, r := range page {
				if !of.Match(r.Answer) {
					continue
				}
				if err := empty(r.IdempotencyScope, emptyAnswer); err != nil {
					return err
				}
			}
			return tx.Erasure().ChangeErased(left)
		})
		if err != nil {
			return err
		}
	}
}

// emptyApprovals empties the approvals about a customer. It skips those that request its erasure,
// which keep their reason.
func (s *Service) emptyApprovals(ctx context.Context, of people) error {
	for below := 0; ; {
		approvals, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]operator.Approval, error) {
			return r.Approvals().List(store.ApprovalQuery{Below: below, Limit: tracesAtOnce})
		})
		if err != nil || len(approvals) == 0 {
			return err
		}
		below = approvals[len(approvals)-1].ID
		err = s.Store.Update(ctx, func(tx store.Tx) error {
			for _, a := range approvals {
				if !of.approval(a) || strings.HasSuffix(a.Path, "/erase") {
					continue
				}
				if err := tx.Erasure().EmptyApproval(a.ID, audit.Erased); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// emptyAttempts empties the stored responses of the program's webhook receivers.
func (s *Service) emptyAttempts(ctx context.Context, programID int) error {
	return s.UpdateInBatches(ctx, tracesAtOnce, func(tx store.Tx) (int, error) {
		return tx.Erasure().EmptyAttempts(programID, tracesAtOnce)
	})
}

// people identifies a customer with its cards and accounts, as copies name them.
type people struct {
	customerID      int
	cards, accounts []int
}

// finder reports whether a text contains data of people.
type finder interface{ Match(text []byte) bool }

// quoting lists the faults whose messages quote the names in a request without saying whose they
// are.
var quoting = []fault.Kind{
	fault.FirstNameCharacters, fault.MiddleNameCharacters, fault.LastNameCharacters,
}

// pattern matches a JSON text that names the customer or one of its cards or accounts, and a
// refusal that names the customer or quotes any name. It may also match a text about something else
// with the same number, or about another person, which is then emptied needlessly.
func (p people) pattern() finder {
	members := []string{
		`"(?:customerId|cardHolderCustomerId|id)":\s*` + strconv.Itoa(p.customerID),
		`CustomerId ` + strconv.Itoa(p.customerID),
	}
	for _, kind := range quoting {
		members = append(members, `"code":`+strconv.Itoa(fault.New(kind).Code()))
	}
	if len(p.cards) > 0 {
		members = append(members, `"(?:cardId|id)":\s*`+oneOf(p.cards))
	}
	if len(p.accounts) > 0 {
		members = append(members, `"(?:accountId|id)":\s*`+oneOf(p.accounts))
	}
	return regexp.MustCompile(`(?:` + strings.Join(members, "|") + `)\b`)
}

func oneOf(numbers []int) string {
	texts := make([]string, len(numbers))
	for i, number := range numbers {
		texts[i] = strconv.Itoa(number)
	}
	return "(?:" + strings.Join(texts, "|") + ")"
}

// approval reports whether an approval is about the customer, or one of its cards or accounts.
func (p people) approval(a operator.Approval) bool {
	kind, id, _ := strings.Cut(a.Subject, ":")
	number, err := strconv.Atoi(id)
	if err == nil {
		switch audit.SubjectKind(kind) {
		case audit.Customer:
			return number == p.customerID
		case audit.Card:
			return slices.Contains(p.cards, number)
		case audit.Account:
			return slices.Contains(p.accounts, number)
		}
	}
	// A resource to create is named only in the request.
	return (a.Path == "customers" || a.Path == "accounts") && p.pattern().Match(a.Body)
}
