package customers

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/store"
)

// people are a customer with its cards and accounts, as copies name them.
type people struct {
	customerID      int
	cards, accounts []int
}

// finder finds what a text says of people.
type finder interface{ Match(text []byte) bool }

// pattern finds a JSON text that names the customer or one of its cards or accounts. It may find a
// text of another thing with the same number, which is emptied for nothing.
func (p people) pattern() finder {
	members := []string{`"(?:customerId|cardHolderCustomerId|id)":\s*` + strconv.Itoa(p.customerID)}
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
	// A thing that is to be made is named in the request alone.
	return (a.Path == "customers" || a.Path == "accounts") && p.pattern().Match(a.Body)
}

// listApprovals reads approvals below a number.
func (s *Service) listApprovals(
	ctx context.Context, below, limit int,
) (approvals []operator.Approval, err error) {
	err = s.Store.View(ctx, func(r store.Tx) error {
		approvals, err = r.Approvals().List(store.ApprovalQuery{Below: below, Limit: limit})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list approvals: %w", err)
	}
	return approvals, nil
}
