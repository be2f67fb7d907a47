package admin

import (
	"context"
	"fmt"
	"slices"
	"time"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/doccheck"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/programs"
)

func (d *Desk) documents() *Resource {
	return &Resource{
		Noun: "document", Path: "banks/{id}/documents", Item: "banks/{id}/documents/{documentId}",
		In: ofBank, ID: Param{Name: "documentId", Help: "Number of the document.", Number: true},
		Help:  "Documents of banks: drafts, PDFs, publishing.",
		Nav:   Nav{"Set-up", "Documents"},
		Roles: configuratorRoles,
		Columns: []string{
			"id", "culture", "documentType", "title", "state", "hasPdf", "effectiveDate",
			"expireDate",
		},
		Fields: []Field{
			{Name: "documentType", Flag: "type", Label: "Type", Required: true,
				Choices: choices(bankdoc.Types...)},
			{Name: "culture", Label: "Culture", Required: true,
				Help: "Language and region, such as en-US."},
			{Name: "title", Label: "Title", Required: true, Help: "The text of the link to the PDF."},
			{Name: "html", Label: "Content in HTML", Required: true,
				Help: "At most 2 MB. The preview shows its text; callers get it unchanged."},
			{Name: "effectiveDate", Flag: "effective", Label: "In force from", On: WireOnly},
			{Name: "expireDate", Flag: "expire", Label: "In force until", On: WireOnly},
			{Name: "state", Label: "State", On: Shown, Help: "draft, scheduled, inForce or ended"},
			{Name: "hasPdf", Label: "PDF", On: Shown},
			{Name: "published", Label: "Published", On: Shown},
		},
		List: list(Op{
			Summary: "List documents, without their HTML",
			Example: "mintmark document list --bank 1 --culture en-US",
			Filters: []Field{
				{Name: "culture", Label: "Culture", Help: "Language and region, such as en-US"},
				{Name: "documentType", Flag: "type", Label: "Type", Help: "Kind of document"},
				{Name: "state", Label: "State", Help: "draft, scheduled, inForce or ended"},
				{Name: "q", Label: "Search", Help: "A part of the title"},
			},
		}, d.listDocuments),
		Create: withHTML(create(Op{
			Summary: "Create a draft of a document", Title: "Draft a document",
			Button: "Save the draft", Effect: "Callers see it once it is published.",
			Example: "echo '<p>Terms of 2027.</p>' | mintmark document create --bank 1 " +
				"--culture en-US --type CardInfo --title 'Terms of 2027' --html -",
		}, d.createDocument)),
		Show: get(Op{Summary: "Read a document", Example: "mintmark document get 80 --bank 1"},
			d.readDocument),
		Change: withHTML(patch(Op{
			Summary: "Change a draft", Button: "Change the draft",
			Example: "mintmark document update 1000001 --bank 1 " +
				"--set title='Terms of 2027, second draft'",
		}, d.readDocument, d.changeDocument)),
		Remove: remove(Op{
			Summary: "Remove a draft", Risky: true, Button: "Discard draft {id} for good",
			Example: "mintmark document remove 1000001 --bank 1 --dry-run",
			Effect:  "The draft is removed with its PDF. No caller has seen it.",
		}, d.removeDocument),
		Acts: []*Op{
			upload(Op{
				Name: "pdf", Summary: "Upload the PDF form of a draft",
				Example: "mintmark document pdf 1000001 --bank 1 --file terms.pdf",
			}, bankdoc.PDFType, doccheck.MaxPDFBytes, d.putPDF),
			download(Op{
				Name: "fetch", Path: "banks/{id}/documents/{documentId}/pdf",
				Summary: "Read the PDF form",
				Example: "mintmark document fetch 80 --bank 1 > terms-now.pdf",
			}, bankdoc.PDFType, d.pdf),
			get(Op{
				Name: "preview", Summary: "Read the sanitized HTML form",
				Example: "mintmark document preview 80 --bank 1",
			}, d.previewDocument),
			act(Op{
				Name: "publish", Summary: "Publish a draft", Button: "Publish document {id}",
				Help:    "The previous version ends when it comes into force.",
				Example: "mintmark document publish 1000001 --bank 1",
				Effect: "From the effective date it replaces the version in force. " +
					"A published document never changes.",
				Fields: []Field{{Name: "effectiveDate", Flag: "effective", Label: "In force from",
					Help: "Immediately when left out."}},
			}, d.publishDocument),
		},
	}
}

// withHTML raises the body limit of a row to that of the largest HTML form: JSON may escape a
// character with several.
func withHTML(r *Op) *Op {
	r.most = 4 * bankdoc.MaxHTMLBytes
	return r
}

