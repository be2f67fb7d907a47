package programs

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/doccheck"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on documents.
const (
	createDocument  = "create document"
	changeDocument  = "change document"
	deleteDocument  = "delete document"
	uploadDocument  = "upload document"
	publishDocument = "publish document"
	endDocument     = "end document"
)

const isPublished = "The document is published and cannot be changed. Publish another one of " +
	"its culture and type, which ends it."

// DocumentSpec is a document as an operator requests it. Until it is published, HTML and dates may
// be missing.
type DocumentSpec struct {
	Culture            string
	Type               bankdoc.Type
	Title, HTML        string
	Effective, Expires time.Time
}

// DocumentDetail is a document with its state. In a list it has neither of its forms.
type DocumentDetail struct {
	bankdoc.Document
	State bankdoc.State
}

// DocumentQuery selects documents of a bank. An empty field does not restrict.
type DocumentQuery struct {
	Culture string
	Type    bankdoc.Type
	State   bankdoc.State
	Search  string // a part of the title
}

func (q DocumentQuery) matches(d DocumentDetail) bool {
	return (q.Culture == "" || d.IsOf(q.Culture)) && (q.Type == "" || q.Type == d.Type) &&
		(q.State == "" || q.State == d.State) && issuing.Matches(q.Search, d.Title)
}

// BankDocuments returns documents of a bank, including drafts, by ID.
func (s *Service) BankDocuments(
	ctx context.Context, who issuing.Operator, bankID int, q DocumentQuery, page issuing.Page,
) (documentDetails []DocumentDetail, last string, err error) {
	after := 0
	if page.After != "" {
		after, err = strconv.Atoi(page.After)
		if err != nil {
			return nil, "", nil // no list ends with such a cursor
		}
	}
	err = s.viewBank(ctx, who, bankID, func(r store.Tx) error {
		documentDetails, last = nil, ""
		for at := after; ; {
			chunk, err := listDocuments(r, bankID, at, page.Limit+1)
			if err != nil {
				return err
			}
			for _, d := range chunk {
				if !q.matches(d) {
					continue
				}
				if len(documentDetails) == page.Limit {
					last = strconv.Itoa(documentDetails[page.Limit-1].ID)
					return nil
				}
				documentDetails = append(documentDetails, d)
			}
			if len(chunk) <= page.Limit {
				return nil
			}
			at = chunk[len(chunk)-1].ID
		}
	})
	return documentDetails, last, err
}

// listDocuments returns documents of a bank after an ID, including drafts.
func listDocuments(r store.Tx, bankID, after, limit int) ([]DocumentDetail, error) {
	published, err := r.Documents().ListOfBank(bankID, after, limit)
	if err != nil {
		return nil, err
	}
	drafts, err := r.Documents().ListDrafts(bankID, after, limit)
	if err != nil {
		return nil, err
	}
	var all []DocumentDetail
	for _, d := range published {
		all = append(all, DocumentDetail{d, d.StateAt(r.Now())})
	}
	for _, d := range drafts {
		all = append(all, DocumentDetail{d, bankdoc.Draft})
	}
	slices.SortFunc(all, func(a, b DocumentDetail) int { return a.ID - b.ID })
	return all[:min(len(all), limit)], nil
}

// BankDocument returns a document of a bank by its ID, with its forms.
func (s *Service) BankDocument(
	ctx context.Context, who issuing.Operator, bankID, id int,
) (detail DocumentDetail, err error) {
	err = s.viewBank(ctx, who, bankID, func(r store.Tx) (err error) {
		detail, err = findDocument(r, bankID, id)
		return err
	})
	return detail, err
}

func findDocument(r store.Tx, bankID, id int) (DocumentDetail, error) {
	draft, err := r.Documents().FindDraft(bankID, id)
	if err == nil {
		return DocumentDetail{draft, bankdoc.Draft}, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return DocumentDetail{}, err
	}
	document, err := r.Documents().Find(bankID, id)
	return DocumentDetail{document, document.StateAt(r.Now())}, err
}

// viewBank runs a closure that reads data of a bank in the operator's scope.
func (s *Service) viewBank(
	ctx context.Context, who issuing.Operator, bankID int, fn func(store.Tx) error,
) error {
	if _, err := s.FindBank(ctx, who, bankID); err != nil {
		return err
	}
	return s.Store.View(ctx, fn)
}

