package issuing

import (
	"context"
	"time"

	"mintmark/internal/domain/digests"
	"mintmark/internal/store"
)

// Tx is the transaction of one act, with its service, caller and program. A closure that receives a
// Tx may run more than once, each time with a new one.
type Tx struct {
	store.Tx

	Service *Service
	Caller  Caller
	Program *Program // the caller's; nil for an act outside any program

	Optimistic  bool           // see optimistic.go
	DigestState *digests.State // nil until read: see digests.go

	refusalCommits bool // commit although the act is refused
	guarded        bool // the act needs a second operator

	Ordered      []CardOrders
	BeforeCommit []func() error
}

// NewTx wraps a transaction of the store for an act.
func (s *Service) NewTx(of store.Tx, who Caller, program *Program) *Tx {
	return &Tx{Tx: of, Service: s, Caller: who, Program: program}
}

// LocalNow returns the time of the transaction in the program's zone, in which months begin and
// end.
func (tx *Tx) LocalNow() time.Time { return tx.Now().In(tx.Program.Zone) }

// CommitRefusal lets the transaction commit although the act is refused with f, so that the counted
// attempt and its audit entry are stored.
func (tx *Tx) CommitRefusal(f error) error {
	tx.refusalCommits = true
	return f
}

// Read runs a closure that reads in the caller's program. Each lookup has its own snapshot.
func Read[A any](
	ctx context.Context, s *Service, who Caller, fn func(*Tx) (A, error),
) (A, error) {
	program, err := s.ProgramCache.Find(ctx, s.Store, who.ProgramID)
	if err != nil {
		var none A
		return none, FaultOf(err)
	}
	answer, err := store.ReadOf(ctx, s.Store, func(r store.Tx) (A, error) {
		return fn(s.NewTx(r, who, program))
	})
	return answer, FaultOf(err)
}

// Write performs an act of a calling program. The response to a request with an idempotency key is
// stored in the transaction of the act, so that both are on disk or neither is. A fault rule of a
// sandbox may refuse the act.
func Write[A any](
	ctx context.Context, s *Service, who Caller, act func(*Tx) (A, error),
) (answer A, err error) {
	var result A
	var refusal error // the transaction may commit despite it
	err = s.Update(ctx, who, func(tx *Tx) error {
		if err := who.Idempotency.check(tx); err != nil {
			return err
		}
		result, refusal = act(tx)
		if who.Trial != nil {
			if err := who.Trial.Outcome(refusal); err != nil {
				return err
			}
		}
		if refusal != nil && !tx.refusalCommits {
			return refusal
		}
		return who.Idempotency.keep(tx, result, refusal)
	})
	if err != nil {
		return answer, err
	}
	return result, refusal
}

// Update runs an act in the program of its caller, or in none for a caller without one, and retries
// it when it loses a race. Errors are converted by FaultOf.
func (s *Service) Update(ctx context.Context, who Caller, act func(*Tx) error) error {
	var program *Program
	var err error
	if who.ProgramID != 0 && !who.NoSettings {
		program, err = s.ProgramCache.Find(ctx, s.Store, who.ProgramID)
	}
	if err != nil {
		return FaultOf(err)
	}
	world := s.Generation.Number()
	var ordered []CardOrders
	for number := range MaxActAttempts {
		err = s.Store.Update(ctx, func(inner store.Tx) error {
			tx := s.NewTx(inner, who, program)
			// A fault rule has its place among all checks, so none may be skipped.
			tx.Optimistic = number == 0 && who.Trial == nil
			if err := who.confirmed.begin(s, tx); err != nil {
				return err
			}
			if err := act(tx); err != nil {
				return err
			}
			if tx.guarded && who.confirmed == nil {
				return ErrNeedsApproval
			}
			if err := who.operator.mark(tx); err != nil {
				return err
			}
			for len(tx.BeforeCommit) > 0 {
				next := tx.BeforeCommit[0]
				tx.BeforeCommit = tx.BeforeCommit[1:]
				if err := next(); err != nil {
					return err
				}
			}
			ordered = tx.Ordered
			return nil
		})
		if !IsRetryable(err) {
			break
		}
	}
	if err != nil {
		return FaultOf(err)
	}
	if who.operator != nil {
		who.operator.marked = true
	}
	if who.confirmed != nil {
		who.confirmed.kept = true
	}
	// After a reset or a restore of the sandbox these orders no longer exist, and others may have
	// their numbers.
	if len(ordered) > 0 && s.Dispatcher != nil && s.Generation.Number() == world {
		s.Dispatcher.OrdersWritten(s.Generation.In(ctx), ordered)
	}
	return nil
}
