package keys

import (
	"cmp"
	"context"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"math"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"mintmark/internal/base/pan"
	"mintmark/internal/base/problem"
	"mintmark/internal/base/secret"
	"mintmark/internal/domain/apikey"
	"mintmark/internal/domain/audit"
	"mintmark/internal/issuing"
	"mintmark/internal/store"
)

// Audit names of operators' acts on callers' keys.
const (
	issueKeyAct  = "issue key"
	changeKeyAct = "change key"
	rotateKeyAct = "rotate key"
	revokeKeyAct = "revoke key"
)

// MaxOverlap bounds how long two secrets of a key are valid at the same time.
const MaxOverlap = 30 * 24 * time.Hour

// Prefixes of the names and the secrets of generated keys, and the number of random bytes that
// follow.
const (
	namePrefix, nameBytes     = "mmk_", 15
	secretPrefix, secretBytes = "mms_", 32
)

// KeySpec is a key as an operator requests it.
type KeySpec struct {
	Title         string
	Version       int      // 0 for the oldest
	Allow         []string // addresses and CIDR blocks
	PerSecond     *float64 // nil for the default
	Burst         *int     // nil for one second's requests
	Compatibility []string
	Expires       time.Time   // of the newest secret; zero for never
	Secret        secret.Text // chosen, only in a sandbox; zero to generate one
}

// KeyDetail is a key with its last use.
type KeyDetail struct {
	apikey.Key
	LastUsed  time.Time   // zero for never
	Now       time.Time   // of the response; decides which secrets have expired
	NewSecret secret.Text // the secret that an act has generated, to be shown once; else zero
}

// Keys returns a page of the keys of a program, by title.
func (s *Service) Keys(
	ctx context.Context, who issuing.Operator, programID int, search string, page issuing.Page,
) (items []KeyDetail, last string, err error) {
	err = s.View(ctx, who, programID, func(r store.Tx) error {
		all, err := keysOf(r, programID)
		if err != nil {
			return err
		}
		all = slices.DeleteFunc(all, func(k KeyDetail) bool {
			return !issuing.Matches(search, k.Name, k.Label)
		})
		items, last = issuing.PageBy(all, page, page.After,
			func(k KeyDetail) string { return k.Title() })
		return nil
	})
	return items, last, err
}

// keysOf returns the keys of a program, by title.
func keysOf(r store.Tx, programID int) ([]KeyDetail, error) {
	all, err := r.Keys().List()
	if err != nil {
		return nil, err
	}
	uses, err := r.Keys().ListUses()
	if err != nil {
		return nil, err
	}
	var own []KeyDetail
	for _, key := range all {
		if key.ProgramID == programID {
			own = append(own, KeyDetail{Key: key, LastUsed: uses[key.Name], Now: r.Now()})
		}
	}
	slices.SortFunc(own, func(a, b KeyDetail) int { return cmp.Compare(a.Title(), b.Title()) })
	return own, nil
}

// Key returns a key of a program by its title, or by its name, which callers send and which metrics
// and the audit show.
func (s *Service) Key(
	ctx context.Context, who issuing.Operator, programID int, name string,
) (KeyDetail, error) {
	var detail KeyDetail
	err := s.View(ctx, who, programID, func(r store.Tx) error {
		var err error
		detail, err = findKey(r, programID, name)
		return err
	})
	return detail, err
}

func findKey(r store.Tx, programID int, name string) (KeyDetail, error) {
	all, err := keysOf(r, programID)
	if err != nil {
		return KeyDetail{}, err
	}
	at := slices.IndexFunc(all, func(k KeyDetail) bool { return k.Title() == name })
	if at < 0 {
		at = slices.IndexFunc(all, func(k KeyDetail) bool { return k.Name == name })
	}
	if at < 0 {
		return KeyDetail{}, fmt.Errorf("key %s: %w", name, store.ErrNotFound)
	}
	return all[at], nil
}

