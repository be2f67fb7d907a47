// Package app puts the parts together: settings in, a running Mintmark out. It owns no behaviour
// of its own; the command line starts it, and so do the end-to-end tests.
package app

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	mathrand "math/rand/v2"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/google/uuid"

	"mintmark/internal/api"
	"mintmark/internal/card"
	"mintmark/internal/gate"
	"mintmark/internal/issuing"
	"mintmark/internal/processor"
	"mintmark/internal/store"
	"mintmark/internal/vault"
)

// Settings are everything an operator can set. The zero value of each but Data is a good one.
type Settings struct {
	Sandbox     bool   // demo data, the simulated processor, every number ending in 1111
	Listen      string // address of the JSON face; 127.0.0.1:8080
	AdminListen string // address for operators; 127.0.0.1:8081

	// Data is the directory of the embedded database and of the keys. A sandbox without one
	// keeps everything in memory.
	Data string

	// Seed makes the request identifiers, card numbers and PIN key of a sandbox repeatable.
	Seed *uint64

	TrustedProxies []netip.Prefix
	PublicURL      string // where callers reach the service; empty: as they wrote it

	// SandboxHosts are names under which a sandbox is reached, beside those of the loopback.
	SandboxHosts []string

	// TLSCert and TLSKey are files in PEM; without them the JSON face speaks plain HTTP.
	TLSCert, TLSKey string

	Database Database

	// Nodes is how many nodes share the load. Each grants its share of a key's rate; 1.
	Nodes  int
	Limits Limits
	Log    *slog.Logger
}

// sandboxEnding is what every number in the sandbox ends in (section 3.1).
const sandboxEnding = "1111"

// App is a running Mintmark.
type App struct {
	Settings
	node    string // the name of this process among those on one database
	store   store.Store
	vault   *vault.Vault
	service *issuing.Service
	public  *server
	admin   *server
	duties  sync.WaitGroup
	stop    context.CancelFunc
	unready atomic.Bool // as /readyz has found it last
	failing sync.Once
	failed  chan struct{}
}

// Start opens the store and the keys, fills an empty sandbox with the demo data, and serves.
func Start(ctx context.Context, settings Settings) (*App, error) {
	a := &App{
		Settings: settings.filled(), node: uuid.NewString(), failed: make(chan struct{}),
	}
	random := a.random("card numbers")
	if err := a.open(ctx, random); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	entrance, err := gate.Open(ctx, a.store, a.vault)
	if err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	entrance.Nodes = a.Nodes
	a.service = issuing.New(a.store, a.vault, a.issuing(random))
	face := api.New(a.service, entrance, api.Settings{
		TrustedProxies: a.TrustedProxies, PublicURL: a.PublicURL, Secure: a.TLSCert != "",
		BodyLimit: a.Limits.BodyBytes, BodyTimeout: a.Limits.BodyTimeout,
		AnswerTimeout: a.Limits.AnswerTimeout, Log: a.Log,
		NewRequestID: requestIDs(a.random("request identifiers")),
	})
	if err := a.serve(face); err != nil {
		return nil, errors.Join(err, a.Close(ctx))
	}
	a.startDuties(entrance)
	return a, nil
}

// open opens the keys and the store, and fills an empty sandbox.
func (a *App) open(ctx context.Context, random io.Reader) error {
	err := a.claim()
	if err != nil {
		return err
	}
	a.vault, err = OpenVault(a.Data, a.Sandbox, a.Seed)
	if err != nil {
		return err
	}
	if a.Data != "" {
		warnOfOthers(a.Data, a.Log)
	}
	a.store, err = OpenStore(ctx, a.Data, a.Database)
	if err != nil {
		return err
	}
	if a.Sandbox {
		return fillSandbox(ctx, a.store, a.vault, random)
	}
	return nil
}

func (a *App) issuing(random io.Reader) issuing.Settings {
	if a.Sandbox {
		return issuing.Settings{
			Mode: card.Sandbox, Ending: sandboxEnding, Random: random,
			Processor: processor.Simulator{},
		}
	}
	return issuing.Settings{Mode: card.Production, Random: random}
}

// serve listens on both addresses.
func (a *App) serve(face *api.Server) error {
	encrypted, err := openCertificate(a.TLSCert, a.TLSKey, a.Log)
	if err != nil {
		return err
	}
	var public http.Handler = face
	admin := a.adminFace
	entrances := newDoors(a.SandboxHosts)
	if a.Sandbox {
		described := docs(reference{server: here, tryable: true})
		if encrypted != nil {
			described = face.OverTLS(described)
		}
		public = entrances.guard(entrances.share(withDocs(face, described)), face.Deny)
		admin = func() http.Handler { return entrances.guard(a.adminFace(), denyOperator) }
	}
	callers := a.Limits
	callers.Connections = withinFiles(callers.Connections, a.Log)
	a.public, err = listen(serving{
		address: a.Listen, handler: public, limits: callers, tls: encrypted, refuse: face.Refuse,
		log: a.Log,
	})
	if err != nil {
		return err
	}
	operators := a.Limits
	operators.Connections = adminConnections
	a.admin, err = listen(serving{
		address: a.AdminListen, handler: admin(), limits: operators,
		refuse: refuseOperator, log: a.Log,
	})
	if err != nil {
		return err
	}
	entrances.open(a.public, a.admin)
	return nil
}

// URL is where the JSON face is reached.
func (a *App) URL() string { return a.public.url() }

// AdminURL is where the face for operators is reached.
func (a *App) AdminURL() string { return a.admin.url() }

// Failed is closed when the store cannot go on. The process then has to end: what was kept is found
// out by the next start.
func (a *App) Failed() <-chan struct{} { return a.failed }

// Close takes no new requests, lets those in flight finish until the context ends, and closes the
// store.
func (a *App) Close(ctx context.Context) error {
	errs := []error{a.public.shutDown(ctx), a.admin.shutDown(ctx)}
	if a.stop != nil {
		a.stop()
		a.duties.Wait()
	}
	if a.store != nil {
		errs = append(errs, a.closeStore())
	}
	return errors.Join(errs...)
}

// filled returns the settings with what was left out.
func (s Settings) filled() Settings {
	if s.Listen == "" {
		s.Listen = "127.0.0.1:8080"
	}
	if s.AdminListen == "" {
		s.AdminListen = "127.0.0.1:8081"
	}
	s.Limits = s.Limits.filled()
	if s.Log == nil {
		s.Log = slog.New(slog.DiscardHandler)
	}
	return s
}

// random is where card numbers or request identifiers come from: the system, or the seed. Each
// purpose has its own stream, so that a number does not depend on who sends identifiers.
func (s Settings) random(purpose string) io.Reader {
	if s.Seed == nil {
		return rand.Reader
	}
	seed := sha256.Sum256(fmt.Appendf(nil, "mintmark sandbox %d %s", *s.Seed, purpose))
	return &lockedReader{from: mathrand.NewChaCha8(seed)}
}

// lockedReader lets many requests draw from one seeded source.
type lockedReader struct {
	mu   sync.Mutex
	from io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.from.Read(p)
}

// requestIDs makes identifiers. They need not be secret, so what they are drawn from is read some
// in advance.
func requestIDs(random io.Reader) func() string {
	ahead := &lockedReader{from: bufio.NewReader(random)}
	return func() string {
		id, err := uuid.NewRandomFromReader(ahead)
		if err != nil {
			panic(fmt.Sprintf("app: no randomness for a request identifier: %v", err))
		}
		return id.String()
	}
}
