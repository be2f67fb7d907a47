package demo

import (
	"bytes"
	"html"
	"io/fs"
	"os"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/doccheck"
	"mintmark/internal/testkit/golden"

	"codeberg.org/go-pdf/fpdf"
)

// withoutPDF deliberately has no PDF form: downloading it gives 68303.
const withoutPDF = "documents/en-US/fee-disclosure.html"

// TestPDFs generates every PDF form from its HTML form and compares it with the committed file.
func TestPDFs(t *testing.T) {
	pages, err := fs.Glob(files, "documents/*/*.html")
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) != 24 {
		t.Errorf("%d documents have an HTML form, want 24", len(pages))
	}
	for _, page := range pages {
		if page == withoutPDF {
			continue
		}
		text, err := files.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		pdf, err := makePDF(string(text))
		if err != nil {
			t.Fatalf("%s: %v", page, err)
		}
		name := strings.TrimSuffix(page, ".html") + ".pdf"
		if golden.Updating() {
			err := os.WriteFile(name, pdf, 0o644)
			if err != nil {
				t.Fatal(err)
			}
		}
		kept, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(pdf, kept) {
			t.Errorf("%s is not made from %s; run this test with -update", name, page)
		}
		if wrong, err := doccheck.PDF(t.Context(), kept); wrong != "" || err != nil {
			t.Errorf("%s %s, %v", name, wrong, err)
		}
	}
}

// makePDF converts the headings, paragraphs and list items of an HTML page to a one-page PDF. The
// result depends only on the text: its dates are fixed and nothing is compressed.
func makePDF(page string) ([]byte, error) {
	created := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	pdf := fpdf.New("P", "mm", "Letter", "")
	pdf.SetCompression(false)
	pdf.SetCatalogSort(true)
	pdf.SetCreationDate(created)
	pdf.SetModificationDate(created)
	pdf.SetProducer("Mintmark", false)
	pdf.SetMargins(25, 30, 25)
	pdf.AddPage()
	// The standard fonts, which every reader includes, cover only the letters of western Europe.
	western := pdf.UnicodeTranslatorFromDescriptor("")

	tag := ""
	for _, token := range fpdf.HTMLBasicTokenize(page) {
		switch token.Cat {
		case 'O':
			tag = token.Str
			continue
		case 'C':
			tag = ""
			continue
		}
		text := western(html.UnescapeString(token.Str))
		switch tag {
		case "title":
			pdf.SetTitle(html.UnescapeString(token.Str), true)
		case "h1":
			pdf.SetFont("Helvetica", "B", 20)
			pdf.MultiCell(0, 10, text, "", "L", false)
			pdf.Ln(6)
		case "p":
			pdf.SetFont("Helvetica", "", 11)
			pdf.MultiCell(0, 6, text, "", "L", false)
			pdf.Ln(4)
		case "li":
			pdf.SetFont("Helvetica", "", 11)
			pdf.Cell(6, 6, western("•"))
			pdf.MultiCell(0, 6, text, "", "L", false)
			pdf.Ln(2)
		}
	}
	var out bytes.Buffer
	err := pdf.Output(&out)
	return out.Bytes(), err
}
