package issuing

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/audit"
	"mintmark/internal/store"
)

// expireBatch is how many cards one transaction expires at most, so that callers do not wait.
const expireBatch = 100

// ExpireUnverified expires the cards that nobody has verified within their program's window, and
// returns how many. It is a background duty; running it twice changes nothing.
func (s *Service) ExpireUnverified(ctx context.Context) (int, error) {
	return s.everyProgram(ctx, ExpireJob, "expire", func(duty Caller) (int, error) {
		return s.expireSome(ctx, duty)
	})
}

// The names under which the background duties act.
const (
	ExpireJob     = "expire unverified cards"
	ForgetJob     = "forget old answers"
	ExpirePinsJob = "destroy old PINs"
)

// everyProgram does something for every program, batch by batch until a batch is empty, and returns
// how much was done.
func (s *Service) everyProgram(
	ctx context.Context, name, act string, batch func(duty Caller) (int, error),
) (int, error) {
	var programIDs []int
	err := s.store.View(ctx, func(r store.Tx) error {
		var err error
		programIDs, err = r.Programs().List()
		return err
	})
	if err != nil {
		return 0, err
	}
	total := 0
	var failures []error
	for _, id := range programIDs {
		for {
			done, err := batch(Caller{
				Actor: audit.Actor{Kind: audit.Job, Name: name}, ProgramID: id, Route: act,
			})
			total += done
			failures = append(failures, err) // the other programs have their turn all the same
			if err != nil || done == 0 {
				break
			}
		}
	}
	return total, errors.Join(failures...)
}

func (s *Service) expireSome(ctx context.Context, duty Caller) (int, error) {
	return write(ctx, s, duty, func(w *writeTx) (int, error) {
		configured, err := w.tx.Programs().Find(duty.ProgramID)
		if err != nil {
			return 0, err
		}
		window := time.Duration(configured.VerificationWindowDays) * 24 * time.Hour
		late, err := w.tx.Cards().ListUnverified(duty.ProgramID, w.tx.Now().Add(-window), expireBatch)
		if err != nil {
			return 0, err
		}
		expired := 0
		for _, before := range late {
			after, ran := before.ExpireUnverified(w.tx.Now())
			if !ran {
				continue
			}
			if _, err := w.save(0, before, after); err != nil {
				return 0, err
			}
			expired++
		}
		return expired, nil
	})
}
