package load

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"time"

	"mintmark/internal/apikey"
	"mintmark/internal/store"
	"mintmark/internal/value"
)

// DefaultPerSecond is how many requests a second a key may make that names no limit.
const DefaultPerSecond = 15

// The states of a key, as the file has them.
const (
	active  = "active"
	revoked = "revoked"
)

func (p *pass) findKeys([]item) error {
	keys, err := p.r.Keys().List()
	p.keys = make(map[string]apikey.Key)
	for _, key := range keys {
		p.keys[key.Name] = key
	}
	return err
}

func (p *pass) takeKey(at item) error {
	name := nameIn(at)
	stored, there := p.keys[name]
	before := entryOfKey(stored)
	before.Name = name
	after, fine := patch(p, at, before, !there)
	p.once(at, "name", name)
	_, known := p.inProgram(at, after.ProgramID)
	if !fine || !known {
		return nil
	}
	merged, err := p.mergeKey(at, stored, after)
	if err != nil || merged == nil {
		return err
	}
	p.noteKey(at, *merged)
	kept := *merged
	if !kept.Revoked.IsZero() {
		// A node of the version before does not know that a key can be revoked.
		kept.Secrets = nil
	}
	after.PerSecond, after.Burst = &merged.PerSecond, &merged.Burst
	return settle(p, label{"keys", name, !there}, before, after,
		secretChanges(stored, kept), func(tx store.Tx) error {
			if err := retire(tx, stored, *merged); err != nil {
				return err
			}
			return tx.Keys().Put(kept)
		})
}

// mergeKey returns the key as it is when the file is loaded, or nil when it cannot be.
func (p *pass) mergeKey(at item, stored apikey.Key, e keyEntry) (*apikey.Key, error) {
	noted := p.problems.noted
	if stored.Name != "" && stored.ProgramID != e.ProgramID {
		p.problems.add(at, "programId", "key %s belongs to program %d", e.Name, stored.ProgramID)
	}
	key := apikey.Key{
		Name: e.Name, ProgramID: e.ProgramID, Version: e.Version,
		Secrets: stored.Secrets, Revoked: stored.Revoked,
	}
	key.PerSecond = orDefault(e.PerSecond, DefaultPerSecond)
	key.Burst = orDefault(e.Burst, int(math.Ceil(key.PerSecond)))
	for _, text := range e.Allow {
		prefix, err := ParseAllow(text)
		if err != nil {
			return nil, err
		}
		key.Allow = append(key.Allow, prefix)
	}
	for _, habit := range e.Compatibility {
		key.Compatibility = append(key.Compatibility, apikey.Compatibility(habit))
	}
	_, state := memberOf(at.node, "state")
	given := state != nil && !isBlank(state)
	switch {
	case e.State == revoked && key.Revoked.IsZero():
		key.Revoked = p.r.Now()
	case given && e.State == active && !key.Revoked.IsZero():
		p.problems.add(at, "state", "key %s is revoked, and stays so", e.Name)
	}
	err := p.mergeSecrets(at, &key, e, given && e.State == revoked)
	if err != nil {
		return nil, err
	}
	p.problems.addAll(at, key.Validate())
	if p.problems.noted > noted {
		return nil, nil
	}
	return &key, nil
}

// mergeSecrets gives a key the secrets of the file, if it names any. A secret that was taken away
// never comes back. What a revoked key had is of no use to anybody.
func (p *pass) mergeSecrets(at item, key *apikey.Key, e keyEntry, saysRevoked bool) error {
	_, given := memberOf(at.node, "secrets")
	stored := key.Secrets
	if given != nil {
		key.Secrets = nil
	}
	for i, secret := range e.Secrets {
		path := fmt.Sprintf("secrets[%d].secret", i)
		digest := p.options.Vault.DigestSecret(secret.Secret)
		p.ownSecret(at, path, key.Name, digest)
		if saysRevoked {
			key.Secrets = append(key.Secrets, apikey.Secret{Digest: digest})
			continue
		}
		key.Secrets = append(key.Secrets, apikey.Secret{
			Digest: digest, Expires: p.expiry(at, i, secret, stored, digest),
		})
		retired, err := p.r.Keys().HasRetiredSecret(digest)
		if err != nil {
			return err
		}
		if retired {
			p.problems.add(at, path, "was taken from a key or revoked, and is refused for ever")
		}
		if weak := apikey.CheckStrength(secret.Secret); weak != "" && !p.options.Sandbox &&
			!p.options.Insecure {
			p.problems.add(at, path, "%s; insecure: true in the settings file allows it", weak)
		}
	}
	if !saysRevoked && !key.Revoked.IsZero() && given != nil {
		p.problems.add(at, "secrets", "key %s is revoked, and takes no secret", key.Name)
	}
	return nil
}

