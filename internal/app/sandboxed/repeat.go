package sandboxed

import (
	"context"
	"errors"
	"net/http"
)

// A sandbox with a seed whose clock stands still is repeatable: two of them answer the same
// requests byte for byte the same. What the service does in the background at moments of the wall
// clock is done in step with requests then.

// Repeatable reports whether equal requests have equal answers.
func (s *Sandbox) Repeatable() bool { return s.Seed != nil && s.Clock.Frozen() }

// sealBehind has the audit sealed behind an act of a caller in a repeatable sandbox, before it is
// answered, so that it falls into the same batches every time, and subscribers hear of it at once.
func (s *Sandbox) sealBehind(r *http.Request) {
	if r.Method == http.MethodPost && s.Repeatable() {
		ctx := s.generation.In(context.WithoutCancel(r.Context()))
		s.noteBehind(ctx, s.Sealer.SealAll(ctx))
	}
}

// settle does at once what the background would do within a minute: enters refusals, seals the
// audit, notes when keys were used, and takes changed keys over.
func (s *Sandbox) settle(ctx context.Context) {
	ctx = s.generation.In(context.WithoutCancel(ctx))
	s.noteBehind(ctx, errors.Join(s.Service.FlushRefusals(ctx), s.People.FlushRefusals(ctx),
		s.Sealer.SealAll(ctx), s.Callers.Sync(ctx, s.Log)))
}

// noteBehind logs that the background could not catch up. The next request has it try again.
func (s *Sandbox) noteBehind(ctx context.Context, err error) {
	if err != nil {
		s.Log.WarnContext(ctx, "background work has not caught up", "error", err)
	}
}
