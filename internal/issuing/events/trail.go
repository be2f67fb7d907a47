package events

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// trailChunk is the number of rows that a list of the audit reads at a time while it applies a
// filter, and trailRows limits the rows that it examines for a page.
const trailChunk, trailRows = 500, 10_000

// AuditQuery selects entries of the audit. A zero field does not restrict.
type AuditQuery struct {
	Subject   audit.Subject
	Kind      audit.Kind // of the actor
	Actor     string     // its name
	ProgramID int
	From, To  time.Time // To is not included

	Act          string // a part of it, or several parts separated by commas
	Outcome      string // or its beginning
	Reason       string // a part of it, or the reason why a transfer was declined
	WithoutReads bool
}

// AuditEntries returns entries in the operator's scope, newest first. It examines a bounded number
// of rows: a page may be short or empty and still have a last key to continue from.
func (s *Service) AuditEntries(
	ctx context.Context, who issuing.Operator, q AuditQuery, page issuing.Page,
) (entries []issuing.AuditEntry, last string, err error) {
	reader, err := s.auditReader(ctx, who.Scope)
	if err != nil {
		return nil, "", err
	}
	err = s.Store.View(ctx, func(r store.Tx) error {
		t := &trailRead{r: r, query: q, limit: page.Limit, reader: reader}
		if err := t.identify(); err != nil {
			return err
		}
		plan, possible, err := t.plan(page.After)
		if err == nil && possible {
			err = t.read(plan)
		}
		if err != nil {
			return err
		}
		entries, last = t.entries, t.last
		if err := errors.Join(t.number(), issuing.LabelKeys(r, entries)); err != nil {
			return err
		}
		return s.OpenPeople(r, contents(entries))
	})
	return entries, last, err
}

// contents returns pointers to the entries, for decryption.
func contents(entries []issuing.AuditEntry) []*audit.Entry {
	all := make([]*audit.Entry, len(entries))
	for i := range entries {
		all[i] = &entries[i].Entry
	}
	return all
}

// trailRead is one read of a list of the audit.
type trailRead struct {
	r      store.Tx
	query  AuditQuery
	limit  int
	reader auditReader
	keys   []apikey.Key // that the actor of the query may be

	entries []issuing.AuditEntry
	last    string
}

// identify resolves the actor of the query: an operator, a token or keys, by name in any letter
// case, and keys by label, too. Any other name is in lower case, or as typed.
func (t *trailRead) identify() error {
	q := &t.query
	if q.Actor == "" {
		return nil
	}
	keys, keysErr := t.r.Keys().List()
	people, peopleErr := t.r.Operators().List()
	tokens, tokensErr := t.r.Tokens().List()
	for _, key := range keys {
		if strings.EqualFold(key.Name, q.Actor) || strings.EqualFold(key.Label, q.Actor) {
			t.keys = append(t.keys, key)
		}
	}
	var names []string
	for _, person := range people {
		names = append(names, person.Name)
	}
	for _, token := range tokens {
		names = append(names, token.Name)
	}
	at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, q.Actor) })
	if at >= 0 {
		q.Actor = names[at]
		return errors.Join(keysErr, peopleErr, tokensErr)
	}
	entries, err := t.r.Trail().List(store.TrailQuery{Actor: q.Actor, Limit: 1})
	if len(entries) == 0 { // names of jobs, for example, are in lower case
		q.Actor = strings.ToLower(q.Actor)
	}
	return errors.Join(keysErr, peopleErr, tokensErr, err)
}

// isBy reports whether the actor of an entry is the actor of the query.
func (t *trailRead) isBy(e audit.Entry) bool {
	isKey := func(key apikey.Key) bool { return e.Kind == audit.APIKey && e.Name == key.Name }
	return t.query.Actor == "" || e.Name == t.query.Actor || slices.ContainsFunc(t.keys, isKey)
}

