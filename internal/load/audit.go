package load

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"reflect"
	"strings"

	"mintmark/internal/audit"
	"mintmark/internal/store"
)

// auditLoad stores the entry of the load itself: the person, the file and the counts. A load that
// has only begun has one, too, because one that breaks off must leave a trace.
func (p *pass) auditLoad(tx store.Tx, counted *Report, done bool) error {
	state := ""
	if !done {
		state = "begun: "
	}
	accepted := ""
	if len(p.options.Accept) > 0 {
		accepted = ", accepted " + strings.Join(p.options.Accept, " ")
	}
	return tx.Audit().Put(audit.Entry{
		At: tx.Now(), Actor: p.options.Actor, Act: "load",
		Subject: audit.Subject{Kind: audit.LoadedFile, ID: p.digest},
		Outcome: fmt.Sprintf("%s sha256:%s %s%s%s", path.Base(p.name), p.digest, state,
			counted.short(), accepted),
	})
}

// subjects are the lists whose entries have an audit entry of their own. Of customers only changes
// have one: a new customer is told by the file. Accounts, access, documents and cards are told by
// the counts and the file alone, because they may be hundreds of thousands.
var subjects = map[string]audit.SubjectKind{
	"banks": audit.Bank, "pciKeys": audit.PciKey, "programs": audit.Program, "bins": audit.Bin,
	"webhooks": audit.Webhook, "keys": audit.Key, "customers": audit.Customer,
}

// auditChange stores the audit entry of what was added or changed, where it has one. More are
// differences that the entries do not show.
func auditChange[E entry](p *pass, at label, before, after E, more []string) error {
	kind, audited := subjects[at.list]
	if !audited || kind == audit.Customer && at.fresh() {
		return nil
	}
	was, is := make(map[string]any), make(map[string]any)
	differ(reflect.ValueOf(before), reflect.ValueOf(after), "", func(path string, from, to any) {
		if isPrivate(kind, path) {
			from, to = "***", "***"
		}
		was[path], is[path] = from, to
	})
	outcome := "changed"
	if at.fresh() {
		was, outcome = nil, "created"
	}
	e := audit.Entry{
		At: p.tx.Now(), Actor: p.options.Actor, Act: "load", ProgramID: after.inProgram(),
		Subject: audit.Subject{Kind: kind, ID: at.name},
		Outcome: strings.Join(append([]string{outcome}, more...), ", "),
	}
	e.BankID = e.Subject.Number(audit.Bank)
	var err error
	e.Before, err = object(was)
	if err != nil {
		return err
	}
	e.After, err = object(is)
	if err != nil {
		return err
	}
	return p.tx.Audit().Put(e)
}

// isPrivate reports whether the values of a member stay out of the audit: it is kept for ever, and
// holds nothing about a person and no account number. That the member has changed is shown.
// The address of a webhook may hold a password.
func isPrivate(kind audit.SubjectKind, path string) bool {
	if kind == audit.Webhook && (path == "url" || path == "name") {
		return true
	}
	if kind != audit.Customer {
		return strings.HasSuffix(strings.ToLower(path), "accountnumber")
	}
	switch path {
	case "programId", "status", "accessType", "isActive", "isLocked":
		return false
	}
	return true
}

// object writes members as a JSON object, empty for none.
func object(members map[string]any) (string, error) {
	if len(members) == 0 {
		return "", nil
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(members); err != nil {
		return "", fmt.Errorf("write down what a load has changed: %w", err)
	}
	return strings.TrimSuffix(text.String(), "\n"), nil
}

// entry is an entry of a list of the file, which knows its program; 0 for none.
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
