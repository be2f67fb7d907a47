package load

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/bankdoc"
	"mintmark/internal/domain/doccheck"
	"mintmark/internal/store"
)

func (p *pass) takeDocument(at item) error {
	id := numberIn(at.node, "documentId")
	stored, err := p.findDocument(id)
	if err != nil {
		return err
	}
	fresh := stored.ID == 0
	before := entryOfDocument(stored)
	before.DocumentID = id
	after, fine := patch(p, at, before, fresh)
	p.once(at, "documentId", id)
	merged := after.document(stored)
	noted := p.problems.Noted
	p.readForms(at, after, &merged)
	list := problem.Check(merged)
	if fine {
		list = merged.Validate()
	}
	p.problems.addAll(at, list)
	if !p.known.banks[after.BankID] && after.BankID != 0 {
		p.reportDangling(at, "bankId", "bank", after.BankID)
		return nil
	}
	if !fresh && stored.BankID != after.BankID {
		p.reportOtherOwner(at, "bankId", "document", id, "bank", stored.BankID)
		return nil
	}
	if !fine || p.problems.Noted > noted {
		return nil
	}
	if !stored.Published.IsZero() && !stored.Same(merged) {
		p.problems.add(at, "documentId",
			"document %d was published by an operator, and is never changed", id)
		return nil
	}
	p.noteDocument(at, id, merged.Expires)
	name := label{subject{"documents", strconv.Itoa(id)}, stored.Revision}
	forms := formChanges(stored, merged)
	if len(forms) > 0 {
		p.out.bytes += len(merged.HTML) + len(merged.PDF)
	}
	return settle(p, name, before, after, forms, func(tx store.Tx) error {
		return tx.Documents().Put(merged)
	})
}

// findDocument returns a document of any bank, with ID 0 if there is none.
func (p *pass) findDocument(id int) (bankdoc.Document, error) {
	bankID, err := p.r.Documents().FindBank(id)
	missing, err := store.IsMissing(err)
	if err != nil || missing {
		return bankdoc.Document{}, err
	}
	return p.r.Documents().Find(bankID, id)
}

// readForms reads the files that a document entry names.
func (p *pass) readForms(at item, e documentEntry, into *bankdoc.Document) {
	if e.HTML != "" {
		into.HTML = string(p.readFile(at, e.HTML, "html", bankdoc.MaxHTMLMegabytes))
	}
	_, given := memberOf(at.node, "pdf")
	switch {
	case e.PDF != "":
		into.PDF = p.readFile(at, e.PDF, "pdf", doccheck.MaxPDFMegabytes)
		if len(into.PDF) == 0 {
			p.problems.add(at, "pdf", "is empty")
		}
	case given != nil:
		into.PDF = nil
	}
}

// formChanges describes which of the forms differ from the stored ones.
func formChanges(stored, merged bankdoc.Document) []string {
	var changes []string
	tell := func(name string, from, to int) {
		changes = append(changes, fmt.Sprintf("%s: %d bytes → %d other bytes", name, from, to))
	}
	if stored.HTML != merged.HTML {
		tell("html", len(stored.HTML), len(merged.HTML))
	}
	if !bytes.Equal(stored.PDF, merged.PDF) {
		tell("pdf", len(stored.PDF), len(merged.PDF))
	}
	return changes
}

// readFile reads a file of at most the given number of megabytes, by its name relative to the
// loaded file.
func (p *pass) readFile(at item, name, field string, megabytes int64) []byte {
	full := path.Join(path.Dir(p.name), name)
	if path.IsAbs(name) || !fs.ValidPath(full) {
		p.problems.add(at, field, "%q does not lie beside the loaded file or below", name)
		return nil
	}
	about, err := fs.Stat(p.files, full)
	if err == nil && !about.Mode().IsRegular() {
		p.problems.add(at, field, "%s is not a regular file", name)
		return nil
	}
	if err == nil && about.Size() > megabytes<<20 {
		p.problems.add(at, field, "%s has more than %d MB", name, megabytes)
		return nil
	}
	var content []byte
	if err == nil {
		content, err = fs.ReadFile(p.files, full)
	}
	if err != nil {
		var reason *fs.PathError
		if errors.As(err, &reason) {
			err = reason.Err
		}
		p.problems.add(at, field, "%s cannot be read: %s", name, err)
	}
	return content
}
