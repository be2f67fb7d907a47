package programs

import (
	"context"
	"errors"
	"slices"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/fault"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// ListDocuments returns the documents of the caller's bank that are in force in a culture, of one
// type when a type is given, in the order of bankdoc.Compare (interface §8.18). A
// culture without documents has an empty list.
func (s *Service) ListDocuments(
	ctx context.Context, who issuing.Caller, culture, documentType string,
) ([]bankdoc.Document, error) {
	return issuing.Read(ctx, s.Service, who, func(tx *issuing.Tx) ([]bankdoc.Document, error) {
		all, err := tx.Documents().List(tx.Program.BankID, culture)
		if err != nil {
			return nil, err
		}
		listed := make([]bankdoc.Document, 0, len(all))
		for _, document := range all {
			wanted := documentType == "" || string(document.Type) == documentType
			if wanted && document.InForce(tx.Now()) {
				document.Effective = document.Effective.In(tx.Program.Zone)
				document.Expires = document.Expires.In(tx.Program.Zone)
				listed = append(listed, document)
			}
		}
		slices.SortFunc(listed, bankdoc.Compare)
		return listed, nil
	})
}

// DownloadDocument returns the PDF form of a document (interface §8.19). A
// document of another culture or another bank, or one that is not effective yet, is answered as
// unknown. Faults in their order: DownloadPartMissing, DocumentInvalid, DocumentUnknown, then those
// of bankdoc.Document.File.
func (s *Service) DownloadDocument(
	ctx context.Context, who issuing.Caller, culture, documentID string,
) (bankdoc.File, error) {
	if culture == "" || documentID == "" {
		return bankdoc.File{}, fault.New(fault.DownloadPartMissing)
	}
	id := issuing.Identifier(documentID)
	if id == 0 {
		return bankdoc.File{}, fault.New(fault.DocumentInvalid, documentID)
	}
	return issuing.Read(ctx, s.Service, who, func(tx *issuing.Tx) (bankdoc.File, error) {
		document, err := tx.Documents().Find(tx.Program.BankID, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return bankdoc.File{}, err
		}
		if err != nil || !document.IsOf(culture) || !document.Begun(tx.Now()) {
			return bankdoc.File{}, fault.New(fault.DocumentUnknown, documentID)
		}
		return document.File(documentID)
	})
}
