// Package doccheck looks at what operators upload as a document of a bank: it checks the PDF form,
// and cleans the HTML form so that a console can show it. What a document must be otherwise is said
// in package bankdoc.
package doccheck

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/validate"
)

// MaxPDFBytes is the greatest size of the PDF form.
const MaxPDFBytes = MaxPDFMegabytes << 20

// MaxPDFMegabytes is the same in the unit that people read.
const MaxPDFMegabytes = 16

// settings are those of pdfcpu, which must neither look for its files on this machine nor ask the
// network. Its package api is left out: it brings a table of characters whose making takes longer
// than the start of everything else.
var settings = sync.OnceValue(func() model.Configuration {
	model.ConfigPath = "disable"
	c := *model.NewDefaultConfiguration()
	c.Offline = true
	c.ValidationMode = model.ValidationRelaxed
	return c
})

// PDF returns what is wrong with a PDF that customers shall open, empty for nothing: it must be
// whole, without a password, have a page, and do nothing when it is opened.
func PDF(content []byte) (wrong string) {
	if len(content) > MaxPDFBytes {
		return fmt.Sprintf("must have at most %d MB", MaxPDFMegabytes)
	}
	// A damaged file can make the library panic.
	defer func() {
		if recover() != nil {
			wrong = "is no PDF that can be read"
		}
	}()
	c := settings()
	read, err := pdfcpu.Read(bytes.NewReader(content), &c)
	if err != nil {
		return "is no PDF that can be read: " + reason(err)
	}
	if read.Encrypt != nil {
		return "is encrypted: its readers have no password"
	}
	if err := validate.XRefTable(read); err != nil {
		return "is not a valid PDF: " + reason(err)
	}
	if err := read.EnsurePageCount(); err != nil || read.PageCount < 1 {
		return "has no page"
	}
	for _, entry := range read.Table {
		if entry == nil || entry.Free {
			continue
		}
		if found := active(entry.Object); found != "" {
			return "must not have " + found
		}
	}
	return ""
}

// reason is the text of an error of the library, which may quote the file.
func reason(err error) string {
	const most = 200
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(err.Error(), "?"))
	if runes := []rune(printable); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return printable
}

// actions are what a PDF must not do, by the names that actions have in it.
var actions = map[string]string{
	"JavaScript": "JavaScript", "Launch": "an action that starts a program",
	"ImportData": "an action that imports data", "SubmitForm": "a form that is sent",
}

// active returns what an object of a PDF does that it must not, empty for nothing. Objects that it
// refers to are objects of the same table.
func active(of types.Object) string {
	switch of := of.(type) {
	case types.StreamDict:
		return active(of.Dict)
	case *types.StreamDict:
		return active(of.Dict)
	case types.Array:
		for _, one := range of {
			if found := active(one); found != "" {
				return found
			}
		}
	case types.Dict:
		if kind := of.Type(); kind != nil && *kind == "EmbeddedFile" {
			return "files inside"
		}
		if action := of.NameEntry("S"); action != nil && actions[*action] != "" {
			return actions[*action]
		}
		for _, one := range of {
			if found := active(one); found != "" {
				return found
			}
		}
	}
	return ""
}
