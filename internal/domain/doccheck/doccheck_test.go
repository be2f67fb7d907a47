package doccheck

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"codeberg.org/go-pdf/fpdf"
	"pgregory.net/rapid"
)

// page returns a PDF of one page, modified by change.
func page(t *testing.T, change func(*fpdf.Fpdf)) []byte {
	t.Helper()
	p := fpdf.New("P", "mm", "A4", "")
	p.AddPage()
	p.SetFont("Helvetica", "", 12)
	p.Cell(40, 10, "Fees")
	if change != nil {
		change(p)
	}
	var text bytes.Buffer
	if err := p.Output(&text); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// problemOf returns the problem of a PDF.
func problemOf(t *testing.T, content []byte) string {
	t.Helper()
	wrong, err := PDF(t.Context(), content)
	if err != nil {
		t.Fatal(err)
	}
	return wrong
}

func TestPDF(t *testing.T) {
	t.Parallel()
	good := page(t, nil)
	if wrong := problemOf(t, good); wrong != "" {
		t.Errorf("a good PDF: %s", wrong)
	}
	for name, bad := range map[string]struct {
		content []byte
		want    string
	}{
		"empty":     {nil, "is not a "},
		"no PDF":    {[]byte("GIF89a"), "is not a "},
		"cut":       {good[:len(good)/2], "is no"},
		"noise":     {append([]byte("%PDF-1.7\n"), bytes.Repeat([]byte("obj <<"), 99)...), "is no"},
		"too large": {make([]byte, MaxPDFBytes+1), "must have at most 16 MB"},
		"encrypted": {page(t, func(p *fpdf.Fpdf) {
			p.SetProtection(fpdf.CnProtectPrint, "", "owner")
		}), "is encrypted"},
		"with a password": {page(t, func(p *fpdf.Fpdf) {
			p.SetProtection(fpdf.CnProtectPrint, "user", "owner")
		}), "is encrypted"},
		"JavaScript": {page(t, func(p *fpdf.Fpdf) {
			p.SetJavascript("app.alert(1)")
		}), "must not have JavaScript"},
		"files inside": {page(t, func(p *fpdf.Fpdf) {
			p.SetAttachments([]fpdf.Attachment{{Content: []byte("x"), Filename: "x.exe"}})
		}), "must not have files inside"},
	} {
		if wrong := problemOf(t, bad.content); !strings.HasPrefix(wrong, bad.want) {
			t.Errorf("%s: %q, want %q", name, wrong, bad.want)
		}
	}
}

// TestAnyPDF changes bytes of a PDF, and truncates it: the check returns, whatever its input.
func TestAnyPDF(t *testing.T) {
	t.Parallel()
	good := page(t, nil)
	rapid.Check(t, func(t *rapid.T) {
		content := bytes.Clone(good[:rapid.IntRange(0, len(good)).Draw(t, "length")])
		for range rapid.IntRange(0, 20).Draw(t, "changes") {
			if len(content) > 0 {
				at := rapid.IntRange(0, len(content)-1).Draw(t, "at")
				content[at] = rapid.Byte().Draw(t, "byte")
			}
		}
		wrong, err := PDF(context.Background(), content)
		if err != nil || !utf8.ValidString(wrong) || len(wrong) > 1000 {
			t.Errorf("what is wrong is no text: %q", wrong)
		}
	})
}

func TestPreview(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		text, want string
		less       bool
	}{
		{"<h1>Fees</h1><p>A <b>fee</b></p>", "<h1>Fees</h1><p>A <b>fee</b></p>", false},
		{`<html lang="en"><body><p>x</p></body></html>`, "<p>x</p>", false},
		{"<table><tr><td>1</td></tr></table>", "<table><tr><td>1</td></tr></table>", false},
		{"a &amp; b", "a &amp; b", false},
		{`<p>x<script>alert(1)</script></p>`, "<p>x</p>", true},
		{`<p style="color:red" onclick="x()">x</p>`, "<p>x</p>", true},
		{`<img src="https://example.com/x.png">x`, "x", true},
		{`<a href="javascript:x()">x</a>`, "x", true},
		{`<form action="/x"><input name="y"></form>`, "", true},
		{`<iframe src="/x"></iframe><style>p{}</style>x`, "x", true},
		{`<svg><a xlink:href="javascript:x()">x</a></svg>`, "x", true},
	} {
		clean, less := Preview(row.text)
		if clean != row.want || less != row.less {
			t.Errorf("%s is shown as %q, less: %v", row.text, clean, less)
		}
	}
}
