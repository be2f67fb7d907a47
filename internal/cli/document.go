package cli

import (
	"context"

	"mintmark/client/admin"
)

// documentCommands are the commands on documents of banks.
type documentCommands struct {
	List    documentList    `cmd:"" help:"List the documents of a bank."`
	Get     documentGet     `cmd:"" help:"Print a document with its HTML."`
	Create  documentCreate  `cmd:"" help:"Make a draft."`
	Update  documentUpdate  `cmd:"" help:"Change a draft."`
	PDF     documentPDF     `cmd:"" name:"pdf" help:"Give a draft its PDF."`
	Remove  documentRemove  `cmd:"" help:"Remove a draft."`
	Preview documentPreview `cmd:"" help:"Print what a customer would be shown, as cleaned HTML."`
	Fetch   documentFetch   `cmd:"" help:"Write the PDF of a document to standard output."`
	Publish documentPublish `cmd:"" help:"Publish a draft, which ends the version before it."`
}

// documentList lists documents.
type documentList struct {
	Listing
	ofBank
	Culture string `placeholder:"CULTURE" help:"In a language, such as en-US." group:"Filter"`
	Type    string `placeholder:"TYPE" help:"Of a type." group:"Filter"`
	State   string `placeholder:"STATE" help:"In a state: draft, scheduled, inForce or ended." group:"Filter"`
	Q       string `name:"q" placeholder:"TEXT" help:"With a text in the title." group:"Filter"`
}

func (documentList) Help() string { return "mintmark document list --bank 1 --culture en-US" }

func (d documentList) Run(ctx context.Context, t Terminal) error {
	filter := query("culture", d.Culture, "documentType", d.Type, "state", d.State, "q", d.Q)
	return d.list(ctx, t, path("banks", d.Bank, "documents"), filter, columns[admin.Document](
		"id", "culture", "documentType", "title", "state", "hasPdf", "effectiveDate", "expireDate"))
}

// oneDocument is a document of a bank.
type oneDocument struct {
	ofBank
	ID int `arg:"" help:"Number of the document."`
}

func (d oneDocument) path(parts ...any) string {
	return path(append([]any{"banks", d.Bank, "documents", d.ID}, parts...)...)
}

// documentGet prints a document.
type documentGet struct {
	Remote
	oneDocument
}

func (documentGet) Help() string { return "mintmark document get 80 --bank 1" }

func (d documentGet) Run(ctx context.Context, t Terminal) error { return d.get(ctx, t, d.path()) }

// documentCreate makes a draft.
type documentCreate struct {
	Making
	ofBank
	Culture   string `required:"" placeholder:"CULTURE" help:"Language, such as en-US."`
	Type      string `required:"" placeholder:"TYPE" help:"Type of the document."`
	Title     string `required:"" placeholder:"TEXT" help:"Title."`
	HTML      string `name:"html" placeholder:"FILE" help:"File with the HTML; - reads standard input."`
	Effective string `placeholder:"MOMENT" help:"From when on it is in force."`
	Expire    string `placeholder:"MOMENT" help:"Until when it is in force."`
}

func (documentCreate) Help() string {
	return "echo '<p>Terms of 2027.</p>' | mintmark document create --bank 1 --culture en-US " +
		"--type CardInfo --title 'Terms of 2027' --html -"
}

func (d documentCreate) Run(ctx context.Context, t Terminal) error {
	members := body{
		"culture": d.Culture, "documentType": d.Type, "title": d.Title,
	}.with("effectiveDate", d.Effective, "expireDate", d.Expire)
	if d.HTML != "" {
		text, err := readFile(d.HTML, t.In)
		if err != nil {
			return err
		}
		members["html"] = string(text)
	}
	return d.post(ctx, t, path("banks", d.Bank, "documents"), members)
}

// documentUpdate changes a draft.
type documentUpdate struct {
	oneDocument
	Update
}

func (documentUpdate) Help() string {
	return "mintmark document update 1000001 --bank 1 --set title='Terms of 2027, second draft'"
}

func (d documentUpdate) Run(ctx context.Context, t Terminal) error {
	return d.update(ctx, t, d.path(), resource{})
}

// documentPDF gives a draft its PDF.
type documentPDF struct {
	Change
	oneDocument
	File string `required:"" placeholder:"FILE" help:"PDF file; - reads standard input."`
}

func (documentPDF) Help() string {
	return "mintmark document pdf 1000001 --bank 1 --file terms.pdf"
}

func (d documentPDF) Run(ctx context.Context, t Terminal) error {
	text, err := readFile(d.File, t.In)
	if err != nil {
		return err
	}
	request := d.request("PUT", d.path("pdf"), nil)
	request.File, request.FileType = text, "application/pdf"
	request.Revision = d.Revision
	if d.Revision == 0 {
		request.Revision, err = d.revisionOf(ctx, d.path())
		if err != nil {
			return err
		}
	}
	return d.show(ctx, t, request)
}

// documentRemove removes a draft.
type documentRemove struct {
	Change
	oneDocument
}

func (documentRemove) Help() string { return "mintmark document remove 1000001 --bank 1 --dry-run" }

func (d documentRemove) Run(ctx context.Context, t Terminal) error {
	return d.remove(ctx, t, d.path())
}

// documentPreview prints a preview.
type documentPreview struct {
	Remote
	oneDocument
}

func (documentPreview) Help() string { return "mintmark document preview 80 --bank 1" }

func (d documentPreview) Run(ctx context.Context, t Terminal) error {
	return d.get(ctx, t, d.path("preview"))
}

// documentFetch writes a PDF.
type documentFetch struct {
	Remote
	oneDocument
}

func (documentFetch) Help() string {
	return "mintmark document fetch 80 --bank 1 > terms-now.pdf"
}

func (d documentFetch) Run(ctx context.Context, t Terminal) error {
	client, err := d.client()
	if err != nil {
		return err
	}
	return client.Copy(ctx, t.Out, pathOf(d.path("pdf"), nil))
}

// documentPublish publishes a draft.
type documentPublish struct {
	Change
	oneDocument
	Effective string `placeholder:"MOMENT" help:"From when on it is in force; at once when left out."`
}

func (documentPublish) Help() string { return "mintmark document publish 1000001 --bank 1" }

func (d documentPublish) Run(ctx context.Context, t Terminal) error {
	return d.act(ctx, t, d.path("publish"), body{}.with("effectiveDate", d.Effective))
}
