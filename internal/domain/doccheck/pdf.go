// Package doccheck checks the documents that operators upload for a bank: it checks the PDF form,
// and cleans the HTML form so that a console can show it. The other rules for documents are in
// package bankdoc.
//
// Its reader of PDF files is strict and bounded. It follows the cross-reference tables and
// streams, parses every object, unpacks streams of objects, and looks for active content. It
// repairs nothing: a viewer that repairs a file may see another one than the checker.
package doccheck

import (
	"context"
	"errors"
	"fmt"
)

// MaxPDFBytes is the greatest size of the PDF form.
const MaxPDFBytes = MaxPDFMegabytes << 20

// MaxPDFMegabytes is the same in the unit that people read.
const MaxPDFMegabytes = 16

// checking is held by the check under way. A check takes a core and a multiple of its file, so that
// uploads at once are checked in turns.
var checking = make(chan struct{}, 1)

// PDF returns what is wrong with a PDF that customers shall open, empty for nothing: it must be
// whole, without a password, have a page, and do nothing when it is opened. The error is that of a
// context that ends first.
func PDF(ctx context.Context, content []byte) (wrong string, err error) {
	if len(content) > MaxPDFBytes {
		return fmt.Sprintf("must have at most %d MB", MaxPDFMegabytes), nil
	}
	select {
	case checking <- struct{}{}:
		defer func() { <-checking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	err = check(ctx, string(content))
	if ended := ctx.Err(); ended != nil {
		return "", ended
	}
	var refused refusal
	switch {
	case err == nil:
		return "", nil
	case errors.As(err, &refused):
		return string(refused), nil
	}
	return "is not a readable PDF: " + err.Error(), nil
}

// refusal is what is wrong with a PDF that can be read.
type refusal string

func (r refusal) Error() string { return string(r) }

// check returns an error for a PDF that cannot be read, and a refusal for one that must not be.
func check(ctx context.Context, content string) error {
	f, err := open(ctx, content)
	if err != nil {
		return err
	}
	if f.trailer["Encrypt"] != nil {
		return refusal("is encrypted: its readers have no password")
	}
	if err := f.checkObjects(); err != nil {
		return err
	}
	return f.checkPages()
}