// CreateDraft creates a document that callers do not see until it is published.
func (s *Service) CreateDraft(
	ctx context.Context, who issuing.Operator, bankID int, spec DocumentSpec,
) (DocumentDetail, error) {
	var detail DocumentDetail
	err := s.Act(ctx, who, issuing.InBank(bankID), createDocument, func(tx *issuing.Tx) error {
		if _, err := issuing.FindBank(tx, bankID); err != nil {
			return err
		}
		d := bankdoc.Document{BankID: bankID}
		if err := spec.fill(&d); err != nil {
			return err
		}
		if err := tx.Documents().PutDraft(&d); err != nil {
			return err
		}
		detail = DocumentDetail{d, bankdoc.Draft}
		return auditDocument(tx, issuing.OutcomeCreated, bankdoc.Document{}, d)
	})
	return detail, err
}

// fill sets a draft to what an operator requests, or returns the problems of the request.
func (spec DocumentSpec) fill(d *bankdoc.Document) error {
	d.Culture, d.Type, d.Title, d.HTML = spec.Culture, spec.Type, spec.Title, spec.HTML
	d.Effective, d.Expires = wholeMillis(spec.Effective), wholeMillis(spec.Expires)
	return d.ValidateDraft().Err()
}

// ChangeDraft changes a draft at the revision that the operator read. Its PDF stays.
func (s *Service) ChangeDraft(
	ctx context.Context, who issuing.Operator, bankID, id, revision int, spec DocumentSpec,
) (DocumentDetail, error) {
	return s.changeDraft(ctx, who, draftAct{changeDocument, bankID, id, revision},
		func(d *bankdoc.Document) error { return spec.fill(d) })
}

// PutDraftPDF checks and stores the PDF form of a draft. revision is that of the draft, 0 for any.
func (s *Service) PutDraftPDF(
	ctx context.Context, who issuing.Operator, bankID, id, revision int, pdf []byte,
) (DocumentDetail, error) {
	if _, err := s.BankDocument(ctx, who, bankID, id); err != nil {
		return DocumentDetail{}, err
	}
	// The check takes long, and the embedded store has one writer, so it precedes the transaction.
	wrong, err := doccheck.PDF(ctx, pdf)
	if err != nil {
		return DocumentDetail{}, err
	}
	if wrong != "" {
		return DocumentDetail{}, issuing.Invalid("", "the PDF %s", wrong)
	}
	return s.changeDraft(ctx, who, draftAct{uploadDocument, bankID, id, revision},
		func(d *bankdoc.Document) error {
			d.PDF, d.HasPDF = pdf, true
			return nil
		})
}

// draftAct is an act on a draft at a revision, 0 for any.
type draftAct struct {
	name                 string
	bankID, id, revision int
}

// changeDraft applies a change to a draft.
func (s *Service) changeDraft(
	ctx context.Context, who issuing.Operator, act draftAct, change func(*bankdoc.Document) error,
) (DocumentDetail, error) {
	var changedTo DocumentDetail
	err := s.Act(ctx, who, issuing.InBank(act.bankID), act.name, func(tx *issuing.Tx) error {
		before, err := findDraft(tx, act)
		if err != nil {
			return err
		}
		after := before
		if err := change(&after); err != nil {
			return err
		}
		if err := tx.Documents().PutDraft(&after); err != nil {
			return err
		}
		changedTo = DocumentDetail{after, bankdoc.Draft}
		return auditDocument(tx, issuing.OutcomeChanged, before, after)
	})
	return changedTo, err
}

// findDraft returns the draft of an act. A published document never changes.
func findDraft(tx *issuing.Tx, act draftAct) (bankdoc.Document, error) {
	detail, err := findDocument(tx, act.bankID, act.id)
	switch {
	case err != nil:
		return bankdoc.Document{}, err
	case detail.State != bankdoc.Draft:
		return bankdoc.Document{}, issuing.Refuse(isPublished)
	}
	return detail.Document, issuing.CheckRevisionIf("the document", detail.Revision, act.revision)
}

// DeleteDraft deletes a draft at the revision that the operator read.
func (s *Service) DeleteDraft(
	ctx context.Context, who issuing.Operator, bankID, id, revision int,
) error {
	return s.Act(ctx, who, issuing.InBank(bankID), deleteDocument, func(tx *issuing.Tx) error {
		before, err := findDraft(tx, draftAct{deleteDocument, bankID, id, revision})
		if err != nil {
			return err
		}
		if err := tx.Documents().DeleteDraft(before); err != nil {
			return err
		}
		return auditDocument(tx, issuing.OutcomeDeleted, before, bankdoc.Document{})
	})
}
