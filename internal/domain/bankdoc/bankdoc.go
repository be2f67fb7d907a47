// Package bankdoc defines the documents that a bank issues for its customers to read and accept
// (interface §5.7). Package issuing looks them up for callers; the store holds them.
package bankdoc

import (
	"cmp"
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// Type is the type of a document.
type Type string

// Types lists the types of document, in the order of the interface.
var Types = []Type{
	"TermsAndConditions", "PrivacyPolicy", "TruthInSavings", "eStatement",
	"ConsumerDepositAgreement", "FeeSchedule", "ReferAFriend", "EftInfo", "ProductInfo",
	"CardInfo", "FeeDisclosure",
}

// Document is a document in one culture. It may have no PDF form.
type Document struct {
	ID        int
	BankID    int
	Culture   string // language and region, for example en-US
	Type      Type
	Title     string
	HTML      string
	PDF       []byte
	HasPDF    bool // there is a PDF form, even if its bytes were not loaded
	Effective time.Time
	Expires   time.Time // zero if it never expires

	// Published is when an operator published the document; zero if it came from a loaded file.
	Published time.Time

	// Revision counts the changes of the stored document; 0 if it is new or comes from a list.
	Revision int
}

// Begun reports whether the document is effective or was before. From then on it can be downloaded,
// even after it expires, because a customer may have accepted it.
func (d Document) Begun(now time.Time) bool { return !now.Before(d.Effective) }

// InForce reports whether the document is effective and not expired.
func (d Document) InForce(now time.Time) bool {
	return d.Begun(now) && (d.Expires.IsZero() || now.Before(d.Expires))
}

// IsOf reports whether the document has the culture, ignoring case.
func (d Document) IsOf(culture string) bool { return strings.EqualFold(d.Culture, culture) }

// Compare orders documents as lists show them: by culture, then by type in alphabetical order, both
// ignoring case.
func Compare(a, b Document) int {
	return cmp.Or(
		strings.Compare(strings.ToLower(a.Culture), strings.ToLower(b.Culture)),
		strings.Compare(strings.ToLower(string(a.Type)), strings.ToLower(string(b.Type))),
		cmp.Compare(a.ID, b.ID),
	)
}

// File is the PDF form of a document, the fileContent of interface §5.8.
type File struct {
	ContentType string
	Content     []byte
}

// PDFType is the media type of the PDF form.
const PDFType = "application/pdf"

// pdfMagic is the start of every PDF file.
const pdfMagic = "%PDF-"

// File returns the PDF form, or fault.DocumentMisconfigured if there is none or it is not a PDF.
// The fault quotes the ID as the caller sent it.
func (d Document) File(sentID string) (File, error) {
	if len(d.PDF) < len(pdfMagic) || string(d.PDF[:len(pdfMagic)]) != pdfMagic {
		return File{}, fault.New(fault.DocumentMisconfigured, sentID)
	}
	return File{ContentType: PDFType, Content: d.PDF}, nil
}

// State is the stage of a document between draft and end.
type State string

// The states of a document.
const (
	Draft     State = "draft"     // not published
	Scheduled State = "scheduled" // published, and not yet effective
	InForce   State = "inForce"
	Ended     State = "ended"
)

// States lists the states of a document.
var States = []State{Draft, Scheduled, InForce, Ended}

// StateAt returns the state of a published document.
func (d Document) StateAt(now time.Time) State {
	switch {
	case d.InForce(now):
		return InForce
	case d.Begun(now):
		return Ended
	}
	return Scheduled
}
