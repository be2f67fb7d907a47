package api

import (
	"net/url"
	"strconv"

	"mintmark/internal/base/value"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing/programs"
)

// BankDocument is the bankDocument object of interface §5.7. Its customerId is absent, because this
// package does not know whose acceptance is meant.
type BankDocument struct {
	BankID        int        `json:"bankId"`
	Culture       string     `json:"culture"`
	DocumentID    int        `json:"documentId"`
	DocumentType  string     `json:"documentType"`
	DownloadURL   string     `json:"downloadUrl,omitempty"`
	EffectiveDate value.Time `json:"effectiveDate"`
	ExpireDate    value.Time `json:"expireDate,omitzero"`
	HTML          string     `json:"html"`
	Title         string     `json:"title"`
}

// File is the fileContent object of interface §5.8. Content is encoded as base64.
type File struct {
	ContentType   string `json:"contentType"`
	ContentLength int    `json:"contentLength"`
	Content       []byte `json:"content"`
}

// downloadPath is the path of download addresses, relative to the service's address.
const downloadPath = "/bankdocument/download/"

// MaxBaseURL is the maximum length of the service's address, in characters, that leaves room for
// every download address: the path, a culture and a 32-bit number follow it.
const MaxBaseURL = bankdoc.MaxDownloadURL -
	len(downloadPath) - bankdoc.MaxCulture - len("/2147483647")

// respondDocuments answers with documents. Download addresses are relative to the address that the
// caller used. A document without a PDF has none.
func respondDocuments(c *call, list programs.DocumentList) (web.Response, error) {
	c.done = list.Done
	return respondJSON(c, showDocuments(list.Documents, c.BaseURL()))
}

func showDocuments(documents []bankdoc.Document, baseURL string) []BankDocument {
	shown := make([]BankDocument, 0, len(documents))
	for _, d := range documents {
		document := BankDocument{
			BankID: d.BankID, Culture: d.Culture, DocumentID: d.ID,
			DocumentType: string(d.Type), Title: d.Title, HTML: d.HTML,
			EffectiveDate: value.Time{Time: d.Effective},
			ExpireDate:    date(d.Expires, d.Expires.Location()),
		}
		if d.HasPDF {
			document.DownloadURL = baseURL + downloadPath +
				url.PathEscape(d.Culture) + "/" + strconv.Itoa(d.ID)
		}
		shown = append(shown, document)
	}
	return shown
}

func respondFile(c *call, f programs.Download) (web.Response, error) {
	c.done = f.Done
	return respondJSON(c, File{f.ContentType, len(f.Content), f.Content})
}

// respondJSON answers with a value encoded by encoding/json.
func respondJSON[T any](c *call, v T) (web.Response, error) {
	text, err := marshal(v)
	if err != nil {
		c.Release()
		return web.Response{}, err
	}
	return c.respond(rendered(text)), nil
}
