package e2e

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mintmark/client"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/doccheck"
)

// TestJourneyOfLists lists cards by every status and group of interface §8.4.
func TestJourneyOfLists(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	waiting, renewed := j.order("Waiting").CardID, j.order("Renewed").CardID
	j.done(j.api.CardReissue(t.Context(), client.CardReissueRequest{
		CustomerID: customer, CardID: renewed, ReissueReasonTypeCode: "DMG",
	}))
	all := []int{5001, 5002, 5003, 5004, 5005, 5006, 5007, 5008, waiting, renewed}
	for status, want := range inOrder(map[string][]int{
		"":                           all,
		"All":                        all,
		"all":                        all,
		"Default":                    {5001, 5002, 5003, 5006, 5007, waiting, renewed},
		"HotListed":                  {5006},
		"Pending":                    {5007},
		"Initiated":                  {5007},
		"PendingVerification":        {waiting},
		"ReissuePendingVerification": {renewed},
		// The interface has two spellings of this status.
		"ReissuedPendingVerification": {renewed},
		"verified":                    {5001, 5002, 5003, 5006},
		"Reissued":                    nil,
		"Denied":                      {5005},
		"Expired":                     {5004},
		"Archived":                    {5008},
	}) {
		var statuses []string
		if status != "" {
			statuses = []string{status}
		}
		cards, err := j.api.CardList(t.Context(), customer, statuses...)
		if err != nil {
			t.Fatalf("%s: %v", status, err)
		}
		var ids []int
		for _, card := range cards {
			ids = append(ids, card.CardID)
			same(t, fmt.Sprintf("card %d: accounts", card.CardID), len(card.Accounts), 1)
		}
		if !slices.Equal(ids, want) {
			t.Errorf("%q lists %v, want %v", status, ids, want)
		}
	}
	_, err := j.api.CardList(t.Context(), customer, "Lost")
	refused(t, err, 59956)
}

// TestJourneyOfTheProgram reads the settings in both versions and checks that every property is
// filled.
func TestJourneyOfTheProgram(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	deprecated := []string{
		"Program.CheckingProducts", "Program.PrepaidProducts", "Program.SavingsProducts",
	}
	for key, want := range inOrder(
		map[string][]string{"example1": nil, "example2": deprecated},
	) {
		program, err := connect(t, j.world.App.URL(), key).ProgramGet(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		filled := make(map[string]bool)
		fill(filled, reflect.ValueOf(program))
		var empty []string
		for property, ok := range filled {
			if !ok {
				empty = append(empty, property)
			}
		}
		slices.Sort(empty)
		if !slices.Equal(empty, want) {
			t.Errorf("%s: empty are %v, want %v", key, empty, want)
		}
		same(t, "name", program.Name, "Example1")
	}
}

// fill records, for each property of a value and of nested objects, whether any object of its type
// has it. Not every object has every property.
func fill(filled map[string]bool, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fill(filled, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fill(filled, v.Index(i))
		}
	case reflect.Map:
		for _, key := range v.MapKeys() {
			fill(filled, v.MapIndex(key))
		}
	case reflect.Struct:
		// Values of types from other packages, such as a time, count as a whole.
		if v.Type().PkgPath() != reflect.TypeFor[client.Program]().PkgPath() {
			return
		}
		for i := range v.NumField() {
			name := v.Type().Name() + "." + v.Type().Field(i).Name
			filled[name] = filled[name] || !v.Field(i).IsZero()
			fill(filled, v.Field(i))
		}
	}
}

// TestJourneyOfDocuments lists the documents in both languages and downloads each.
func TestJourneyOfDocuments(t *testing.T) {
	t.Parallel()
	j := newJourney(t)
	for _, culture := range []string{"en-US", "es-US"} {
		documents, err := j.api.BankDocumentList(t.Context(), culture, "")
		if err != nil {
			t.Fatal(err)
		}
		same(t, culture+": documents", len(documents), len(bankdoc.Types))
		for _, document := range documents {
			same(t, "culture", document.Culture, culture)
			if document.Title == "" || !strings.Contains(document.HTML, "<") {
				t.Errorf("document %d: title %q, HTML %q",
					document.DocumentID, document.Title, document.HTML)
			}
			path := fmt.Sprintf("/bankdocument/download/%s/%d", culture, document.DocumentID)
			address := j.world.App.URL() + path
			if document.DocumentID == withoutPDF {
				address = ""
			}
			same(t, "address", document.DownloadURL, address)
			j.download(document)
		}
		same(t, culture+": the first", documents[0].DocumentType, "CardInfo")
		same(t, culture+": the last", documents[len(documents)-1].DocumentType, "TruthInSavings")
	}
	// An accepted document remains readable after it has expired.
	j.download(client.BankDocument{Culture: "EN-us", DocumentID: 103})
	bankDocuments, err := j.api.BankDocumentList(t.Context(), "es-US", "PrivacyPolicy")
	if err != nil || len(bankDocuments) != 1 || bankDocuments[0].DocumentType != "PrivacyPolicy" {
		t.Errorf("the documents of one type are %v, %v", bankDocuments, err)
	}
	none, err := j.api.BankDocumentList(t.Context(), "fr-FR", "")
	if err != nil || len(none) != 0 {
		t.Errorf("the documents in no language are %v, %v", none, err)
	}
}

const withoutPDF = 90

// download downloads the PDF form of a document, which must be readable.
func (j journey) download(document client.BankDocument) {
	j.Helper()
	file, err := j.api.BankDocumentDownload(j.Context(), document.Culture, document.DocumentID)
	if document.DocumentID == withoutPDF {
		refused(j.T, err, 68303)
		return
	}
	if err != nil {
		j.Fatal(err)
	}
	same(j.T, "type", file.ContentType, "application/pdf")
	same(j.T, "length", file.ContentLength, len(file.Content))
	wrong, err := doccheck.PDF(j.Context(), file.Content)
	if wrong != "" || err != nil {
		j.Errorf("document %d %s, %v", document.DocumentID, wrong, err)
	}
}