func documentOf(d programs.DocumentDetail) wire.Document {
	return wire.Document{
		ID: d.ID, Revision: d.Revision, BankID: d.BankID, Culture: d.Culture,
		DocumentType: string(d.Type), Title: d.Title, HTML: d.HTML, HasPDF: d.HasPDF,
		State: string(d.State), EffectiveDate: moment(d.Effective),
		ExpireDate: moment(d.Expires), Published: moment(d.Published),
	}
}

func timeOf(moment *time.Time) time.Time {
	if moment == nil {
		return time.Time{}
	}
	return *moment
}

func (d *Desk) listDocuments(
	ctx context.Context, c *call, page issuing.Page,
) ([]wire.Document, string, error) {
	q := programs.DocumentQuery{
		Culture: c.query.Get("culture"), Type: bankdoc.Type(c.query.Get("documentType")),
		State: bankdoc.State(c.query.Get("state")), Search: c.query.Get("q"),
	}
	if q.State != "" && !slices.Contains(bankdoc.States, q.State) {
		return nil, "", invalidQuery("state", "must be draft, scheduled, inForce or ended")
	}
	if q.Type != "" && !slices.Contains(bankdoc.Types, q.Type) {
		return nil, "", invalidQuery("documentType", "is not a kind of document")
	}
	return convertAll(documentOf)(
		d.acts.Programs.BankDocuments(ctx, c.who, c.id("id"), q, page))
}

func (d *Desk) foundDocument(ctx context.Context, c *call) (programs.DocumentDetail, error) {
	return d.acts.Programs.BankDocument(ctx, c.who, c.id("id"), c.id("documentId"))
}

func (d *Desk) readDocument(ctx context.Context, c *call) (wire.Document, error) {
	return convert(documentOf)(d.foundDocument(ctx, c))
}

func (d *Desk) createDocument(
	ctx context.Context, c *call, newDocument wire.NewDocument,
) (wire.Document, error) {
	return convert(documentOf)(d.acts.Programs.CreateDraft(ctx, c.who, c.id("id"), programs.DocumentSpec{
		Culture: newDocument.Culture, Type: bankdoc.Type(newDocument.DocumentType), Title: newDocument.Title,
		HTML: newDocument.HTML, Effective: timeOf(newDocument.EffectiveDate), Expires: timeOf(newDocument.ExpireDate),
	}))
}

func (d *Desk) changeDocument(
	ctx context.Context, c *call, after wire.Document,
) (wire.Document, error) {
	return convert(documentOf)(d.acts.Programs.ChangeDraft(ctx, c.who, c.id("id"), c.id("documentId"),
		c.revision, programs.DocumentSpec{
			Culture: after.Culture, Type: bankdoc.Type(after.DocumentType), Title: after.Title,
			HTML: after.HTML, Effective: timeOf(after.EffectiveDate), Expires: timeOf(after.ExpireDate),
		}))
}

func (d *Desk) removeDocument(ctx context.Context, c *call) error {
	return d.acts.Programs.DeleteDraft(ctx, c.who, c.id("id"), c.id("documentId"),
		c.revision)
}

func (d *Desk) putPDF(ctx context.Context, c *call) (wire.Document, error) {
	return convert(documentOf)(d.acts.Programs.PutDraftPDF(ctx, c.who, c.id("id"),
		c.id("documentId"), c.revision, c.body))
}

func (d *Desk) pdf(ctx context.Context, c *call) (web.Response, error) {
	detail, err := d.foundDocument(ctx, c)
	if err == nil && !detail.HasPDF {
		missing := web.NotFound()
		missing.Detail = fmt.Sprintf("Document %d has no PDF.", detail.ID)
		err = missing
	}
	return web.Response{Body: detail.PDF}, err
}

func (d *Desk) previewDocument(ctx context.Context, c *call) (wire.DocumentPreview, error) {
	detail, err := d.foundDocument(ctx, c)
	if err != nil {
		return wire.DocumentPreview{}, err
	}
	clean, less := doccheck.Preview(detail.HTML)
	return wire.DocumentPreview{HTML: clean, Less: less}, nil
}

func (d *Desk) publishDocument(
	ctx context.Context, c *call, publishDocument wire.PublishDocument,
) (wire.Document, error) {
	return convert(documentOf)(d.acts.Programs.PublishDraft(ctx, c.who, c.id("id"),
		c.id("documentId"), c.revision,
		timeOf(publishDocument.EffectiveDate)))
}
