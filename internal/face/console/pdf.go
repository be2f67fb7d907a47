package console

import (
	"context"
	"errors"
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/domain/doccheck"
	"mintmark/internal/face/web"
)

const pdfType, pdfLabel = "application/pdf", "PDF file, at most 16 MB"

func showUpload(ctx context.Context, v *visit) (formPage, error) {
	d, err := findDocument(ctx, v)
	if err != nil {
		return formPage{}, err
	}
	id := itoa(d.ID)
	v.crumbs("Upload a PDF", "Documents", "documents", d.Title, "documents/"+id)
	v.command("document pdf", id, v.bankFlag(), "--file notice.pdf --revision",
		itoa(d.Revision))
	return formPage{
		Fields: ask().afterRefusal(v), Revision: d.Revision, Upload: pdfLabel, Accept: pdfType,
		Button: "Check and save the PDF", Back: v.To("documents/" + id),
		BackText: "Back to the document",
		Note: "Customers read exactly this file. It is checked first, and refused if it is not " +
			"a valid PDF.",
	}, nil
}

func upload(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.fillPath("banks/{id}/documents/{documentId}/pdf")
	if err != nil {
		return outcome{}, err
	}
	r := v.changeRequest(http.MethodPut, path)
	r.Sender = sender{v.exchange, v.files["file"]}
	_, err = v.do(ctx, r)
	return redirectTo(v.To("documents/" + v.param("documentId"))), err
}

// showDraft shows the form of a new document, which also takes its PDF.
func showDraft(ctx context.Context, v *visit) (formPage, error) {
	shown, err := pagesAt("documents").showNew(ctx, v)
	shown.Upload, shown.Accept = pdfLabel+"; it can also follow later", pdfType
	return shown, err
}

// draft creates a document. If only the PDF is rejected, the document stays, and the form to upload
// another file is shown.
func draft(ctx context.Context, v *visit) (outcome, error) {
	p, file := pagesAt("documents"), v.files["file"]
	created, err := p.do(p.Create)(ctx, v)
	refused := (*wire.Problem)(nil)
	switch {
	case len(file) == 0:
		return created, err
	case errors.As(err, &refused) && refused.Name() == wire.Invalid:
		wrong, ended := doccheck.PDF(ctx, file)
		if wrong != "" {
			refused.Errors = append(refused.Errors, wire.MemberError{Detail: "the PDF " + wrong})
		}
		return created, errors.Join(err, ended)
	case err != nil:
		return created, err
	}
	after, err := upload(ctx, v)
	if !errors.As(err, &v.frame.Problem) {
		return after, err
	}
	v.address = addressOf(Prefix + v.consolePath(p.item) + "/pdf")
	v.address.RawQuery = v.query.Encode()
	shown, err := showUpload(ctx, v)
	return once("form", shown), err
}

func savePDF(ctx context.Context, v *visit) (web.Response, error) {
	d, err := findDocument(ctx, v)
	if err != nil {
		return web.Response{}, err
	}
	// The file may contain anything. The policy prevents it from acting as a page of the console.
	v.exchange.Header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	return v.save(ctx, v.consolePath("banks/{id}/documents/{documentId}/pdf"), nil, "document-"+itoa(d.ID)+".pdf")
}
