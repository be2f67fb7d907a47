package programs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// ProgramPart is a list in the settings of a program whose entries operators change one by one. An
// entry has the revision of its program.
type ProgramPart[T any] struct {
	name   string // in the names of acts
	member string // of the settings
	list   func(*program.Settings) *[]T
	number func(*T) *int
	fill   func(entry *T, before T) // sets what a request leaves out
}

// Parts of a program.
var (
	Products = ProgramPart[program.Product]{
		"product", "products",
		func(s *program.Settings) *[]program.Product { return &s.Products },
		func(p *program.Product) *int { return &p.ProductID }, fillProduct,
	}
	ProgramAccounts = ProgramPart[program.ProgramAccount]{
		"program account", "accounts",
		func(s *program.Settings) *[]program.ProgramAccount { return &s.Accounts },
		func(a *program.ProgramAccount) *int { return &a.ProgramAccountID },
		func(a *program.ProgramAccount, before program.ProgramAccount) {
			fillNumber(&a.AccountNumber, &a.AccountNumberMasked, before.AccountNumber)
		},
	}
	ExternalAccounts = ProgramPart[program.ExternalAccount]{
		"external account", "externalAccounts",
		func(s *program.Settings) *[]program.ExternalAccount { return &s.ExternalAccounts },
		func(a *program.ExternalAccount) *int { return &a.ProgramExternalAccountID },
		func(a *program.ExternalAccount, before program.ExternalAccount) {
			fillNumber(&a.AccountNumber, &a.AccountNumberMasked, before.AccountNumber)
		},
	}
)

// fillProduct sets the product's ID in its interest rates.
func fillProduct(p *program.Product, _ program.Product) {
	p.InterestRates = slices.Clone(p.InterestRates)
	for i := range p.InterestRates {
		p.InterestRates[i].ProductID = p.ProductID
	}
}

// fillNumber keeps the account number if the request has none, because operators read only the
// masked form.
func fillNumber(number, masked *string, before string) {
	if *number == "" {
		*number = before
	}
	*masked = customer.AccountNumber(*number).Masked()
}

// ProgramParts is a page of a part of a program.
type ProgramParts[T any] struct {
	Items    []T
	Last     string // key of the last item if more follow
	Revision int    // of the program
}

// List returns a page of the part, by the IDs of its entries.
func (p ProgramPart[T]) List(
	ctx context.Context, s *Service, who issuing.Operator, programID int, page issuing.Page,
) (ProgramParts[T], error) {
	prog, err := s.Program(ctx, who, programID)
	if err != nil {
		return ProgramParts[T]{}, err
	}
	shown, err := AsShown(prog)
	if err != nil {
		return ProgramParts[T]{}, err
	}
	all := *p.list(&shown)
	number := func(entry T) int { return *p.number(&entry) }
	slices.SortFunc(all, func(a, b T) int { return number(a) - number(b) })
	parts := ProgramParts[T]{Revision: prog.Revision}
	parts.Items, parts.Last = issuing.PageByNumber(all, page, number)
	return parts, nil
}

// Find returns an entry of the part, and the revision of the program.
func (p ProgramPart[T]) Find(
	ctx context.Context, s *Service, who issuing.Operator, programID, id int,
) (T, int, error) {
	var none T
	prog, err := s.Program(ctx, who, programID)
	if err != nil {
		return none, 0, err
	}
	shown, err := AsShown(prog)
	if err != nil {
		return none, 0, err
	}
	at, err := p.index(shown, id)
	if err != nil {
		return none, 0, err
	}
	return (*p.list(&shown))[at], prog.Revision, nil
}

func (p ProgramPart[T]) index(s program.Settings, id int) (int, error) {
	at := slices.IndexFunc(*p.list(&s), func(entry T) bool { return *p.number(&entry) == id })
	if at < 0 {
		return 0, fmt.Errorf("%s %d: %w", p.name, id, store.ErrNotFound)
	}
	return at, nil
}

// Create adds an entry, with the next ID if it has none.
func (p ProgramPart[T]) Create(
	ctx context.Context, s *Service, who issuing.Operator, programID int, entry T,
) (T, int, error) {
	var id int
	changed, err := s.changeProgram(ctx, who, programID, 0, "create "+p.name,
		func(tx *issuing.Tx, after *program.Program) error {
			list := p.list(&after.Settings)
			var known []int
			for _, other := range *list {
				known = append(known, *p.number(&other))
			}
			var none T
			item := entry
			number, taken := issuing.NextID(p.name, *p.number(&item), known)
			if taken != nil {
				return taken
			}
			id, *p.number(&item) = number, number
			p.fill(&item, none)
			*list = append(slices.Clone(*list), item)
			return nil
		})
	return p.answer(changed, id, err)
}

// Change replaces an entry, at the revision of the program that the operator read.
func (p ProgramPart[T]) Change(
	ctx context.Context, s *Service, who issuing.Operator, programID, revision int, entry T,
) (T, int, error) {
	id := *p.number(&entry)
	changed, err := s.changeProgram(ctx, who, programID, revision, "change "+p.name,
		func(tx *issuing.Tx, after *program.Program) error {
			at, err := p.index(after.Settings, id)
			if err != nil {
				return err
			}
			list := p.list(&after.Settings)
			item := entry
			p.fill(&item, (*list)[at])
			*list = slices.Clone(*list)
			(*list)[at] = item
			return nil
		})
	return p.answer(changed, id, err)
}

// answer returns an entry as operators read it, and the revision of the program.
func (p ProgramPart[T]) answer(of program.Program, id int, err error) (T, int, error) {
	var none T
	if err != nil {
		return none, 0, p.ownPaths(err)
	}
	shown, err := AsShown(of)
	if err != nil {
		return none, 0, err
	}
	at, err := p.index(shown, id)
	if err != nil {
		return none, 0, err
	}
	return (*p.list(&shown))[at], of.Revision, nil
}

// ownPaths makes the paths of a program's problems relative to the entry that was written.
func (p ProgramPart[T]) ownPaths(err error) error {
	wrong := (*problem.InvalidError)(nil)
	if !errors.As(err, &wrong) {
		return err
	}
	own := slices.Clone(wrong.Problems)
	for i := range own {
		rest, inPart := strings.CutPrefix(own[i].Path, p.member+"[")
		_, path, inEntry := strings.Cut(rest, "].")
		if inPart && inEntry {
			own[i].Path = path
		}
	}
	return own.Err()
}

// Delete deletes an entry, at the revision of the program that the operator read.
func (p ProgramPart[T]) Delete(
	ctx context.Context, s *Service, who issuing.Operator, programID, revision, id int,
) error {
	_, err := s.changeProgram(ctx, who, programID, revision, "delete "+p.name,
		func(tx *issuing.Tx, after *program.Program) error {
			at, err := p.index(after.Settings, id)
			if err != nil {
				return err
			}
			list := p.list(&after.Settings)
			*list = slices.Delete(slices.Clone(*list), at, at+1)
			return nil
		})
	return err
}
