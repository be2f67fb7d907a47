package load

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/pan"
	"mintmark/internal/program"
	"mintmark/internal/store"
	"mintmark/internal/value"
)

// DefaultPerSecond is how many requests a second a key may make that names no limit.
const DefaultPerSecond = 15

// Vault is what loading needs of package vault.
type Vault interface {
	DigestNumber(number pan.Number) []byte
	SealNumber(number pan.Number, cardID int) ([]byte, error)
	DigestSecret(secret string) []byte
}

// Write writes everything into a transaction, and checks what refers to something: in the file,
// or stored already. The error is a *Problems when references lead nowhere; whatever the error,
// the caller must not keep the transaction. What the store refuses names the entry and wraps the
// store's error. Data is not changed, so that it may be written again.
//
// What is stored already under the same number or name is replaced. Cards are not: the life of a
// stored card has gone on, so one with the same number stays as it is. New cards get a number
// drawn from their BIN; see number.Draw for random and ending.
func (d *Data) Write(tx store.Tx, v Vault, random io.Reader, ending string) error {
	w := &writer{
		Data: d, tx: tx, vault: v, random: random, ending: ending,
		problems: d.problems(), programs: make(map[int]*program.Program),
	}
	e := &d.entries
	steps := []func() error{
		w.putBanks, w.putPrograms,
		func() error { return inPrograms(w, e.allBins(), w.putBin) },
		// What follows wants to see the BINs that were just put.
		func() error { clear(w.programs); return nil },
		func() error { return inPrograms(w, list("keys", e.Keys), w.putKey) },
		func() error { return inPrograms(w, list("customers", e.Customers), w.putCustomer) },
		func() error { return inPrograms(w, list("accounts", e.Accounts), w.putAccount) },
		func() error { return inPrograms(w, list("access", e.Access), w.putAccess) },
		w.putDocuments,
		func() error { return inPrograms(w, list("cards", e.Cards), w.putCard) },
	}
	for _, step := range steps {
		err := step()
		if err != nil {
			return err
		}
	}
	return w.problems.err()
}

// writer is one run of Write.
type writer struct {
	*Data
	tx       store.Tx
	vault    Vault
	random   io.Reader
	ending   string
	problems *Problems

	programs map[int]*program.Program // those looked up so far; nil for one that is unknown
}

func (w *writer) putBanks() error {
	for _, at := range list("banks", w.entries.Banks) {
		err := w.tx.PutBank(store.Bank{ID: at.entry.BankID, Name: at.entry.Name})
		if err != nil {
			return w.failed(at.path, err)
		}
		for _, key := range list(at.path+".pciKeys", at.entry.PciKeys) {
			err := w.tx.PutPciKey(program.PciKey{
				ID: key.entry.PciKeyID, BankID: at.entry.BankID,
				Status: program.PciKeyStatus(key.entry.Status),
			})
			if err != nil {
				return w.failed(key.path, err)
			}
		}
	}
	return nil
}

func (w *writer) putPrograms() error {
	banks, err := w.knownBanks()
	if err != nil {
		return err
	}
	for _, at := range list("programs", w.entries.Programs) {
		e := at.entry
		if !slices.Contains(banks, e.BankID) {
			w.dangles(at.path+".bankId", "bank", e.BankID)
			continue
		}
		err := w.tx.PutProgram(program.Program{
			ID: e.ProgramID, BankID: e.BankID, Settings: e.Settings,
			VerificationWindowDays: orDefault(e.VerificationWindowDays,
				program.DefaultVerificationWindowDays),
		})
		if err != nil {
			return w.failed(at.path, err)
		}
	}
	return nil
}

// knownBanks returns the banks of the file and the stored ones.
func (w *writer) knownBanks() ([]int, error) {
	banks, err := w.tx.ListBanks()
	if err != nil {
		return nil, err
	}
	for _, bank := range w.entries.Banks {
		banks = append(banks, bank.BankID)
	}
	return banks, nil
}

// inPrograms calls a function for every entry whose program is known, and says of which entry an
// error is.
func inPrograms[T any, E interface {
	*T
	program() int
}](w *writer, all []located[T], put func(located[T], *program.Program) error) error {
	for _, at := range all {
		p, err := w.program(at.path, E(at.entry).program())
		if err == nil && p != nil {
			err = put(at, p)
		}
		if err != nil {
			return w.failed(at.path, err)
		}
	}
	return nil
}

func (w *writer) putBin(at located[binEntry], p *program.Program) error {
	e := at.entry
	return w.tx.PutBin(program.Bin{
		ID: e.BinID, ProgramID: p.ID, Vendor: e.VendorTypeCode,
		Description: e.Description, IsActive: e.IsActive,
		FirstBody: e.FirstNumber, LastBody: e.LastNumber,
		ValidMonths: orDefault(e.ValidMonths, program.DefaultValidMonths),
	})
}

func (w *writer) putKey(at located[keyEntry], p *program.Program) error {
	e := at.entry
	key := apikey.Key{Name: e.Name, ProgramID: p.ID, Version: e.Version}
	key.PerSecond = orDefault(e.PerSecond, DefaultPerSecond)
	key.Burst = orDefault(e.Burst, int(math.Ceil(key.PerSecond)))
	for _, secret := range e.Secrets {
		key.Secrets = append(key.Secrets, apikey.Secret{
			Digest: w.vault.DigestSecret(secret.Secret), Expires: utc(secret.Expires),
		})
	}
	for _, text := range e.Allow {
		prefix, err := ParseAllow(text)
		if err != nil {
			return err
		}
		key.Allow = append(key.Allow, prefix)
	}
	for _, habit := range e.Compatibility {
		key.Compatibility = append(key.Compatibility, apikey.Compatibility(habit))
	}
	return w.tx.PutKey(key)
}

func (w *writer) putDocuments() error {
	banks, err := w.knownBanks()
	if err != nil {
		return err
	}
	for i, document := range w.documents {
		at := fmt.Sprintf("documents[%d]", i)
		if !slices.Contains(banks, document.BankID) {
			w.dangles(at+".bankId", "bank", document.BankID)
			continue
		}
		err := w.tx.PutDocument(document)
		if err != nil {
			return w.failed(at, err)
		}
	}
	return nil
}

// program returns the program that an entry names. Where there is none it notes a problem and
// returns nil.
func (w *writer) program(path string, programID int) (*program.Program, error) {
	known, seen := w.programs[programID]
	if !seen {
		found, err := w.tx.FindProgram(programID)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
		if err == nil {
			known = &found
		}
		w.programs[programID] = known
	}
	if known == nil {
		w.dangles(path+".programId", "program", programID)
	}
	return known, nil
}

// found notes a problem when something that an entry names was not found, and passes other errors
// on.
func (w *writer) found(path, kind string, id int, err error) (bool, error) {
	if errors.Is(err, store.ErrNotFound) {
		w.dangles(path, kind, id)
		return false, nil
	}
	return err == nil, err
}

// dangles notes a reference that leads nowhere.
func (w *writer) dangles(path, kind string, id int) {
	w.problems.add(path, "there is no %s %d", kind, id)
}

// failed says which entry the store refused.
func (w *writer) failed(path string, err error) error {
	return fmt.Errorf("%s:%d: %s: %w", w.name, lineOf(w.root, path), path, err)
}

// orDefault returns the value given, or another where none is.
func orDefault[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// utc returns a date-time as it is kept. The zero time stays zero.
func utc(t value.Time) time.Time { return t.UTC() }
