package console

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	wire "mintmark/client/admin"
)

// TestPublishWithoutPDF checks that only publishing a document without a PDF warns and needs a reason.
func TestPublishWithoutPDF(t *testing.T) {
	w := newSetupWorld(t, "configurator")
	const address = "/console/documents/13/publish?programId=1"
	if answer := w.post(address, url.Values{}); answer.Code != http.StatusUnprocessableEntity ||
		!strings.Contains(answer.Body.String(), "the document has no PDF") {
		t.Errorf("without a reason: %d, asked %q", answer.Code, w.asked)
	}
	w.asked = nil
	w.post(address, url.Values{"reason": {"the PDF follows"}})
	if len(w.asked) != 1 || !strings.HasPrefix(w.asked[0], "POST banks/1/documents/13/publish") {
		t.Errorf("asked %q", w.asked)
	}
	document := w.answers["banks/1/documents/13"].(wire.Document)
	for _, hasPDF := range []bool{false, true} {
		document.HasPDF = hasPDF
		w.answers["banks/1/documents/13"] = document
		page := w.get(address).Body.String()
		if strings.Contains(page, "Without a PDF customers cannot open it.") == hasPDF {
			t.Errorf("with a PDF %t: %s", hasPDF, page)
		}
	}
}
