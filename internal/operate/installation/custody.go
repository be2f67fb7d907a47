package installation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"mintmark/internal/base/platform"
	"mintmark/internal/base/secret"
	"mintmark/internal/store"
	"mintmark/internal/vault"
	"mintmark/internal/vault/custody"
	"mintmark/internal/vault/custody/transit"
)

// Custody configures who unwraps keys, and who wraps new ones. The zero value can unwrap none.
type Custody struct {
	Passphrases map[string]string // files by custodian name
	Transit     Transit

	// Custodians wrap new keys. If empty, the custodians with a passphrase file do, or else the key
	// service.
	Custodians []string

	Ask Ask // nil if there is no terminal
}

// Ask asks a person for the passphrase of a custodian, twice for a new one. The text belongs to the
// caller. After prompt.ErrUnanswered no other person is asked.
type Ask func(ctx context.Context, custodian string, isNew bool) ([]byte, error)

// Transit identifies a key in a key service; see package transit.
type Transit struct {
	Address, Key, TokenFile, CAFile string
}

// startPatience is the time that serve waits for an unreachable key service. After a power failure
// both may start at the same time.
const startPatience = 30 * time.Second

// wraps reports whether new keys are wrapped.
func (c Custody) wraps() bool { return len(c.Wrappers()) > 0 || c.Transit.Address != "" }

// Wrappers returns the custodians who wrap new keys; if there are none, the key service wraps them.
func (c Custody) Wrappers() []string {
	if len(c.Custodians) > 0 {
		return c.Custodians
	}
	return slices.Sorted(maps.Keys(c.Passphrases))
}

// CheckCustodians returns an error unless names are those of two custodians.
func CheckCustodians(names []string) error { return custody.CheckNames(names) }

// Listed returns the setting as shown in the log.
func (c Custody) Listed() string {
	return fmt.Sprint(c.Passphrases, c.Transit)
}

// keeper returns a keeper that unwraps keys or, if isNew, wraps new ones.
func (c Custody) keeper(
	ctx context.Context, isNew, insecure bool, patience time.Duration,
) (custody.Keeper, error) {
	answers := make(map[string]secret.Text)
	keeper := custody.Keeper{Ask: func(name string) (secret.Text, error) {
		if text, known := answers[name]; known {
			return text, nil
		}
		text, err := c.passphrase(ctx, name, isNew, insecure)
		if err == nil {
			answers[name] = text
		}
		return text, err
	}}
	if isNew {
		keeper.Custodians = c.Wrappers()
	}
	if c.Transit.Address == "" {
		return keeper, nil
	}
	var err error
	keeper.Service, err = transit.New(transit.Settings{
		Address: c.Transit.Address, Key: c.Transit.Key, TokenFile: c.Transit.TokenFile,
		CAFile: c.Transit.CAFile, Patience: patience, AllowReadable: insecure,
	})
	return keeper, err
}

// passphrase reads the file of a custodian, or asks on the terminal.
func (c Custody) passphrase(
	ctx context.Context, name string, isNew, insecure bool,
) (secret.Text, error) {
	if path := c.Passphrases[name]; path != "" {
		return readPassphrase(path, insecure)
	}
	if c.Ask == nil {
		return secret.Text{}, errors.New("it is missing: name a file with it in the settings " +
			"(custody.passphrases), or run this on a terminal")
	}
	typed, err := c.Ask(ctx, name, isNew)
	if err != nil {
		return secret.Text{}, err
	}
	defer clear(typed)
	return secret.New(string(typed)), nil
}

// Accepted returns the files with keys, passphrases and the token that are accepted although users
// other than their owner can access them; nil unless the location is insecure.
func (l Location) Accepted() []string {
	if !l.Insecure {
		return nil
	}
	exposed := vault.Exposed(l.Data)
	files := slices.Sorted(maps.Values(l.Custody.Passphrases))
	for _, path := range append(files, l.Custody.Transit.TokenFile) {
		if info, err := os.Stat(path); err == nil && platform.SecretExposed(path, info) {
			exposed = append(exposed, path)
		}
	}
	return exposed
}

// readPassphrase reads a file that must have a single line.
func readPassphrase(path string, insecure bool) (secret.Text, error) {
	file, err := os.Open(path)
	if err != nil {
		return secret.Text{}, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return secret.Text{}, err
	}
	if platform.SecretExposed(path, info) && !insecure {
		return secret.Text{}, fmt.Errorf("%s has mode %04o, so users other than its owner can "+
			"access it; run chmod 600 %[1]s", path, info.Mode().Perm())
	}
	const longest = 4096
	text, err := io.ReadAll(io.LimitReader(file, longest+1))
	if err != nil {
		return secret.Text{}, err
	}
	defer clear(text)
	line := strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")
	if len(text) > longest || strings.ContainsAny(line, "\r\n") {
		return secret.Text{}, fmt.Errorf("%s contains more than one line", path)
	}
	return secret.New(line), nil
}

// KeySettings returns what the vault needs to open the keys of an installation and to create new
// ones. Each passphrase is requested once, and each data key is unwrapped once.
func (l Location) KeySettings(ctx context.Context, patience time.Duration) (vault.Settings, error) {
	opening, err := l.Custody.keeper(ctx, false, l.Insecure, patience)
	if err != nil {
		return vault.Settings{}, err
	}
	wrapping, err := l.Custody.keeper(ctx, true, l.Insecure, patience)
	if err != nil {
		return vault.Settings{}, err
	}
	unwrapped := make(map[string]custody.Key)
	settings := vault.Settings{Dir: l.Data, AllowReadable: l.Insecure}
	settings.Unwrap = func(w custody.Wrapping) (custody.Key, error) {
		key, known := unwrapped[w.Wrapped]
		if known {
			return key, nil
		}
		key, err := opening.Open(ctx, w)
		if err == nil {
			unwrapped[w.Wrapped] = key
		}
		return key, err
	}
	if l.Custody.wraps() {
		settings.NewWrapping = func() (custody.Wrapping, error) {
			w, key, err := wrapping.New(ctx)
			if err == nil {
				unwrapped[w.Wrapped] = key
			}
			return w, err
		}
	}
	return settings, nil
}

