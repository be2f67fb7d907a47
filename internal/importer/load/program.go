package load

import (
	"fmt"
	"slices"
	"strconv"

	"mintmark/internal/base/problem"
	"mintmark/internal/domain/program"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
)

func (p *pass) takeProgram(at item) error {
	id := numberIn(at.node, "programId")
	stored, err := p.r.Programs().Find(id)
	fresh, err := store.IsMissing(err)
	if err != nil {
		return err
	}
	before := programEntry{ProgramID: id, BankID: stored.BankID, Settings: stored.Settings}
	before.VerificationWindowDays = &stored.VerificationWindowDays
	before.Renewal = stored.Renewal.OrDefault()
	before.Balances = stored.Balances.OrDefault()
	before.Currency = stored.Currency
	if fresh {
		before.VerificationWindowDays, before.Renewal, before.Balances = nil, "", ""
	}
	after, fine := patch(p, at, before, fresh)
	after.fill()
	p.once(at, "programId", id)
	merged := program.Program{
		Issuing: program.Issuing{
			ID: id, BankID: after.BankID,
			VerificationWindowDays: *after.VerificationWindowDays,
			Renewal:                after.Renewal, Balances: after.Balances,
		},
		Settings: after.Settings, FourEyes: stored.FourEyes, Currency: after.Currency,
		Revision: stored.Revision,
	}
	p.noteProgram(at, merged)
	if fine {
		fine, err = p.checkProgram(at, stored, merged, fresh)
	} else {
		p.problems.addAll(at, problem.Check(merged))
	}
	if fine && err == nil {
		name := label{subject{"programs", strconv.Itoa(id)}, stored.Revision}
		err = settle(p, name, before, after, nil, func(tx store.Tx) error {
			return tx.Programs().Put(merged)
		})
	}
	for _, bin := range at.nested("bins", p.problems) {
		if err == nil {
			err = p.takeBin(bin, id)
		}
	}
	for _, hook := range at.nested("webhooks", p.problems) {
		if err == nil {
			err = p.takeWebhook(hook, id)
		}
	}
	return err
}

// noteProgram makes the program, as it will be, available to later entries.
func (p *pass) noteProgram(at item, merged program.Program) {
	p.known.programs[merged.ID] = &merged
	same := func(listed fileProgram) bool { return listed.at.path == at.path }
	if !slices.ContainsFunc(p.known.filePrograms, same) {
		p.known.filePrograms = append(p.known.filePrograms, fileProgram{at, merged.ID})
	}
}

// checkProgram reports whether a program may be stored, and records the reasons against it.
func (p *pass) checkProgram(
	at item, stored, merged program.Program, fresh bool,
) (fine bool, err error) {
	noted := p.problems.Noted
	if !p.known.banks[merged.BankID] {
		p.reportDangling(at, "bankId", "bank", merged.BankID)
	}
	p.problems.addAll(at, merged.Validate(p.options.Sandbox))
	if !fresh {
		if stored.BankID != merged.BankID {
			p.reportOtherOwner(at, "bankId", "program", merged.ID, "bank", stored.BankID)
		}
		p.checkProducts(at, stored.Settings.Products, merged.Settings.Products)
		err = p.checkDigits(at, stored, merged)
	}
	return p.problems.Noted == noted, err
}

// checkProducts refuses to remove stored products.
func (p *pass) checkProducts(at item, before, after []program.Product) {
	for _, product := range before {
		same := func(other program.Product) bool { return other.ProductID == product.ProductID }
		if !slices.ContainsFunc(after, same) {
			p.refuse(at, "products", entity.ProductRemoved,
				fmt.Sprintf("product %d (%s) is stored and not listed", product.ProductID,
					product.Name))
		}
	}
}

