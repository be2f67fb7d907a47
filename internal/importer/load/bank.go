package load

import (
	"strconv"

	"mintmark/internal/domain/program"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

func (p *pass) takeBank(at item) error {
	id := numberIn(at.node, "bankId")
	stored, isStored := p.banks[id]
	before := bankEntry{BankID: id, Name: stored.Name}
	after, fine := patch(p, at, before, !isStored)
	p.once(at, "bankId", id)
	p.known.banks[id] = true
	bank := program.Institution{ID: id, Name: after.Name}
	if p.problems.addAll(at, bank.Validate()) && fine {
		name := label{subject{"banks", strconv.Itoa(id)}, stored.Revision}
		err := settle(p, name, before, after, nil, func(tx store.Tx) error {
			return tx.Banks().Put(store.Bank{
				ID: bank.ID, Name: bank.Name, Revision: stored.Revision,
			})
		})
		if err != nil {
			return err
		}
	}
	for _, key := range at.nested("pciKeys", p.problems) {
		if err := p.takePciKey(key, id); err != nil {
			return err
		}
	}
	return nil
}

// takePciKey takes an encryption key of a bank.
func (p *pass) takePciKey(at item, bankID int) error {
	if p.pciKeys == nil {
		keys, err := p.r.Banks().ListPciKeys()
		if err != nil {
			return err
		}
		p.pciKeys = make(map[int]program.PciKey)
		for _, key := range keys {
			p.pciKeys[key.ID] = key
		}
	}
	id := numberIn(at.node, "pciKeyId")
	stored, isStored := p.pciKeys[id]
	before := pciKeyEntry{PciKeyID: id, Status: int(stored.Status)}
	after, fine := patch(p, at, before, !isStored)
	p.once(at, "pciKeyId", id)
	merged := program.PciKey{
		ID: id, BankID: bankID, Status: program.PciKeyStatus(after.Status),
		Revision: stored.Revision,
	}
	fine = p.problems.addAll(at, merged.Validate()) && fine
	if isStored && stored.BankID != bankID {
		p.reportOtherOwner(at, "pciKeyId", "encryption key", id, "bank", stored.BankID)
		return nil
	}
	noted := p.problems.Noted
	if isStored && stored.Status != merged.Status {
		if err := p.mayChangeStatus(at, stored, merged.Status); err != nil {
			return err
		}
	}
	if !fine || p.problems.Noted > noted {
		return nil
	}
	name := label{subject{"pciKeys", strconv.Itoa(id)}, stored.Revision}
	return settle(p, name, before, after, nil, func(tx store.Tx) error {
		return tx.Banks().PutPciKey(merged)
	})
}

// mayChangeStatus records why an encryption key cannot change its status. Data encrypted under the
// key would be lost, so no option allows the change, and operators cannot make it either.
func (p *pass) mayChangeStatus(at item, stored program.PciKey, to program.PciKeyStatus) error {
	if stored.Status == program.Retired {
		p.problems.add(at, "status", "encryption key %d is retired permanently", stored.ID)
		return nil
	}
	if to != program.Retired {
		return nil
	}
	all, err := p.r.BankKeys().List()
	if err != nil {
		return err
	}
	for _, key := range all {
		if key.PciKeyID != stored.ID || key.State == program.RetiredKey {
			continue
		}
		used, err := p.r.BankKeys().HasSealed(vault.Mark(key.ID))
		if err != nil {
			return err
		}
		if used {
			p.problems.add(at, "status", "card numbers or PINs are sealed under encryption "+
				"key %d: activate another one of the bank, and wait until they are re-encrypted",
				stored.ID)
			return nil
		}
	}
	return nil
}