// CustodyState describes the custody of the key files in a directory.
type CustodyState struct {
	Custody    string        `json:"custody"` // none, passphrases or transit
	Custodians []string      `json:"custodians,omitempty"`
	TransitKey string        `json:"transitKey,omitempty"`
	Files      []CustodyFile `json:"files"`
}

// CustodyFile is a key file. Its State is wrapped or clear.
type CustodyFile struct {
	Name  string `json:"name"`
	State string `json:"state"`
}

// Incomplete reports whether a wrapped directory has an unwrapped file.
func (s CustodyState) Incomplete() bool {
	return s.Custody != "none" && slices.ContainsFunc(s.Files, func(f CustodyFile) bool {
		return f.State != "wrapped"
	})
}

// CustodyOf returns the state of an installation's key files. It needs no passphrase.
func CustodyOf(l Location) (CustodyState, error) {
	w, files, err := vault.Custody(vault.Settings{Dir: l.Data, AllowReadable: l.Insecure})
	if err != nil {
		return CustodyState{}, err
	}
	if len(files) == 0 {
		return CustodyState{}, fmt.Errorf("%w: there are no keys in %s", ErrNotInitialized, l.Data)
	}
	state := CustodyState{Custody: "none"}
	for _, file := range files {
		shown := CustodyFile{file.Name, "clear"}
		if file.Wrapped {
			shown.State = "wrapped"
		}
		state.Files = append(state.Files, shown)
	}
	if w == nil {
		return state, nil
	}
	state.Custody, state.TransitKey = "passphrases", w.TransitKey
	if w.TransitKey != "" {
		state.Custody = "transit"
	}
	for _, custodian := range w.Custodians {
		state.Custodians = append(state.Custodians, custodian.Name)
	}
	return state, nil
}

// WrapKeys wraps the unwrapped key files of an installation.
func WrapKeys(ctx context.Context, l Location) error {
	return l.changeCustody(ctx, func(s vault.Settings) error {
		present, _, err := vault.Custody(s)
		if err != nil {
			return err
		}
		if present == nil && s.NewWrapping == nil {
			return errors.New("no custody of the keys is set: name two custodians, or " +
				"custody.transit in the settings")
		}
		if names := l.Custody.Custodians; present != nil && len(names) > 0 &&
			!sameNames(names, present.Names()) {
			return fmt.Errorf("the keys in %s are already wrapped by %s; mintmark custody rewrap "+
				"changes that", l.Data, present)
		}
		return vault.Wrap(s)
	})
}

// sameNames compares custodians in any order.
func sameNames(a, b []string) bool {
	sorted := func(names []string) []string { return slices.Sorted(slices.Values(names)) }
	return slices.Equal(sorted(a), sorted(b))
}

// RewrapKeys wraps the keys of an installation by another custody.
func RewrapKeys(ctx context.Context, l Location, to Custody) error {
	wrapping, err := to.keeper(ctx, true, l.Insecure, 0)
	if err != nil {
		return err
	}
	return l.changeCustody(ctx, func(s vault.Settings) error {
		return vault.Rewrap(s, func(key custody.Key) (custody.Wrapping, error) {
			return wrapping.Wrap(ctx, key)
		})
	})
}

// UnwrapKeys stores the key files of an installation unwrapped.
func UnwrapKeys(ctx context.Context, l Location) error {
	return l.changeCustody(ctx, vault.Unwrap)
}

// changeCustody changes the custody of the key files, once they have proved to belong to the
// database, and writes an audit entry that names the new custody. The entry follows the change:
// files have no transaction.
func (l Location) changeCustody(ctx context.Context, change func(vault.Settings) error) error {
	unlock, err := l.lockKeys(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return l.inProduction(ctx, func(c *Claim, kept store.Store) error {
		if err := change(c.keySettings); err != nil {
			return err
		}
		state, err := CustodyOf(l)
		if err != nil {
			return err
		}
		return c.auditCustody(ctx, kept, state)
	})
}

// auditCustody writes the audit entry of a change of custody.
func (c *Claim) auditCustody(ctx context.Context, kept store.Store, state CustodyState) error {
	said := map[string]string{
		"none": "keys in the clear",
		"passphrases": "keys wrapped by the passphrases of " +
			strings.Join(state.Custodians, " and "),
		"transit": "keys wrapped by the transit key " + state.TransitKey,
	}
	err := kept.Update(ctx, func(tx store.Tx) error {
		entry := entryAbout(c.Record(), said[state.Custody])
		entry.Act, entry.At = "custody", tx.Now()
		return tx.Audit().Put(entry)
	})
	if err != nil {
		return fmt.Errorf("the key files were changed, but this was not recorded in the audit: %w",
			err)
	}
	return nil
}

// lockKeys prevents two commands from changing key files at the same time.
func (l Location) lockKeys(ctx context.Context) (unlock func(), err error) {
	if _, err := os.Stat(l.Data); err != nil {
		return nil, fmt.Errorf("%w: the data directory: %w", ErrNotInitialized, err)
	}
	lock := flock.New(filepath.Join(l.Data, marksLock))
	got, err := lock.TryLock()
	if err == nil && !got {
		err = errors.New("another command is changing the keys")
	}
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", errors.Join(err, lock.Close()))
	}
	return func() { _ = lock.Close() }, nil
}
