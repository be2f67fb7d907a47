package client_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mintmark/client"
)

func TestDocumentListPath(t *testing.T) {
	cases := []struct{ culture, documentType, want string }{
		{"en-US", "", "/bankdocument/list/en-US"},
		{"en-US", "CardInfo", "/bankdocument/list/en-US/CardInfo"},
		{"e/n", "a b", "/bankdocument/list/e%2Fn/a%20b"},
	}
	for _, test := range cases {
		s, c := succeeds(t, `[]`)
		documents, err := c.BankDocumentList(t.Context(), test.culture, test.documentType)
		if err != nil {
			t.Fatal(err)
		}
		if s.request.Method != "GET" || s.request.RequestURI != test.want {
			t.Errorf("called %s %s, want %s", s.request.Method, s.request.RequestURI, test.want)
		}
		if documents == nil || len(documents) != 0 {
			t.Errorf("an empty list is %#v", documents)
		}
	}
}

func TestDocumentIsDecoded(t *testing.T) {
	_, c := succeeds(t, `[{"bankId":1,"culture":"en-US","customerId":2,"documentId":3,
		"documentType":"CardInfo","downloadUrl":"https://example.com/3","title":"Your card",
		"effectiveDate":"2026-01-01T00:00:00.000-06:00","html":"<p>\u00e9 & co</p>",
		"expireDate":"2027-01-01T00:00:00.000-06:00"}]`)
	documents, err := c.BankDocumentList(t.Context(), "en-US", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []client.BankDocument{{
		BankID: 1, Culture: "en-US", CustomerID: 2, DocumentID: 3, DocumentType: "CardInfo",
		DownloadURL: "https://example.com/3", Title: "Your card", HTML: "<p>é & co</p>",
		EffectiveDate: time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC),
		ExpireDate:    time.Date(2027, 1, 1, 6, 0, 0, 0, time.UTC),
	}}
	if diff := cmp.Diff(want, documents); diff != "" {
		t.Error(diff)
	}
}

func TestDownloadDecodesTheContent(t *testing.T) {
	s, c := succeeds(t, `{"contentType":"application/pdf","contentLength":6,"content":"JVBERv/+"}`)
	file, err := c.BankDocumentDownload(t.Context(), "es-US", 90)
	if err != nil {
		t.Fatal(err)
	}
	if s.request.Method+s.request.RequestURI != "GET/bankdocument/download/es-US/90" {
		t.Errorf("called %s %s", s.request.Method, s.request.RequestURI)
	}
	want := client.File{
		ContentType: "application/pdf", ContentLength: 6, Content: []byte("%PDF\xff\xfe"),
	}
	if diff := cmp.Diff(want, file); diff != "" {
		t.Error(diff)
	}
}

func TestContentThatIsNoBase64(t *testing.T) {
	_, c := succeeds(t, `{"contentType":"application/pdf","contentLength":6,"content":"%PDF"}`)
	_, err := c.BankDocumentDownload(t.Context(), "es-US", 90)
	if !errors.Is(err, client.ErrBrokenAnswer) {
		t.Errorf("error %v, want ErrBrokenAnswer", err)
	}
}
