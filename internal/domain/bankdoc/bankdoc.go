// Package bankdoc knows the documents a bank issues for its customers to read and accept
// (interface §5.7). Package issuing finds them for callers, the store keeps them.
package bankdoc

import (
	"cmp"
	"strings"
	"time"

	"mintmark/internal/domain/fault"
)

// Type is the kind of a document.
type Type string

// Types lists the kinds of document, in the order of the interface.
var Types = []Type{
	"TermsAndConditions", "PrivacyPolicy", "TruthInSavings", "eStatement",
	"ConsumerDepositAgreement", "FeeSchedule", "ReferAFriend", "EftInfo", "ProductInfo",
	"CardInfo", "FeeDisclosure",
}

// Document is one document in one culture. Its PDF form may be missing.
type Document struct {
	ID        int
	BankID    int
	Culture   string // language and region, for example en-US
	Type      Type
	Title     string
	HTML      string
	PDF       []byte
	HasPDF    bool // there is a PDF form, even if its bytes were not read
	Effective time.Time
	Expires   time.Time // zero when it never does

	// Published is when an operator has published the document; zero for one from a loaded file.
	Published time.Time

	// Revision counts the changes of the stored document; 0 when it is new, or was listed.
	Revision int
}

// Begun reports whether the document has become effective. From then on it can be downloaded, even
// after it has expired: a customer may have accepted it.
func (d Document) Begun(now time.Time) bool { return !now.Before(d.Effective) }

// InForce reports whether the document is effective and not expired.
func (d Document) InForce(now time.Time) bool {
	return d.Begun(now) && (d.Expires.IsZero() || now.Before(d.Expires))
}

// IsOf reports whether the document is of a culture, in any letter case.
func (d Document) IsOf(culture string) bool { return strings.EqualFold(d.Culture, culture) }

// Compare puts documents in the order in which they are listed: by culture, then by type in
// alphabetical order, whatever their letter case.
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

// pdfMagic is how every PDF file begins.
const pdfMagic = "%PDF-"

// File returns the PDF form, or fault.DocumentMisconfigured when there is none that could be
// opened. The fault quotes the identifier as it was sent.
func (d Document) File(sentID string) (File, error) {
	if len(d.PDF) < len(pdfMagic) || string(d.PDF[:len(pdfMagic)]) != pdfMagic {
		return File{}, fault.New(fault.DocumentMisconfigured, sentID)
	}
	return File{ContentType: PDFType, Content: d.PDF}, nil
}

// State says where a document is between its draft and its end.
type State string

// The states.
const (
	Draft     State = "draft"     // not published
	Scheduled State = "scheduled" // published, and not yet effective
	InForce   State = "inForce"
	Ended     State = "ended"
)

// States lists the states.
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
