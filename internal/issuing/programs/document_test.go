package programs_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/store"
	"mintmark/internal/testkit/issuingtest"
)

// TestDocumentsWait checks that downloads and long lists of documents wait for each other, and that
// a short list does not wait.
func TestDocumentsWait(t *testing.T) {
	t.Parallel()
	w := issuingtest.NewSandbox(t)
	w.Update(func(tx store.Tx) error {
		return tx.Documents().Put(bankdoc.Document{
			ID: 999, BankID: 1, Culture: "fr-FR", Type: "FeeSchedule", Title: "long",
			HTML: strings.Repeat("x", 1<<20), PDF: []byte("%PDF-1.7"), Effective: issuingtest.Start,
		})
	})
	list := func(ctx context.Context, culture string) (func(), error) {
		list, err := w.Programs.ListDocuments(ctx, issuingtest.Caller, culture, "")
		return list.Done, err
	}
	download := func(ctx context.Context) (func(), error) {
		file, err := w.Programs.DownloadDocument(ctx, issuingtest.Caller, "fr-FR", "999")
		return file.Done, err
	}
	if _, err := w.Programs.DownloadDocument(t.Context(), issuingtest.Caller, "fr-FR", "998"); err == nil {
		t.Error("an unknown document is found")
	}
	first, err := download(t.Context())
	second, alsoErr := list(t.Context(), "fr-FR")
	if err := errors.Join(err, alsoErr); err != nil {
		t.Fatal(err)
	}
	wantNone := func() {
		t.Helper()
		soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		if _, err := download(soon); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third answer of a key does not wait: %v", err)
		}
		if _, err := list(soon, "fr-FR"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a third list of a key does not wait: %v", err)
		}
	}
	wantNone()
	short, err := list(t.Context(), "en-US")
	if err != nil {
		t.Fatal(err)
	}
	short()
	wantNone()
	first()
	third, err := list(t.Context(), "fr-FR")
	if err != nil {
		t.Fatal(err)
	}
	wantNone()
	second()
	third()
}
