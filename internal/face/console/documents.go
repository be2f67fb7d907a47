package console

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/bankdoc"
)

func documentRows() []row {
	forms := slices.Concat(
		form("documents/new", "documents", "form", showNewDocument, draft),
		form("documents/{id}/edit", "documents", "form", showDocumentForm, changeDocument),
		form("documents/{id}/remove", "documents", "act", showRemoveDraft, removeDraft),
		form("documents/{id}/pdf", "documents", "form", showUpload, upload),
		form("documents/{id}/publish", "documents", "act", showPublish, publish),
	)
	return append(reserved(forms, "configurator"),
		page("documents", "documents", "documents", showDocuments),
		page("documents/{id}", "documents", "document", showDocument),
		download("documents/{id}/document.pdf", savePDF))
}

// disclosure is the type of the document that a customer reads before any other.
const disclosure = "eStatement"

// documentList are the documents of a bank in one culture, and how a customer meets them
// (interface §5.7): the disclosure to read, and after it the others as a list of PDF files.
type documentList struct {
	Items    []wire.Document
	Next     string
	Culture  string
	Cultures []string
	First    *reading
	Then     []wire.Document // in force, in the order of the interface
	Missing  bool            // one of them has no PDF
}

// reading is a document as text. The interface cleans it of all that runs or is loaded.
type reading struct {
	wire.Document
	Text template.HTML
	Less bool // something was taken out
}

// readText finds the text of a document.
func readText(ctx context.Context, v *visit, d wire.Document, path string) (*reading, error) {
	preview, err := read[wire.DocumentPreview](ctx, v, path+"/preview")
	if err != nil {
		return nil, err
	}
	// Headings of a document stand below those of the page.
	return &reading{d, template.HTML(headings.Replace(preview.HTML)), preview.Less}, nil
}

var headings = strings.NewReplacer("<h1", "<h3", "</h1", "</h3", "<h2", "<h4", "</h2", "</h4")

// ofBank returns the path of a resource of the bank of the page.
func (v *visit) ofBank(ctx context.Context, below string) (string, error) {
	if err := v.openFrame(ctx); err != nil {
		return "", err
	}
	if v.Bank == nil {
		return "", notFound()
	}
	return "banks/" + itoa(v.Bank.ID) + "/" + below, nil
}

func (v *visit) bankFlag() string {
	if v.Bank == nil {
		return ""
	}
	return "--bank " + itoa(v.Bank.ID)
}

func showDocuments(ctx context.Context, v *visit) (documentList, error) {
	path, err := v.ofBank(ctx, "documents")
	if err != nil {
		return documentList{}, err
	}
	found, err := all[wire.Document](ctx, v, path, nil)
	if err != nil {
		return documentList{}, err
	}
	list := documentList{Culture: v.Asked("culture")}
	for _, d := range found {
		if !slices.Contains(list.Cultures, d.Culture) {
			list.Cultures = append(list.Cultures, d.Culture)
		}
	}
	slices.Sort(list.Cultures)
	if list.Culture == "" && len(list.Cultures) > 0 {
		list.Culture = list.Cultures[0]
	}
	if err := list.sort(ctx, v, path, found); err != nil {
		return documentList{}, err
	}
	v.crumbs("Documents")
	v.command("document list", v.bankFlag(), "--culture", list.Culture)
	return list, nil
}

// sort puts the documents of the culture in order, and finds those that a customer meets.
func (l *documentList) sort(
	ctx context.Context, v *visit, path string, found []wire.Document,
) error {
	for _, d := range found {
		if !strings.EqualFold(d.Culture, l.Culture) {
			continue
		}
		l.Items = append(l.Items, d)
		switch {
		case d.State != "inForce":
		case d.DocumentType != disclosure:
			l.Then = append(l.Then, d)
			l.Missing = l.Missing || !d.HasPDF
		default:
			var err error
			l.First, err = readText(ctx, v, d, path+"/"+itoa(d.ID))
			if err != nil {
				return err
			}
		}
	}
	slices.SortFunc(l.Items, func(a, b wire.Document) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.DocumentType),
			strings.ToLower(b.DocumentType)), cmp.Compare(b.ID, a.ID))
	})
	slices.SortStableFunc(l.Then, func(a, b wire.Document) int {
		return strings.Compare(strings.ToLower(a.DocumentType), strings.ToLower(b.DocumentType))
	})
	return nil
}

// documentPage is one version of a document.
type documentPage struct {
	reading
	Facts []fact
	Draft bool
}

func findDocument(ctx context.Context, v *visit) (wire.Document, string, error) {
	id, err := v.number("id")
	if err != nil {
		return wire.Document{}, "", err
	}
	path, err := v.ofBank(ctx, "documents/"+itoa(id))
	if err != nil {
		return wire.Document{}, "", err
	}
	found, err := read[wire.Document](ctx, v, path)
	return found, path, err
}

