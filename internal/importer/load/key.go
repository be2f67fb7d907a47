package load

import (
	"bytes"
	"fmt"
	"math"
	"time"

	"mintmark/internal/base/problem"
	"mintmark/internal/base/value"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/importer/entity"
	"mintmark/internal/store"
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
	stored, isStored := p.keys[name]
	before := entryOfKey(stored)
	before.Name = name
	after, fine := patch(p, at, before, !isStored)
	p.once(at, "name", name)
	_, known := p.inProgram(at, after.ProgramID)
	merged := p.readKey(at, stored, after)
	fine = p.problems.addAll(at, problem.Check(merged)) && fine
	if !fine || !known {
		return nil
	}
	noted := p.problems.Noted
	if !isStored {
		p.checkNameFree(at, merged)
	}
	err := p.mergeKey(at, &merged, stored, after)
	if err != nil || p.problems.Noted > noted {
		return err
	}
	p.noteKey(at, merged)
	kept := merged
	if !kept.Revoked.IsZero() {
		// A node of the previous version does not know revoked keys: without secrets, the key is
		// useless there, too.
		kept.Secrets = nil
	}
	after.PerSecond, after.Burst = &merged.PerSecond, &merged.Burst
	return settle(p, label{subject{"keys", name}, stored.Revision}, before, after,
		secretChanges(stored, kept), func(tx store.Tx) error {
			if err := retire(tx, stored, merged); err != nil {
				return err
			}
			return tx.Keys().Put(kept)
		})
}

// checkNameFree records a problem if operators already use the name of a new key for another key of
// the program. A file may still change a key that was loaded before the operators issued theirs, or
// by an older version.
func (p *pass) checkNameFree(at item, key apikey.Key) {
	for _, other := range p.keys {
		if other.ProgramID == key.ProgramID && other.Title() == key.Name {
			p.problems.add(at, "name", "there is a key %s of program %d already, which was issued: "+
				"choose another name", key.Name, key.ProgramID)
		}
	}
}

// readKey returns the key as the file has it. Its secrets are only counted; their digests are
// computed later.
func (p *pass) readKey(at item, stored apikey.Key, e keyEntry) apikey.Key {
	key := apikey.Key{
		Name: e.Name, Label: stored.Label, ProgramID: e.ProgramID, Version: e.Version,
		Secrets: stored.Secrets, Revoked: stored.Revoked, Revision: stored.Revision,
	}
	key.PerSecond = orDefault(e.PerSecond, apikey.DefaultPerSecond)
	key.Burst = orDefault(e.Burst, int(math.Ceil(key.PerSecond)))
	for _, text := range e.Allow {
		prefix, err := apikey.ParseAllow(text)
		if err != nil {
			p.problems.add(at, "allow", "%s", err)
		}
		key.Allow = append(key.Allow, prefix)
	}
	for _, habit := range e.Compatibility {
		key.Compatibility = append(key.Compatibility, apikey.Compatibility(habit))
	}
	p.problems.addAll(at, problem.Check(e.State))
	if _, given := memberOf(at.node, "secrets"); given != nil {
		key.Secrets = make([]apikey.Secret, len(e.Secrets))
	}
	for i, secret := range e.Secrets {
		for _, wrong := range problem.Check(apikey.SecretText(secret.Secret)) {
			p.problems.add(at, fmt.Sprintf("secrets[%d].%s", i, wrong.Path), "%s", wrong.Text)
		}
	}
	return key
}

// mergeKey sets the state and the secrets of a key, and records why it cannot have them.
func (p *pass) mergeKey(at item, key *apikey.Key, stored apikey.Key, e keyEntry) error {
	if stored.Name != "" && stored.ProgramID != e.ProgramID {
		p.problems.add(at, "programId", "key %s belongs to program %d", e.Name, stored.ProgramID)
	}
	_, state := memberOf(at.node, "state")
	given := state != nil && !isBlank(state)
	switch {
	case e.State == apikey.Revoked && key.Revoked.IsZero():
		key.Revoked = p.r.Now()
	case given && e.State == apikey.Active && !key.Revoked.IsZero():
		p.problems.add(at, "state", "key %s is revoked permanently", e.Name)
	}
	err := p.mergeSecrets(at, key, stored.Secrets, e, given && e.State == apikey.Revoked)
	if err != nil {
		return err
	}
	p.problems.addAll(at, key.Validate())
	return nil
}

// mergeSecrets sets the secrets of a key to those of the file, if it names any. A removed secret
// never comes back. A file that revokes a key may still list the secrets that the key had.
func (p *pass) mergeSecrets(
	at item, key *apikey.Key, stored []apikey.Secret, e keyEntry, saysRevoked bool,
) error {
	_, given := memberOf(at.node, "secrets")
	if given != nil {
		key.Secrets = nil
	}
	for i, secret := range e.Secrets {
		path := fmt.Sprintf("secrets[%d].secret", i)
		digest := p.options.Vault.DigestSecret(secret.Secret)
		p.checkSecretFree(at, path, key.Name, digest)
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
			p.problems.add(at, path, "was taken from a key or revoked, and is refused permanently")
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

// expiry returns the expiry of a secret. A stored expiry stays unless the file names one. An expiry
// that has passed is permanent: a file from before a rotation must not revive the old secret.
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
				"expired at %s, and stays expired", entity.Shown(value.Time{Time: old.Expires}))
		case given == nil:
			expires = old.Expires
		}
	}
	return expires
}

// checkSecretFree records a problem if another key has the secret, too: a secret identifies one
// key.
func (p *pass) checkSecretFree(at item, path, name string, digest []byte) {
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

// retire stores the digests that a key loses. A revoked key loses all of them.
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

// secretChanges describes which secrets are added, removed or get another expiry, without showing
// them.
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
					entity.Shown(value.Time{Time: old.Expires}),
					entity.Shown(value.Time{Time: secret.Expires})))
			}
		}
	}
	return changes
}

// nameIn returns the member "name" of an entry, or "".
func nameIn(at item) string {
	_, node := memberOf(at.node, "name")
	if node == nil {
		return ""
	}
	return resolve(node).Value
}