// checkDigits refuses to lower the number of digits below those of balances and holds in the store.
func (p *pass) checkDigits(at item, stored, merged program.Program) error {
	digits := merged.Settings.DecimalCount
	if digits >= stored.Settings.DecimalCount {
		return nil
	}
	finer, err := p.r.Accounts().HasFinerBalances(stored.ID, digits)
	if err == nil && finer {
		p.refuse(at, "decimalCount", entity.Decimals,
			fmt.Sprintf("accounts have balances or holds with more than %d decimal digits", digits))
	}
	return err
}

// takeLooseBin takes a BIN that is listed outside a program.
func (p *pass) takeLooseBin(at item) error { return p.takeBin(at, 0) }

// takeBin takes a BIN. Around is the program that it is listed in, 0 for none.
func (p *pass) takeBin(at item, around int) error {
	if err := p.readBins(); err != nil {
		return err
	}
	id := numberIn(at.node, "binId")
	stored, isStored := p.bins[id]
	before := entryOfBin(stored)
	before.BinID = id
	after, fine := patch(p, at, before, !isStored)
	p.once(at, "binId", id)
	if around != 0 {
		if given := numberIn(at.node, "programId"); given != 0 && given != around {
			p.problems.add(at, "programId", "is not that of the enclosing program")
			fine = false
		}
		after.ProgramID = around
	}
	if after.ProgramID == 0 {
		p.problems.add(at, "programId", "a value is required")
	}
	merged := after.bin()
	merged.Revision = stored.Revision
	fine = p.problems.addAll(at, merged.Validate()) && fine
	if _, known := p.inProgram(at, after.ProgramID); !known || !fine {
		return nil
	}
	if isStored && stored.ProgramID != after.ProgramID {
		p.reportOtherOwner(at, "programId", "bin", id, "program", stored.ProgramID)
		return nil
	}
	if isStored && (stored.FirstBody != merged.FirstBody || stored.LastBody != merged.LastBody ||
		stored.Vendor != merged.Vendor) {
		noted := p.problems.Noted
		p.refuse(at, "firstBody", entity.BinDigits, fmt.Sprintf("bin %d is %s %s to %s", id,
			stored.Vendor, stored.FirstBody, stored.LastBody))
		if p.problems.Noted > noted {
			return nil
		}
	}
	p.noteBin(at, merged)
	p.crossBin(at, merged)
	after.ValidMonths = &merged.ValidMonths
	name := label{subject{"bins", strconv.Itoa(id)}, stored.Revision}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		return tx.Programs().PutBin(merged)
	})
}

// readBins reads the BINs of all programs, once per transaction.
func (p *pass) readBins() error {
	if p.bins != nil {
		return nil
	}
	programs, err := p.r.Programs().List()
	if err != nil {
		return err
	}
	p.bins = make(map[int]program.Bin)
	for _, id := range programs {
		prog, err := p.r.Programs().Find(id)
		if err != nil {
			return err
		}
		for _, bin := range prog.Bins {
			p.bins[bin.ID] = bin
		}
	}
	return nil
}

func (p *pass) noteBin(at item, merged program.Bin) {
	p.known.bins[merged.ID] = merged
	same := func(listed fileBin) bool { return listed.at.path == at.path }
	if !slices.ContainsFunc(p.known.fileBins, same) {
		p.known.fileBins = append(p.known.fileBins, fileBin{at, merged.ID})
	}
}

// crossBin records a problem if a range overlaps that of a BIN that was stored after the file was
// checked.
func (p *pass) crossBin(at item, merged program.Bin) {
	if !p.checked {
		return // finish compares the ranges of the whole file
	}
	for _, other := range p.bins {
		inFile := func(listed fileBin) bool { return listed.id == other.ID }
		if other.ID != merged.ID && other.Overlaps(merged) &&
			!slices.ContainsFunc(p.known.fileBins, inFile) {
			p.problems.add(at, "firstBody", sharesNumbers, other.ID, other.ProgramID)
		}
	}
}

// sharesNumbers is the problem of an overlapping range; it names the other BIN and its program.
const sharesNumbers = "the range shares numbers with that of bin %d of program %d"