// IssueKey creates a key with a secret that is shown once. Outside a sandbox the name that callers
// send is generated; in a sandbox it is the title, and the secret may be chosen.
func (s *Service) IssueKey(
	ctx context.Context, who issuing.Operator, programID int, spec KeySpec,
) (KeyDetail, error) {
	if spec.Secret.Reveal() != "" && !s.Sandbox() {
		return KeyDetail{}, issuing.Invalid(
			"secret", "is generated: only a sandbox accepts a chosen one")
	}
	k, err := s.newKey(programID, spec)
	if err != nil {
		return KeyDetail{}, err
	}
	var detail KeyDetail
	err = s.onKeys(ctx, who, programID, issueKeyAct, issuing.Guarded(func(tx *issuing.Tx) error {
		detail = k
		detail.Now = tx.Now()
		all, err := tx.Keys().List()
		if err != nil {
			return err
		}
		wrong := append(checkTitle(detail.Key), spec.fill(&detail.Key)...)
		var taken error
		for _, other := range all {
			// A title that is the name of another key would hide that key: see findKey.
			if other.Name == detail.Name || other.ProgramID == programID &&
				(other.Title() == detail.Title() || other.Name == detail.Title()) {
				taken = issuing.AlreadyExists("key", spec.Title)
			}
		}
		wrong = append(wrong, checkExpiry(spec.Expires, tx.Now())...)
		if err := freshSecret(tx, all, detail.Secrets[0].Digest); err != nil {
			return err
		}
		return issuing.PreferInvalid(putKey(tx, &detail.Key, nil, wrong), taken)
	}))
	return detail.showing(k.NewSecret, who, err)
}

// showing returns the result of an act with its secret. A dry run stores no secret, so it shows
// none.
func (k KeyDetail) showing(text secret.Text, who issuing.Operator, err error) (KeyDetail, error) {
	if err != nil {
		return KeyDetail{}, err
	}
	k.NewSecret = secret.Text{}
	if !who.DryRun {
		k.NewSecret = text
	}
	return k, nil
}

// titles matches the titles of keys, which are parts of URLs.
var titles = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

func checkTitle(k apikey.Key) problem.List {
	title := k.Title()
	var wrong problem.List
	if !titles.MatchString(title) || len(title) > apikey.MaxName {
		wrong.Add("name", "must be 1 to %d letters, digits, dots, hyphens and underscores, the "+
			"first a letter or a digit", apikey.MaxName)
	}
	if k.Label != "" && pan.MayContain(k.Label) { // Validate scans the name of a key
		wrong.Add("name", "must not hold a card number")
	}
	return wrong
}

// newKey returns a key with its name and its secret, which are generated before the transaction.
func (s *Service) newKey(programID int, spec KeySpec) (KeyDetail, error) {
	k := KeyDetail{Key: apikey.Key{Name: spec.Title, ProgramID: programID}, NewSecret: spec.Secret}
	if !s.Sandbox() {
		drawn, err := s.RandomBytes(nameBytes)
		if err != nil {
			return KeyDetail{}, err
		}
		k.Label = spec.Title
		k.Name = namePrefix + strings.ToLower(base32.StdEncoding.EncodeToString(drawn))
	}
	if k.NewSecret.Reveal() == "" {
		var err error
		k.NewSecret, err = s.drawSecret()
		if err != nil {
			return KeyDetail{}, err
		}
	}
	k.Secrets = []apikey.Secret{{
		Digest: s.Vault.DigestSecret(k.NewSecret.Reveal()), Expires: spec.Expires,
	}}
	return k, nil
}

func (s *Service) drawSecret() (secret.Text, error) {
	drawn, err := s.RandomBytes(secretBytes)
	if err != nil {
		return secret.Text{}, err
	}
	return secret.New(secretPrefix + base64.RawURLEncoding.EncodeToString(drawn)), nil
}

// fill sets a key to what an operator requests, except its secrets, and returns the problems of
// values that cannot be parsed.
func (spec KeySpec) fill(k *apikey.Key) problem.List {
	var wrong problem.List
	k.Version = cmp.Or(spec.Version, apikey.OldestVersion)
	k.PerSecond = apikey.DefaultPerSecond
	if spec.PerSecond != nil {
		k.PerSecond = *spec.PerSecond
	}
	k.Burst = int(math.Ceil(k.PerSecond))
	if spec.Burst != nil {
		k.Burst = *spec.Burst
	}
	k.Allow, k.Compatibility = nil, nil
	for i, text := range spec.Allow {
		prefix, err := apikey.ParseAllow(text)
		if err != nil {
			wrong.Add(fmt.Sprintf("allow[%d]", i), "is neither an address nor a CIDR block")
			prefix = netip.PrefixFrom(netip.IPv4Unspecified(), 0) // it is not stored
		}
		k.Allow = append(k.Allow, prefix)
	}
	for _, habit := range spec.Compatibility {
		k.Compatibility = append(k.Compatibility, apikey.Compatibility(habit))
	}
	return wrong
}

