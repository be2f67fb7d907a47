package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/doccheck"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/programs"
)

func (f *Face) documentRoutes() []*Op {
	const all, one = "banks/{id}/documents", "banks/{id}/documents/{documentId}"
	configurators := operator.Roles{operator.Configurator}
	of := func(path, summary string) Op {
		return Op{Path: path, Summary: summary, Roles: configurators}
	}
	listing := of(all, "List documents, without their HTML")
	listing.Filters = []Field{
		{Name: "culture", Help: "Language and region, such as en-US"}, {Name: "documentType", Help: "Kind of document"},
		{Name: "state", Help: "draft, scheduled, inForce or ended"}, {Name: "q", Help: "A part of the title"},
	}
	return []*Op{
		list(listing, f.listDocuments),
		withHTML(create(of(all, "Make a draft of a document"), f.createDocument)),
		get(of(one, "Read a document"), f.document),
		withHTML(patch(of(one, "Change a draft"), f.document, f.changeDocument)),
		remove(of(one, "Remove a draft"), f.removeDocument),
		upload(of(one+"/pdf", "Give a draft its PDF form"), bankdoc.PDFType, doccheck.MaxPDFBytes,
			f.putPDF),
		download(of(one+"/pdf", "Read the PDF form"), bankdoc.PDFType, f.pdf),
		get(of(one+"/preview", "Read the HTML form as it may be shown"), f.previewDocument),
		act(of(one+"/publish", "Publish a draft"), f.publishDocument),
	}
}

// withHTML is a row whose body may hold the greatest HTML form, in which JSON may write a character
// with several.
func withHTML(r *Op) *Op {
	r.most = 4 * bankdoc.MaxHTMLBytes
	return r
}

func documentOf(d programs.DocumentDetail) wire.Document {
	return wire.Document{
		ID: d.ID, Revision: d.Revision, BankID: d.BankID, Culture: d.Culture,
		DocumentType: string(d.Type), Title: d.Title, HTML: d.HTML, HasPDF: d.HasPDF,
		State: string(d.State), EffectiveDate: momentOf(d.Effective),
		ExpireDate: momentOf(d.Expires), Published: momentOf(d.Published),
	}
}

func momentOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func timeOf(moment *time.Time) time.Time {
	if moment == nil {
		return time.Time{}
	}
	return *moment
}

func (f *Face) listDocuments(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Document, string, error) {
	bank, err := c.number("id")
	if err != nil {
		return nil, "", err
	}
	q := programs.DocumentQuery{
		Culture: c.query.Get("culture"), Type: bankdoc.Type(c.query.Get("documentType")),
		State: bankdoc.State(c.query.Get("state")), Search: c.query.Get("q"),
	}
	if q.State != "" && !slices.Contains(bankdoc.States, q.State) {
		return nil, "", invalidQuery("state", "must be draft, scheduled, inForce or ended")
	}
	if q.Type != "" && !slices.Contains(bankdoc.Types, q.Type) {
		return nil, "", invalidQuery("documentType", "is no kind of document")
	}
	found, last, err := f.acts.Programs.BankDocuments(ctx, c.who, bank, q, page)
	documents := make([]wire.Document, 0, len(found))
	for _, d := range found {
		documents = append(documents, documentOf(d))
	}
	return documents, last, err
}

// documentIn returns the numbers of the bank and of the document.
func (c *call) documentIn() (bankID, documentID int, err error) {
	bankID, err = c.number("id")
	if err == nil {
		documentID, err = c.number("documentId")
	}
	return bankID, documentID, err
}

func (f *Face) foundDocument(ctx context.Context, c *call) (programs.DocumentDetail, error) {
	bank, id, err := c.documentIn()
	if err != nil {
		return programs.DocumentDetail{}, err
	}
	return f.acts.Programs.BankDocument(ctx, c.who, bank, id)
}

func (f *Face) document(ctx context.Context, c *call) (wire.Document, error) {
	found, err := f.foundDocument(ctx, c)
	if err != nil {
		return wire.Document{}, err
	}
	return documentOf(found), nil
}

func (f *Face) createDocument(
	ctx context.Context, c *call, asked wire.NewDocument,
) (wire.Document, error) {
	bank, err := c.number("id")
	if err != nil {
		return wire.Document{}, err
	}
	made, err := f.acts.Programs.CreateDraft(ctx, c.who, bank, programs.DocumentSpec{
		Culture: asked.Culture, Type: bankdoc.Type(asked.DocumentType), Title: asked.Title,
		HTML: asked.HTML, Effective: timeOf(asked.EffectiveDate), Expires: timeOf(asked.ExpireDate),
	})
	return shownDocument(made, err)
}

func shownDocument(d programs.DocumentDetail, err error) (wire.Document, error) {
	if err != nil {
		return wire.Document{}, err
	}
	return documentOf(d), nil
}

func (f *Face) changeDocument(
	ctx context.Context, c *call, after wire.Document,
) (wire.Document, error) {
	bank, id, err := c.documentIn()
	if err != nil {
		return wire.Document{}, err
	}
	return shownDocument(f.acts.Programs.ChangeDraft(ctx, c.who, bank, id, c.revision, programs.DocumentSpec{
		Culture: after.Culture, Type: bankdoc.Type(after.DocumentType), Title: after.Title,
		HTML: after.HTML, Effective: timeOf(after.EffectiveDate), Expires: timeOf(after.ExpireDate),
	}))
}

func (f *Face) removeDocument(ctx context.Context, c *call) error {
	bank, id, err := c.documentIn()
	if err != nil {
		return err
	}
	return f.acts.Programs.DeleteDraft(ctx, c.who, bank, id, c.revision)
}

func (f *Face) putPDF(ctx context.Context, c *call) (wire.Document, error) {
	bank, id, err := c.documentIn()
	if err != nil {
		return wire.Document{}, err
	}
	return shownDocument(f.acts.Programs.PutDraftPDF(ctx, c.who, bank, id, c.revision, c.body))
}

func (f *Face) pdf(ctx context.Context, c *call) (web.Response, error) {
	found, err := f.foundDocument(ctx, c)
	if err == nil && !found.HasPDF {
		missing := web.NotFound()
		missing.Detail = fmt.Sprintf("Document %d has no PDF.", found.ID)
		err = missing
	}
	return web.Response{Body: found.PDF}, err
}

func (f *Face) previewDocument(ctx context.Context, c *call) (wire.DocumentPreview, error) {
	found, err := f.foundDocument(ctx, c)
	if err != nil {
		return wire.DocumentPreview{}, err
	}
	clean, less := doccheck.Preview(found.HTML)
	return wire.DocumentPreview{HTML: clean, Less: less}, nil
}

func (f *Face) publishDocument(
	ctx context.Context, c *call, asked wire.PublishDocument,
) (wire.Document, error) {
	bank, id, err := c.documentIn()
	if err != nil {
		return wire.Document{}, err
	}
	return shownDocument(f.acts.Programs.PublishDraft(ctx, c.who, bank, id, c.revision,
		timeOf(asked.EffectiveDate)))
}
