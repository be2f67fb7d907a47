package keys

import (
	"mintmark/internal/domain/operator"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Progress is the completed part of a job's work.
type Progress struct{ Done, Total int64 }

// ReencryptProgress returns how many card numbers and PINs of the banks in scope are encrypted
// under the key of their bank, and how many there are. It returns nil if none waits for
// re-encryption, which it determines without counting.
func ReencryptProgress(s *issuing.Service, r store.Tx, scope operator.Scope) (*Progress, error) {
	all, err := toReencrypt(s, r)
	if err != nil {
		return nil, err
	}
	waits, ofBank := false, map[int]bool{}
	for _, row := range all {
		if !scope.Includes(row.bankID) {
			continue
		}
		ofBank[row.bankID] = true
		mark := vault.Mark(row.from)
		if row.from == vault.KeysetKey {
			mark = s.Vault.OwnMark()
		}
		if waits {
			continue
		}
		waits, err = r.BankKeys().HasSealed(mark)
		if err != nil {
			return nil, err
		}
	}
	if !waits {
		return nil, nil
	}
	keys, err := bankKeys(s, r)
	if err != nil {
		return nil, err
	}
	progress := Progress{}
	for _, key := range keys {
		if !ofBank[key.BankID] {
			continue
		}
		progress.Total += key.Numbers + key.Pins
		if key.Seals {
			progress.Done += key.Numbers + key.Pins
		}
	}
	if progress.Done == progress.Total {
		return nil, nil // HasSealed found data of other banks
	}
	return &progress, nil
}