// checkExpiry returns a problem if a secret would have expired already.
func checkExpiry(expires, now time.Time) problem.List {
	var wrong problem.List
	if !expires.IsZero() && !expires.After(now) {
		wrong.Add("expires", "must be in the future")
	}
	return wrong
}

// freshSecret refuses a chosen secret that a key has, or has had.
func freshSecret(tx *issuing.Tx, all []apikey.Key, digest []byte) error {
	retired, err := tx.Keys().HasRetiredSecret(digest)
	if err != nil {
		return err
	}
	held := slices.ContainsFunc(all, func(k apikey.Key) bool { return k.Holds(digest) })
	if retired || held {
		return issuing.Invalid("secret", "belongs or belonged to a key, and is refused permanently")
	}
	return nil
}

// putKey validates a key and stores it with its audit entry. wrong holds the problems that are
// known.
func putKey(tx *issuing.Tx, k *apikey.Key, before issuing.Members, wrong problem.List) error {
	if err := append(wrong, k.Validate()...).Err(); err != nil {
		return err
	}
	put := func() error { return tx.Keys().Put(*k) }
	subject := audit.Subject{Kind: audit.Key, ID: k.Name}
	return tx.PutPrivate(subject, before, keyMembers(*k), openKeyMembers, &k.Revision, put)
}

// openKeyMembers are the members of a key whose values the audit shows. Of the secret it shows only
// that it changed.
var openKeyMembers = []string{
	"label", "version", "allow", "perSecond", "burst", "compatibility", "revoked", "secretsExpire",
	"expires",
}

// keyMembers returns the members of a key, with the times at which its secrets expire and the
// digest of the newest secret: a rotation may change nothing else.
func keyMembers(k apikey.Key) issuing.Members {
	shown := issuing.Members{
		"label": k.Label, "version": k.Version, "allow": k.Allow, "perSecond": k.PerSecond,
		"burst": k.Burst, "compatibility": k.Compatibility, "revoked": !k.Revoked.IsZero(),
	}
	var ends []string
	for _, kept := range k.Secrets {
		end := "never"
		if !kept.Expires.IsZero() {
			end = audit.Moment(kept.Expires)
		}
		ends = append(ends, end)
	}
	shown["secretsExpire"] = ends
	if len(k.Secrets) > 0 {
		shown["secret"] = k.Newest().Digest
		if !k.Newest().Expires.IsZero() {
			shown["expires"] = ends[len(ends)-1]
		}
	}
	return shown
}

// ChangeKey changes the settings of a key at the revision that the operator read: all but its title
// and its secrets. The expiry of the newest secret may change.
func (s *Service) ChangeKey(
	ctx context.Context, who issuing.Operator, programID, revision int, spec KeySpec,
) (KeyDetail, error) {
	return s.actOnKey(ctx, who, keyAt{programID, spec.Title, revision}, changeKeyAct,
		func(tx *issuing.Tx, k *KeyDetail) (problem.List, error) {
			allowed := k.Allow
			wrong := spec.fill(&k.Key)
			if !slices.Equal(allowed, k.Allow) {
				if err := tx.Guard(); err != nil {
					return nil, err
				}
			}
			if end := k.Newest().Expires; !end.Equal(spec.Expires) {
				wrong = append(wrong, checkExpiry(spec.Expires, tx.Now())...)
				if !end.IsZero() && !end.After(tx.Now()) {
					return nil, issuing.Refuse(
						"The secret has expired: rotate the key.")
				}
				k.Secrets = slices.Clone(k.Secrets)
				k.Secrets[len(k.Secrets)-1].Expires = spec.Expires
			}
			return wrong, nil
		})
}

// RotateRequest configures the rotation of a key's secret.
type RotateRequest struct {
	Overlap  time.Duration // how long the old secret stays valid
	Expires  time.Time     // of the new one; zero for never
	Revision int           // of the key; 0 for any
}

