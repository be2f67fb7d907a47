package console

import (
	"context"
	"net/http"

	wire "mintmark/client/admin"
	"mintmark/internal/face/web"
)

func showUpload(ctx context.Context, v *visit) (asking, error) {
	d, _, err := findDocument(ctx, v)
	if err != nil {
		return asking{}, err
	}
	id := itoa(d.ID)
	v.crumbs("Give it a PDF", "Documents", "documents", d.Title, "documents/"+id)
	v.command("document pdf", id, v.bankFlag(), "--file notice.pdf --revision",
		itoa(d.Revision))
	return asking{
		Fields: ask().refused(v), Revision: d.Revision, Upload: "PDF file, at most 16 MB",
		Button: "Check and keep the PDF", Back: v.To("documents/" + id),
		BackText: "Back to the document",
		Note: "A customer reads exactly this file. It is checked before it is kept: what is no " +
			"sound PDF is refused.",
	}, nil
}

func upload(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofBank(ctx, "documents/"+v.param("id"))
	if err != nil {
		return outcome{}, err
	}
	r := v.seen(http.MethodPut, path+"/pdf")
	r.Sender = sender{v.exchange, v.files["file"]}
	_, err = v.do(ctx, r)
	return lead(v.To("documents/" + v.param("id"))), err
}

func savePDF(ctx context.Context, v *visit) (web.Response, error) {
	d, path, err := findDocument(ctx, v)
	if err != nil {
		return web.Response{}, err
	}
	// The file may hold anything. It is kept from acting as a page of the console.
	v.exchange.Header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	return v.save(ctx, path+"/pdf", nil, "document-"+itoa(d.ID)+".pdf")
}

func showPublish(ctx context.Context, v *visit) (actPage, error) {
	d, _, err := findDocument(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id := itoa(d.ID)
	title := "Publish document " + id
	v.crumbs(title, "Documents", "documents", d.Title, "documents/"+id)
	v.command("document publish", id, v.bankFlag(), "--effective 2026-04-01T00:00:00Z")
	effect := "From its first moment on callers list “" + d.Title + "” as the " + d.DocumentType +
		" in " + d.Culture + ", and the one before it ends. What is published is never changed."
	if !d.HasPDF && d.DocumentType != disclosure {
		effect += " It has no PDF, so customers cannot open it."
	}
	return actPage{
		asking: asking{
			Confirm: noSecond,
			Fields: ask(&control{
				Name: "effectiveDate", Label: "In force from", Kind: momentField,
				Help: "In " + v.Zone.String() + ". Left empty: from now on.",
			}).refused(v),
			Facts: v.documentFacts(d), Revision: d.Revision, Button: title,
			Back: v.To("documents/" + id), BackText: "Back to the document",
		},
		Effect: effect,
	}, nil
}

func publish(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofBank(ctx, "documents/"+v.param("id"))
	if err != nil {
		return outcome{}, err
	}
	f := ask(&control{Name: "effectiveDate"}).fill(v.form)
	asked := wire.PublishDocument{EffectiveDate: f.moment("effectiveDate", v.Zone)}
	if err := f.problem(); err != nil {
		return outcome{}, err
	}
	_, err = act[wire.Document](ctx, v, path+"/publish", asked)
	return lead(v.To("documents/" + v.param("id"))), err
}

func showRemoveDraft(ctx context.Context, v *visit) (actPage, error) {
	d, _, err := findDocument(ctx, v)
	if err != nil {
		return actPage{}, err
	}
	id := itoa(d.ID)
	title := "Discard draft " + id + " for good"
	v.crumbs(title, "Documents", "documents", d.Title, "documents/"+id)
	v.command("document get", id, v.bankFlag())
	return actPage{
		asking: asking{
			Confirm: noSecond, Facts: v.documentFacts(d), Revision: d.Revision, Button: title,
			Fields: ask(reasonField("Why it is not wanted.")).refused(v),
			Back:   v.To("documents/" + id), BackText: "Back to the document",
		},
		Risky: true, Effect: "The draft is gone, with its PDF. Nobody has seen it.",
	}, nil
}

func removeDraft(ctx context.Context, v *visit) (outcome, error) {
	path, err := v.ofBank(ctx, "documents/"+v.param("id"))
	if err != nil {
		return outcome{}, err
	}
	return lead(v.To("documents")), remove(ctx, v, path)
}