// plan returns the query that reads the list: its bounds, and the index. possible is false if no
// entry can match.
func (t *trailRead) plan(after string) (plan store.TrailQuery, possible bool, err error) {
	plan, possible, err = t.bounds(after)
	if err != nil || !possible {
		return plan, false, err
	}
	q, scope, programs := t.query, t.reader.scope, slices.Sorted(maps.Keys(t.reader.banks))
	if q.ProgramID != 0 {
		possible = slices.Contains(programs, q.ProgramID)
		programs = []int{q.ProgramID}
	}
	switch {
	case q.Subject != audit.Subject{}:
		plan.Subject, plan.Programs = q.Subject, append(programs, 0)
	case q.Actor != "" && q.Kind != audit.APIKey && q.Kind != "":
		plan.Actor = q.Actor
	case q.ProgramID != 0:
		plan.Programs = programs
	case !scope.All:
		plan.Programs, plan.Banks = programs, scope.Banks
		possible = len(programs)+len(scope.Banks) > 0
	case q.Actor != "":
		plan.Actor, plan.Programs, err = t.findIndex()
	}
	return plan, possible, err
}

// bounds converts the cursor and the times into rows. The rows may be out of the order of their
// times by some minutes, so each entry is checked as well.
func (t *trailRead) bounds(after string) (plan store.TrailQuery, possible bool, err error) {
	if after != "" {
		plan.Below, err = strconv.Atoi(after)
		if err != nil {
			return plan, false, nil // no list ends with such a cursor
		}
	}
	if !t.query.From.IsZero() {
		plan.From, err = t.r.Trail().FindRow(t.query.From.Add(-issuing.SealSlack))
		if err != nil {
			return plan, false, err
		}
	}
	if !t.query.To.IsZero() {
		row, err := t.r.Trail().FindRow(t.query.To.Add(issuing.SealSlack))
		if err != nil {
			return plan, false, err
		}
		if plan.Below == 0 || row < plan.Below {
			plan.Below = row
		}
	}
	return plan, true, nil
}

// findIndex chooses the index for a name that may be that of an API key: the index of the actor, or
// that of the program, by which the entries of a key are read. It returns neither if no index has
// all entries.
func (t *trailRead) findIndex() (actor string, programs []int, err error) {
	for _, key := range t.keys {
		if !slices.Contains(programs, key.ProgramID) {
			programs = append(programs, key.ProgramID)
		}
	}
	if t.query.Kind == audit.APIKey {
		return "", programs, nil
	}
	if programs == nil {
		return t.query.Actor, nil, nil
	}
	// A key and, for example, an operator have the same name: no index has the entries of both.
	entries, err := t.r.Trail().List(store.TrailQuery{Actor: t.query.Actor, Limit: 1})
	if err != nil || len(entries) > 0 {
		return "", nil, err
	}
	return "", programs, nil
}

// read fills the page according to a plan.
func (t *trailRead) read(plan store.TrailQuery) error {
	plan.Limit = t.limit + 1
	for looked := 0; looked < trailRows; looked += plan.Limit {
		entries, err := t.r.Trail().List(plan)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if !t.matches(e.Entry) {
				continue
			}
			if len(t.entries) == t.limit {
				t.last = strconv.Itoa(t.entries[t.limit-1].Row)
				return nil
			}
			e.BankID = t.reader.bankOf(e.Entry)
			t.entries = append(t.entries, issuing.AuditEntry{LogEntry: e})
		}
		if len(entries) < plan.Limit {
			t.last = ""
			return nil
		}
		plan.Below = entries[len(entries)-1].Row
		t.last = strconv.Itoa(plan.Below)
		plan.Limit = trailChunk
	}
	return nil
}

func (t *trailRead) matches(e audit.Entry) bool {
	q := t.query
	return t.reader.mayRead(e) &&
		(q.Subject == audit.Subject{} || e.Subject == q.Subject) &&
		(q.Kind == "" || e.Kind == q.Kind) && t.isBy(e) &&
		(q.ProgramID == 0 || e.ProgramID == q.ProgramID) &&
		(q.From.IsZero() || !e.At.Before(q.From)) && (q.To.IsZero() || e.At.Before(q.To)) &&
		q.fitsAct(e) && strings.HasPrefix(e.Outcome, q.Outcome) &&
		(!q.WithoutReads || e.Outcome != issuing.OutcomeRead) && q.fitsReason(e)
}

