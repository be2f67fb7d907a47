// Package auditlog seals the audit log into a Merkle tree, and verifies, proves, exports and
// archives what was sealed. Package audit owns the bytes that are hashed, the tree and the
// checkpoints; the store holds the entries in their sealed order; package vault signs. Decision 8
// explains why acts do not wait for the seal.
package auditlog

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/store"
)

// Keys sign checkpoints and check digests; package vault implements them.
type Keys interface {
	LogSigner() note.Signer
	LogVerifier() note.Verifier
	// CheckEntry reports whether a digest belongs to the content of an entry.
	CheckEntry(content, digest []byte) bool
}

// Settings configures a Sealer.
type Settings struct {
	Node  string // name of this process among the nodes of a database
	Keys  Keys
	Clock *clock.Clock
	Log   *slog.Logger
	// IsEvent reports whether an entry gets an event sequence; nil for none.
	IsEvent func(audit.Entry) bool
	// OnSealed is called after each batch, unless it is nil.
	OnSealed func()
	// Rests reports that Run must not seal now, because SealAll does; nil for never.
	Rests func() bool
	// Ran is called with the result of each look, so that it can be shown, unless it is nil.
	Ran func(ctx context.Context, err error)
}

const (
	// Lease is the name of the lease under which one node seals.
	Lease = "seal the audit"
	// leaseTime is how long another node waits for a sealer that is gone. Each batch acquires or
	// renews the lease, so an idle log costs no commit.
	leaseTime = 15 * time.Second
	// awayTime is how long a node waits after it has met another sealer.
	awayTime = 5 * time.Second

	// tick is the interval between looks for entries.
	tick = 300 * time.Millisecond
	// batchLimit is the maximum number of entries in a batch: callers of a store with a single
	// writer wait some milliseconds while a batch is written.
	batchLimit = 1000
	// rest is the pause between full batches.
	rest = 5 * time.Millisecond
)

// Sealer gives entries their sequence, in batches, and signs a checkpoint with each batch.
type Sealer struct {
	Settings
	store store.Store
	grace time.Duration

	// sealing is held while sealing: by Run, and in a sandbox by any reader of the log.
	sealing sync.Mutex

	// The log as this node last saw it. It is unknown after any error, because the error may have
	// been a commit with an unknown outcome, or another sealer.
	known bool
	head  store.Batch
	tree  *audit.Tree
	gaps  *gaps

	mu     sync.Mutex
	status Status
}

// Status is the state of a sealer.
type Status struct {
	Sealed  int       // number of sealed entries
	Oldest  time.Time // time of the oldest waiting act; zero if none waits
	Looked  time.Time // time of the last successful look; zero before the first
	Failure error     // error of the last look

	// Suspects is the number of entries whose digest did not match when this node sealed them.
	Suspects int
}

// New returns a sealer that does nothing until Run or Seal is called.
func New(kept store.Store, settings Settings) *Sealer {
	return &Sealer{Settings: settings, store: kept, grace: grace}
}

// Run seals until the context ends, and then releases the lease.
func (s *Sealer) Run(ctx context.Context) {
	for ctx.Err() == nil {
		sealed, err := s.sealUnlessResting(ctx)
		if ctx.Err() == nil {
			s.tell(ctx, err)
			if s.Ran != nil && !errors.Is(err, errElsewhere) {
				s.Ran(ctx, err)
			}
		}
		pause := tick
		switch {
		case errors.Is(err, errElsewhere):
			pause = awayTime
		case sealed >= batchLimit:
			pause = rest
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
	s.release(context.WithoutCancel(ctx))
}

// Forget makes the next look read the log again, because it was replaced. Call it only while Run is
// not running.
func (s *Sealer) Forget() {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	s.known = false
}

func (s *Sealer) sealUnlessResting(ctx context.Context) (int, error) {
	if s.Rests != nil && s.Rests() {
		return 0, nil
	}
	return s.Seal(ctx)
}

// tell logs the first of consecutive failures, and the recovery.
func (s *Sealer) tell(ctx context.Context, err error) {
	if errors.Is(err, errElsewhere) {
		err = nil
	}
	s.mu.Lock()
	before := s.status.Failure
	s.status.Failure = err
	s.mu.Unlock()
	if err != nil && before == nil {
		s.Log.ErrorContext(ctx, "sealing the audit log failed", "error", err)
	}
	if err == nil && before != nil {
		s.Log.InfoContext(ctx, "audit log sealing recovered")
	}
}

// Status returns the state of the sealer.
func (s *Sealer) Status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status
}

// Lag returns the age of the oldest entry known to wait. While looks fail, entries may have waited
// since the last successful one.
func (s *Sealer) Lag() time.Duration {
	status := s.Status()
	since := status.Oldest
	if since.IsZero() && status.Failure != nil {
		since = status.Looked
	}
	if since.IsZero() {
		return 0
	}
	return max(0, s.Clock.Now().Sub(since))
}

// errElsewhere is returned by a node that has met another sealer.
var errElsewhere = errors.New("another node is sealing")

// Seal seals one batch of the waiting entries and returns their number.
func (s *Sealer) Seal(ctx context.Context) (int, error) {
	s.sealing.Lock()
	defer s.sealing.Unlock()
	unsealed, err := s.look(ctx)
	if err != nil {
		s.known = false
		return 0, err
	}
	if len(unsealed.Entries) == 0 {
		return 0, nil
	}
	batch, hashes, err := s.batch(unsealed)
	if err == nil {
		err = s.put(ctx, batch, hashes)
	}
	if err != nil {
		s.known = false
		return 0, err
	}
	s.head = batch
	s.note(func(status *Status) {
		status.Sealed = batch.Size()
		if len(unsealed.Entries) < batchLimit {
			status.Oldest = time.Time{}
		}
	})
	if s.OnSealed != nil {
		s.OnSealed()
	}
	return len(unsealed.Entries), nil
}

// SealAll seals until no entry waits. It returns nil if another node seals.
func (s *Sealer) SealAll(ctx context.Context) error {
	for {
		sealed, err := s.Seal(ctx)
		if errors.Is(err, errElsewhere) {
			return nil
		}
		if err != nil || sealed == 0 {
			return err
		}
	}
}

func (s *Sealer) note(change func(*Status)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.status)
}

