// Package app assembles the parts: settings in, a running Mintmark out. It also owns what spans
// several parts: matching keys, database and environment, the listeners, the operators' endpoints,
// readiness, and reloading of settings. The command line and the end-to-end tests start it.
package app

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"mintmark/internal/auditlog"
	"mintmark/internal/base/chance"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/metrics"
	"mintmark/internal/base/wire"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/delivery/webhook"
	"mintmark/internal/domain/card"
	"mintmark/internal/face/api"
	"mintmark/internal/face/injection"
	"mintmark/internal/face/reference"
	"mintmark/internal/face/sandbox"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
	"mintmark/internal/issuing/acts"
	"mintmark/internal/issuing/auth"
	"mintmark/internal/operate/installation"
	"mintmark/internal/store"
	"mintmark/internal/store/sqlstore/postgres"
	"mintmark/internal/store/sqlstore/sqlite"
	"mintmark/internal/vault"
	"mintmark/internal/vault/signature"
)

// Settings are everything an operator can set. Every field but Data has a useful zero value.
type Settings struct {
	Sandbox     bool   // demo data, the simulated processor, every number ending in 1111
	Listen      string // address of the JSON face; 127.0.0.1:8080
	AdminListen string // address for operators; 127.0.0.1:8081

	// Data is the directory of the embedded database and of the keys. A sandbox without it keeps
	// everything in memory.
	Data string

	// Seed makes all that a sandbox draws repeatable: identifiers, card numbers, secrets and keys.
	Seed *uint64

	TrustedProxies []netip.Prefix
	PublicURL      string // how callers reach the service; empty: the Host of the request

	// SandboxHosts are further names under which a sandbox is reached, beside those of the
	// loopback.
	SandboxHosts []string

	// TLSCert and TLSKey are files in PEM; without them the JSON face speaks plain HTTP.
	TLSCert, TLSKey string

	Database installation.Database

	// Custody says who opens wrapped keys.
	Custody installation.Custody

	// Processor says how orders reach the card processor. A sandbox has one of its own.
	Processor Processor

	// ReportSecrets are those with which the card processor signs its reports: two while they are
	// exchanged. Without any, no report is accepted.
	ReportSecrets []signature.Secret

	// FourEyes has what belongs to no program wait for a second operator: operators, tokens, keys
	// of banks.
	FourEyes bool

	// TokensApprove lets a token approve what another person has asked for. Where it is off, people
	// approve, at the console.
	TokensApprove bool

	// WebhooksAllow are the addresses that webhooks may reach beside those of the internet.
	WebhooksAllow []netip.Prefix

	// Retention is how long rows are kept before a job deletes or empties them.
	Retention Retention

	// Archives is where the audit goes that is older.
	Archives Archives

	// Insecure accepts key files that users other than their owner may read. Warnings are other
	// accepted weaknesses; each is logged.
	Insecure bool
	Warnings []string

	// Nodes is how many nodes share the load. Each grants its share of a key's rate; default 1.
	Nodes  int
	Limits Limits

	// Traces is where spans are sent (OTLP over HTTP), such as http://127.0.0.1:4318; empty: where
	// the variables of OpenTelemetry say, if they are set.
	Traces string

	Log *slog.Logger

	// ConsoleURL is under which address browsers reach the console; default AdminListen.
	ConsoleURL string
	OpenID     OpenID

	// Clock is business time; default the time of this machine, or of the database server if there
	// is one.
	Clock *clock.Clock
}

// cardNumbers is the stream that numbers are drawn from, those of the demo data among them.
const cardNumbers = "card numbers"

// App is a running Mintmark.
type App struct {
	Settings
	node   string             // the name of this process among those on one database
	held   *installation.Held // the embedded database
	store  *installation.Storage
	port   port // to the card processor; nil without one
	chance *chance.Streams
	worlds worldKeeper // of a sandbox
	vault  *vault.Vault
	// installation is what the database has recorded about its keys.
	installation store.InstallationRecord

	service *acts.Service
	callers *auth.Callers
	people  *auth.Operators
	sender  *webhook.Sender // of all deliveries; nil before the first
	sealer  *auditlog.Sealer
	orders  *dispatch.Dispatcher // nil without a card processor
	time    *sandbox.Timekeeper  // of a sandbox
	host    *web.Host            // of the JSON face
	face    *api.Server
	faults  *injection.Rules // nil in production
	public  *server
	admin   *server

	adminHost *web.Host // of the operators' interface

	requests    *sandbox.Requests // of callers; nil in production, as the next
	controlFace http.Handler      // of the sandbox

	metrics *metrics.Metrics
	traces  *traces // nil without an endpoint

	certificate *certificate // nil without TLS

	reloading sync.Mutex
	inForce   atomic.Pointer[Settings] // the settings started with, updated by reloads

	background sync.WaitGroup
	stop       context.CancelFunc
	unready    atomic.Bool // last result of /readyz
	failing    sync.Once
	failed     chan struct{}
}

