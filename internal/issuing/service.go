// Package issuing is the kernel of the acts. Each act loads its data, applies a rule of the domain,
// saves the result and writes an audit entry, all in one transaction, a Tx: Write runs an act of a
// calling program, Act one of an operator. The kernel also owns the actor, the scope of operators,
// approvals, idempotency and the audit. The acts are in the packages below, which package acts
// assembles. Every face (api, admin, processorapi, sandbox), the jobs, the dispatcher and the
// webhooks call them, so an act behaves the same from each of them.
//
// The order of the checks of each act is part of the interface's precedence of faults, described in
// interface §7 and §8. An error that a caller may see is a fault of package fault; any other error
// is internal.
package issuing

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"net/netip"
	"sync/atomic"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/domain/audit"
	"mintmark/internal/domain/card"
	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
	"mintmark/internal/store/generation"
	"mintmark/internal/vault"
)

// Settings configures a Service.
type Settings struct {
	// Mode is the rule book, card.Production or card.Sandbox. In a sandbox orders are also executed
	// within the act, and the numbers of new cards are shown and masked differently.
	Mode card.Mode
	// Ending is the last four digits of every new card number; empty for any digits.
	Ending string
	// Random is the source of card numbers. Secrets is the source of the identifiers of orders and
	// of the secrets of keys, webhooks, tokens and links. Nil means the system's. They must be safe
	// for concurrent use.
	Random, Secrets io.Reader
	// Clock determines the age of the cached settings of programs.
	Clock *clock.Clock
	// Generation identifies the data of a sandbox, which a reset or a restore replaces; nil if the
	// data is never replaced.
	Generation *generation.Generation
	// Retention configures how long rows are stored before a job deletes or empties them.
	Retention Retention
	// OneWriter is true if the store has one writer at a time, so that requests wait for each
	// other.
	OneWriter bool
	// FourEyes reports whether an act outside any program needs a second operator, TokensApprove
	// whether a token may be that operator. Nil means no.
	FourEyes, TokensApprove func() bool
	// WebhooksAllow returns the addresses that webhooks may reach besides those of the internet.
	// Nil means none.
	WebhooksAllow func() []netip.Prefix
	// KeysChanged, if not nil, is called after an act on a caller's key, before the response.
	KeysChanged func(context.Context)
	// IsFenced reports whether a program is being moved to another installation; nil if none ever
	// is.
	IsFenced func(programID int) bool
	// LastBackup returns the time of the newest backup, or of the installation before the first;
	// zero if neither is known. Nil in a sandbox.
	LastBackup func(store.Tx) (time.Time, error)
	// Dispatcher is notified of new orders; nil for none. In a sandbox it executes them before the
	// act returns.
	Dispatcher Dispatcher
}

// Service performs the acts.
type Service struct {
	Settings
	Store        store.Store
	Vault        *vault.Vault
	ProgramCache snapshotCache
	KnownDigests atomic.Pointer[digests.State] // see package keys

	atWork, operatorsAtWork inFlight // requests of callers, and of operators

	refused refusals // of callers, not yet in the audit
}

// New returns a service over a store and a vault.
func New(kept store.Store, keys *vault.Vault, settings Settings) *Service {
	settings.Random = cmp.Or(settings.Random, rand.Reader)
	settings.Secrets = cmp.Or(settings.Secrets, rand.Reader)
	return &Service{
		Settings: settings, Store: kept, Vault: keys,
		ProgramCache: snapshotCache{clock: settings.Clock, generation: settings.Generation},
	}
}

// Caller is the actor of a request and the program that it acts in.
type Caller struct {
	audit.Actor
	ProgramID int
	Route     string // of the request; for a job, the name of the operation
	BankID    int    // of an operator's act that belongs to a bank, but to none of its programs

	// NoSettings is true for an act that does not need the settings of its program, which may be
	// unreadable.
	NoSettings bool

	// EarlierClients selects the behaviour that earlier clients rely on.
	EarlierClients bool

	// Idempotency is the current request if it has an idempotency key, else nil.
	Idempotency *IdempotentRequest

	// operator is the counterpart of Idempotency for a request of an operator.
	operator *OperatorRequest

	confirmed *Confirmation // by a second operator; nil for an act without one
	unguarded bool          // the act needs no second operator

	// Trial applies a fault rule of a sandbox to the act; nil for none.
	Trial Trial
}

// CardRef names a card and the customer who acts on it: its creator or its holder.
type CardRef struct {
	CustomerID int `json:"customerId"`
	CardID     int `json:"cardId"`
}

// Now returns the time of the store.
func (s *Service) Now(ctx context.Context) (time.Time, error) {
	now, err := store.ViewOf(ctx, s.Store, func(r store.Tx) (time.Time, error) {
		return r.Now(), nil
	})
	return now, FaultOf(err)
}
