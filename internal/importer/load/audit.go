package load

import (
	"reflect"
	"strings"

	"mintmark/internal/domain/audit"
	"mintmark/internal/importer"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// auditLoad stores the audit entry of the load itself.
func (p *pass) auditLoad(tx store.Tx, counted *Report, done bool) error {
	return tx.Audit().Put(importer.File{Name: p.name, Digest: p.digest}.Entry("load",
		p.options.Actor, tx.Now(), counted.counts.Short(lists), p.options.Accept, done))
}

// subjects maps the lists whose entries are audited one by one to their kind of subject. Of
// customers, only changes are: a new customer is documented by the file. Accounts, access,
// documents and cards are documented by the counts and the file alone, because there may be
// hundreds of thousands of them.
var subjects = map[string]audit.SubjectKind{
	"banks": audit.Bank, "pciKeys": audit.PciKey, "programs": audit.Program, "bins": audit.Bin,
	"webhooks": audit.Webhook, "keys": audit.Key, "customers": audit.Customer,
}

// auditChange stores the audit entry of an addition or a change, if its list has such entries. More
// lists differences that the entries do not show.
func auditChange[E entry](p *pass, at label, before, after E, more []string) error {
	kind, audited := subjects[at.list]
	if !audited || kind == audit.Customer && at.fresh() {
		return nil
	}
	states := entity.NewStates(kind)
	differ(reflect.ValueOf(before), reflect.ValueOf(after), "", states.Add)
	outcome := "changed"
	if at.fresh() {
		outcome = "created"
	}
	e := audit.Entry{
		At: p.tx.Now(), Actor: p.options.Actor, Act: "load", ProgramID: after.inProgram(),
		Subject: audit.Subject{Kind: kind, ID: at.name},
		Outcome: strings.Join(append([]string{outcome}, more...), ", "),
	}
	e.BankID = e.Subject.Number(audit.Bank)
	if err := states.Into(&e, at.fresh()); err != nil {
		return err
	}
	return p.tx.Audit().Put(e)
}

// entry is an entry of a list of the file. It knows its program, 0 for none.
type entry interface{ inProgram() int }

func (e bankEntry) inProgram() int     { return 0 }
func (e pciKeyEntry) inProgram() int   { return 0 }
func (e programEntry) inProgram() int  { return e.ProgramID }
func (e binEntry) inProgram() int      { return e.ProgramID }
func (e keyEntry) inProgram() int      { return e.ProgramID }
func (e customerEntry) inProgram() int { return e.ProgramID }
func (e accountEntry) inProgram() int  { return e.ProgramID }
func (e accessEntry) inProgram() int   { return e.ProgramID }
func (e documentEntry) inProgram() int { return 0 }
func (e cardEntry) inProgram() int     { return e.ProgramID }