// RotateKey gives a key a new secret, which is shown once. The previous one ends after the overlap.
// If a secret from an earlier rotation is still valid, it would be cut off: the rotation is refused
// unless it has no overlap.
func (s *Service) RotateKey(
	ctx context.Context, who issuing.Operator, programID int, title string, req RotateRequest,
) (KeyDetail, error) {
	overlap, expires := req.Overlap, req.Expires
	if overlap < 0 || overlap > MaxOverlap {
		return KeyDetail{}, issuing.Invalid("overlap", "must be from 0s to 720h")
	}
	text, err := s.drawSecret()
	if err != nil {
		return KeyDetail{}, err
	}
	digest := s.Vault.DigestSecret(text.Reveal())
	at := keyAt{programID, title, req.Revision}
	detail, err := s.actOnKey(ctx, who, at, rotateKeyAct,
		func(tx *issuing.Tx, k *KeyDetail) (problem.List, error) {
			if err := tx.Guard(); err != nil {
				return nil, err
			}
			now := tx.Now()
			live := slices.DeleteFunc(slices.Clone(k.Secrets), func(old apikey.Secret) bool {
				return !old.Expires.IsZero() && !old.Expires.After(now)
			})
			if len(live) == apikey.MaxSecrets && overlap > 0 {
				return nil, issuing.Refuse("Two secrets of the key are valid until " +
					live[0].Expires.UTC().Format(time.RFC3339) +
					": rotate then, or with the overlap 0s, which expires both now.")
			}
			kept := []apikey.Secret{{Digest: digest, Expires: expires}}
			if overlap > 0 && len(live) > 0 {
				old := live[0]
				if end := now.Add(overlap); old.Expires.IsZero() || old.Expires.After(end) {
					old.Expires = end
				}
				kept = append([]apikey.Secret{old}, kept...)
			}
			if err := retireSecrets(tx, k.Key, kept); err != nil {
				return nil, err
			}
			k.Secrets = kept
			return checkExpiry(expires, now), nil
		})
	return detail.showing(text, who, err)
}

// RevokeKey revokes a key and all of its secrets permanently. revision is that of the key, 0 for
// any.
func (s *Service) RevokeKey(
	ctx context.Context, who issuing.Operator, programID int, title string, revision int,
) (KeyDetail, error) {
	return s.actOnKey(ctx, who, keyAt{programID, title, revision}, revokeKeyAct,
		func(tx *issuing.Tx, k *KeyDetail) (problem.List, error) {
			if err := retireSecrets(tx, k.Key, nil); err != nil {
				return nil, err
			}
			k.Revoked, k.Secrets = tx.Now(), nil
			return nil, nil
		})
}

// onKeys performs an act on the keys of a program. When it returns, this node already authenticates
// callers with the changed keys.
func (s *Service) onKeys(
	ctx context.Context, who issuing.Operator, programID int, act string,
	fn func(*issuing.Tx) error,
) error {
	err := s.Act(ctx, who, issuing.InProgram(programID), act, fn)
	if err == nil && s.KeysChanged != nil {
		s.KeysChanged(context.WithoutCancel(ctx))
	}
	return err
}

// keyAt names a key at the revision that an operator read, 0 for any.
type keyAt struct {
	programID int
	title     string
	revision  int
}

// actOnKey applies a change to a key that is not revoked.
func (s *Service) actOnKey(
	ctx context.Context, who issuing.Operator, at keyAt, act string,
	change func(tx *issuing.Tx, k *KeyDetail) (problem.List, error),
) (KeyDetail, error) {
	var after KeyDetail
	err := s.onKeys(ctx, who, at.programID, act, func(tx *issuing.Tx) error {
		detail, err := findKey(tx, at.programID, at.title)
		if err != nil {
			return err
		}
		if err := issuing.CheckRevisionIf("the key", detail.Revision, at.revision); err != nil {
			return err
		}
		if !detail.Revoked.IsZero() {
			return issuing.Refuse("The key is revoked permanently.")
		}
		after = detail
		wrong, err := change(tx, &after)
		if err != nil {
			return err
		}
		return putKey(tx, &after.Key, keyMembers(detail.Key), wrong)
	})
	return after, err
}

// retireSecrets stores the digests of the secrets that a key loses, so that no key can get one of
// them again, not even from a loaded file.
func retireSecrets(tx *issuing.Tx, k apikey.Key, kept []apikey.Secret) error {
	after := apikey.Key{Secrets: kept}
	for _, lost := range k.Secrets {
		if after.Holds(lost.Digest) {
			continue
		}
		err := tx.Keys().PutRetiredSecret(store.RetiredSecret{
			Digest: lost.Digest, KeyName: k.Name, At: tx.Now(),
		})
		if err != nil {
			return err
		}
	}
	return nil
}
