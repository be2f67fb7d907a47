package reference

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"

	"mintmark/internal/domain/fault"
	"mintmark/internal/face/openapi"
)

// pages holds the files that this package adds to the library's. They have nothing inline, so that
// a content security policy can forbid inline scripts and styles.
//
//go:embed pages
var pages embed.FS

var errorsTemplate = template.Must(template.ParseFS(pages, "pages/errors.html"))

// shownEntry is a row of the catalogue as the page shows it.
type shownEntry struct {
	*fault.Entry
	Anchor     string
	AnsweredBy string
}

type shownSection struct {
	Title, Remark string
	Entries       []shownEntry
}

// errorsPage returns the HTML page of the error catalogue.
func errorsPage(title string) []byte {
	var sections []shownSection
	seen := make(map[int]int) // two rows may share a code
	for _, s := range fault.Sections() {
		shown := shownSection{Title: s.Title, Remark: s.Remark}
		for _, e := range s.Entries {
			anchor := fmt.Sprint(e.Code)
			if seen[e.Code] > 0 {
				anchor = fmt.Sprintf("%d-%d", e.Code, seen[e.Code])
			}
			seen[e.Code]++
			operations := strings.Join(openapi.AnsweredBy(e.Kind), ", ")
			shown.Entries = append(shown.Entries,
				shownEntry{e, anchor, strings.ReplaceAll(operations, "`", "")})
		}
		sections = append(sections, shown)
	}
	var page bytes.Buffer
	err := errorsTemplate.Execute(&page, map[string]any{"Title": title, "Sections": sections})
	if err != nil {
		panic(fmt.Sprintf("reference: the page of errors cannot be written: %v", err))
	}
	return page.Bytes()
}