// fitsAct reports whether an act contains one of several parts, which are separated by commas.
func (q AuditQuery) fitsAct(e audit.Entry) bool {
	if q.Act == "" {
		return true
	}
	return slices.ContainsFunc(strings.Split(q.Act, ","), func(part string) bool {
		part = strings.TrimSpace(part)
		return part != "" && containsFold(e.Act, part)
	})
}

// fitsReason reports whether the query's reason is a part of the reason that was given, or the
// reason of a decision.
func (q AuditQuery) fitsReason(e audit.Entry) bool {
	return containsFold(e.Reason, q.Reason) ||
		strings.Contains(e.After, `"reason":"`+q.Reason+`"`)
}

// containsFold reports whether a text contains a part, ignoring case.
func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// number sets the sequences of the entries.
func (t *trailRead) number() error {
	var rows []int
	for _, e := range t.entries {
		rows = append(rows, e.Row)
	}
	sequences, err := t.r.Trail().ListSequences(rows)
	for i := range t.entries {
		t.entries[i].Sequence = sequences[t.entries[i].Row]
	}
	return err
}

// AuditEntry returns a sealed entry. It returns store.ErrNotFound for one that is out of scope or
// archived.
func (s *Service) AuditEntry(
	ctx context.Context, who issuing.Operator, sequence int,
) (issuing.AuditEntry, error) {
	reader, err := s.auditReader(ctx, who.Scope)
	if err != nil {
		return issuing.AuditEntry{}, err
	}
	entry, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (issuing.AuditEntry, error) {
		entries, err := r.AuditLog().List(sequence-1, 1)
		if err != nil {
			return issuing.AuditEntry{}, err
		}
		if sequence < 1 || len(entries) == 0 || entries[0].Sequence != sequence ||
			!reader.mayRead(entries[0].Entry) {
			return issuing.AuditEntry{}, fmt.Errorf("entry %d: %w", sequence, store.ErrNotFound)
		}
		entry := issuing.AuditEntry{LogEntry: entries[0]}
		entry.BankID = reader.bankOf(entry.Entry)
		labelled := []issuing.AuditEntry{entry}
		err = errors.Join(issuing.LabelKeys(r, labelled), s.OpenPeople(r, contents(labelled)))
		return labelled[0], err
	})
	return entry, err
}

// auditReader determines which entries an operator may see: those of programs and of banks in
// scope. An entry of no bank is for operators of all banks.
type auditReader struct {
	scope operator.Scope
	banks map[int]int // in scope, by program
}

func (s *Service) auditReader(
	ctx context.Context, scope operator.Scope,
) (auditReader, error) {
	reader := auditReader{scope, map[int]int{}}
	programs, err := store.ViewOf(ctx, s.Store, func(r store.Tx) ([]int, error) {
		return r.Programs().List()
	})
	if err != nil {
		return reader, err
	}
	for _, id := range programs {
		program, err := s.ProgramCache.Find(ctx, s.Store, id)
		if err != nil {
			return reader, err
		}
		if scope.Includes(program.BankID) {
			reader.banks[id] = program.BankID
		}
	}
	return reader, nil
}

// bankOf returns the bank of an entry, 0 for none. An entry of a program does not name it, because
// a program belongs to one bank permanently.
func (a auditReader) bankOf(e audit.Entry) int {
	if e.ProgramID != 0 {
		return a.banks[e.ProgramID]
	}
	return e.BankID
}

// mayRead reports whether an entry is in scope.
func (a auditReader) mayRead(e audit.Entry) bool {
	if a.scope.All {
		return true
	}
	bank := a.bankOf(e)
	return bank != 0 && a.scope.Includes(bank)
}
