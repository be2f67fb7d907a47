// Package load reads banks, programs, keys, customers, accounts, documents and cards from one YAML
// file and writes them into a store, all of them or none. It owns the form of the file and says
// line by line what is wrong with it. The rules of what is loaded belong to the packages of the
// things themselves; keeping them belongs to the store, and secrets to the vault.
package load

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"mintmark/internal/bankdoc"
)

// maxHTMLBytes is the greatest size of the HTML form of a document (section 8).
const maxHTMLBytes = 2 << 20

const tooManyDigits = "has more decimal digits than the program's %d"

// Data is what a file holds, checked as far as that is possible without a store.
type Data struct {
	name      string
	root      *yaml.Node
	entries   entries
	documents []bankdoc.Document
}

// Read reads a file and checks everything about it that does not depend on what is stored
// already. The error is a *Problems that lists all that is wrong. Documents are named relative to
// the file and must lie in its directory or below.
func Read(fsys fs.FS, name string) (*Data, error) {
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	root, err := parse(text)
	if err != nil {
		return nil, &Problems{Name: name, List: []Problem{syntaxProblem(err)}}
	}

	d := &Data{name: name, root: root}
	problems := d.problems()
	b := binder{problems: problems}
	b.bind(root, reflect.ValueOf(&d.entries).Elem(), "")
	b.checkDigits(list("programs", d.entries.Programs))
	d.readDocuments(fsys, problems)
	err = problems.err()
	if err != nil {
		return nil, err
	}
	return d, nil
}

// String counts what was read, for example "4 banks, 4 programs, 6 bins".
func (d *Data) String() string {
	e := d.entries
	var parts []string
	for _, part := range []struct {
		count int
		name  string
	}{
		{len(e.Banks), "banks"}, {len(e.Programs), "programs"}, {len(e.allBins()), "bins"},
		{len(e.Keys), "keys"}, {len(e.Customers), "customers"}, {len(e.Accounts), "accounts"},
		{len(e.Access), "access rights"}, {len(e.Documents), "documents"},
		{len(e.Cards), "cards"},
	} {
		if part.count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.count, part.name))
		}
	}
	return strings.Join(parts, ", ")
}

// problems returns an empty list of problems with the file.
func (d *Data) problems() *Problems { return &Problems{Name: d.name, root: d.root} }

// parse returns the root of the one YAML document that the text holds.
func parse(text []byte) (*yaml.Node, error) {
	var document yaml.Node
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	err := decoder.Decode(&document)
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	var second yaml.Node
	err = decoder.Decode(&second)
	if err == nil {
		return nil, fmt.Errorf("line %d: a second document begins here", second.Line)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	return document.Content[0], nil
}

// checkDigits notes the amounts in programs that have more decimal digits than their program.
func (b *binder) checkDigits(programs []located[programEntry]) {
	for _, p := range programs {
		for _, found := range b.amounts {
			if !strings.HasPrefix(found.path, p.path+".") {
				continue
			}
			if found.amount.Digits() > p.entry.DecimalCount {
				b.problems.add(found.path, tooManyDigits, p.entry.DecimalCount)
			}
		}
	}
}

// readDocuments reads the files that documents name.
func (d *Data) readDocuments(fsys fs.FS, problems *Problems) {
	for _, at := range list("documents", d.entries.Documents) {
		e := at.entry
		document := bankdoc.Document{
			ID: e.DocumentID, BankID: e.BankID, Culture: e.Culture,
			Type: bankdoc.Type(e.DocumentType), Title: e.Title,
			Effective: e.EffectiveDate.UTC(), Expires: e.ExpireDate.UTC(),
		}
		if e.HTML != "" {
			html := d.readFile(fsys, e.HTML, at.path+".html", problems)
			if len(html) > maxHTMLBytes || !utf8.Valid(html) {
				problems.add(at.path+".html", "must be a file of UTF-8 text of at most 2 MB")
			}
			document.HTML = string(html)
		}
		if e.PDF != "" {
			document.PDF = d.readFile(fsys, e.PDF, at.path+".pdf", problems)
			_, err := document.File()
			if err != nil {
				problems.add(at.path+".pdf", "is no PDF: it does not begin with %%PDF")
			}
		}
		d.documents = append(d.documents, document)
	}
}

// readFile reads a file named relative to the one that is loaded.
func (d *Data) readFile(fsys fs.FS, name, at string, problems *Problems) []byte {
	full := path.Join(path.Dir(d.name), name)
	if path.IsAbs(name) || !fs.ValidPath(full) {
		problems.add(at, "%q does not lie beside the loaded file or below", name)
		return nil
	}
	content, err := fs.ReadFile(fsys, full)
	if err != nil {
		var reason *fs.PathError
		if errors.As(err, &reason) {
			err = reason.Err
		}
		problems.add(at, "%s cannot be read: %s", name, err)
	}
	return content
}
