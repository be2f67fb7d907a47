package console

import (
	"cmp"
	"context"
	"html/template"
	"slices"
	"strings"

	wire "mintmark/client/admin"
	"mintmark/internal/face/admin"
)

func documentRows() []row {
	upload := form("documents/{documentId}/pdf", "documents", "form", showUpload, upload)
	p := pagesAt("documents")
	op := p.Acts[slices.IndexFunc(p.Acts, func(op *admin.Op) bool { return op.Name == "publish" })]
	publish := form("documents/{documentId}/publish", "documents", "act",
		showPublish(p, op), publish(p, op))
	draft := form("documents/new", "documents", "form", showDraft, draft)
	return append(reserved(slices.Concat(upload, publish, draft), "configurator"),
		page("documents", "documents", "documents", showDocuments),
		page("documents/{documentId}", "documents", "document", showDocument),
		download("documents/{documentId}/document.pdf", savePDF))
}

// disclosure is the type of the document that customers read first.
const disclosure = "eStatement"

// documentList holds the documents of a bank in one culture, and how they are presented to
// customers (interface §5.7): the disclosure as text, followed by the others as a list of PDF
// files.
type documentList struct {
	Items    []wire.Document
	Next     string
	Culture  string
	Cultures []string
	First    *sanitizedDocument
	Then     []wire.Document // in force, in the interface's order
	Missing  bool            // one of them lacks its PDF
}

// sanitizedDocument is a document as HTML. The interface removes active content and external
// resources.
type sanitizedDocument struct {
	wire.Document
	Text template.HTML
	Less bool // something was removed
}

// readText reads the sanitized HTML of a document.
func readText(ctx context.Context, v *visit, d wire.Document, path string) (*sanitizedDocument, error) {
	preview, err := read[wire.DocumentPreview](ctx, v, path+"/preview")
	if err != nil {
		return nil, err
	}
	// The headings of a document are lower than those of the page.
	return &sanitizedDocument{d, template.HTML(headings.Replace(preview.HTML)), preview.Less}, nil
}

var headings = strings.NewReplacer("<h1", "<h3", "</h1", "</h3", "<h2", "<h4", "</h2", "</h4")

func (v *visit) bankFlag() string {
	if v.Bank == nil {
		return ""
	}
	return "--bank " + itoa(v.Bank.ID)
}

func showDocuments(ctx context.Context, v *visit) (documentList, error) {
	path, err := v.fillPath("banks/{id}/documents")
	if err != nil {
		return documentList{}, err
	}
	items, err := all[wire.Document](ctx, v, path, v.filter("sort"))
	if err != nil {
		return documentList{}, err
	}
	list := documentList{Culture: v.Asked("culture")}
	for _, d := range items {
		if !slices.Contains(list.Cultures, d.Culture) {
			list.Cultures = append(list.Cultures, d.Culture)
		}
	}
	slices.Sort(list.Cultures)
	if list.Culture == "" && len(list.Cultures) > 0 {
		list.Culture = list.Cultures[0]
	}
	if err := list.sort(ctx, v, path, items); err != nil {
		return documentList{}, err
	}
	v.crumbs("Documents")
	words := []string{"document list", v.bankFlag()}
	if list.Culture != "" {
		words = append(words, "--culture", list.Culture)
	}
	v.command(append(words, v.flags(pagesAt("documents").List, "sort"))...)
	return list, nil
}

// sort selects and sorts the documents of the culture, and finds those that customers see.
func (l *documentList) sort(
	ctx context.Context, v *visit, path string, list []wire.Document,
) error {
	for _, d := range list {
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
	if v.Asked("sort") == "" {
		slices.SortFunc(l.Items, func(a, b wire.Document) int {
			return cmp.Or(strings.Compare(strings.ToLower(a.DocumentType),
				strings.ToLower(b.DocumentType)), cmp.Compare(b.ID, a.ID))
		})
	}
	slices.SortStableFunc(l.Then, func(a, b wire.Document) int {
		return strings.Compare(strings.ToLower(a.DocumentType), strings.ToLower(b.DocumentType))
	})
	return nil
}

// documentPage is one version of a document.
type documentPage struct {
	itemPage
	sanitizedDocument
	Draft bool
}

func findDocument(ctx context.Context, v *visit) (wire.Document, error) {
	return readNamed[wire.Document](ctx, v, pagesAt("documents").Item)
}

func showDocument(ctx context.Context, v *visit) (documentPage, error) {
	d, err := findDocument(ctx, v)
	if err != nil {
		return documentPage{}, err
	}
	p := pagesAt("documents")
	text, err := readText(ctx, v, d, v.consolePath(p.Item))
	if err != nil {
		return documentPage{}, err
	}
	shown := documentPage{itemPage: p.page(v, d), sanitizedDocument: *text, Draft: d.State == "draft"}
	if d.HasPDF {
		shown.Facts = append(shown.Facts, fact{Name: "PDF form", Text: "open",
			To: v.To("documents/" + itoa(d.ID) + "/document.pdf")})
	}
	return shown, nil
}

// showPublish shows the page of the act. Publishing a document without a PDF requires a reason.
func showPublish(p *pages, op *admin.Op) func(context.Context, *visit) (actPage, error) {
	return func(ctx context.Context, v *visit) (actPage, error) {
		d, err := findDocument(ctx, v)
		if err != nil {
			return actPage{}, err
		}
		shown, err := p.showAct(op, p.find)(ctx, v)
		if err == nil && lacksPDF(d) {
			shown.Effect += " Without a PDF customers cannot open it."
			shown.Fields.each(func(c *control) {
				if c.Name == "reason" {
					c.Required, c.Help = true, "Why it is published without a PDF."
				}
			})
		}
		return shown, err
	}
}

func publish(p *pages, op *admin.Op) func(context.Context, *visit) (outcome, error) {
	return func(ctx context.Context, v *visit) (outcome, error) {
		if v.typed("reason") == "" {
			d, err := findDocument(ctx, v)
			if err != nil {
				return outcome{}, err
			}
			if lacksPDF(d) {
				return outcome{}, incomplete("reason", "is required: the document has no PDF")
			}
		}
		return p.do(op)(ctx, v)
	}
}

// lacksPDF reports whether customers cannot open a document: all but the disclosure need a PDF.
func lacksPDF(d wire.Document) bool { return !d.HasPDF && d.DocumentType != disclosure }
