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

// DocumentList holds documents whose HTML callers read. Done must be called when the list is no
// longer needed, and may be called more than once.
type DocumentList struct {
	Documents []bankdoc.Document
	Done      func()
}

// fewBytes limits the HTML of a list that does not wait for its turn.
const fewBytes = 256 << 10

// ListDocuments returns the documents of the caller's bank that are in force in a culture, in the
// order of bankdoc.Compare (interface §8.18). A type restricts them to documents of that type. A
// culture without documents has an empty list. A long list waits for its turn before it is read, so
// that many of them do not fill the memory.
func (s *Service) ListDocuments(
	ctx context.Context, who issuing.Caller, culture, documentType string,
) (DocumentList, error) {
	documents, err := s.listDocuments(ctx, who, culture, documentType, fewBytes)
	if !errors.Is(err, store.ErrTooMany) {
		return DocumentList{documents, func() {}}, err
	}
	leave, err := s.long.Acquire(ctx, who.Name, func() (err error) {
		documents, err = s.listDocuments(ctx, who, culture, documentType, store.NoLimit)
		return err
	})
	return DocumentList{documents, leave}, err
}

func (s *Service) listDocuments(
	ctx context.Context, who issuing.Caller, culture, documentType string, maxBytes int,
) ([]bankdoc.Document, error) {
	return issuing.Read(ctx, s.Service, who, func(tx *issuing.Tx) ([]bankdoc.Document, error) {
		documents, err := tx.Documents().ListInForce(store.DocumentsInForce{
			BankID: tx.Program.BankID, Culture: culture, Type: bankdoc.Type(documentType),
			At: tx.Now(),
		}, maxBytes)
		for i := range documents {
			d := &documents[i]
			d.Effective, d.Expires = d.Effective.In(tx.Program.Zone), d.Expires.In(tx.Program.Zone)
		}
		slices.SortFunc(documents, bankdoc.Compare)
		return documents, err
	})
}

// Download is the PDF form of a document. Done must be called when it is no longer needed, and may
// be called more than once.
type Download struct {
	bankdoc.File
	Done func()
}

// DownloadDocument returns the PDF form of a document (interface §8.19). A document of another
// culture or another bank, or one that is not effective yet, has the fault of an unknown one.
// Faults in order: DownloadPartMissing, DocumentInvalid, DocumentUnknown, then those of
// bankdoc.Document.File. A download waits for its turn, as a long list does.
func (s *Service) DownloadDocument(
	ctx context.Context, who issuing.Caller, culture, documentID string,
) (Download, error) {
	if culture == "" || documentID == "" {
		return Download{}, fault.New(fault.DownloadPartMissing)
	}
	if issuing.Identifier(documentID) == 0 {
		return Download{}, fault.New(fault.DocumentInvalid, documentID)
	}
	var file bankdoc.File
	leave, err := s.long.Acquire(ctx, who.Name, func() (err error) {
		file, err = s.readFile(ctx, who, culture, documentID)
		return err
	})
	return Download{file, leave}, err
}

func (s *Service) readFile(
	ctx context.Context, who issuing.Caller, culture, documentID string,
) (bankdoc.File, error) {
	return issuing.Read(ctx, s.Service, who, func(tx *issuing.Tx) (bankdoc.File, error) {
		document, err := tx.Documents().Find(tx.Program.BankID, issuing.Identifier(documentID))
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return bankdoc.File{}, err
		}
		if err != nil || !document.IsOf(culture) || !document.Begun(tx.Now()) {
			return bankdoc.File{}, fault.New(fault.DocumentUnknown, documentID)
		}
		return document.File(documentID)
	})
}
