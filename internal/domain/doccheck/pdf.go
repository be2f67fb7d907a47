// Package doccheck checks the documents that operators upload for a bank: it checks the PDF form,
// and sanitizes the HTML form so that a console can show it. The other rules for documents are in
// package bankdoc.
//
// The PDF reader is strict and bounded. It follows the cross-reference tables and streams, parses
// every object, unpacks object streams, and rejects active content. It repairs nothing: a viewer
// that repairs a file may see a different file from the one that was checked.
package doccheck

import (
	"context"
	"errors"
	"fmt"
)

// MaxPDFBytes is the maximum size of the PDF form.
const MaxPDFBytes = MaxPDFMegabytes << 20

// MaxPDFMegabytes is the same maximum in the unit that messages use.
const MaxPDFMegabytes = 16

// checking is a semaphore for one check at a time: a check uses a core and several times the size
// of its file in memory, so simultaneous uploads take turns.
var checking = make(chan struct{}, 1)

// PDF returns why a PDF must not be published to customers, or "" if it may be: it must be valid,
// have no password, have a page, and contain no active content. The error is that of a context that
// ends before the check.
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

// refusal is the problem of a readable PDF.
type refusal string

func (r refusal) Error() string { return string(r) }

// check returns an error for a PDF that cannot be read, and a refusal for one that is not allowed.
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
