package app

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"mintmark/internal/base/clock"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/store"
	"mintmark/internal/store/era"
)

// worldKeeper is what a sandbox needs to change its world while it serves.
type worldKeeper struct {
	kept     store.Worlds
	era      era.Era
	door     sandbox.Door
	started  clock.Setting
	controls *sandbox.Controls

	changing sync.Mutex // held while the world is kept or changed
	jobs     func()     // ends what works on the data of the world, and waits for it
	begin    func()     // starts it in the world of now

	setting  sync.Mutex // held while the clock is kept or learned
	settings int64      // how often it was kept, as far as this process knows
}

// learnEvery is how often a node looks whether another one has changed the world or the clock.
const learnEvery = 250 * time.Millisecond

// errNotServing is the error of a change of the world while the process starts or ends.
var errNotServing = fmt.Errorf("%w: the sandbox starts or ends", store.ErrUnavailable)

// era is the world that this process goes by; nil in production, which has one.
func (a *App) era() *era.Era {
	if !a.Sandbox {
		return nil
	}
	return &a.worlds.era
}

// openWorlds reads which world the database holds, and sets the clock as it was kept, unless it was
// started with another setting.
func (a *App) openWorlds(ctx context.Context) error {
	w := &a.worlds
	kept, able := a.store.Store.(store.HasWorlds)
	if !able {
		return errors.New("the store cannot put a world back")
	}
	w.kept, w.started = kept.Worlds(), a.Clock.Setting()
	status, err := w.kept.Status(ctx)
	if err != nil {
		return err
	}
	w.era.Begin(status.Generation)
	w.settings = status.Settings
	if w.started != (clock.Setting{}) {
		return a.keepClock(ctx, w.started)
	}
	a.Clock.Set(clock.Setting(status.Setting))
	return nil
}

// keepClock keeps the setting of the clock for the other nodes and the next start.
func (a *App) keepClock(ctx context.Context, setting clock.Setting) error {
	w := &a.worlds
	w.setting.Lock()
	defer w.setting.Unlock()
	if err := w.kept.KeepSetting(ctx, store.WorldSetting(setting)); err != nil {
		return fmt.Errorf("keep the clock: %w", err)
	}
	w.settings++
	return nil
}

// runWorlds runs what works on the data of a world, and begins again with each world, until the
// context ends.
func (a *App) runWorlds(ctx context.Context) {
	w := &a.worlds
	w.changing.Lock()
	defer w.changing.Unlock()
	w.begin = func() {
		inWorld, stop := context.WithCancel(w.era.In(ctx))
		wait := a.startJobs(inWorld)
		w.jobs = func() { stop(); wait() }
	}
	w.begin()
	a.background.Go(func() {
		<-ctx.Done()
		w.changing.Lock()
		defer w.changing.Unlock()
		w.jobs()
		w.begin = nil
	})
	if a.store.Server != nil {
		a.background.Go(func() { a.learn(ctx) })
	}
}

// learn follows the changes of other nodes until the context ends.
func (a *App) learn(ctx context.Context) {
	ticker := time.NewTicker(learnEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		if err := a.learnNow(ctx); err != nil && ctx.Err() == nil {
			a.Log.WarnContext(ctx, "the world of the other nodes is not known", "error", err)
		}
	}
}

func (a *App) learnNow(ctx context.Context) error {
	generation, err := a.worlds.kept.Generation(ctx)
	if err == nil && generation != a.worlds.era.Number() {
		err = a.replaceWorld(ctx, a.followOthers)
	}
	if err != nil {
		return err
	}
	return a.learnClock(ctx)
}

// followOthers goes by the world that another node has put back.
func (a *App) followOthers(ctx context.Context) error {
	status, err := a.worlds.kept.Status(ctx)
	if err != nil || status.Generation == a.worlds.era.Number() {
		return err // this node has put it back itself
	}
	if err := a.follow(ctx); err != nil {
		return err
	}
	return a.worlds.controls.PutBack(status.Note)
}

// learnClock sets the clock as another node has kept it.
func (a *App) learnClock(ctx context.Context) error {
	w := &a.worlds
	// A change of the world takes them in the same order.
	defer a.time.Pause()()
	w.setting.Lock()
	defer w.setting.Unlock()
	status, err := w.kept.Status(ctx)
	if err != nil || status.Settings == w.settings {
		return err
	}
	w.settings = status.Settings
	a.Clock.Set(clock.Setting(status.Setting))
	a.time.Follow()
	return nil
}

// changeWithin is how long it may take to keep or change a world. It goes on when the client that
// has asked for it has gone.
const changeWithin = time.Minute

// hold runs a function while no request of a caller is at work.
func (a *App) hold(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeWithin)
	defer cancel()
	a.worlds.changing.Lock()
	defer a.worlds.changing.Unlock()
	defer a.worlds.door.Shut(ctx)()
	defer a.time.Pause()()
	return fn(ctx)
}

// replaceWorld runs a function that puts a world back, while no request of a caller and no job is
// at work. What is at work on other nodes, or has not ended in time, fails in its next transaction.
func (a *App) replaceWorld(ctx context.Context, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), changeWithin)
	defer cancel()
	w := &a.worlds
	w.changing.Lock()
	defer w.changing.Unlock()
	if w.begin == nil {
		return errNotServing
	}
	defer w.door.Shut(ctx)()
	w.jobs()
	defer w.begin()
	defer a.time.Pause()()
	defer a.time.Follow()
	return fn(ctx)
}

// follow goes by the world that was put back.
func (a *App) follow(ctx context.Context) error {
	generation, err := a.worlds.kept.Generation(ctx)
	if err != nil {
		return err
	}
	a.worlds.era.Begin(generation)
	a.requests.Wipe()
	a.sealer.Forget()
	return a.callers.Reload(ctx)
}

// fill returns what fills an empty database with the demo data and the people of a sandbox.
func (a *App) fill(context.Context) (func(store.Tx) error, error) {
	data, err := demoData(a.vault, a.chance.For(cardNumbers))
	if err != nil {
		return nil, err
	}
	people, err := demoPeople(a.vault)
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