func showDocument(ctx context.Context, v *visit) (documentPage, error) {
	d, path, err := findDocument(ctx, v)
	if err != nil {
		return documentPage{}, err
	}
	text, err := readText(ctx, v, d, path)
	if err != nil {
		return documentPage{}, err
	}
	v.crumbs(d.Title, "Documents", "documents")
	v.command("document get", itoa(d.ID), v.bankFlag())
	return documentPage{*text, v.documentFacts(d)[1:], d.State == "draft"}, nil
}

func (v *visit) documentFacts(d wire.Document) []fact {
	found := state("document", d.State)
	pdf := fact{Name: "PDF", Text: "none"}
	if d.HasPDF {
		pdf = fact{Name: "PDF", Text: "open",
			To: v.To("documents/" + itoa(d.ID) + "/document.pdf")}
	}
	return []fact{
		{Name: "State", Mark: &found},
		{Name: "Type", Text: d.DocumentType, Code: true},
		{Name: "Culture", Text: d.Culture},
		{Name: "In force from", At: v.Maybe(d.EffectiveDate)},
		{Name: "Ends", At: v.Maybe(d.ExpireDate), Text: "never"},
		{Name: "Published", At: v.Maybe(d.Published), Text: "not yet"},
		pdf,
		{Name: "Document", Text: itoa(d.ID)},
		{Name: "Revision", Text: itoa(d.Revision)},
	}
}

func documentFields(d wire.Document) []*control {
	var types []option
	for _, one := range bankdoc.Types {
		types = append(types, option{Value: string(one), Label: string(one)})
	}
	return []*control{
		{Name: "documentType", Label: "Type", Kind: choiceField, Required: true,
			Options: choose(types, d.DocumentType)},
		{Name: "culture", Label: "Culture", Kind: textField, Required: true, Value: d.Culture,
			Help: "Language and region, such as en-US."},
		{Name: "title", Label: "Title", Kind: textField, Required: true, Value: d.Title,
			Help: "The text of the link to the PDF."},
		{Name: "html", Label: "Content in HTML", Kind: areaField, Required: true, Wide: true,
			Value: d.HTML,
			Help:  "At most 2 MB. The preview shows its text; callers get it as it is."},
	}
}

func showNewDocument(_ context.Context, v *visit) (asking, error) {
	if v.Bank == nil {
		return asking{}, notFound()
	}
	culture := cmp.Or(v.Asked("culture"), "en-US")
	v.crumbs("Draft a document", "Documents", "documents")
	v.command("document create", v.bankFlag(), "--type PrivacyPolicy --culture", culture,
		`--title "Privacy notice" --html notice.html`)
	fields := documentFields(wire.Document{
		Culture: culture, DocumentType: v.Asked("type"), Title: v.Asked("title"),
	})
	return asking{
		Fields: ask(fields...).refused(v), Once: v.once(), Button: "Keep the draft",
		Note: "Nobody sees a draft before it is published.", Back: v.To("documents"),
		BackText: "Back to the documents",
	}, nil
}

func draft(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofBank(ctx, "documents")
	if err != nil {
		return outcome{}, err
	}
	f := ask(documentFields(wire.Document{})...).fill(v.form)
	made, err := create[wire.Document](ctx, v, path, wire.NewDocument{
		Culture: f.value("culture"), DocumentType: strings.Join(f.chosen("documentType"), ""),
		Title: f.value("title"), HTML: v.form.Get("html"),
	})
	return lead(v.To("documents/" + itoa(made.ID))), err
}

// documentBody is what a form says of a document. Its HTML is kept as it was typed.
func (v *visit) documentBody(f *fieldset) properties {
	body := properties{}
	body.set("culture", f.value("culture"))
	body.set("documentType", strings.Join(f.chosen("documentType"), ""))
	body.set("title", f.value("title"))
	body.set("html", v.form.Get("html"))
	return body
}

func showDocumentForm(ctx context.Context, v *visit) (asking, error) {
	d, _, err := findDocument(ctx, v)
	if err != nil {
		return asking{}, err
	}
	id := itoa(d.ID)
	v.crumbs("Change the draft", "Documents", "documents", d.Title, "documents/"+id)
	v.command("document update", id, v.bankFlag(), `--set title="…" --revision`, itoa(d.Revision))
	return asking{
		Fields: ask(documentFields(d)...).refused(v), Revision: d.Revision,
		Button: "Change the draft", Back: v.To("documents/" + id),
		BackText: "Back to the document",
	}, nil
}

func changeDocument(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofBank(ctx, "documents/"+v.param("id"))
	if err != nil {
		return outcome{}, err
	}
	f := ask(documentFields(wire.Document{})...).fill(v.form)
	_, err = patch[wire.Document](ctx, v, path, v.documentBody(f))
	return lead(v.To("documents/" + v.param("id"))), err
}
