package issuing

import (
	"context"
	"errors"
	"time"

	"mintmark/internal/store"
)

// expireBatch is how many cards one transaction expires at most, so that callers do not wait.
const expireBatch = 100

// ExpireUnverified expires the cards that nobody has verified within their program's window, and
// returns how many. It is a background duty; running it twice changes nothing.
func (s *Service) ExpireUnverified(ctx context.Context) (int, error) {
	var programIDs []int
	err := s.store.View(ctx, func(r store.Reader) error {
		var err error
		programIDs, err = r.ListPrograms()
		return err
	})
	if err != nil {
		return 0, err
	}
	total := 0
	var failures []error
	for _, id := range programIDs {
		expired, err := s.expireProgram(ctx, id)
		total += expired
		failures = append(failures, err) // the other programs have their turn all the same
	}
	return total, errors.Join(failures...)
}

// expireProgram expires the cards of one program, batch by batch.
func (s *Service) expireProgram(ctx context.Context, programID int) (int, error) {
	// The brackets keep the duty's name in the trail apart from that of any API key.
	duty := Caller{Key: "[expiry]", ProgramID: programID}
	total := 0
	for {
		expired, err := s.expireSome(ctx, duty)
		total += expired
		if err != nil || expired == 0 {
			return total, err
		}
	}
}

func (s *Service) expireSome(ctx context.Context, duty Caller) (int, error) {
	return write(ctx, s, duty, func(w *writing) (int, error) {
		configured, err := w.program()
		if err != nil {
			return 0, err
		}
		window := time.Duration(configured.VerificationWindowDays) * 24 * time.Hour
		late, err := w.ListUnverified(duty.ProgramID, w.Now().Add(-window), expireBatch)
		if err != nil {
			return 0, err
		}
		expired := 0
		for _, before := range late {
			after, ran := before.RunOut(w.Now())
			if !ran {
				continue
			}
			if err := w.change(before, &after); err != nil {
				return 0, err
			}
			expired++
		}
		return expired, nil
	})
}