// look reads the waiting entries in a View, which takes no locks that an act could meet.
func (s *Sealer) look(ctx context.Context) (store.Unsealed, error) {
	unsealed, err := store.ViewOf(ctx, s.store, func(r store.Tx) (store.Unsealed, error) {
		if !s.known {
			if err := s.load(r); err != nil {
				return store.Unsealed{}, err
			}
		}
		if err := s.gaps.learn(r); err != nil {
			return store.Unsealed{}, err
		}
		return r.AuditLog().ListUnsealed(store.UnsealedQuery{
			Above: s.head.NewestRow, Limit: batchLimit, Gaps: s.gaps.open,
		})
	})
	if err != nil {
		return unsealed, err
	}
	s.known = true
	s.note(func(status *Status) {
		status.Sealed, status.Looked, status.Oldest = s.head.Size(), s.Clock.Now(), time.Time{}
		if len(unsealed.Entries) > 0 {
			status.Oldest = unsealed.Entries[0].At
		}
	})
	return unsealed, nil
}

// load reads the state of the log. If the tree does not match the newest batch, it was damaged, and
// nothing may be sealed on top of it.
func (s *Sealer) load(r store.Tx) error {
	head, err := FindHead(r)
	if err != nil {
		return err
	}
	tree, err := audit.NewTree(int64(head.Size()), tlog.HashReaderFunc(r.AuditLog().FindHashes))
	if err != nil {
		return err
	}
	root, err := tree.Root()
	if err != nil {
		return err
	}
	if head.Size() > 0 && root != head.Root {
		return fmt.Errorf("the hashes of the sealed log do not match its newest batch, which "+
			"ends at entry %d: run mintmark audit verify", head.Size())
	}
	missing, err := findGaps(r, head, s.grace)
	if err != nil {
		return err
	}
	s.head, s.tree, s.gaps = head, tree, missing
	return nil
}

// FindHead returns the newest batch, or an empty one of size 0 if there is none.
func FindHead(r store.Tx) (store.Batch, error) {
	head, err := r.AuditLog().FindHead()
	if errors.Is(err, store.ErrNotFound) {
		return store.Batch{First: 1, FirstEvent: 1}, nil
	}
	return head, err
}

// batch builds the next batch from entries, and the hashes that it adds.
func (s *Sealer) batch(unsealed store.Unsealed) (store.Batch, []tlog.Hash, error) {
	b := store.Batch{
		First: s.head.Size() + 1, FirstEvent: s.head.Events() + 1,
		NewestRow: s.head.NewestRow,
	}
	var added []tlog.Hash
	event := b.FirstEvent
	for i := range unsealed.Entries {
		e := &unsealed.Entries[i]
		s.suspect(e)
		place := store.SealedRow{Row: e.Row, IsEvent: s.IsEvent != nil && s.IsEvent(e.Entry)}
		e.Sequence = b.First + i
		if place.IsEvent {
			e.Event = event
			event++
		}
		hashes, err := s.tree.Append(e.LeafHash())
		if err != nil {
			return b, nil, err
		}
		added = append(added, hashes...)
		b.Rows = append(b.Rows, place)
		b.NewestRow = max(b.NewestRow, e.Row)
	}
	b.SettledRow = s.gaps.take(s.head.NewestRow, b, unsealed)
	var err error
	b.Root, err = s.tree.Root()
	if err != nil {
		return b, nil, err
	}
	signer := s.Keys.LogSigner()
	b.Note, err = audit.Checkpoint{
		Origin: signer.Name(), Size: s.tree.Size(), Root: b.Root,
	}.Sign(signer)
	return b, added, err
}

// suspect logs an entry whose digest does not match. The entry is still sealed, with that digest,
// so that every later verification finds it: the log must go on, and no place in it may stay empty.
func (s *Sealer) suspect(e *store.LogEntry) {
	if len(e.Digest) > 0 && !s.Keys.CheckEntry(e.AppendContent(nil), e.Digest) {
		s.note(func(status *Status) { status.Suspects++ })
		s.Log.Error("an audit entry was changed or forged before it was sealed",
			"row", e.Row, "act", e.Act, "subject", e.Subject.ID)
	}
}

// put inserts a batch under the lease. The position of a batch is a key, so of two sealers that
// both believe that they hold the lease only one succeeds.
func (s *Sealer) put(ctx context.Context, b store.Batch, hashes []tlog.Hash) error {
	err := s.store.Update(ctx, func(tx store.Tx) error {
		err := tx.Jobs().PutLease(store.Lease{
			Name: Lease, Holder: s.Node, Until: tx.Now().Add(leaseTime),
		})
		if err != nil {
			return err
		}
		sealed := b
		sealed.At = tx.Now()
		return tx.AuditLog().PutBatch(sealed, hashes)
	})
	if errors.Is(err, store.ErrExists) {
		return errElsewhere
	}
	return err
}

// release seals the entries of the last requests and releases the lease, so that another node can
// seal immediately.
func (s *Sealer) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	_, _ = s.Seal(ctx) // another node, or the next start, seals the rest
	// A lease that this node does not hold, or cannot release, expires.
	_ = s.store.Update(ctx, func(tx store.Tx) error {
		return tx.Jobs().DeleteLease(Lease, s.Node)
	})
}
