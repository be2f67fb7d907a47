package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"mintmark/internal/base/wire"
	"mintmark/internal/face/jsonbody"
	"mintmark/internal/face/web"
	"mintmark/internal/issuing"
)

// MaxBodyBytes is the interface's limit of a body; an operator can only lower it.
const MaxBodyBytes = jsonbody.MaxBytes

// Limits bound the cost of a connection. Zero means the default, see withDefaults.
type Limits struct {
	HeaderTimeout time.Duration // of a request
	BodyTimeout   time.Duration // of a request
	AnswerTimeout time.Duration // until the response is complete
	IdleTimeout   time.Duration // between two requests
	HeaderBytes   int           // request line and headers
	BodyBytes     int64         // at most MaxBodyBytes
	Connections   int           // of callers, open at the same time

	// AdminConnections are the connections of the operators' address. They are counted separately,
	// so that operators can connect when callers have used up their connections.
	AdminConnections int
}

// Retention is how long rows are stored before a job deletes or empties them. Zero means the
// default.
type Retention = issuing.Retention

// headerSlop is how many bytes Go's server reads beyond its limit of header bytes.
const headerSlop = 4096

func (l Limits) withDefaults() Limits {
	l.HeaderTimeout = cmp.Or(l.HeaderTimeout, 5*time.Second)
	l.BodyTimeout = cmp.Or(l.BodyTimeout, web.DefaultBodyTimeout)
	l.AnswerTimeout = cmp.Or(l.AnswerTimeout, web.DefaultAnswerTimeout)
	l.IdleTimeout = cmp.Or(l.IdleTimeout, time.Minute)
	l.HeaderBytes = cmp.Or(l.HeaderBytes, 16<<10)
	l.BodyBytes = cmp.Or(l.BodyBytes, web.DefaultBodyBytes)
	l.Connections = cmp.Or(l.Connections, 10_000)
	l.AdminConnections = cmp.Or(l.AdminConnections, 100)
	return l
}

// server is one listening socket and the HTTP servers on it. The newest HTTP server accepts new
// connections. Older ones keep theirs, under the limits that applied when each connection was
// opened. A nil server does nothing.
type server struct {
	serving
	listener *wire.Listener
	scheme   string

	mu      sync.Mutex
	relayed []*relayListener
}

// serving are the parameters of a server.
type serving struct {
	address string
	handler http.Handler
	limits  Limits
	tls     *tls.Config // nil for plain HTTP
	refuse  wire.Refuse
	log     *slog.Logger

	// kept reports whether a request may use one of the extra places of a server that closes idle
	// connections to make room; nil for a server that does not.
	kept func(*http.Request) bool
}

// listen opens the socket and starts to serve.
func listen(s serving) (*server, error) {
	listener, err := net.Listen("tcp", s.address)
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", s.address, err)
	}
	running := &server{serving: s, scheme: "http"}
	if s.tls != nil {
		listener, running.scheme = tls.NewListener(listener, s.tls), "https"
	}
	running.listener = wire.Listen(listener, s.limits.Connections, s.refuse)
	if s.kept != nil {
		running.listener.Shed()
	}
	running.limit(s.limits)
	go running.relay()
	return running, nil
}

// limit applies other limits to new connections.
func (s *server) limit(limits Limits) {
	s.listener.Bound(limits.Connections)
	next := &relayListener{
		address: s.listener.Addr(), conns: make(chan accepted), shut: make(chan struct{}),
		http: &http.Server{
			Handler:           rejectSmuggled(s.handler, s.kept),
			ReadHeaderTimeout: limits.HeaderTimeout,
			IdleTimeout:       limits.IdleTimeout,
			// A client that does not read its response must not keep the connection open.
			WriteTimeout:   limits.BodyTimeout + limits.AnswerTimeout + limits.IdleTimeout,
			MaxHeaderBytes: max(1, limits.HeaderBytes-headerSlop),
			ConnContext:    withConnection,
			ConnState:      noteIdle,
			ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelWarn),
			// The envelope answers OPTIONS * like any other unknown route.
			DisableGeneralOptionsHandler: true,
		},
	}
	go func() {
		err := next.http.Serve(next)
		if !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
			s.log.Error("no longer listening", "address", s.address, "error", err)
		}
	}()
	s.mu.Lock()
	defer s.mu.Unlock()
	if last := len(s.relayed) - 1; last >= 0 {
		_ = s.relayed[last].Close()
	}
	s.relayed = append(s.relayed, next)
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

func withConnection(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// wireConn is a handler's view of the connection below (package wire).
type wireConn interface {
	Begin() bool
	Extra() bool
	Hangup() error
	NoRoom() error
}

func noteIdle(conn net.Conn, to http.ConnState) {
	if conn, ok := conn.(interface{ Idle() }); ok && to == http.StateIdle {
		conn.Idle()
	}
}

// rejectSmuggled rejects a request that the connection below has not seen: it was smuggled in the
// body of another request. On a connection beyond the limit it accepts only requests that a place
// is reserved for.
func rejectSmuggled(handler http.Handler, kept func(*http.Request) bool) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, ok := r.Context().Value(connectionKey{}).(wireConn)
		seen := ok && conn.Begin()
		if seen && (!conn.Extra() || kept(r)) {
			handler.ServeHTTP(w, r)
			return
		}
		_, _, err := http.NewResponseController(w).Hijack()
		if err != nil || !ok {
			panic(http.ErrAbortHandler)
		}
		// A write error means that the client has disconnected.
		if seen {
			_ = conn.NoRoom()
		} else {
			_ = conn.Hangup()
		}
	})
}

func (s *server) url() string { return s.scheme + "://" + s.listener.Addr().String() }

// shutDown lets the requests in flight finish until the context ends.
func (s *server) shutDown(ctx context.Context) error {
	if s == nil {
		return nil
	}
	_ = s.listener.Close() // may already be closed after a failure
	s.mu.Lock()
	relayed := slices.Clone(s.relayed)
	s.mu.Unlock()
	errs := make([]error, len(relayed))
	var closing sync.WaitGroup
	for i, r := range relayed {
		closing.Go(func() {
			if err := r.http.Shutdown(ctx); err != nil {
				errs[i] = errors.Join(err, r.http.Close())
			}
		})
	}
	closing.Wait()
	return errors.Join(errs...)
}
