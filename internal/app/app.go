// Package app assembles the parts of a server: it turns settings into a running Mintmark. It owns
// what spans several parts: the listeners, the operators' address, the jobs, readiness, metrics,
// and reloading of settings. Package sandboxed has the parts that only a sandbox has. The command
// line and the end-to-end tests start an app.
package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	sandboxwire "mintmark/client/sandbox"
	"mintmark/internal/app/sandboxed"
	"mintmark/internal/auditlog"
	"mintmark/internal/base/chance"
	"mintmark/internal/base/clock"
	"mintmark/internal/base/metrics"
	"mintmark/internal/base/wire"
	"mintmark/internal/delivery/dispatch"
	"mintmark/internal/delivery/webhook"
	"mintmark/internal/domain/card"
	"mintmark/internal/face/api"
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

// Settings is everything that an operator can configure. Every field but Data has a useful zero
// value.
type Settings struct {
	Sandbox     bool   // demo data, the simulated processor, every card number ending in 1111
	Listen      string // address of the JSON face; default 127.0.0.1:8080
	AdminListen string // address for operators; default 127.0.0.1:8081

	// Data is the directory of the embedded database and of the keys. Without it, a sandbox keeps
	// everything in memory.
	Data string

	// Seed makes everything that a sandbox draws reproducible: identifiers, card numbers, secrets
	// and keys.
	Seed *uint64

	TrustedProxies []netip.Prefix
	PublicURL      string // how callers reach the service; empty: the Host of the request

	// SandboxHosts are names under which a sandbox is reached in addition to those of the loopback.
	SandboxHosts []string

	// TLSCert and TLSKey are PEM files; without them the JSON face uses plain HTTP.
	TLSCert, TLSKey string

	Database installation.Database

	// Custody is the custody of wrapped keys: who can unwrap them.
	Custody installation.Custody

	// Processor configures how orders reach the card processor. A sandbox has its own processor.
	Processor Processor

	// ReportSecrets are the secrets with which the card processor signs its reports: two during a
	// rotation. Without any, all reports are rejected.
	ReportSecrets []signature.Secret

	// FourEyes requires approval by a second operator for acts that belong to no program: on
	// operators, tokens and keys of banks.
	FourEyes bool

	// TokensApprove lets a token approve an act that another person requested. If it is off, people
	// approve at the console.
	TokensApprove bool

	// WebhooksAllow are the addresses that webhooks may reach in addition to those of the internet.
	WebhooksAllow []netip.Prefix

	// Retention is how long rows are stored before a job deletes or empties them.
	Retention Retention

	// Archives configures the archiving of older audit entries.
	Archives Archives

	// Insecure accepts key files that users other than their owner may read. Warnings are other
	// accepted weaknesses; each is logged.
	Insecure bool
	Warnings []string

	// Nodes is the number of nodes that share the load. Each grants its share of a key's rate
	// limit; default 1.
	Nodes  int
	Limits Limits

	// Traces is the endpoint for spans (OTLP over HTTP), such as http://127.0.0.1:4318. If it is
	// empty, the variables of OpenTelemetry determine the endpoint, if they are set.
	Traces string

	Log *slog.Logger

	// ConsoleURL is the address at which browsers reach the console; default AdminListen.
	ConsoleURL string
	OpenID     OpenID

	// Clock is business time; default the time of this machine, or of the database server if there
	// is one.
	Clock *clock.Clock
}

// App is a running Mintmark.
type App struct {
	Settings
	node   string                     // the name of this process among the nodes on one database
	held   *installation.DatabaseLock // the embedded database
	store  *installation.Storage
	port   port // to the card processor; nil without one
	chance *chance.Streams
	// sandbox has the parts that only a sandbox has; nil in production.
	sandbox *sandboxed.Sandbox
	vault   *vault.Vault
	// installation is the database's record of its keys.
	installation store.InstallationRecord

	service *acts.Service
	callers *auth.Callers
	people  *auth.Operators
	sender  *webhook.Sender // sends all deliveries; nil before the first
	sealer  *auditlog.Sealer
	orders  *dispatch.Dispatcher // nil without a card processor
	host    *web.Host            // of the JSON face
	face    *api.Server
	public  *server
	admin   *server

	adminHost *web.Host // of the operators' interface
	hosts     struct {  // all serving hosts, for reloads; the console's is added when it is created
		sync.Mutex
		bodyLimits map[*web.Host]int64
	}

	metrics *metrics.Metrics
	traces  *traces // nil without an endpoint

	certificate *certificate // nil without TLS

	reloading sync.Mutex
	inForce   atomic.Pointer[Settings] // the settings at the start, updated by reloads

	background sync.WaitGroup
	stop       context.CancelFunc
	unready    atomic.Bool // last result of /readyz
	failing    sync.Once
	failed     chan struct{}
}

