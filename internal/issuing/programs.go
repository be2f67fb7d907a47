package issuing

import (
	"context"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/program"
	"mintmark/internal/store"
)

// snapshotLife is how old the settings of a program may be that callers see (section 8).
const snapshotLife = 5 * time.Minute

// filledProgram is what was known of a program when it was last read. Only what callers may see
// stale is taken from it; BINs and encryption keys are read afresh when a card is made. Requests
// share it, so nobody changes it.
type filledProgram struct {
	bankID   int
	zone     *time.Location
	settings program.Settings
	taken    time.Time
}

// programs keeps a snapshot of each program. The zero value is ready.
type programs struct {
	byID sync.Map // of *filledProgram, by the number of the program
}

// find returns the snapshot of a program and reads it anew when it is too old.
func (p *programs) find(ctx context.Context, from store.Store, id int) (*filledProgram, error) {
	kept, _ := p.byID.Load(id)
	filled, known := kept.(*filledProgram)
	if known && time.Since(filled.taken) < snapshotLife {
		return filled, nil
	}
	err := from.Read(ctx, func(r store.Tx) error {
		found, err := r.Programs().Find(id)
		if err != nil {
			return fmt.Errorf("program %d of the key: %w", id, err)
		}
		settings, err := found.Snapshot(r.Now())
		filled = &filledProgram{found.BankID, found.Location(), settings, time.Now()}
		return err
	})
	if err != nil {
		return nil, err
	}
	p.byID.Store(id, filled)
	return filled, nil
}

// ProgramSettings returns the settings of the caller's program, at most five minutes old
// (section 4.1, /program/get).
func (s *Service) ProgramSettings(ctx context.Context, who Caller) (program.Settings, error) {
	filled, err := s.programs.find(ctx, s.store, who.ProgramID)
	if err != nil {
		return program.Settings{}, trouble(err)
	}
	return filled.settings, nil
}

// program reads the caller's program as it is now. That it exists is the database's promise: every
// key refers to one.
func (r *reading) program() (program.Program, error) { return r.Programs().Find(r.who.ProgramID) }
