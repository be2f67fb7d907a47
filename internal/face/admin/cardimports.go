package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	wire "mintmark/client/admin"
	"mintmark/internal/base/agefile"
	"mintmark/internal/base/problem"
	"mintmark/internal/domain/operator"
	"mintmark/internal/face/web"
	"mintmark/internal/importer/feed"
	"mintmark/internal/issuing"
)

// cardImports imports cards that were issued elsewhere.
func (d *Desk) cardImports() *Resource {
	return &Resource{
		Path: "card-imports", Roles: operator.Roles{operator.Security, operator.Configurator},
		Fields: []Field{
			{Name: "sequence", Label: "Sequence of the file", On: Shown},
			{Name: "cards", Label: "Cards that the request imported", On: Shown},
			{Name: "repeated", Label: "Repeated", On: Shown,
				Help: "The file was applied before, and nothing was done."},
			{Name: "after", Label: "Line after which the file continued", On: Shown,
				Help: "An earlier request was interrupted there."},
		},
		Create: uploadLong(Op{
			Summary: "Import cards with their existing numbers", Together: true,
			FourEyes: true,
			Filters: []Field{{Name: "accept", Label: "Accepted losses",
				Help: feed.FileReplaced + ": " + feed.DestructiveChanges[feed.FileReplaced]}},
		}, rowsType, maxFeedBytes, d.importCards),
	}
}

// approvedFile is what an approval stores of a file, and the losses that the requester accepts. The
// card numbers in the file are only ever stored encrypted.
type approvedFile struct {
	Source    string   `json:"source"`
	ProgramID int      `json:"programId"`
	Sequence  int      `json:"sequence"`
	Digest    string   `json:"sha256"`
	Accept    []string `json:"accept,omitempty"`
}

func (f approvedFile) head() feed.Head {
	return feed.Head{Source: f.Source, ProgramID: f.ProgramID, Sequence: f.Sequence}
}

func (d *Desk) importCards(
	ctx context.Context, c *call, from io.Reader,
) (wire.CardImport, []wire.Change, error) {
	if c.approved {
		begun, err := d.beginImport(ctx, c)
		return begun, nil, feedProblem(err)
	}
	var accept []string
	switch c.query.Get("accept") {
	case "":
	case feed.FileReplaced:
		accept = []string{feed.FileReplaced}
	default:
		return wire.CardImport{}, nil, invalidQuery("accept", "must be "+feed.FileReplaced)
	}
	opened, err := d.acts.Vault.OpenFile(from)
	if err != nil {
		return wire.CardImport{}, nil, fileProblem(err)
	}
	file, err := d.receive(ctx, "cards", c, opened)
	if err != nil {
		return wire.CardImport{}, nil, fileProblem(err)
	}
	report, err := d.acts.Cards.ImportCards(ctx, c.who, file, accept)
	if errors.Is(err, issuing.ErrNeedsApproval) {
		kept := c.storeForApproval(ctx, report.ProgramID, approvedFile{
			report.Source, report.ProgramID, report.Sequence, report.Digest, accept,
		})
		if wrong := errors.Join(kept, file.Close()); wrong != nil {
			err = wrong
		}
		return wire.CardImport{}, nil, err
	}
	if err := errors.Join(err, file.Close()); err != nil {
		return wire.CardImport{}, nil, feedProblem(err)
	}
	return showImport(report), []wire.Change{}, nil
}

// beginImport allows the approved file to be applied when the requester sends it again.
func (d *Desk) beginImport(ctx context.Context, c *call) (wire.CardImport, error) {
	var of approvedFile
	if err := json.Unmarshal(c.body, &of); err != nil {
		return wire.CardImport{}, err
	}
	return wire.CardImport{
		Source: of.Source, ProgramID: of.ProgramID, Sequence: of.Sequence, Digest: of.Digest,
	}, d.acts.Cards.BeginImport(ctx, c.who, of.head(), of.Digest, of.Accept)
}

// fileProblem returns the problem of an encrypted file that cannot be decrypted.
func fileProblem(err error) error {
	for _, known := range []error{agefile.ErrOtherRecipient, agefile.ErrDamagedFile} {
		if errors.Is(err, known) {
			return web.Invalid(problem.List{{Text: known.Error()}})
		}
	}
	return err
}

func showImport(r *feed.Report) wire.CardImport {
	return wire.CardImport{
		Source: r.Source, ProgramID: r.ProgramID, Sequence: r.Sequence, Digest: r.Digest,
		Cards: r.Imported(), Repeated: r.Repeated, After: r.After,
	}
}
