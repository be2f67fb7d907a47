package cli

import "context"

// documentByHand holds the commands that take a file.
type documentByHand struct {
	Create documentCreate `cmd:"" help:"Create a draft."`
	PDF    documentPDF    `cmd:"" name:"pdf" example:"1000001 --bank 1 --file terms.pdf" help:"Upload the PDF of a draft."`
}

// ofBank is the flag for the bank of a document.
type ofBank struct {
	Bank int `required:"" placeholder:"ID" help:"Number of the bank."`
}

// oneDocument identifies a document.
type oneDocument struct {
	ofBank
	ID int `arg:"" help:"Number of the document."`
}

func (d oneDocument) path(parts ...any) string {
	return path(append([]any{"banks", d.Bank, "documents", d.ID}, parts...)...)
}

type documentCreate struct {
	CreateFlags
	ofBank
	Culture   string `required:"" placeholder:"CULTURE" help:"Language, such as en-US."`
	Type      string `required:"" placeholder:"TYPE" help:"Type of the document."`
	Title     string `required:"" placeholder:"TEXT" help:"Title."`
	HTML      string `name:"html" placeholder:"FILE" help:"File with the HTML; - reads standard input."`
	Effective string `placeholder:"MOMENT" help:"When it comes into force."`
	Expire    string `placeholder:"MOMENT" help:"When it ends."`
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

type documentPDF struct {
	Change
	oneDocument
	File string `required:"" placeholder:"FILE" help:"PDF file; - reads standard input."`
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