// Start opens the store and the keys, fills an empty sandbox with the demo data, and serves.
func Start(ctx context.Context, settings Settings) (*App, error) {
	a := &App{
		Settings: settings.filled(), node: settings.nodeName(), failed: make(chan struct{}),
	}
	a.inForce.Store(&a.Settings)
	a.chance = settings.streams()
	a.metrics = newMetrics()
	var err error
	a.traces, err = a.openTraces(ctx)
	if err != nil {
		return nil, err
	}
	if err := a.open(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	a.port, err = a.openPort()
	if err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	callers, err := auth.Open(ctx, a.store, a.vault, auth.Settings{
		Clock: a.Clock, Listener: a.store.Listener, Era: a.era(),
	})
	if err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	callers.SetNodes(a.Nodes)
	a.callers = callers
	a.people = a.openPeople()
	a.service = acts.New(a.store, a.vault, a.issuing())
	if err := a.checkClock(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	a.sealer = a.newSealer()
	if err := a.connectProcessor(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	if err := a.keepTime(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	a.metrics.Add(state{a})
	a.host = a.newHost("request identifiers", a.web())
	a.face = api.New(a.service, callers, a.host)
	if a.Sandbox {
		a.faults = injection.New(a.chance.For("fault rules"))
		a.face.Inject(a.faults)
		a.requests = sandbox.NewRequests(a.URL)
		a.host.Record(answers{a})
		a.worlds.controls = a.controls()
		a.startBackground() // what is due at the start is done before anybody asks
	}
	if err := a.serve(); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	if !a.Sandbox {
		a.startBackground()
	}
	a.sayStarted()
	return a, nil
}

// nodeName is the name of this process among the nodes on one database. An embedded database has
// one node at a time, which keeps its name: after a crash it has the leases and claims it had
// before, and waits for none of them.
func (s Settings) nodeName() string {
	if s.Database.URL == "" {
		return s.Place().Engine()
	}
	return uuid.NewString()
}

// streams are where the random bytes of a process come from.
func (s Settings) streams() *chance.Streams {
	if s.Seed == nil {
		return chance.FromSystem()
	}
	return chance.FromSeed(*s.Seed)
}

// web are the settings of the JSON face that can change while it serves.
func (s Settings) web() web.Settings {
	return web.Settings{
		TrustedProxies: s.TrustedProxies, PublicURL: s.PublicURL, Secure: s.TLSCert != "",
		BodyLimit: s.Limits.BodyBytes, BodyTimeout: s.Limits.BodyTimeout,
		AnswerTimeout: s.Limits.AnswerTimeout,
	}
}

// open opens the keys and the store, and fills an empty sandbox. Only one process at a time serves
// from an embedded database.
func (a *App) open(ctx context.Context) error {
	claimed, err := a.claim(ctx)
	if err != nil {
		return err
	}
	a.vault = claimed.Keys
	a.held, err = installation.Hold(claimed.Location, claimed.Environment)
	if err != nil {
		return err
	}
	if a.Data != "" {
		installation.WarnOfOthers(a.Data, a.Log)
	}
	claimed.Tracer = a.traces.statements()
	begun := a.image()
	defer begun.release()
	a.store, err = claimed.Open(ctx, sqlite.Options{
		Clock: a.Clock, Committed: a.metrics.CommitGroup, Image: begun.database,
	})
	if err != nil {
		return err
	}
	a.installation = claimed.Record()
	if !a.Sandbox {
		return nil
	}
	if err := a.openWorlds(ctx); err != nil {
		return err
	}
	if begun.database != nil {
		return a.chance.Restore(begun.streams)
	}
	fill, err := a.fill(ctx)
	if err != nil {
		return err
	}
	if err := a.store.Update(ctx, fill); err != nil {
		return err
	}
	return begun.take(a)
}

// Place is where the keys and the database of these settings are.
func (s Settings) Place() installation.Location {
	return installation.Location{
		Data: s.Data, Database: s.Database, Insecure: s.Insecure, Custody: s.Custody,
		WebhooksAllow: s.WebhooksAllow,
	}
}

// claim opens the keys and examines the database of production. A sandbox makes its own.
func (a *App) claim(ctx context.Context) (*installation.Claim, error) {
	place := a.Place()
	if !a.Sandbox {
		return place.ClaimProduction(ctx)
	}
	return place.ClaimSandbox(ctx, a.Seed, a.chance.For("digests of audit entries"))
}

func (a *App) issuing() issuing.Settings {
	settings := issuing.Settings{
		Mode: card.Production, Clock: a.Clock, Era: a.era(), OneWriter: a.store.Disk != nil,
		Random: a.chance.For(cardNumbers), Secrets: a.chance.For("secrets"),
		Retention:     a.Retention,
		FourEyes:      func() bool { return a.inForce.Load().FourEyes },
		TokensApprove: func() bool { return a.inForce.Load().TokensApprove },
		KeysChanged:   func(ctx context.Context) { a.callers.Refresh(ctx, a.Log) },
		WebhooksAllow: func() []netip.Prefix { return a.inForce.Load().WebhooksAllow },
	}
	if a.Sandbox {
		settings.Mode, settings.Ending = card.Sandbox, card.SandboxEnding
	}
	return settings
}

// serve listens on both addresses. The operators' address speaks plain HTTP on the loopback. On
// other addresses it uses TLS if the JSON face has a certificate.
func (a *App) serve() error {
	var err error
	a.certificate, err = openCertificate(a.TLSCert, a.TLSKey, a.Log)
	if err != nil {
		return err
	}
	a.openControls()
	public, refuse := a.face.Handler(), wire.Refuse(a.face.Refuse)
	admin := serving{
		address: a.AdminListen, handler: a.adminFace(), limits: ofOperators(a.Limits),
		refuse: refuseOperator, log: a.Log, kept: keptPlaces,
	}
	if !OnLoopback(a.AdminListen) {
		admin.tls = a.certificate.config()
	}
	entrances := newOriginCheck(a.SandboxHosts)
	if a.Sandbox {
		described := reference.Callers(reference.Page{Server: reference.Here, Tryable: true, Appendix: demoAppendix()})
		if a.certificate != nil {
			described = web.StrictTransport(described)
		}
		public = a.worlds.door.Guard(public, a.requests.Unanswered)
		public = entrances.share(reference.Beside(public, described))
		public = a.dated(named(entrances.guard(public, a.face.Deny)))
		admin.handler = named(entrances.guard(a.settled(admin.handler), a.denyOperator))
		admin.handler = a.dated(admin.handler)
		admin.refuse, refuse = namedRaw(admin.refuse), namedRaw(refuse)
	}
	a.public, err = listen(serving{
		address: a.Listen, handler: public, limits: a.ofCallers(a.Limits),
		tls: a.certificate.config(), refuse: refuse, log: a.Log,
	})
	if err != nil {
		return err
	}
	a.admin, err = listen(admin)
	if err != nil {
		return err
	}
	entrances.open(a.public, a.admin)
	return nil
}

// ofCallers are the limits of callers' connections, reduced to the process's limit of open files.
func (a *App) ofCallers(limits Limits) Limits {
	limits.Connections = withinFiles(limits, a.Log)
	return limits
}

// ofOperators are the limits of operators' connections.
func ofOperators(limits Limits) Limits {
	limits.Connections = limits.AdminConnections
	return limits
}

// OnLoopback reports whether a listening address accepts connections from this machine only.
func OnLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && postgres.IsLoopback(host)
}

// URL is the address of the JSON face.
func (a *App) URL() string { return a.public.url() }

// AdminURL is the address of the operators' endpoints.
func (a *App) AdminURL() string { return a.admin.url() }

// Failed is closed when the store has failed. The process must end; the next start determines
// which commits were kept.
func (a *App) Failed() <-chan struct{} { return a.failed }

// Close takes no new requests, lets those in flight finish until the context ends, and closes the
// store.
func (a *App) Close(ctx context.Context) error {
	served := a.stop != nil
	if served {
		a.Log.Info("stopping")
		a.service.Events.EndWaits()
	}
	errs := []error{a.public.shutDown(ctx), a.admin.shutDown(ctx)}
	if a.stop != nil {
		a.stop()
		a.awaitBackground()
	}
	if a.port != nil {
		a.port.Close()
	}
	if a.store != nil {
		errs = append(errs, a.closeStore())
	}
	a.held.Release()
	a.traces.close(ctx, a.Log)
	if served {
		a.sayStopped(errors.Join(errs...))
	}
	return errors.Join(errs...)
}

// filled returns the settings with their defaults.
func (s Settings) filled() Settings {
	if s.Listen == "" {
		s.Listen = "127.0.0.1:8080"
	}
	if s.AdminListen == "" {
		s.AdminListen = "127.0.0.1:8081"
	}
	s.ConsoleURL = s.consoleURL()
	s.Limits = s.Limits.filled()
	if s.Clock == nil {
		s.Clock = clock.On(clock.OfMachine())
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	return s
}

// requestIDs makes identifiers of a stream of random bytes. They need not be secret, so bytes of
// the system are read ahead. Those of a seed are not, so that the stream can be put back.
func (a *App) requestIDs(purpose string) func() string {
	random := a.chance.For(purpose)
	if a.Seed == nil {
		random = &lockedReader{from: bufio.NewReader(random)}
	}
	return func() string {
		id, err := uuid.NewRandomFromReader(random)
		if err != nil {
			panic(fmt.Sprintf("app: no randomness for a request identifier: %v", err))
		}
		return id.String()
	}
}

// lockedReader is a source for concurrent use.
type lockedReader struct {
	mu   sync.Mutex
	from io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.from.Read(p)
}
