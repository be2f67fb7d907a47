package vault

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash"
	"io"
	"strings"
	"sync"

	"github.com/tink-crypto/tink-go/v2/insecuresecretdataaccess"
	"github.com/tink-crypto/tink-go/v2/keyset"
	"github.com/tink-crypto/tink-go/v2/prf/hmacprf"
	"golang.org/x/mod/sumdb/note"
)

// The keys of the sealed log and of backups are derived from the keyset, each for its purpose
// (HKDF, RFC 5869). So they belong to the database as long as the keyset does, and there is no
// additional file to lose. They are derived from the keyset that digests card numbers, because it
// is the one that can never be replaced.
const (
	logKeyBytes     = 32
	logOrigin       = "mintmark-log/"
	checkpointUse   = "mintmark audit log: checkpoints, ed25519"
	entryDigestsUse = "mintmark audit log: digests of entries, HMAC-SHA256"
	backupsUse      = "mintmark backup: authentication, HMAC-SHA256"
)

// logKeys are the keys of the sealed log.
type logKeys struct {
	signer   note.Signer
	verifier note.Verifier
	public   string
	digests  sync.Pool // of hash.Hash
	backups  []byte    // the key for backups
}

// newLogKeys derives the keys. The origin names the log.
func newLogKeys(handle *keyset.Handle, origin string) (*logKeys, error) {
	secret, err := secretOf(handle)
	if err != nil {
		return nil, err
	}
	seed, err := hkdf.Key(sha256.New, secret, nil, checkpointUse, logKeyBytes)
	if err != nil {
		return nil, err
	}
	ofEntries, err := hkdf.Key(sha256.New, secret, nil, entryDigestsUse, logKeyBytes)
	if err != nil {
		return nil, err
	}
	backups, err := hkdf.Key(sha256.New, secret, nil, backupsUse, logKeyBytes)
	if err != nil {
		return nil, err
	}
	k := &logKeys{
		backups: backups,
		digests: sync.Pool{New: func() any { return hmac.New(sha256.New, ofEntries) }},
	}
	return k, k.sign(origin, seed)
}

// secretOf returns the secret from which other keys are derived.
func secretOf(handle *keyset.Handle) ([]byte, error) {
	primary, err := handle.Primary()
	if err != nil {
		return nil, err
	}
	key, fits := primary.Key().(*hmacprf.Key)
	if !fits {
		return nil, errors.New("its key is not an HMAC key")
	}
	return key.KeyBytes().Data(insecuresecretdataaccess.Token{}), nil
}

// sign creates the signer and the verifier of an origin. Package note takes a private key as a
// string: name, hash of the public key, and the key after a byte that identifies the algorithm.
func (k *logKeys) sign(origin string, seed []byte) error {
	const algorithm = 1 // ed25519
	private := ed25519.NewKeyFromSeed(seed)
	public, fits := private.Public().(ed25519.PublicKey)
	if !fits {
		return errors.New("no public key")
	}
	var err error
	k.public, err = note.NewEd25519VerifierKey(origin, public)
	if err != nil {
		return err
	}
	hashed := strings.Split(k.public, "+")[1]
	secret := base64.StdEncoding.EncodeToString(append([]byte{algorithm}, seed...))
	k.signer, err = note.NewSigner(fmt.Sprintf("PRIVATE+KEY+%s+%s+%s", origin, hashed, secret))
	if err != nil {
		return err
	}
	k.verifier, err = note.NewVerifier(k.public)
	return err
}

// LogSigner returns the signer of the checkpoints of the sealed log.
func (v *Vault) LogSigner() note.Signer { return v.log.signer }

// LogVerifier returns the verifier of these checkpoints.
func (v *Vault) LogVerifier() note.Verifier { return v.log.verifier }

// LogKey returns the public key of the sealed log as a string: name, hash and key.
func (v *Vault) LogKey() string { return v.log.public }

// BackupCode returns the authentication code of a backup with the given SHA-256.
func (v *Vault) BackupCode(digest []byte) []byte {
	code := hmac.New(sha256.New, v.log.backups)
	code.Write(digest) // never fails
	return code.Sum(nil)
}

// The digest of an entry consists of a random nonce, so that equal entries have different digests,
// and a keyed digest over the nonce and the content of the entry.
const (
	entryNonceBytes = 16
	entryMACBytes   = 16
)

// DigestEntry returns a digest of the content of an audit entry.
func (v *Vault) DigestEntry(content []byte) []byte {
	nonce := make([]byte, entryNonceBytes, entryNonceBytes+sha256.Size)
	if _, err := io.ReadFull(v.random, nonce); err != nil {
		panic(fmt.Sprintf("vault: no randomness: %v", err)) // the system's source never fails
	}
	return v.log.digest(nonce, content)
}

// CheckEntry reports whether a digest matches the content of an entry.
func (v *Vault) CheckEntry(content, digest []byte) bool {
	if len(digest) != entryNonceBytes+entryMACBytes {
		return false
	}
	nonce := append(make([]byte, 0, entryNonceBytes+sha256.Size), digest[:entryNonceBytes]...)
	return hmac.Equal(v.log.digest(nonce, content), digest)
}

// digest appends the keyed digest to the nonce, which must have capacity for a whole sum.
func (k *logKeys) digest(nonce, content []byte) []byte {
	state, _ := k.digests.Get().(hash.Hash)
	state.Write(nonce) // never fails
	state.Write(content)
	digest := state.Sum(nonce)
	state.Reset()
	k.digests.Put(state)
	return digest[:entryNonceBytes+entryMACBytes]
}