// Start opens the store and the keys, fills an empty sandbox with the demo data, and serves.
func Start(ctx context.Context, settings Settings) (*App, error) {
	a := &App{
		Settings: settings.withDefaults(), node: settings.nodeName(), failed: make(chan struct{}),
		chance: settings.streams(), metrics: newMetrics(),
	}
	a.inForce.Store(&a.Settings)
	a.hosts.bodyLimits = make(map[*web.Host]int64)
	if a.Sandbox {
		a.sandbox = sandboxed.New(sandboxed.Settings{
			Location: a.Location(), Node: a.node, Hosts: a.SandboxHosts, Seed: a.Seed,
			Chance: a.chance, Clock: a.Clock, Log: a.Log,
		})
	}
	if err := a.start(ctx); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	a.logStarted()
	return a, nil
}

// start assembles the parts, each from those before it.
func (a *App) start(ctx context.Context) error {
	var err error
	if a.traces, err = a.openTraces(ctx); err != nil {
		return err
	}
	if err := a.open(ctx); err != nil {
		return err
	}
	if a.port, err = a.openPort(ctx); err != nil {
		return err
	}
	if a.callers, err = a.openCallers(ctx); err != nil {
		return err
	}
	a.people = a.openPeople()
	a.service = acts.New(a.store, a.vault, a.issuing())
	if err := a.checkClock(ctx); err != nil {
		return err
	}
	a.sealer = a.newSealer()
	if err := a.connectProcessor(ctx); err != nil {
		return err
	}
	a.metrics.Add(state{a})
	a.host = a.newHost("request identifiers", 0)
	a.face = api.New(a.service, a.callers, a.host)
	if a.sandbox == nil {
		if err := a.serve(); err != nil {
			return err
		}
		a.startBackground()
		return nil
	}
	if err := a.connectSandbox(ctx); err != nil {
		return err
	}
	a.startBackground() // work that is due at the start is done before the first request
	return a.serve()
}

// connectSandbox passes the parts of this server to the sandbox.
func (a *App) connectSandbox(ctx context.Context) error {
	a.host.Record(a.sandbox)
	return a.sandbox.Connect(ctx, sandboxed.Parts{
		Service: a.service, Callers: a.callers, People: a.people, Sealer: a.sealer,
		Orders: a.orders, Face: a.face, URL: a.URL, AdminURL: a.AdminURL, Host: a.newHost,
	})
}

// openCallers opens the callers and their API keys.
func (a *App) openCallers(ctx context.Context) (*auth.Callers, error) {
	settings := auth.Settings{Clock: a.Clock, Listener: a.store.Listener}
	if a.sandbox != nil {
		settings.Generation = a.sandbox.Generation()
	}
	callers, err := auth.Open(ctx, a.store, a.vault, settings)
	if err != nil {
		return nil, err
	}
	callers.SetNodes(a.Nodes)
	return callers, nil
}

// nodeName returns the name of this process among the nodes on one database. An embedded database
// has one node at a time, whose name never changes: after a crash it still has its previous leases
// and claims, and need not wait for them to expire.
func (s Settings) nodeName() string {
	if s.Database.URL == "" {
		return s.Location().Engine()
	}
	return uuid.NewString()
}

// streams returns the sources of random bytes of the process.
func (s Settings) streams() *chance.Streams {
	if s.Seed == nil {
		return chance.FromSystem()
	}
	return chance.FromSeed(*s.Seed)
}

