package issuing

import (
	"context"
	"strconv"

	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// OutcomeRead is the outcome of an act that only reads.
const OutcomeRead = "read"

// Number returns the number after which a page begins, 0 for the first page.
func (p Page) Number() (int, error) {
	if p.After == "" {
		return 0, nil
	}
	number, err := strconv.Atoi(p.After)
	if err != nil || number < 1 {
		return 0, Invalid("", "the parameter cursor is not valid")
	}
	return number, nil
}

// CutPage removes the extra item that was read only to detect a following page. If there was one,
// it returns the key of the last remaining item.
func CutPage[T any](items []T, page Page, key func(T) int) (kept []T, last string) {
	if len(items) <= page.Limit {
		return items, ""
	}
	items = items[:page.Limit]
	return items, strconv.Itoa(key(items[len(items)-1]))
}

// PageOf returns a page of a list in the programs that an operator may see, or in one of them, and
// the key of its last item if more follow. list returns at most limit items after the number
// behind.
func PageOf[T any](
	ctx context.Context, s *Service, who Operator, programID int, page Page, number func(T) int,
	list func(r store.Tx, programs []int, behind, limit int) ([]T, error),
) (items []T, last string, err error) {
	behind, err := page.Number()
	if err != nil {
		return nil, "", err
	}
	items, err = store.ViewOf(ctx, s.Store, func(r store.Tx) ([]T, error) {
		programs, err := s.VisiblePrograms(r, who, programID)
		if err != nil {
			return nil, err
		}
		return list(r, programs, behind, page.Limit+1)
	})
	if err != nil {
		return nil, "", err
	}
	items, last = CutPage(items, page, number)
	return items, last, nil
}

// VisiblePrograms returns the IDs of the programs in an operator's scope, nil for all. If programID
// is not 0, the list contains only that program, or nothing if it is out of scope.
func (s *Service) VisiblePrograms(r store.Tx, who Operator, programID int) ([]int, error) {
	if who.Scope.All {
		if programID != 0 {
			return []int{programID}, nil
		}
		return nil, nil
	}
	all, err := r.Programs().List()
	if err != nil {
		return nil, err
	}
	seen := []int{}
	for _, id := range all {
		if programID != 0 && programID != id {
			continue
		}
		p, err := r.Programs().Find(id)
		if err != nil {
			return nil, err
		}
		if who.Scope.Includes(p.BankID) {
			seen = append(seen, id)
		}
	}
	return seen, nil
}

// PutEntry stores the audit entry of an act that changes nothing else.
func (s *Service) PutEntry(ctx context.Context, entry audit.Entry) error {
	return s.Store.Update(ctx, func(tx store.Tx) error {
		entry.At = tx.Now()
		return tx.Audit().Put(entry)
	})
}

// PutRead stores an audit entry about data of some programs that an operator has read. The entry
// belongs to the program if there is only one, else to the bank if they share one.
func (s *Service) PutRead(ctx context.Context, entry audit.Entry, programs []int) error {
	at := Location{}
	for i, id := range programs {
		p, err := s.ProgramCache.Find(ctx, s.Store, id)
		if err != nil {
			return err
		}
		if i == 0 {
			at = Location{ProgramID: id, BankID: p.BankID}
		}
		if id != at.ProgramID {
			at.ProgramID = 0
		}
		if p.BankID != at.BankID {
			at.BankID = 0
		}
	}
	at = inAudit(at)
	entry.ProgramID, entry.BankID = at.ProgramID, at.BankID
	return s.PutEntry(ctx, entry)
}