// expiry returns when a secret stops to open its key. An end that is stored stays where the file
// names none, and one that has come stays for ever: a file from before a rotation must not bring
// the old secret back.
func (p *pass) expiry(
	at item, i int, secret secretEntry, stored []apikey.Secret, digest []byte,
) time.Time {
	expires := secret.Expires.UTC()
	for _, old := range stored {
		if !bytes.Equal(old.Digest, digest) || old.Expires.IsZero() {
			continue
		}
		_, list := memberOf(at.node, "secrets")
		_, given := memberOf(resolve(list).Content[i], "expires")
		ended := !old.Expires.After(p.r.Now())
		switch {
		case ended && !expires.Equal(old.Expires):
			p.problems.add(at, fmt.Sprintf("secrets[%d].secret", i),
				"expired at %s, and stays expired", shown(value.Time{Time: old.Expires}))
		case given == nil:
			expires = old.Expires
		}
	}
	return expires
}

// ownSecret notes a secret that another key has: it would open both.
func (p *pass) ownSecret(at item, path, name string, digest []byte) {
	for _, other := range p.keys {
		if other.Name != name && other.Holds(digest) {
			p.problems.add(at, path, "is a secret of key %s, too", other.Name)
		}
	}
	first := identity{"secret", string(digest)}
	owner, seen := p.known.first[first]
	if seen && owner != name {
		p.problems.add(at, path, "is a secret of key %s, too", owner)
	}
	p.known.first[first] = name
}

// retire keeps the digests that a key loses. A revoked key loses all of them.
func retire(tx store.Tx, stored apikey.Key, merged apikey.Key) error {
	lost := stored.Secrets
	if !merged.Revoked.IsZero() {
		lost = append(lost[:len(lost):len(lost)], merged.Secrets...)
	}
	for _, secret := range lost {
		if merged.Revoked.IsZero() && merged.Holds(secret.Digest) {
			continue
		}
		err := tx.Keys().PutRetiredSecret(store.RetiredSecret{
			Digest: secret.Digest, KeyName: merged.Name, At: tx.Now(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// secretChanges tells what becomes of secrets without telling them.
func secretChanges(stored, merged apikey.Key) []string {
	var changes []string
	for _, secret := range stored.Secrets {
		if !merged.Holds(secret.Digest) {
			changes = append(changes, "secret removed")
		}
	}
	for _, secret := range merged.Secrets {
		if !stored.Holds(secret.Digest) {
			changes = append(changes, "secret added")
			continue
		}
		for _, old := range stored.Secrets {
			if bytes.Equal(old.Digest, secret.Digest) && !old.Expires.Equal(secret.Expires) {
				changes = append(changes, fmt.Sprintf("secret expires: %s → %s",
					shown(value.Time{Time: old.Expires}), shown(value.Time{Time: secret.Expires})))
			}
		}
	}
	return changes
}

func entryOfKey(k apikey.Key) keyEntry {
	e := keyEntry{Name: k.Name, ProgramID: k.ProgramID, Version: k.Version, State: active}
	if k.Name == "" {
		return e
	}
	if !k.Revoked.IsZero() {
		e.State = revoked
	}
	e.PerSecond, e.Burst = &k.PerSecond, &k.Burst
	for _, prefix := range k.Allow {
		e.Allow = append(e.Allow, allowText(prefix))
	}
	for _, habit := range k.Compatibility {
		e.Compatibility = append(e.Compatibility, string(habit))
	}
	return e
}

// allowText is an entry of an allow list as an operator writes it.
func allowText(prefix netip.Prefix) string {
	if prefix.IsSingleIP() {
		return prefix.Addr().String()
	}
	return prefix.String()
}

// nameIn returns the name that an entry is known by.
func nameIn(at item) string {
	_, found := memberOf(at.node, "name")
	if found == nil {
		return ""
	}
	return resolve(found).Value
}
