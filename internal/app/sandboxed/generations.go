package sandboxed

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/store"
)

// learnEvery is the interval at which a node checks whether another one has replaced the data or
// changed the clock.
const learnEvery = 250 * time.Millisecond

// errNotServing is the error of replacing the data while the process starts or ends.
var errNotServing = fmt.Errorf("%w: the sandbox is starting or stopping", store.ErrUnavailable)

// openSnapshots reads the generation of the database, and sets the clock to its stored setting,
// unless the sandbox was started with another setting.
func (s *Sandbox) openSnapshots(ctx context.Context) error {
	kept, ok := s.storage.Store.(store.HasSnapshots)
	if !ok {
		return errors.New("the store does not support snapshots")
	}
	s.snapshots, s.started = kept.Snapshots(), s.Clock.Setting()
	status, err := s.snapshots.Status(ctx)
	if err != nil {
		return err
	}
	s.generation.Begin(status.Generation)
	s.clockKept = status.Settings
	if s.started != (clock.Setting{}) {
		return s.keepClock(ctx, s.started)
	}
	s.Clock.Set(clock.Setting(status.Setting))
	return nil
}

// keepClock stores the setting of the clock for the other nodes and the next start.
func (s *Sandbox) keepClock(ctx context.Context, setting clock.Setting) error {
	s.clockMu.Lock()
	defer s.clockMu.Unlock()
	if err := s.snapshots.KeepSetting(ctx, store.SandboxClock(setting)); err != nil {
		return fmt.Errorf("store the clock setting: %w", err)
	}
	s.clockKept++
	return nil
}

// Run starts the work on the data, and restarts it whenever the data is replaced, until the context
// ends. Start starts the work until its context ends, and returns a function that waits for the
// end.
func (s *Sandbox) Run(
	ctx context.Context, background *sync.WaitGroup, start func(context.Context) (wait func()),
) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.begin = func() {
		inWorld, stop := context.WithCancel(s.generation.In(ctx))
		wait := start(inWorld)
		s.end = func() { stop(); wait() }
	}
	s.begin()
	background.Go(func() {
		<-ctx.Done()
		s.changing.Lock()
		defer s.changing.Unlock()
		s.end()
		s.begin = nil
	})
	if s.storage.Server != nil {
		background.Go(func() { s.learn(ctx) })
	}
}

// learn follows the changes by other nodes until the context ends.
func (s *Sandbox) learn(ctx context.Context) {
	ticker := time.NewTicker(learnEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := s.learnNow(ctx); err != nil && ctx.Err() == nil {
			s.Log.WarnContext(ctx, "reading the sandbox state of other nodes failed", "error", err)
		}
	}
}

func (s *Sandbox) learnNow(ctx context.Context) error {
	generation, err := s.snapshots.Generation(ctx)
	if err == nil && generation != s.generation.Number() {
		err = s.replaceData(ctx, s.followOthers)
	}
	if err != nil {
		return err
	}
	return s.learnClock(ctx)
}

// followOthers follows a restore by another node.
func (s *Sandbox) followOthers(ctx context.Context) error {
	status, err := s.snapshots.Status(ctx)
	if err != nil || status.Generation == s.generation.Number() {
		return err // this node did the restore itself
	}
	if err := s.follow(ctx); err != nil {
		return err
	}
	return s.controls.RestoreParts(status.Note)
}

// learnClock sets the clock to the setting that another node stored.
func (s *Sandbox) learnClock(ctx context.Context) error {
	// Replacing the data acquires the two in the same order.
	defer s.time.Pause()()
	s.clockMu.Lock()
	defer s.clockMu.Unlock()
	status, err := s.snapshots.Status(ctx)
	if err != nil || status.Settings == s.clockKept {
		return err
	}
	s.clockKept = status.Settings
	s.Clock.Set(clock.Setting(status.Setting))
	s.time.MarkDone()
	return nil
}

// changeWithin is the timeout for saving or replacing the data. The work continues when the client
// that requested it has gone.
const changeWithin = time.Minute

// hold runs a function while no request of a caller is running.
func (s *Sandbox) hold(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeWithin)
	defer cancel()
	s.changing.Lock()
	defer s.changing.Unlock()
	defer s.door.Shut(ctx)()
	defer s.time.Pause()()
	return fn(ctx)
}

// replaceData runs a function that replaces the data, while no request of a caller and no job is
// running. Work that runs on other nodes, or has not ended in time, fails in its next transaction.
func (s *Sandbox) replaceData(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeWithin)
	defer cancel()
	s.changing.Lock()
	defer s.changing.Unlock()
	if s.begin == nil {
		return errNotServing
	}
	defer s.door.Shut(ctx)()
	s.end()
	defer s.begin()
	defer s.time.Pause()()
	defer s.time.MarkDone()
	return fn(ctx)
}

// follow reloads the state of this process after the data was replaced.
func (s *Sandbox) follow(ctx context.Context) error {
	generation, err := s.snapshots.Generation(ctx)
	if err != nil {
		return err
	}
	s.generation.Begin(generation)
	s.requests.Wipe()
	s.Sealer.Forget()
	return s.Callers.Reload(ctx)
}

// fill returns a closure that fills an empty database with the demo data and the people of a
// sandbox.
func (s *Sandbox) fill(context.Context) (func(store.Tx) error, error) {
	data, err := demoData(s.keys, s.Chance.For(CardNumbers))
	if err != nil {
		return nil, err
	}
	people, err := demoPeople(s.keys)
	if err != nil {
		return nil, err
	}
	return func(tx store.Tx) error {
		if err := data(tx); err != nil {
			return err
		}
		return people(tx)
	}, nil
}
