package load

import (
	"fmt"

	"mintmark/internal/domain/customer"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

// known holds what entries of a file may refer to: the stored banks, programs and BINs, and the
// entries of the file itself. An entry may be recorded more than once.
type known struct {
	banks    map[int]bool
	programs map[int]*program.Program // as they will be, without their BINs
	bins     map[int]program.Bin      // as they will be

	// The entries of the file.
	customers    map[int]listedCustomer
	accounts     map[int]listedAccount
	access       map[entity.Pair]listedAccess
	first        map[identity]string // path of the first entry with an identity
	filePrograms []fileProgram
	fileBins     []fileBin

	// revisions holds the revisions of the stored forms that differed when the file was checked.
	// Entries that were new, or equal to the file, are absent and count as 0.
	revisions map[subject]int
}

// identity is an id or name that must be unique among the entries of a kind.
type identity struct {
	field string
	value any
}

// Entries of potentially long lists are recorded by their index in the list.
type (
	listedCustomer struct{ programID, index int }
	listedAccount  struct {
		programID, index int
		kind             customer.AccountType
	}
	listedAccess struct {
		index int
		kind  customer.AccountAccess
	}
)

type fileProgram struct {
	at item
	id int
}

type fileBin struct {
	at item
	id int
}

func newKnown() *known {
	return &known{
		banks: make(map[int]bool), programs: make(map[int]*program.Program),
		bins: make(map[int]program.Bin), customers: make(map[int]listedCustomer),
		accounts: make(map[int]listedAccount), access: make(map[entity.Pair]listedAccess),
		first: make(map[identity]string), revisions: make(map[subject]int),
	}
}

// read reads the stored banks, programs and BINs.
func (k *known) read(r store.Tx) error {
	banks, err := r.Banks().List()
	if err != nil {
		return err
	}
	for _, bank := range banks {
		k.banks[bank.ID] = true
	}
	programs, err := r.Programs().List()
	if err != nil {
		return err
	}
	for _, id := range programs {
		p, err := r.Programs().Find(id)
		if err != nil {
			return err
		}
		k.programs[id] = &p
		for _, bin := range p.Bins {
			k.bins[bin.ID] = bin
		}
	}
	return nil
}

// once records a problem if an earlier entry has the same identity.
func (p *pass) once(at item, field string, value any) {
	if value == 0 || value == "" {
		return
	}
	earlier, taken := p.known.first[identity{field, value}]
	if !taken {
		p.known.first[identity{field, value}] = at.path
		return
	}
	if earlier != at.path {
		p.problems.add(at, field, "is the same as in %s", earlier)
	}
}

// isRepeated reports whether an earlier entry of a long list has the same value, and records the
// problem.
func (p *pass) isRepeated(at item, field, list string, earlier int, isListed bool) bool {
	if !isListed || earlier == at.index {
		return false
	}
	p.problems.add(at, field, "is the same as in %s", fmt.Sprintf("%s[%d]", list, earlier))
	return true
}

// finish makes the checks across entries of the whole file: the time zones of a bank's programs,
// and the ranges of BINs.
func (p *pass) finish() {
	k := p.known
	p.noteBins()
	zones := make(map[int]string)
	inFile := make(map[int]bool)
	for _, listed := range k.filePrograms {
		inFile[listed.id] = true
	}
	for id, stored := range k.programs {
		if !inFile[id] {
			zones[stored.BankID] = stored.Settings.TimeZone
		}
	}
	for _, listed := range k.filePrograms {
		merged := k.programs[listed.id]
		zone := merged.Settings.TimeZone
		if known := zones[merged.BankID]; known != "" && zone != "" && known != zone {
			p.problems.add(listed.at, "timeZone", "must be %s, as in the bank's other programs",
				known)
		}
		zones[merged.BankID] = zone
	}
	for _, listed := range k.fileBins {
		merged := k.bins[listed.id]
		for _, other := range k.bins {
			if other.ID != merged.ID && other.Overlaps(merged) {
				p.problems.add(listed.at, "firstBody", sharesNumbers,
					other.ID, other.ProgramID)
				break
			}
		}
	}
}
