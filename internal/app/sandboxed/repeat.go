package sandboxed

import (
	"context"
	"errors"
	"net/http"
)

// A sandbox with a seed and a frozen clock is repeatable: two of them give byte-for-byte the same
// responses to the same requests. Work that the service does in the background at times of the wall
// clock is then done in step with requests.

// Repeatable reports whether equal requests have equal responses.
func (s *Sandbox) Repeatable() bool { return s.Seed != nil && s.Clock.Frozen() }

// sealBehind seals the audit after an act of a caller in a repeatable sandbox, before the response
// is sent, so that entries get into the same batches every time and subscribers are notified
// immediately.
func (s *Sandbox) sealBehind(r *http.Request) {
	if r.Method == http.MethodPost && s.Repeatable() {
		ctx := s.generation.In(context.WithoutCancel(r.Context()))
		s.noteBehind(ctx, s.Sealer.SealAll(ctx))
	}
}

// settle immediately does what the background would do within a minute: it records refusals, seals
// the audit, stores the uses of keys, and loads changed keys.
func (s *Sandbox) settle(ctx context.Context) {
	ctx = s.generation.In(context.WithoutCancel(ctx))
	s.noteBehind(ctx, errors.Join(s.Service.FlushRefusals(ctx), s.People.FlushRefusals(ctx),
		s.Sealer.SealAll(ctx), s.Callers.Sync(ctx, s.Log)))
}

// noteBehind logs that the background could not catch up. The next request retries.
func (s *Sandbox) noteBehind(ctx context.Context, err error) {
	if err != nil {
		s.Log.WarnContext(ctx, "background work has not caught up", "error", err)
	}
}