// web returns the settings of a host that can change while it serves. The limit of its bodies is
// bodyLimit, or limits.bodyBytes for 0.
func (s Settings) web(bodyLimit int64) web.Settings {
	return web.Settings{
		TrustedProxies: s.TrustedProxies, PublicURL: s.PublicURL, Secure: s.TLSCert != "",
		BodyLimit: cmp.Or(bodyLimit, s.Limits.BodyBytes), BodyTimeout: s.Limits.BodyTimeout,
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
	a.held, err = installation.LockDatabase(claimed.Location, claimed.Environment)
	if err != nil {
		return err
	}
	if a.Data != "" {
		installation.WarnOfOthers(a.Data, a.Log)
	}
	claimed.Server = postgres.Options{
		Tracer: a.traces.statements(), Blocks: a.sandbox == nil,
	}
	options := sqlite.Options{Clock: a.Clock, Committed: a.metrics.CommitGroup}
	if a.sandbox != nil {
		a.store, err = a.sandbox.Open(ctx, claimed, options)
	} else {
		a.store, err = claimed.Open(ctx, options)
	}
	if err != nil {
		return err
	}
	a.installation = claimed.Record()
	return nil
}

// Location returns the location of the keys and the database.
func (s Settings) Location() installation.Location {
	return installation.Location{
		Data: s.Data, Database: s.Database, Insecure: s.Insecure, Custody: s.Custody,
		WebhooksAllow: s.WebhooksAllow,
	}
}

// claim opens the keys and examines the database.
func (a *App) claim(ctx context.Context) (*installation.Claim, error) {
	if a.sandbox != nil {
		return a.sandbox.Claim(ctx)
	}
	return a.Location().ClaimProduction(ctx)
}

func (a *App) issuing() issuing.Settings {
	settings := issuing.Settings{
		Mode: card.Production, Clock: a.Clock, OneWriter: a.store.Disk != nil,
		Random: a.chance.For(sandboxed.CardNumbers), Secrets: a.chance.For("secrets"),
		Retention:     a.Retention,
		FourEyes:      func() bool { return a.inForce.Load().FourEyes },
		TokensApprove: func() bool { return a.inForce.Load().TokensApprove },
		IsFenced:      func(programID int) bool { return a.callers.IsFenced(programID) },
		KeysChanged:   func(ctx context.Context) { a.callers.Refresh(ctx, a.Log) },
		WebhooksAllow: func() []netip.Prefix { return a.inForce.Load().WebhooksAllow },
	}
	if a.sandbox != nil {
		a.sandbox.Issuing(&settings)
	} else {
		settings.LastBackup = a.lastBackup
	}
	return settings
}

// serve listens on both addresses. The operators' address uses plain HTTP on the loopback. On other
// addresses it uses TLS if the JSON face has a certificate.
func (a *App) serve() error {
	var err error
	a.certificate, err = openCertificate(a.TLSCert, a.TLSKey, a.Log)
	if err != nil {
		return err
	}
	public, admin := a.face.Handler(), a.adminFace()
	refuse, refuseAdmin := wire.Refuse(a.face.Refuse), wire.Refuse(refuseOperator)
	if a.sandbox != nil {
		public = within(public, a.sandbox.PublicLayers(a.describe(), a.face.Deny))
		admin = within(admin, a.sandbox.AdminLayers(a.denyOperator))
		refuse, refuseAdmin = sandboxed.NamedRaw(refuse), sandboxed.NamedRaw(refuseAdmin)
	}
	a.public, err = listen(serving{
		address: a.Listen, handler: public, limits: a.callerLimits(a.Limits),
		tls: a.certificate.config(), refuse: refuse, log: a.Log,
	})
	if err != nil {
		return err
	}
	operators := serving{
		address: a.AdminListen, handler: admin, limits: operatorLimits(a.Limits),
		refuse: refuseAdmin, log: a.Log, kept: isReserved,
	}
	if !OnLoopback(a.AdminListen) {
		operators.tls = a.certificate.config()
	}
	a.admin, err = listen(operators)
	if err != nil {
		return err
	}
	if a.sandbox != nil {
		a.sandbox.Listening(a.public.listener.Addr(), a.admin.listener.Addr())
	}
	return nil
}

// within wraps a handler in layers, the outermost first.
func within(handler http.Handler, layers []sandboxed.Layer) http.Handler {
	for _, layer := range slices.Backward(layers) {
		handler = layer(handler)
	}
	return handler
}

// callerLimits returns the limits of callers' connections, reduced to the process's limit of open
// files.
func (a *App) callerLimits(limits Limits) Limits {
	limits.Connections = withinFiles(limits, a.Log)
	return limits
}

// operatorLimits returns the limits of operators' connections.
func operatorLimits(limits Limits) Limits {
	limits.Connections = limits.AdminConnections
	return limits
}

// OnLoopback reports whether a listening address accepts connections only from this machine.
func OnLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && postgres.IsLoopback(host)
}

// URL returns the address of the JSON face.
func (a *App) URL() string { return a.public.url() }

// AdminURL returns the address of the operators' endpoints.
func (a *App) AdminURL() string { return a.admin.url() }

// Failed returns a channel that is closed when the store has failed. The process must end; the next
// start determines which commits survived.
func (a *App) Failed() <-chan struct{} { return a.failed }

// Close stops accepting requests, lets those in flight finish until the context ends, and closes
// the store.
func (a *App) Close(ctx context.Context) error {
	served := a.stop != nil
	if served {
		a.Log.Info("stopping")
		a.service.Events.EndWaits()
	}
	errs := make([]error, 2)
	var closing sync.WaitGroup // both together: no balancer sends requests to half of a node
	closing.Go(func() { errs[0] = a.public.shutDown(ctx) })
	closing.Go(func() { errs[1] = a.admin.shutDown(ctx) })
	closing.Wait()
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

// withDefaults returns the settings with their defaults.
func (s Settings) withDefaults() Settings {
	if s.Listen == "" {
		s.Listen = "127.0.0.1:8080"
	}
	if s.AdminListen == "" {
		s.AdminListen = "127.0.0.1:8081"
	}
	s.ConsoleURL = s.consoleURL()
	s.Limits = s.Limits.withDefaults()
	if s.Clock == nil {
		s.Clock = clock.Follow(clock.OfMachine())
	}
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	return s
}

// requestIDs returns a function that draws request identifiers.
func (a *App) requestIDs(purpose string) func() string {
	random := a.chance.For(purpose)
	return func() string {
		id, err := uuid.NewRandomFromReader(random)
		if err != nil {
			panic(fmt.Sprintf("app: no randomness for a request identifier: %v", err))
		}
		return id.String()
	}
}

// Ready returns what a test needs to know of a running sandbox.
func (a *App) Ready() sandboxwire.Ready { return a.sandbox.Ready() }
