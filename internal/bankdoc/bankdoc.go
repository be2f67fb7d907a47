// Package bankdoc knows the documents a bank issues for its customers to read and accept
// (section 2.7). Who asks for them and where they are kept belongs elsewhere.
package bankdoc

import (
	"time"

	"mintmark/internal/fault"
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
	Effective time.Time
	Expires   time.Time // zero when it never does
}

// InForce reports whether the document is effective and not expired.
func (d Document) InForce(now time.Time) bool {
	if now.Before(d.Effective) {
		return false
	}
	return d.Expires.IsZero() || now.Before(d.Expires)
}

// File is the PDF form of a document, the fileContent of section 2.8.
type File struct {
	ContentType string
	Content     []byte
}

// pdfMagic is how every PDF file begins.
const pdfMagic = "%PDF-"

// File returns the PDF form, or 68303 when there is none that could be opened.
func (d Document) File() (File, error) {
	if len(d.PDF) < len(pdfMagic) || string(d.PDF[:len(pdfMagic)]) != pdfMagic {
		return File{}, fault.New(fault.DocumentMisconfigured, d.ID)
	}
	return File{ContentType: "application/pdf", Content: d.PDF}, nil
}
