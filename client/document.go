package client

import (
	"context"
	"fmt"
	"time"
)

// BankDocument is a document that a customer must read and accept, interface §5.7.
type BankDocument struct {
	BankID       int    `json:"bankId"`
	Culture      string `json:"culture"`
	CustomerID   int    `json:"customerId,omitzero"`
	DocumentID   int    `json:"documentId"`
	DocumentType string `json:"documentType"`
	// DownloadURL is the address of BankDocumentDownload, which takes the same credentials. It is
	// empty for a document without a PDF form.
	DownloadURL   string    `json:"downloadUrl,omitzero"`
	EffectiveDate time.Time `json:"effectiveDate,omitzero"`
	ExpireDate    time.Time `json:"expireDate,omitzero"`
	HTML          string    `json:"html,omitzero"`
	Title         string    `json:"title"`
}

// File is the fileContent object, interface §5.8. Content is decoded from base64.
type File struct {
	ContentType   string `json:"contentType"`
	ContentLength int    `json:"contentLength"`
	Content       []byte `json:"content"`
}

// BankDocumentList reads the documents in force for a culture such as en-US: those of one document
// type, or all of them if the type is empty.
func (c *Client) BankDocumentList(
	ctx context.Context, culture, documentType string,
) ([]BankDocument, error) {
	path := "/bankdocument/list/" + escape(culture)
	if documentType != "" {
		path += "/" + escape(documentType)
	}
	return get[[]BankDocument](ctx, c, path)
}

// BankDocumentDownload reads the PDF form of a document.
func (c *Client) BankDocumentDownload(
	ctx context.Context, culture string, documentID int,
) (File, error) {
	path := fmt.Sprintf("/bankdocument/download/%s/%d", escape(culture), documentID)
	return get[File](ctx, c, path)
}
