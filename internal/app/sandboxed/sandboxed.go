// Package sandboxed has the parts of a sandbox that production lacks: demo data, snapshots, a
// movable clock, controls and fault rules, a processor in the same process, and pages that send
// requests. Package app adds them to a server when it starts a sandbox.
//
//	New -> Open the database -> Connect the parts of the server -> Run its background
//
// Layers wrap the faces, and Pages are served beside them. A sandbox with a seed and a frozen clock
// is repeatable (repeat.go).
package sandboxed

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"

	"mintmark/internal/app/job"
	"mintmark/internal/auditlog"
	"mintmark/internal/base/chance"
	"mintmark/internal/base/clock"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/domain/card"
	"mintmark/internal/face/api"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/operate/installation"
	"mintmark/internal/processor/simulator"
	"mintmark/internal/store"
	"mintmark/internal/store/generation"
	"mintmark/internal/store/sqlstore/snapshot"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
)

// CardNumbers is the stream from which card numbers are drawn, including those of the demo data.
const CardNumbers = "card numbers"

// Settings are the settings of the server that a sandbox depends on.
type Settings struct {
	Location installation.Location // in memory without a directory and a server
	Node     string
	Hosts    []string // names under which it is reached in addition to those of the loopback

	// Seed makes everything that is drawn from Chance reproducible; nil draws from the system.
	Seed   *uint64
	Chance *chance.Streams
	Clock  *clock.Clock
	Log    *slog.Logger
}

// Parts are the parts of the server that a sandbox works on.
type Parts struct {
	Service *acts.Service
	Callers *auth.Callers
	People  *auth.Operators
	Sealer  *auditlog.Sealer
	Orders  *dispatch.Dispatcher
	Face    *api.Server

	URL, AdminURL func() string // known once it listens
	// Host creates the host of a face. It draws request identifiers for a purpose, and limits
	// bodies to bodyLimit bytes.
	Host func(purpose string, bodyLimit int64) *web.Host
}

// Sandbox is everything that a running sandbox has in addition to a production server.
type Sandbox struct {
	Settings
	Parts

	storage   *installation.Storage
	keys      *vault.Vault
	processor *simulator.Port
	origins   *originCheck
	time      *sandbox.Timekeeper
	faults    *injection.Rules
	requests  *sandbox.Requests // of callers
	controls  *sandbox.Controls
	face      http.Handler // of the controls

	snapshots  store.Snapshots
	generation generation.Generation
	door       sandbox.Door
	started    clock.Setting
	changing   sync.Mutex // held while the data is saved or replaced
	end        func()     // cancels the work on the current data, and waits for it to end
	begin      func()     // starts the work on it; nil while the process starts or ends

	clockMu   sync.Mutex // held while the clock is stored or loaded
	clockKept int64      // number of stored settings that this process knows
}

// New returns a sandbox that is not open.
func New(settings Settings) *Sandbox {
	machine := simulator.New("sandbox-"+settings.Node, simulator.Instant)
	return &Sandbox{
		Settings:  settings,
		processor: simulator.NewPort(machine, settings.Clock.Now),
		origins:   newOriginCheck(settings.Hosts),
	}
}

// Claim opens the keys, creates those that are missing, and examines the database.
func (s *Sandbox) Claim(ctx context.Context) (*installation.Claim, error) {
	return s.Location.ClaimSandbox(ctx, s.Seed, s.Chance.For("digests of audit entries"))
}

// Open opens the claimed database, restores the stored clock, and fills an empty database with the
// demo data.
func (s *Sandbox) Open(
	ctx context.Context, claimed *installation.Claim, options sqlite.Options,
) (*installation.Storage, error) {
	begun := s.image()
	defer begun.release()
	options.Image = begun.database
	claimed.Guard = snapshot.Guard
	opened, err := claimed.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	s.storage, s.keys = opened, claimed.Keys
	if err := s.fillOnce(ctx, begun); err != nil {
		return nil, errors.Join(err, opened.Close())
	}
	return opened, nil
}

// fillOnce fills an empty database, or continues the streams after a cached image.
func (s *Sandbox) fillOnce(ctx context.Context, begun *image) error {
	if err := s.openSnapshots(ctx); err != nil {
		return err
	}
	if begun.database != nil {
		return s.Chance.Restore(begun.streams)
	}
	fill, err := s.fill(ctx)
	if err != nil {
		return err
	}
	if err := s.storage.Update(ctx, fill); err != nil {
		return err
	}
	return begun.take(s)
}

// Processor returns the port to the simulated card processor.
func (s *Sandbox) Processor() *simulator.Port { return s.processor }

// Generation returns the generation of the data that this process works on.
func (s *Sandbox) Generation() *generation.Generation { return &s.generation }

// Issuing sets what is different about issuing in a sandbox.
func (s *Sandbox) Issuing(settings *issuing.Settings) {
	settings.Mode, settings.Ending = card.Sandbox, card.SandboxEnding
	settings.Generation = &s.generation
}

// Connect sets the parts of the server, and does what fell due while no process was serving.
func (s *Sandbox) Connect(ctx context.Context, parts Parts) error {
	s.Parts = parts
	s.time = sandbox.NewTimekeeper(s.Service, s.Clock, s.Log, s.Orders.DeliverDue)
	s.Orders.Turn = s.time.Share
	if err := s.time.Begin(ctx); err != nil {
		return err
	}
	s.faults = injection.New(s.Chance.For("fault rules"))
	s.Face.Inject(s.faults)
	s.requests = sandbox.NewRequests(s.URL)
	s.openControls()
	return nil
}

// CatchUp does everything that has fallen due, in order. Production has a job for each kind.
func (s *Sandbox) CatchUp(ctx context.Context) error { return s.time.CatchUp(ctx) }

// BeginJobs does what is due at the start, and reports a successful round to the loops.
func (s *Sandbox) BeginJobs(
	ctx context.Context, jobs *job.Runner, loops ...func(context.Context, error),
) {
	jobs.Begin(ctx)
	for _, ran := range loops {
		ran(ctx, nil)
	}
	if s.Repeatable() {
		s.settle(ctx)
	}
}

// KeepTime does what falls due while the clock runs, until the context ends.
func (s *Sandbox) KeepTime(ctx context.Context) { s.time.Run(ctx) }
