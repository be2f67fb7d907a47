package programs

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/program"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on BINs.
const (
	createBinAct = "create BIN"
	changeBinAct = "change BIN"
)

// Bins returns a page of the BINs of a program, by ID.
func (s *Service) Bins(
	ctx context.Context, who issuing.Operator, programID int, search string, page issuing.Page,
) (items []program.Bin, last string, err error) {
	p, err := s.Program(ctx, who, programID)
	if err != nil {
		return nil, "", err
	}
	all := slices.DeleteFunc(p.Bins, func(b program.Bin) bool {
		return !issuing.Matches(search, b.Description, strconv.Itoa(b.ID))
	})
	items, last = issuing.PageByNumber(all, page, func(b program.Bin) int { return b.ID })
	return items, last, nil
}

// Bin returns a BIN of a program by its ID. It returns store.ErrNotFound for one of another
// program.
func (s *Service) Bin(
	ctx context.Context, who issuing.Operator, programID, id int,
) (program.Bin, error) {
	p, err := s.Program(ctx, who, programID)
	if err != nil {
		return program.Bin{}, err
	}
	return binOf(p, id)
}

func binOf(p program.Program, id int) (program.Bin, error) {
	for _, bin := range p.Bins {
		if bin.ID == id {
			return bin, nil
		}
	}
	return program.Bin{}, fmt.Errorf("bin %d: %w", id, store.ErrNotFound)
}

// CreateBin creates a BIN of a program, with the next ID if none is requested.
func (s *Service) CreateBin(
	ctx context.Context, who issuing.Operator, b program.Bin,
) (program.Bin, error) {
	var bin program.Bin
	err := s.Act(ctx, who, issuing.InProgram(b.ProgramID), createBinAct,
		func(tx *issuing.Tx) error {
			others, err := allBins(tx)
			if err != nil {
				return err
			}
			var known []int
			for _, other := range others {
				known = append(known, other.ID)
			}
			id, taken := issuing.NextID("BIN", b.ID, known)
			bin = b
			bin.ID, bin.Revision = id, 0
			return issuing.PreferInvalid(putBin(tx, &bin, nil, others), taken)
		})
	return bin, err
}

// ChangeBin changes a BIN at the revision that the operator read. Its range and its vendor stay:
// the BIN may have cards.
func (s *Service) ChangeBin(
	ctx context.Context, who issuing.Operator, revision int, b program.Bin,
) (program.Bin, error) {
	var after program.Bin
	err := s.Act(ctx, who, issuing.InProgram(b.ProgramID), changeBinAct,
		func(tx *issuing.Tx) error {
			p, err := tx.Programs().Find(b.ProgramID)
			if err != nil {
				return err
			}
			before, err := binOf(p, b.ID)
			if err != nil {
				return err
			}
			if err := issuing.CheckRevision("the BIN", before.Revision, revision); err != nil {
				return err
			}
			if err := checkRangeUnchanged(before, b); err != nil {
				return err
			}
			after = b
			after.Revision = before.Revision
			return putBin(tx, &after, binMembers(before), nil)
		})
	return after, err
}

// allBins returns the BINs of all programs: no two may share a card number.
func allBins(tx *issuing.Tx) ([]program.Bin, error) {
	programs, err := tx.Programs().List()
	if err != nil {
		return nil, err
	}
	var bins []program.Bin
	for _, id := range programs {
		p, err := tx.Programs().Find(id)
		if err != nil {
			return nil, err
		}
		bins = append(bins, p.Bins...)
	}
	return bins, nil
}

// putBin validates a BIN and stores it with its audit entry. It refuses a BIN that overlaps one of
// the others.
func putBin(tx *issuing.Tx, b *program.Bin, before issuing.Members, others []program.Bin) error {
	wrong := b.Validate()
	noRange := slices.ContainsFunc(wrong, func(p problem.Problem) bool {
		return p.Path == "firstBody" || p.Path == "lastBody"
	})
	overlaps := !noRange && slices.ContainsFunc(others, func(other program.Bin) bool {
		return other.ID != b.ID && other.Overlaps(*b)
	})
	switch {
	case overlaps && len(wrong) == 0:
		return issuing.Refuse("The range shares numbers with that of another BIN.")
	case overlaps:
		wrong.Add("firstBody", "shares numbers with the range of another BIN")
	}
	if err := wrong.Err(); err != nil {
		return err
	}
	put := func() error { return tx.Programs().PutBin(*b) }
	return tx.PutRevised(audit.Of(audit.Bin, b.ID), before, binMembers(*b), &b.Revision, put)
}

func binMembers(b program.Bin) issuing.Members {
	return issuing.Members{
		"programId": b.ProgramID, "vendorTypeCode": b.Vendor, "description": b.Description,
		"isActive": b.IsActive, "firstBody": b.FirstBody, "lastBody": b.LastBody,
		"validMonths": b.ValidMonths,
	}
}

// checkRangeUnchanged refuses to change the range or the vendor of a stored BIN.
func checkRangeUnchanged(before, after program.Bin) error {
	const fixed = "cannot be changed: the BIN may have cards"
	var wrong problem.List
	if after.FirstBody != before.FirstBody {
		wrong.Add("firstBody", fixed)
	}
	if after.LastBody != before.LastBody {
		wrong.Add("lastBody", fixed)
	}
	if after.Vendor != before.Vendor {
		wrong.Add("vendorTypeCode", fixed)
	}
	return wrong.Err()
}
